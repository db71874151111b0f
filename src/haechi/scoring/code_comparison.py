"""What people and AI judges gave for what code measures, set beside what code measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import polars as pl

from haechi.frozen import frozen
from haechi.scoring.batches import Batches
from haechi.scoring.panel import panel_means
from haechi.scoring.runs.points import BESIDE
from haechi.scoring.summary_row import ScoreFigures

KINDS = ("code", "ai", "human")


@frozen
class CodeDifference:
    """The mean over runs of what one kind of raters gave; `difference` is its distance from code on the same runs."""

    mean: float | None
    n: int
    difference: float | None = None


def beside_code(
    batches: Batches, names: Sequence[str], whole: Mapping[str, ScoreFigures]
) -> Mapping[str, Mapping[str, CodeDifference]]:
    """For every score of runs that raters gave points for: code's mean, and the mean of every kind of raters.

    A run has the mean of its raters of a kind, of a rater with replicates the mean of those first. Code's figures are those of the whole set in the summary, and nothing else
    enters them.
    """
    found: dict[str, dict[str, CodeDifference]] = {}
    for name in names:
        given = BESIDE + name
        runs = pl.concat(
            panel_means(frame.drop_nulls(given), [given], ["item", "kind"], [name])
            for frame in batches(["item", "rater", "kind", name, given])
        )
        sides = {"code": CodeDifference(whole[name].over_items.mean, whole[name].over_items.n)}
        for kind in KINDS:
            own = runs.filter(pl.col("kind") == kind)
            if own.height and kind != "code":
                apart = (own[given] - own[name]).drop_nulls()
                sides[kind] = CodeDifference(_mean(own[given]), own.height, _mean(apart))
        if len(sides) > 1:
            found[name] = sides
    return found


def as_json(found: Mapping[str, Mapping[str, CodeDifference]]) -> dict[str, Any]:
    """As `haechi score --json` shows it."""
    return {
        name: {
            kind: {k: v for k, v in asdict(side).items() if kind != "code" or k != "difference"}
            for kind, side in sides.items()
        }
        for name, sides in found.items()
    }


def _mean(values: pl.Series) -> float | None:
    return float(values.mean()) if len(values) else None  # type: ignore[arg-type]
