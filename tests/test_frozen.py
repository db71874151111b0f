"""A frozen class is what `@dataclass(frozen=True)` makes of the same fields, and no module takes the slow way."""

import math
import pickle
import re
from collections.abc import Callable
from dataclasses import FrozenInstanceError, asdict, dataclass, field, fields, replace
from inspect import signature
from pathlib import Path
from typing import ClassVar, get_type_hints

import pytest

import haechi
from haechi.frozen import frozen


def _made(decorator: Callable[[type], type]) -> type:
    @decorator
    class Thing:
        """Fields of every kind that the project has."""

        kind: ClassVar[str] = "plain"
        name: str
        size: float = 1.0
        parts: list[str] = field(default_factory=list)
        note: str = field(default="", compare=False, repr=False)

    return Thing


OURS, THEIRS = _made(frozen), _made(dataclass(frozen=True))


@frozen
class Named(OURS):
    """A class that inherits fields, checks them, and shows itself in its own way."""

    last: int = 0

    def __post_init__(self) -> None:
        if self.last < 0:
            raise ValueError("last")

    def __repr__(self) -> str:
        return f"<{self.name}>"


def test_like_a_dataclass():
    one, other = OURS("a", note="x"), THEIRS("a", note="x")
    assert repr(one) == repr(other) == "_made.<locals>.Thing(name='a', size=1.0, parts=[])"
    assert asdict(one) == asdict(other)
    assert [it.name for it in fields(OURS)] == [it.name for it in fields(THEIRS)]
    assert get_type_hints(OURS.__init__) == get_type_hints(THEIRS.__init__)
    assert [*signature(OURS).parameters] == [*signature(THEIRS).parameters]
    assert OURS.__match_args__ == THEIRS.__match_args__
    assert one.parts is not OURS("a").parts


def test_compared_by_fields():
    assert OURS("a", note="x") == OURS("a", note="y") != OURS("b")
    assert OURS("a") != THEIRS("a")
    assert hash(OURS("a", parts=())) == hash(OURS("a", parts=(), note="y"))
    with pytest.raises(TypeError, match="unhashable"):
        hash(OURS("a"))
    assert OURS("a", math.nan) == OURS("a", math.nan)  # the same number that is none, as in a dataclass


def test_nothing_changes():
    one = OURS("a")
    for act in (
        lambda: setattr(one, "size", 2.0),
        lambda: setattr(one, "new", 1),
        lambda: delattr(one, "size"),
    ):
        with pytest.raises(FrozenInstanceError):
            act()
    assert replace(one, size=2.0).size == 2.0
    assert pickle.loads(pickle.dumps(Named("a", 2.0))) == Named("a", 2.0)


def test_inherited():
    one = Named("a", last=3)
    assert (one.name, one.parts, one.last, repr(one)) == ("a", [], 3, "<a>")
    assert one == Named("a", last=3) != Named("a")
    with pytest.raises(ValueError, match="last"):
        Named("a", last=-1)
    with pytest.raises(
        TypeError, match=re.escape("Named.__init__() missing 1 required positional argument: 'name'")
    ):
        Named()


def test_single_and_no_fields():
    @frozen
    class One:
        value: float

    @frozen
    class Empty:
        pass

    assert One(math.nan) == One(math.nan)
    assert Empty() == Empty()
    assert {One(1.0), One(1.0)} == {One(1.0)}


def test_the_only_way():
    """Each class made by `dataclass(frozen=True)` costs every command a quarter of a millisecond."""
    modules = Path(haechi.__file__).parent.rglob("*.py")
    slow = [path.name for path in modules if re.search(r"^@dataclass\(frozen", path.read_text("utf-8"), re.M)]
    assert slow == []
