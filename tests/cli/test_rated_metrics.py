"""What judges and people gave for the metrics that code measures: kept, shown beside code's scores, never among them."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

HEAD = [
    "Run ID",
    "Item ID",
    "Ordinal",
    "Query ID",
    "질의",
    "기대결과",
    "카테고리",
    "방/반복",
    "실행시각",
    "응답",
    "오류",
    "LLM 상태",
    "LLM 모델",
    "의도충족 점수",
    "정확성 점수",
    "일관성 점수",
    "속도(SINGLE) 점수",
    "속도(MULTI) 점수",
    "안정성 점수",
    "LLM 평가 코멘트",
    "Raw JSON",
]
EXPECTED = '1) dataUIList 내 formType 값이 "LINK"인 항목이 존재하는가\n2) assistantMessage에 "마감"과 관련된 내용이 언급되어 있는가'


def run(item: str, query: str, round_: str, message: str, seconds: float, *numbers: str) -> list[str]:
    payload = json.dumps(
        {"assistantMessage": message, "dataUIList": [], "responseTimeSec": seconds}, ensure_ascii=False
    )
    model = "gpt-5-mini" if any(numbers) else ""
    state = "DONE" if model else "WAITING"
    return [
        *("r-1", item, "1", query, "마감일은?", EXPECTED, "일정", round_, "2026-11-02T02:19:55", message, "", state, model),
        *(numbers or [""] * 6),
        "짧음" if model else "",
        payload,
    ]  # fmt: skip


RUNS = [
    run("i-1", "q-1", "1/1", "마감은 3일입니다.", 6.0, "5", "4", "3.5", "4", "", "5"),
    run("i-2", "q-1", "2/1", "모르겠습니다.", 9.0, "3", "0", "", "3", "", "3"),
    run("i-3", "q-2", "1/1", "마감은 5일입니다.", 4.0),
]


AGAIN = [("first", 1, 5), ("first", 2, 5), ("first", 3, 5), ("second", 1, 2)]


def table(rows: list[list[str]], leave_out: str = "") -> str:
    written = io.StringIO()
    place = HEAD.index(leave_out) if leave_out else len(HEAD)
    csv.writer(written).writerows([*row[:place], *row[place + 1 :]] for row in [HEAD, *rows])
    return written.getvalue()


@pytest.fixture
def study(haechi, write, tmp_path: Path) -> Path:
    folder, file = tmp_path / "qa", write("export.csv", table(RUNS))
    assert haechi("new", folder, "--rubric", "hiring-agent").code == 0
    assert haechi("add", folder, file).code == 0
    imported = haechi("import", folder, file, "--json")
    assert imported.code == 0, imported.err
    assert imported.json["new"] == 9  # five and four numbers; an empty cell is no rating
    return folder


def rows_of(scored) -> dict[tuple[str, str], dict]:
    return {(one["item"], one["rater"]): one for one in scored.json["items"]}


def test_the_six_numbers_of_the_workbook_are_ratings_of_the_model(haechi, study: Path) -> None:
    scored = haechi("score", study, "--json")
    found = rows_of(scored)
    assert set(found) == {("i-1", "gpt-5-mini"), ("i-2", "gpt-5-mini"), ("i-3", "code")}
    first = found["i-1", "gpt-5-mini"]
    assert first["rated"] == {"accuracy": 4, "consistency": 3.5, "latency_single": 4, "stability": 5}
    assert found["i-2", "gpt-5-mini"]["rated"] == {"accuracy": 0, "latency_single": 3, "stability": 3}
    assert "rated" not in found["i-3", "code"]
    # Code's values stay the scores: one of two checks, the same label or not, the band of the seconds.
    assert first["scores"]["accuracy"] == 3
    assert first["scores"]["latency_single"] == 4


def test_nothing_of_it_enters_what_code_measured(haechi, study: Path, tmp_path: Path, write) -> None:
    with_ratings = haechi("score", study, "--json").json["summary"][0]["scores"]
    bare = tmp_path / "bare"
    assert haechi("new", bare, "--rubric", "hiring-agent").code == 0
    assert haechi("add", bare, tmp_path / "export.csv").code == 0
    without = haechi("score", bare, "--json").json["summary"][0]["scores"]
    for name in ("accuracy", "consistency", "latency_single", "latency_multi", "stability"):
        assert with_ratings[name] == without[name]


def test_people_who_rate_only_what_code_measures(haechi, study: Path, write) -> None:
    people = write(
        "people.csv", "item,rater,criterion,value\ni-1,kim,정확성,2\ni-3,kim,accuracy,1\ni-3,lee,accuracy,2\n"
    )
    assert haechi("import", study, people).code == 0
    scored = haechi("score", study, "--json")
    found = rows_of(scored)
    assert found["i-3", "kim"]["rated"] == {"accuracy": 1}
    assert found["i-3", "kim"]["missing"]["intent"] == "there is no verdict"
    summary = scored.json["summary"][0]
    assert summary["n"] == 3
    assert summary["rated"]["accuracy"] == {
        "code": {"mean": summary["scores"]["accuracy"]["mean"], "n": 3},
        "ai": {"mean": 2, "n": 2, "difference": pytest.approx(((4 - 3) + (0 - 0)) / 2)},
        # i-3 counts once, with the mean of kim and lee.
        "human": {"mean": 1.75, "n": 2, "difference": pytest.approx(((2 - 3) + (1.5 - 3)) / 2)},
    }
    shown = haechi("score", study, "--lang", "ko").out
    assert "코드와 평가자" in shown
    assert "사람 − 코드" in shown


def test_a_judge_that_was_asked_again_is_still_one_rater_of_the_run(haechi, study: Path, write) -> None:
    again = [f"i-3,{rater},ai,{n},accuracy,{v}\n" for rater, n, v in AGAIN]
    assert (
        haechi(
            "import",
            study,
            write("again.csv", "item,rater,kind,replicate,criterion,value\n" + "".join(again)),
        ).code
        == 0
    )
    rated = haechi("score", study, "--json").json["summary"][0]["rated"]["accuracy"]["ai"]
    # i-1 has 4 and i-2 has 0, both of one judge; i-3 has 5 of the first and 2 of the second, not 17/4.
    assert rated["mean"] == pytest.approx((4 + 0 + 3.5) / 3)
    assert rated["n"] == 3
    assert rated["difference"] == pytest.approx(((4 - 3) + (0 - 0) + (3.5 - 3)) / 3)


def test_code_is_one_of_the_raters_that_agree(haechi, study: Path, write) -> None:
    people = write("people.csv", "item,rater,criterion,value\ni-1,kim,accuracy,2\ni-2,kim,accuracy,1\n")
    assert haechi("import", study, people).code == 0
    found = haechi("agree", study, "--json").json
    accuracy = found["criteria"]["accuracy"]
    assert sorted(accuracy["raters"]) == ["code", "gpt-5-mini", "kim"]
    pairs = {frozenset((pair["a"], pair["b"])): pair for pair in accuracy["pairs"]}
    apart = pairs[frozenset(("gpt-5-mini", "code"))]
    assert apart["n"] == 2
    assert abs(apart["mean_difference"]["value"]) == pytest.approx(0.5)
    # People against AI judges stays just that.
    assert found["human_ai"]["accuracy"]["n"] == 2
    assert found["human_ai"]["accuracy"]["mean_difference"]["value"] == pytest.approx(((4 - 2) + (0 - 1)) / 2)
    assert found["criteria"]["intent"]["raters"] == ["gpt-5-mini"]


def test_points_outside_the_scale_are_refused(haechi, study: Path, write) -> None:
    refused = haechi("import", study, write("bad.csv", "item,rater,accuracy\ni-1,kim,6\n"))
    assert refused.code == 1
    assert "0–5" in refused.err
    assert "bad.csv:2" in refused.err


def test_a_file_of_runs_without_ids_is_matched_by_query_and_repeat(haechi, write, tmp_path: Path) -> None:
    folder, file = tmp_path / "qa", write("export.csv", table(RUNS, leave_out="Item ID"))
    assert haechi("new", folder, "--rubric", "hiring-agent").code == 0
    assert haechi("add", folder, file).code == 0
    assert haechi("import", folder, file).code == 0
    assert ("q-1#2/1", "gpt-5-mini") in rows_of(haechi("score", folder, "--json"))


def test_the_one_number_of_the_earlier_export_is_beside_the_overall_score(
    haechi, write, tmp_path: Path
) -> None:
    text = (
        "Query ID,방/반복,질의,응답,오류,Logic 결과,Logic 사유,LLM 모델,LLM 점수,LLM 코멘트,Raw JSON\n"
        'q1,1/1,면접,네,,PASS,-,gpt-5-mini,4,좋음,"{""assistantMessage"": ""네""}"\n'
        'q1,1/2,면접,네,,FAIL,-,,,,"{""assistantMessage"": ""네""}"\n'
    )
    folder, file = tmp_path / "qa", write("old.csv", text)
    assert haechi("new", folder, "--rubric", "hiring-agent").code == 0
    assert haechi("add", folder, file).code == 0
    assert haechi("import", folder, file, "--json").json["new"] == 1
    found = rows_of(haechi("score", folder, "--json"))
    assert found["q1#1/1", "gpt-5-mini"]["rated"] == {"overall": 4}
    assert found["q1#1/1", "gpt-5-mini"]["scores"]["overall"] is None


def test_the_report_has_code_and_raters_side_by_side(haechi, study: Path, tmp_path: Path) -> None:
    assert haechi("report", study, "-o", tmp_path / "report", "--lang", "en").code == 0
    written = (tmp_path / "report" / "report.md").read_text("utf-8")
    assert "Code and raters" in written
    assert "AI − code" in written


def test_agreement_begins_with_what_raters_judge(haechi, study: Path, write) -> None:
    people = write("people.csv", "item,rater,intent,stability\ni-1,kim,GOOD,5\ni-2,kim,WEAK,2\n")
    assert haechi("import", study, people).code == 0
    shown = haechi("agree", study, "--lang", "en").out
    assert "Pairs of raters · Intent" in shown
    assert "Pairs of raters · Stability" not in shown
