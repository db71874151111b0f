"""Haechi scores conversational AI with rubrics one can trust.

>>> import haechi
>>> haechi.rubric("ubica").range("sum")
(9.0, 45.0)
"""

from __future__ import annotations

TYPE_CHECKING = False  # typing itself would double the time that `haechi --help` takes
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from haechi import stats
    from haechi.rubrics import Rubric
    from haechi.study import Study

__version__ = "0.1.0"
__all__ = ["Study", "rubric", "stats"]


def rubric(id_or_path: str | Path) -> Rubric:
    """A built-in instrument by id, or the user's own rubric file by path; checked before it is returned.

    >>> rubric("maice-qac").edition
    'v4.3'
    """
    from haechi.rubrics import find_rubric

    return find_rubric(id_or_path)


def __getattr__(name: str) -> Any:
    # Imported when first asked for, so that `haechi --help` answers at once.
    from importlib import import_module

    if name == "Study":
        return import_module("haechi.study").Study
    if name == "stats":
        return import_module("haechi.stats")
    raise AttributeError(f"module 'haechi' has no attribute {name!r}")
