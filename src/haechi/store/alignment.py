"""Which items an alignment may look at and which it never may, drawn once; and how often the latter decided."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from haechi.store.connection import Connection
from haechi.store.database import now

AlignmentPart = Literal["training", "held_out"]
SEED = 2026


class Unit(NamedTuple):
    """Items that stay together, and how people rated them: the mean of their values, each as a share of its scale."""

    name: str
    items: tuple[str, ...]
    level: float


class HeldOutDecision(NamedTuple):
    """A comparison that the held-out part decided: of which version of the rubric, by which judge, the how-manieth."""

    number: int
    shown: str
    rubric: str
    rater: str
    items: int
    at: str


def parts_of(connection: Connection) -> dict[str, AlignmentPart]:
    """The part of every item that was drawn."""
    return dict(connection.rows("SELECT item, part FROM alignment_items ORDER BY draw, item"))


def drawn_parts(units: Sequence[Unit]) -> dict[str, AlignmentPart]:
    """Half of the items are held out: in the order of their level, one of every two neighbours, by chance.

    >>> parts = drawn_parts([Unit(f"d{n}", (f"d{n}",), n / 9) for n in range(9)])
    >>> sorted(parts.values()).count("held_out"), parts["d8"]
    (4, 'training')
    """
    chance = random.Random(SEED)  # noqa: S311 - so that everybody can draw it again, not a secret
    parts: dict[str, AlignmentPart] = {}
    ordered = sorted(units, key=lambda unit: (unit.level, unit.name))
    for at in range(0, len(ordered), 2):
        neighbours = ordered[at : at + 2]
        held_out = chance.choice(neighbours) if len(neighbours) == 2 else None
        for unit in neighbours:
            parts |= dict.fromkeys(unit.items, "held_out" if unit is held_out else "training")
    return parts


def keep_parts(connection: Connection, parts: Mapping[str, AlignmentPart], cluster: str | None) -> None:
    """Append items to the two parts; those that have one keep it."""
    known = parts_of(connection)
    new = {item: part for item, part in parts.items() if item not in known}
    if not new:
        return
    connection.execute(
        "INSERT INTO alignment_draws (seed, cluster, at) VALUES (:seed, :cluster, :at)",
        seed=SEED,
        cluster=cluster,
        at=now(),
    )
    number = int(connection.value("SELECT max(number) FROM alignment_draws"))
    rows = [(item, number, part) for item, part in new.items()]
    connection.insert("alignment_items", ("item", "draw", "part"), rows)


def looks_of(connection: Connection) -> list[HeldOutDecision]:
    """All looks, the first first."""
    rows = connection.rows("SELECT shown, rubric, rater, items, at FROM alignment_looks ORDER BY number")
    return [HeldOutDecision(place, *row) for place, row in enumerate(rows, 1)]


def keep_look(connection: Connection, shown: str, rubric: str, rater: str, items: int) -> HeldOutDecision:
    """Count a look, unless the same values were shown before: that is the look it was."""
    connection.execute(
        """INSERT INTO alignment_looks (shown, rubric, rater, items, at) VALUES (:shown, :rubric, :rater, :items, :at)
        ON CONFLICT DO NOTHING""",
        shown=shown,
        rubric=rubric,
        rater=rater,
        items=items,
        at=now(),
    )
    return next(look for look in looks_of(connection) if look.shown == shown)


def read_alignment(connection: Connection) -> dict[str, Any]:
    """Both parts and all looks as one object, for copies of a study."""
    draws = connection.rows("SELECT number, seed, cluster, at FROM alignment_draws ORDER BY number")
    items = connection.rows("SELECT item, draw, part FROM alignment_items ORDER BY draw, item")
    looks = [look[1:] for look in looks_of(connection)]
    return {
        "draws": [list(one) for one in draws],
        "items": [list(one) for one in items],
        "looks": [list(one) for one in looks],
    }


def keep_alignment(connection: Connection, told: Mapping[str, Any]) -> None:
    """Keep in a new study what `read_alignment` has told of another with the same items."""
    numbers = {}
    for number, seed, cluster, at in told["draws"]:
        connection.insert("alignment_draws", ("seed", "cluster", "at"), [(seed, cluster, at)])
        numbers[number] = int(connection.value("SELECT max(number) FROM alignment_draws"))
    rows = [(item, numbers[draw], part) for item, draw, part in told["items"]]
    connection.insert("alignment_items", ("item", "draw", "part"), rows)
    looks = [tuple(look) for look in told["looks"]]
    connection.insert("alignment_looks", ("shown", "rubric", "rater", "items", "at"), looks)
