"""What a caller in Python may give: words, shares and counts, refused as the command line refuses them."""

from __future__ import annotations

from collections.abc import Collection

from haechi.errors import HaechiError, Problems
from haechi.text import Text


def check_word(given: str | None, known: Collection[str], name: str) -> None:
    """Refuse a word that is not one of those there are; None leaves it to the default.

    >>> check_word("holm", ("holm", "bh"), "correct")
    """
    if given is None or given in known:
        return
    names = ", ".join(known)
    expected = Text(f"다음 중 하나: {names}", f"one of {names}")
    raise HaechiError.of(name, repr(given), expected, _todo(name))


def check_share(given: float | None, name: str) -> None:
    """Refuse what does not lie between 0 and 1; None leaves it to the default.

    >>> check_share(0.2, "epsilon")
    """
    if given is None or 0 <= given <= 1:
        return
    raise HaechiError.of(name, f"{given:g}", Text("0에서 1 사이의 수", "a number from 0 to 1"), _todo(name))


def check_above_zero(**given: float | None) -> None:
    """Refuse what is 0 or less, by name, all at once; None leaves it to the default.

    >>> check_above_zero(rounds=2, limit=None)
    """
    expected = Text("0보다 큰 수", "a number above 0")
    problems = Problems()
    for name, value in given.items():
        if value is not None and not value > 0:
            problems.add(name, f"{value:g}", expected, _todo(name))
    problems.stop()


def _todo(name: str) -> Text:
    return Text(f"{name} 값을 고치세요", f"correct {name}")
