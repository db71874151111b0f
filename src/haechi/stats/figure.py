"""What every statistic returns: a figure with its interval and count, or the reason why there is none."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

Lang = Literal["ko", "en"]


class Why(NamedTuple):
    """One sentence in Korean and English.

    >>> Why("평가자가 한 명뿐입니다", "there is only one rater").say("en")
    'there is only one rater'
    """

    ko: str
    en: str

    def say(self, lang: Lang = "en") -> str:
        """The sentence in one language."""
        return self.ko if lang == "ko" else self.en


OVERFLOW = Why(
    "값이 너무 크거나 작아 실수(64비트)로 계산할 수 없습니다",
    "the values are too large or too small to be computed in double precision",
)
NO_WIDTH = Why(
    "자료에 흩어짐이 없어 구간의 폭이 0입니다. 확실하다는 뜻은 아닙니다",
    "the data show no spread, so the interval has no width; that is not certainty",
)


@dataclass(frozen=True)
class Figure:
    """A number, its 95 % interval and the count behind it; or no number, and why.

    `why` says why there is no value, `why_no_ci` why there is a value but no interval, `note` what the
    reader must know, and `details` holds what belongs to the figure (weights, degrees of freedom, seed).

    >>> Figure(0.5, n=12, ci95=(0.2, 0.8)).as_json()
    {'value': 0.5, 'ci95': [0.2, 0.8], 'n': 12}
    >>> undefined(Why("한 명뿐", "one rater"), n=3).as_json("ko")
    {'value': None, 'why': '한 명뿐', 'n': 3}
    """

    value: float | None
    n: int
    ci95: tuple[float, float] | None = None
    why: Why | None = None
    why_no_ci: Why | None = None
    note: Why | None = None
    details: Mapping[str, Any] = field(default_factory=dict)

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """The figure for machines, its words in one language."""
        said: dict[str, Any] = {"value": self.value}
        if self.value is None:
            said["why"] = self.why.say(lang) if self.why else ""
        elif self.ci95:
            said["ci95"] = list(self.ci95)
        elif self.why_no_ci:
            said |= {"ci95": None, "why_no_ci": self.why_no_ci.say(lang)}
        said["n"] = self.n
        if self.note:
            said["note"] = self.note.say(lang)
        return said | {name: as_json(detail, lang) for name, detail in self.details.items()}


def as_json(thing: Any, lang: Lang = "en") -> Any:
    """Figures, sentences and containers of them as what JSON can hold.

    >>> as_json({"why": Why("없음", "none"), "at": (1, 2)})
    {'why': 'none', 'at': [1, 2]}
    """
    if isinstance(thing, Why):
        return thing.say(lang)
    if hasattr(thing, "as_json"):
        return thing.as_json(lang)
    if isinstance(thing, Mapping):
        return {str(key): as_json(value, lang) for key, value in thing.items()}
    if isinstance(thing, list | tuple):
        return [as_json(value, lang) for value in thing]
    return thing


def undefined(why: Why, n: int, **details: Any) -> Figure:
    """A figure without a value, and the reason."""
    return Figure(None, n, why=why, details=details)


def figure(
    value: float,
    n: int,
    ci95: tuple[float, float] | None = None,
    why_no_ci: Why | None = None,
    note: Why | None = None,
    **details: Any,
) -> Figure:
    """A figure of a computed value: what is not a finite number becomes undefined, never NaN or infinity.

    >>> figure(float("nan"), n=3).why.en
    'the values are too large or too small to be computed in double precision'
    """
    if not math.isfinite(value):
        return undefined(OVERFLOW, n, **details)
    if ci95 is not None:
        low, high = float(ci95[0]), float(ci95[1])
        if not (math.isfinite(low) and math.isfinite(high)):
            return Figure(float(value), n, None, None, why_no_ci or OVERFLOW, note, details)
        if low == high and note is None:
            note = NO_WIDTH
        ci95 = (low, high)
    return Figure(float(value), n, ci95, None, why_no_ci if ci95 is None else None, note, details)
