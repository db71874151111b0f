"""Text from transcripts, raters and models cannot become markup, formulas or links."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html import unescape
from html.parser import HTMLParser

import openpyxl
import polars as pl
import pytest

from haechi.analysis.analysis import Analysis
from haechi.data import writing as files
from haechi.data.readers import read_rows
from haechi.errors import HaechiError
from haechi.report.folder import write_report
from haechi.report.markdown import plain
from haechi.study.study import Study
from haechi.text import choose_language

HOSTILE = (
    "<script>alert(1)</script>",
    "</title></style><img src=x onerror=alert(1)>",
    '=HYPERLINK("http://evil.example","x")',
    "+1+1|cmd' /C calc'!A0",
    "@SUM(A1)",
    "-2+3",
    "'=already guarded",
    "| a | b |\n| --- | --- |\n# heading",
    "[link](javascript:alert(1)) ![x](http://evil.example/x.png) <http://evil.example>",
    "http://evil.example www.evil.example ```\n~~~",
    "\u202eright to left\u202c \x07 bell",
)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    choose_language("en")
    folder = tmp_path_factory.mktemp("hostile")
    study = Study.new(folder / "study", "ubica")
    keys = [c.key for c in study.rubric.criteria]
    items, ratings = [], []
    for number, text in enumerate(HOSTILE):
        talk = [{"role": "user", "content": text}, {"role": "assistant", "content": text}]
        items.append(
            {
                "id": f"i{number} {text[:40]}".translate({10: " ", 7: ""}),
                "messages": talk,
                "meta": {"kind": text[:20]},
            }
        )
        for rater in ("=cmd()", "<b>kim</b>"):
            for place, key in enumerate(keys[:-1]):
                ratings.append(
                    {
                        "item": items[-1]["id"],
                        "criterion": key,
                        "rater": rater,
                        "kind": "human",
                        "value": str(1 + (number + place) % 5),
                        "evidence": text,
                    }
                )
            ratings.append(
                {
                    "item": items[-1]["id"],
                    "criterion": keys[-1],
                    "rater": rater,
                    "kind": "human",
                    "value": text,
                }
            )
    (folder / "items.jsonl").write_text("\n".join(map(json.dumps, items)), "utf-8")
    (folder / "ratings.json").write_text(json.dumps(ratings), "utf-8")
    study.add([folder / "items.jsonl"])
    study.import_ratings([folder / "ratings.json"])
    write_report(Analysis(study.folder), folder / "out")
    return study, folder / "out"


class Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data):
        self.text += data


def test_html_holds_the_text_and_no_element_of_it(hostile):
    page = Page()
    page.feed((hostile[1] / "report.html").read_text("utf-8"))
    known = {"html", "head", "meta", "title", "style", "body", "header", "p", "h1", "h2", "h3", "dl", "div", "dt", "dd",
             "main", "section", "ul", "li", "span", "a", "nav", "figure", "figcaption", "svg", "desc", "line", "text",
             "circle", "rect", "table", "caption", "thead", "tbody", "tr", "th", "td", "details", "summary", "b", "code", "pre",
             "g", "script", "mark", "polygon"}  # fmt: skip
    assert set(page.tags) <= known
    assert page.tags.count("script") == 1, "our own, whose hash the policy names"
    assert not [name for name, _ in page.attributes if name.startswith("on")]
    for name, value in page.attributes:
        if name in ("href", "src"):
            assert value.startswith("#"), value
    assert "<script>alert(1)</script>" in page.text
    assert "\u202e" not in page.text


def test_html_asks_the_network_for_nothing(hostile):
    text = (hostile[1] / "report.html").read_text("utf-8")
    assert "default-src 'none'" in unescape(text)
    (script,) = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    own = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{own}'" in unescape(text), "the policy lets in this script and no other"
    assert not re.findall(r"<(?:link|iframe|object|embed|img|base|form)\b", text)
    assert "@import" not in text
    assert "url(" not in text


def test_markdown_starts_nothing(hostile):
    text = (hostile[1] / "report.md").read_text("utf-8")
    # The only elements are our own folds; every other < stands behind a backslash or is an entity.
    left = re.sub(r"</?(?:details|summary)>", "", text)
    assert not re.search(r"(?<!\\)<[a-zA-Z!/]", left)
    assert not re.search(r"(?<!\\)\]\(", text)
    assert not re.search(r"https?://|www\.", text)
    for block in text.split("\n\n"):
        rows = [line for line in block.splitlines() if line.startswith("|")]
        assert len({len(re.findall(r"(?<!\\)\|", row)) for row in rows}) <= 1, block


def test_a_markdown_reader_finds_no_link_picture_or_element_of_strangers(hostile):
    from markdown_it import MarkdownIt

    # Raw HTML is allowed, as a careless reader would; only our own folds may appear.
    tokens = (
        MarkdownIt("commonmark", {"html": True})
        .enable("table")
        .parse((hostile[1] / "report.md").read_text("utf-8"))
    )
    every = [one for token in tokens for one in (token, *(token.children or ()))]
    kinds = {token.type for token in every}
    assert "table_open" in kinds
    assert not kinds & {"link_open", "image", "html_inline", "hr"}
    for token in every:
        if token.type == "html_block":
            left = re.sub(r"</?(?:details|summary)>", "", token.content)
            assert "<" not in left, token.content
    # Headings are those of the report: its title, findings, its sections and what stands at the end.
    assert [token.tag for token in every if token.type == "heading_open"].count("h1") == 1


@pytest.mark.parametrize(
    "text", ["1. list", "- list", "# head", "=== x", "> quote", "a | b", "_x_ *y*", "`c`", "~~~"]
)
def test_plain_escapes_what_begins_markup(text):
    first = plain(text)
    assert "\\" in first
    assert first.replace("\\", "") == text


def test_csv_cells_and_headers_are_no_formulas(hostile):
    lines = (hostile[1] / "scores.csv").read_text("utf-8-sig")
    frame = pl.read_csv(hostile[1] / "scores.csv")
    for name in frame.columns:
        assert not re.match(r"[=+\-@\t\r]", name), name
        if frame[name].dtype == pl.String:
            assert not [cell for cell in frame[name].drop_nulls() if re.match(r"[=+\-@\t\r]", cell)]
    assert "'=cmd()" in lines


def test_what_was_guarded_comes_back_unchanged(hostile, tmp_path):
    from haechi.data.writing import write_tables

    study, _ = hostile
    ratings = study.ratings()
    write_tables([ratings], tmp_path / "ratings.csv")
    back = [row.data for row in read_rows(tmp_path / "ratings.csv")]
    assert [row["evidence"] or None for row in back] == ratings["evidence"].to_list()
    assert [row["rater"] for row in back] == ratings["rater"].to_list()
    again = Study.new(tmp_path / "again", "ubica")
    again.import_ratings([tmp_path / "ratings.csv"])
    columns = ["item", "criterion", "rater", "kind", "value", "evidence", "replicate", "status", "at"]
    assert again.ratings().select(columns).equals(ratings.select(columns))


@pytest.mark.parametrize("ending", ["csv", "xlsx", "parquet"])
def test_every_awkward_cell_comes_back_as_it_was(tmp_path, ending):
    from haechi.data.writing import write_tables

    awkward = ["=1+1", "+1", "-1", "@x", "\tx", "\rx", "\r\n=x", "\n=x", "'=1", "''=1", "'plain", "'", " =1", "＝1", "-",
               "_x0041_", "a\x07b", "x\r\ny", "\ufeff=1", "0123", "1e5", "TRUE", "2026-11-16", "  pad ", "#N/A", "a,\"b\""]  # fmt: skip
    frame = pl.DataFrame({"item": [f"i{n}" for n in range(len(awkward))], "=cell": awkward})
    write_tables([frame], tmp_path / f"t.{ending}")
    assert [row.data["=cell"] for row in read_rows(tmp_path / f"t.{ending}")] == awkward


def test_a_nul_does_not_make_a_table_that_nobody_can_read(tmp_path):
    from haechi.data.writing import write_tables

    write_tables([pl.DataFrame({"item": ["i"], "note": ["a\0b"]})], tmp_path / "t.csv")
    assert next(iter(read_rows(tmp_path / "t.csv"))).data["note"] == "a\ufffdb"


def test_guarded_headers_come_back_unchanged(hostile):
    header = set(next(iter(read_rows(hostile[1] / "scores.csv"))).data)
    assert "=cmd():overall" in header
    assert "<b>kim</b>:overall" in header


def test_xlsx_cells_are_text(hostile):
    book = openpyxl.load_workbook(hostile[1] / "scores.xlsx")
    seen = [cell for sheet in book for row in sheet.iter_rows() for cell in row if cell.value is not None]
    assert not [cell for cell in seen if cell.data_type == "f"]
    assert not [cell for cell in seen if cell.hyperlink]
    values = {cell.value for cell in seen}
    for text in HOSTILE[:-1]:
        assert text in values


def test_people_have_no_names_when_asked(hostile, tmp_path):
    write_report(Analysis(hostile[0].folder, anonymous=True), tmp_path / "out")
    for file in (tmp_path / "out").iterdir():
        if file.suffix in (".md", ".html", ".csv"):
            text = file.read_text("utf-8")
            assert "kim" not in text, file.name
            assert "cmd()" not in text, file.name
            assert file.name == "summary.csv" or "person-1" in text
    kept = pl.read_parquet(tmp_path / "out" / "ratings.parquet")
    assert set(kept["rater"].to_list()) == {"person-1", "person-2"}
    book = openpyxl.load_workbook(tmp_path / "out" / "scores.xlsx")
    values = [str(c.value) for s in book for row in s.iter_rows() for c in row if c.value is not None]
    assert not [value for value in values if "kim" in value or "cmd()" in value]


def test_models_keep_their_names(demo):
    figures = Analysis(demo / "maice-qac", anonymous=True)
    assert set(figures.raters) == {
        "gemini-2.5-flash",
        "claude-haiku-4-5",
        "gpt-5-mini",
        "person-1",
        "person-2",
    }


def test_a_table_larger_than_an_excel_sheet_is_refused_and_leaves_no_file(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "MOST_ROWS", 5)
    pieces = [pl.DataFrame({"n": range(4)}), pl.DataFrame({"n": range(2)})]
    with pytest.raises(HaechiError, match="csv"):
        files.write_tables(pieces, tmp_path / "t.xlsx")
    assert not list(tmp_path.iterdir())
    files.write_tables(pieces[:1], tmp_path / "t.xlsx")
