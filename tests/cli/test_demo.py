"""The first minute: one screen that answers, with the figures of the commands and the reports beside it."""

from __future__ import annotations

import csv
import io
import re
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from importlib import resources

import pytest


@pytest.fixture(scope="module")
def first_minute(tmp_path_factory):
    """The demo of a language: what was printed, and its folder, whose name has a space.

    It is made once, and only shown again. The English one is made with `--quiet`, which leaves nothing of the result out.
    """
    from haechi.cli.start import main

    @cache
    def made(lang):
        folder, out, err = tmp_path_factory.mktemp(lang) / "my demo", io.StringIO(), io.StringIO()
        quiet = ["--quiet"] if lang == "en" else []
        with redirect_stdout(out), redirect_stderr(err):
            assert main(["demo", str(folder), "--lang", lang, *quiet]) == 0
        assert (err.getvalue() == "") == bool(quiet)
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


def test_what_a_rubric_sets_as_code_is_code_in_every_report(first_minute):
    reports = first_minute("en")[1] / "reports" / "maice-qac"
    assert "`missing: unmet` counts it as 0" in (reports / "report.md").read_text("utf-8")
    assert "<code>missing: unmet</code> counts it as 0" in (reports / "report.html").read_text("utf-8")


def test_the_one_command_that_opens_the_workbench_is_named(first_minute):
    shown, _ = first_minute("en")
    assert re.search(r"serve .*'.*my demo'", shown), "a name with a space is quoted"


def test_quiet_leaves_the_result_and_the_reason_of_a_failure(haechi, first_minute):
    assert "ubica" in first_minute("en")[0]
    failed = haechi("rubrics", "show", "--quiet", "--lang", "en")
    assert (failed.code, failed.err.strip()) == (2, "Name a rubric or a file.")


@pytest.mark.parametrize("lang", ["ko", "en"])
def test_one_sentence_says_what_people_would_have_given(haechi, first_minute, lang):
    shown, folder = first_minute(lang)
    title = {"ko": "사람이 평가했다면", "en": "If people had rated all"}[lang]
    assert f"maice-qac-drawn  {title}\n" in shown
    scores = haechi("score", folder / "maice-qac-drawn", "--json").json["summary"][0]["scores"]
    total = scores["total"]["human_scale"]
    low, high = total["ci95"]
    (sentence,) = (
        line for line in shown.splitlines() if f"{total['value']:.2f} [{low:.2f}, {high:.2f}]" in line
    )
    assert f"{total['judge_only']['value']:.2f}" in sentence
    assert (total["n_human"], total["n_items"]) == (30, 120)
    assert high < total["judge_only"]["value"]


def test_the_demo_studies_have_the_figures_of_their_data(haechi, first_minute):
    folder = first_minute("en")[1]
    diary = haechi("score", folder / "diary-comment", "--json").json
    by_system = {row["by"]["system"]: row["scores"] for row in diary["summary"] if "system" in row["by"]}
    # 34 of 36 and 13 of 36 specificity ratings in the bundled table are 1
    assert by_system["모델 A"]["specificity"]["mean"] == pytest.approx(34 / 36)
    assert by_system["모델 B"]["specificity"]["mean"] == pytest.approx(13 / 36)
    qac = haechi("score", folder / "maice-qac", "--json").json
    floors = {e["scores"]["B"] for e in qac["items"] if e["item"] == "s11"}
    assert floors == {3}, "no assistant answer: B is 3 for every rater by rule"
    again = haechi("demo", folder, "--json")
    assert again.code == 0
    assert set(again.json) >= {"ubica", "maice-qac", "diary-comment"}


def values_in(*files: str) -> dict[tuple[str, str, str], int]:
    """(item, element, rater) → value in the bundled tables of the tutoring study."""
    found = {}
    for file in files:
        with (resources.files("haechi.demo") / "data" / "maice-qac" / file).open(
            encoding="utf-8-sig"
        ) as table:
            for row in csv.DictReader(table):
                if row["status"] == "ok":
                    found[row["item"], row["criterion"], row["rater"]] = int(row["value"])
    return found


def test_the_demo_shows_what_the_trial_model_is_worth(haechi, first_minute):
    folder = first_minute("ko")[1]
    told = haechi("demo", folder, "--json").json
    shown = {one["rater"]: one for one in told["trial"]["raters"]}
    teachers, judged = values_in("teachers.csv"), values_in("judges.csv", "smollm2.csv")
    for rater in ("gpt-5-mini", "smollm2/en"):
        pairs = [
            (value, person)
            for (item, element, by), value in judged.items()
            for (other, asked, _), person in teachers.items()
            if by == rater and (other, asked) == (item, element)
        ]
        n, ones, people = len(pairs), sum(a for a, _ in pairs), sum(b for _, b in pairs)
        same = sum(a == b for a, b in pairs) / n
        chance = (ones * people + (n - ones) * (n - people)) / n**2  # Cohen's expected agreement
        assert shown[rater]["agreement"]["value"] == pytest.approx(same)
        assert shown[rater]["kappa"]["value"] == pytest.approx((same - chance) / (1 - chance))
    trial = shown.pop("smollm2/en")
    assert trial["agreement"]["value"] > 0.5, "it looks better than it is"
    assert trial["kappa"]["value"] < 0.2
    assert min(one["kappa"]["value"] for one in shown.values()) > 0.4
    example = haechi("score", folder / "maice-qac", "--json").json
    assert "smollm2/en" not in {one["rater"] for one in example["items"]}, "it is not in the example's panel"
    korean = haechi("demo", folder, "--tables", "--lang", "ko").out
    for words in ("AI 평가자가 아닙니다", "서로 견준 교사", "κ(우연을 뺀 일치)"):
        assert words in korean
    english = haechi("demo", folder, "--tables", "--lang", "en").out
    for words in ("is no judge", "teachers against each other", "κ (chance taken out)"):
        assert words in english
