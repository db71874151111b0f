"""What is wrong with a part of a rubric or with a value, said in both languages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from haechi.text import Text, cut

FieldPath = tuple[object, ...]
"""The way to a part: keys and places in lists, from the outside in."""


class Fault(ValueError):
    """Something that does not fit: what was found, what is expected, and the place below the checked part.

    >>> str(Fault("90", Text("합이 100인 가중치", "weights that sum to 100"), at=("weights",)))
    'weights that sum to 100, not 90'
    """

    def __init__(self, found: str | Text, expected: Text, at: FieldPath = ()) -> None:
        super().__init__(f"{expected.say('en')}, not {found.say('en') if isinstance(found, Text) else found}")
        self.found = found
        self.expected = expected
        self.at = at

    def below(self, place: FieldPath) -> Fault:
        """The same fault, seen from further outside."""
        return Fault(self.found, self.expected, (*place, *self.at))


class Faults(ValueError):
    """All that does not fit in a part of a rubric."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        super().__init__("; ".join(f"{'.'.join(map(str, fault.at))}: {fault}" for fault in faults))
        self.faults = tuple(faults)


class FaultNotes:
    """Collects faults, so that all mistakes of a rubric are shown at once and not one at a time.

    >>> noted = FaultNotes()
    >>> with noted.at("weights", given=90):
    ...     raise Fault("90", Text("100"))
    >>> noted.stop()
    Traceback (most recent call last):
    ...
    haechi.rubrics.fault.Faults: weights: 100, not 90
    """

    def __init__(self) -> None:
        self.faults: list[Fault] = []

    @contextmanager
    def at(self, *place: object, given: object) -> Iterator[None]:
        """Note what is wrong with what is `given` at a place, and go on."""
        try:
            yield
        except Faults as several:
            self.faults += [fault.below(place) for fault in several.faults]
        except Fault as fault:
            self.faults.append(fault.below(place))
        except ValueError as error:  # of a scale that another package brings
            self.faults.append(Fault(shorten(given), Text(str(error)), place))

    def stop(self) -> None:
        """Raise what was noted, if anything was."""
        if self.faults:
            raise Faults(self.faults)


def shorten(value: object) -> str:
    """A value as it was found, cut to the length of a line.

    >>> shorten("x" * 100)[-5:], shorten([1, 2])
    ('xxxx…', 'list')
    """
    if isinstance(value, int) and value.bit_length() > 1024:
        return "∞"  # Python refuses to write out integers of many thousand digits
    text = type(value).__name__ if isinstance(value, dict | list | tuple) else str(value)
    return cut(text, 80)
