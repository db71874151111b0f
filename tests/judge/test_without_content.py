"""Items of which only ratings are known cannot be asked; the command says how many there are and which."""

from __future__ import annotations

import pytest
from provider_settings import MODELS


@pytest.fixture
def study(make_study, write):
    """Two diaries with content, and seven ids that only a table of ratings names."""
    study = make_study(2)
    rows = "".join(f"x{number},sympathy,teacher-1,human,1\n" for number in range(7))
    study.import_ratings([write("r.csv", "item,criterion,rater,kind,value\n" + rows)], create_items=True)
    return study


@pytest.mark.parametrize("more", [("--dry-run",), (), ("--batch",)])
def test_they_are_named(server, study, haechi, more):
    done = haechi("judge", study.folder, "--model", MODELS[0], *more, "--json")
    assert done.code == 0
    assert done.json["without_content"] == {"items": 7, "first": ["x0", "x1", "x2", "x3", "x4"]}
    assert "7 items without content cannot be asked and are left out: x0, x1, x2, x3, x4 …" in done.err
    shown = haechi("judge", study.folder, "--model", MODELS[1], *more)
    assert "haechi add" in shown.err


def test_nothing_is_said_when_all_have_content(server, make_study, haechi):
    done = haechi("judge", make_study(1).folder, "--model", MODELS[0], "--json")
    assert done.json["without_content"] == {"items": 0, "first": []}
    assert "without content" not in done.err
