"""Studies that are small, empty, one-sided or hostile still make a report, or say why not."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree

import openpyxl
import polars as pl
import pytest
from small_studies import diary_study, votes

from haechi.analysis.analysis import Analysis
from haechi.analysis.gates import Gate, GateResult
from haechi.report.build import build_report
from haechi.report.folder import FILES, write_report
from haechi.report.gates import junit, summary
from haechi.stats.figure import Why, undefined
from haechi.study.study import Study
from haechi.text import choose_language

NONE = votes(None, None, None)
ODD = {
    "one item, one rater": {"d1": {"ann": votes(1, 0, 1)}},
    "one item, two raters": {"d1": {"ann": votes(1, 0, 1), "bo": votes(0, 0, 1)}},
    "one rater": {f"d{i}": {"ann": votes(i % 2, 1, 0)} for i in range(6)},
    "only AI judges": {
        f"d{i}": {"ai-1": votes(i % 2, 1, 0), "ai-2": votes(1, i % 3 > 0, 0)} for i in range(6)
    },
    "one person, one judge": {
        f"d{i}": {"ann": votes(i % 2, 1, 0), "ai-1": votes(1, 1, i % 2)} for i in range(6)
    },
    "all values missing": {f"d{i}": {"ann": NONE, "bo": NONE} for i in range(3)},
    "one criterion missing": {
        f"d{i}": {"ann": votes(1, None, i % 2), "bo": votes(1, None, 1)} for i in range(4)
    },
    "nobody differs": {f"d{i}": {"ann": votes(1, 1, 1), "bo": votes(1, 1, 1)} for i in range(4)},
    "no item shared by raters": {f"d{i}": {"ann" if i % 2 else "bo": votes(1, 0, 1)} for i in range(6)},
}


@pytest.mark.parametrize("lang", ["ko", "en"])
@pytest.mark.parametrize("case", ODD)
def test_an_odd_study_makes_every_file(haechi, tmp_path, case, lang):
    study = diary_study(tmp_path / "study", ODD[case], {item: {"system": "x"} for item in ODD[case]})
    ran = haechi("report", study, "-o", tmp_path / "out", "--lang", lang)
    assert ran.code == 0, ran.err
    text = (tmp_path / "out" / "report.md").read_text("utf-8")
    for word in ("nan", "None", "inf"):
        assert not re.search(rf"\b{word}\b", text), word
    assert {path.name for path in (tmp_path / "out").iterdir()} - {"plots"} == set(FILES)


@pytest.mark.parametrize("case", ["one item, one rater", "all values missing"])
def test_a_gate_on_an_odd_study_says_why_it_fails(haechi, tmp_path, case):
    study = diary_study(tmp_path / "study", ODD[case])
    ran = haechi("check", study, "--min-lower", "mean3=0.5", "--json")
    assert ran.code == 1
    assert ran.json["gates"][0]["why"]


def test_a_study_without_items_is_refused(haechi, tmp_path):
    for rubric in ("ubica", "hiring-agent", "maice-qac", "diary-comment"):
        haechi("new", tmp_path / rubric, "--rubric", rubric)
        for command in (("report", "-o", tmp_path / "out"), ("check", "--min", "total=1")):
            ran = haechi(command[0], tmp_path / rubric, *command[1:])
            assert ran.code == 1
            assert "next" in ran.err
        assert not (tmp_path / "out").exists()


def test_two_studies_without_shared_items_are_compared_by_groups(haechi, tmp_path):
    first = diary_study(tmp_path / "a", {f"a{i}": {"ann": votes(i % 2, 1, 0)} for i in range(6)})
    second = diary_study(tmp_path / "b", {f"b{i}": {"ann": votes(1, i % 2, 0)} for i in range(8)})
    assert haechi("report", first, second, "-o", tmp_path / "out").code == 0
    text = (tmp_path / "out" / "report.md").read_text("utf-8")
    assert "Welch t" in text
    assert pl.read_csv(tmp_path / "out" / "changes.csv").is_empty()


def test_two_studies_of_one_item_each_and_a_missing_score(haechi, tmp_path):
    first = diary_study(tmp_path / "a", {"d1": {"ann": votes(1, None, 0)}})
    second = diary_study(tmp_path / "b", {"d1": {"ann": votes(0, 1, 0)}})
    ran = haechi("report", first, second, "-o", tmp_path / "out")
    assert ran.code == 0, ran.err
    assert not re.search(r"\bnan\b|\bNone\b", (tmp_path / "out" / "report.md").read_text("utf-8"))


def test_two_studies_of_different_rubrics_are_refused(haechi, tmp_path):
    first = diary_study(tmp_path / "a", {"d1": {"ann": votes(1, 1, 0)}})
    study = Study.new(tmp_path / "b", "ubica", "루나", "시청자")
    (tmp_path / "r.csv").write_text("item,criterion,rater,value\ni,realism,ann,3\n", "utf-8")
    study.import_ratings([tmp_path / "r.csv"])
    ran = haechi("report", first, study.folder, "-o", tmp_path / "out")
    assert ran.code == 1
    assert "diary-comment, ubica" in ran.err


def test_a_huge_comment_is_cut_where_a_format_must_and_says_so_elsewhere(tmp_path):
    study = Study.new(tmp_path / "study", "ubica", "루나", "시청자")
    keys = [criterion.key for criterion in study.rubric.criteria]
    rows = [{"item": "i", "criterion": key, "rater": "ann", "value": "3"} for key in keys[:-1]]
    rows.append({"item": "i", "criterion": keys[-1], "rater": "ann", "value": "가나" * 200_000})
    (tmp_path / "r.json").write_text(json.dumps(rows), "utf-8")
    study.import_ratings([tmp_path / "r.json"])
    write_report(Analysis(study.folder), tmp_path / "out")
    assert (tmp_path / "out" / "report.html").stat().st_size < 200_000
    assert "more characters" in (tmp_path / "out" / "report.md").read_text("utf-8")
    book = openpyxl.load_workbook(tmp_path / "out" / "scores.xlsx", read_only=True)
    (_, (*_, comment)) = book["comments"].values
    assert len(comment) <= 32_767
    assert comment.endswith("more characters)")
    kept = pl.read_parquet(tmp_path / "out" / "ratings.parquet")
    assert kept["value"].str.len_chars().max() == 400_000


NAME = "</text></svg><script>x</script>&\"'|`[a](javascript:1) # =1+1"
HOSTILE = f"{NAME}\x00\x07\ufffe\n# |"


def test_hostile_names_in_every_plot_leave_it_one_picture(tmp_path):
    rated = {
        f"d{i}": {
            f"{NAME}1": votes(i % 2, 1, 0),
            f"ai{NAME}": votes(1, i % 3 > 0, 0),
            "bo": votes(0, 1, 1),
        }
        for i in range(6)
    }
    study = diary_study(
        tmp_path / "study", rated, {f"d{i}": {"system": HOSTILE if i % 2 else "=2"} for i in range(6)}
    )
    report = write_report(Analysis(study), tmp_path / "out")
    page = (tmp_path / "out" / "report.html").read_text("utf-8")
    pictures = re.findall(r"<svg.*?</svg>", page, re.S)
    assert len(pictures) == 2 * page.count("<figure") >= 10  # for a page and for a phone
    for picture in pictures:
        found = ElementTree.fromstring(picture)
        assert {node.tag for node in found.iter()} <= {
            "svg",
            "title",
            "desc",
            "line",
            "text",
            "circle",
            "rect",
            "polygon",
            "g",
        }
        assert found.find("desc").text
    assert report.findings


def test_junit_and_markdown_hold_any_name():
    nothing = undefined(Why(HOSTILE, f"\ud800 {HOSTILE}"), 0)
    checks = [
        GateResult(Gate("min", HOSTILE, 1), nothing, False),
        GateResult(Gate("min", "total", 1), nothing, True),
    ]
    suite = ElementTree.fromstring(junit(HOSTILE, checks).encode("utf-8")).find("testsuite")
    assert suite.get("failures") == "1"
    assert "<script>" in suite.find("testcase").get("name")
    told = summary(HOSTILE, checks)
    assert len(told.strip().splitlines()) == 6  # a heading, an empty line, the head's two lines, two gates
    assert not re.search(r"(?<!\\)<script|(?<!\\)\[a", told)


def test_a_test_with_enough_people_and_items_carries_no_caution(tmp_path):
    raters = ("ann", "bo", "cy", "ai-1")
    ratings = {
        f"d{n}": {rater: votes(1, int((n + seat) % 9 > 0), n % 2) for seat, rater in enumerate(raters)}
        for n in range(60)
    }
    few = {item: ratings[item] for item in list(ratings)[:40]}
    choose_language("en")
    notes = []
    for name, given in (("few", few), ("enough", ratings)):
        report = build_report(Analysis(diary_study(tmp_path / name, given)))
        (found,) = [table for table in report.tables() if "alternative annotator test" in table.title]
        notes.append(found.note)
    assert notes[0].startswith("The test was proposed for 3 or more people")
    assert notes[1] == ""
