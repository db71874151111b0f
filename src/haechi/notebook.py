"""Small tables for notebooks, of what stands below the reports."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape


def html_table(heading: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A heading and a table; whatever is in them is text.

    >>> html_table("a < b", ["name"], [["<b>"]])
    '<p>a &lt; b</p><table><tr><th>name</th></tr><tr><td>&lt;b&gt;</td></tr></table>'
    """
    shown = [_row("th", head), *(_row("td", row) for row in rows)]
    return f"<p>{escape(heading)}</p><table>{''.join(shown)}</table>"


def _row(kind: str, cells: Sequence[str]) -> str:
    return "<tr>" + "".join(f"<{kind}>{escape(cell)}</{kind}>" for cell in cells) + "</tr>"
