"""The plan of the house is true: every room has its sentence, and what can be added stands where CONTRIBUTING says."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest

from haechi.cli import export_command, import_forms
from haechi.data.conversations.formats import SCORED
from haechi.export import FORMATS

ROOT = Path(__file__).parents[1]
HOUSE = ROOT / "src" / "haechi"
ROOMS = {path.stem for path in HOUSE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()} - {
    "__init__"
}


@pytest.mark.parametrize(("page", "head"), [("concepts.md", "## Rooms"), ("concepts.ko.md", "## 방")])
def test_every_room_has_a_sentence_and_no_other_has(page, head):
    table = (ROOT / "docs" / page).read_text("utf-8").partition(head)[2]
    rows = re.findall(r"^\| (`[^|]*) \| (.*) \|$", table, re.MULTILINE)
    named = {name for rooms, sentence in rows for name in re.findall("`([a-z_]+)`", rooms + sentence)}
    assert named >= ROOMS
    assert {name for rooms, _ in rows for name in re.findall("`([a-z_]+)`", rooms)} <= ROOMS


@pytest.mark.parametrize(
    ("page", "head"), [("concepts.md", "## Four ways"), ("concepts.ko.md", "## 코드를 따라가는")]
)
def test_the_ways_through_the_code_lead_over_what_is_there(page, head):
    ways = (ROOT / "docs" / page).read_text("utf-8").partition(head)[2]
    stations = re.findall(r"`([\w/]+\.py)`: `([\w.]+)`", ways)
    assert len(stations) > 20
    for file, name in stations:
        *within, last = name.split(".")
        text = (HOUSE / file).read_text("utf-8")
        for one in within:
            text = text.partition(f"class {one}")[2]
        assert re.search(rf"(def|class) {last}\b", text), f"{file}: {name}"
    assert set(re.findall(r"`([\w/]+\.py)`", ways)) <= {
        path.relative_to(HOUSE).as_posix() for path in HOUSE.rglob("*.py")
    }


def test_one_name_means_one_thing():
    homes = defaultdict(dict)
    for path in HOUSE.rglob("*.py"):
        for name, meaning in named_types(ast.parse(path.read_text("utf-8"))):
            homes[name][path.relative_to(HOUSE).as_posix()] = meaning
    assert len(homes) > 500
    twice = {name: files for name, files in homes.items() if len(files) > 1}
    # The study of a notebook is the study with the commands as methods: one thing to whoever opens one.
    assert sorted(twice.pop("Study")) == ["notebook_study.py", "study/study.py"]
    # The statistics know nothing of ours, and say for themselves what a level is.
    levels = twice.pop("Level")
    assert sorted(levels) == ["rubrics/values.py", "stats/ratings.py"]
    assert len(set(levels.values())) == 1
    assert not twice


def named_types(module):
    """The public classes of a module and the types that it names, each with what it means."""
    for node in module.body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield node.name, f"class {node.name}"
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name, meaning = node.targets[0].id, ast.unparse(node.value)
            if re.match("[A-Z][a-z]", name) and not meaning.startswith("TypeVar("):
                yield name, meaning


def test_what_can_be_added_stands_where_contributing_says():
    rows = re.findall(
        r"^\| [\w ]+ \| `([\w/]+)/NAME\.py`.* \| `(\w+)`, `([\w/.]+)` \|$",
        (ROOT / "CONTRIBUTING.md").read_text("utf-8"),
        re.MULTILINE,
    )
    assert len(rows) == 6
    for folder, registry, file in rows:
        text = (HOUSE / file).read_text("utf-8")
        room = "haechi." + folder.replace("/", ".")
        assert re.search(rf"^{registry}\b.* =", text, re.MULTILINE), registry
        assert re.search(rf"^from {re.escape(room)}\.\w+ import", text, re.MULTILINE), folder


def test_what_the_command_line_offers_is_what_there_is():
    assert tuple(FORMATS) == export_command.FORMATS
    assert tuple(SCORED) == import_forms.SCORED
