"""The folder of a report: everything is written beside it and takes its place only when it is complete."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from haechi.analysis.analysis import Analysis
from haechi.data.atomic_files import whole_folder
from haechi.data.writing import write_tables
from haechi.errors import HaechiError
from haechi.report.build import build_report
from haechi.report.document import Report
from haechi.report.exports import criteria_rows, query_rows, rating_rows, score_rows, summary_rows
from haechi.report.html import html
from haechi.report.markdown import markdown
from haechi.report.paper import paper
from haechi.report.pictures import FOLDER, Painter, is_picture, named_plots, write_pictures
from haechi.report.workbook import FirstRows, write_workbook
from haechi.text import Text

FILES = (
    "report.md",
    "report.html",
    "scores.csv",
    "summary.csv",
    "ratings.parquet",
    "scores.xlsx",
    "paper.html",
)
_QUERIES, _CRITERIA = "queries.csv", "criteria.csv"


def files_of(figures: Analysis) -> tuple[str, ...]:
    """The files of a study's report; of agent runs also the queries, of items that bring criteria also these."""
    queries = (_QUERIES,) if figures.query_results is not None else ()
    return (*FILES, *queries, *((_CRITERIA,) if figures.scored.own else ()))


def write_report(figures: Analysis, out: Path, draw: Painter | None = None) -> Report:
    """Write the report of a study into a folder; an earlier report there is replaced as a whole.

    Every plot is written as SVG with its values beside it, and with something to draw with
    (`haechi.report.pictures.painter`) as PNG too.
    """
    report = build_report(figures)
    with report_folder(out) as folder:
        write_pages(report, folder, draw)
        scores, ratings = FirstRows(score_rows(figures)), FirstRows(rating_rows(figures))
        summary, queries = summary_rows(figures), query_rows(figures)
        write_tables(scores, folder / "scores.csv")
        write_tables([summary], folder / "summary.csv")
        write_tables(ratings, folder / "ratings.parquet")
        if _QUERIES in files_of(figures):
            write_tables([queries], folder / _QUERIES)
        if _CRITERIA in files_of(figures):
            write_tables([criteria_rows(figures)], folder / _CRITERIA)
        (folder / "paper.html").write_text(paper(report), "utf-8")
        first = {"summary": summary, "scores": scores.frame, "ratings": ratings.frame, "queries": queries}
        write_workbook(figures, first, folder / "scores.xlsx", report)
    return report


def write_pages(report: Report, folder: Path, draw: Painter | None) -> None:
    """Write what people read; the Markdown shows the pictures where there are any."""
    plots = named_plots(report)
    write_pictures(plots, folder, draw)
    shown = {plot: f"{name}.png" for plot, name in plots.items()} if draw else {}
    (folder / "report.md").write_text(markdown(report, shown), "utf-8")
    (folder / "report.html").write_text(html(report), "utf-8")


@contextmanager
def report_folder(out: Path) -> Iterator[Path]:
    """A folder that takes the place of `out`, and of an earlier report in it, when everything was written."""
    check_folder(out)
    with whole_folder(out) as folder:
        yield folder


def check_folder(out: Path) -> None:
    """Refuse to replace anything but an earlier report, and a place where nothing can be written."""
    todo = Text("다른 폴더를 고르세요: -o 폴더", "choose another folder: -o DIR")
    expected = Text(
        "새 폴더, 빈 폴더 또는 예전 보고서 폴더", "a new or empty folder, or one with an earlier report"
    )
    if out.is_dir():
        strange = sorted(path.name for path in out.iterdir() if not _is_ours(path))
        if strange:
            found = Text(
                f"다른 파일이 있음: {', '.join(strange[:5])}", f"other files: {', '.join(strange[:5])}"
            )
            raise HaechiError.of(str(out), found, expected, todo)
    elif out.exists():
        raise HaechiError.of(str(out), Text("파일", "a file"), expected, todo)
    above = next(folder for folder in out.absolute().parents if folder.exists())
    if not above.is_dir():
        raise HaechiError.of(str(out), Text(f"{above}: 파일", f"{above}: a file"), expected, todo)
    if not os.access(above, os.W_OK | os.X_OK):
        found = Text(f"{above}에 쓸 권한이 없음", f"no permission to write in {above}")
        raise HaechiError.of(str(out), found, expected, todo)


def _is_ours(path: Path) -> bool:
    if path.name == FOLDER and path.is_dir():
        return all(map(is_picture, path.iterdir()))
    return path.name in (*FILES, _QUERIES, _CRITERIA, "changes.csv")
