"""The schema of replies: only what all three providers accept, in the order judges should think."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from mixed_rubric import mixed

from haechi.prompt.schema import schema
from haechi.rubrics import Rubric, builtin_ids, find_rubric

RUBRICS = [*(one for one in map(find_rubric, builtin_ids()) if one.rateables), mixed()]


def nodes(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield node
    for child in node.get("properties", {}).values():
        yield from nodes(child)


@pytest.mark.parametrize("rubric", RUBRICS, ids=lambda rubric: rubric.id)
def test_a_schema_is_within_the_common_subset(rubric: Rubric) -> None:
    for node in nodes(schema(rubric)):
        assert set(node) <= {"type", "properties", "required", "additionalProperties", "enum", "description"}
        if node["type"] == "object":
            assert node["additionalProperties"] is False
            assert node["required"] == list(node["properties"])


@pytest.mark.parametrize("rubric", RUBRICS, ids=lambda rubric: rubric.id)
def test_a_schema_asks_for_every_rating_once(rubric: Rubric) -> None:
    asked = []
    for key, part in schema(rubric)["properties"].items():
        flat = "value" in part.get("properties", {}) or part["type"] == "string"
        asked += [key] if flat else [f"{key}.{element}" for element in part["properties"]]
    assert asked == list(rubric.rateables)


def test_values_are_enumerated_by_their_scale() -> None:
    parts = schema(mixed())["properties"]
    assert parts["first_part"]["properties"]["clear"]["properties"]["value"] == {
        "type": "integer",
        "enum": [0, 1],
    }
    assert parts["warmth"]["properties"]["value"] == {"type": "integer", "enum": [1, 2, 3, 4, 5]}
    assert parts["outcome"]["properties"]["value"] == {"type": "string", "enum": ["SOLVED", "OPEN", "LOST"]}
    assert parts["polite"]["properties"]["value"] == {"type": "integer", "enum": [0, 1]}
    assert parts["comment"] == {"type": "string"}


def test_evidence_comes_first_unless_the_instrument_shows_its_own_reply() -> None:
    assert list(schema(mixed())["properties"]["warmth"]["properties"]) == ["evidence", "value"]
    element = schema(find_rubric("maice-qac"))["properties"]["A1_math_expertise"]["properties"][
        "concept_accuracy"
    ]
    assert list(element["properties"]) == ["value", "evidence"]


def test_the_length_of_evidence_is_a_keyword_only_on_request() -> None:
    strict = schema(find_rubric("diary-comment"))["properties"]["sympathy"]["properties"]["evidence"]
    local = schema(find_rubric("diary-comment"), max_length=True)["properties"]["sympathy"]["properties"][
        "evidence"
    ]
    assert "maxLength" not in strict
    assert "500" in strict["description"]
    assert local["maxLength"] == 500
