"""Replies of AI judges from other tools into a study: ratings, and the reply itself in the journal."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

import orjson

from haechi.cluster.engine import Engine
from haechi.cluster.runner import Processes, Runner
from haechi.data.item_questions import item_questions
from haechi.data.line_names import own_criteria
from haechi.data.progress import Advance
from haechi.data.rating import Rating
from haechi.errors import HaechiError, Problem
from haechi.frozen import frozen
from haechi.judge.results import JudgedReply, chosen_replies, note_replies, survey
from haechi.rubrics import Rubric
from haechi.store.connection import Connection
from haechi.store.database import Database, now
from haechi.store.items import read_items
from haechi.store.journal import known_calls, write_calls
from haechi.store.ratings import Appended, append_ratings, number_ratings
from haechi.store.unknown_items import UnknownItems
from haechi.text import Text

_AT_A_TIME = 50
_SHOWN_PROBLEMS = 20


@frozen
class ImportResult:
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
    advance: Advance,
    engine: Engine | None = None,
    newcomers: Callable[[Connection], UnknownItems] = UnknownItems,
    kept: bool = True,
) -> ImportResult:
    """Import result files in one transaction; the files are read twice, so that memory stays small.

    With a cluster its workers read the files, one at a time each; the writing is done here. `newcomers` decides about
    items that the study does not know. Not `kept`, it is only tried.
    """
    if engine is not None:
        files = [path.absolute() for path in files]  # workers stand in other folders
        engine.check_inputs(files)
    runner: Runner = engine or Processes(
        1
    )  # to send a reply to another process would take as long as to read it
    own = _own_questions(database, rubric)
    note = partial(note_replies, provider=provider, rubric=rubric, rater=rater, own=own)
    found = survey(runner.run(note, files), advance)
    if found.problems and not skip_bad:
        raise HaechiError(tuple(found.problems[:_SHOWN_PROBLEMS]))
    done = Appended()
    choose = partial(chosen_replies, provider=provider, rubric=rubric, own=own)
    replies = chain.from_iterable(runner.run(choose, zip(files, found.raters, strict=True)))
    arrival, names = uuid.uuid4().hex, ", ".join(path.name for path in files)
    with database.write_alone(kept) as connection:
        unknown = newcomers(connection)
        if unknown.first and found.nothing_said:
            raise _none_readable(names, found.answered, rubric)
        while some := list(islice(replies, _AT_A_TIME)):
            known = known_calls(connection, [judged.id for judged in some])
            welcome = unknown.welcome(judged.outcome.item for judged in some)
            fresh = [j for j in some if j.id not in known and j.outcome.item in welcome]
            done.unchanged += sum(len(judged.outcome.rows) for judged in some if judged.id in known)
            placed = (
                (judged.reply.custom_id, Rating(**row)) for judged in fresh for row in judged.outcome.rows
            )
            done.add(
                append_ratings(connection, placed, rubric.version, arrival, correct, skip_bad, fill=True)
            )
            write_calls(connection, [_call(judged, provider) | {"arrival": arrival} for judged in fresh])
        problem = unknown.problem(names)
        if problem is not None and not skip_bad:
            raise HaechiError((problem,))
        done.skipped += [problem] if problem is not None else []
        number_ratings(connection, "replies", arrival, files, done)
    return ImportResult(found.tally, found.names, done, found.problems + done.skipped)


def _own_questions(database: Database, rubric: Rubric) -> dict[str, tuple[str, ...]]:
    """What items ask themselves, where the rubric says that all do: a reply about an item answers that."""
    if not own_criteria(rubric):
        return {}
    with database.read() as connection:
        return {item.id: tuple(item_questions(rubric, item)) for item in read_items(connection)}


def _none_readable(place: str, replies: int, rubric: Rubric) -> HaechiError:
    found = Text(
        f"응답 {replies:,}건 가운데 {rubric.id}로 읽히는 것이 하나도 없음",
        f"none of {replies:,} replies can be read as {rubric.id}",
    )
    expected = Text(f"{rubric.id}의 요소에 대한 응답", f"replies about the elements of {rubric.id}")
    todo = Text(
        "다른 루브릭의 파일이 아닌지 확인하세요. 아무것도 쓰지 않았습니다",
        "see whether the file belongs to another rubric. Nothing was written",
    )
    return HaechiError.of(place, found, expected, todo)


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
        "reason": reply.error.kept if reply.error else None,
        "version": reply.model,
        "at": now(),
        "answered_at": now(),
        **{f"{kind}_tokens": usage.get(kind) for kind in ("input", "cached", "output", "reasoning")},
    }
