"""`--where` and `--by`: the same fields, words and meaning in every command."""

from __future__ import annotations

import csv
import io
import statistics
from pathlib import Path

import polars as pl
import pytest

import haechi as package
import haechi.demo as haechi_demo

STANCES = ("participant", "third_party", "judge")


@pytest.fixture
def chats(haechi, tmp_path, write):
    """A small study of UBICA: four chats of two systems, rated from three stances, and one decision of a dispute."""
    study = tmp_path / "chats"
    rubric = package.rubric("ubica")
    names = list(rubric.score_names)[:9]
    assert haechi("new", study, "--rubric", "ubica").code == 0
    rows = "id,모델,messages\n" + "".join(
        f'c{n},{"AB"[n % 2]},"[{{""role"": ""user"", ""content"": ""네""}}]"\n' for n in range(4)
    )
    assert haechi("add", study, write("chats.csv", rows)).code == 0
    text = io.StringIO()
    table = csv.writer(text)
    table.writerow(["item", "rater", "kind", "입장", *names])
    for n in range(4):
        table.writerow([f"c{n}", f"user-{n}", "human", "참여자", *([n % 2 + 1] * 9)])
        table.writerow([f"c{n}", "kim", "human", "third party", *([3] * 9)])
        table.writerow([f"c{n}", "gpt", "ai", "", *([5] * 9)])
    table.writerow(["c0", "adjudicator", "human", "adjudication", *([1] * 9)])
    done = haechi("import", study, write("ratings.csv", text.getvalue()), "--as", "ratings", "--json")
    assert done.json["new"] == 13 * 9, done.err
    return study


def test_a_stance_is_a_column_of_scores(haechi, chats):
    told = haechi("score", chats, "--json").json["items"]
    assert {entry["stance"] for entry in told} == set(
        STANCES
    )  # the decision of the dispute is no measurement
    frame = package.Study(chats).scores().frame
    assert frame.columns[:5] == ["item", "rater", "kind", "replicate", "stance"]
    assert frame["stance"].to_list().count("participant") == 4


def test_grouped_and_selected_rows_come_to_the_same(haechi, chats):
    groups = haechi("score", chats, "--by", "stance", "--json").json["summary"][1:]
    by = {row["by"]["stance"]: row["scores"]["overall"]["mean_over_items"] for row in groups}
    assert by == {"participant": 1.5, "third_party": 3.0, "judge": 5.0}
    for stance, mean in by.items():
        alone = haechi("score", chats, "--where", f"stance={stance}", "--json").json
        assert alone["summary"][0]["scores"]["overall"]["mean_over_items"] == mean
        assert alone["where"] == {"stance": [stance]}
        gate = haechi("check", chats, "--where", f"stance={stance}", "--list", "--json").json
        assert gate["overall"]["value"] == mean


@pytest.mark.parametrize("command", [("compare", "--by", "stance"), ("compare", "--by", "입장")])
def test_stances_are_compared(haechi, chats, command):
    told = haechi(command[0], chats, *command[1:], "--json").json
    assert [group["by"]["stance"] for group in told["groups"]] == sorted(STANCES)
    two = haechi(
        *(
            "compare",
            chats,
            "--by",
            "stance",
            "--where",
            "stance=participant",
            "--where",
            "stance=judge",
            "--json",
        )
    ).json
    assert two["paired_by"] == {"field": "item", "chosen": "found"}
    assert two["criteria"]["overall"]["paired"]["difference"]["value"] == pytest.approx(3.5)


def test_a_report_of_one_stance_by_another_field(haechi, chats, tmp_path):
    out = tmp_path / "report"
    told = haechi("report", chats, "-o", out, "--where", "stance=참여자", "--by", "모델", "--json").json
    assert told["figures"]["overall@system=A"]["value"] == 1.0
    assert told["figures"]["raters"]["value"] == 4
    assert "stance=participant" in (out / "report.md").read_text("utf-8")
    assert set(pl.read_parquet(out / "ratings.parquet")["stance"]) == {"participant"}
    compared = haechi("report", chats, "-o", out, "--by", "stance", "--json").json
    assert compared["figures"]["overall@stance=judge"]["value"] == 5.0


def test_same_field_or_other_field_and(haechi, chats):
    def raters(*conditions: str) -> list[str]:
        options = [word for one in conditions for word in ("--where", one)]
        return [entry["rater"] for entry in haechi("score", chats, *options, "--json").json["items"]]

    assert raters("rater=kim", "rater=gpt") == ["kim", "gpt"] * 4
    assert raters("system=A", "kind=ai") == ["gpt"] * 2
    assert raters("모델=A", "평가자=kim", "평가자=gpt") == ["kim", "gpt"] * 2


def test_a_criterion_is_chosen_and_computed_as_ever(haechi, chats):
    whole = haechi("score", chats, "--json").json["summary"][0]["scores"]
    alone = haechi("score", chats, "--where", "criterion=overall", "--json").json["summary"][0]["scores"]
    assert alone == {"overall": whole["overall"]}
    agreed = haechi("agree", chats, "--where", "criterion=overall", "--json").json["criteria"]
    assert list(agreed) == ["overall"]
    compared = haechi("compare", chats, "--by", "system", "--where", "criterion=sum", "--json").json
    assert list(compared["criteria"]) == ["sum"]


def test_agreement_of_some(haechi, chats):
    told = haechi("agree", chats, "--where", "kind=human", "--where", "system=B", "--json").json
    found = told["criteria"]["overall"]
    assert found["n_items"] == 2
    assert found["n_raters"] == 3


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--where", "sytem=A"], ["sytem", "did you mean system?"]),
        (["--where", "system=C"], ["one of A, B"]),
        (["--where", "stance=teacher"], ["judge, participant, third_party"]),
        (["--where", "rater=kim", "--where", "kind=ai"], ["no row fits"]),
        (["--by", "sytem"], ["did you mean system?", "stance"]),
        (["--where", "criterion=overal"], ["did you mean overall?"]),
    ],
)
def test_unknown_fields_and_values_are_named_with_the_nearest(haechi, chats, options, words):
    ran = haechi("score", chats, *options)
    assert ran.code == 1
    assert any(word in ran.err for word in words), ran.err
    assert haechi("score", chats, "--where", "system").code == 2


def test_any_word_is_no_stance(haechi, chats, write):
    rows = write("more.csv", "item,rater,stance,criterion,value\nc0,lee,선생님,immersion,3\n")
    ran = haechi("import", chats, rows, "--as", "ratings")
    assert ran.code == 1
    assert "participant (참여자), third_party (제3자), judge (AI 평가자)" in ran.err


def test_files_are_selected_alike(haechi, write):
    rows = "item,rater,kind,모델,sympathy\n"
    rows += "".join(
        f"d{n},{who},{kind},{'AB'[n % 2]},{int(n < 2)}\n"
        for n in range(4)
        for who, kind in (("kim", "human"), ("gpt", "ai"))
    )
    file = write("ratings.csv", rows)
    score = ("score", file, "--rubric", "diary-comment", "--json")
    told = haechi(*score, "--where", "system=A", "--where", "kind=human").json
    assert [(entry["item"], entry["rater"]) for entry in told["items"]] == [("d0", "kim"), ("d2", "kim")]
    assert haechi(*score, "--where", "모델=A").json["summary"][0]["n"] == 4
    compared = haechi(
        "compare", file, "--rubric", "diary-comment", "--by", "system", "--where", "rater=gpt", "--json"
    )
    assert [group["n"] for group in compared.json["groups"]] == [2, 2]
    agreed = haechi("agree", file, "--rubric", "diary-comment", "--where", "모델=A", "--json").json
    assert agreed["criteria"]["sympathy"]["n_items"] == 2
    assert haechi(*score, "--where", "모댈=A").code == 1


def test_a_long_table_without_rubric(haechi, write):
    rows = "item,criterion,rater,value,mode\n"
    rows += "".join(
        f"i{n},{c},{r},{(n + len(r)) % 3},{'xy'[n % 2]}\n"
        for n in range(6)
        for c in "pq"
        for r in ("a", "bb")
    )
    file = write("long.csv", rows)
    told = haechi("agree", file, "--where", "criterion=p", "--where", "mode=x", "--json").json["criteria"]
    assert list(told) == ["p"]
    assert told["p"]["n_items"] == 3


def test_runs_are_selected_alike(haechi, demo):
    study = demo / "hiring-agent"
    groups = haechi("score", study, "--by", "round", "--json").json["summary"][1:]
    for group in groups:
        alone = haechi("score", study, "--where", f"round={group['by']['round']}", "--json").json["summary"][
            0
        ]
        assert alone["scores"] == group["scores"]
        assert alone["seconds"] == pytest.approx(group["seconds"])
    one = haechi("score", study, "--where", "tool_class=SINGLE", "--json").json
    assert {entry["details"]["tool_class"] for entry in one["items"]} == {"SINGLE"}
    listed = haechi("check", study, "--where", "round=1", "--list", "--json").json
    first = next(group for group in groups if group["by"]["round"] == "1")
    assert listed["overall"]["value"] == pytest.approx(first["scores"]["overall"]["mean_over_items"])
    assert haechi("score", study, "--where", "round=99").code == 1


def test_files_of_runs_carry_what_they_are_selected_by(haechi, tmp_path):
    runs = Path(haechi_demo.__file__).parent / "data" / "hiring-agent" / "runs.csv"
    whole = haechi("score", runs, "--rubric", "hiring-agent", "--by", "카테고리", "--json").json
    value = whole["items"][0]["meta"]["category"]
    alone = haechi("score", runs, "--rubric", "hiring-agent", "--where", f"카테고리={value}", "--json").json
    assert {entry["meta"]["category"] for entry in alone["items"]} == {value}
    points = [e["scores"]["accuracy"] for e in alone["items"] if e["scores"]["accuracy"] is not None]
    assert statistics.mean(points) == pytest.approx(alone["summary"][0]["scores"]["accuracy"]["mean"])


def test_pseudonyms_do_not_hide_whom_one_selects(haechi, chats, tmp_path):
    told = haechi("report", chats, "-o", tmp_path / "r", "--where", "rater=kim", "--anonymous", "--json").json
    assert told["figures"]["overall"]["value"] == 3.0
    assert told["figures"]["raters"]["value"] == 1
