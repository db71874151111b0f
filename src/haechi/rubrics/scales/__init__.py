"""The kinds of scales: one file each and one line here; an installed package may bring more.

A package brings a kind by an entry point in the group `haechi.scales` whose name is the kind's `type`.
"""

from __future__ import annotations

from typing import Annotated, Any, get_args

from haechi.plugins.registry import Registry
from haechi.rubrics.fault import Fault, shorten
from haechi.rubrics.scales.bands import Bands
from haechi.rubrics.scales.base import (
    Choice,
    Element,
    ExampleValue,
    Explained,
    NameScale,
    PointScale,
    Say,
    Scale,
    number_within,
)
from haechi.rubrics.scales.binary import MET_OR_UNMET, Binary
from haechi.rubrics.scales.checklist import Checklist, yes_or_no_questions
from haechi.rubrics.scales.formula import Computed
from haechi.rubrics.scales.likert import Likert
from haechi.rubrics.scales.number_range import Band, NumberRange
from haechi.rubrics.scales.own_criteria import OwnCriteria, OwnCriterion, line_key, points_words
from haechi.rubrics.scales.pairwise import Pairwise, side_said, turn_verdict
from haechi.rubrics.scales.text import Open
from haechi.rubrics.scales.verdict import Label, Verdict
from haechi.rubrics.values import Level, Number, Off, Words
from haechi.text import Text

__all__ = [
    "MET_OR_UNMET",
    "SCALES",
    "AnyScale",
    "Band",
    "Bands",
    "Binary",
    "Checklist",
    "Choice",
    "Computed",
    "Element",
    "ExampleValue",
    "Explained",
    "Label",
    "Level",
    "Likert",
    "NameScale",
    "Number",
    "NumberRange",
    "Off",
    "Open",
    "OwnCriteria",
    "OwnCriterion",
    "Pairwise",
    "PointScale",
    "Say",
    "Scale",
    "Verdict",
    "Words",
    "line_key",
    "number_within",
    "points_words",
    "side_said",
    "turn_verdict",
    "yes_or_no_questions",
]


def _misfit(name: str, found: Any) -> Text | None:
    if not (isinstance(found, type) and issubclass(found, Scale)):
        scale = f"{Scale.__module__}.{Scale.__name__}"
        return Text(f"{scale}의 하위 클래스", f"a subclass of {scale}")
    try:
        kind = found.fields()["type"].kind
    except (TypeError, NameError) as error:
        return Text(f"읽을 수 있는 항목({error})", f"fields that can be read ({error})")
    return None if get_args(kind) == (name,) else Text(f'type: Literal["{name}"]')


SCALES = Registry[type[Scale]](
    "haechi.scales",
    {
        "likert": Likert,
        "binary": Binary,
        "checklist": Checklist,
        "verdict": Verdict,
        "bands": Bands,
        "formula": Computed,
        "own-criteria": OwnCriteria,
        "text": Open,
        "pairwise": Pairwise,
    },
    _misfit,
)
"""The kinds of scales that a rubric may use, by their `type`."""


def _read(given: Any) -> Scale:
    """A scale as it is written in a rubric; its `type` says which kind reads it."""
    if isinstance(given, Scale) or not isinstance(given, dict):
        return Scale.checked(given)
    name = given.get("type")
    if name is None:
        raise Fault(Text("type 없음", "no type"), Text("`type:`", "`type:`"))
    kind = SCALES.get(name) if isinstance(name, str) else None
    if kind is None:
        known = ", ".join(f"'{one}'" for one in SCALES.names())
        raise Fault(shorten(name), Text(f"다음 중 하나: {known}", f"one of {known}"))
    return kind.checked(given)


AnyScale = Annotated[Scale, _read]
"""A scale of whatever kind, where a part of a rubric has one."""
