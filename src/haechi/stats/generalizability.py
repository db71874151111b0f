"""Generalizability: where the variance of ratings comes from, and what more or fewer raters would give."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from haechi.frozen import frozen
from haechi.stats.components import Components
from haechi.stats.figure import Figure, Lang, Why, figure, undefined
from haechi.stats.icc import spearman_brown

TARGETS = (0.7, 0.8, 0.9)
_LEAST_ROWS, _MOST_ROWS = 5, 12
NO_RATERS_HELP = Why(
    "추정한 항목 간 분산이 0이어서 평가자를 늘렸을 때의 신뢰도는 추정할 수 없습니다",
    "the variance between items is estimated as 0, so what more raters would give cannot be estimated",
)


class WithRaters(NamedTuple):
    """The mean of so many raters: how well it orders items (relative), and how well it tells their level (absolute)."""

    raters: int
    relative: Figure
    absolute: Figure


@frozen
class Generalizability:
    """A G-study and a D-study.

    shares: of the variance of a single rating, what comes from items, raters and the residual; None without components;
    per_item: how many ratings an item has here, a harmonic mean; rows: the mean of 1, 2, 3 … raters.
    """

    shares: Mapping[str, float] | None
    per_item: float | None
    rows: tuple[WithRaters, ...]
    why: Why | None = None

    def needed(self, target: float, absolute: bool = True) -> int | None:
        """The fewest raters whose mean reaches a reliability; None where no number does.

        >>> from haechi.stats.examples import SHROUT_FLEISS
        >>> from haechi.stats import agreement
        >>> found = agreement(SHROUT_FLEISS).generalizability
        >>> found.needed(0.8), found.needed(0.8, absolute=False)
        (10, 2)
        """
        if not self.rows:
            return None
        one = (self.rows[0].absolute if absolute else self.rows[0].relative).value
        if one is None or one <= 0:
            return None
        if one >= 1:
            return 1
        return max(1, math.ceil(target * (1 - one) / (one * (1 - target)) - 1e-9))

    def words(self, lang: Lang = "en") -> str:
        """What one rater more would give, and how many are needed for the usual reliabilities."""
        if found := self._words():
            return found.say(lang)
        why = (self.why or NO_RATERS_HELP).say(lang)
        return f"{why[0].upper()}{why[1:]}."

    def _words(self) -> Why | None:
        needed = [self.needed(target) for target in TARGETS]
        if self.per_item is None or None in needed:
            return None
        now = max(1, round(self.per_item))
        one = self.rows[0].absolute.value or 0.0
        before, after = (_plain(spearman_brown(one, raters)) for raters in (now, now + 1))
        ko = ", ".join(
            f"{_plain(target)}에는 {many:,}명" for target, many in zip(TARGETS, needed, strict=True)
        )
        en = ", ".join(f"{many:,} for {_plain(target)}" for target, many in zip(TARGETS, needed, strict=True))
        changes = Why(
            f"늘리면 항목 평균의 신뢰도(Φ)가 {before}에서 {after}{_to(after)} 오릅니다",
            f"goes from {before} to {after}",
        )
        if after == before:
            changes = Why(f"늘려도 항목 평균의 신뢰도(Φ)는 {after}{_to(after)} 같습니다", f"stays {after}")
        return Why(
            f"평가자를 {now}명에서 {now + 1}명으로 {changes.ko}. 필요한 평가자: {ko}.",
            f"With {now + 1} raters instead of {now} the reliability of an item's mean (Φ) {changes.en}. "
            f"Raters needed: {en}.",
        )

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """For machines: shares, a row per number of raters, and the raters needed."""
        if self.why:
            return {"shares": None, "raters": [], "why": self.why.say(lang)}
        rows = [
            {
                "raters": row.raters,
                "relative": row.relative.as_json(lang),
                "absolute": row.absolute.as_json(lang),
            }
            for row in self.rows
        ]
        needed = {
            kind: {f"{target:g}": self.needed(target, kind == "absolute") for target in TARGETS}
            for kind in ("relative", "absolute")
        }
        return {
            "shares": self.shares,
            "per_item": self.per_item,
            "raters": rows,
            "needed": needed,
            "words": self.words(lang),
        }


def generalizability_of(icc: Mapping[str, Figure], found: Components | Why) -> Generalizability:
    """G-study and D-study of one criterion.

    Formula, with the variances of items (a), raters (b) and the residual (e), and n raters:
        relative Eρ² = a / (a + e/n)            absolute Φ = a / (a + (b + e)/n)
    which are the Spearman–Brown transforms of ICC(3,1) and ICC(2,1); the intervals are those of the ICC, transformed.
    References: Cronbach, Gleser, Nanda & Rajaratnam 1972; Brennan 2001, Generalizability Theory. R: gtheory::dstudy.

    >>> from haechi.stats.examples import SHROUT_FLEISS
    >>> from haechi.stats import agreement
    >>> found = agreement(SHROUT_FLEISS).generalizability
    >>> {part: round(share, 3) for part, share in found.shares.items()}
    {'item': 0.29, 'rater': 0.595, 'residual': 0.116}
    >>> print(found.words())  # doctest: +NORMALIZE_WHITESPACE
    With 5 raters instead of 4 the reliability of an item's mean (Φ) goes from .62 to .67.
    Raters needed: 6 for .70, 10 for .80, 23 for .90.
    """
    relative, absolute = icc["ICC(3,1)"], icc["ICC(2,1)"]
    if isinstance(found, Why) or relative.value is None or absolute.value is None:
        why = found if isinstance(found, Why) else relative.why or absolute.why
        return Generalizability(None, None, (), why)
    whole = found.item + found.rater + found.residual
    shares = {part: variance / whole for part, variance in found.as_json().items()} if whole else None
    many = min(_MOST_ROWS, max(_LEAST_ROWS, math.ceil(found.shape.per_item) + 2))
    rows = [
        WithRaters(raters, _of_mean(relative, raters), _of_mean(absolute, raters))
        for raters in range(1, many + 1)
    ]
    return Generalizability(shares, found.shape.per_item, tuple(rows))


def _of_mean(one: Figure, raters: int) -> Figure:
    """The reliability of a mean of raters from that of one rater."""
    single = float(one)
    if raters > 1 and single <= 0:
        return undefined(NO_RATERS_HELP, one.n)  # the transform runs from there to minus infinity
    low, high = (spearman_brown(end, raters) for end in one.ci95 or (math.nan, math.nan))
    return figure(spearman_brown(single, raters), one.n, (low, high), one.why_no_ci)


def _to(figure: str) -> str:
    """The Korean particle after a figure, by how its last digit is read: 로 after a vowel or ㄹ."""
    return "으로" if figure[-1] in "036" else "로"


def _plain(share: float) -> str:
    """A coefficient as it stands in a sentence.

    >>> _plain(0.745), _plain(0.9999)
    ('.74', '1.00')
    """
    return f"{share:.2f}".removeprefix("0")
