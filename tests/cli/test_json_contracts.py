"""What machines rely on: the keys of what commands print as JSON, what they mean, and that nothing else is printed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agent_server import AgentServer, running
from haechi.study.study import Study

PEOPLE = ("kim", "lee")
CRITERIA = ("sensibleness", "specificity", "sympathy")
ITEMS = "".join(
    json.dumps({"id": f"d{n}", "context": "비가 왔다.", "response": "네", "meta": {"system": "AB"[n % 2]}})
    + "\n"
    for n in range(8)
)
RATINGS = "item,criterion,rater,value\n" + "".join(
    f"d{n},{criterion},{person},{(n + place) % 2}\n"
    for n in range(8)
    for place, criterion in enumerate(CRITERIA)
    for person in PEOPLE
)
AGENT = """
name: echo
url: {url}/ask
body: {{q: $query, id: $id, turn: $turn, session: $session}}
answer: {{payload: data, message: data.assistantMessage, error: error}}
"""
SUITE = "Query ID,질의,기대결과\nq1,공고 보여줘,@check formType=LIST\nq2,지원자 추가,@check formType=FORM\n"


@pytest.fixture
def folder(haechi, write, tmp_path) -> Any:
    made = tmp_path / "diaries"
    assert haechi("new", made, "--rubric", "diary-comment").code == 0
    assert haechi("add", made, write("items.jsonl", ITEMS)).code == 0
    return made


def test_import_of_ratings_counts_what_it_did_and_says_its_number(haechi, folder, write):
    file = write("ratings.csv", RATINGS)
    keys = {"new", "unchanged", "corrected", "bare_items", "ignored_columns", "skipped", "assumed", "import"}
    first = haechi("import", folder, file, "--as", "ratings", "--json").json
    assert set(first) == keys
    assert (first["new"], first["unchanged"], first["import"]) == (48, 0, 2)
    again = haechi("import", folder, file, "--as", "ratings", "--json").json
    assert (again["new"], again["unchanged"], again["import"]) == (0, 48, None)
    other = write("ratings.csv", RATINGS.replace("d0,sympathy,kim,0", "d0,sympathy,kim,1"))
    refused = haechi("import", folder, other, "--json")
    assert refused.code == 1
    (problem,) = refused.json["error"]
    assert set(problem) >= {"at", "found", "expected", "next"}
    assert haechi("import", folder, other, "--correct", "--json").json["corrected"] == 1
    some = write("more.csv", "item,criterion,rater,value\nd1,sympathy,park,9\nd2,sympathy,park,1\n")
    kept = haechi("import", folder, some, "--skip-bad", "--json").json
    assert (kept["new"], len(kept["skipped"])) == (1, 1)
    assert kept["skipped"][0]["at"] == "more.csv:2, value"


def test_a_dry_run_says_how_columns_are_read_and_writes_nothing(haechi, folder, write):
    told = haechi("import", folder, write("ratings.csv", RATINGS), "--dry-run", "--json").json
    assert (told["dry_run"], told["what"]) == (True, "ratings")
    assert {one["column"]: one["field"] for one in told["columns"]} == {
        name: name for name in ("item", "criterion", "rater", "value")
    }
    assert [one["what"] for one in haechi("history", folder, "--json").json["imports"]] == ["items"]


def test_import_of_a_batch_and_its_promised_counts(haechi, folder, write):
    """The shape that scripts read: replies, complete, partial, failed, repaired, rejudge."""

    def line(item: str, text: str) -> str:
        body = {"model": "gpt-5-mini", "choices": [{"message": {"content": text}, "finish_reason": "stop"}]}
        return json.dumps({"custom_id": item, "response": {"status_code": 200, "body": body}, "error": None})

    whole = {name: {"evidence": "근거", "value": 1} for name in CRITERIA}
    part = {name: whole[name] for name in CRITERIA[:2]}
    texts = {
        "d0": json.dumps(whole),
        "d1": json.dumps(part),
        "d2": "모르겠습니다",
        "d3": json.dumps(whole)[:-1],
    }
    file = write("results.jsonl", "\n".join(line(item, text) for item, text in texts.items()))
    told = haechi("import", folder, file, "--as", "openai-batch", "--json").json
    counts = {name: told[name] for name in ("replies", "complete", "partial", "failed", "repaired")}
    assert counts == {"replies": 4, "complete": 2, "partial": 1, "failed": 1, "repaired": 1}
    assert told["rejudge"] == ["d1", "d2"]
    assert haechi("score", folder, "--json").json["items"][0]["rater"] == "gpt-5-mini"
    before = haechi("score", folder, "--json").out
    assert haechi("import", folder, file, "--as", "openai-batch", "--json").code == 0
    assert haechi("score", folder, "--json").out == before


def test_undo_and_history_speak_of_the_same_numbers(haechi, folder, write):
    haechi("import", folder, write("ratings.csv", RATINGS))
    done = haechi("undo", folder, "--json").json
    assert done == {"number": 3, "about": 2, "restored": False, "items": 0, "ratings": 48, "left_bare": 0}
    listed = {one["number"]: one for one in haechi("history", folder, "--json").json["imports"]}
    assert (listed[2]["taken_back"], listed[2]["counts"]["new"]) == (True, 48)
    assert haechi("score", folder, "--json").code == 1, "nothing is rated"
    again = haechi("undo", folder, 3, "--json").json
    assert (again["about"], again["restored"], again["ratings"]) == (2, True, 48)
    assert len(haechi("score", folder, "--json").json["items"]) == 16
    unknown = haechi("undo", folder, 99, "--json")
    assert (unknown.code, list(unknown.json)) == (1, ["error"])


def test_a_form_says_what_is_on_it(haechi, folder, tmp_path):
    sheet = haechi("form", folder, "-o", tmp_path / "form.xlsx", "--rater", "kim", "--json").json
    assert sheet == {"output": str(tmp_path / "form.xlsx"), "items": 8, "questions": 3, "raters": ["kim"]}
    page = haechi("form", folder, "-o", tmp_path / "form.html", "--limit", 2, "--json").json
    assert page == {"output": str(tmp_path / "form.html"), "items": 2, "questions": 3}
    assert haechi("form", folder, "-o", tmp_path / "form.txt", "--json").code == 1
    assert not (tmp_path / "form.txt").exists()


def test_a_draw_is_told_with_chances_and_kept(haechi, folder, write):
    empty = haechi("draw", folder, "--json").json
    assert (empty["how"], empty["drawn"], empty["items"]) == (None, [], 8)
    drawn = haechi("draw", folder, "--items", 3, "--seed", 7, "--json").json
    assert set(drawn) == {"how", "said", "items", "seed", "drawn"}
    assert (drawn["how"], drawn["items"], drawn["seed"], len(drawn["drawn"])) == ("drawn", 8, 7, 3)
    assert [set(one) for one in drawn["drawn"]] == [{"item", "chance", "rated"}] * 3
    assert not any(one["rated"] for one in drawn["drawn"])
    assert haechi("draw", folder, "--json").json == drawn
    haechi("import", folder, write("ratings.csv", RATINGS))
    assert all(one["rated"] for one in haechi("draw", folder, "--json").json["drawn"])
    assert haechi("draw", folder, "--items", 30, "--json").code == 1


def test_a_run_of_an_agent_counts_answers_and_failures(haechi, tmp_path, write):
    study = Study.new(tmp_path / "hiring", "hiring-agent")
    with running(AgentServer()) as server:
        asked = ("run", study.folder, "--agent", write("agent.yaml", AGENT.format(url=server.url)))
        asked = (*asked, "--suite", write("suite.csv", SUITE), "--json")
        planned = haechi(*asked, "--dry-run").json
        assert (planned["dry_run"], planned["due"], planned["calls"]) == (True, 2, 2)
        assert not list(study.items())
        done = haechi(*asked).json
    assert (done["answered"], done["failed"], done["due"], done["import"]) == (2, 0, 2, 1)
    assert set(planned) - set(done) == {"dry_run", "calls", "at", "variables"}
    assert len(haechi("score", study.folder, "--json").json["items"]) == 2


EVERYWHERE = [
    *(
        ("score",),
        ("agree",),
        ("compare", "--by", "system"),
        ("check", "--min", "mean3=0.1"),
        ("check", "--list"),
    ),
    *(
        ("history",),
        ("undo",),
        ("draw",),
        ("anchors",),
        ("align",),
        ("audit",),
        ("calls",),
        ("collect",),
        ("rank",),
    ),
    *(("plan", "--width", "mean3=1.0"), ("judge", "--model", "openai:gpt-5-mini", "--dry-run")),
]


@pytest.mark.parametrize("state", ["empty", "items", "rated"])
@pytest.mark.parametrize("command", EVERYWHERE, ids=" ".join)
def test_json_is_one_document_in_every_state_of_a_study(haechi, write, tmp_path, state, command):
    study = tmp_path / "diaries"
    haechi("new", study, "--rubric", "diary-comment")
    if state != "empty":
        haechi("add", study, write("items.jsonl", ITEMS))
    if state == "rated":
        haechi("import", study, write("ratings.csv", RATINGS))
    name, *rest = command
    spoken = [haechi("--lang", language, name, study, *rest, "--json") for language in ("ko", "en")]
    for ran in spoken:
        assert ran.code in (0, 1)
        assert isinstance(json.loads(ran.out), dict)
        assert ("error" in ran.json) <= (ran.code == 1)
    if name != "undo":  # the second time there is something else to take back
        assert spoken[0].json.keys() == spoken[1].json.keys()
