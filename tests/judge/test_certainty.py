"""Probabilities of tokens: asked for where a provider has them, kept beside values, and never a value."""

from __future__ import annotations

import math
import re

import pytest
from provider_settings import MODELS

from haechi.analysis.certainty import certainty, judge_certainty
from haechi.prompt.certainty import Token, certainties
from haechi.prompt.reply import parse
from haechi.rubrics import find_rubric

DIARY = find_rubric("diary-comment")
SAID = '{"sensibleness": {"evidence": "\\"value\\": 5라고 함", "value": 1}, "specificity": {"evidence": "없음", "value": 0}, "sympathy": {"evidence": "위로", "value": 1}}'


def tokens(text: str, size: int) -> list[Token]:
    raw = text.encode()
    return [Token(raw[at : at + size], -0.001 * (at + 1)) for at in range(0, len(raw), size)]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_a_value_has_the_probability_of_the_tokens_that_write_it(size):
    given = tokens(SAID, size)
    found = certainties(SAID, given, parse(SAID, DIARY), DIARY)
    assert list(found) == ["sensibleness", "specificity", "sympathy"]
    raw = SAID.encode()
    places = [one.end() for one in re.finditer(rb'(?<!\\)"value": ', raw)]
    for name, place in zip(found, places, strict=True):
        assert found[name] == pytest.approx(math.exp(given[place // size].logprob))


def test_what_does_not_fit_has_no_probability():
    given = tokens(SAID, 3)
    assert certainties(SAID, given[:-1], parse(SAID, DIARY), DIARY) == {}, "tokens are missing"
    assert certainties(SAID, [], parse(SAID, DIARY), DIARY) == {}
    odd = SAID.replace('"value": 1', '"value": "1점"')
    assert certainties(odd, tokens(odd, 3), parse(odd, DIARY), DIARY) == {}, (
        "not in the form that was asked for"
    )


@pytest.mark.parametrize("model", [MODELS[0], MODELS[2]])
def test_they_are_asked_for_stored_and_change_nothing(server, make_study, haechi, tmp_path, model):
    study = make_study(6)
    server.bodies = []
    haechi("judge", study.folder, "--model", model, "--limit", "3")
    plain = study.ratings()
    assert certainty(study).is_empty()
    assert not any("ogprob" in str(body) for body in server.bodies)
    haechi("judge", study.folder, "--model", model, "--logprobs")
    assert all("ogprob" in str(body) for body in server.bodies[3:])
    found = certainty(study)
    assert found.height == 3 * 3
    assert found["probability"].is_between(0, 1, closed="right").all()
    values = study.ratings().select("item", "criterion", "value")
    assert found.join(values, on=["item", "criterion", "value"]).height == found.height
    assert plain["value"].to_list() == study.ratings().head(plain.height)["value"].to_list()
    rows = {
        "item": ["d3", "d4"],
        "criterion": ["sympathy"] * 2,
        "rater": ["kim"] * 2,
        "kind": ["human"] * 2,
        "value": ["1", "0"],
    }
    study.import_ratings(rows)
    (judge,) = judge_certainty(study)
    assert judge.n == 9
    assert judge.sure.n + judge.unsure.n == 2
    assert judge.mean.value == pytest.approx(found["probability"].mean())
    decided = {"rater": ["head"] * 2, "value": ["0", "1"], "stance": ["adjudication"] * 2}
    study.import_ratings(rows | decided)
    assert judge_certainty(study) == [judge], "a decision is one more person's word"
    haechi("report", study.folder, "-o", tmp_path / "r")
    report = (tmp_path / "r" / "report.md").read_text()
    assert "Probability of values" in report
    assert "It enters no score." in report


def test_a_provider_without_them_and_a_model_that_refuses_are_told(server, make_study, haechi):
    study = make_study(2)
    done = haechi("judge", study.folder, "--model", MODELS[1], "--logprobs")
    assert (done.code, "--logprobs" in done.err) == (1, True)
    assert not server.seen
    server.refuses = lambda body: (
        "logprobs are not supported with reasoning models" if body.get("logprobs") else None
    )
    done = haechi("judge", study.folder, "--model", MODELS[0], "--logprobs")
    assert done.code == 1
    assert "without --logprobs" in done.out + done.err


def test_people_say_what_most_of_them_say_however_often_one_rated(server, make_study, haechi):
    study = make_study(1)
    haechi("judge", study.folder, "--model", MODELS[0], "--logprobs")
    given: dict[str, list[object]] = {}
    for item, criterion, _, _, value, _ in certainty(study).iter_rows():
        other = "0" if value == "1" else "1"
        for rater, said in {"kim": [other] * 3, "lee": [value], "park": [value]}.items():
            for number, one in enumerate(said, 1):
                row = {"item": item, "criterion": criterion, "rater": rater, "kind": "human"}
                for name, cell in (row | {"value": one, "replicate": number}).items():
                    given.setdefault(name, []).append(cell)
    study.import_ratings(given)
    (judge,) = judge_certainty(study)
    same = [figure.value for figure in (judge.sure, judge.unsure) if figure.n]
    assert set(same) == {1.0}
