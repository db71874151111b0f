"""The owner's raters: invited by name, for all items or for those of a group."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.routing import Route

from haechi.data.stances import STANCE_WORDS
from haechi.errors import HaechiError
from haechi.store.connection import Connection
from haechi.store.groups import fields_of_items
from haechi.store.invitations import revoke
from haechi.store.raters import invite_raters, rater_links
from haechi.text import Text
from haechi.web.bodies import SubmittedForm
from haechi.web.commands import command
from haechi.web.form_numbers import count_in
from haechi.web.links import LinkPages, NewLink, days_of, link_options
from haechi.web.site import Site

_MOST = 200


class Raters(LinkPages):
    """People with a link of their own."""

    path, template, closing = "/owner/raters", "raters.html", "revoke"

    def made(self, given: SubmittedForm, address: str) -> tuple[NewLink, ...]:
        """Links for all names, or for none: what is wrong is found before the first is made."""
        names, days = names_of(given.one("names")), days_of(given)
        quota = count_in(given, "quota", Text("항목 수", "items"))
        if not names or len(names) > _MOST:
            found = Text(f"이름 {len(names)}개", f"{len(names)} names")
            expected = Text(f"한 줄에 하나씩 이름 1–{_MOST}개", f"1–{_MOST} names, one on each line")
            todo = Text("이름을 적으세요", "write names")
            raise HaechiError.of(Text("이름", "names").say(), found, expected, todo)
        tokens = invite_raters(
            self.study.database,
            self.study.rubric,
            names,
            quota,
            given.one("stance") or None,
            days,
            where=group_of(given),
        )
        return tuple(NewLink(name, f"{address}/enter/{token}") for name, token in tokens.items())

    def closed(self, connection: Connection, name: str) -> int:
        """Close the links of a rater."""
        return revoke(connection, name)

    def shown(self, connection: Connection, _: Request) -> dict[str, Any]:
        """Everybody who was invited, and the groups of items there are."""
        return {
            "raters": rater_links(connection),
            "items": self.study.count_measured(),
            "stances": self.study.rubric.stances,
            "stance_words": STANCE_WORDS,
            "fields": fields_of_items(connection),
        }

    def says(self, given: SubmittedForm, address: str) -> str:
        """The command for the first name."""
        name = next(iter(names_of(given.one("names"))), "NAME")
        options = [
            ("quota", given.one("quota") or None),
            ("stance", given.one("stance") or None),
            *(("where", f"{field}={value}") for field, values in group_of(given).items() for value in values),
            *link_options(given, address),
        ]
        return command("raters add", self.study.folder, name, options=options)


def routes(site: Site) -> list[Route]:
    """The routes of the raters."""
    return Raters(site).routes()


def names_of(text: str) -> list[str]:
    """Names one on each line or with commas between them, each once.

    >>> names_of("김하나\\n이두리, 김하나\\n\\n")
    ['김하나', '이두리']
    """
    lines = text.replace(",", "\n").splitlines()
    return list(dict.fromkeys(name for line in lines if (name := line.strip())))


def group_of(given: SubmittedForm) -> dict[str, list[str]]:
    """The items that raters are for, as the form says: `FIELD=VALUE`, any of several values of a field.

    >>> group_of(SubmittedForm(where=["mode=agent", "level=Q1", "level=Q2", ""]))
    {'mode': ['agent'], 'level': ['Q1', 'Q2']}
    """
    found: dict[str, list[str]] = {}
    for said in given.get("where", []):
        field, _, value = said.partition("=")
        if value:
            found.setdefault(field, []).append(value)
    return found
