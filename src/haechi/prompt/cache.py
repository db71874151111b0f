"""What follows from a rubric alone is worked out once, not for every item."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar, TypeVarTuple

from haechi.rubrics.model import Rubric

Ts = TypeVarTuple("Ts")
T = TypeVar("T")
_MOST = 256  # a run asks for a rubric whole or in parts, seldom for more than a few of them


class _Same:
    """A rubric that equals every other of the same content."""

    __slots__ = ("rubric",)

    def __init__(self, rubric: Rubric) -> None:
        self.rubric = rubric

    def __hash__(self) -> int:
        return hash(self.rubric.version)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.rubric.version == self.rubric.version


def once_per_rubric(work: Callable[[Rubric, *Ts], T]) -> Callable[[Rubric, *Ts], T]:
    """Remember what a function of a rubric gave; whoever gets it must leave it as it is.

    >>> import haechi
    >>> criteria = once_per_rubric(lambda rubric: [criterion.key for criterion in rubric.criteria])
    >>> rubric = haechi.rubric("diary-comment")
    >>> criteria(rubric) is criteria(rubric)
    True
    """

    @lru_cache(_MOST)
    def remembered(same: _Same, *more: *Ts) -> T:
        return work(same.rubric, *more)

    # Most ask again with the very same rubric: that it is the same is seen sooner than that it is equal.
    latest: dict[tuple[int, tuple[*Ts]], tuple[Rubric, T]] = {}

    @wraps(work)
    def looked_up(rubric: Rubric, /, *more: *Ts) -> T:
        key = id(rubric), more
        found = latest.get(key)
        if found is None or found[0] is not rubric:
            if len(latest) >= _MOST:
                latest.clear()
            found = latest[key] = (rubric, remembered(_Same(rubric), *more))
        return found[1]

    return looked_up
