"""Plots as small vector graphics: colours and fonts come from the page, so that they fit light, dark and print.

A section draws with the functions here. A chart in `CHARTS` is put into its section by itself: one file and one line. A
package brings one by an entry point in the group `haechi.charts` that leads to a `Chart`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from haechi.analysis.analysis import Analysis
from haechi.plugins.registry import Registry, not_a
from haechi.report.chart_items import ItemsBehind, browser_items, items_behind
from haechi.report.charts.bars import Bins, LevelRow, bins_of, histogram, level_values, likert_bars
from haechi.report.charts.canvas import plot
from haechi.report.charts.curves import planning_chart
from haechi.report.charts.dots import DotRow, by_value, dot_chart, dot_values
from haechi.report.charts.grid import grid_values, heat_map
from haechi.report.charts.points import Points, ReferenceLine, scatter
from haechi.report.charts.raters import pairs_chart, severity_chart
from haechi.report.charts.swarm import Dot, SwarmRow, dots_of_items, dots_of_sample, swarm, swarm_values
from haechi.report.document import Plot

__all__ = [
    "CHARTS",
    "Bins",
    "Chart",
    "Dot",
    "DotRow",
    "ItemsBehind",
    "LevelRow",
    "Points",
    "ReferenceLine",
    "SwarmRow",
    "bins_of",
    "browser_items",
    "by_value",
    "dot_chart",
    "dot_values",
    "dots_of_items",
    "dots_of_sample",
    "grid_values",
    "heat_map",
    "histogram",
    "items_behind",
    "level_values",
    "likert_bars",
    "plot",
    "scatter",
    "swarm",
    "swarm_values",
]


class Chart(NamedTuple):
    """A plot at the end of the section with that key, before its notes; None where there is nothing to draw."""

    section: str
    draw: Callable[[Analysis], Plot | None]


CHARTS = Registry[Chart](
    "haechi.charts",
    {
        "pairs": Chart("agreement", pairs_chart),
        "severity": Chart("agreement", severity_chart),
        "planning": Chart("agreement", planning_chart),
    },
    not_a(Chart),
    lambda chart, guard: chart._replace(draw=guard.of(chart.draw)),
)
"""The charts that are put into their sections, by name."""
