"""Judges' replies read by a cluster: the study is the same as if they were read here."""

from __future__ import annotations

import json
import os
import random
import signal
from pathlib import Path
from typing import Any

import pytest
from workers import process_ids

from haechi.cluster.engine import Engine
from haechi.errors import HaechiError
from haechi.study.study import Study

NAMES = ("sensibleness", "specificity", "sympathy")


def files(folder: Path) -> list[Path]:
    """Replies over three files: whole, partial, cut, refused, and some items twice, in other files."""
    chance = random.Random(4)
    made = []
    for number in range(3):
        lines = []
        for _ in range(40):
            given = NAMES[: chance.choice((0, 2, 3, 3, 3))]
            text = json.dumps({name: {"evidence": "근거", "value": chance.randrange(2)} for name in given})
            text = text[: len(text) // 2] if chance.random() < 0.1 else text
            choice = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
            body = {"model": "gpt-5-mini", "choices": [choice], "usage": {"prompt_tokens": 9}}
            reply: dict[str, Any] = {"status_code": 200, "body": body}
            error = {"code": "expired", "message": "too late"} if chance.random() < 0.1 else None
            line = {"id": "x", "custom_id": f"d{chance.randrange(90)}", "error": error}
            lines.append(json.dumps({**line, "response": None if error else reply}, ensure_ascii=False))
        made.append(folder / f"{number}.jsonl")
        made[-1].write_text("\n".join(lines), "utf-8")
    return made


def content(study: Study) -> list[Any]:
    ratings = study.ratings().drop("at").to_dicts()
    query = "SELECT id, item, rater, model, state, reply, input_tokens FROM calls ORDER BY id"
    with study.database.read() as connection:
        return [*ratings, *map(tuple, connection.rows(query))]


class Murder(Engine):
    """Kills a worker before the second reading."""

    readings = 0

    def run(self, task: Any, parts: Any) -> Any:
        self.readings += 1
        if self.readings == 2:
            os.kill(process_ids(self)[0], signal.SIGKILL)
        return super().run(task, parts)


def test_the_same_study_also_when_a_worker_dies(engine, tmp_path):
    given = files(tmp_path)
    here, there = (Study.new(tmp_path / name, "diary-comment") for name in ("here", "there"))
    alone = here.import_results(given, "openai")
    found = there.import_results(given, "openai", engine=Murder(engine._client, engine.address))
    assert alone.tally["replies"] > 50
    assert (found.tally, found.raters, found.ratings.new) == (alone.tally, alone.raters, alone.ratings.new)
    assert content(there) == content(here)


def test_an_unreadable_line_is_named_and_nothing_is_written(engine, tmp_path):
    given = files(tmp_path)
    lines = given[1].read_text("utf-8").splitlines()
    given[1].write_text("\n".join([*lines[:6], "{", *lines[6:]]), "utf-8")
    study = Study.new(tmp_path / "study", "diary-comment")
    with pytest.raises(HaechiError) as raised:
        study.import_results(given, "openai", engine=engine)
    assert raised.value.problems[0].at == "1.jsonl:7"
    assert study.ratings().is_empty()
