"""The pages about rubrics: their examples are read, and no key goes undocumented."""

import re
from pathlib import Path
from typing import Any

import pytest

from haechi.errors import HaechiError
from haechi.rubrics import builtin_ids, find_rubric, parse_rubric
from haechi.rubrics.fields import Frozen
from haechi.rubrics.model import Rubric
from haechi.rubrics.parts import Criterion, Derived, Example, Floor, RunRules
from haechi.rubrics.scales import (
    Bands,
    Binary,
    Checklist,
    Computed,
    Element,
    Likert,
    Off,
    OwnCriteria,
    Pairwise,
    Verdict,
)

DOCS = Path(__file__).parents[2] / "docs"


def examples(page: str) -> list[str]:
    return re.findall(r"```yaml\n(.*?)```", (DOCS / page).read_text("utf-8"), re.DOTALL)


def test_the_example_of_the_format_reference() -> None:
    (example,) = examples("rubric-format.md")
    rubric = parse_rubric(example)
    assert rubric.score_names == ("clarity", "solution", "polite", "quality")
    assert rubric.version == "ba2314e9d6e1"  # a user's file keeps its version, too
    # clarity 1–3 with weight 0.4 and solution 1–3 with weight 0.6
    assert rubric.range("quality") == (1, 3)


def test_the_kind_of_scale_of_the_format_reference() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", (DOCS / "rubric-format.md").read_text("utf-8"), re.DOTALL)
    made: dict[str, Any] = {}
    exec(code, made)
    scale = made["Percent"](type="percent")
    assert (scale.read("80 %"), scale.read(0.5), scale.value_schema()) == ("80", "0.5", {"type": "number"})
    for wrong in ("110", "many", True):
        with pytest.raises(Off):
            scale.read(wrong)


def test_the_examples_of_the_walk_through_and_its_error() -> None:
    first, second = examples("writing-a-rubric.md")
    assert parse_rubric(first).range("useful") == (1, 3)
    assert parse_rubric(second).range("points") == (1, 6)  # 0–3 elements and 1–3
    with pytest.raises(HaechiError) as caught:
        parse_rubric(first.replace("        3: 그대로", "        4: 그대로"), "recipe-bot.yaml")
    said = caught.value.problems[0].say("en").split(" Next:")[0]
    assert said in (DOCS / "writing-a-rubric.md").read_text("utf-8")


@pytest.mark.parametrize(
    "model",
    [
        *(Rubric, Criterion, Derived, Floor, RunRules, Example, Element),
        *(Likert, Binary, Checklist, Verdict, Bands, Computed, Pairwise, OwnCriteria),
    ],
)
def test_every_key_is_documented(model: type[Frozen]) -> None:
    page = (DOCS / "rubric-format.md").read_text("utf-8")
    named = set(re.findall(r"`(\w+)(?::[^`]*)?`", page))
    assert set(model.fields()) - named == set()


@pytest.mark.parametrize("identifier", builtin_ids())
def test_an_instruments_page_names_its_scores(identifier: str) -> None:
    page = (DOCS / "instruments" / f"{identifier}.md").read_text("utf-8")
    rubric = find_rubric(identifier)
    derived = {score.key for score in rubric.scores}
    for score in rubric.score_names:
        assert (score if score in derived else f"`{score}`") in page
    for criterion in rubric.criteria:
        assert criterion.name.ko in page
