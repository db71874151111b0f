"""What an installed package brings works wherever our own does: a reader, a provider, a coefficient, a section, a chart."""

from __future__ import annotations

import asyncio
import json
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from extensions import extension, extension_folder  # noqa: F401 - fixtures
from haechi.agents.spec import agent_of
from haechi.data.readers import READERS, read_rows
from haechi.errors import HaechiError
from haechi.judge.partner import Partner
from haechi.judge.providers.keys import mask
from haechi.judge.providers.models import parse_model
from haechi.plugins.registry import Registry, not_callable
from haechi.study.study import Study

ROOT = Path(__file__).parents[1]
RUBRIC = """\
id: short
title: 짧은 평가
about: 시험용
item: reply
speakers: {user: 사용자, assistant: 챗봇}
task: 점수를 매기세요.
criteria:
  - {key: quality, name: 품질, scale: {type: grades, letters: [A, B, C]}}
"""
TALK = "# r1\n질문 1\n답\n# r2\n질문 2\n긴 답입니다\n# r3\n질문 3\n또 답\n"
KIM, LEE = "CBA", "CAA"


@pytest.fixture
def study(haechi, write, tmp_path: Path, extension: Path) -> Path:  # noqa: F811 - the fixture
    write("short.yaml", RUBRIC)
    write("talk.talk", TALK)
    folder = tmp_path / "study"
    assert haechi("new", folder, "--rubric", tmp_path / "short.yaml").code == 0
    added = haechi("add", folder, tmp_path / "talk.talk", "--json")
    assert added.code == 0, added.err
    rows = [
        f"r{number},quality,{rater},human,{value}"
        for rater, values in (("kim", KIM), ("lee", LEE))
        for number, value in enumerate(values, 1)
    ]
    write("ratings.csv", "\n".join(["item,criterion,rater,kind,value", *rows]))
    assert haechi("import", folder, tmp_path / "ratings.csv", "--as", "ratings").code == 0
    return folder


@pytest.mark.usefixtures("extension")
def test_its_format_of_files_is_read(write) -> None:
    rows = list(read_rows(write("more.TALK", TALK)))
    assert [(row.place, row.data["id"]) for row in rows] == [
        ("more.TALK:1", "r1"),
        ("more.TALK:4", "r2"),
        ("more.TALK:7", "r3"),
    ]


@pytest.mark.usefixtures("extension")
def test_an_unknown_ending_is_answered_with_all_that_are_installed(write) -> None:
    with pytest.raises(HaechiError) as caught:
        list(read_rows(write("notes.doc", "x")))
    assert "one of .jsonl .json .csv .tsv .txt .xlsx .xlsm .xls .parquet .broken .talk" in str(caught.value)


def test_its_section_and_its_chart_stand_in_the_report(haechi, study: Path, tmp_path: Path) -> None:
    found = haechi("report", study, "-o", tmp_path / "report", "--lang", "en")
    assert found.code == 0, found.err
    text = (tmp_path / "report" / "report.md").read_text("utf-8")
    scores, rest = text.split("## Scores", 1)[1].split("\n## ", 1)
    assert "Characters of the answers" in scores
    assert "## Length of the answers\n\nThe longest answer: r2" in rest
    page = (tmp_path / "report" / "report.html").read_text("utf-8")
    assert page.index("Characters of the answers") < page.rindex("The longest answer: r2")


def grades(study: Path, judge: str) -> list[tuple[str, str]]:
    """What a judge gave, item by item."""
    rows = Study(study).ratings().filter(rater=judge).sort("item")
    return list(rows.select("item", "value").iter_rows())


@pytest.mark.parametrize("way", ["live", "batch"])
def test_its_provider_judges(haechi, study: Path, way: str) -> None:
    found = haechi("judge", study, "--model", "echo:kind", *(["--batch"] if way == "batch" else []))
    assert found.code == 0, found.err
    if way == "batch":
        assert grades(study, "kind") == []
        assert haechi("collect", study).code == 0
    assert grades(study, "kind") == [("r1", "A"), ("r2", "A"), ("r3", "A")]
    assert "human_ai" in haechi("agree", study, "--json").json


def test_result_files_of_its_provider_are_read(haechi, write, study: Path) -> None:
    reply = json.dumps({"quality": {"evidence": "", "value": "B"}})
    results = write("results.jsonl", json.dumps({"echo": "r1", "by": "kind", "text": reply}))
    assert haechi("import", study, results, "--as", "echo-batch").code == 0
    assert grades(study, "kind") == [("r1", "B")]
    of_another = write("other.jsonl", json.dumps({"custom_id": "r2", "result": {"type": "expired"}}))
    refused = haechi("import", study, of_another, "--as", "echo-batch")
    assert "found: a batch result of anthropic" in refused.err
    assert "expected: a batch result of echo" in refused.err


@pytest.mark.usefixtures("extension")
def test_its_provider_is_an_agent_and_talks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only OpenAI was, by its name: who runs a provider that speaks its interface had to pretend to be it."""
    monkeypatch.setenv("ECHO_KEY", "open sesame")
    assert agent_of("echo:kind").about["at"] == "http://127.0.0.1:9/v1/chat/completions"
    partner = Partner.named("echo:kind", tmp_path)

    async def said() -> list[str | dict[str, int]]:
        return [piece async for piece in partner.reply(partner.connect(), [("user", "안녕")])]

    assert asyncio.run(said()) == ["안녕", {"input": 1, "output": 1}]
    with pytest.raises(HaechiError, match=r"openai:MODEL\[@URL\]"):
        Partner.named("anthropic:claude-haiku-4-5", tmp_path)


@pytest.mark.usefixtures("extension")
def test_its_key_is_masked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ECHO_KEY", "open sesame")
    assert parse_model("echo:kind").client().limits.requests == 1_000
    assert mask("the key open sesame is wrong") == "the key ••• is wrong"


@pytest.mark.usefixtures("extension")
def test_an_unknown_provider_is_answered_with_all_that_are_installed(haechi, tmp_path: Path) -> None:
    with pytest.raises(HaechiError, match="local:smollm2, echo:MODEL or openai:MODEL@http"):
        parse_model("hal:9000")
    wrong = haechi("import", tmp_path, "x.jsonl", "--as", "hal-batch")
    assert wrong.code == 2
    assert "'azure-batch', 'echo-batch'" in wrong.err


def test_its_coefficient_is_told_with_ours(haechi, study: Path, tmp_path: Path) -> None:
    # r1 C C, r2 B A, r3 A A
    found = haechi("agree", study, "--json").json["criteria"]["quality"]
    assert list(found)[-4:] == ["percent_agreement", "unanimous", "pairs", "seed"]
    assert found["unanimous"]["value"] == pytest.approx(2 / 3)
    assert found["unanimous"]["reading"] == {"word": "usual", "source": "our handbook"}
    words = haechi("agree", study, "--lang", "en").out
    table, in_words = words.split("In words", 1)
    assert "unanimous" in table
    assert "unanimous         .67  usual (our handbook)" in in_words
    assert haechi("check", study, "--min", "agree.quality.unanimous=.6").code == 0
    assert haechi("check", study, "--min", "agree.quality.unanimous=.7").code == 1
    assert haechi("report", study, "-o", tmp_path / "report", "--lang", "en").code == 0
    assert "unanimous" in (tmp_path / "report" / "report.md").read_text("utf-8")


def blocks(language: str) -> str:
    """The examples on the page for those who write such a package."""
    page = (ROOT / "docs" / "extending.md").read_text("utf-8")
    return "\n".join(re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL))


def test_the_page_shows_what_is_tested(write) -> None:
    named = tomllib.loads((ROOT / "tests" / "extension" / "pyproject.toml").read_text("utf-8"))["project"][
        "entry-points"
    ]
    shown = tomllib.loads(blocks("toml"))["project"]["entry-points"]
    assert shown.keys() == named.keys()
    assert all(shown[group].items() <= named[group].items() for group in shown)
    example: dict[str, Any] = {}
    exec(blocks("python"), example)
    assert [row.data["response"] for row in example["read"](write("a.talk", TALK))] == [
        "답",
        "긴 답입니다",
        "또 답",
    ]


def brought(folder: Path, package: str, *lines: str) -> None:
    """An installed package with entry points."""
    about = folder / f"{package.replace('-', '_')}-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1\n", "utf-8")
    (about / "entry_points.txt").write_text("\n".join(lines), "utf-8")


def said(registry: Registry[object], name: str) -> str:
    with pytest.raises(HaechiError) as caught:
        registry.get(name)
    return caught.value.problems[0].say("en")


@pytest.mark.usefixtures("extension")
def test_a_package_that_does_not_fit_is_named() -> None:
    assert said(READERS, "broken") == (  # type: ignore[arg-type]
        "haechi.readers: broken = haechi_extension.talk:NO_READER: found not a function; expected a function. "
        "Next: mend or uninstall the package haechi-extension"
    )


FAULTY = """\
from haechi.data.files import Row
from haechi.judge.providers.base import Limits
from haechi.judge.providers.lines import Lines
from haechi.judge.providers.provider import Provider
from haechi.report.charts import Chart
from haechi.stats.coefficients import Coefficient
from haechi.stats.figure import Why

def fail(*_):
    raise KeyError("rating")

def read(path):
    yield Row(path.name, {"id": "r1", "context": "q", "response": "a"})
    fail()

class Client:
    limits = Limits(10, 1_000)

    def __init__(self, *_):
        pass

    async def ask(self, request):
        raise KeyError("open sesame")

    async def close(self):
        pass

chart, coefficient = Chart("scores", fail), Coefficient(Why("x", "x"), fail)
lines = Lines(lambda r: False, fail, fail, fail, "faulty")
provider = Provider("faulty", Client, lines, keys=("FAULTY_KEY",))
"""


def faulty(monkeypatch: pytest.MonkeyPatch, folder: Path, kind: str) -> None:
    """A package is installed of which one thing raises an error when it is used."""
    name = {"reader": "read", "section": "fail"}.get(kind, kind)
    (folder / "faulty_module.py").write_text(FAULTY, "utf-8")
    brought(folder, "faulty-package", f"[haechi.{kind}s]", f"faulty = faulty_module:{name}", "")
    monkeypatch.syspath_prepend(str(folder))


def named(kind: str, name: str, error: str = "'rating'") -> list[dict[str, str]]:
    return [
        {
            "at": f"haechi.{kind}s: faulty = faulty_module:{name}",
            "found": f"KeyError: {error}",
            "expected": "that it runs without an error",
            "next": "update or uninstall the package faulty-package",
        }
    ]


@pytest.mark.parametrize("kind", ["chart", "section", "coefficient"])
def test_a_package_that_fails_in_a_report_is_named(
    haechi, study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    faulty(monkeypatch, tmp_path, kind)
    found = haechi("report", study, "-o", tmp_path / "report", "--lang", "en", "--json")
    assert found.code == 1
    assert found.json["error"] == named(kind, "fail" if kind == "section" else kind)


def test_a_reader_that_fails_in_the_middle_is_named(
    haechi, study: Path, write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    faulty(monkeypatch, tmp_path, "reader")
    found = haechi("add", study, write("x.faulty", "x"), "--lang", "en", "--json")
    assert found.code == 1
    assert found.json["error"] == named("reader", "read")


def test_a_provider_that_fails_is_named_without_its_key(
    haechi, study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAULTY_KEY", "open sesame")
    faulty(monkeypatch, tmp_path, "provider")
    found = haechi("judge", study, "--model", "faulty:x", "--lang", "en", "--json")
    assert found.code == 1
    assert found.json["error"] == named("provider", "provider", "'•••'")


def test_two_packages_of_one_name_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    for package in ("one-package", "other-package"):
        brought(tmp_path, package, "[haechi.shapes]", "square = json:loads", "")
    shapes = Registry[object]("haechi.shapes", {"round": json.dumps}, not_callable)
    assert shapes.names() == ("round", "square")
    found = said(shapes, "square")
    assert "one-package" in found
    assert "other-package" in found
    assert "expected one package that brings square" in found


def test_a_package_does_not_take_one_of_our_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    brought(tmp_path, "one-package", "[haechi.shapes]", "round = json:loads", "")
    shapes = Registry[object]("haechi.shapes", {"round": json.dumps}, not_callable)
    assert shapes.get("round") is json.dumps
    assert "found one-package; expected a name that Haechi does not use itself" in said(shapes, "square")


def test_nobody_looks_for_packages_who_needs_none() -> None:
    import subprocess

    code = "import sys; from haechi.data.readers import READERS; READERS.get('csv'); print('importlib.metadata' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "False"
