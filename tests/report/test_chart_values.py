"""What is drawn is what the file beside the picture says: places and lengths in every picture of every example study."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from haechi.analysis.analysis import Analysis
from haechi.demo import make_duels, make_own_criteria, make_studies, make_trial
from haechi.demo.drawn_study import make_drawn
from haechi.report.document import Plot
from haechi.report.folder import write_report
from haechi.report.numbers import number, percent
from haechi.report.pictures import named_plots
from haechi.text import choose_language

STUDIES = (
    *("ubica", "hiring-agent", "maice-qac", "diary-comment", "diary-duel", "own-criteria"),
    *("maice-qac-drawn", "maice-qac-trial"),
)
SVG = "{http://www.w3.org/2000/svg}"
Rows = list[dict[str, str]]


@pytest.fixture(scope="module")
def reports(tmp_path_factory) -> dict[str, tuple[Path, dict[Plot, str]]]:
    choose_language("ko")
    folder = tmp_path_factory.mktemp("reports")
    more = (make_duels, make_own_criteria, make_trial, make_drawn)
    studies = [*make_studies(folder / "demo"), *(make(folder / "demo") for make in more)]
    made = {study.name: write_report(Analysis(study), folder / study.name) for study in studies}
    choose_language(None)
    return {name: (folder / name, named_plots(report)) for name, report in made.items()}


class Drawn:
    """A picture: its marks with what they say, and what they are made of."""

    def __init__(self, text: str) -> None:
        self.root = ElementTree.fromstring(text)
        self.marks = [node for node in self.root.iter(f"{SVG}g") if node.get("class") == "mark"]

    def told(self) -> list[str]:
        return [mark.find(f"{SVG}title").text.partition(" — ")[0] for mark in self.marks]

    def places(self) -> list[float]:
        """Where the middle of every mark lies across."""
        return [_middle(mark) for mark in self.marks]


def _middle(mark: ElementTree.Element) -> float:
    for node in mark:
        if node.tag == f"{SVG}circle":
            return float(node.get("cx"))
        if node.tag == f"{SVG}rect":
            return float(node.get("x")) + float(node.get("width")) / 2
        if node.tag == f"{SVG}polygon":
            across = [float(pair.split(",")[0]) for pair in node.get("points").split()]
            return (max(across) + min(across)) / 2
    raise AssertionError("a mark without a shape")


def rows_of(path: Path) -> Rows:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def on_a_line(values: list[float], places: list[float]) -> bool:
    """Whether places are a straight function of values, to a twentieth of a unit of the picture."""
    if len(set(values)) < 2:
        return len(set(values)) == len(set(places))
    slope, start = np.polyfit(values, places, 1)
    return bool(np.max(np.abs(np.array(places) - (slope * np.array(values) + start))) < 0.06)


def check_dots(drawn: Drawn, rows: Rows) -> None:
    """Profiles, groups, severity, strengths: values at their places, whiskers at their ends, digits beside."""
    known = [row for row in rows if row["value"]]
    assert on_a_line([float(row["value"]) for row in known], drawn.places())
    for row, mark in zip(known, drawn.marks, strict=True):
        (printed,) = [node.text for node in mark if node.tag == f"{SVG}text"]
        assert printed == number(float(row["value"]))
        assert row["name"] in mark.find(f"{SVG}title").text
    ends = [
        (float(row[end]), float(line.get(side)))
        for row, mark in zip(known, drawn.marks, strict=True)
        if row["low"]
        for line in mark.iter(f"{SVG}line")
        for end, side in (("low", "x1"), ("high", "x2"))
    ]
    values = [(float(row["value"]), place) for row, place in zip(known, drawn.places(), strict=True)]
    assert on_a_line([value for value, _ in [*values, *ends]], [place for _, place in [*values, *ends]])


def check_levels(drawn: Drawn, rows: Rows) -> None:
    """Bars of levels: as long as their shares, in the order of the levels, the highest mean first."""
    told = [re.fullmatch(r"(.+): (\S+) × ([\d,]+) \((.+)\)", words).groups() for words in drawn.told()]
    known = {(row["name"], row["level"]): row for row in rows if int(row["count"])}
    assert {(name, level) for name, level, *_ in told} == set(known)
    lengths = []
    for (name, level, count, share), mark in zip(told, drawn.marks, strict=True):
        row = known[name, level]
        assert int(count.replace(",", "")) == int(row["count"])
        assert share == percent(float(row["share"]))
        lengths.append((float(row["share"]), float(mark.find(f"{SVG}rect").get("width"))))
    assert on_a_line([share for share, _ in lengths], [length for _, length in lengths])
    names = list(dict.fromkeys(name for name, *_ in told))
    places = []
    for name in names:
        own = [row for row in rows if row["name"] == name]
        levels = [float(row["level"]) for row in own]
        mean = sum(float(row["level"]) * int(row["count"]) for row in own) / sum(int(r["count"]) for r in own)
        places.append((mean - min(levels)) / (max(levels) - min(levels)))
    assert places == sorted(places, reverse=True)


def check_swarm(drawn: Drawn, rows: Rows) -> None:
    """Every item as a dot at its value, and means at theirs."""
    by_name: dict[str, list[tuple[float, float]]] = {}
    for name, place in zip(drawn.told(), drawn.places(), strict=True):
        by_name.setdefault(name.partition(": ")[0], []).append((name, place))
    pairs = []
    for name, seen in by_name.items():
        dots = [float(row["value"]) for row in rows if row["name"] == name and row["dot"] != "mean"]
        means = [float(row["value"]) for row in rows if row["name"] == name and row["dot"] == "mean"]
        places = [place for _, place in seen]
        assert len(places) == len(dots) + len(means)
        pairs += list(zip([*dots, *means], places, strict=True))
    assert on_a_line([value for value, _ in pairs], [place for _, place in pairs])


def check_bins(drawn: Drawn, rows: Rows) -> None:
    """Bars as high as their counts, over their stretches."""
    bars = [row for row in rows if not row["mark"] and int(row["count"])]
    heights = [float(mark.find(f"{SVG}rect").get("height")) for mark in drawn.marks]
    assert on_a_line([0.0, *(float(row["count"]) for row in bars)], [0.0, *heights])
    middles = [(float(row["above"]) + float(row["to"])) / 2 for row in bars]
    assert on_a_line(middles, drawn.places())
    assert drawn.told() == [f"{float(r['above']):g}–{float(r['to']):g}: {int(r['count']):,}" for r in bars]
    names = {row["mark"]: float(row["to"]) for row in rows if row["mark"]}
    words = " ".join(node.text or "" for node in drawn.root.iter(f"{SVG}text"))
    for name, value in names.items():
        assert f"{name} {number(value)}" in words


def check_points(drawn: Drawn, rows: Rows) -> None:
    """Points at their two values; those in one place are one, which says how many it is."""
    n = sum(int(words.partition(" × ")[2] or 1) for words in drawn.told())
    assert n == len(rows)
    for words, mark in zip(drawn.told(), drawn.marks, strict=True):
        first = mark.find(f"{SVG}title").text.partition(" — ")[2].split(", ")[0].partition(" …")[0]
        row = next(row for row in rows if row["item"] == first)
        assert words.partition(" × ")[0] == f"{number(float(row['x']))}, {number(float(row['y']))}"


def check_cells(drawn: Drawn, rows: Rows) -> None:
    """Every pair of a grid with its value."""
    assert len(drawn.marks) == len(rows)
    for words, row in zip(drawn.told(), rows, strict=True):
        assert words.startswith(f"{row['row']} · {row['column']}: ")
        assert (
            words.endswith("–") if not row["value"] else number(float(row["value"]), "coefficient") in words
        )


def check_trend(drawn: Drawn, rows: Rows) -> None:
    """Every figure of every panel, higher ones higher."""
    known = [row for row in rows if row["value"]]
    for words, row in zip(drawn.told(), known, strict=True):
        assert words.startswith(f"{row['name']} · {row['at']}: {number(float(row['value']))}")
    panels: dict[str, list[tuple[float, float]]] = {}
    for mark, row in zip(drawn.marks, known, strict=True):
        height = float(mark.find(f"{SVG}circle").get("cy"))
        panels.setdefault(row["name"], []).append((float(row["value"]), -height))
    for pairs in panels.values():
        assert on_a_line([value for value, _ in pairs], [height for _, height in pairs])


def check_curves(drawn: Drawn, rows: Rows) -> None:
    """Every point of every curve."""
    assert on_a_line([float(row["x"]) for row in rows], drawn.places())
    for words, row in zip(drawn.told(), rows, strict=True):
        assert words.startswith(row["name"])
        assert words.endswith(f": {number(float(row['value']))}")


CHECKS = {
    ("name", "value", "low", "high"): check_dots,
    ("name", "series", "value", "low", "high"): check_dots,
    ("name", "level", "count", "share"): check_levels,
    ("name", "dot", "value", "items", "low", "high"): check_swarm,
    ("mark", "above", "to", "count"): check_bins,
    ("item", "x", "y"): check_points,
    ("row", "column", "value"): check_cells,
    ("name", "at", "value", "low", "high"): check_trend,
    ("name", "x", "value"): check_curves,
}


@pytest.mark.parametrize("name", STUDIES)
def test_every_picture_shows_the_values_of_the_file_beside_it(reports, name):
    folder, plots = reports[name]
    assert plots
    for plot, file in plots.items():
        rows = rows_of(folder / f"{file}.csv")
        check = CHECKS[tuple(rows[0])]
        check(Drawn((folder / f"{file}.svg").read_text("utf-8")), rows)
        narrow = str(plot.narrow).replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
        check(Drawn(narrow), rows)


def test_every_kind_of_picture_is_among_them(reports):
    seen = {
        CHECKS[tuple(rows_of(folder / f"{file}.csv")[0])]
        for folder, plots in reports.values()
        for file in plots.values()
    }
    assert seen == set(CHECKS.values())


def test_the_counts_of_levels_are_those_of_the_summary(reports):
    folder, _ = reports["ubica"]
    given = rows_of(folder / "scores.csv")
    levels = [rows_of(path) for path in (folder / "plots").glob("*.csv")]
    (rows,) = [rows for rows in levels if "level" in rows[0]]
    columns = [name for name in given[0] if not name.startswith("mean:") and ":" in name]
    counted = sum(
        bool(row[c]) for row in given for c in columns if c.rpartition(":")[2] not in ("overall", "sum")
    )
    assert sum(int(row["count"]) for row in rows) == counted
