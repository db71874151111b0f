"""What several parts of a report ask for, worked out once for all of them."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

from haechi.analysis.analysis import Analysis
from haechi.text import language

Asked = ParamSpec("Asked")
Found = TypeVar("Found")
_KEPT: WeakKeyDictionary[Analysis, dict[Hashable, Any]] = WeakKeyDictionary()


def once(
    make: Callable[Concatenate[Analysis, Asked], Found],
) -> Callable[Concatenate[Analysis, Asked], Found]:
    """A function of figures whose answer is kept with them, in the language it was given in; nobody may change it.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from haechi.demo import make_studies
    >>> figures = Analysis(next(make_studies(Path(tempfile.mkdtemp()) / "demo")))
    >>> counted = once(lambda figures: print("counting") or figures.n_items)
    >>> counted(figures), counted(figures)
    counting
    (14, 14)
    """

    @wraps(make)
    def kept(figures: Analysis, /, *asked: Asked.args, **named: Asked.kwargs) -> Found:
        known, key = _KEPT.setdefault(figures, {}), (make, language(), asked, *named.items())
        if key not in known:
            known[key] = make(figures, *asked, **named)
        found: Found = known[key]
        return found

    return kept
