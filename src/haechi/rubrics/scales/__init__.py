"""The kinds of scales: one file each and one line here; an installed package may bring more.

A package brings a kind by an entry point in the group `haechi.scales` whose name is the kind's `type`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, get_args

from pydantic import BeforeValidator, SerializeAsAny

from haechi.errors import HaechiError
from haechi.rubrics.fault import Fault, shorten
from haechi.rubrics.scales.bands import Band, Bands, Interval
from haechi.rubrics.scales.base import Choice, Element, Explained, Say, Scale, Shown, number_within
from haechi.rubrics.scales.binary import MET_OR_UNMET, Binary
from haechi.rubrics.scales.checklist import Checklist
from haechi.rubrics.scales.formula import Computed
from haechi.rubrics.scales.likert import Likert
from haechi.rubrics.scales.text import Open
from haechi.rubrics.scales.verdict import Label, Verdict
from haechi.rubrics.values import Level, Number, Off, Words
from haechi.text import Text

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = [
    "MET_OR_UNMET",
    "AnyScale",
    "Band",
    "Bands",
    "Binary",
    "Checklist",
    "Choice",
    "Computed",
    "Element",
    "Explained",
    "Interval",
    "Label",
    "Level",
    "Likert",
    "Number",
    "Off",
    "Open",
    "Say",
    "Scale",
    "Shown",
    "Verdict",
    "Words",
    "number_within",
    "scale_kinds",
]

_OWN: Mapping[str, type[Scale]] = {
    "likert": Likert,
    "binary": Binary,
    "checklist": Checklist,
    "verdict": Verdict,
    "bands": Bands,
    "formula": Computed,
    "text": Open,
}
_GROUP = "haechi.scales"


def scale_kinds() -> tuple[str, ...]:
    """The types of scales that a rubric may use, with those of installed packages.

    >>> scale_kinds()[:3]
    ('likert', 'binary', 'checklist')
    """
    from importlib.metadata import entry_points

    return tuple(dict.fromkeys([*_OWN, *sorted(entry_points(group=_GROUP).names)]))


@lru_cache(64)
def _kind(name: str) -> type[Scale] | None:
    """The class of a kind of scales; None if there is no such kind."""
    if name in _OWN:
        return _OWN[name]
    # Asked only about a type that is not our own: looking through all installed packages takes a while.
    from importlib.metadata import entry_points

    brought = tuple(entry_points(group=_GROUP, name=name))
    if len(brought) > 1:
        packages = ", ".join(_package(point) for point in brought)
        one = Text(f"{name}을(를) 제공하는 패키지 하나", f"one package that brings {name}")
        todo = Text("나머지를 제거하세요", "uninstall the others")
        raise HaechiError.of(f"{_GROUP}: {name}", packages, one, todo)
    return _loaded(brought[0]) if brought else None


def _loaded(point: EntryPoint) -> type[Scale]:
    kind: Any
    try:
        kind = point.load()
    except Exception as error:  # noqa: BLE001 - whatever somebody else's package does when it is imported
        kind = f"{type(error).__name__}: {error}"
    if not (isinstance(kind, type) and issubclass(kind, Scale)):
        scale = f"{Scale.__module__}.{Scale.__name__}"
        expected = Text(f"{scale}의 하위 클래스", f"a subclass of {scale}")
    elif get_args(kind.model_fields["type"].annotation) != (point.name,):
        expected = Text(f'type: Literal["{point.name}"]')
    else:
        return kind
    package = _package(point)
    todo = Text(f"패키지 {package}을(를) 고치거나 제거하세요", f"mend or uninstall the package {package}")
    raise HaechiError.of(f"{_GROUP}: {point.name} = {point.value}", shorten(kind), expected, todo)


def _package(point: EntryPoint) -> str:
    return point.dist.name if point.dist is not None else point.value


def _read(given: Any) -> Any:
    """A scale as it is written in a rubric; its `type` says which kind reads it."""
    if isinstance(given, Scale) or not isinstance(given, dict):
        return given
    name = given.get("type")
    if name is None:
        raise Fault(Text("type 없음", "no type"), Text("`type:`", "`type:`"))
    kind = _kind(name) if isinstance(name, str) else None
    if kind is None:
        known = ", ".join(f"'{one}'" for one in scale_kinds())
        raise Fault(shorten(name), Text(f"다음 중 하나: {known}", f"one of {known}"))
    return kind.model_validate(given)


AnyScale = Annotated[SerializeAsAny[Scale], BeforeValidator(_read)]
"""A scale of whatever kind, where a part of a rubric has one."""
