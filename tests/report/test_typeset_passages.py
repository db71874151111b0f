"""Transcripts, quotes and comments in the report's page are set as in the desk."""

from __future__ import annotations

import json
import re

import pytest

from haechi.notebook_study import Study as NotebookStudy
from haechi.study.study import Study

ANSWER = '**"완전제곱식"**으로 $x^2$이고 책은 $5입니다 <script>alert(1)</script>'


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("set")
    talk = [{"role": "user", "content": "질문"}, {"role": "assistant", "content": ANSWER}]
    lines = [json.dumps({"id": f"s{n}", "messages": talk}, ensure_ascii=False) for n in range(4)]
    (folder / "items.jsonl").write_text("\n".join(lines), "utf-8")
    keys = [c.key for c in Study.new(folder / "s", "ubica").rubric.criteria]
    rows = ["item,criterion,rater,kind,value,evidence"]
    for item in range(4):
        for n, key in enumerate(keys[:9]):
            rows += [
                f"s{item},{key},{rater},ai,{1 + (item + n + k) % 5},메시지[1]에서 '$y^3$'"
                for k, rater in enumerate("ab")
            ]
    rows += [f"s0,{keys[9]},a,ai,**좋은** $z$ 의견,"]
    (folder / "ratings.csv").write_text("\n".join(rows), "utf-8")
    study = NotebookStudy(folder / "s")
    study.add(folder / "items.jsonl")
    study.import_ratings(folder / "ratings.csv")
    study.report(folder / "out")
    return (folder / "out" / "report.html").read_text("utf-8")


def test_transcripts_quotes_and_comments_are_set(page):
    assert re.search(r'<strong><span data-at="2">"완전제곱식"</span></strong>', page)
    for latex in ("x^2", "y^3", "z"):
        assert f'alttext="{latex}"' in page
    assert "책은 $5입니다" in page


def test_nothing_of_a_transcript_runs(page):
    assert page.count("<script") == 1, "the page's own"
    assert "&lt;script&gt;alert(1)" in page
    assert ".typeset .formula.display" in page  # the page carries the style sheet itself
