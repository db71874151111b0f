"""Tables of votes between two systems: `item, a, b, winner`, arena exports, and judges' logs of both orders."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from haechi.data.delimited import NotPlain, column_pieces, demand, is_large, plain_header
from haechi.data.files import BAD, Row, check_exists, refuse
from haechi.data.frames import Columns, Frame
from haechi.data.mapping import MAPPED, column_named
from haechi.data.names import BLANK, VOTE_FIELDS, fold_name, name_fields
from haechi.data.readers import read_rows
from haechi.data.tables import AS_FOUND, TableReading
from haechi.data.understanding import IGNORED, NAMED, ColumnReading, sample_values
from haechi.data.verdicts import RefusedVote, a_first, verdict_of
from haechi.data.vote_layouts import ONE_HOT, laid_out, one_hot
from haechi.data.vote_spellings import VoteSpelling, plain_verdicts
from haechi.errors import HaechiError, Problem, unique_problems
from haechi.frozen import frozen
from haechi.text import Text

if TYPE_CHECKING:
    import polars as pl

_SHOWN, _PLACES, _LOOKED = 20, 6, 50


@frozen
class VoteTable:
    """Votes by their own names: item, a, b, won (1 a, 0 b, 0.5 tie, null without a verdict), a_first, rater, kind, criterion.

    Further columns keep the names they have. knows_order: whether the table says which of the two was shown first; where it
    does not, `a` stands as the first. Single votes of which nobody knows it have no `a_first`.
    """

    frame: pl.DataFrame
    knows_order: bool
    notes: tuple[Text, ...] = ()
    columns: tuple[ColumnReading, ...] = ()
    """What every column of the table was taken for."""

    @property
    def without_verdict(self) -> int:
        """How many votes have no verdict."""
        return self.frame["won"].null_count()


def read_votes(source: str | Path | Frame | Columns, reading: TableReading = AS_FOUND) -> VoteTable:
    """The votes of a file or a data frame.

    >>> read_votes({"item": ["q1", "q2"], "a": ["x", "y"], "b": ["y", "x"], "winner": ["a", "x"]}).frame["won"].to_list()
    [1.0, 0.0]
    """
    if not isinstance(source, str | Path):
        return _read(_of_frame(source), lambda row: f"row {row + 1}", type(source).__name__, reading)
    path = Path(source)
    check_exists(path)
    if not (reading.sheet or reading.header_row or reading.format):
        if path.suffix.lower() == ".parquet":
            return _read(_of_parquet(path), lambda row: f"{path.name}, row {row + 1}", path.name, reading)
        with suppress(NotPlain):
            return _read(_of_columns(path), _unknown_line, path.name, reading)
    frame, places = _of_rows(path, reading)
    return _read(frame, places.__getitem__, path.name, reading)


def _read(frame: pl.DataFrame, place: Callable[[int], str], name: str, reading: TableReading) -> VoteTable:
    whole = one_hot(frame)
    where = _where([str(column) for column in whole.columns], name, reading)
    read = replace(_judged(_by_fields(whole, where), place), columns=_columns(whole, where, reading))
    other = {field: column for field, column in where.items() if fold_name(column) != fold_name(field)}
    return replace(read, notes=(_read_as(name, other),)) if other else read


def are_votes(path: Path, reading: TableReading = AS_FOUND) -> bool:
    """Whether a file is a table of votes, by its columns."""
    try:
        first = next(iter(read_rows(path, reading)), None)
    except (HaechiError, OSError):
        return False
    if first is None or BAD in first.data:
        return False
    columns = {column: column for column in laid_out(first.data)}
    columns |= {"winner": "winner"} if columns.keys() >= ONE_HOT else {}
    found = {*name_fields(columns, VOTE_FIELDS)[0], *(field for field, _ in reading.map)}
    return {"a", "b"} <= found and bool({"winner", "first_game"} & found)


def _of_frame(given: Frame | Columns) -> pl.DataFrame:
    import polars as pl

    try:
        return pl.DataFrame(given)  # type: ignore[arg-type]
    except (TypeError, ValueError, pl.exceptions.PolarsError) as error:
        expected = Text(
            "한 열에 한 종류의 값이 있는 데이터 프레임", "a data frame with one kind of values per column"
        )
        raise refuse(type(given).__name__, str(error).partition("\n")[0], expected) from error


def _of_parquet(path: Path) -> pl.DataFrame:
    import polars as pl

    try:
        return pl.read_parquet(path)
    except (pl.exceptions.PolarsError, OSError) as error:
        from haechi.data.files import no_parquet

        raise no_parquet(path.name, error) from None


def _of_columns(path: Path) -> pl.DataFrame:
    """A large delimited file; raises `NotPlain` where it has to be read line by line."""
    import polars as pl

    demand(is_large(path))
    return pl.concat(column_pieces(path, plain_header(path)))


def _unknown_line(_: int) -> str:
    """Columns do not tell on which line a row is, since a cell may have several: what is wrong is for those who read lines."""
    raise NotPlain


def _of_rows(path: Path, reading: TableReading) -> tuple[pl.DataFrame, list[str]]:
    """The table row by row, and the place of every row."""
    import polars as pl

    rows = [Row(row.place, dict(laid_out(row.data))) for row in read_rows(path, reading)]
    bad = [row.data[BAD] for row in rows if BAD in row.data]
    if bad:
        raise HaechiError(tuple(problem for error in bad for problem in error.problems))
    columns = dict.fromkeys(name for row in rows for name in row.data)
    texts = {name: [_text(row.data.get(name)) for row in rows] for name in columns}
    return pl.DataFrame(texts, schema=dict.fromkeys(columns, pl.String)), [row.place for row in rows]


def _text(cell: Any) -> str | None:
    if cell is None:
        return None
    if isinstance(cell, list | tuple):  # a judge and the prompt it was given
        return " ".join(str(one) for one in cell)
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell).strip() or None


def _where(columns: list[str], name: str, reading: TableReading) -> dict[str, str]:
    """Which column holds which field."""
    mapped = {field: column_named(column, columns, name) for field, column in reading.map}
    unknown = [field for field in mapped if field not in VOTE_FIELDS]
    if unknown:
        known = ", ".join(VOTE_FIELDS)
        expected = Text(f"다음 중 하나: {known}", f"one of {known}")
        raise refuse(
            "--map", unknown[0], expected, Text("--map의 이름을 고치세요", "correct the field in --map")
        )
    found, _ = name_fields(
        {column: column for column in columns if column not in mapped.values()}, VOTE_FIELDS
    )
    where: dict[str, str] = {**{field: str(column) for field, column in found.items()}, **mapped}
    if "first_game" in where and "winner" not in mapped:
        where.pop("winner", None)
    needed = ("a", "b", "first_game") if "first_game" in where else ("a", "b", "winner")
    missing = [field for field in needed if field not in where]
    if missing:
        raise _no_columns(name, missing, columns)
    return where


def _columns(
    frame: pl.DataFrame, where: Mapping[str, str], reading: TableReading
) -> tuple[ColumnReading, ...]:
    """What every column is taken for, for people to confirm."""
    fields, mapped = {column: field for field, column in where.items()}, dict(reading.map)
    return tuple(
        ColumnReading(
            column,
            fields.get(column, IGNORED),
            evidence=MAPPED
            if fields.get(column) in mapped
            else NAMED
            if column in fields
            else Text("투표에 없는 열", "not a column of votes"),
            sample=sample_values(frame[column].head(_LOOKED)),
        )
        for column in frame.columns
    )


def _by_fields(frame: pl.DataFrame, where: Mapping[str, str]) -> pl.DataFrame:
    """The columns by the names of their fields; one row for each vote."""
    import polars as pl

    named = frame.rename(
        {
            column: f"\0{column}"
            for column in frame.columns
            if column in VOTE_FIELDS and column not in where.values()
        }
    )
    named = named.rename({column: field for field, column in where.items()}).with_row_index("\0row")
    if "first_game" in named.columns:
        games = [
            named.rename({"first_game": "winner"})
            .drop("second_game", strict=False)
            .with_columns(order=pl.lit("ab"))
        ]
        if "second_game" in named.columns:
            games.append(
                named.rename({"second_game": "winner"}).drop("first_game").with_columns(order=pl.lit("ba"))
            )
        named = pl.concat([game.select(sorted(game.columns)) for game in games])
        if "kind" not in named.columns:
            named = named.with_columns(kind=pl.lit("ai"))
    return named


def _read_as(name: str, where: Mapping[str, str]) -> Text:
    said = ", ".join(f"{column} → {field}" for field, column in where.items())
    return Text(f"{name}: 읽은 열: {said}", f"{name}: read {said}")


def _no_columns(name: str, missing: list[str], columns: list[str]) -> HaechiError:
    shown = ", ".join(columns[:_SHOWN])
    wanted = {
        "a": Text("시스템 A의 이름", "the name of one system"),
        "b": Text("시스템 B의 이름", "the name of the other"),
    }
    lacking = ", ".join(missing)
    ko, en = (" ".join(f"--map {one}={column}" for one in missing) for column in ("열이름", "COLUMN"))
    what = Text(
        ", ".join(f"{one}({wanted[one].ko})" if one in wanted else f"{one}(승자)" for one in missing),
        ", ".join(f"{one} ({wanted[one].en})" if one in wanted else f"{one}" for one in missing),
    )
    return HaechiError.of(
        name,
        Text(f"{lacking} 열이 없습니다. 파일의 열: {shown}", f"no column {lacking}; the file has {shown}"),
        Text(
            f"item, a, b, winner 열이 있는 표. 없는 열: {what.ko}",
            f"a table item, a, b, winner; lacking {what.en}",
        ),
        Text(f"{ko}처럼 알려 주세요", f"say which column it is: {en}"),
    )


def _judged(named: pl.DataFrame, place: Callable[[int], str]) -> VoteTable:
    """The verdicts and the order as numbers; every different spelling is looked at once."""
    import numpy as np
    import polars as pl

    keys = [column for column in ("a", "b", "winner", "order") if column in named.columns]
    spelt = VoteSpelling.of([named[key] for key in keys])
    won, first = plain_verdicts(spelt)
    problems: list[Problem] = []
    for at in np.flatnonzero(np.isnan(won) | np.isnan(first)).tolist():
        said: dict[str, str | None] = dict(zip(keys, spelt.words(at), strict=True))
        try:
            verdict = verdict_of(said["a"], said["b"], said["winner"])
            won[at] = np.nan if verdict is None else verdict
            first[at] = a_first(said) if "order" in keys else True
        except RefusedVote as refused:
            for row in spelt.rows(at)[:_PLACES]:
                where = place(int(named["\0row"][row]))
                problems.append(
                    Problem(f"{where}, {refused.field}", refused.found, refused.expected, refused.todo, where)
                )
    if problems:
        raise HaechiError(unique_problems(problems))
    enum = pl.Enum(spelt.systems)
    frame = named.drop(*keys).with_columns(
        a=pl.Series(spelt.a).cat.to(enum),
        b=pl.Series(spelt.b).cat.to(enum),
        won=pl.Series(won[spelt.at], nan_to_null=True),
        a_first=pl.Series((first == 1.0)[spelt.at]),
    )
    return VoteTable(_completed(frame), "order" in keys)


def _completed(frame: pl.DataFrame) -> pl.DataFrame:
    """With a rater, a kind, a criterion and an item where nothing says them."""
    import polars as pl

    missing = (("rater", None), ("kind", "human"), ("criterion", "overall"))
    frame = frame.with_columns(
        pl.lit(value, pl.String).alias(column) for column, value in missing if column not in frame.columns
    )
    if "item" not in frame.columns:  # every vote is about something of its own
        frame = frame.with_columns(pl.int_range(1, pl.len() + 1).alias("item"))
    own = ["item", "a", "b", "won", "a_first", "rater", "kind", "criterion"]
    rest = [column for column in frame.columns if column not in own and not column.startswith("\0")]
    return (
        frame.with_columns(pl.col("rater", "kind", "criterion").cast(pl.String))
        .with_columns(pl.selectors.string().str.strip_chars(BLANK).replace("", None))
        .with_columns(pl.col("kind").fill_null("human"), pl.col("criterion").fill_null("overall"))
        .select(*own, *rest)
    )
