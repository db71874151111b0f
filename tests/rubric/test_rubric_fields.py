"""What is written for a field is read by its annotation, or refused with what was expected."""

from __future__ import annotations

import math
import pickle
import subprocess
import sys
from typing import Annotated, Any, Literal

import pytest

from haechi.rubrics import find_rubric
from haechi.rubrics.fault import Faults
from haechi.rubrics.fields import Frozen, Many


class Part(Frozen):
    yes: bool = False
    whole: dict[int, str] | None = None
    number: float = 0.0
    either: str | float | None = None
    digit: Literal[0, 1] = 0
    names: Annotated[tuple[str, ...], Many(1, 2)] = ("a",)


@pytest.mark.parametrize(
    ("field", "given", "read"),
    [
        ("yes", "Yes", True), ("yes", 0, False), ("yes", 1.0, True), ("yes", "off", False),
        ("whole", {"1.0": "x", " 2 ": "y", 3.0: "z", True: "t"}, {1: "t", 2: "y", 3: "z"}),
        ("whole", {"1_000": "x"}, {1000: "x"}),
        ("number", "1e3", 1000.0), ("number", True, 1.0), ("number", " .5 ", 0.5), ("number", math.inf, math.inf),
        ("either", "5", "5"), ("either", 5, 5.0), ("either", None, None),
        ("digit", True, 1), ("digit", 0.0, 0),
        ("names", ["a", "b"], ("a", "b")),
    ],
)  # fmt: skip
def test_what_is_read(field: str, given: Any, read: Any) -> None:
    found = getattr(Part.checked({field: given}), field)
    assert (found, repr(found)) == (read, repr(read))


@pytest.mark.parametrize(
    ("field", "given", "said"),
    [
        ("yes", "maybe", ["yes: true or false, not maybe"]),
        ("yes", 2, ["yes: true or false, not 2"]),
        ("whole", {"１": "x"}, ["whole.１: a whole number, not １"]),
        ("whole", {1.5: 7}, ["whole.1.5: a whole number, not 1.5", "whole.1.5: a text (numbers and yes/no in quotes), not 7"]),
        ("whole", {math.inf: "x"}, ["whole.inf: a finite number, not inf"]),
        ("whole", {"9" * 5000: "x"}, [f"whole.{'9' * 5000}: a whole number, not {'9' * 79}…"]),
        ("whole", [], ["whole: a mapping (`key: value`), not list"]),
        ("number", "１", ["number: a number, not １"]),
        ("number", "1__0", ["number: a number, not 1__0"]),
        ("number", 10**400, ["number: a finite number, not ∞"]),
        ("either", [], ["either: a text (numbers and yes/no in quotes), not list", "either: a number, not list"]),
        ("digit", "1", ["digit: one of 0, 1, not 1"]),
        ("names", "ab", ["names: a list (`- …`), not ab"]),
        ("names", [], ["names: at least 1 entries, not 0 entries"]),
        ("names", ["a"] * 3, ["names: at most 2 entries, not 3 entries"]),
        ("names", [1, "b", 2], [f"names.{n}: a text (numbers and yes/no in quotes), not {one}" for n, one in ((0, 1), (2, 2))]),
    ],
)  # fmt: skip
def test_what_is_refused(field: str, given: Any, said: list[str]) -> None:
    with pytest.raises(Faults) as caught:
        Part.checked({field: given})
    assert str(caught.value) == "; ".join(said)


def test_a_part_does_not_change_and_equals_its_copy() -> None:
    rubric = find_rubric("hiring-agent")
    with pytest.raises(AttributeError):
        rubric.id = "other"  # type: ignore[misc]
    with pytest.raises(AttributeError):
        del rubric.id
    copy = pickle.loads(pickle.dumps(rubric))
    assert copy == rubric
    assert copy.version == rubric.version
    assert copy != rubric.but(id="other")
    assert len({Part(names=["a", "b"]).names, Part(names=("a", "b")).names}) == 1


def test_reading_a_rubric_imports_neither_pydantic_nor_polars() -> None:
    code = "import sys, haechi; haechi.rubric('ubica').version; print([m for m in ('pydantic', 'polars', 'numpy') if m in sys.modules])"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"
