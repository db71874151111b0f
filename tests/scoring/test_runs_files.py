"""Runs from files: every format and spelling comes to the same scores, in one process or several."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import reference

import haechi
from haechi.cluster import runner
from haechi.data import splits
from haechi.data.files import LONGEST_RECORD
from haechi.data.readers import read_rows
from haechi.data.shapes import items_of
from haechi.errors import HaechiError
from haechi.rubrics import Rubric
from haechi.scoring import run_pipeline
from haechi.scoring.run_pipeline import Sink
from haechi.scoring.run_sources import item_parts, run_names, run_shape, score_run_files
from haechi.scoring.runs import jsonl, parquet, parts
from haechi.scoring.runs.columns import RunReading

RUBRIC = haechi.rubric("hiring-agent")
BY = (("round",), ("category",), ("team",))
HEADERS = (
    "Item ID",
    "Query ID",
    "질의",
    "기대결과",
    "카테고리",
    "방/반복",
    "응답",
    "오류",
    "Raw JSON",
    "team",
)


def _payload(message: str, *values: dict[str, Any], **more: Any) -> str:
    entries = [{"uiType": "form", "uiValue": value} for value in values]
    return json.dumps({"assistantMessage": message, "dataUIList": entries, **more}, ensure_ascii=False)


RUNS = [
    ("a1", "q1", "전형 추가해줘", "@check formType=ACTION; actionType=ADD_NODE", "기본", "1/1", "추가했습니다.", "",
     _payload("추가했습니다.", {"formType": "ACTION", "actionType": "ADD_NODE"}, responseTimeSec=5.0), "x"),
    ("a2", "q1", "전형 추가해줘", "@check formType=ACTION; actionType=ADD_NODE", "기본", "2/1", "선택해 주세요.", "",
     _payload("어느 단계인지 선택해 주세요.", {"formType": "SELECT"}, responseTimeSec="5.0001"), "x"),
    ("a3", "q2", "합격률 분석", "@check formType=CHART", "여러 도구", "1/1", "요약했습니다.", "",
     _payload("요약했습니다.", {"formType": "CHART"}, {"formType": "TABLE"}, worker=[1, 2], responseTimeSec=20), "y"),
    ("a4", "q2", "합격률 분석", "@check formType=CHART", "여러 도구", "2/1", "요약입니다.", "",
     _payload("요약입니다.", {"formType": "TABLE"}, {"formType": "CHART"}, worker=[1, 2], responseTimeSec=30.5), "y"),
    ("a5", "q3", "메일 지워줘", "", "기본", "1/1", "", "TimeoutError: 60s", "", "x"),
    ("a6", "q3", "메일 지워줘", "", "기본", "2/1", "", "", '{"assistantMessage": "삭제', "y"),
    ("a7", "q4", "저장", "", "기본", "1/1", "", "", '{"assistantMessage": "", "dataUIList": []}', "x"),
]  # fmt: skip


def score_run_file(
    path: Path, rubric: Rubric, sink: Sink, by: tuple[tuple[str, ...], ...] = (), workers: int | None = None
) -> list[dict[str, Any]]:
    return [row.as_json() for row in score_run_files([path], rubric, sink, by, workers=workers).rows()]


def table(path: Path) -> tuple[pl.DataFrame, list[dict[str, Any]]]:
    batches: list[pl.DataFrame] = []
    summary = score_run_file(path, RUBRIC, batches.append, BY, workers=1)
    return pl.concat(batches), summary


def write_csv(path: Path, encoding: str = "utf-8-sig") -> Path:
    text = io.StringIO()
    csv.writer(text).writerows([HEADERS, *RUNS])
    path.write_bytes(text.getvalue().encode(encoding))
    return path


@pytest.fixture
def from_csv(tmp_path: Path) -> tuple[pl.DataFrame, list[dict[str, Any]]]:
    return table(write_csv(tmp_path / "runs.csv"))


def test_scores_of_an_export(from_csv: tuple[pl.DataFrame, list[dict[str, Any]]]) -> None:
    frame, summary = from_csv
    found = {run["item"]: run for run in frame.to_dicts()}
    names = ("accuracy", "consistency", "latency_single", "latency_multi", "stability", "intent")
    assert {item: tuple(run[name] for name in names) for item, run in found.items()} == {
        # q1: the labels ADD and CLARIFY differ and so do the signatures: (1/2 + 1/2) / 2 * 5 = 2.5
        "a1": (5, 2.5, 5, None, 5, None),
        "a2": (0, 2.5, 4, None, 5, None),  # neither of two checks passes; 5.0001 s
        # q2: both VIEW, and the order of entries does not matter
        "a3": (5, 5, None, 5, 5, None),
        "a4": (5, 5, None, 3, 5, None),  # 30.5 s
        # q3: both failed, so the label ERROR and the signature EMPTY agree
        "a5": (0, 5, 0, None, 0, 0),
        "a6": (0, 5, 0, None, 0, 0),
        "a7": (0, 0, 0, None, 0, None),
    }
    assert found["a5"]["error"] == "TimeoutError: 60s"
    assert [row["by"] for row in summary[1:]] == [
        {"round": "1"}, {"round": "2"}, {"category": "기본"}, {"category": "여러 도구"}, {"team": "x"}, {"team": "y"},
    ]  # fmt: skip
    assert summary[0]["n"] == 7
    assert summary[0]["seconds"] == {
        "mean": pytest.approx((5.0 + 5.0001 + 20 + 30.5) / 4),
        "n": 4,
        "without_time": len(RUNS) - 4,
    }
    # 5 + 4 + 0 + 0 + 0 over the five single-tool runs
    single = summary[0]["scores"]["latency_single"]
    assert (single["mean"], single["distribution"]) == (
        9 / 5,
        {"0": 3, "1": 0, "2": 0, "3": 0, "4": 1, "5": 1},
    )


def _snake(run: tuple[str, ...], embed: bool) -> dict[str, Any]:
    names = (
        "id",
        "query_id",
        "query",
        "expected_result",
        "category",
        "round",
        "response",
        "error",
        "raw_json",
        "team",
    )
    record: dict[str, Any] = dict(zip(names, run, strict=True))
    record |= {"round": int(run[5][0]), "repeat": 1, "error": run[7] or None}
    if embed and run[8].endswith("}"):
        record["raw_json"] = json.loads(run[8])
    return record


SPELLINGS = {
    "korean headers": lambda run: dict(zip(HEADERS, run, strict=True)),
    "snake_case": lambda run: _snake(run, embed=False),
    "embedded payload": lambda run: _snake(run, embed=True),
    "camelCase": lambda run: {
        "itemId": run[0], "queryId": run[1], "rawJson": run[8], "expectedResult": run[3], "team": run[9],
        "category": run[4], "round": run[5][0], **({"error": run[7]} if run[7] else {}),
    },
    "payload beside": lambda run: {
        "id": run[0], "query_id": run[1], "expected": run[3], "category": run[4], "round": run[5][0], "team": run[9],
        "error": run[7], **(json.loads(run[8]) if run[8].endswith("}") else {"raw_json": run[8]}),
    },
}  # fmt: skip


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_jsonl_in_every_spelling(
    spelling: str, tmp_path: Path, from_csv: tuple[pl.DataFrame, list[dict[str, Any]]]
) -> None:
    file = tmp_path / "runs.jsonl"
    lines = [json.dumps(SPELLINGS[spelling](run), ensure_ascii=False) for run in RUNS]
    file.write_text("\ufeff" + "\n\n".join(lines), "utf-8")
    frame, summary = table(file)
    assert frame.equals(from_csv[0].select(frame.columns))
    assert summary == from_csv[1]


def test_jsonl_in_another_encoding(
    tmp_path: Path, from_csv: tuple[pl.DataFrame, list[dict[str, Any]]]
) -> None:
    file = tmp_path / "runs.jsonl"
    file.write_bytes(
        "\n".join(json.dumps(_snake(run, False), ensure_ascii=False) for run in RUNS).encode("cp949")
    )
    assert table(file)[0].equals(from_csv[0])


@pytest.mark.parametrize("spelling", ["korean headers", "snake_case"])
def test_parquet(spelling: str, tmp_path: Path, from_csv: tuple[pl.DataFrame, list[dict[str, Any]]]) -> None:
    file = tmp_path / "runs.parquet"
    pl.DataFrame([SPELLINGS[spelling](run) for run in RUNS]).write_parquet(file, row_group_size=2)
    assert table(file)[0].equals(from_csv[0])


def test_quick_and_careful_reading_agree(tmp_path: Path) -> None:
    """What is quick must be what the item readers say, also for odd ids, spaces and numbers as text."""
    records = [
        {"query_id": " q1 ", "방/반복": "2/3", "raw_json": "{}", "error": "\u3000"},
        {"query_id": 7, "round": 1, "raw_json": {"assistantMessage": "확인"}, "latency_ms": 1500},
        {
            "id": "x",
            "query_id": "q1",
            "round": None,
            "repeat": "2",
            "raw_json": None,
            "accuracy_checks": [{"path": "a"}],
        },
    ]
    file = tmp_path / "runs.jsonl"
    file.write_text("\n".join(json.dumps(record, ensure_ascii=False) for record in records), "utf-8")
    part = next(jsonl.line_parts(file, RunReading(run_names, run_shape)))
    quick, careful = part._regular(), part._slow()
    assert quick is not None
    assert quick["item"].to_list() == ["q1#2/3", "7#1/1", "x"]
    for name in set(quick.columns) - {"payload", "accuracy_checks"}:
        assert quick[name].equals(careful[name]), name
    for name in ("payload", "accuracy_checks"):
        texts = zip(quick[name].to_list(), careful[name].to_list(), strict=True)
        assert all(a == b or json.loads(a) == json.loads(b) for a, b in texts)


@pytest.mark.parametrize(
    ("line", "place"),
    [
        (b'{"query_id": "q1"', ":3"),
        (b"[1, 2]", ":3"),
        (b'{"id": "no query", "raw_json": "{}"}', ":3"),
        (b'{"query_id": "q1", "latency_ms": "soon", "raw_json": "{}"}', ":3"),
        (b'{"query_id": "q1", "latency_ms": -5, "raw_json": "{}"}', ":3"),
        (b'{"query_id": "q1", "id": "a\\u0000b", "raw_json": "{}"}', ":3"),
        (b'{"query_id": "q1", "raw_json": "\\ud800"}', ":3"),
        (b"\x00\x01\x02", ":3"),
    ],
)
def test_a_bad_line_is_named_and_nothing_is_scored(line: bytes, place: str, tmp_path: Path) -> None:
    file = tmp_path / "runs.jsonl"
    file.write_bytes(b'{"query_id": "q0", "raw_json": "{}"}\n\n' + line + b"\n")
    given: list[pl.DataFrame] = []
    with pytest.raises(HaechiError) as raised:
        score_run_file(file, RUBRIC, given.append, workers=1)
    assert raised.value.problems[0].at.startswith(f"runs.jsonl{place}")
    assert not given


def test_a_line_without_end_is_refused_unread(tmp_path: Path) -> None:
    file = tmp_path / "runs.jsonl"
    with file.open("wb") as out:
        out.write(b'{"query_id": "q0", "raw_json": "{}"}\n{"query_id": "')
        out.seek(splits.BYTES + LONGEST_RECORD + 100)  # a sparse file takes no room
        out.write(b'"}\n')
    with pytest.raises(HaechiError, match=r"runs\.jsonl:2.*64 MiB"):
        score_run_file(file, RUBRIC, lambda _: None, workers=1)


def test_not_a_parquet_file(tmp_path: Path) -> None:
    file = tmp_path / "runs.parquet"
    file.write_bytes(b"not at all")
    with pytest.raises(HaechiError, match=r"runs\.parquet"):
        score_run_file(file, RUBRIC, lambda _: None)


def many(count: int) -> list[dict[str, Any]]:
    """The runs above again and again, under new ids."""
    found = []
    for number in range(count):
        run = _snake(RUNS[number % len(RUNS)], embed=False)
        found.append(run | {"id": f"i{number}", "query_id": f"{run['query_id']}-{number // 20}"})
    return found


def assert_same_summary(mine: list[dict[str, Any]], other: list[dict[str, Any]]) -> None:
    """Counts and scores exactly; only the sum of seconds may be rounded differently."""
    for one, two in zip(mine, other, strict=True):
        mine_, others = ({"": row["seconds"], **row["seconds_by_class"]} for row in (one, two))
        for name, times in mine_.items():
            mean = others[name]["mean"]
            assert times == others[name] | {"mean": mean and pytest.approx(mean, rel=1e-12)}
        timeless = {"seconds": None, "seconds_by_class": None}
        assert {**one, **timeless} == {**two, **timeless}


def test_parts_and_processes_do_not_change_the_scores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "runs.jsonl"
    file.write_text("\n".join(json.dumps(run, ensure_ascii=False) for run in many(300)), "utf-8")
    whole, summary = table(file)
    monkeypatch.setattr(splits, "BYTES", 9_000)
    batches: list[pl.DataFrame] = []
    assert_same_summary(score_run_file(file, RUBRIC, batches.append, BY, workers=2), summary)
    assert len(list(jsonl.line_parts(file, RunReading(run_names, run_shape)))) > runner.WORTH_A_POOL
    assert len(batches) > 1
    assert pl.concat(batches).equals(whole)
    items = (item for _, item in items_of(read_rows(file), "run"))
    monkeypatch.setattr(parts, "ROWS", 64)
    batches.clear()
    scored = run_pipeline.score_runs(item_parts(items, ("team",)), RUBRIC, batches.append, BY, workers=1)
    assert_same_summary([row.as_json() for row in scored.rows()], summary)
    assert pl.concat(batches).equals(whole)


def test_an_error_in_another_process_arrives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(splits, "BYTES", 9_000)
    lines = [json.dumps(run, ensure_ascii=False) for run in many(200)]
    lines[150] = "{"
    file = tmp_path / "runs.jsonl"
    file.write_text("\n".join(lines), "utf-8")
    with pytest.raises(HaechiError, match=r"runs\.jsonl:151"):
        score_run_file(file, RUBRIC, lambda _: None, workers=2)


def test_slices_of_parquet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "runs.parquet"
    pl.DataFrame(many(100)).write_parquet(file)
    whole = table(file)[0]
    monkeypatch.setattr(parquet, "ROWS", 16)
    cut = table(file)[0]
    assert len(whole) == 100
    assert cut.equals(whole)


def test_summary_against_the_plain_one(tmp_path: Path) -> None:
    file = tmp_path / "runs.jsonl"
    file.write_text("\n".join(json.dumps(run, ensure_ascii=False) for run in many(200)), "utf-8")
    batches: list[pl.DataFrame] = []
    summary = score_run_file(file, RUBRIC, batches.append, (("round",), ("category", "round")))
    plain = reference.summarise(pl.concat(batches).to_dicts(), (("round",), ("category", "round")))
    assert len(summary) == len(plain) == 1 + 2 + 4
    for mine, theirs in zip(summary, plain, strict=True):
        assert (mine["by"], mine["n"]) == (theirs["by"], theirs["n"])
        for name, figures in mine["scores"].items():
            assert figures["distribution"] == theirs["scores"][name]["distribution"]
            assert figures["mean"] == (
                None if not figures["n"] else pytest.approx(theirs["scores"][name]["mean"])
            )


def test_a_process_that_measures_loads_neither_database_nor_rubrics():
    """Every worker process imports what a part refers to; each import is time before the first run is scored."""
    heavy = "('sqlite3', 'pydantic', 'yaml', 'pyarrow', 'scipy')"
    code = f"import sys, haechi.scoring.run_sources, haechi.scoring.runs.task as _; print([m for m in {heavy} if m in sys.modules])"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"


def test_repeats_count_queries_that_pass_every_time(tmp_path) -> None:
    rows = [("a", "x"), ("a", "x"), ("b", "x"), ("b", "y"), ("c", "y"), ("c", "y"), ("d", "x")]
    runs = [
        {
            "id": f"r{n}",
            "query_id": query,
            "expected_result": "@check formType=x",
            "raw_json": {"assistantMessage": "네", "dataUIList": [{"uiValue": {"formType": form}}]},
        }
        for n, (query, form) in enumerate(rows)
    ]
    file = tmp_path / "runs.jsonl"
    file.write_text("".join(json.dumps(run) + "\n" for run in runs), "utf-8")
    whole, *groups = haechi.score(file, rubric="hiring-agent", by=["query"]).as_json()["summary"]
    assert whole["repeats"] == {"queries": 4, "all_pass": 2, "all_fail": 1, "mixed": 1, "pass_from": 3}
    assert not any("repeats" in group for group in groups)
