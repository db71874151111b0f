"""The commands of docs/comparing-two are run as they stand, and both languages have the same ones."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


def commands(page: str) -> list[list[str]]:
    text = (DOCS / page).read_text("utf-8")
    blocks = re.findall(r"```console\n(.*?)```", text, re.DOTALL)
    return [shlex.split(line)[1:] for block in blocks for line in block.splitlines()]


def test_the_page_runs(haechi, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    asked = commands("comparing-two.md")
    assert len(asked) > 8
    for arguments in asked:
        ran = haechi(*arguments)
        assert ran.code == 0, (arguments, ran.err)


def test_both_languages_have_the_same_commands():
    assert commands("comparing-two.md") == commands("comparing-two.ko.md")


@pytest.mark.parametrize("page", ["comparing-two.md", "comparing-two.ko.md"])
def test_the_share_that_is_quoted_is_that_of_the_demo(haechi, tmp_path, page):
    from haechi.demo import make_duels

    shown = haechi("rank", make_duels(tmp_path).folder, "--json").json["systems"][0]
    assert shown["name"] == "누리"
    assert f"{100 * shown['first']:.0f} %" in (DOCS / page).read_text("utf-8")
