"""Whatever the locale: UTF-8 in pipes, and a console that lacks a sign gets another one."""

from __future__ import annotations

import json
import os
import pty
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from haechi.demo import make_studies

CP949 = {"PYTHONIOENCODING": "cp949", "LC_ALL": "ko_KR.CP949", "LANG": "ko_KR.CP949", "PYTHONUTF8": "0"}
ASCII = {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
UTF_8 = {"LC_ALL": "C.UTF-8", "PYTHONUTF8": "1"}
COMMANDS = {
    "help": (0, ("--help",)),
    "rubrics": (0, ("rubrics",)),
    "a rubric": (0, ("rubrics", "show", "ubica", "--as", "yaml")),
    "a passing gate": (0, ("check", "hiring-agent", "--min", "overall=1")),
    "scores": (0, ("score", "hiring-agent")),
    "scores as JSON": (0, ("score", "maice-qac", "--json")),
    "demo": (0, ("demo", "new")),
    "an error": (1, ("score", "없는-폴더")),
    "wrong usage": (2, ("score", "--없음")),
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("locales") / "demo"
    assert list(make_studies(folder))
    return folder


def environment(own: dict[str, str]) -> dict[str, str]:
    ours = ("LC_", "LANG", "PYTHONIOENCODING", "PYTHONUTF8")
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return {**inherited, **own, "HAECHI_LANG": "ko", "COLUMNS": "100"}


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "haechi.cli.start", *arguments]


def piped(arguments: tuple[str, ...], place: Path, own: dict[str, str]) -> tuple[int, bytes, bytes]:
    ran = subprocess.run(
        command(*arguments), env=environment(own), cwd=place, capture_output=True, check=False
    )
    return ran.returncode, ran.stdout, ran.stderr


@pytest.mark.parametrize("name", COMMANDS)
def test_what_is_piped_is_the_same_in_every_locale(place, name):
    code, arguments = COMMANDS[name]
    wanted = piped(arguments, place, UTF_8)
    assert wanted[0] == code
    assert (wanted[1] + wanted[2]).decode("utf-8")
    assert piped(arguments, place, ASCII) == wanted
    if name != "demo":  # which takes seconds, and writes no file that ASCII would let through and CP949 not
        assert piped(arguments, place, CP949) == wanted


def on_console(arguments: tuple[str, ...], place: Path, own: dict[str, str]) -> tuple[int, bytes]:
    """Run a command on a terminal; what it shows is read while it runs, or it would wait for us."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        command(*arguments), env=environment(own), cwd=place, stdout=theirs, stderr=theirs
    ) as running:
        os.close(theirs)
        shown = b""
        while True:
            try:
                some = os.read(ours, 65536)
            except OSError:  # how Linux says that the other end is closed
                break
            if not some:
                break
            shown += some
    os.close(ours)
    return running.returncode, shown


@pytest.mark.parametrize(
    ("name", "own", "encoding"),
    [
        ("help", CP949, "cp949"),
        ("a passing gate", CP949, "cp949"),
        ("an error", CP949, "cp949"),
        ("scores", CP949, "cp949"),
        ("scores", ASCII, "ascii"),
    ],
)
def test_a_console_gets_only_signs_that_it_can_show(place, name, own, encoding):
    code, arguments = COMMANDS[name]
    found, shown = on_console(arguments, place, own)
    assert found == code
    if name == "an error":
        assert b"x " in shown
        shown = shown.replace("없는-폴더".encode(), b"")  # bytes of a file's name stay what they are
    assert shown.decode(encoding)
    if name == "scores":  # as many heights as elsewhere
        there = on_console(arguments, place, UTF_8)[1].decode()
        bars = [
            set(re.findall(rf"(?m)0 ([{signs}]+) 5", text))
            for text, signs in ((there, "·▁▂▃▄▅▆▇█"), (shown.decode(encoding), "·.:=+*#%@-"))
        ]
        assert len(bars[0]) == len(bars[1]) > 1


NAMES = {"한글": "한글", "bad\udcff": "bad\ufffd"}  # a Korean folder, and one whose name is no text


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory, place: Path) -> Path:
    folder = tmp_path_factory.mktemp("named")
    for name in NAMES:
        shutil.copytree(place / "ubica", folder / name)
    return folder


@pytest.mark.parametrize("own", [UTF_8, ASCII], ids=["UTF-8", "ASCII"])
@pytest.mark.parametrize("name", NAMES, ids=["Korean", "no text"])
def test_the_name_of_a_folder_fails_no_gate_and_no_report(named, name, own):
    said, gate = NAMES[name], ("check", name, "--min", "overall=1")
    code, out, err = piped((*gate, "--json"), named, own)
    assert (code, json.loads(out)["study"]) == (0, said), err
    code, _, err = piped((*gate, "--junit", "gates.xml", "--markdown", "gates.md"), named, own)
    assert code == 0, err
    assert f'"haechi check {said}"' in (named / "gates.xml").read_text("utf-8")
    assert f" {said}: " in (named / "gates.md").read_text("utf-8")
    code, _, err = piped(("report", name, "-o", f"report-{name}"), named, own)
    assert code == 0, err
    assert f"스터디 {said}" in (named / f"report-{name}" / "report.html").read_text("utf-8")
    code, out, err = piped(("score", f"no-{name}", "--json"), named, own)
    assert (code, json.loads(out)["error"][0]["at"]) == (1, f"no-{said}"), err


@pytest.mark.parametrize("more", [(), ("--json",)])
@pytest.mark.parametrize(("limit", "code"), [("1", 0), ("1000", 1)])
@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_a_closed_stream_changes_no_verdict(place, closed, limit, code, more):
    words = shlex.join(command("check", "ubica", "--min", f"overall={limit}", *more))
    ran = subprocess.run(
        ["sh", "-c", f"{words} {closed}"], env=environment(UTF_8), cwd=place, capture_output=True, check=False
    )
    assert (ran.returncode, ran.stderr) == (code, b"")


def test_an_error_says_problem_wanted_value_and_remedy(place):
    said = piped(COMMANDS["an error"][1], place, UTF_8)[2].decode().splitlines()
    assert [line.split(":")[0].strip() for line in said[1:4]] == ["문제", "필요한 값", "해결 방법"]
