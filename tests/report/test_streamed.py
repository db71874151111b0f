"""A study that is read in many pieces, and brought together on disk, says the same as one held in memory."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from haechi.analysis.counts import ComparedGroup
from haechi.analysis.group_pairs import GroupPairs, one_to_one
from haechi.report import folder
from haechi.scoring import batches, run_pipeline
from haechi.scoring.batches import WaitingBatches, brought_together
from haechi.study.study import Study

RUNS = 90


def runs(count: int, rounds: int, worse: bool = False) -> list[dict[str, object]]:
    """Runs with repeats of a query far apart, failures of several kinds, failing checks, odd fields."""
    made: list[dict[str, object]] = []
    for n in range(count):
        turn, query = divmod(n, count // rounds)
        payload = {
            "assistantMessage": "추가했습니다" if (n * 7) % 5 else "조회했습니다",
            "responseTimeSec": (n * 37 % 23) + n % 7 / 8,  # eighths: their sum is exact in any order
            "dataUIList": [{"uiValue": {"formType": "LINK" if n % 4 else "SELECT", "actionType": "ADD"}}],
            "worker": [{"type": "A"}, {"type": "B"}] if query % 3 == 0 else [],
        }
        made.append(
            {
                "id": f"r{n}",
                "query_id": f"q{query}",
                "round": str(turn + 1),
                "raw_json": "{broken" if n % 17 == 3 else json.dumps(payload),
                "error": f"TimeoutError: {n}s" if n % 13 == 5 else None,
                "expected_result": "@check formType=LINK; actionType=ADD"
                if n % 5
                else "@check titleContains=x",
                "category": "여러 도구" if query % 3 == 0 else "기본",
                "intent_verdict": None if n % 8 == 1 else ("WEAK" if worse or n % 3 else "PERFECT"),
                "team": "ab"[query % 2],
            }
        )
    return made


def run_study(where: Path, records: list[dict[str, object]], verdicts: bool = True) -> Path:
    study = Study.new(where, "hiring-agent")
    (where / "runs.jsonl").write_text("\n".join(map(json.dumps, records)), "utf-8")
    study.add([where / "runs.jsonl"])
    if verdicts:
        given = [
            {
                "item": f"r{n}",
                "criterion": "intent",
                "rater": rater,
                "kind": kind,
                "value": value,
                "replicate": again,
            }
            for n in range(5, 60, 3)
            for rater, kind, value, again in (
                ("kim", "human", "GOOD" if n % 2 else "FAILED", 1),
                ("judge", "ai", "PARTIAL", 1),
                ("judge", "ai", "GOOD" if n % 5 else "WEAK", 2),
            )
        ]
        (where / "ratings.json").write_text(json.dumps(given), "utf-8")
        study.import_ratings([where / "ratings.json"])
    return where


@pytest.fixture
def in_pieces(monkeypatch: pytest.MonkeyPatch):
    """From now on what was scored comes back a few items at a time, and little is brought together in memory."""

    def begin() -> None:
        write = WaitingBatches.write

        def write_little(self: WaitingBatches, batch: pl.DataFrame) -> None:
            order = batch["item"].unique(maintain_order=True)
            for start in range(0, len(order), 7):
                write(self, batch.filter(pl.col("item").is_in(order[start : start + 7].implode())))

        monkeypatch.setattr(WaitingBatches, "write", write_little)
        monkeypatch.setattr(run_pipeline, "FILES_AT_ONCE", 1)
        monkeypatch.setattr(batches, "AT_ONCE", 11)

    return begin


@pytest.mark.parametrize("rounds", [2, 3])
def test_every_file_of_a_report_is_the_same(haechi, tmp_path, in_pieces, rounds):
    study = run_study(tmp_path / "study", runs(RUNS, rounds))
    options = ("--by", "round", "--by", "category", "--by", "team")
    assert haechi("report", study, "-o", tmp_path / "whole", *options).code == 0
    in_pieces()
    assert haechi("report", study, "-o", tmp_path / "pieces", *options).code == 0
    for file in folder.FILES:
        assert content(tmp_path / "pieces" / file) == content(tmp_path / "whole" / file), file


def content(file: Path) -> object:
    """What a file says; how Parquet divides its rows does not matter."""
    return pl.read_parquet(file).rows() if file.suffix == ".parquet" else file.read_bytes()


@pytest.mark.parametrize("by", ["round", "category", "rater", "round,team"])
def test_comparisons_and_gates_are_the_same(haechi, tmp_path, in_pieces, by):
    study = run_study(tmp_path / "study", runs(RUNS, 2))
    commands = [("compare", study, "--by", by, "--json"), ("check", study, "--list", "--json")]
    whole = [haechi(*command).json for command in commands]
    in_pieces()
    for before, command in zip(whole, commands, strict=True):
        assert rounded(haechi(*command).json) == rounded(before)


@pytest.mark.parametrize("field", ["tool_class", "label"])
def test_what_code_found_out_about_runs_makes_groups(haechi, tmp_path, field):
    study = run_study(tmp_path / "study", runs(RUNS, 2))
    scored = haechi("score", study, "--by", field, "--json").json["summary"][1:]
    counts = {row["by"][field]: row["n"] for row in scored}
    assert len(counts) > 1
    compared = haechi("compare", study, "--by", field, "--json").json["groups"]
    assert {row["by"][field]: row["n"] for row in compared} == counts
    assert haechi("report", study, "-o", tmp_path / "out", "--by", field).code == 0
    rows = pl.read_csv(tmp_path / "out" / "summary.csv").filter(
        pl.col("score") == "stability", pl.col("by") == field
    )
    assert dict(rows.select("group", "items").iter_rows()) == counts


def rounded(said):
    """Without the last digits, which the order of adding decides."""
    if isinstance(said, dict):
        return {name: rounded(value) for name, value in said.items()}
    if isinstance(said, list):
        return [rounded(value) for value in said]
    return float(f"{said:.12g}") if isinstance(said, float) else said


def test_the_change_between_two_studies_is_the_same(haechi, tmp_path, in_pieces):
    first = run_study(tmp_path / "first", runs(RUNS, 3))
    second = run_study(tmp_path / "second", runs(RUNS, 3, worse=True)[10:], verdicts=False)
    assert haechi("report", first, second, "-o", tmp_path / "whole").code == 0
    checked = ("check", second, "--no-regression", first, "--json")
    whole = haechi(*checked).json
    in_pieces()
    assert haechi("report", first, second, "-o", tmp_path / "pieces").code == 0
    for file in ("report.md", "report.html"):
        assert (tmp_path / "pieces" / file).read_bytes() == (tmp_path / "whole" / file).read_bytes(), file
    sides = [
        pl.read_csv(tmp_path / name / "changes.csv").sort("item", "score") for name in ("whole", "pieces")
    ]
    assert sides[0].equals(sides[1])
    assert sides[0].height == 80 * 7
    assert rounded(haechi(*checked).json) == rounded(whole)


def test_what_code_scores_is_compared_whoever_else_rated(haechi, tmp_path):
    """People rated intent before, and nobody now; what code measures needs no common rater."""
    first = run_study(tmp_path / "first", runs(RUNS, 3))
    second = run_study(tmp_path / "second", runs(RUNS, 3), verdicts=False)
    (tmp_path / "kept.json").write_text(haechi("check", first, "--list", "--json").out, "utf-8")
    for baseline in (first, tmp_path / "kept.json"):
        ran = haechi("check", second, "--no-regression", baseline, "--json").json
        assert ran["panel"] | {"words": ""} == {
            "compared": "common",
            "common": ["code"],
            "added": [],
            "removed": ["kim", "judge"],
            "other_kind": [],
            "words": "",
        }
        values = {one["score"]: one["value"] for one in ran["gates"]}
        by_code = [name for name in values if name not in ("intent", "overall")]
        assert [values[name] for name in by_code] == pytest.approx([0.0] * 5)


def test_a_kept_table_of_scores_is_read_in_pieces(haechi, tmp_path, monkeypatch):
    study = run_study(tmp_path / "study", runs(RUNS, 3))
    assert haechi("report", study, "-o", tmp_path / "report").code == 0
    checked = ("check", study, "--no-regression", tmp_path / "report" / "scores.csv", "--json")
    whole = haechi(*checked).json
    monkeypatch.setattr("haechi.analysis.baseline._PIECE", 13)
    assert haechi(*checked).json == whole
    assert all(check["value"] == 0 for check in whole["gates"])


def test_rows_of_a_key_come_together_and_stay_in_order(monkeypatch):
    monkeypatch.setattr(batches, "AT_ONCE", 10)
    rows = pl.DataFrame({"query": [f"q{n % 9}" if n % 10 else None for n in range(60)], "at": range(60)})
    pieces = [*brought_together(rows.iter_slices(7), "query", 60)]
    assert len(pieces) > 1
    assert pl.concat(pieces).sort("at").equals(rows)
    keys = [set(piece["query"].to_list()) for piece in pieces]
    assert sum(map(len, keys)) == 10, "no key is in two pieces"
    assert all(piece["at"].is_sorted() for piece in pieces)


@pytest.mark.parametrize(
    ("first", "second", "found"),
    [
        ([*range(20)], [*range(20)][::-1], True),
        ([*range(20)], [*range(19), 25], False),
        ([*range(19), 3], [*range(19), 3], False),
        ([*range(19), None], [*range(19), None], False),
    ],
)
def test_pairs_are_found_only_where_both_groups_have_every_value_once(monkeypatch, first, second, found):
    monkeypatch.setattr(batches, "AT_ONCE", 10)
    diaries = pl.Series([None if one is None else f"d{one}" for one in [*first, *second]], dtype=pl.String)
    frame = pl.DataFrame(
        {
            "item": [f"i{n}" for n in range(40)],
            "rater": "x",
            "mode": ["a"] * 20 + ["b"] * 20,
            "diary": diaries,
        }
    ).with_columns(total=pl.lit(1.0))

    def pieces(columns=None):
        return iter(frame.select(columns).iter_slices(6))

    groups = [ComparedGroup({"mode": mode}, 20, {}) for mode in "ab"]
    assert one_to_one(GroupPairs(pieces, ["total"], ("mode",), groups, "diary")) is found
