"""Where ratings come from: a study, a ratings table, or a table too large to be held as rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from haechi.analysis.rating_table import ColumnKey, RatingTable, ValueScale
from haechi.data.fields import Selection, Where
from haechi.data.tables import AS_FOUND, TableReading
from haechi.errors import HaechiError, Problem
from haechi.rubrics import Rubric, find_rubric
from haechi.scoring.batches import Batches
from haechi.scoring.rated_runs import CODE
from haechi.scoring.rated_tables import rated_table
from haechi.scoring.ratings import score_ratings
from haechi.scoring.score_table import ScoreTable
from haechi.stats.ratings import Integers, Level
from haechi.text import Text

if TYPE_CHECKING:
    from haechi.data.parquet_ratings import LargeTable
    from haechi.study.scores import StoredStudy

_SHOWN_PROBLEMS = 20
_ITEM = "\0item"


def study_ratings(study: StoredStudy, elements: bool = False, level: Level | None = None) -> RatingTable:
    """The scores of a study as everyone gave them; with `elements` also what they are made of."""
    table = score_table(study.rated_scores(), study.rubric, elements, level, lambda: study.scores().batches)
    if not table.kinds:
        found = Text("사람이나 AI의 평가 없음", "no ratings by people or AI judges")
        expected = Text("한 건 이상의 평가", "at least one rating")
        todo = Text(
            "haechi import로 평가를 가져오세요. 코드가 매긴 점수에는 평가자 간 일치도가 없습니다",
            "bring in ratings with haechi import; scores that code gives have no agreement of raters",
        )
        raise HaechiError.of(study.place, found, expected, todo)
    return table


def file_ratings(
    path: Path,
    rubric: str | Path | Rubric | None = None,
    wide: bool = False,
    elements: bool = False,
    level: Level | None = None,
    scale: tuple[float, ...] | None = None,
    where: Where | None = None,
    reading: TableReading = AS_FOUND,
) -> RatingTable:
    """The ratings of a table; with a rubric, its scores.

    `scale` declares the scale points where there is no rubric. Labels that are not numbers are nominal. `where` is what
    to look at, all by default, `reading` how the table is to be read.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "r.csv"
    >>> _ = file.write_text("item,ann,bo\\na,yes,no\\nb,yes,\\n", "utf-8")
    >>> rated = file_ratings(file, wide=True).rated("overall")
    >>> rated.ratings.tolist(), rated.declared.labels
    ([[1.0, 0.0], [1.0, nan]], ('no', 'yes'))
    """
    selection = Selection.of(where or {})
    from haechi.scoring.sources import selected_ratings  # and all that reads files

    if rubric is not None:
        checked = find_rubric(rubric)
        ratings, selection = selected_ratings(path, checked, selection, wide=wide, reading=reading)
        rated = rated_table(score_ratings(ratings, checked), (), None, str(path))
        return score_table(rated.of_criteria(selection), checked, elements, level)
    large = None if wide or selection or reading != AS_FOUND else _opened(path)
    if large is not None:
        return _of_large(large, level or "interval", scale)
    ratings, _ = selected_ratings(path, None, selection, wide=wide, reading=reading)
    return _of_long(ratings, level, scale)


def _opened(path: Path) -> LargeTable | None:
    """The table if it can be read as columns."""
    if path.suffix.lower() != ".parquet":  # nothing else is read as columns
        return None
    from haechi.data.parquet_ratings import LargeTable

    return LargeTable.open(path)


def score_table(
    scores: ScoreTable,
    rubric: Rubric,
    elements: bool = False,
    level: Level | None = None,
    measured: Callable[[], Batches] | None = None,
) -> RatingTable:
    """Scores as columns, one per score, rater and replicate.

    measured: measures the runs, where raters gave points for what code measures: then code is one more rater of it.
    """
    frames = [(scores.frame, [name for name in rubric.score_names if name in scores.frame.columns])]
    if elements:
        chosen = {key for c in rubric.criteria if c.score in scores.names for key in (c.key, *c.rated_names)}
        single = [
            name for name in scores.elements.columns if name in chosen and name not in scores.frame.columns
        ]
        frames.append((scores.elements, single))
    place: dict[str, int] = {}
    items = np.array(
        [place.setdefault(item, len(place)) for item in scores.frame["item"].to_list()], np.int64
    )
    table = RatingTable([*place].__getitem__)
    table.n_items = len(place)
    for frame, wanted in frames:
        table.declared |= {name: _declared(rubric, name, level) for name in wanted}
        columns = {name: frame[name].cast(pl.Float64).to_numpy() for name in wanted}
        for (rater, kind, replicate), rows in _rows_of_raters(frame).items():
            for name, values in columns.items():
                if not np.isnan(given := values[rows]).all():
                    table.put(ColumnKey(name, rater, replicate), kind, items[rows], given)
    both = [c.score for c in rubric.criteria if c.rated_by == "code" and c.score in table.declared]
    for frame in measured()(["item", *both]) if measured is not None and both else ():
        known = frame.unique("item", keep="first", maintain_order=True).join(
            pl.DataFrame({"item": [*place], _ITEM: np.arange(len(place))}), on="item"
        )
        for name in both:
            own = known.drop_nulls(name)
            table.put(ColumnKey(name, CODE, 1), CODE, own[_ITEM].to_numpy(), own[name].to_numpy())
    return table


def _rows_of_raters(frame: pl.DataFrame) -> dict[tuple[str, str, int], Integers]:
    """The rows of every rater and replicate, in the order in which these first appear."""
    found: dict[tuple[str, str, int], list[int]] = {}
    who = (frame[name].to_list() for name in ("rater", "kind", "replicate"))
    for row, key in enumerate(zip(*who, strict=True)):
        found.setdefault(key, []).append(row)
    return {key: np.array(rows) for key, rows in found.items()}


def _declared(rubric: Rubric, name: str, level: Level | None) -> ValueScale:
    known = name in rubric.score_names
    low, high = rubric.range(name) if known else (0.0, 1.0)
    return ValueScale(
        level or (rubric.level(name) if known else "nominal"),
        rubric.points(name),
        width=high - low,
        derived=known and rubric.criterion(name) is None,
    )


def _of_large(large: LargeTable, level: Level, scale: tuple[float, ...] | None) -> RatingTable:
    table = RatingTable(large.item_name)
    table.n_items = large.n_items  # of whole numbers, known beforehand
    for piece in large.pieces():
        order = np.argsort(
            piece.cell.astype(np.uint16 if len(large.cells) < 1 << 16 else np.int64), kind="stable"
        )
        cells, items, values = piece.cell[order], piece.item[order], piece.value[order]
        ends = np.append(np.flatnonzero(np.diff(cells)) + 1, cells.size).tolist()
        for start, end in zip([0, *ends], ends, strict=False):
            cell = large.cells[int(cells[start])]
            table.put(ColumnKey(*cell.key), cell.kind, items[start:end], values[start:end])
    table.n_items = large.n_items
    if twice := table.twice():
        large.refuse_duplicates(twice)
    large.close()
    _declare(table, dict.fromkeys(table.criteria, ()), level, scale)
    return table


def _of_long(frame: pl.DataFrame, level: Level | None, scale: tuple[float, ...] | None) -> RatingTable:
    names = frame["item"].unique(maintain_order=True)
    table = RatingTable(names.__getitem__)
    table.n_items = len(names)
    numbers = pl.DataFrame({"item": names, _ITEM: pl.int_range(len(names), eager=True)})
    frame = frame.join(numbers, on="item", how="left", maintain_order="left")
    labels: dict[str, tuple[str, ...]] = {}
    # Raters in the order of the file, each of the kind that it says first, as of a large table.
    table.kinds |= dict(
        frame.select("rater", "kind").unique("rater", keep="first", maintain_order=True).rows()
    )
    for of_criterion in frame.partition_by("criterion", maintain_order=True):
        criterion = of_criterion["criterion"][0]
        values, labels[criterion] = _numbers(of_criterion, level)
        numbered = of_criterion.with_columns(values.alias("\0value"))
        for part in numbered.partition_by("rater", "replicate", maintain_order=True):
            rater, kind, replicate = part.select("rater", "kind", "replicate").row(0)
            found = part["\0value"].to_numpy()
            table.put(ColumnKey(criterion, rater, replicate), kind, part[_ITEM].to_numpy(), found)
    _declare(table, labels, level, scale)
    return table


def _numbers(frame: pl.DataFrame, level: Level | None) -> tuple[pl.Series, tuple[str, ...]]:
    """A criterion's values as numbers; labels are numbered in sorted order and come back as names.

    A number with a slip of the pen would turn a whole scale into labels: a mixture is refused, unless the
    level was given as nominal.
    """
    text = frame["value"]
    parsed = text.cast(pl.Float64, strict=False)
    parsed = parsed.set(~parsed.is_finite(), None)
    bad = text.is_not_null() & parsed.is_null()
    if not bad.any():
        return parsed.fill_null(np.nan), ()
    all_labels = bad.sum() == text.is_not_null().sum()
    if level == "nominal" or (level is None and all_labels):
        labels = tuple(text.drop_nulls().unique().sort().to_list())
        codes = {label: float(code) for code, label in enumerate(labels)}
        return text.replace_strict(codes, default=np.nan, return_dtype=pl.Float64), labels
    raise HaechiError(tuple(_no_number(row, level) for row in _shown(frame.filter(bad))))


def _shown(frame: pl.DataFrame) -> Iterable[dict[str, str]]:
    return frame.head(_SHOWN_PROBLEMS).iter_rows(named=True)


def _no_number(row: dict[str, str], level: Level | None) -> Problem:
    place = f"{row['place']}, {row['rater']}, value"
    todo = Text(
        "값을 고치거나, 결측이면 칸을 비우거나, 범주형이라면 --level nominal을 쓰세요",
        "correct it, leave the cell empty if there is no value, or use --level nominal for labels",
    )
    wanted = f" ({level})" if level else ""
    return Problem(place, repr(row["value"]), Text(f"수{wanted}", f"a number{wanted}"), todo)


def _declare(
    table: RatingTable,
    labels: dict[str, tuple[str, ...]],
    level: Level | None,
    scale: tuple[float, ...] | None,
) -> None:
    for name, names in labels.items():
        if names:
            table.declared[name] = ValueScale("nominal", labels=names)
            continue
        if scale is not None:
            _check_scale(table, name, scale)
        table.declared[name] = ValueScale(
            level or "interval", scale, width=scale[-1] - scale[0] if scale else None
        )


def _check_scale(table: RatingTable, name: str, scale: tuple[float, ...]) -> None:
    rated = table.rated(name)
    off = ~(np.isnan(rated.ratings) | np.isin(rated.ratings, scale))
    if not off.any():
        return
    expected = Text(
        f"--scale의 값: {', '.join(f'{point:g}' for point in scale)}",
        f"a point of --scale: {', '.join(f'{point:g}' for point in scale)}",
    )
    todo = Text("값이나 --scale을 고치세요", "correct the value or --scale")
    problems = [
        Problem(
            f"{table.item_name(int(i))} × {name} × {rated.raters[j]}",
            f"{rated.ratings[i, j]:g}",
            expected,
            todo,
        )
        for i, j in np.argwhere(off)[:_SHOWN_PROBLEMS]
    ]
    raise HaechiError(tuple(problems))
