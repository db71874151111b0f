"""A long plain table is read column by column, and comes to the same as row by row."""

from __future__ import annotations

import random
from pathlib import Path

import polars as pl
import pytest

from haechi.data import delimited
from haechi.data.tables import TableReading
from haechi.errors import HaechiError
from haechi.store import bulk_ratings
from haechi.study.study import Study

HEAD = "item,criterion,rater,kind,value,evidence,replicate,status,reason\n"


def rows(count: int) -> list[str]:
    chance = random.Random(3)
    made = []
    for n in range(count):
        value, status = chance.choice([("1", ""), ("0", "ok"), (" １ ", ""), ("", "missing"), ("", "")])
        rater, kind = chance.choice([("kim", "human"), ("gpt", "ai"), ('"lee, jr"', "")])
        criterion = chance.choice(["sympathy", "공감성", "sensibleness"])
        made.append(
            f'd{n},{criterion},{rater},{kind},{value},"그래서 ""네""",{chance.choice(["", "2"])},{status},\n'
        )
    return made


@pytest.fixture
def fast(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Every size is large; how often whole columns were taken."""
    taken: list[int] = []
    append = bulk_ratings.append_pieces

    def heard(*given, **named):
        done = append(*given, **named)
        taken.append(done.new)
        return done

    monkeypatch.setattr(delimited, "LEAST", 0)
    monkeypatch.setattr("haechi.study.imports.append_pieces", heard)
    return taken


def imported(folder: Path, file: Path, **options: object) -> tuple[Study, object]:
    study = Study.new(folder, "diary-comment")
    return study, study.import_ratings([file], **options)


def test_it_comes_to_the_same_as_row_by_row(tmp_path, write, fast, monkeypatch):
    file = write("ratings.csv", "\ufeff" + HEAD + "".join(rows(300)))
    study, done = imported(tmp_path / "columns", file)
    assert fast == [300]
    monkeypatch.setattr(delimited, "LEAST", 1 << 30)
    other, told = imported(tmp_path / "rows", file)
    assert fast == [300]
    assert (
        (done.new, done.bare_items, done.number) == (told.new, told.bare_items, told.number) == (300, 300, 1)
    )
    same = pl.exclude("at")
    assert study.ratings().select(same).equals(other.ratings().select(same))
    assert study.undo().ratings == 300


def test_the_command_line_takes_whole_columns_too(tmp_path, write, fast, haechi):
    file = write("ratings.csv", HEAD + "".join(rows(300)))
    haechi("new", tmp_path / "study", "--rubric", "diary-comment")
    assert haechi("import", tmp_path / "study", file, "--json").json["new"] == 300
    assert fast == [300]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda made: [*made, made[7]], "twice"),
        (lambda made: [*made, "d900,sympathy,kim,human,7,,,,\n"], "'7'"),
        (lambda made: [*made, "d900,charm,kim,human,1,,,,\n"], "charm"),
        (lambda made: [*made, "d900,sympathy,kim,ai,1,,,,\n"], "kim is human"),
        (lambda made: [*made, ",sympathy,kim,human,1,,,,\n"], "no item"),
    ],
)
def test_what_is_wrong_is_said_in_the_same_words_and_nothing_is_kept(tmp_path, write, fast, change, words):
    file = write("ratings.csv", HEAD + "".join(change(rows(60))))
    study = Study.new(tmp_path / "study", "diary-comment")
    with pytest.raises(HaechiError) as raised:
        study.import_ratings([file])
    assert words in str(raised.value)
    assert fast == []
    assert study.ratings().is_empty()
    assert study.history() == []


def test_known_judgements_and_unknown_items_take_the_other_way(tmp_path, write, fast):
    study, _ = imported(tmp_path / "study", write("a.csv", HEAD + "".join(rows(50))))
    again = study.import_ratings([write("a.csv", HEAD + "".join(rows(50)))])
    assert (again.unchanged, again.number) == (50, None)
    with pytest.raises(HaechiError, match="1 item ids that the study does not have"):
        study.import_ratings(
            [write("b.csv", HEAD + "d1,sympathy,new,human,1,,,,\nd999,sympathy,new,human,1,,,,\n")]
        )
    study.import_ratings([write("c.csv", HEAD + "d1,sympathy,new,human,1,,,,\n")])
    assert fast == [50, 1]


def test_known_raters_go_on_with_other_items(tmp_path, write, fast):
    made = rows(60)
    study, _ = imported(tmp_path / "study", write("a.csv", HEAD + "".join(made[:40])))
    more = study.import_ratings([write("b.csv", HEAD + "".join(made[40:]))], create_items=True)
    assert fast == [40, 20]
    assert (more.new, more.number) == (20, 2)
    mixed = study.import_ratings(
        [write("c.csv", HEAD + "".join(made[:10]) + "d1,sympathy,new,human,1,,,,\n")]
    )
    assert (mixed.new, mixed.unchanged, fast) == (1, 10, [40, 20])
    study.undo(2)  # what was taken back goes on after its last rating, which is for the other way to find
    back = study.import_ratings([write("b.csv", HEAD + "".join(made[40:]))], create_items=True)
    assert (back.new, fast, study.ratings().height) == (20, [40, 20], 61)


def test_a_long_table_without_ratings_is_left_to_the_other_way(tmp_path, write, fast):
    study, _ = imported(tmp_path / "study", write("a.csv", HEAD + "".join(rows(50))))
    with pytest.raises(HaechiError):
        study.import_ratings([write("b.csv", HEAD + "\n" * 9)])


LONG = "".join(f"d{n},합리성,kim,{n % 2}\n" for n in range(40))
WIDE = "".join(f"d{n},kim,{n % 2},1,{'' if n % 3 else 0},'=글\n" for n in range(40))


@pytest.mark.parametrize(
    ("text", "options", "count"),
    [
        ("항목;기준;평가자;값\n" + LONG.replace(",", ";"), {}, 40),
        ("item,criterion,rater,value,team\n" + LONG.replace("\n", ",a\n"), {}, 40),
        ("번호,기준,이름,점수\n" + LONG, {"rater": "lee", "kind": "ai"}, 40),
        (
            "대화,지표,누구,점\n" + LONG,
            {"reading": TableReading(map=(("rater", "누구"), ("value", "점")))},
            40,
        ),
        ("번호,성함,합리성,구체성,공감성,비고\n" + WIDE, {}, 94),
        ("번호,성함,합리성,구체성,공감성,공감성 근거\n" + WIDE, {"kind": "human"}, 94),
        (
            "타임스탬프,번호,기준,이름,값\n" + "".join(f"2026/11/02,{line}\n" for line in LONG.splitlines()),
            {},
            40,
        ),
    ],
)
def test_other_names_and_wide_tables_are_read_as_columns_too(
    tmp_path, write, fast, monkeypatch, text, options, count
):
    study, done = imported(tmp_path / "columns", write("a.csv", text), **options)
    assert fast == [count]
    monkeypatch.setattr(delimited, "LEAST", 1 << 30)
    other, told = imported(tmp_path / "rows", write("a.csv", text), **options)
    assert (done.new, done.said, done.ignored) == (told.new, told.said, told.ignored)
    same = pl.all() if "타임" in text else pl.exclude("at")
    assert study.ratings().select(same).rows() == other.ratings().select(same).rows()


@pytest.mark.parametrize(
    "text",
    [
        "2학기 평가,,,\n번호,기준,평가자,값\n" + LONG,
        "번호,기준,평가자,값\n" + LONG + "\n범례,,,\n",
        "번호,평가자,합리성,구체성\n" + "".join(f"d{n},kim,1,\n" for n in range(9)) + "평균,,1,\n",
        "번호,평가자,합리성\n"
        + "".join(f"{'' if n % 2 else f'd{n}'},{'lee' if n % 2 else 'kim'},1\n" for n in range(20)),
    ],
)
def test_what_is_more_than_columns_is_read_row_by_row(tmp_path, write, fast, text):
    _, done = imported(tmp_path / "s", write("a.csv", text))
    assert (fast, done.new > 0, bool(done.said)) == ([], True, True)


def test_a_line_that_lost_a_field_is_refused(tmp_path, write, fast):
    with pytest.raises(HaechiError, match="3 fields"):
        imported(
            tmp_path / "s", write("a.csv", "번호,평가자,합리성,구체성\n" + "d1,kim,1,1\n" * 1 + "d2,kim,0\n")
        )
    assert fast == []


@pytest.mark.parametrize("block", [1, 7, 64, 1000])
def test_texts_over_several_lines_are_never_cut(tmp_path, write, fast, monkeypatch, block):
    monkeypatch.setattr(delimited, "_BLOCK", block)
    lines = "".join(f'd{n},sympathy,kim,{n % 2},"첫 줄\n""둘째"", {n}\n\n셋째"\n' for n in range(30))
    study, done = imported(
        tmp_path / "s", write("a.csv", "item,criterion,rater,value,evidence\n" + lines.rstrip("\n"))
    )
    assert (fast, done.new) == ([30], 30)
    assert study.ratings()["evidence"].to_list() == [f'첫 줄\n"둘째", {n}\n\n셋째' for n in range(30)]
