"""How the desk of a study is run: how items are given out, practice, the survey, with whom participants talk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from typing import Any

import orjson

from haechi.frozen import frozen
from haechi.store.connection import Connection
from haechi.store.database import now
from haechi.store.desk import ItemDistribution


@frozen
class DeskSettings:
    """The choices of `haechi serve`, by the names of its options.

    overlap, seed, repeat_every: how items are given out. until: people are asked item by item until the mean of a score is
    known so closely (`total=±1.0`). training: raters first practise on items whose answers are
    known. gold: such items come between the others. pass_mark: the share of known answers that must fit, in practice
    and in gold items. public_survey: anyone may answer `items_per_guest` items behind a consent text. kiosk: many
    people take part at one computer, one after the other. talk: the AI that participants talk with, and whose
    conversation they rate, with its system prompt and limits for each of them.
    """

    overlap: int | None = None
    until: str | None = None
    seed: int = 0
    repeat_every: int | None = None
    training: bool = False
    gold: bool = False
    pass_mark: float = 0.7
    public_survey: bool = False
    items_per_guest: int = 1
    kiosk: bool = False
    consent: str | None = None
    talk: str | None = None
    talk_prompt: str | None = None
    talk_turns: int = 20
    talk_max_cost: float | None = None

    @property
    def plan(self) -> ItemDistribution:
        """How items are given out."""
        drawn = self.until is not None
        overlap = None if drawn else self.overlap
        return ItemDistribution(overlap, self.seed, self.repeat_every, self.gold, drawn_only=drawn)

    def changed(self, given: Mapping[str, Any]) -> DeskSettings:
        """The same with some choices made otherwise; names that are none of ours are passed over.

        >>> DeskSettings(training=True).changed({"overlap": 3, "of": "another version"}).overlap
        3
        """
        known = {one.name for one in fields(self)}
        return replace(self, **{name: value for name, value in given.items() if name in known})

    def chosen(self) -> dict[str, Any]:
        """What is not as it is without any choice.

        >>> DeskSettings(training=True).chosen()
        {'training': True}
        """
        usual = asdict(DeskSettings())
        return {name: value for name, value in asdict(self).items() if value != usual[name]}


class StoredSettings:
    """The settings that are stored with a study; read anew only when the owner has chosen."""

    def __init__(self) -> None:
        self._known: tuple[int, DeskSettings] = (0, DeskSettings())

    def now(self, connection: Connection) -> DeskSettings:
        """The settings as they are now."""
        newest = connection.value("SELECT max(number) FROM desk_settings") or 0
        if self._known[0] != newest:
            self._known = newest, read_desk_settings(connection)
        return self._known[1]


def read_desk_settings(connection: Connection) -> DeskSettings:
    """What the owner chose last."""
    said = connection.value("SELECT settings FROM desk_settings ORDER BY number DESC LIMIT 1")
    return DeskSettings().changed(orjson.loads(said)) if said else DeskSettings()


def write_desk_settings(connection: Connection, settings: DeskSettings) -> None:
    """Keep what the owner chose; what was chosen before stays in the history."""
    said = orjson.dumps(settings.chosen()).decode()
    connection.execute("INSERT INTO desk_settings (settings, at) VALUES (:said, :at)", said=said, at=now())
