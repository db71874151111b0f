"""The replies of a bundle read again: whether the ratings are what the judges said."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from haechi.judge.providers import PROVIDERS
from haechi.judge.records import Returned, read_returned
from haechi.rubrics import Rubric

Place = tuple[Any, ...]
"""Item, criterion, rater and replicate."""


def reread(
    call: Mapping[str, Any], rubric: Rubric, given: Mapping[Place, str | None]
) -> list[tuple[str, Any, Any]] | None:
    """What a call's reply gives otherwise than its ratings say, or than the ratings in force: name, there, read; None where there is no reply to read."""
    provider = str(call["model"]).partition(":")[0]
    if call["state"] != "answered" or not call["reply"] or provider not in PROVIDERS.all():
        return None
    asked = None if call["asked"] is None else tuple(call["asked"])
    returned = Returned(
        call["id"], call["item"], call["rater"], call["replicate"], asked, call["reply"], None
    )
    read = read_returned(returned, rubric, provider, None, batch=call["way"] != "live")
    said = {row["criterion"]: row.get("value") for row in read.outcome.rows}
    differing: list[tuple[str, Any, Any]] = []
    for rating in call["ratings"]:
        name = rating["criterion"]
        place = (call["item"], name, call["rater"], call["replicate"])
        if rating["status"] == "ok" and said.get(name) != rating["value"]:
            differing.append((f"reply.{call['id']}.{name}", rating["value"], said.get(name)))
        elif (
            rating["in_force"] and rating["status"] == "ok" and place in given and given[place] != said[name]
        ):
            differing.append((f"rating.{call['id']}.{name}", given[place], said[name]))
    return differing
