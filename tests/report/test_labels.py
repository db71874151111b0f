"""Labels are names: no surface takes their mean, and none makes them the headline where something else can be."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from haechi.store.raters import invite_owner
from haechi.study.study import Study
from haechi.web.app import create_app
from haechi.web.options import Options

RUBRIC = """\
id: labels
title: 의도 분류
about: 시험용
item: reply
speakers: {user: 고객, assistant: 챗봇}
task: 골라 주세요.
criteria:
  - key: intent
    name: 의도
    scale: {type: verdict, level: nominal, labels: {ASK: {points: 0, text: 묻기}, TELL: {points: 1, text: 알리기}, OTHER: {points: 2, text: 그 밖}}}
"""
FINE = "  - {key: fine, name: 괜찮음, scale: {type: binary}}\n"
SAID = {"kim": "ATOATO", "lee": "ATOTTO", "gpt": "AAOATO"}
NAMES = {"A": "ASK", "T": "TELL", "O": "OTHER"}


@pytest.fixture(params=[True, False], ids=["beside others", "alone"])
def study(request, haechi, write, tmp_path: Path) -> Path:
    folder, criteria = tmp_path / "study", ["intent", *(["fine"] if request.param else [])]
    rubric = write("labels.yaml", RUBRIC + (FINE if request.param else ""))
    assert haechi("new", folder, "--rubric", rubric).code == 0
    items = "".join(f"i{n},질문,답 {n},{'AB'[n % 2]}\n" for n in range(6))
    assert haechi("add", folder, write("items.csv", "id,context,response,system\n" + items)).code == 0
    rows = [
        f"i{n},{name},{rater},{'ai' if rater == 'gpt' else 'human'},{NAMES[letter] if name == 'intent' else n % 2}"
        for rater, letters in SAID.items()
        for n, letter in enumerate(letters)
        for name in criteria
    ]
    ratings = write("ratings.csv", "\n".join(["item,criterion,rater,kind,value", *rows]))
    assert haechi("import", folder, ratings, "--as", "ratings").code == 0
    return folder


def test_no_surface_takes_their_mean(haechi, study, tmp_path):
    whole, *groups = haechi("score", study, "--by", "system", "--json").json["summary"]
    for row in (whole, *groups):
        of = row["scores"]["intent"]
        assert (of["mean"], of["mean_over_items"], of["sd"], of["median"], of["ci95"]) == (None,) * 5
        assert "names, not amounts" in of["why"]
    assert whole["scores"]["intent"]["distribution"] == {"0": 6, "1": 6, "2": 6}
    named = haechi("check", study, "--list", "--by", "system", "--json").json
    means = [what for what in named if what.split("@")[0].removeprefix("human.") == "intent"]
    assert {named[what]["value"] for what in means} == {None}
    assert "intent@rater=kim" not in named
    for group in haechi("compare", study, "--by", "system", "--json").json["criteria"]["intent"]["groups"]:
        assert group["mean"]["value"] is None
    assert haechi("check", study, "--min", "intent=0").code == 1  # what cannot be evaluated is failed
    report = haechi("report", study, "--by", "system", "-o", tmp_path / "report")
    assert report.code == 0, report.err
    text = (tmp_path / "report" / "report.md").read_text("utf-8")
    assert "Labels are names, not amounts: they have no mean." in text
    first = next(line for line in text.splitlines() if line.startswith("**"))
    assert (
        "괜찮음, from 0 to 1" in first
        or "의도: of 18 ratings ASK 6, TELL 6, OTHER 6. Labels have no mean." in first
    )


def test_they_have_a_dashboard(study):
    opened = Study(study)
    visitor = TestClient(create_app(opened, Options(lang="en")), base_url="http://127.0.0.1:8000")
    assert visitor.get(f"/enter/{invite_owner(opened.database)}").status_code == 200
