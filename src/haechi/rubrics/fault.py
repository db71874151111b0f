"""What is wrong with a part of a rubric or with a value, said in both languages."""

from __future__ import annotations

from haechi.text import Text


class Fault(ValueError):
    """Something that does not fit: what was found, what is expected, and the place below the checked part.

    >>> str(Fault("90", Text("합이 100인 가중치", "weights that sum to 100"), at=("weights",)))
    'weights that sum to 100, not 90'
    """

    def __init__(self, found: str | Text, expected: Text, at: tuple[str | int, ...] = ()) -> None:
        super().__init__(f"{expected.say('en')}, not {found.say('en') if isinstance(found, Text) else found}")
        self.found = found
        self.expected = expected
        self.at = at


def shorten(value: object) -> str:
    """A value as it was found, cut to the length of a line.

    >>> shorten("x" * 100)[-5:], shorten([1, 2])
    ('xxxx…', 'list')
    """
    if isinstance(value, int) and value.bit_length() > 1024:
        return "∞"  # Python refuses to write out integers of many thousand digits
    text = type(value).__name__ if isinstance(value, dict | list | tuple) else str(value)
    return text if len(text) <= 80 else text[:79] + "…"
