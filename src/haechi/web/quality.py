"""Raters to look at while they work: too fast, always the same value, against everybody, known answers missed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import median

from haechi.analysis.habits import RaterHabits
from haechi.frozen import frozen
from haechi.text import Text

LEAST_ITEMS = 8
"""With fewer items nothing is said about time or constant values."""
_FAST = 1 / 3
_LEAST_KNOWN = 3


@frozen
class RaterPace:
    """The typical time of one rater, over how many items."""

    seconds: float | None
    items: int


def too_fast(paces: Mapping[str, RaterPace]) -> dict[str, Text]:
    """Raters who take less than a third of the time that is typical of the others; two others at least.

    >>> paces = {"ann": RaterPace(30, 10), "bo": RaterPace(40, 12), "dash": RaterPace(5, 20), "new": RaterPace(2, 1)}
    >>> list(too_fast(paces))
    ['dash']
    """
    known = {name: pace.seconds for name, pace in paces.items() if pace.seconds and pace.items >= LEAST_ITEMS}
    found = {}
    for name, own in known.items():
        others = [seconds for other, seconds in known.items() if other != name]
        if len(others) >= 2 and own < _FAST * median(others):
            usual = median(others)
            found[name] = Text(
                f"너무 빠름: 항목당 {own:.0f}초, 다른 평가자는 {usual:.0f}초",
                f"too fast: {own:.0f} s an item, others {usual:.0f} s",
            )
    return found


def always_the_same(raters: Sequence[RaterHabits]) -> dict[str, Text]:
    """Raters who gave one value on every criterion, of at least eight items, where others did not."""
    found = {}
    for one in raters:
        own = {name: habits.behaviour for name, habits in one.criteria.items()}
        constant = bool(own) and all(b.n >= LEAST_ITEMS and _values(b.use) == 1 for b in own.values())
        vary = any(
            _values(other.criteria[name].behaviour.use) > 1
            for other in raters
            for name in own
            if other is not one and name in other.criteria
        )
        if constant and vary:
            n = max(behaviour.n for behaviour in own.values())
            found[one.rater] = Text(
                f"항상 동일: 항목 {n}개에 기준마다 한 값",
                f"always the same value on each criterion, {n} items",
            )
    return found


def _values(use: Mapping[float, int]) -> int:
    return sum(count > 0 for count in use.values())


def against_everybody(raters: Sequence[RaterHabits]) -> dict[str, Text]:
    """Raters whose values have nothing to do with what the others see, by `haechi.stats.random_raters`."""
    words = {
        "random": Text("무작위로 답한 것으로 보임", "seems to answer at random"),
        "reversed": Text("척도를 거꾸로 쓴 것으로 보임", "seems to read the scale upside down"),
    }
    return {one.rater: words[one.with_others.flag] for one in raters if one.with_others.flag}


def below_the_mark(known: Mapping[str, tuple[int, int]], pass_mark: float) -> dict[str, Text]:
    """Raters who gave fewer of the known answers than the pass mark asks for, of three at least.

    >>> list(below_the_mark({"ann": (3, 4), "bo": (1, 4), "new": (0, 1)}, 0.7))
    ['bo']
    """
    return {
        name: Text(f"정답 문항 미달: {asked}문항 중 {right}", f"known answers missed: {right} of {asked} fit")
        for name, (right, asked) in known.items()
        if asked >= _LEAST_KNOWN and right < pass_mark * asked
    }


def all_remarks(*found: Mapping[str, Text]) -> dict[str, tuple[Text, ...]]:
    """All that is to be said of each rater.

    >>> all_remarks({"bo": Text("가")}, {"bo": Text("나")})["bo"]
    (Text(ko='가', en=''), Text(ko='나', en=''))
    """
    names: Iterator[str] = (name for one in found for name in one)
    return {name: tuple(one[name] for one in found if name in one) for name in dict.fromkeys(names)}
