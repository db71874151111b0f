"""People who rate at the desk: their invitation, checked against the study."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import orjson

from haechi.errors import HaechiError
from haechi.rubrics import Rubric
from haechi.store.connection import Connection
from haechi.store.database import Database
from haechi.store.groups import items_of_group
from haechi.store.invitations import (
    Invitation,
    InvitationState,
    Role,
    invite,
    read_invitations,
    register_rater,
)
from haechi.store.survey_links import SurveyLink, make_survey_link
from haechi.text import Text

ADJUDICATOR = "adjudicator"  # decisions on disputed items are ratings of this rater
_LONGEST_NAME = 100
_GUEST_DAYS = _OWNER_DAYS = 7.0


def invite_rater(
    database: Database,
    rubric: Rubric,
    name: str,
    quota: int | None = None,
    stance: str | None = None,
    days: float = 30.0,
    only_item: str | None = None,
    survey: bool = False,
    where: Mapping[str, Sequence[str]] | None = None,
) -> str:
    """Register a rater and make a personal link; returns its token, which is nowhere stored."""
    (token,) = invite_raters(database, rubric, [name], quota, stance, days, only_item, survey, where).values()
    return token


def invite_raters(
    database: Database,
    rubric: Rubric,
    names: Sequence[str],
    quota: int | None = None,
    stance: str | None = None,
    days: float = 30.0,
    only_item: str | None = None,
    survey: bool = False,
    where: Mapping[str, Sequence[str]] | None = None,
) -> dict[str, str]:
    """Register raters, all or none, and make a personal link for each; gives the token of every name.

    where: only items whose meta has one of the values of every field are given to them.
    """
    names = [_checked_name(name) for name in names]
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
    days = _checked_days(days)
    only_where = orjson.dumps(where).decode() if where else None
    with database.write() as connection:
        if where and not items_of_group(connection, where):
            said = ", ".join(f"{field}={value}" for field, values in where.items() for value in values)
            expected = Text("항목의 meta에 있는 값", "a value that items have in their meta")
            todo = Text("필드와 값을 확인하세요", "check the field and the value")
            raise HaechiError.of("--where", said, expected, todo)
        for name in names:
            kind = connection.value("SELECT kind FROM raters WHERE name = :name", name=name)
            if kind not in (None, "human"):
                found = Text(f"{name}: {kind}", f"{name} is {kind}")
                todo = Text("다른 이름을 쓰세요", "choose another name")
                raise HaechiError.of(name, found, Text("사람", "a person"), todo)
            register_rater(connection, name, quota, stance, only_item, only_where=only_where)
        role: Role = "survey" if survey else "rater"
        return {name: invite(connection, role, name, days) for name in names}


class RaterLink(NamedTuple):
    """A person with a link to the desk: whether one of their links is open, and how many items they have done."""

    name: str
    quota: int | None
    state: InvitationState
    expires: str
    done: int


_LINKS = """
SELECT name, quota, (SELECT count(*) FROM assignments
    WHERE rater = desk_raters.name AND kind = 'item' AND finished IS NOT NULL) AS done
FROM desk_raters ORDER BY at, name
"""


def rater_links(connection: Connection) -> list[RaterLink]:
    """Everybody who was invited by name, in the order of their invitation; not the guests of a survey."""
    newest: dict[str, Invitation] = {}
    for link in read_invitations(connection, "rater"):
        if link.name not in newest or link.state == "open" or newest[link.name].state != "open":
            newest[link.name] = link
    people = [row for row in connection.rows(_LINKS) if row.name in newest]
    return [
        RaterLink(row.name, row.quota, newest[row.name].state, newest[row.name].expires, row.done)
        for row in people
    ]


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


def invite_owner(database: Database) -> str:
    """A token for the owner's pages; made anew at every start."""
    with database.write() as connection:
        return invite(connection, "owner", "owner", _OWNER_DAYS)


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
