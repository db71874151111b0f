"""How numbers are written for people, in tables, sentences and pictures alike; files for programs have plain numbers."""

from __future__ import annotations

from typing import Literal

NumberKind = Literal["words", "count", "score", "coefficient", "share", "p"]
"""What a number is: agreement and correlation are coefficients; what has a unit, and effect sizes, are scores."""
_DIGITS: dict[NumberKind, int] = {"coefficient": 2, "score": 2, "p": 3}
NOTHING = "–"


def number(value: float, kind: NumberKind = "score", digits: int | None = None) -> str:
    """A number for the eye: a coefficient without its leading zero, a share in per cent, a minus that is one.

    >>> number(0.294, "coefficient"), number(3.468), number(-0.1, "coefficient"), number(-0.001), number(1.0, "coefficient")
    ('.29', '3.47', '−.10', '0.00', '1.00')
    >>> number(0.625, "share"), number(1234, "count"), number(0.0004, "p"), number(0.2, "p")
    ('62 %', '1,234', '< .001', '.200')
    """
    if kind == "p" and value < 0.001:
        return "< .001"
    if kind == "p" and value > 0.999:
        return "> .999"
    if kind == "share":
        return f"{unit_free(value, kind)} %"
    return unit_free(value, kind, digits)


def unit_free(value: float, kind: NumberKind, digits: int | None = None) -> str:
    """A number as it stands in the brackets of an interval, where a unit is not said again.

    >>> unit_free(0.45, "share"), unit_free(-2.5, "score")
    ('45', '−2.50')
    """
    if kind in ("count", "share"):
        return f"{value * 100 if kind == 'share' else value:z,.0f}".replace("-", "−")
    text = f"{value:z,.{_DIGITS.get(kind, 2) if digits is None else digits}f}"
    if kind != "score" and text.lstrip("-").startswith("0."):
        text = text.replace("0.", ".", 1)
    return text.replace("-", "−")


def scale_end(value: float, places: int = 2) -> str:
    """An end of a scale: whole numbers as they are, others to two places.

    >>> scale_end(40.0), scale_end(1 / 6), scale_end(-2.5), scale_end(2e9)
    ('40', '0.17', '−2.5', '2,000,000,000')
    """
    text = f"{value:z,.{places}f}"
    return text.rstrip("0").rstrip(".").replace("-", "−")


def span(low: float, high: float, places: int = 2) -> str:
    """A stretch of a scale; a minus and a dash side by side would be read as one.

    >>> span(1, 5), span(-3, 3)
    ('1–5', '−3 ~ 3')
    """
    dash = " ~ " if min(low, high) < 0 else "–"
    return f"{scale_end(low, places)}{dash}{scale_end(high, places)}"


def p_value(p: float | None) -> str:
    """A p-value as it is written in papers.

    >>> p_value(0.00012), p_value(0.034), p_value(None)
    ('< .001', '.034', '–')
    """
    return NOTHING if p is None else number(p, "p")


def p_words(name: str, p: float | None) -> str:
    """A p-value in a sentence.

    >>> p_words("p", 0.0001), p_words("p", 0.5), p_words("p", 1.0)
    ('p < .001', 'p = .500', 'p > .999')
    """
    shown = p_value(p)
    return f"{name} {shown}" if shown.startswith(("<", ">")) else f"{name} = {shown}"


def percent(share: float) -> str:
    """A share for a sentence.

    >>> percent(0.257)
    '26 %'
    """
    return number(share, "share")


def shows_nothing(difference: float) -> bool:
    """Whether a difference is 0 in the digits that are printed, so that nothing is higher than anything.

    >>> shows_nothing(0.004), shows_nothing(-0.006)
    (True, False)
    """
    return number(abs(difference)) == number(0.0)
