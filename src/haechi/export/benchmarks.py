"""Items with their own criteria in the layouts that benchmarks publish: HealthBench's data and results, and rubrics as rewards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import polars as pl

from haechi.data.atomic_files import new_folder, whole_file
from haechi.data.item import Item
from haechi.data.line_names import own_criteria
from haechi.data.own_criteria import PROMPT_IDS, own_criteria_of
from haechi.errors import HaechiError
from haechi.export.evaluations import ExportResult
from haechi.rubrics.scales import OwnCriterion
from haechi.study.study import Study
from haechi.text import Text

_NONE, _SAFE = "no criteria", "-_."


def write_healthbench(study: Study, out: Path) -> ExportResult:
    """Write `data.jsonl` (prompt, rubrics, the answer) and for every rater the results as HealthBench's evaluation keeps them.

    A rater's results have the examples of which they answered every criterion; `score` is not cut, the mean of all is.
    """
    left_out: Counter[str] = Counter()
    items = list(_items(study, left_out))
    told = study.rated_scores().verdicts
    files = ["data.jsonl"]
    with new_folder(out) as folder:
        with (folder / "data.jsonl").open("wb") as file:
            for item, criteria in items:
                file.write(orjson.dumps(_record(item, criteria), option=orjson.OPT_APPEND_NEWLINE))
        for name, rater in _raters(told):
            examples = list(_graded(items, told, _reasons(study, rater), rater))
            raw = [one["score"] for one in examples if one["score"] is not None]
            score = min(1.0, max(0.0, sum(raw) / len(raw))) if raw else None
            result = {"score": score, "metadata": {"example_level_metadata": examples}}
            (folder / name).write_bytes(orjson.dumps(result, option=orjson.OPT_INDENT_2))
            files.append(name)
    return ExportResult(tuple(files), {"items": len(items), "raters": len(files) - 1}, left_out)


def write_rewards(study: Study, out: Path) -> ExportResult:
    """Write a JSONL file of questions with their rubrics (title, description, weight), as Rubrics as Rewards has them."""
    left_out: Counter[str] = Counter()
    items = list(_items(study, left_out))
    with whole_file(out) as path, path.open("wb") as file:
        for item, criteria in items:
            asked, answered = _said(item)
            rubric = [
                {"title": one.name.ko, "description": one.text, "weight": one.points} for one in criteria
            ]
            words = "\n\n".join(message["content"] for message in asked)
            record = {"id": item.id, "question": words, "response": answered, "rubric": rubric}
            file.write(orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE))
    return ExportResult((out.name,), {"items": len(items)}, left_out)


def _items(study: Study, left_out: Counter[str]) -> Iterator[tuple[Item, list[OwnCriterion]]]:
    if not own_criteria(study.rubric):
        expected = Text(
            "항목이 기준을 가져오는 루브릭(type: own-criteria)",
            "a rubric whose items bring criteria (type: own-criteria)",
        )
        todo = Text("다른 형식을 고르세요", "choose another format")
        raise HaechiError.of(study.place, study.rubric.id, expected, todo)
    for item in study.items():
        criteria = own_criteria_of(item.content)
        if criteria:
            yield item, criteria
        else:
            left_out[_NONE] += 1


def _said(item: Item) -> tuple[list[dict[str, str]], str]:
    """What was asked, and the last answer."""
    if item.kind == "reply":
        asked = [{"role": "user", "content": str(item.content["context"])}]
        return asked, str(item.content["response"])
    messages = [{"role": m["role"], "content": m["content"]} for m in item.content.get("messages", ())]
    last = bool(messages) and messages[-1]["role"] == "assistant"
    return (messages[:-1], messages[-1]["content"]) if last else (messages, "")


def _record(item: Item, criteria: list[OwnCriterion]) -> dict[str, Any]:
    asked, answered = _said(item)
    known = next((str(item.meta[name]) for name in PROMPT_IDS if name in item.meta), item.id)
    rubrics = [_criterion(one) for one in criteria]
    record = {
        "prompt": asked,
        "prompt_id": known,
        "rubrics": rubrics,
        "example_tags": [],
        "completion": answered,
    }
    return record | {"id": item.id}


def _criterion(one: OwnCriterion) -> dict[str, Any]:
    return {"criterion": one.text, "points": one.points, "tags": list(one.tags)}


def _raters(told: pl.DataFrame | None) -> Iterator[tuple[str, str]]:
    """The file of every rater; names that would be the same as files are numbered."""
    raters = told["rater"].unique(maintain_order=True).to_list() if told is not None else []
    for number, rater in enumerate(raters, 1):
        safe = "".join(sign if sign.isalnum() or sign in _SAFE else "_" for sign in rater)[:80]
        yield f"results-{number}-{safe}.json", rater


def _reasons(study: Study, rater: str) -> dict[tuple[str, str], str]:
    """The evidence that a rater gave, by item and rating."""
    given = study.ratings().filter(pl.col("evidence").is_not_null(), rater=rater, replicate=1)
    return {
        (item, name): words for item, name, words in given.select("item", "criterion", "evidence").iter_rows()
    }


def _graded(
    items: list[tuple[Item, list[OwnCriterion]]],
    told: pl.DataFrame | None,
    reasons: dict[tuple[str, str], str],
    rater: str,
) -> Iterator[dict[str, Any]]:
    rows = told.filter(rater=rater, replicate=1) if told is not None else pl.DataFrame()
    given: dict[str, dict[str, tuple[float | None, str]]] = {}
    for item, name, key, met in rows.select("item", "criterion", "key", "met").iter_rows():
        given.setdefault(item, {})[key] = met, reasons.get((item, name), "")
    for one, criteria in items:
        said = given.get(one.id, {})
        if any(said.get(criterion.key, (None,))[0] is None for criterion in criteria):
            continue
        asked, answered = _said(one)
        possible = sum(criterion.points for criterion in criteria if criterion.points > 0)
        earned = sum(criterion.points for criterion in criteria if said[criterion.key][0])
        yield {
            "score": earned / possible if possible else None,
            "rubric_items": [
                {**_criterion(c), "criteria_met": bool(said[c.key][0]), "explanation": said[c.key][1]}
                for c in criteria
            ],
            "prompt": asked,
            "completion": [{"role": "assistant", "content": answered}],
            "prompt_id": one.id,
        }
