"""Plots as small vector graphics: colours and fonts come from the page, so that they fit light, dark and print."""

from haechi.report.charts.bars import distribution_bars, histogram
from haechi.report.charts.dots import DotRow, dot_chart
from haechi.report.charts.grid import heat_map
from haechi.report.charts.points import Line, scatter

__all__ = ["DotRow", "Line", "distribution_bars", "dot_chart", "heat_map", "histogram", "scatter"]
