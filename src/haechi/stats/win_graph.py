"""Which systems can be put on one scale: those that lie between each other's wins and losses."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from haechi.stats.figure import Why
from haechi.stats.ratings import Floats, Integers

NAMED = 5


class Linked(NamedTuple):
    """Groups of systems inside which strengths can be compared, largest first, and who stands above whom.

    groups: places of the systems; above[g, h]: whether group g stands above h, which never won against it, not even by others.
    """

    groups: tuple[Integers, ...]
    above: NDArray[np.bool_]
    met: NDArray[np.bool_]


def linked_systems(won: Floats, tied: Floats) -> Linked:
    """The groups of systems among which everybody has beaten everybody else, be it through others; a tie counts as both.

    won, tied: (systems, systems) counts. Only inside of such a group are the strengths finite (Ford 1957, American
    Mathematical Monthly 64, 28–33).

    >>> import numpy as np
    >>> found = linked_systems(np.array([[0, 2, 1], [1, 0, 3], [0, 0, 0]]), np.zeros((3, 3)))
    >>> [group.tolist() for group in found.groups], found.above.tolist()
    ([[0, 1], [2]], [[False, True], [False, False]])
    """
    k = won.shape[0]
    beats = (won > 0) | (tied > 0) | np.eye(k, dtype=bool)
    reaches = _closure(beats)
    both = reaches & reaches.T
    leaders = both.argmax(axis=1)
    groups = [np.flatnonzero(leaders == leader) for leader in np.unique(leaders)]
    groups.sort(key=lambda group: (-group.size, int(group[0])))
    heads = np.array([int(group[0]) for group in groups], dtype=np.int64)
    above = reaches[np.ix_(heads, heads)] & ~reaches[np.ix_(heads, heads)].T
    met = _closure(beats | beats.T)
    return Linked(tuple(groups), above, met[np.ix_(heads, heads)])


def _closure(edges: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Who can be reached from whom in any number of steps."""
    reached = edges.astype(np.float32)
    while True:
        further = (reached @ reached > 0).astype(np.float32)
        if np.array_equal(further, reached):
            return reached > 0
        reached = further


def why_apart(
    names: Sequence[Hashable], found: Linked, group: int, home: int, won: Floats, tied: Floats
) -> Why:
    """Why systems of one group cannot be put on the scale of another, and what can be said all the same."""
    if not found.met[group, home]:
        return Why(
            f"기준 시스템의 무리와 만난 적이 없어 강도를 견줄 수 없습니다: {_list(names, found.groups[group])}. "
            "무리 안의 차이만 말할 수 있습니다",
            f"never met the group of the reference, so strengths cannot be compared: {_list(names, found.groups[group])}; "
            "only differences inside the group can be told",
        )
    lone = found.groups[group]
    wins = float((won[lone] + tied[lone]).sum()) if lone.size == 1 else 1.0
    losses = float((won[:, lone] + tied[:, lone]).sum()) if lone.size == 1 else 1.0
    if wins == 0:
        return Why(
            "한 번도 이기거나 비기지 못해 강도의 아래 끝이 없습니다. 진 상대보다 아래라는 것까지만 말할 수 있습니다",
            "never won and never tied: its strength has no lower end; all that can be said is that it lost to those it met",
        )
    if losses == 0:
        return Why(
            "한 번도 지거나 비기지 않아 강도의 위 끝이 없습니다. 이긴 상대보다 위라는 것까지만 말할 수 있습니다",
            "never lost and never tied: its strength has no upper end; all that can be said is that it beat those it met",
        )
    if group == home:
        return Why(
            "기준 시스템을 이기기도 하고 지기도 한 상대가 다른 시스템을 거쳐서도 없어 강도를 견줄 것이 없습니다",
            "nobody both won against the reference and lost to it, not even through others: there is nothing to compare with",
        )
    if found.above[group, home] or found.above[home, group]:
        up = bool(found.above[group, home])
        return Why(
            f"기준 시스템의 무리에 {'진' if up else '이긴'} 적이 없어 얼마나 {'위' if up else '아래'}인지 말할 수 없습니다",
            f"never {'lost to' if up else 'won against'} the group of the reference: how far {'above' if up else 'below'} it stands cannot be said",
        )
    return Why(
        "기준 시스템의 무리와 이기고 진 관계로 이어지지 않아 강도를 견줄 수 없습니다",
        "no chain of wins and losses leads to the group of the reference, so strengths cannot be compared",
    )


def _list(names: Sequence[Hashable], places: Integers) -> str:
    shown = [str(names[int(at)]) for at in places[:NAMED]]
    return ", ".join(shown) + (f" … ({places.size})" if places.size > NAMED else "")
