"""Numbers on the command line; a wrong one is refused with what was found and what is expected."""

from __future__ import annotations

import argparse
import math

from haechi.text import Text

_MOST = 1_000_000_000
LARGEST_SEED = 2**63 - 1


def count(text: str) -> int:
    """A whole number of 1 or more.

    >>> count("8")
    8
    """
    try:
        value = int(text)
    except ValueError:
        value = 0
    if not 1 <= value <= _MOST:
        raise refused(text, Text("1 이상의 정수", "a whole number, 1 or more"))
    return value


def seed(text: str) -> int:
    """The seed of random numbers: a whole number of 0 or more.

    >>> seed("2026")
    2026
    """
    if (
        not (text.isascii() and text.isdecimal())
        or len(text) > len(str(LARGEST_SEED))
        or int(text) > LARGEST_SEED
    ):
        raise refused(text, Text("0 이상의 정수", "a whole number, 0 or more"))
    return int(text)


def amount(text: str) -> float:
    """A number above 0, such as dollars or seconds.

    >>> amount("0.5")
    0.5
    """
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value <= _MOST:  # also false for what is no number, NaN
        raise refused(text, Text("0보다 큰 수", "a number above 0"))
    return value


def number(text: str) -> float:
    """Any finite number.

    >>> number("-2.5")
    -2.5
    """
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise refused(text, Text("수", "a number"))
    return value


def share(text: str) -> float:
    """A number from 0 to 1.

    >>> share("0.2")
    0.2
    """
    value = number(text)
    if not 0 <= value <= 1:
        raise refused(text, Text("0에서 1 사이의 수", "a number from 0 to 1"))
    return value


def share_above_0(text: str) -> float:
    """A number above 0, at most 1.

    >>> share_above_0("0.8")
    0.8
    """
    value = number(text)
    if not 0 < value <= 1:
        raise refused(text, Text("0보다 크고 1 이하인 수", "a number above 0, at most 1"))
    return value


def refused(found: str, expected: Text) -> argparse.ArgumentTypeError:
    """The error of an argument.

    >>> "'0'" in str(refused("0", Text("1 이상의 정수", "1 or more")))
    True
    """
    shown = repr(found[:80])
    return argparse.ArgumentTypeError(
        Text(f"{shown} — 필요한 값: {expected.ko}", f"found {shown}; expected {expected.say('en')}").say()
    )
