"""How it came about which items people rated, as one object: the last draw and what the desk gave out. For copies of a study."""

from __future__ import annotations

from typing import Any

from haechi.store.connection import Connection
from haechi.store.database import now
from haechi.store.draws import begin_draw, desk_work, keep_drawn, last_draw


def read_drawn_work(connection: Connection) -> dict[str, Any]:
    """The draw that counts, the desk's lists, and whether some rater of the desk had a choice of items only."""
    draw = last_draw(connection)
    lists = connection.rows(
        "SELECT rater, item, replicate, position FROM assignments WHERE kind = 'item' ORDER BY rater, position"
    )
    told = None
    if draw is not None:
        names = ("how", "items", "seed", "words", "goal")
        told = {**{name: getattr(draw, name) for name in names}, "drawn": [list(one) for one in draw.drawn]}
    return {"draw": told, "desk": [list(row) for row in lists], "chosen": desk_work(connection).chosen}


def keep_drawn_work(connection: Connection, told: dict[str, Any]) -> None:
    """Keep in a new study what `read_drawn_work` has told of another with the same items and raters."""
    lists = [(rater, item, replicate, position) for rater, item, replicate, position in told["desk"]]
    rows = [(item, rater, replicate, position, "item", now()) for rater, item, replicate, position in lists]
    connection.insert("assignments", ("item", "rater", "replicate", "position", "kind", "at"), rows)
    if told["chosen"] and lists:
        rater, item, *_ = lists[0]
        connection.insert("desk_raters", ("name", "only_item", "at"), [(rater, item, now())])
    draw = told["draw"]
    if draw is not None:
        number = begin_draw(connection, *(draw[name] for name in ("how", "items", "seed", "words", "goal")))
        keep_drawn(connection, number, [(item, chance) for item, chance in draw["drawn"]])
