"""A chart of the report: how long the answers are, in the section of the scores."""

from __future__ import annotations

from haechi.analysis.analysis import Analysis
from haechi.report.charts import Chart, DotRow, dot_chart
from haechi.report.document import Plot
from haechi.report.table import Estimate, table
from haechi.report.words import said


def _draw(figures: Analysis) -> Plot | None:
    """None where the items are no replies."""
    if figures.rubric.item != "reply":
        return None
    lengths = {item.id: len(item.content["response"]) for item in figures.study.items()}
    title = said("답의 글자 수", "Characters of the answers")
    rows = [DotRow(name, (Estimate(float(length)),)) for name, length in lengths.items()]
    picture = dot_chart(title, title, rows, 0, max(lengths.values()))
    shown = table(
        title, [said("항목", "item"), said("글자 수", "characters")], list(map(list, lengths.items()))
    )
    return Plot(title, picture, title, shown)


LENGTHS = Chart("scores", _draw)
