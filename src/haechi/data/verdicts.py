"""What a vote says: which of two systems won, and which was shown first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from haechi.data.names import fold_name
from haechi.rubrics.scales import side_said
from haechi.text import Text

NO_VERDICT = frozenset(
    map(
        fold_name,
        ["error", "invalid", "none", "null", "nan", "missing", "n/a", "na", "-", "결측", "모름", "오류"],
    )
)
_FIRST_A = frozenset(
    map(fold_name, ["ab", "a", "a first", "a,b", "a>b", "1", "left", "정순", "a 먼저", "original"])
)
_FIRST_B = frozenset(
    map(
        fold_name, ["ba", "b", "b first", "b,a", "b>a", "2", "right", "역순", "b 먼저", "swapped", "reversed"]
    )
)
_WON = {"a": 1.0, "b": 0.0, "tie": 0.5}
_FIX = Text("고친 뒤 다시 실행하세요", "correct it and run again")


class RefusedVote(Exception):
    """What is wrong with a vote."""

    def __init__(self, field: str, found: str | Text, expected: Text, todo: Text = _FIX) -> None:
        super().__init__(field)
        self.field, self.found, self.expected, self.todo = field, found, expected, todo


def verdict_of(a: str | None, b: str | None, winner: str | None) -> float | None:
    """1 if a won, 0 if b did, 0.5 for a tie, None without a verdict; by side or by the name of a system.

    >>> verdict_of("x", "y", "model_b"), verdict_of("x", "y", "x"), verdict_of("x", "y", "무승부"), verdict_of("x", "y", "error")
    (0.0, 1.0, 0.5, None)
    """
    if a is None or b is None:
        raise RefusedVote(
            "b" if a else "a", Text("빈 칸", "an empty cell"), Text("시스템 이름", "the name of a system")
        )
    if a == b:
        todo = Text("줄을 지우거나 시스템 이름을 고치세요", "remove the row, or correct the names")
        raise RefusedVote(
            "b",
            Text(f"같은 시스템 둘: {a}", f"the same system twice: {a}"),
            Text("서로 다른 두 시스템", "two different systems"),
            todo,
        )
    if winner is None:
        return None
    folded = fold_name(winner)
    side = _WON.get(side_said(winner) or "")
    named = 1.0 if winner == a else 0.0 if winner == b else None
    if named is None and side is None:  # other capitals
        named = 1.0 if folded == fold_name(a) else 0.0 if folded == fold_name(b) else None
    if named is not None and side is not None and named != side and winner == winner.lower():
        expected = Text("시스템 이름과 헷갈리지 않는 승자", "a winner that is no name of the other system")
        todo = Text(
            "시스템 이름을 a, b가 아닌 것으로 바꾸거나, winner에 왼쪽, 오른쪽을 쓰세요",
            "call the systems otherwise than a and b, or write left and right",
        )
        raise RefusedVote("winner", winner, expected, todo)
    found = named if named is not None else side
    if found is not None or folded in NO_VERDICT:
        return found
    raise RefusedVote(
        "winner",
        Text(f"{winner!r}: 이 쌍에 없는 시스템", f"{winner!r}, which is none of the two"),
        Text(f"a, b, tie(무승부), 또는 {a}, {b}", f"a, b, tie, or {a}, {b}"),
    )


def a_first(row: Mapping[str, Any]) -> bool:
    """Whether a was shown first, by the order that a row says.

    >>> a_first({"a": "x", "b": "y", "order": "ba"}), a_first({"a": "x", "b": "y", "order": "x"})
    (False, True)
    """
    order, a, b = row["order"], row["a"], row["b"]
    folded = fold_name(order or "")
    if order == a or (order != b and folded in _FIRST_A):
        return True
    if order == b or folded in _FIRST_B:
        return False
    found = Text("빈 칸", "an empty cell") if order is None else repr(order)
    expected = Text(
        "ab(a를 먼저 보임) 또는 ba, 또는 먼저 보인 시스템의 이름",
        "ab (a was shown first) or ba, or the name of what was shown first",
    )
    raise RefusedVote("order", found, expected)
