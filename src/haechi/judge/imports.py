"""Replies of AI judges from other tools into a study: ratings, and the reply itself in the journal."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

import orjson

from haechi.cluster.engine import Engine
from haechi.cluster.runner import Processes, Runner
from haechi.data.rating import Rating
from haechi.errors import HaechiError, Problem
from haechi.judge.results import JudgedReply, chosen_replies, note_replies, survey
from haechi.rubrics import Rubric
from haechi.store.database import Database, now
from haechi.store.journal import known_calls, write_calls
from haechi.store.ratings import Appended, append_ratings

_AT_A_TIME = 50
_SHOWN_PROBLEMS = 20


@dataclass(frozen=True)
class Imported:
    """What an import of replies did; `tally` counts replies as `haechi import --json` prints them."""

    tally: dict[str, Any]
    raters: list[str]
    ratings: Appended
    skipped: list[Problem]


def import_results(
    database: Database,
    rubric: Rubric,
    files: list[Path],
    provider: str,
    rater: str | None,
    correct: bool,
    skip_bad: bool,
    advance: Callable[[int], None],
    engine: Engine | None = None,
) -> Imported:
    """Import result files in one transaction; the files are read twice, so that memory stays small.

    With a cluster its workers read the files, one at a time each; the writing is done here.
    """
    if engine is not None:
        files = [path.absolute() for path in files]  # workers stand in other folders
        engine.check_inputs(files)
    runner: Runner = engine or Processes(
        1
    )  # to send a reply to another process would take as long as to read it
    note = partial(note_replies, provider=provider, rubric=rubric, rater=rater)
    found = survey(runner.run(note, files), advance)
    if found.problems and not skip_bad:
        raise HaechiError(tuple(found.problems[:_SHOWN_PROBLEMS]))
    done = Appended()
    choose = partial(chosen_replies, provider=provider, rubric=rubric)
    replies = chain.from_iterable(runner.run(choose, zip(files, found.raters, strict=True)))
    with database.write_alone() as connection:
        while some := list(islice(replies, _AT_A_TIME)):
            known = known_calls(connection, [judged.id for judged in some])
            fresh = [judged for judged in some if judged.id not in known]
            done.unchanged += sum(len(judged.outcome.rows) for judged in some if judged.id in known)
            placed = (
                (judged.reply.custom_id, Rating(**row)) for judged in fresh for row in judged.outcome.rows
            )
            arrival = uuid.uuid4().hex
            done.add(
                append_ratings(connection, placed, rubric.version, arrival, correct, skip_bad, fill=True)
            )
            write_calls(connection, [_call(judged, provider) for judged in fresh])
    return Imported(found.tally, found.names, done, found.problems + done.skipped)


def _call(judged: JudgedReply, provider: str) -> dict[str, Any]:
    reply, usage = judged.reply, judged.reply.usage or {}
    return {
        "id": judged.id,
        "item": judged.outcome.item,
        "rater": judged.outcome.rater,
        "model": f"{provider}:{reply.model or ''}",
        "way": "import",
        "state": "failed" if judged.outcome.state == "failed" else "answered",
        "reply": orjson.dumps(reply.raw).decode(),
        "reason": reply.error.say("ko") if reply.error else None,
        "version": reply.model,
        "at": now(),
        "answered_at": now(),
        **{f"{kind}_tokens": usage.get(kind) for kind in ("input", "cached", "output", "reasoning")},
    }
