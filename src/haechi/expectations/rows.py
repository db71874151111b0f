"""The rows of an expectation: sentences under their number signs, wrapped ones joined, several in one row apart."""

from __future__ import annotations

import re

from haechi.expectations.sentence_parts import quoted_places
from haechi.regex import regex

_SIGN = regex(
    r"\s*((?:[-*•] )?\[[ xX]\]|[(（][0-9０-９]{1,3}[)）]|[0-9０-９]{1,3}[).:．）](?=\D)|\d{1,2}(?:[-.]\d{1,2})+[).]?(?=\s)"
    r"|[①-⑳❶-❿➀-➓㉠-㉭][.)]?|[-–—•·*▪◦‣●○■□▶☐✓✔](?!\*)|[가나다라마바사아자차카타파하a-z]\))\s*"
)
_COUNTED = regex(r"([(（]?)([0-9０-９]{1,3}|[①-⑳❶-❿➀-➓])([).:．）]?)")
_HEADING = regex(
    r"#.*|[\[【<《][^{}\"]*[\]】>》]\s*:?|\*\*[^*]*\*\*\s*:?|__[^_]*__\s*:?|[-=_*~\s]*|(?:해당 ?)?없음|none|n/?a",
    re.IGNORECASE,
)
_LEADS_ON = regex(r".*(?::|->|→|=>|⇒)\s*:?")
_BOLD = regex(r"(\*\*|__)(.+?)\1")
_FIRST = ("1)", "1.", "(1)", "①")


def numbered_rows(expected: str) -> list[tuple[str, str | None]]:
    """The lines with their number signs, wrapped ones joined; a heading has no sign, a sentence without any has ''.

    >>> numbered_rows("평가 요소:\\n1) 친절한가\\n2) 길이가\\n알맞은가")
    [('평가 요소:', None), ('친절한가', '1)'), ('길이가 알맞은가', '2)')]
    >>> numbered_rows("1) 친절한가 2) 알맞은가")
    [('친절한가', '1)'), ('알맞은가', '2)')]
    """
    rows = [part for line in expected.splitlines() for part in _apart(_plain(line.strip()))]
    numbered = any(_SIGN.match(row) and not _HEADING.fullmatch(row) for row in rows)
    found: list[tuple[str, str | None]] = []
    wraps = False
    for place, row in enumerate(rows):
        sign = _SIGN.match(row)
        if not row:
            wraps = False
        elif sign and sign.end() < len(row) and not _HEADING.fullmatch(row):
            following = next((_SIGN.match(later) for later in rows[place + 1 :] if later), None)
            deeper = following and _kind(following[1]) != _kind(sign[1])
            heads = deeper and is_heading(row[sign.end() :])
            found.append((row[sign.end() :], None if heads else sign[1]))
            wraps = not heads
        elif is_heading(row):
            found.append((row, None))
            wraps = False
        elif wraps and numbered:
            text, former = found[-1]
            found[-1] = (f"{text} {row}", former)
        elif numbered and not any(sign is not None for _, sign in found):
            found.append((row, None))  # what stands before the first number is a heading
        else:
            found.append((row, ""))
    return found


def is_heading(row: str) -> bool:
    """Whether a row only leads to others.

    >>> is_heading("[기대 결과]"), is_heading("평가 요소 ->:"), is_heading("답변이 친절한가")
    (True, True, False)
    """
    return bool(_HEADING.fullmatch(row.strip()) or _LEADS_ON.fullmatch(row.strip()))


def _plain(row: str) -> str:
    """A row without the signs of bold letters, unless these make it a heading."""
    inner = _BOLD.sub(r"\2", row)
    return row if _HEADING.fullmatch(row) and not _SIGN.match(inner) else inner


def _apart(row: str) -> list[str]:
    """The lines of a row in which several stand one behind the other, as exports without line breaks have them."""
    sign = _SIGN.match(row)
    counted = sign[1] if sign else next((one for one in _FIRST if _place_of(one, row, 0) > 0), None)
    parts: list[str] = []
    if counted is not None and sign is None:
        start = _place_of(counted, row, 0)
        if (later := _next(counted)) is None or _place_of(later, row, start) < 0:
            return [row]
        parts, row = [row[:start].strip()], row[start:]
    while counted is not None and (counted := _next(counted)) is not None:
        place = _place_of(counted, row, len(counted))
        if place < 0:
            break
        parts.append(row[:place].strip())
        row = row[place:]
    return [*parts, row]


def _next(sign: str) -> str | None:
    """The number sign after one; None where it is no number.

    >>> _next("1)"), _next("(2)"), _next("③"), _next("-")
    ('2)', '(3)', '④', None)
    """
    counted = _COUNTED.fullmatch(sign)
    if not counted:
        return None
    before, number, after = counted.groups()
    return f"{before}{int(number) + 1 if number.isdecimal() else chr(ord(number) + 1)}{after}"


def _place_of(sign: str, row: str, start: int) -> int:
    """Where a sign stands as one: behind a space and before a text, outside of quotes; -1 where it does not."""
    taken = quoted_places(row)
    for found in re.finditer(rf"(?<=\s){re.escape(sign)}(?=\s?[^\s\d])", row):
        if found.start() >= start and not any(a <= found.start() < b for a, b in taken):
            return found.start()
    return -1


def _kind(sign: str) -> str:
    """Number signs of one list are of one kind."""
    return re.sub(r"[①-⑳❶-❿➀-➓㉠-㉭]", "①", re.sub(r"\w+", "1", sign))
