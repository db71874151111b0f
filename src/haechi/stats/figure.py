"""What every statistic returns: a figure with its interval and count, or the reason why there is none."""

from __future__ import annotations

import html
import math
import re
from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal, NamedTuple

from haechi.frozen import frozen

Lang = Literal["ko", "en"]
_PLACE = re.compile(r"^(.?[<>=^])?[-+ ]?z?#?0?(\d*)")


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
    "자료에 산포가 없어 구간을 구할 수 없습니다. 확실하다는 뜻은 아닙니다",
    "the data show no spread, so there is no interval; that is not certainty",
)


@frozen
class Figure:
    """A number, its 95 % interval and the count behind it; or no number, and why.

    It can be used as a number: `float(figure)`, `figure > 0.7`, `f"{figure:.3f}"`. One without a value is no number:
    the first two raise ValueError with the reason, the last writes –. Two figures are equal when all of them is.

    `why` says why there is no value, `why_no_ci` why there is a value but no interval, `note` what the
    reader must know, and `details` holds what belongs to the figure (weights, degrees of freedom, seed).

    >>> Figure(0.5, n=12, ci95=(0.2, 0.8)).as_json()
    {'value': 0.5, 'ci95': [0.2, 0.8], 'n': 12}
    >>> Figure(0.741, n=12, ci95=(0.47, 0.92)), float(Figure(0.5, n=12)), Figure(0.5, n=12) > 0.7
    (0.74 [0.47, 0.92], 0.5, False)
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

    def __float__(self) -> float:
        if self.value is None:
            why = f"{self.why.ko} · {self.why.en}" if self.why else "값이 없습니다 · there is no value"
            raise ValueError(why)
        return self.value

    def __lt__(self, other: Figure | float) -> bool:
        return float(self) < float(other)

    def __le__(self, other: Figure | float) -> bool:
        return float(self) <= float(other)

    def __gt__(self, other: Figure | float) -> bool:
        return float(self) > float(other)

    def __ge__(self, other: Figure | float) -> bool:
        return float(self) >= float(other)

    def __format__(self, spec: str) -> str:
        if not spec:
            return repr(self)
        if self.value is not None:
            return format(self.value, spec)
        align, width = _PLACE.findall(spec)[0]  # the rest of a format is for numbers only
        return format("–", f"{align.replace('=', '>') or '>'}{width}")

    def __repr__(self) -> str:
        if self.value is None:
            return f"– ({self.why.en})" if self.why else "–"
        # Two digits behind the point; more where these would all be 0.
        digits = max(2, 1 - math.floor(math.log10(abs(self.value)))) if self.value else 2
        ends = f" [{self.ci95[0]:.{digits}f}, {self.ci95[1]:.{digits}f}]" if self.ci95 else ""
        return f"{self.value:.{digits}f}{ends}"

    def _repr_html_(self) -> str:
        """For notebooks: the figure, its count, and why there is no value or no interval."""
        whys = [why for why in (self.why, self.why_no_ci, self.note) if why]
        said = [
            "–" if self.value is None else repr(self),
            f"n = {self.n:,}",
            *(f"{w.ko} · {w.en}" for w in whys),
        ]
        return f"<b>{html.escape(said[0])}</b> <small>{html.escape('; '.join(said[1:]))}</small>"

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
        if low == high:
            return Figure(float(value), n, None, None, NO_WIDTH, note, details)
        ci95 = (low, high)
    return Figure(float(value), n, ci95, None, why_no_ci if ci95 is None else None, note, details)
