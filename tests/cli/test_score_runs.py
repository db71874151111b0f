"""Agent runs from the command line: a file as it is exported, and the same in a study."""

from __future__ import annotations

import csv
import io
import json

import polars as pl
import pytest

HEADER = [
    "Run ID",
    "Item ID",
    "Query ID",
    "질의",
    "기대결과",
    "카테고리",
    "방/반복",
    "응답",
    "오류",
    "Raw JSON",
]


def _payload(message: str, seconds: float | None = None, **entry: object) -> str:
    payload: dict[str, object] = {
        "assistantMessage": message,
        "dataUIList": [{"uiValue": entry}] if entry else [],
    }
    return json.dumps(
        payload | ({"responseTimeSec": seconds} if seconds is not None else {}), ensure_ascii=False
    )


ROWS = [
    ["run-1", "q1-1", "q1", "면접 추가", "@check formType=ACTION; actionType=ADD", "기본", "1/1", "", "", _payload("추가했습니다", 5.0, formType="ACTION", actionType="ADD")],
    ["run-2", "q1-2", "q1", "면접 추가", "@check formType=ACTION; actionType=ADD", "기본", "2/1", "", "", _payload("추가했습니다", 5.0001, formType="ACTION", actionType="EDIT")],
    ["run-1", "q2-1", "q2", "삭제", "", "예외", "1/1", "", "TimeoutError: 60s", ""],
    ["run-2", "q2-2", "q2", "삭제", "", "예외", "2/1", "", "", '{"assistantMessage": "삭'],
]  # fmt: skip


def _csv(rows: list[list[str]], header: list[str] = HEADER) -> str:
    text = io.StringIO()
    csv.writer(text).writerows([header, *rows])
    return "\ufeff" + text.getvalue()


def test_an_export_is_scored_as_it_is(haechi, write):
    scored = haechi("score", write("runs.csv", _csv(ROWS)), "--rubric", "hiring-agent", "--json").json
    by_item = {entry["item"]: entry for entry in scored["items"]}
    first, second, error, damaged = (by_item[i]["scores"] for i in ("q1-1", "q1-2", "q2-1", "q2-2"))
    assert (first["accuracy"], second["accuracy"]) == (5, 3)  # 2 of 2 and 1 of 2 checks
    assert (first["latency_single"], second["latency_single"], first["latency_multi"]) == (5, 4, None)
    assert first["consistency"] == second["consistency"] == 3.75  # the same label, two signatures
    assert (error["stability"], damaged["stability"], error["intent"], error["accuracy"]) == (0, 0, 0, 0)
    assert first["intent"] is None
    assert by_item["q1-1"]["missing"]["intent"] == "there is no verdict"
    assert by_item["q1-1"]["meta"] == {"query": "q1", "round": "1", "category": "기본"}
    details = by_item["q1-2"]["details"]
    assert (details["seconds"], details["ratio_a"], details["ratio_b"], details["runs"]) == (
        5.0001,
        1.0,
        0.5,
        2,
    )
    assert (details["checks_passed"], details["checks_total"], details["failing"]) == (1, 2, "actionType=ADD")
    summary = {json.dumps(row["by"], ensure_ascii=False): row for row in scored["summary"]}
    assert next(iter(summary)) == "{}"
    assert summary['{"round": "1"}']["scores"]["stability"] == {
        "mean": 2.5,
        "n": 2,
        "sd": pytest.approx(12.5**0.5),  # of 0 and 5: √((2.5² + 2.5²) / 1)
        "ci95": pytest.approx([0.4726560, 4.5273440], abs=1e-6),  # Wilson of 1 in 2, times 5
        "mean_over_items": 2.5,
        "median": 2.5,
        "missing": 0,
        "distribution": {"0": 1, "1": 0, "2": 0, "3": 0, "4": 0, "5": 1},
    }
    assert summary['{"category": "예외"}']["n"] == 2


def test_a_study_gives_the_same_scores_and_takes_verdicts_from_raters(haechi, write, tmp_path):
    file, folder = write("runs.csv", _csv(ROWS)), tmp_path / "agent"
    haechi("new", folder, "--rubric", "hiring-agent")
    assert haechi("add", folder, file, "--json").json["new"] == 4
    alone = haechi("score", file, "--rubric", "hiring-agent", "--json").json
    stored = haechi("score", folder, "--json").json
    assert [entry["scores"] for entry in stored["items"]] == [entry["scores"] for entry in alone["items"]]
    assert stored["summary"] == alone["summary"]
    verdicts = (
        "item,criterion,rater,kind,value\nq1-1,intent,qa-1,human,perfect\nq2-1,intent,qa-1,human,GOOD\n"
    )
    assert haechi("import", folder, write("v.csv", verdicts), "--as", "ratings").code == 0
    judged = {entry["item"]: entry for entry in haechi("score", folder, "--json").json["items"]}
    assert (judged["q1-1"]["rater"], judged["q1-1"]["scores"]["intent"]) == ("qa-1", 5)
    # 0.2·5 + 0.1·3.75 + 0.3·5 + 0.2·5 + 0.2·5
    assert judged["q1-1"]["scores"]["overall"] == pytest.approx(4.875)
    assert judged["q2-1"]["scores"]["intent"] == 0, "a failed run is FAILED by rule, whatever a rater said"
    assert judged["q1-2"]["rater"] == "code"


def test_renormalise_is_asked_for_and_stated(haechi, write):
    file = write("runs.csv", _csv(ROWS))
    ran = haechi("score", file, "--rubric", "hiring-agent", "--missing", "renormalise")
    assert "renormalised" in ran.err
    scored = haechi("score", file, "--rubric", "hiring-agent", "--missing", "renormalise", "--json").json
    assert scored["missing_policy"] == "renormalise"
    # (0.1·3.75 + 0.3·5 + 0.2·5 + 0.2·5) / 0.8
    assert scored["items"][0]["scores"]["overall"] == pytest.approx(3.875 / 0.8)


def test_jsonl_parquet_and_csv_give_the_same(haechi, write, tmp_path):
    records = [dict(zip(HEADER, row, strict=True)) for row in ROWS]
    files = [
        write("runs.csv", _csv(ROWS)),
        write("runs.jsonl", "\n".join(json.dumps(record, ensure_ascii=False) for record in records)),
        write(
            "cp949.jsonl",
            "\n".join(json.dumps(record, ensure_ascii=False) for record in records).encode("cp949"),
        ),
        write("runs.json", json.dumps(records)),
        tmp_path / "runs.parquet",
    ]
    pl.DataFrame(records).write_parquet(files[-1])
    results = [haechi("score", file, "--rubric", "hiring-agent", "--json").json for file in files]
    for result in results[1:]:
        assert [e["scores"] for e in result["items"]] == [e["scores"] for e in results[0]["items"]]
        assert result["summary"] == results[0]["summary"]


def test_other_columns_can_be_grouped_by(haechi, write):
    file = write("runs.csv", _csv([[*row, "beta"] for row in ROWS], [*HEADER, "version"]))
    scored = haechi("score", file, "--rubric", "hiring-agent", "--by", "version", "--json").json
    assert [row["by"] for row in scored["summary"]] == [{}, {"version": "beta"}]


@pytest.mark.parametrize(
    ("rows", "header", "said"),
    [
        ([["a", "b"]], ["질의", "응답"], "a column Query ID"),
        ([["q1", "a", "{}"], ["q1", "a", "{}"]], ["Query ID", "Item ID", "Raw JSON"], "every id once"),
        ([["q1", "{}"], ["q2", "{}", "x"]], ["Query ID", "Raw JSON"], "as in the header"),
        ([["q1", "{}", "soon"]], ["Query ID", "Raw JSON", "latency_ms"], "milliseconds"),
        ([], ["Query ID", "Raw JSON"], "at least one record"),
    ],
)
def test_a_broken_export_is_named(haechi, write, rows, header, said):
    ran = haechi("score", write("runs.csv", _csv(rows, header)), "--rubric", "hiring-agent")
    assert ran.code == 1
    assert said in ran.err


def test_odd_payloads_are_failures_of_the_run_not_of_the_command(haechi, write):
    odd = [
        "[1, 2]",
        '"text"',
        "null",
        '{"responseTimeSec": NaN}',
        "{" * 5000,
        '{"assistantMessage": "\\ud800"}',
    ]
    rows = [[f"q{n}", str(n), payload] for n, payload in enumerate(odd)]
    scored = haechi(
        "score",
        write("r.csv", _csv(rows, ["Query ID", "Item ID", "Raw JSON"])),
        "--rubric",
        "hiring-agent",
        "--json",
    ).json
    assert [entry["scores"]["accuracy"] for entry in scored["items"]] == [0] * len(odd)


def test_exports_of_runs(haechi, write, tmp_path):
    file = write("runs.csv", _csv(ROWS))
    for name in ("s.csv", "s.xlsx", "s.parquet"):
        assert haechi("score", file, "--rubric", "hiring-agent", "-o", tmp_path / name).code == 0
    frame = pl.read_parquet(tmp_path / "s.parquet")
    assert frame["accuracy"].to_list() == [5, 3, 0, 0]
    assert frame["missing"][0].startswith("intent: there is no verdict")


def test_raters_of_intent_do_not_change_how_often_a_run_counts(haechi, write, tmp_path):
    folder = tmp_path / "agent"
    haechi("new", folder, "--rubric", "hiring-agent")
    haechi("add", folder, write("runs.csv", _csv(ROWS)))
    verdicts = "item,criterion,rater,kind,value\n" + "".join(
        f"q1-1,intent,qa-{n},human,GOOD\n" for n in range(3)
    )
    haechi("import", folder, write("v.csv", verdicts), "--as", "ratings")
    whole = haechi("score", folder, "--json").json["summary"][0]
    assert (whole["n"], whole["scores"]["stability"]["mean"], whole["seconds"]["n"]) == (4, 2.5, 2)


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_fields_are_grouped_by_in_any_spelling_and_unknown_ones_are_refused(haechi, write, suffix):
    records = [dict(zip(HEADER, row, strict=True)) for row in ROWS]
    text = _csv(ROWS) if suffix == "csv" else "\n".join(json.dumps(record) for record in records)
    file = write(f"runs.{suffix}", text)
    for field, groups in (("카테고리", {"기본", "예외"}), ("repeat", {"1"}), ("방", {"1", "2"})):
        rows = haechi("score", file, "--rubric", "hiring-agent", "--by", field, "--json").json["summary"][1:]
        assert {next(iter(row["by"].values())) for row in rows} == groups, field
    for field in ("nonsuch", "rater", "seconds"):
        assert haechi("score", file, "--rubric", "hiring-agent", "--by", field).code == 1, field


def test_nested_meta_numbers_and_brackets_can_be_grouped_by(haechi, write):
    runs = [
        {"query_id": "q1", "item_id": n, "payload": {}, "meta": {"team": team}}
        for n, team in enumerate([7, "[/red]"])
    ]
    for name, text in (("r.json", json.dumps(runs)), ("r.jsonl", "\n".join(map(json.dumps, runs)))):
        file = write(name, text)
        rows = haechi("score", file, "--rubric", "hiring-agent", "--by", "team", "--json").json["summary"][1:]
        assert {row["by"]["team"] for row in rows} == {"7", "[/red]"}
        assert "[/red]" in haechi("score", file, "--rubric", "hiring-agent", "--by", "team").out


def test_nothing_to_score_is_said(haechi, write, tmp_path):
    haechi("new", tmp_path / "empty", "--rubric", "hiring-agent")
    assert "no runs" in haechi("score", tmp_path / "empty").err
    assert haechi("score", write("blank.jsonl", "\n\n"), "--rubric", "hiring-agent").code == 1
    pl.DataFrame({"query_id": []}, schema={"query_id": pl.String}).write_parquet(tmp_path / "none.parquet")
    assert haechi("score", tmp_path / "none.parquet", "--rubric", "hiring-agent").code == 1


def test_columns_with_the_names_of_our_own(haechi, write, tmp_path):
    rows = [[*row, "x", "y", "z"] for row in ROWS]
    haechi("new", tmp_path / "s", "--rubric", "hiring-agent")
    haechi("add", tmp_path / "s", write("r.csv", _csv(rows, [*HEADER, "rater", "missing", "overall"])))
    ran = haechi("score", tmp_path / "s", "-o", tmp_path / "o.parquet", "--by", "meta.rater", "--json")
    assert ran.json["summary"][1]["by"] == {"meta.rater": "x"}
    assert pl.read_parquet(tmp_path / "o.parquet")["meta.overall"].to_list() == ["z"] * 4


def test_a_column_named_like_one_of_our_figures_is_written_beside_it(haechi, write, tmp_path):
    rows = [[*row, "slow" if row[0] == "run-1" else "fast"] for row in ROWS]
    path = write("runs.csv", _csv(rows, [*HEADER, "seconds"]))
    haechi("score", path, "--rubric", "hiring-agent", "--by", "seconds", "-o", tmp_path / "scores.parquet")
    table = pl.read_parquet(tmp_path / "scores.parquet")
    assert table["seconds"].to_list() == ["slow", "fast", "slow", "fast"]
    assert table["details:seconds"].to_list() == [5.0, 5.0001, None, None]


def test_several_files_are_one_set(haechi, write, tmp_path):
    """Repeats of a query in different files, formats and encodings are compared with each other."""
    whole = haechi("score", write("runs.csv", _csv(ROWS)), "--rubric", "hiring-agent", "--json").json
    folder = tmp_path / "split"
    folder.mkdir()
    records = [dict(zip(HEADER, row, strict=True)) for row in ROWS]
    pl.DataFrame(records[:1]).write_parquet(folder / "1[a].parquet")
    pl.DataFrame([{"Query ID": "none of these"}]).write_parquet(folder / "1a.parquet")
    for number, encoding in ((2, "utf-8"), (3, "cp949")):
        line = json.dumps(records[number - 1], ensure_ascii=False)
        (folder / f"{number}.jsonl").write_bytes(line.encode(encoding))
    (folder / "4.csv").write_text(_csv(ROWS[3:]), "utf-8")
    targets = [folder / "1[[]a].parquet", folder / "?.jsonl", folder / "4.csv"]
    split = haechi("score", *targets, "--rubric", "hiring-agent", "--json")
    assert split.code == 0, split.err
    assert split.json == whole


def test_a_folder_of_runs_needs_a_rubric_and_a_ratings_table_stands_alone(haechi, write, tmp_path):
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "a.jsonl").write_text('{"query_id": "q", "raw_json": "{}"}', "utf-8")
    assert (
        haechi("score", tmp_path / "runs", "--rubric", "hiring-agent", "--json").json["summary"][0]["n"] == 1
    )
    assert "give --rubric ID" in haechi("score", tmp_path / "runs").err
    one, two = write("a.csv", "item,rater,value\n"), write("b.csv", "item,rater,value\n")
    refused = haechi("score", one, two, "--rubric", "diary-comment")
    assert refused.code == 1
    assert "one ratings table" in refused.err


def test_an_export_without_payloads_is_refused_though_it_has_a_column_of_errors(haechi, write):
    header = [name for name in HEADER if name != "Raw JSON"]
    ran = haechi("score", write("runs.csv", _csv([ROWS[0][:-1]], header)), "--rubric", "hiring-agent")
    assert "runs.csv:2, raw_json" in ran.err


def test_means_of_a_few_runs_are_called_so(haechi, write):
    ran = haechi(
        "score",
        write("runs.csv", _csv([*ROWS[:3], [*ROWS[0][:1], "q1-3", *ROWS[0][2:]]])),
        "--rubric",
        "hiring-agent",
    )
    assert (
        "intent, overall: more than half of all items, those that nobody rated included, have no value"
        in ran.err
    )
    ran = haechi("score", write("runs.csv", _csv(ROWS)), "--rubric", "hiring-agent", "--exclude", "intent")
    assert "more than half" not in ran.err


def test_a_field_that_is_named_twice_groups_once(haechi, demo):
    once, twice = (
        haechi("score", demo / "maice-qac", "--by", by, "--json").json for by in ("mode", "mode,mode")
    )
    assert once["summary"] == twice["summary"]
