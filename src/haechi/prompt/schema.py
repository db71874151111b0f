"""The strict JSON schema of a judge's reply.

Only what OpenAI's strict mode, Anthropic's output format and Gemini's response schema all accept: objects
that are closed and require every property, strings, integers, numbers and enumerations. Lengths and ranges
are refused by some of them, so the length of evidence is said in the description, and as `maxLength` only
where a server is known to take it. Everything is written out, without references: their support differs.

Judges reason best before they decide, so evidence comes before the value. An instrument that shows an example
of its own reply (the elements' `example`) is kept as it was written and validated: value, then evidence.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from haechi.prompt.naming import asked_parts
from haechi.rubrics import Rateable, Rubric
from haechi.text import Lang, Text

EVIDENCE_LIMIT = 500
_EVIDENCE = Text(
    f"판단의 근거, {EVIDENCE_LIMIT}자 이내", f"The reason for the value, at most {EVIDENCE_LIMIT} characters"
)


def schema(
    rubric: Rubric, only: Collection[str] | None = None, lang: Lang = "ko", max_length: bool = False
) -> dict[str, Any]:
    """The schema of a reply to a rubric, or to the part of it that is asked.

    >>> import haechi
    >>> one = schema(haechi.rubrics.find_rubric("diary-comment"), only=("sympathy",))
    >>> one["properties"]["sympathy"]["properties"]["value"]
    {'type': 'integer', 'enum': [0, 1]}
    """
    evidence: dict[str, Any] = {"type": "string", "description": _EVIDENCE.say(lang)}
    if max_length:
        evidence["maxLength"] = EVIDENCE_LIMIT
    parts: dict[str, Any] = {}
    checklists: dict[str, dict[str, Any]] = {}
    for rateable in asked_parts(rubric, only).values():
        criterion, element = rateable.criterion, rateable.element
        if criterion is None:
            continue
        if element is not None:
            elements = checklists.setdefault(criterion.key, {})
            elements[element.key] = _answer(rateable, evidence)
            parts[criterion.key] = _closed(elements)
        else:
            counted = rateable.scale.counted
            parts[criterion.key] = _answer(rateable, evidence) if counted else rateable.scale.value_schema()
    return _closed(parts)


def value_first(rateable: Rateable) -> bool:
    """Whether the instrument's own reply format puts the value before its evidence."""
    return rateable.element is not None and rateable.element.example is not None


def _answer(rateable: Rateable, evidence: dict[str, Any]) -> dict[str, Any]:
    value = rateable.scale.value_schema()
    if value_first(rateable):
        return _closed({"value": value, "evidence": evidence})
    return _closed({"evidence": evidence, "value": value})


def _closed(properties: dict[str, Any]) -> dict[str, Any]:
    """An object of exactly these properties; Gemini writes them in the order of `required`."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
