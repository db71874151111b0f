"""The kernel in C and the readers in Python come to the same, whatever a stranger writes."""

from __future__ import annotations

import random
from pathlib import Path

import hostile_runs
import orjson
import polars as pl
import pytest

import haechi
from haechi.errors import HaechiError
from haechi.scoring.run_sources import run_names, run_shape
from haechi.scoring.runs import compiled, jsonl, payloads, quick_lines, quick_payloads
from haechi.scoring.runs.columns import RunReading
from haechi.scoring.runs.measure import RUN_SCHEMA, LabelRules, measure

pytestmark = pytest.mark.skipif(compiled.kernel is None, reason="no compiler where this was installed")
RULES = LabelRules.of(haechi.rubric("hiring-agent").run)
READING = RunReading(run_names, run_shape, ("team",))
AT_ONCE = 2_000


def batch(runs: list[dict[str, object]]) -> pl.DataFrame:
    return pl.DataFrame(runs, schema=RUN_SCHEMA)


def plain_of(runs: pl.DataFrame) -> float:
    """The share of runs that the kernel reads itself."""
    plan = quick_payloads._plan(RULES.signature)
    raw, latencies = runs["payload"].cast(pl.Binary).to_list(), runs["latency_ms"].to_list()
    odd = compiled.kernel.read_payloads(raw, latencies, quick_payloads._asked_of(runs), plan)[-1]
    return 1 - len(odd) / runs.height


def compare_payloads(seed: int, signature: tuple[str, ...] = RULES.signature) -> pl.DataFrame:
    chance = random.Random(seed)
    runs = batch([hostile_runs.run(chance) for _ in range(AT_ONCE)])
    quick = quick_payloads.read_payloads(runs, signature)
    exact = payloads.read_payloads(runs, signature)
    for name in payloads.OUTPUTS:
        differ = quick[name].ne_missing(exact[name]) & ~(quick[name].is_null() & exact[name].is_null())
        assert not differ.any(), (
            name,
            runs.filter(differ).row(0, named=True),
            quick.filter(differ),
            exact.filter(differ),
        )
    return runs


@pytest.mark.parametrize("seed", range(10))
def test_payloads(seed: int) -> None:
    runs = compare_payloads(seed)
    assert 0.15 < plain_of(runs) < 0.9  # both ways are taken


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1_000, 1_250))
def test_half_a_million_payloads(seed: int) -> None:
    compare_payloads(seed)


@pytest.mark.parametrize(
    "signature", [(), ("setting",), ("value.a", "value.nodeId", "x y"), ("a.b.c", "formType")]
)
def test_signatures_of_other_rubrics(signature: tuple[str, ...]) -> None:
    compare_payloads(77, signature)


def compare_lines(seed: int, folder: Path) -> bool:
    """Whether the kernel read the lines; if so, it read what the reader in Python reads."""
    chance = random.Random(seed)
    file = folder / "runs.jsonl"
    file.write_text("\n".join(hostile_runs.line(chance) for _ in range(chance.randrange(1, 40))), "utf-8")
    (part,) = jsonl.line_parts(file, READING)
    quick = quick_lines.read_lines(part.lines.block(), READING)
    if quick is None:
        return False
    exact = part._regular()
    assert exact is not None
    assert quick.drop("payload").equals(exact.drop("payload"))
    assert measure(quick, RULES).equals(measure(exact, RULES))
    return True


def test_lines(tmp_path: Path) -> None:
    read = [compare_lines(seed, tmp_path) for seed in range(400)]
    assert 40 < sum(read) < 360


@pytest.mark.slow
def test_twenty_thousand_files_of_lines(tmp_path: Path) -> None:
    for seed in range(10_000, 30_000):
        compare_lines(seed, tmp_path)


@pytest.mark.parametrize(
    "lines",
    [
        b'{"query_id": "q1", "raw_json": "{}"}\n{"query_id": "q1", "raw_json": "\xff{}"}',
        b'{"a\\\\nb": 1, "query_id": "q1", "raw_json": "{}"}\n{"a\\nb": 1, "query_id": "q1", "raw_json": "{}"}',
        b'{"query_id": "q1", "raw_json": "{}"}\n{"raw_json": "{}", "query_id": "q1"}',
        b'{"query_id": "q1", "raw_json": "{}"}\n{"query_id": "q1", "raw_json": "{}", "query_id": "q2"}',
        b'{"query_id": "q1", "raw_json": "{}"}\n{"query_id": "q1", "raw_json": "\\ud800"}',
        b'{"query_id": "q1", "raw_json": "{}"}\n{"query_id": true, "raw_json": "{}"}',
        b'{"query_id": "q1", "raw_json": "{}", "latency_ms": 1}\n{"query_id": "q1", "raw_json": "{}", "latency_ms": 10000000000000001}',
        b'\xef\xbb\xbf{"query_id": "q1", "raw_json": "{}"}',
        b"",
        b"\n \n",
    ],
)
def test_lines_that_are_not_the_kernels(lines: bytes) -> None:
    assert quick_lines.read_lines(lines, READING) is None


def test_any_bytes_are_survived() -> None:
    """The kernel is given UTF-8; if it were not, it would still stay within what it was given."""
    chance = random.Random(3)
    seeds = [hostile_runs.payload(chance).encode() for _ in range(500)]
    for _ in range(40):
        raw = []
        for text in seeds:
            noise = bytearray(text)
            for _ in range(chance.randrange(4)):
                if noise:
                    noise[chance.randrange(len(noise))] = chance.randrange(256)
            raw.append(bytes(noise[: chance.randrange(len(noise) + 1)] if chance.random() < 0.3 else noise))
        plan = quick_payloads._plan(RULES.signature)
        read = compiled.kernel.read_payloads(raw, [None] * len(raw), [None] * len(raw), plan)
        assert {len(column) for column in read[:-1]} == {len(raw)}
        compiled.kernel.read_lines(b"\n".join(raw), (b"formType", b"setting"), b"tj")


@pytest.mark.parametrize(
    "text",
    [
        '{"dataUIList": [' + ", ".join(['{"uiValue": {"formType": "A"}}'] * 300) + "]}",
        '{"dataUIList": [{"uiValue": {' + ", ".join(f'"k{n}": {n}' for n in range(5_000)) + "}}]}",
        "{" + ", ".join(f'"k{n}": {n}' for n in range(500)) + "}",
        '{"dataUIList": [{"formType": "' + "가" * 100_000 + '"}]}',
        '{"assistantMessage": "' + "가\\n" * 100_000 + '"}',
        '{"dataUIList": [1], "setting": {' + ", ".join(f'"k{n}": {n}' for n in range(100)) + "}}",
        '{"dataUIList": [1], "setting": ' + '{"a": ' * 20 + "1" + "}" * 20 + "}",
        '{"dataUIList": [1], "setting": "' + "\\n" * 70_000 + '"}',
    ],
)
def test_what_is_larger_than_the_kernels_desk(text: str) -> None:
    runs = batch([{"item": "r", "payload": text, "expected": "@check formType=A"}])
    assert quick_payloads.read_payloads(runs, RULES.signature).equals(
        payloads.read_payloads(runs, RULES.signature)
    )


def test_what_was_answered_is_forgotten_before_it_is_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quick_payloads, "_MOST_PROGRAMS", 50)
    monkeypatch.setattr(quick_payloads, "_programs", quick_payloads._Programs())
    for start in range(0, 300, 60):
        entries = [{"uiValue": {"planId": n}} for n in range(start, start + 60)]
        runs = batch(
            [
                {
                    "item": "r",
                    "payload": orjson.dumps({"dataUIList": [one]}).decode(),
                    "expected": f"@check planId={n}",
                }
                for n, one in enumerate(entries, start)
            ]
        )
        assert quick_payloads.read_payloads(runs, RULES.signature)["check_ratio"].to_list() == [1.0] * 60
        assert len(quick_payloads._programs._known) <= 110


def test_without_the_kernel_everything_is_the_same(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    chance = random.Random(5)
    file = tmp_path / "runs.jsonl"
    file.write_text("\n".join(hostile_runs.line(chance) for _ in range(60)), "utf-8")

    def scored() -> object:
        try:
            return haechi.score(file, rubric="hiring-agent").to_dicts()
        except HaechiError as error:
            return str(error)

    with_kernel = scored()
    monkeypatch.setattr(compiled, "kernel", None)
    assert scored() == with_kernel
