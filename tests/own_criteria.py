"""A study whose items bring criteria of their own, for the tests of every room."""

from __future__ import annotations

import json
from pathlib import Path

from haechi.study.study import Study

RUBRIC = """
id: everyday
title: {ko: 생활 안내 답변, en: Everyday answers}
about: {ko: 항목마다 제 기준이 있습니다., en: Every item has its own criteria.}
item: dialogue
speakers: {user: {ko: 사용자, en: user}, assistant: {ko: 도우미, en: assistant}}
task: {ko: 대화를 읽고 기준마다 충족하는지 판단하세요., en: Say for each criterion whether it is met.}
criteria:
  - key: own
    name: {ko: 항목별 기준, en: Own criteria}
    evidence: true
    scale: {type: own-criteria}
scores:
  - {key: accuracy, name: {ko: 정확성, en: Accuracy}, by: tag, of: [own]}
"""
REFUND = [
    {"criterion": "환불 기한을 알려 준다", "points": 5, "tags": ["axis:accuracy"]},
    {"criterion": "존댓말을 쓴다", "points": 2, "tags": ["axis:tone"]},
    {"criterion": "없는 규정을 지어낸다", "points": -4, "tags": ["axis:accuracy"]},
]
MOVING = [{"criterion": "주소 이전을 알려 준다", "points": 3}, {"criterion": "반말을 쓴다", "points": -5}]


def prompt(identifier: str, criteria: list[dict]) -> dict:
    """A record as HealthBench writes it, with the answer that was given."""
    asked = [{"role": "user", "content": f"항목<{identifier}> 어떻게 하나요?"}]
    return {"prompt_id": identifier, "prompt": asked, "completion": "이렇게 하세요.", "rubrics": criteria}


def rubric_file(folder: Path) -> Path:
    path = folder / "everyday.yaml"
    path.write_text(RUBRIC, "utf-8")
    return path


def write(path: Path, *records: dict) -> Path:
    path.write_text("\n".join(json.dumps(one, ensure_ascii=False) for one in records), "utf-8")
    return path


def own_study(folder: Path, *records: dict) -> Study:
    study = Study.new(folder / "study", rubric_file(folder))
    given = records or (prompt("p1", REFUND), prompt("p2", MOVING))
    study.add([write(folder / "items.jsonl", *given)])
    return study
