"""How the desk is run."""

from __future__ import annotations

from dataclasses import dataclass, field

from haechi.judge.partner import Partner
from haechi.store.desk import Plan
from haechi.text import Lang


@dataclass(frozen=True)
class Talk:
    """How participants talk with the AI under test: how much at most, for each of them.

    turns: their messages; letters: in one of these; max_cost: dollars for all replies.
    """

    partner: Partner
    turns: int = 20
    letters: int = 2000
    max_cost: float | None = None


@dataclass(frozen=True)
class Options:
    """The choices of `haechi serve`.

    plan: how items are given out. training: raters first practise on items whose answers are known. gold: such items
    come between the others. pass_mark: the share
    of known answers that must fit, in practice and in gold items. public_survey: anyone
    may answer `items_per_guest` items behind a consent text. kiosk: many people
    take part at one computer, one after the other. talk: they talk with the AI under test, and rate that conversation.
    base: the path under which a proxy serves the desk. home: the path of the list of studies, where there are several.
    """

    plan: Plan = field(default_factory=Plan)
    training: bool = False
    gold: bool = False
    pass_mark: float = 0.7
    public_survey: bool = False
    items_per_guest: int = 1
    consent: str | None = None
    kiosk: bool = False
    talk: Talk | None = None
    base: str = ""
    home: str | None = None
    lang: Lang = "ko"
