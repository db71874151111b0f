"""One check, and how a stranger's regex is tried."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

from haechi.expectations import paths
from haechi.expectations.meanings import Meaning, ValueTest
from haechi.frozen import frozen
from haechi.text import cut

LONGEST_NAME = 200
_NO_TEXT = "\ud800"  # equals nothing, since no payload that parses holds half a character
MatchedNames = dict[tuple[str, str], bool | None]
"""Whether a (pattern, text) matches; None as long as it has not been tried."""


class WrittenCheck(NamedTuple):
    """A check as it is written, for people to read: a key or a path, an operator and what is wanted."""

    key: str
    op: str
    value: Any


@frozen
class Check:
    """One check; `name` is how reports call it. Without `steps` and `meaning` it is broken and cannot pass.

    A value at `steps` passes if it is `text` or if the `test` says so, or matches the `pattern` of a regex; a
    `meaning` is asked of the whole payload. The checks of one `group` are asked of one and the same entry.
    """

    name: str
    weight: Fraction = Fraction(1)
    steps: paths.Steps | None = None
    test: ValueTest | None = None
    text: str = _NO_TEXT
    pattern: str | None = None
    meaning: Meaning | None = None
    group: int | None = None
    written: WrittenCheck | None = None


def broken_check(name: str, why: str, weight: Fraction = Fraction(1)) -> Check:
    """A check that cannot pass, and why."""
    return Check(f"{short_text(name)} ({why})", weight)


def short_text(text: str) -> str:
    """One line without the separator of several names, and not endless.

    >>> short_text("a;  b")
    'a, b'
    """
    line = " ".join(text.replace(";", ",").split())
    return cut(line, LONGEST_NAME)


def try_patterns(matched: MatchedNames) -> None:
    """Try every regex that was noted, all texts of a pattern at once.

    The engine is Rust's, which takes linear time: a stranger's pattern cannot make it backtrack forever.

    >>> noted = {("^(a+)+$", "a" * 40 + "b"): None, ("^(a+)+$", "aa"): None}
    >>> try_patterns(noted)
    >>> list(noted.values())
    [False, True]
    """
    texts: dict[str, list[str]] = {}
    for (pattern, text), known in matched.items():
        if known is None:
            texts.setdefault(pattern, []).append(text)
    for pattern, noted in texts.items():
        for text, found in zip(noted, search(pattern, noted), strict=True):
            matched[pattern, text] = bool(found)


def search(pattern: str, texts: list[str]) -> list[bool | None]:
    """Which texts the regex is found in; None when it does not compile.

    >>> search("^a", ["ab", "b"]), search("(", ["ab"])
    ([True, False], [None])
    """
    import polars as pl

    return pl.Series(texts, dtype=pl.String).str.contains(pattern, strict=False).to_list()
