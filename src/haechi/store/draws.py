"""Which items were drawn for people to rate: kept with the chance of every draw, and never changed."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from haechi.errors import HaechiError
from haechi.frozen import frozen
from haechi.store.connection import Connection, insert_into
from haechi.store.database import now
from haechi.store.items import attention_items
from haechi.store.ratings_in_force import MEASUREMENTS
from haechi.text import Text

# Attention items are no measurements; bare ones have nothing to read, and count where a study has no others.
_DRAWABLE = """items_in_force AS items WHERE NOT (items.id = ANY(:attention))
    AND (items.kind <> 'bare' OR NOT EXISTS (SELECT 1 FROM items_in_force WHERE kind <> 'bare'))"""


@frozen
class Draw:
    """One draw: how, from how many items, and the items in their order with the chance of each."""

    number: int
    how: str
    items: int
    seed: int | None
    words: str | None
    goal: str | None
    at: str
    drawn: tuple[tuple[str, float], ...]

    @property
    def item_ids(self) -> list[str]:
        """The drawn items in their order."""
        return [item for item, _ in self.drawn]


def drawable(connection: Connection) -> list[str]:
    """The ids of all items that may be drawn, in a fixed order."""
    return connection.values(
        f"SELECT id FROM {_DRAWABLE} ORDER BY id", attention=list(attention_items(connection))
    )


def count_drawable(connection: Connection) -> int:
    """How many items may be drawn."""
    return int(
        connection.value(f"SELECT count(*) FROM {_DRAWABLE}", attention=list(attention_items(connection)))
    )


def last_draw(connection: Connection) -> Draw | None:
    """The draw that counts: the last one."""
    row = connection.row(
        "SELECT number, how, items, seed, words, goal, at FROM draws ORDER BY number DESC LIMIT 1"
    )
    if row is None:
        return None
    found = connection.rows(
        "SELECT item, chance FROM drawn_items WHERE draw = :draw ORDER BY position", draw=row.number
    )
    known = tuple((item, chance) for item, chance in found)
    return Draw(row.number, row.how, row.items, row.seed, row.words, row.goal, row.at, known)


def drawn_items(connection: Connection) -> frozenset[str]:
    """The items of the draw that counts."""
    return frozenset(
        connection.values("SELECT item FROM drawn_items WHERE draw = (SELECT max(number) FROM draws)")
    )


def drawn_for(connection: Connection, rater: str) -> list[str]:
    """The items that were drawn one by one for this rater, in their order."""
    return connection.values(
        """SELECT item FROM drawn_items WHERE rater = :rater AND draw = (SELECT max(number) FROM draws)
        ORDER BY position""",
        rater=rater,
    )


def begin_draw(
    connection: Connection,
    how: str,
    items: int,
    seed: int | None = None,
    words: str | None = None,
    goal: str | None = None,
) -> int:
    """Begin a draw, which then counts in place of the one before; gives its number."""
    row = {"how": how, "items": items, "seed": seed, "words": words, "goal": goal, "at": now()}
    connection.execute(insert_into("draws", row), **row)
    return int(connection.value("SELECT max(number) FROM draws"))


def keep_drawn(
    connection: Connection,
    draw: int,
    drawn: Sequence[tuple[str, float]],
    after: int = 0,
    rater: str | None = None,
) -> None:
    """Append items to a draw, each with its chance among those that were left; after: how many it has already."""
    columns = ("draw", "position", "item", "rater", "chance", "at")
    at = now()
    rows = [(draw, after + place, item, rater, chance, at) for place, (item, chance) in enumerate(drawn, 1)]
    connection.insert("drawn_items", columns, rows)


@frozen
class DeskWork:
    """The items that the desk gave out to people, and whether some rater was given a choice of items only."""

    items: frozenset[str]
    chosen: bool


def desk_work(connection: Connection) -> DeskWork:
    """What raters of the desk worked on; the desk gives out items in random order."""
    items = connection.values("SELECT DISTINCT item FROM assignments WHERE kind = 'item'")
    restricted = connection.value(
        """SELECT count(*) FROM desk_raters WHERE only_item IS NOT NULL
        OR (only_where IS NOT NULL AND only_where NOT IN ('', '{}'))"""
    )
    return DeskWork(frozenset(items), bool(restricted))


def said_of(draw: Draw) -> Text:
    """How the items were drawn, in words.

    >>> said_of(Draw(1, "drawn", 120, 7, None, None, "2026-11-18T09:00:00+00:00", (("d1", 0.5),))).en
    '1 of 120 items drawn at random on 2026-11-18 (seed 7)'
    """
    n, of, day = len(draw.drawn), draw.items, draw.at[:10]
    if draw.how == "declared":
        return Text(
            f"무작위 표본이라고 {day}에 알린 항목 {n:,}개(“{draw.words}”)",
            f"{n:,} items declared a random sample on {day} (“{draw.words}”)",
        )
    if draw.how == "until":
        return Text(
            f"평가 화면이 항목 {of:,}개에서 확률을 기록하며 하나씩 뽑은 {n:,}개",
            f"{n:,} of {of:,} items drawn by the desk one by one with recorded chances",
        )
    return Text(
        f"항목 {of:,}개에서 {day}에 무작위로 뽑은 {n:,}개(난수 시드 {draw.seed})",
        f"{n:,} of {of:,} items drawn at random on {day} (seed {draw.seed})",
    )


def draw_items(connection: Connection, n: int, seed: int) -> Draw:
    """Draw n more items, all with the same chance; a draw goes on as long as there are the same items to draw from."""
    everything = drawable(connection)
    known = last_draw(connection)
    goes_on = known is not None and known.how == "drawn" and known.items == len(everything)
    before = known.item_ids if known is not None and goes_on else []
    taken = set(before)
    left = [item for item in everything if item not in taken]
    if not 1 <= n <= len(left):
        found = Text(f"{n:,}개", f"{n:,} items")
        expected = Text(
            f"1개 이상, 남은 항목 {len(left):,}개 이하",
            f"1 or more, and at most the {len(left):,} that are left",
        )
        raise HaechiError.of("--items", found, expected, Text("수를 고치세요", "correct the number"))
    number = (
        known.number
        if known is not None and goes_on
        else begin_draw(connection, "drawn", len(everything), seed)
    )
    # Which items are asked about is no secret; anybody can draw the same again.
    chosen = Random(f"{seed}:{len(before)}").sample(left, n)  # noqa: S311
    keep_drawn(
        connection,
        number,
        [(item, 1 / (len(left) - place)) for place, item in enumerate(chosen)],
        len(before),
    )
    return _known(connection)


def declare_drawn(connection: Connection, words: str) -> Draw:
    """Take the items that people rated for a random part, as somebody says they are."""
    said = " ".join(words.split())
    everything = set(drawable(connection))
    rated = sorted(rated_by_people(connection) & everything)
    if not said or not rated:
        found = Text("사람의 평가가 없음", "no ratings of people") if said else Text("빈 말", "no words")
        expected = Text(
            "사람이 평가한 항목과, 그것을 고른 방법", "items that people rated, and how they were chosen"
        )
        todo = Text('평가를 가져온 뒤 --declare "고른 방법"', 'bring in ratings, then --declare "how"')
        raise HaechiError.of("--declare", found, expected, todo)
    number = begin_draw(connection, "declared", len(everything), words=said[:500])
    size = len(everything)
    keep_drawn(connection, number, [(item, 1 / (size - place)) for place, item in enumerate(rated)])
    return _known(connection)


def rated_by_people(connection: Connection) -> frozenset[str]:
    """The items of which some person gave a value; decisions on disputed ones are no ratings of their own."""
    return frozenset(
        connection.values(
            f"SELECT DISTINCT item FROM ({MEASUREMENTS}) AS given WHERE status = 'ok' AND kind = 'human'"
        )
    )


def _known(connection: Connection) -> Draw:
    draw = last_draw(connection)
    if draw is None:
        raise LookupError("a draw that has just been kept is there")
    return draw
