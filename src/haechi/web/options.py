"""How the desk is run: what its owner chose, and what the server was told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from haechi.errors import HaechiError
from haechi.frozen import frozen
from haechi.judge.partner import Partner
from haechi.store.connection import Connection
from haechi.store.desk_settings import DeskSettings, StoredSettings
from haechi.study.study import Study
from haechi.text import Lang, Text


@frozen
class Options:
    """What `haechi serve` was told.

    given: choices of `DeskSettings`, which go before those that are stored with a study. commands: whether the owner's
    page may run an agent that is a program, which it starts on this machine. base: the path under which a
    proxy serves the desk. home: the path of the list of studies, where there are several.
    """

    given: Mapping[str, Any] = field(default_factory=dict)
    commands: bool = False
    base: str = ""
    home: str | None = None
    lang: Lang = "ko"


class LiveSettings:
    """The settings of one study's desk as they are now; safe to use from many threads."""

    def __init__(self, study: Study, options: Options) -> None:
        self._study, self.given = study, options.given
        self._stored = StoredSettings()

    def now(self) -> DeskSettings:
        """The settings."""
        with self._study.database.read() as connection:
            return self.inside(connection)

    def inside(self, connection: Connection) -> DeskSettings:
        """The settings, as a transaction that is open already sees them."""
        stored = self._stored.now(connection)
        return stored.changed(self.given) if self.given else stored


@frozen
class Talk:
    """How participants talk with the AI under test: how much at most, for each of them.

    turns: their messages; letters: in one of these; max_cost: dollars for all replies.
    """

    partner: Partner
    turns: int = 20
    letters: int = 2000
    max_cost: float | None = None

    @classmethod
    def of(cls, study: Study, settings: DeskSettings) -> Talk | None:
        """With whom participants talk; None where they do not. Refuses what cannot be."""
        if settings.talk is None:
            return None
        if study.rubric.item != "dialogue":
            found = Text(
                f"{study.rubric.id}: 대화가 아닌 항목", f"{study.rubric.id}: its items are no conversations"
            )
            expected = Text("대화를 평가하는 루브릭(예: ubica)", "a rubric for conversations, such as ubica")
            raise HaechiError.of("--talk", found, expected, Text("--talk을 빼세요", "leave out --talk"))
        partner = Partner.named(settings.talk, study.folder, settings.talk_prompt, settings.talk_max_cost)
        return cls(partner, settings.talk_turns, max_cost=settings.talk_max_cost)
