"""People who rate at the desk: their invitation, checked against the study."""

from __future__ import annotations

import re

from haechi.errors import HaechiError
from haechi.rubrics import Rubric
from haechi.store.connection import Connection
from haechi.store.database import Database
from haechi.store.invitations import invite, register_rater
from haechi.store.survey_links import SurveyLink, make_survey_link
from haechi.text import Text

ADJUDICATOR = "adjudicator"  # decisions on disputed items are ratings of this rater
_LONGEST_NAME = 100
_GUEST_DAYS = 7.0


def invite_rater(
    database: Database,
    rubric: Rubric,
    name: str,
    quota: int | None = None,
    stance: str | None = None,
    days: float = 30.0,
    only_item: str | None = None,
    survey: bool = False,
) -> str:
    """Register a rater and make a personal link; returns its token, which is nowhere stored."""
    name = _checked_name(name)
    if quota is not None and quota < 1:
        todo = Text("--quota를 고치세요", "correct --quota")
        raise HaechiError.of("--quota", str(quota), Text("1 이상", "1 or more"), todo)
    if stance is None and rubric.stances:
        # Whoever is asked about a certain conversation had it; everybody else reads what others said.
        stance = "participant" if survey and only_item is not None else "third_party"
        stance = stance if stance in rubric.stances else None
    elif stance is not None and stance not in rubric.stances:
        known = ", ".join(rubric.stances) or Text("없음", "none").say()
        expected = Text(f"이 루브릭의 입장: {known}", f"a stance of this rubric: {known}")
        raise HaechiError.of("--stance", stance, expected, Text("--stance를 고치세요", "correct --stance"))
    with database.write() as connection:
        kind = connection.value("SELECT kind FROM raters WHERE name = :name", name=name)
        if kind not in (None, "human"):
            found = Text(f"{name}: {kind}", f"{name} is {kind}")
            todo = Text("다른 이름을 쓰세요", "choose another name")
            raise HaechiError.of(name, found, Text("사람", "a person"), todo)
        register_rater(connection, name, quota, stance, only_item)
        return invite(connection, "survey" if survey else "rater", name, _checked_days(days))


def invite_guest(
    connection: Connection,
    rubric: Rubric,
    name: str,
    quota: int,
    link: SurveyLink | None = None,
    own: bool = False,
) -> str:
    """Register somebody who takes part in the survey; returns the token. `own`: will rate a conversation of their own."""
    stance = "participant" if own else "third_party"
    register_rater(
        connection,
        name,
        quota,
        stance if stance in rubric.stances else None,
        None,
        link.number if link else None,
    )
    return invite(connection, "survey", name, _GUEST_DAYS)


def invite_survey(database: Database, name: str, most: int | None, days: float) -> str:
    """A token with which several people may take part in the survey."""
    if most is not None and most < 1:
        todo = Text("--most를 고치세요", "correct --most")
        raise HaechiError.of("--most", str(most), Text("1 이상", "1 or more"), todo)
    with database.write() as connection:
        return make_survey_link(connection, _checked_name(name), most, _checked_days(days))


def invite_program(database: Database, name: str, days: float) -> str:
    """A token with which a program may push items and pull ratings."""
    with database.write() as connection:
        return invite(connection, "program", _checked_name(name), _checked_days(days))


def invite_owner(database: Database, days: float = 7.0) -> str:
    """A token for the owner's pages; made anew at every start."""
    with database.write() as connection:
        return invite(connection, "owner", "owner", _checked_days(days))


def _checked_days(days: float) -> float:
    if 0 < days <= 3660:
        return days
    todo = Text("--days를 고치세요", "correct --days")
    raise HaechiError.of(
        "--days", f"{days:g}", Text("0보다 크고 3660 이하", "more than 0, at most 3660"), todo
    )


def _checked_name(name: str) -> str:
    name = name.strip()
    if 0 < len(name) <= _LONGEST_NAME and not re.search(r"[\x00-\x1f\x7f]", name) and name != ADJUDICATOR:
        return name
    expected = Text(
        f"1–{_LONGEST_NAME}자의 이름({ADJUDICATOR} 제외)",
        f"a name of 1–{_LONGEST_NAME} characters, not {ADJUDICATOR}",
    )
    raise HaechiError.of("NAME", repr(name)[:80], expected, Text("이름을 고치세요", "correct the name"))
