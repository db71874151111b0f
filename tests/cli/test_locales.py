"""Whatever the locale: UTF-8 in pipes, and a console that lacks a sign gets another one."""

from __future__ import annotations

import os
import pty
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
    assert piped(arguments, place, CP949) == wanted
    assert piped(arguments, place, ASCII) == wanted


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
