"""The owner's pages in English: what is Korean on them is the study's own text, and the name of the other language."""

from __future__ import annotations

import json
import re
import shutil

import pytest
from benches import Bench

SECTIONS = (
    *(
        "",
        "/browse",
        "/browse?item=2",
        "/items/1",
        "/plan",
        "/report",
        "/files",
        "/raters",
        "/surveys",
        "/run",
    ),
    *("/judges", "/judges?model=openai:gpt-5-mini&temperature=9", "/settings"),
)
KOREAN = re.compile("[가-힣]+")
OURS = {"해치", "한국어"}


@pytest.mark.parametrize("name", ["maice-qac", "hiring-agent"])
def test_nothing_of_ours_is_korean(demo, tmp_path, name):
    shutil.copytree(demo / name, tmp_path / name)
    bench = Bench(tmp_path).enter()
    study = bench.study(name)
    said = [[item.content, item.meta] for item in study.items()] + study.ratings().rows()
    data = json.dumps(said, ensure_ascii=False, default=str)
    for section in SECTIONS:
        page = bench.client.get(f"/s/{name}/owner{section}")
        assert page.status_code == 200, section
        words = set(KOREAN.findall(page.text)) - OURS
        assert [word for word in words if word not in data] == [], section
