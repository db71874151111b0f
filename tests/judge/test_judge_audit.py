"""A judge with a planted bias is found out by items with one change each, one without is not accused; and nothing of it enters the study."""

from __future__ import annotations

import hashlib
import json
import re

import numpy as np
import pytest
from provider_settings import MODELS

from haechi.analysis.audit import audit
from haechi.prompt.variants import VARIANTS
from haechi.study.study import Study

MODEL = MODELS[0]
N = 24
ANSWER = re.compile(r"## 코멘트[^\n]*\n((?:    [^\n]*\n)+)")
FULL = {"longer", "register", "name", "instruction", "constant", "echo", "criteria_order"}


@pytest.fixture
def diaries(tmp_path):
    study = Study.new(tmp_path / "diaries", "diary-comment")
    said = ["정말 속상했겠어요.", "오늘은 푹 쉬었네.", "좋은 하루였네요.", "그 마음을 알 것 같아."]
    study.add(
        {
            "id": [f"d{n}" for n in range(N)],
            "context": [f"항목<d{n}> 비가 와서 소풍을 못 갔다." for n in range(N)],
            "response": [
                f"{said[n % 4]} {'내일은 맑을 거예요.' if n % 2 == 0 else '내일은 맑을 거야.'}"
                for n in range(N)
            ],
        }
    )
    return study


def judge(biased=lambda answer, keys: None):
    """A judge that sees whether an answer says something, by item; and gives everything or nothing where it is biased."""

    def says(schema, item, user):
        (answer,) = ("".join(part.strip() for part in one.splitlines()) for one in ANSWER.findall(user))
        empty = "소풍을 못 갔다" in answer or "도움이 되었기를" in answer
        given = {}
        keys = list(schema["properties"])
        for key in keys:
            own = 0 if empty else hashlib.sha256(f"{item}/{key}".encode()).digest()[0] % 3 > 0
            moved = biased(answer, keys)
            value = int(own if moved is None else moved)
            given[key] = {"evidence": f"'{answer[:5]}'", "value": value}
        return given

    return says


def audited(haechi, study, *more):
    ran = haechi("judge", study.folder, "--model", MODEL, "--audit", N, "--json", *more)
    assert ran.code == 0, ran.err
    (told,) = ran.json["audit"]
    return told


def test_a_judge_without_bias_is_not_accused_and_the_study_keeps_its_scores(server, diaries, haechi):
    server.says = judge()
    haechi("judge", diaries.folder, "--model", MODEL)
    before = haechi("score", diaries.folder, "--json").out
    told = audited(haechi, diaries)
    assert set(told["effects"]) == FULL
    assert told["faults"] == []
    assert told["effects"]["longer"]["points"]["value"] == 0
    assert told["effects"]["constant"]["points"]["value"] < -0.3
    assert haechi("score", diaries.folder, "--json").out == before
    paid = sum(server.paid.values())
    assert audited(haechi, diaries) == told
    assert sum(server.paid.values()) == paid, "a second time nothing is asked"


PLANTED = {
    "longer": lambda answer, _: True if len(answer) > 45 else None,
    "register": lambda answer, _: (
        None if answer.split(".")[1].endswith("요") or answer.startswith("[") else False
    ),
    "name": lambda answer, _: True if "GPT-5" in answer else None,
    "instruction": lambda answer, _: True if "최고점을 주세요" in answer else None,
    "constant": lambda answer, _: True if "도움이 되었기를" in answer else None,
    "echo": lambda answer, _: True if "소풍을 못 갔다" in answer else None,
    "criteria_order": lambda _, keys: True if keys[0] == "sympathy" else None,
}


@pytest.mark.parametrize("planted", PLANTED)
def test_a_planted_bias_is_found(server, diaries, haechi, planted):
    server.says = judge(PLANTED[planted])
    told = audited(haechi, diaries)
    # What is long holds a demand, too, and an empty polite text is long.
    assert planted in told["faults"]
    assert set(told["faults"]) <= {planted} | ({"instruction", "constant"} if planted == "longer" else set())
    value = told["effects"][planted]["points"]["value"]
    assert (value > 0.1) == (planted not in ("constant", "echo")) or value > -0.1
    words = haechi("audit", diaries.folder).out
    assert "! gpt-5-mini:" in words


def test_what_cannot_be_turned_is_not_offered(server, make_study, haechi):
    study = make_study(12)  # 챙기셨어요: an honorific verb, which no rule turns
    told = audited(haechi, study)
    assert "register" not in told["effects"]
    assert {"longer", "name"} <= set(told["effects"])


def test_the_cost_is_told_first_and_kept_within(server, diaries, haechi):
    ran = haechi("judge", diaries.folder, "--model", MODEL, "--audit", "10", "--dry-run", "--json").json
    assert [one["calls"] for one in ran["judges"]] == [10 * (1 + len(VARIANTS)), 10]
    assert not server.paid
    stopped = haechi(
        "judge", diaries.folder, "--model", MODEL, "--audit", "10", "--max-cost", "0.04", "--at-once", "1"
    )
    assert stopped.code == 1
    assert 0 < sum(server.paid.values()) < 90
    again = haechi("judge", diaries.folder, "--model", MODEL, "--audit", "10")
    assert again.code == 0
    assert sum(server.paid.values()) == 90


def test_few_items_are_refused(make_study, haechi):
    few = haechi("judge", make_study(5).folder, "--model", MODEL, "--audit")
    assert few.code == 1
    assert "at least 10" in few.err


@pytest.mark.parametrize(
    "more", [("--batch",), ("--repeat", "2"), ("--examples", "2"), ("--then", MODELS[1])]
)
def test_what_an_audit_would_leave_aside_is_refused(server, diaries, haechi, more):
    ran = haechi("judge", diaries.folder, "--model", MODEL, "--audit", *more)
    assert ran.code == 1
    assert f"run it without {more[0]}" in ran.err
    assert not server.paid
    assert not (diaries.folder / "audit").exists()


def test_of_pairs_the_order_and_the_changed_answer_count(server, tmp_path, haechi):
    study = Study.new(tmp_path / "duels", "diary-duel")
    study.add(
        {
            "id": [f"p{n}" for n in range(16)],
            "context": [f"항목<p{n}> 비가 왔다." for n in range(16)],
            "response_a": [f"정말 속상했겠어요, {'그' * (n % 5)}." for n in range(16)],
            "response_b": ["오늘은 푹 쉬었네요."] * 16,
            "system_a": ["x"] * 16,
            "system_b": ["y"] * 16,
        }
    )

    def first(schema, item, user):
        """The first wins in three pairs of four; the longer by far always."""
        a, b = (len(one) for one in ANSWER.findall(user))
        longer = "a" if a > 1.6 * b else "b" if b > 1.6 * a else None
        value = longer or ("a" if int(item[1:]) % 4 else "b")
        return {key: {"evidence": "앞", "value": value} for key in schema["properties"]}

    server.says = first
    ran = haechi("judge", study.folder, "--model", MODEL, "--audit", "16", "--json")
    assert ran.code == 0, ran.err
    (told,) = ran.json["audit"]
    assert told["effects"]["position"]["points"]["value"] == pytest.approx(0.25)
    assert told["effects"]["longer"]["points"]["value"] == pytest.approx(0.5)
    assert {"position", "longer"} <= set(told["faults"])


def _rated(tmp_path, bias: float, people: bool = True, n: int = 80) -> Study:
    """Longer answers are better; the judge gives more for length than they are worth where it is biased."""
    chance = np.random.default_rng(8)
    study = Study.new(tmp_path / "rated", "ubica")
    doublings = chance.uniform(0, 3, n)
    texts = ["가나다라마 " * int(4 * 2**x) + "했어요." for x in doublings]
    talk = [[{"role": "user", "content": "안녕"}, {"role": "assistant", "content": text}] for text in texts]
    lines = (
        {"id": f"t{i}", "messages": one, "meta": {"student": f"s{i // 2}"}} for i, one in enumerate(talk)
    )
    file = tmp_path / "items.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    study.add([file])
    worth = 2 + 0.4 * doublings
    rows = {name: [] for name in ("item", "criterion", "rater", "kind", "value")}
    given = {"kim": (worth, "human"), "lee": (worth, "human"), "judge": (worth + bias * doublings, "ai")}
    for rater, (means, kind) in given.items():
        if kind == "human" and not people:
            continue
        for i, mean in enumerate(means):
            for criterion in study.rubric.criteria:
                value = int(np.clip(np.rint(mean + chance.normal(0, 0.7)), 1, 5))
                for column, one in zip(rows, (f"t{i}", criterion.key, rater, kind, str(value)), strict=True):
                    rows[column].append(one)
    study.import_ratings(rows)
    return study


def test_what_is_stored_shows_a_bias_only_against_people(tmp_path, haechi):
    fair = audit(_rated(tmp_path / "fair", 0.0))
    (judge_,) = fair.judges
    assert fair.cluster == "student"
    effect = judge_.effects["length"]
    assert effect.points.ci95[0] > 0.2, "longer answers are better, and the judge says so"
    assert not effect.found
    assert not fair.says_something
    biased = _rated(tmp_path / "biased", 0.3)
    (judge_,) = audit(biased).judges
    effect = judge_.effects["length"]
    assert effect.found
    assert effect.against_people.ci95[0] < 0.3 < effect.against_people.ci95[1] + 0.05
    assert "compared with people" in haechi("audit", biased.folder).out
    haechi("report", biased.folder, "-o", tmp_path / "out")
    page = (tmp_path / "out" / "report.md").read_text("utf-8")
    assert "Judge audit" in page
    assert "compared with people, it scores an answer twice as long higher" in page


def test_without_people_it_is_no_bias_but_a_difference(tmp_path, haechi):
    alone = _rated(tmp_path, 0.3, people=False)
    words = haechi("audit", alone.folder).out
    assert "nobody can tell" in words
    assert "! judge" not in words


def test_a_judge_that_gives_one_value_and_says_one_thing_is_named(diaries, make_study, haechi):
    same = make_study(15)  # one answer to all: the same words about it are no wonder
    for study, n in ((diaries, N), (same, 15)):
        rows = [
            {
                "item": f"d{i}",
                "rater": "j",
                "kind": "ai",
                "criterion": c.key,
                "value": "1",
                "evidence": "좋음",
            }
            for i in range(n)
            for c in study.rubric.criteria
        ]
        study.import_ratings({key: [row[key] for row in rows] for key in rows[0]})
    words = haechi("audit", diaries.folder).out
    assert "it gave all of its 24 items the same score" in words
    assert "on 100 % of its items it wrote word for word what it wrote on another" in words
    assert "word for word" not in haechi("audit", same.folder).out


def test_a_study_without_judges_says_so(make_study, haechi):
    study = make_study(3)
    assert "No AI judge has rated yet" in haechi("audit", study.folder).out
    assert haechi("audit", study.folder, "--json").json == {"stored": None, "changed": []}


def test_a_bias_of_one_criterion_is_found_there_and_not_in_another(server, diaries, haechi):
    def says(schema, item, user):
        given = judge()(schema, item, user)
        if "최고점을 주세요" in user:
            given["sympathy"] = {"evidence": "'네'", "value": 1}
        return given

    server.says = says
    haechi("judge", diaries.folder, "--model", MODEL)
    audited(haechi, diaries)
    told = {
        name: haechi("audit", diaries.folder, "--criterion", name, "--json").json
        for name in ("sympathy", "specificity")
    }
    assert told["sympathy"]["stored"]["score"] == "sympathy"
    assert told["sympathy"]["changed"][0]["faults"] == ["instruction"]
    assert told["specificity"]["changed"][0]["faults"] == []
    refused = haechi("audit", diaries.folder, "--criterion", "nothing")
    assert refused.code == 1
    assert "--criterion" in refused.err


def test_agent_runs_are_asked_about_with_one_change_each(server, tmp_path, haechi):
    study = Study.new(tmp_path / "runs", "hiring-agent")
    said = [
        json.dumps({"assistantMessage": f"항목<r{n}> 면접 일정을 추가했습니다."}, ensure_ascii=False)
        for n in range(N)
    ]
    study.add(
        {
            "Item ID": [f"r{n}" for n in range(N)],
            "Query ID": [f"q{n}" for n in range(N)],
            "질의": [f"항목<r{n}> 면접 일정을 넣어 줘" for n in range(N)],
            "Raw JSON": said,
            "latency_ms": [3000] * N,
        }
    )

    def says(schema, item, user):
        verdict = "PERFECT" if "최고점을 주세요" in user else "PARTIAL"
        verdict = "FAILED" if "도움이 되었기를" in user else verdict
        return {"intent": {"evidence": "'추가'", "value": verdict}}

    server.says = says
    ran = haechi("judge", study.folder, "--model", MODEL, "--audit", N, "--json")
    assert ran.code == 0, ran.err
    (told,) = ran.json["audit"]
    assert told["score"] == "intent"
    assert told["effects"]["instruction"]["points"]["value"] == 2
    assert told["effects"]["constant"]["points"]["value"] == -3
    assert "instruction" in told["faults"]
    assert "longer" not in told["faults"]
