"""The arithmetic of the runs' metrics, worked once on one run and on one mean, so that a reader can follow the rest."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from haechi.analysis.analysis import Analysis
from haechi.report.numbers import number
from haechi.report.table import Cell, Column, ItemLink, Table, table
from haechi.report.words import said, score_label
from haechi.rubrics.formula import Formula
from haechi.rubrics.scales.number_range import NumberRange

_DETAILS = tuple(
    f"details:{name}" for name in ("checks_passed", "checks_total", "seconds", "ratio_a", "ratio_b")
)


def worked_arithmetic(figures: Analysis) -> Table | None:
    """Every metric of one run from what was measured, its total from the metrics, and one mean from its distribution."""
    run = _example(figures)
    rows: list[list[Cell]] = []
    if run is not None:
        rows += [
            [ItemLink(run["item"]), score_label(figures.rubric, name), how]
            for name, how in _worked(figures, run)
        ]
    rows += [[said("전체", "the set"), score_label(figures.rubric, n), how] for n, how in _mean(figures)]
    if not rows:
        return None
    columns = [said("실행", "run"), said("지표", "metric"), said("계산", "arithmetic")]
    return table(said("계산 예", "The arithmetic, worked once"), [Column(c, "words") for c in columns], rows)


def _example(figures: Analysis) -> Mapping[str, Any] | None:
    """The first run that passed some of its checks and not all; else the first with checks, those with a total before others."""
    if figures.scored.pass_rule is None:
        return None
    passed, total = (pl.col(name) for name in _DETAILS[:2])
    best: pl.DataFrame | None = None
    for frame in figures.batches(["item", *figures.names, *_DETAILS]):
        ranked = frame.filter(total > 0).with_columns(
            rank=2 * (~((passed > 0) & (passed < total))).cast(pl.Int32)
            + pl.col(figures.main).is_null().cast(pl.Int32)
        )
        known = [ranked] if best is None else [best, ranked]
        best = pl.concat(known).sort("rank", maintain_order=True).head(1)
    return best.row(0, named=True) if best is not None and best.height else None


def _worked(figures: Analysis, run: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    passed, total, seconds, ratio_a, ratio_b = (run[name] for name in _DETAILS)
    measures = {"check_ratio": passed / total, "seconds": seconds, "ratio_a": ratio_a, "ratio_b": ratio_b}
    written = {
        "check_ratio": f"{passed:g}/{total:g} = {number(passed / total)}",
        "seconds": "" if seconds is None else f"{seconds:.6g} s",
    }
    for criterion in figures.rubric.criteria:
        name, bands = criterion.score, criterion.scale.bands_of_measure
        measure = next((one for one in criterion.scale.measured if one in written), None)
        if name not in figures.names or run[name] is None:
            continue
        if bands and measure and measures[measure] is not None:
            band = next(
                (b for b in bands if b.points == run[name] and _holds(b.range, measures[measure])), None
            )
            if band is not None:  # else somebody else than code gave it
                yield name, f"{written[measure]} · {_in_words(band.range)} → {band.points:g}"
        elif (formula := criterion.scale.formula_of_measures) and (
            how := _by_formula(formula, measures, run[name])
        ) is not None:
            yield name, how
    yield from _total(figures, run)


def _by_formula(formula: str, measures: Mapping[str, float | None], points: float) -> str | None:
    """A formula with what was measured in the place of its names; None where the points are not what it comes to."""
    values = {name: value for name, value in measures.items() if value is not None}
    if not Formula(formula).names <= set(values):
        return None
    found = pl.select(Formula(formula).evaluate({name: pl.lit(value) for name, value in values.items()}))
    if abs(found.item() - points) > 1e-9:  # kept within its scale, or given by a rater
        return None
    filled = re.sub(r"[A-Za-z_]\w*", lambda name: number(values[name[0]]), formula)
    return f"{filled.replace('*', '×')} = {number(points)}"


def _holds(of: NumberRange, value: float) -> bool:
    low, low_in, high, high_in = of
    return (value > low or (low_in and value == low)) and (value < high or (high_in and value == high))


def _in_words(of: NumberRange) -> str:
    low, low_in, high, high_in = of
    if low == high:
        return f"x = {low:g}"
    start = f"{low:g} {'≤' if low_in else '<'} " if low > float("-inf") else ""
    return f"{start}x" + (f" {'≤' if high_in else '<'} {high:g}" if high < float("inf") else "")


def _total(figures: Analysis, run: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The weighted total of the run, where it has every part."""
    derived = {one.key: one for one in figures.rubric.scores}
    total = derived.get(figures.main)
    if total is None or not total.weights or run[figures.main] is None:
        return
    parts = {
        name: run[name]
        if name in run
        else next((run[p] for p in derived[name].of if run.get(p) is not None), None)
        for name in total.weights
    }
    known = {name: value for name, value in parts.items() if value is not None}
    if len(known) < len(parts):
        return
    whole = sum(total.weights.values())
    listed = " + ".join(
        f"{total.weights[name] / whole:.2f} × {number(value)}" for name, value in known.items()
    )
    yield figures.main, f"{listed} = {number(run[figures.main])}"


def _mean(figures: Analysis) -> Iterator[tuple[str, str]]:
    """The mean of what checks score from how often every point was given; where raters gave points in between, nothing."""
    rule = figures.scored.pass_rule
    of = figures.scored.summary[0].scores[rule.score] if rule is not None else None
    if rule is None or of is None or not of.n or of.mean is None or not of.distribution:
        return
    counted = [(float(level), count) for level, count in of.distribution.items() if count]
    if abs(sum(level * count for level, count in counted) / of.n - of.mean) > 1e-9:
        return
    listed = " + ".join(f"{level:g}×{count:,}" for level, count in sorted(counted, reverse=True))
    yield rule.score, f"({listed}) / {of.n:,} = {number(of.mean)}"
