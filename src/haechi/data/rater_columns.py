"""A table with a column for each rater: which column names the items, and which are raters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from haechi.data.files import refuse
from haechi.data.mapping import mapped_columns
from haechi.data.names import RATING_FIELDS, fold_name
from haechi.data.tables import TableReading
from haechi.data.understanding import IGNORED
from haechi.errors import HaechiError, tell
from haechi.text import Text, first_few

if TYPE_CHECKING:
    import polars as pl

_SHOWN = 5


def rater_columns(
    columns: Mapping[str, pl.Series], place: str, keep: Sequence[str], reading: TableReading
) -> tuple[str | None, list[str]]:
    """The column of the items, the first unless `--map item=` says another, and those of the raters, all others.

    A first column whose name is not that of an item may be a rater's in a table that has no items. Where it tells all rows
    apart it is the item, which is said; where values come twice that the others hold too it is a rater, and rows are the
    items; otherwise it is refused.

    >>> import polars as pl
    >>> table = {"Group": pl.Series(["M", "M"]), "Units": pl.Series(["1", "2"]), "r1": pl.Series(["a", "b"])}
    >>> rater_columns(table, "f.csv", (), TableReading(map=(("item", "Units"), ("ignore", "Group"))))
    ('Units', ['r1'])
    >>> from haechi.errors import collect_told
    >>> with collect_told() as told:
    ...     found = rater_columns({"r1": pl.Series(["2", "2"]), "r2": pl.Series(["2", "3"])}, "f.csv", (), TableReading())
    >>> found, told[0].en
    ((None, ['r1', 'r2']), 'f.csv: no column names the items: every row is one, by its number; the raters are r1, r2')
    """
    mapped = mapped_columns(reading.map, list(columns), place, None)
    said = next((one.column for one in mapped if one.field == "item"), None)
    unread = {*keep, *(one.column for one in mapped if one.field == IGNORED)}
    left = [name for name in columns if name not in unread]
    if len(left) < 2 or any(one.field not in ("item", IGNORED) for one in mapped):
        expected = Text(
            "첫 열은 항목(다른 열이면 --map item=열), 나머지 열은 평가자(아닌 열은 --map ignore=열)",
            "first column the item (another by --map item=COLUMN), every other column a rater (none by --map ignore=COLUMN)",
        )
        raise refuse(place, ", ".join(left), expected)
    item = said or left[0]
    raters = [name for name in left if name != item]
    if said or not item or fold_name(item) in RATING_FIELDS["item"] or reading.keep:
        return item, raters
    first = columns[item]
    if not first.null_count() and not first.is_duplicated().any():
        shown = first_few(raters, _SHOWN)
        tell(
            Text(
                f"{place}: 항목은 첫 열 {item}, 평가자는 {shown}",
                f"{place}: the item is the first column, {item}; the raters are {shown}",
            )
        )
        return item, raters
    others = {value for name in raters for value in columns[name].drop_nulls()}
    own = set(first.drop_nulls())
    if 2 * len(own & others) < len(own):
        raise _no_items(item, place)
    shown = first_few(left, _SHOWN)
    tell(
        Text(
            f"{place}: 항목 열이 없어 줄마다 한 항목으로 보고 줄 번호를 붙였습니다. 평가자는 {shown}",
            f"{place}: no column names the items: every row is one, by its number; the raters are {shown}",
        )
    )
    return None, left


def _no_items(first: str, place: str) -> HaechiError:
    found = Text(
        f"첫 열 {first}에 여러 번 나오는 값이나 빈 칸이 있음",
        f"the first column, {first}, has a value several times, or empty cells",
    )
    todo = Text(
        "항목이 다른 열에 있으면 --map item=열, 평가자가 아닌 열에는 --map ignore=열을 붙이세요. 항목 열이 없으면 맨 앞에 번호 열을 넣으세요",
        "add --map item=COLUMN if another column names the items, and --map ignore=COLUMN for one that is no rater; "
        "if no column names them, put one with numbers before the others",
    )
    return refuse(
        place, found, Text("첫 열에 항목마다 다른 이름", "a first column that names every item"), todo
    )
