"""Classes whose fields never change: what `@dataclass(frozen=True)` makes, in a fifth of its time.

A command makes a hundred to two hundred such classes before it does anything, and for each of them `dataclasses`
compiles six functions. Only the first needs code of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, FrozenInstanceError, dataclass, field, fields
from operator import attrgetter
from reprlib import recursive_repr
from types import MethodType
from typing import Any, NoReturn, TypeVar, dataclass_transform

Class = TypeVar("Class")
Method = Callable[..., Any]


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: type[Class]) -> type[Class]:
    """The class as a dataclass that can neither be changed nor extended by fields; its own methods stay.

    >>> @frozen
    ... class Point:
    ...     x: int
    ...     y: int = 0
    >>> Point(1), Point(1) == Point(1, 0), Point(1) in {Point(1)}
    (Point(x=1, y=0), True, True)
    >>> Point(1).x = 2
    Traceback (most recent call last):
    ...
    dataclasses.FrozenInstanceError: cannot assign to field 'x'
    """
    # Where a class has an `__eq__` of its own, Python has set its `__hash__` to None.
    own = {name for name, member in vars(cls).items() if member is not None}
    dataclass(init=False, repr=False, eq=False)(cls)
    methods = {"__init__": _Init(cls), "__repr__": _repr, "__setattr__": _assign, "__delattr__": _delete}
    for name, method in (methods | _comparison(cls)).items():
        if name not in own:
            setattr(cls, name, method)
    return cls


class _Init:
    """An `__init__` that is made when it is first asked for: of the classes of a module a command needs a few."""

    def __init__(self, cls: type) -> None:
        self._cls = cls

    def __get__(self, one: object, _owner: type) -> Method:
        made = _init(self._cls)
        self._cls.__init__ = made  # type: ignore[misc]
        return made if one is None else MethodType(made, one)


def _init(cls: type) -> Method:
    """What sets every field once, past `__setattr__`."""
    known: dict[str, Any] = {"_set": object.__setattr__, "_not_given": MISSING, "_made": {}}
    given, lines = ["self"], []
    for one in fields(cls):
        name = one.name
        if one.default_factory is not MISSING:
            known["_made"][name] = one.default_factory
            given.append(f"{name}=_not_given")
            lines.append(f" if {name} is _not_given: {name} = _made[{name!r}]()")
        elif one.default is not MISSING:
            known[name] = one.default
            given.append(f"{name}={name}")
        else:
            given.append(name)
        lines.append(f" _set(self, {name!r}, {name})")
    if hasattr(cls, "__post_init__"):
        lines.append(" self.__post_init__()")
    exec("\n".join([f"def __init__({', '.join(given)}):", *lines, " return"]), known)  # noqa: S102 - names of fields alone
    init: Method = known["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    init.__annotations__ = {one.name: one.type for one in fields(cls)} | {"return": None}
    return init


def _comparison(cls: type) -> dict[str, Method]:
    """Equal are two of one class with equal fields."""
    names = [one.name for one in fields(cls) if one.compare]
    # Of a single name, attrgetter gives the value itself, which may be an array or not a number.
    values: Method = (
        attrgetter(*names) if len(names) > 1 else lambda self: tuple(getattr(self, name) for name in names)
    )

    def equal(self: object, other: object) -> bool:
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    return {"__eq__": equal, "__hash__": lambda self: hash(values(self))}


@recursive_repr()
def _repr(self: Any) -> str:
    shown = (f"{one.name}={getattr(self, one.name)!r}" for one in fields(self) if one.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _assign(_self: object, name: str, _value: object) -> NoReturn:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _delete(_self: object, name: str) -> NoReturn:
    raise FrozenInstanceError(f"cannot delete field {name!r}")
