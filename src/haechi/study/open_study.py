"""Whether what a caller gave is a study that is open already."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing_extensions import TypeIs

    from haechi.study.scores import StoredStudy


def is_open_study(source: object) -> TypeIs[StoredStudy]:
    """Whether it is a study that somebody opened, with all that was selected of it, and no folder, file or data frame.

    >>> is_open_study("study"), is_open_study({"item": ["a"]})
    (False, False)
    """
    if isinstance(source, str | Path):
        return False
    from haechi.study.scores import StoredStudy  # which a file does without

    return isinstance(source, StoredStudy)
