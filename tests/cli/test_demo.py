"""The first minute: one screen that answers, with the figures of the commands and the reports beside it."""

from __future__ import annotations

import io
import re
from contextlib import redirect_stdout
from functools import cache

import pytest


@pytest.fixture(scope="module")
def first_minute(tmp_path_factory):
    """The demo of a language: what was printed, and its folder, whose name has a space. It is made once, and only read."""
    from haechi.cli.start import main

    @cache
    def made(lang):
        folder, out = tmp_path_factory.mktemp(lang) / "my demo", io.StringIO()
        with redirect_stdout(out):
            assert main(["demo", str(folder), "--lang", lang]) == 0
        return out.getvalue(), folder

    return made


@pytest.mark.parametrize("lang", ["ko", "en"])
def test_the_demo_fits_one_screen_and_says_the_figures_of_score(haechi, first_minute, lang):
    shown, folder = first_minute(lang)
    assert len(shown.splitlines()) <= 45
    for name, score in (("ubica", "overall"), ("hiring-agent", "overall"), ("diary-comment", "mean3")):
        assert (folder / "reports" / name / "report.html").exists()
        whole = haechi("score", folder / name, "--json").json["summary"][0]["scores"][score]
        low, high = whole["ci95"]
        block = shown[shown.index(f"{name}  ") :].split("\n\n")[0]
        assert f"{whole['mean_over_items']:.2f} [{low:.2f}, {high:.2f}]" in block
        assert "report.html" in block
    by_kind = haechi("score", folder / "maice-qac", "--json").json["summary"][0]["scores"]["total"]["by_kind"]
    for kind in ("human", "ai"):
        assert f"{by_kind[kind]['mean_over_items']:.2f} [" in shown


def test_the_one_command_that_opens_the_workbench_is_named(first_minute):
    shown, _ = first_minute("en")
    assert re.search(r"serve .*'.*my demo'", shown), "a name with a space is quoted"


def test_quiet_leaves_the_result_and_the_reason_of_a_failure(haechi, tmp_path):
    quiet = haechi("demo", tmp_path / "demo", "--quiet")
    assert (quiet.code, quiet.err) == (0, "")
    assert "ubica" in quiet.out
    failed = haechi("rubrics", "show", "--quiet", "--lang", "en")
    assert (failed.code, failed.err.strip()) == (2, "Name a rubric or a file.")


@pytest.mark.parametrize("lang", ["ko", "en"])
def test_one_sentence_says_what_people_would_have_given(haechi, first_minute, lang):
    shown, folder = first_minute(lang)
    scores = haechi("score", folder / "maice-qac-drawn", "--json").json["summary"][0]["scores"]
    total = scores["total"]["human_scale"]
    low, high = total["ci95"]
    (sentence,) = (
        line for line in shown.splitlines() if f"{total['value']:.2f} [{low:.2f}, {high:.2f}]" in line
    )
    assert f"{total['judge_only']['value']:.2f}" in sentence
    assert (total["n_human"], total["n_items"]) == (30, 120)
    assert high < total["judge_only"]["value"]
