"""Damaged tables: a reader says what is wrong, or reads what is there; it never changes a rating and never falls over."""

from __future__ import annotations

import io
import random
from pathlib import Path

import openpyxl
import pytest
import xlwt

import haechi
from haechi.data.csv_ratings import plain_pieces, plain_table
from haechi.data.delimited import NotPlain
from haechi.data.rating import Rating
from haechi.data.rating_reader import RatingReader
from haechi.errors import HaechiError

RUBRIC = haechi.rubric("diary-comment")
ROWS = [["번호", "평가자", "합리성", "구체성"]] + [
    [f"item-{n}", f"rater-{n % 3}", (n * 7) % 2, (n * 5 + 1) % 2] for n in range(12)
]
TRUE = {(str(i), str(r)): (str(a), str(b)) for i, r, a, b in ROWS[1:]}


def _csv() -> bytes:
    return "\n".join(",".join(map(str, row)) for row in ROWS).encode()


def _xlsx() -> bytes:
    book, out = openpyxl.Workbook(), io.BytesIO()
    for row in ROWS:
        book.active.append(row)
    book.save(out)
    return out.getvalue()


def _xls() -> bytes:
    book, out = xlwt.Workbook(), io.BytesIO()
    sheet = book.add_sheet("s")
    for number, row in enumerate(ROWS):
        for column, cell in enumerate(row):
            sheet.write(number, column, cell)
    book.save(out)
    return out.getvalue()


def _damaged(data: bytes, chance: random.Random) -> bytes:
    """The file cut, with bytes lost, doubled or overwritten."""
    at, size = chance.randrange(len(data)), chance.randrange(1, 40)
    way = chance.randrange(4)
    if way == 0:
        return data[:at]
    if way == 1:
        return data[:at] + data[at + size :]
    if way == 2:
        return data[:at] + data[at : at + size] * 2 + data[at + size :]
    return data[:at] + chance.randbytes(size) + data[at + size :]


@pytest.mark.parametrize("kind", ["csv", "xlsx", "xls"])
@pytest.mark.parametrize("times", [60, pytest.param(10_000, marks=pytest.mark.slow)])
def test_a_damaged_file_ends_in_words_or_in_what_it_says(tmp_path: Path, kind: str, times: int) -> None:
    whole = {"csv": _csv, "xlsx": _xlsx, "xls": _xls}[kind]()
    chance = random.Random(7)
    path = tmp_path / f"a.{kind}"
    for _ in range(times):
        path.write_bytes(_damaged(whole, chance) or b"x")
        try:
            found = [one for _, one in RatingReader(RUBRIC).of_file(path)]
        except HaechiError:
            continue
        if kind != "xlsx":
            continue  # only .xlsx has checksums by which a lost digit is noticed
        for one in found:
            if isinstance(one, Rating) and (one.item, one.rater) in TRUE:
                place = ("sensibleness", "specificity").index(one.criterion)
                assert one.value == TRUE[one.item, one.rater][place]


def test_rows_that_lost_or_gained_a_field_are_never_read_askew(write) -> None:
    chance = random.Random(3)
    for _ in range(200):
        rows = [list(map(str, row)) for row in ROWS]
        number = chance.randrange(1, len(rows))
        if chance.random() < 0.5:
            del rows[number][chance.randrange(4)]
        else:
            rows[number].insert(chance.randrange(4), "1")
        reader = RatingReader(RUBRIC)
        found = [one for _, one in reader.of_file(write("a.csv", "\n".join(map(",".join, rows))))]
        good = {(one.item, one.rater, one.criterion): one.value for one in found if isinstance(one, Rating)}
        for (item, rater, criterion), value in good.items():
            assert value == TRUE[item, rater][("sensibleness", "specificity").index(criterion)]
        assert any(isinstance(one, HaechiError) for one in found)


@pytest.mark.parametrize("times", [150, pytest.param(10_000, marks=pytest.mark.slow)])
def test_what_is_read_as_columns_is_what_is_read_row_by_row(tmp_path: Path, times: int) -> None:
    quoted = [[*ROWS[0], "비고"], *([*row, f'"글, {n}\n둘째"'] for n, row in enumerate(ROWS[1:]))]
    whole = "\n".join(",".join(map(str, row)) for row in quoted).encode()
    chance, path, read = random.Random(11), tmp_path / "a.csv", 0
    for _ in range(times):
        path.write_bytes(_damaged(whole, chance) or b"x")
        reader = RatingReader(RUBRIC)
        try:
            pieces = list(plain_pieces(plain_table(path, reader), reader))
        except (NotPlain, HaechiError):
            continue
        read += 1
        columns = sorted(
            row for piece in pieces for row in piece.select("item", "criterion", "rater", "value").rows()
        )
        found = [one for _, one in RatingReader(RUBRIC).of_file(path)]
        problems = [problem for one in found if isinstance(one, HaechiError) for problem in one.problems]
        assert all(
            "one row for each item" in problem.expected.en for problem in problems
        )  # the database sees to these
        if not problems:
            assert columns == sorted((one.item, one.criterion, one.rater, one.value) for one in found)
    assert read > times // 10
