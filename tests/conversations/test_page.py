"""The page of formats names every format and every command as it is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from haechi.data.conversations.formats import FORMATS, SCORED
from haechi.data.readers import READERS

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("page", ["conversations.md", "conversations.ko.md"])
def test_every_format_has_a_row_with_its_command(page):
    rows = [
        line.strip("|").split(" | ")
        for line in (DOCS / page).read_text("utf-8").splitlines()
        if line.startswith("| ")
    ][1:]
    named = {name for row in rows for name in re.findall("`([^`]+)`", row[-1])}
    assert named - set(READERS.own) == set(FORMATS)
    assert all("`haechi add DIR " in row[-2] for row in rows)
    imported = {name for row in rows for name in re.findall("--as ([a-z]+)`", row[-2])}
    assert imported == set(SCORED)
