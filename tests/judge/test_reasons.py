"""Why there is no value is kept in both languages, and said in that of whoever looks."""

from __future__ import annotations

import json
import re
import zipfile
from io import BytesIO
from typing import Any

import pytest
from test_live import QUICK, judged, rows

from haechi.judge.attempts import Pace
from haechi.study.study import Study

HANGUL = re.compile("[가-힣]")


@pytest.fixture
def failed(server, make_study) -> Study:
    """One reply refused, one without ratings, one request refused."""
    study = make_study(4)
    server.odd = {"d0": "refusal", "d2": "fenced"}
    server.says = lambda schema, item, user: (
        {"note": "?"}
        if item == "d1"
        else {name: {"evidence": "e", "value": 1} for name in schema["properties"]}
    )
    server.refuses = lambda body: (
        "content policy" if "항목<d3>" in json.dumps(body, ensure_ascii=False) else None
    )
    done = judged(study, "openai:gpt-5-mini", pace=QUICK)
    assert done.done.failed == 4, "what has no ratings is asked once more"
    return study


@pytest.mark.parametrize("lang", ["ko", "en"])
def test_every_surface_speaks_one_language(failed, haechi, tmp_path, monkeypatch, lang):
    monkeypatch.setenv("HAECHI_LANG", lang)
    told: list[str] = [r for r in failed.ratings()["reason"].to_list() if r]
    scored = haechi("score", failed.folder, "--json").json
    told += [why for one in scored["items"] for why in one["missing"].values()]
    assert haechi("calls", failed.folder, "-o", tmp_path / "calls.jsonl").code == 0
    calls = [json.loads(line) for line in (tmp_path / "calls.jsonl").read_text("utf-8").splitlines()]
    told += [one["reason"] for one in calls if one["reason"]]
    told += [r["reason"] for one in calls for r in one["ratings"] if r["reason"]]
    told += _of_the_archive(failed)
    assert len(told) > 30
    assert {bool(HANGUL.search(why)) for why in told} == {lang == "ko"}
    assert not any("\x1f" in why for why in told)


def _of_the_archive(study: Study) -> list[str]:
    from haechi.web.export import write_export

    target = BytesIO()
    write_export(study, target)
    with zipfile.ZipFile(target) as archive:
        table = archive.read("ratings-history.csv").decode("utf-8-sig").splitlines()
    place = table[0].split(",").index("reason")
    return [line.split(",")[place] for line in table[1:] if line.split(",")[place]]


def test_reasons_of_earlier_versions_stay_readable_and_an_export_comes_back_unchanged(
    failed, haechi, tmp_path, monkeypatch
):
    with failed.database.write() as connection:
        connection.execute("UPDATE calls SET reason = '모델이 답을 거절함: ' WHERE item = 'd0'")
    assert rows(failed, "SELECT reason FROM calls WHERE item = 'd0'") == [("모델이 답을 거절함: ",)]
    haechi("calls", failed.folder, "-o", tmp_path / "calls.jsonl")
    assert "모델이 답을 거절함" in (tmp_path / "calls.jsonl").read_text("utf-8")
    for lang in ("ko", "en"):
        monkeypatch.setenv("HAECHI_LANG", lang)
        file = tmp_path / f"{lang}.csv"
        failed.ratings().select(
            "item", "criterion", "rater", "kind", "value", "evidence", "replicate", "status", "reason"
        ).write_csv(file)
        again = haechi("import", failed.folder, file, "--as", "ratings", "--json").json
        assert (again["new"], again["corrected"]) == (0, 0), lang


def test_a_provider_that_does_not_answer_is_named_in_both_languages(server, make_study):
    study = make_study(1)
    server.faults.extend(["reset"] * 6)
    done: Any = judged(study, "openai:gpt-5-mini", pace=Pace(at_once=1, first_wait=0.01))
    assert done.done.failed == 1
    ((kept,),) = rows(study, "SELECT reason FROM calls")
    korean, english = kept.split("\x1f")
    assert korean.startswith("제공자가 답하지 않음: 연결이 끊겼거나")
    assert english.startswith("the provider did not answer: the connection or the answer broke")
