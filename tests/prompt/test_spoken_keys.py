"""Keys of a reply that are written as the prompt or a person writes them: read when they can mean one thing, and counted as repaired."""

import json

import pytest

from haechi.prompt.reply import parse
from haechi.rubrics import find_rubric

RUBRIC = find_rubric("maice-qac")
LABELS = {
    "key": lambda c, place, e: e.key,
    "number and key": lambda c, place, e: f"{c.score}-{place}. {e.key}",
    "number alone": lambda c, place, e: f"{c.score}-{place}",
    "Korean label": lambda c, place, e: e.name.ko,
    "number and label": lambda c, place, e: f"{c.score}-{place}. {e.name.ko}",
    "key and label": lambda c, place, e: f"{e.key} ({e.name.ko})",
    "list number": lambda c, place, e: f"{place}. {e.key}",
    "backticks": lambda c, place, e: f"`{e.key}`",
    "bold": lambda c, place, e: f"**{e.key}**",
}


def reply(spell, criteria=lambda c: c.key):
    return json.dumps(
        {
            criteria(c): {
                spell(c, place, e): {"value": place % 2, "evidence": "메시지[1]"}
                for place, e in enumerate(c.scale.parts, 1)
            }
            for c in RUBRIC.criteria
        },
        ensure_ascii=False,
    )


@pytest.mark.parametrize("name", LABELS)
def test_every_element_is_read(name):
    read = parse(reply(LABELS[name]), RUBRIC)
    values = {rating: given.value for rating, given in read.values.items()}
    expected = {
        f"{c.key}.{e.key}": str(place % 2)
        for c in RUBRIC.criteria
        for place, e in enumerate(c.scale.parts, 1)
    }
    assert values == expected
    assert read.repaired == (name != "key")


@pytest.mark.parametrize(
    "criteria", [lambda c: f"{c.score}. {c.name.ko}", lambda c: c.name.ko, lambda c: c.score]
)
def test_criteria_are_read_by_their_names(criteria):
    assert len(parse(reply(LABELS["key"], criteria), RUBRIC).values) == 32


def test_a_key_that_contradicts_itself_or_stands_elsewhere_means_nothing():
    first, second = RUBRIC.criteria[:2]
    wrong = {
        first.key: {
            f"{first.score}-2. {first.scale.parts[0].key}": {"value": 1, "evidence": "x"},
            f"{second.score}-1": {"value": 1, "evidence": "x"},
        }
    }
    assert not parse(json.dumps(wrong), RUBRIC).values
