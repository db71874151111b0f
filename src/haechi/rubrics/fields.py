"""The parts of a rubric as classes: the annotations of a class say how what is written in a file is read and checked."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache, partial
from types import UnionType
from typing import (
    Annotated,
    Any,
    ClassVar,
    Literal,
    NamedTuple,
    Self,
    Union,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
)

from haechi.rubrics.fault import Fault, FaultNotes, shorten
from haechi.rubrics.plain_fields import (
    MAPPING,
    PLAIN,
    Reader,
    any_reader,
    dict_of,
    list_of,
    one_of,
    or_nothing,
)
from haechi.text import Text

_REQUIRED = object()


class Many(NamedTuple):
    """How many entries a list or a mapping has: `Annotated[tuple[str, ...], Many(1, 200)]`."""

    least: int
    most: float = math.inf

    def check(self, entries: Any) -> Any:
        """The entries, if there are neither too few nor too many."""
        if self.least <= len(entries) <= self.most:
            return entries
        few = len(entries) < self.least
        limit = self.least if few else self.most
        expected = Text(
            f"{limit}개 {'이상' if few else '이하'}", f"at {'least' if few else 'most'} {limit} entries"
        )
        raise Fault(Text(f"{len(entries)}개", f"{len(entries)} entries"), expected)


class PartField(NamedTuple):
    """One field of a part: its annotation, how it is read, and what it is where nothing is given."""

    kind: Any
    read: Reader
    default: Any


@dataclass_transform(kw_only_default=True, frozen_default=True)
class Frozen:
    """A part of a rubric: every field is read by its annotation, unknown keys are refused, nothing changes afterwards.

    Annotations are `str`, `bool`, `int`, `float`, `Literal`, other parts, lists (`tuple[X, ...]`), mappings
    (`dict[K, V]`), and `|` of them. `Annotated` adds a `Reader` of its own, or `Many` entries.

    >>> class Weight(Frozen):
    ...     key: str
    ...     points: float = 1
    >>> Weight.checked({"key": "clarity", "points": 2})
    Weight(key='clarity', points=2.0)
    >>> Weight.checked({"points": "two", "size": 3})
    Traceback (most recent call last):
    ...
    haechi.rubrics.fault.Faults: key: `key:`, not no key; points: a number, not two; size: a key of the rubric format (docs/rubric-format.md), not unknown key size
    """

    known_keys: ClassVar[Text] = Text(
        "루브릭 형식의 키(docs/rubric-format.md)", "a key of the rubric format (docs/rubric-format.md)"
    )

    def __init__(self, **given: Any) -> None:
        self._read(given)

    def check(self) -> None:
        """Refuse fields that do not fit each other; a part that has such rules says so here, by a `Fault`."""

    @classmethod
    def checked(cls, given: object) -> Self:
        """What a mapping describes; what is such a part already is itself."""
        if isinstance(given, cls):
            return given
        if not isinstance(given, Mapping):
            raise Fault(shorten(given), MAPPING)
        part = cls.__new__(cls)
        part._read(given)
        return part

    @classmethod
    def unchecked(cls, **values: object) -> Self:
        """A part of these values as they are; what is not given is as by default."""
        part = cls.__new__(cls)
        defaults = {name: field.default for name, field in cls.fields().items()}
        part.__dict__.update({k: v for k, v in (defaults | values).items() if v is not _REQUIRED})
        return part

    @classmethod
    @cache
    def fields(cls) -> Mapping[str, PartField]:
        """The fields by name, in their order."""
        return {
            name: PartField(kind, _reader(kind), getattr(cls, name, _REQUIRED))
            for name, kind in get_type_hints(cls, include_extras=True).items()
            if get_origin(kind) is not ClassVar
        }

    def but(self, **values: object) -> Self:
        """The same with other values, unchecked."""
        return self.unchecked(**(self._values() | values))

    def as_json(self) -> dict[str, Any]:
        """The part as plain data, for machines and for the rubric's version."""
        return {name: _plain(value) for name, value in self._values().items()}

    def _read(self, given: Mapping[Any, Any]) -> None:
        noted, values, fields = FaultNotes(), {}, type(self).fields()
        for name, field in fields.items():
            if name in given:
                with noted.at(name, given=given[name]):
                    values[name] = field.read(given[name])
            elif field.default is _REQUIRED:
                absent = Text(f"{name} 없음", f"no {name}")
                noted.faults.append(Fault(absent, Text(f"`{name}:`", f"`{name}:`"), at=(name,)))
            else:
                values[name] = field.default
        for name in given:
            if name not in fields:
                unknown = Text(f"모르는 키 {shorten(name)}", f"unknown key {shorten(name)}")
                noted.faults.append(Fault(unknown, self.known_keys, at=(name,)))
        noted.stop()
        self.__dict__.update(values)
        with noted.at(given=given):
            self.check()
        noted.stop()

    def _values(self) -> dict[str, Any]:
        return {name: self.__dict__[name] for name in type(self).fields() if name in self.__dict__}

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: {name} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: {name} cannot be deleted")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._values() == other._values()

    def __hash__(self) -> int:
        return hash((type(self), *self._values().values()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self._values().items())})"


def _plain(value: Any) -> Any:
    if isinstance(value, Frozen):
        return value.as_json()
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items()}
    return [_plain(one) for one in value] if isinstance(value, tuple) else value


def _reader(kind: Any) -> Reader:
    """How a field of this annotation is read."""
    arguments = get_args(kind)
    match get_origin(kind):
        case None if kind in PLAIN:
            return PLAIN[kind]
        case None if isinstance(kind, type) and issubclass(kind, Frozen):
            return kind.checked
        case origin if origin is Annotated:
            return _annotated(*arguments)
        case origin if origin is Literal:
            return partial(one_of, arguments)
        case origin if origin is tuple and arguments[1:] == (...,):
            return partial(list_of, _reader(arguments[0]))
        case origin if origin is dict:
            return partial(dict_of, *map(_reader, arguments))
        case origin if origin in (Union, UnionType):
            readers = tuple(_reader(one) for one in arguments if one is not type(None))
            read = readers[0] if len(readers) == 1 else partial(any_reader, readers)
            return partial(or_nothing, read=read) if type(None) in arguments else read
    raise TypeError(f"{kind} cannot be read from a rubric")


def _annotated(kind: Any, *more: Any) -> Reader:
    if len(more) == 1 and isinstance(more[0], Many):
        read, many = _reader(kind), more[0]
        return lambda given: many.check(read(given))
    if len(more) == 1 and callable(more[0]):
        own: Reader = more[0]
        return own
    raise TypeError(f"{kind} with {more} cannot be read from a rubric")
