"""The commands of docs/own-criteria are run as they stand, and both languages have the same ones."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def commands(page: str) -> list[list[str]]:
    blocks = re.findall(r"```console\n(.*?)```", (DOCS / page).read_text("utf-8"), re.DOTALL)
    return [shlex.split(line)[1:] for block in blocks for line in block.splitlines()]


def test_the_page_runs(haechi, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    asked = commands("own-criteria.md")
    assert len(asked) > 5
    for arguments in asked:
        ran = haechi(*arguments)
        assert ran.code == 0, (arguments, ran.err)


def test_both_languages_have_the_same_commands():
    assert commands("own-criteria.md") == commands("own-criteria.ko.md")


def test_the_rule_for_tags_is_a_part_of_a_rubric():
    from haechi.rubrics import builtin_text, parse_rubric

    for page in ("own-criteria.md", "own-criteria.ko.md"):
        (scores,) = re.findall(r"```yaml\n(scores:.*?)```", (DOCS / page).read_text("utf-8"), re.DOTALL)
        made = parse_rubric(builtin_text("own-criteria") + scores)
        assert made.score_names == ("checklist", "accuracy")
