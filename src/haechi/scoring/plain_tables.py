"""A ratings table without a rubric as scores: every criterion is a score, on the scale that its values show."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import polars as pl

from haechi.data.column_rules import COLUMNS
from haechi.data.fields import CRITERION, Selection, Where, split_fields
from haechi.data.tables import AS_FOUND, TableReading
from haechi.errors import HaechiError
from haechi.rubrics import Rubric
from haechi.rubrics.parts import Criterion
from haechi.rubrics.scales import MET_OR_UNMET, Scale
from haechi.rubrics.values import Level, Off
from haechi.scoring.batches import in_memory
from haechi.scoring.rated_tables import with_meta
from haechi.scoring.ratings import KEYS
from haechi.scoring.score_table import ScoreTable
from haechi.scoring.sources import selected_ratings
from haechi.text import Text

BASE_ITEM = "base_item"
"""What an item is called that several groups share, as a question that several systems answered."""
_CRITERION = "="


class Amount(Scale):
    """Numbers between the lowest and the highest that were given."""

    type: str = "amount"
    level: Level = "interval"
    low: float
    high: float

    def read(self, raw: Any) -> str:
        return str(float(raw))

    @property
    def range(self) -> tuple[float, float]:
        return self.low, self.high


class Labels(Scale):
    """Names, numbered in their order; a mean of them means nothing."""

    type: str = "labels"
    level: Level = "nominal"
    names: tuple[str, ...]

    is_category: ClassVar[bool] = True

    def read(self, raw: Any) -> str:
        return str(self.names.index(str(raw)))

    @property
    def points(self) -> tuple[float, ...]:
        return tuple(map(float, range(len(self.names))))

    def category(self, points: float) -> str:
        return self.names[int(points)]


def table_scores(
    path: Path,
    by: Sequence[str],
    keep: Sequence[str] = (),
    exclude: Sequence[str] = (),
    where: Where | None = None,
    wide: bool = False,
    reading: TableReading = AS_FOUND,
) -> ScoreTable:
    """The criteria of a ratings table as scores, grouped by further columns; `wide` has a column per rater.

    An item that has several values of a grouping is as many items, which `base_item` brings together again. A column
    such as `trial` numbers repetitions, from 0 or from 1. reading: how the table is to be read.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "r.csv"
    >>> _ = file.write_text("item,rater,value,system\\nq1,kim,4,A\\nq1,kim,2,B\\nq2,kim,5,A\\n", "utf-8")
    >>> scored = table_scores(file, ["system"])
    >>> scored.frame["overall"].to_list(), scored.meta
    ([4.0, 2.0, 5.0], ('system', 'base_item'))
    """
    wished = [*keep, *(field for wish in by for field in split_fields(wish))]
    wished = [name for name in wished if name != BASE_ITEM]
    ratings, selection = selected_ratings(
        path, None, Selection.of(where or {}), wished, wide, plain=True, reading=reading, clusters=True
    )
    fields = tuple(name for name in ratings.columns if name not in (*COLUMNS, "place"))
    ratings = ratings.filter(~pl.col("criterion").is_in(list(exclude)))
    if ratings.is_empty():
        found = Text("--exclude 뒤에 남은 평가 없음", "no ratings left after --exclude")
        expected = Text("비교할 기준 하나 이상", "at least one criterion to compare")
        raise HaechiError.of("--exclude", found, expected, Text("--exclude를 고치세요", "correct --exclude"))
    ratings, base = _items(ratings, fields)
    criteria = ratings["criterion"].unique(maintain_order=True).to_list()
    _refuse_taken(path, criteria, {*KEYS, *fields, *base})
    parts, made = [], []
    for name in criteria:
        own = ratings.filter(pl.col("criterion") == name)
        points, scale = _points(own["value"], path)
        made.append(Criterion.unchecked(key=name, name=Text(name, name), scale=scale))
        parts.append(own.with_columns(points.alias("points"), criterion=pl.lit(_CRITERION + name)))
    wide_ = pl.concat(parts).pivot(
        on="criterion", index=list(KEYS), values="points", aggregate_function="first", maintain_order=True
    )
    frame = wide_.rename({_CRITERION + name: name for name in criteria}).with_columns(
        pl.lit(None, pl.String).alias(f"why:{name}") for name in criteria
    )
    table = ScoreTable(
        rubric=_rubric(path.stem, made),
        batches=in_memory(frame),
        names=tuple(criteria),
        rows=frame.height,
        raters=frame["rater"].n_unique(),
        missing="missing",
        summarise=list,
        excluded=tuple(exclude),
        place=str(path),
    )
    meta = ratings.select("item", *fields, *base).unique("item", keep="first", maintain_order=True)
    selection = Selection({name: of for name, of in selection.wanted.items() if name != CRITERION})
    return with_meta(table, meta, by, selection)


def _refuse_taken(path: Path, criteria: Sequence[str], taken: set[str]) -> None:
    """A criterion cannot be called what a column beside the scores is called."""
    if wrong := [name for name in criteria if name in taken]:
        found = Text(
            f"기준과 열의 이름이 같음: {', '.join(wrong)}", f"criteria named like columns: {', '.join(wrong)}"
        )
        expected = Text("열과 다른 이름의 기준", "criteria with other names than columns")
        raise HaechiError.of(
            path.name, found, expected, Text("기준의 이름을 바꾸세요", "rename the criterion")
        )


def _items(ratings: pl.DataFrame, fields: Sequence[str]) -> tuple[pl.DataFrame, list[str]]:
    """An item that has several values of a field is as many items."""
    kinds = ratings.select("item", *fields).unique()
    if kinds["item"].n_unique() == kinds.height:
        return ratings, []
    several = [
        field for field in fields if kinds.select("item", field).unique()["item"].is_duplicated().any()
    ]
    own = pl.concat_str(["item", *(pl.col(field).fill_null("–") for field in several)], separator=" · ")
    return ratings.with_columns(pl.col("item").alias(BASE_ITEM), own.alias("item")), [BASE_ITEM]


def _points(values: pl.Series, path: Path) -> tuple[pl.Series, Scale]:
    numbers = values.cast(pl.Float64, strict=False)
    given, known = values.drop_nulls(), numbers.drop_nulls()
    if len(known) == len(given):
        kinds = set(known.unique().to_list())
        if kinds <= {0.0, 1.0}:
            return numbers, MET_OR_UNMET
        low, high = (float(end) for end in (min(kinds), max(kinds)))
        return numbers, Amount(low=low, high=high if high > low else low + 1)
    names = tuple(sorted(given.unique().to_list()))
    yes_or_no = MET_OR_UNMET
    try:
        met = {name: float(yes_or_no.read(name)) for name in names}
    except Off:
        met = {}
    if met:
        return values.replace_strict(met, default=None, return_dtype=pl.Float64), yes_or_no
    if len(known):
        wrong = next(name for name in names if pl.Series([name]).cast(pl.Float64, strict=False)[0] is None)
        expected = Text("모두 수이거나 모두 범주인 값", "values that are all numbers or all labels")
        raise HaechiError.of(path.name, repr(wrong), expected, Text("값을 고치세요", "correct the values"))
    codes = {name: float(code) for code, name in enumerate(names)}
    return values.replace_strict(codes, default=None, return_dtype=pl.Float64), Labels(names=names)


def _rubric(name: str, criteria: Sequence[Criterion]) -> Rubric:
    """What a table says about itself; nothing of it is checked, because any name is a criterion."""
    return Rubric.unchecked(
        id=name, title=Text(name, name), item="dialogue", criteria=tuple(criteria), scores=()
    )
