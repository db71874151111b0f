"""Result files of AI judges that another tool asked: which replies count, and the ratings in them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import orjson

from haechi.data.files import lines_of
from haechi.data.progress import Advance
from haechi.errors import HaechiError, Problem
from haechi.judge.providers.lines import BatchReply
from haechi.judge.providers.results import read_results
from haechi.prompt.ratings import ReplyOutcome, best_of, ratings_of, tally
from haechi.rubrics import Rubric
from haechi.text import Text

_LONGEST = 300


class KeptReply(NamedTuple):
    """What is kept of a reply until all are seen; `line` is its position among the replies of its file."""

    line: int
    item: str
    rater: str
    given: int
    state: str
    repaired: bool
    answered: bool
    file: int = 0


ReplyRaters = dict[int, str]
"""The replies of a file that count, by their position, each with its rater."""


@dataclass
class ReplySurvey:
    """The replies that count, file by file; what they come to; what is unreadable."""

    raters: list[ReplyRaters] = field(default_factory=list)
    tally: dict[str, Any] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    answered: int = 0

    @property
    def nothing_said(self) -> bool:
        """Whether judges answered, and not one answer says anything about the rubric."""
        return self.answered > 0 and not self.tally["complete"] + self.tally["partial"]

    @property
    def names(self) -> list[str]:
        """The raters, in the order of the replies."""
        return list(dict.fromkeys(name for of_file in self.raters for name in of_file.values()))


Own = Mapping[str, tuple[str, ...]]
"""The names of what items ask themselves, by item; of these a reply is about the item's."""


def _asked(rubric: Rubric, own: Own, item: str) -> tuple[str, ...] | None:
    """What a reply about an item answers: all of the rubric, and what the item asks itself."""
    return (*rubric.rateables, *own[item]) if own.get(item) else None


def note_replies(
    path: Path, provider: str, rubric: Rubric, rater: str | None, own: Own = MappingProxyType({})
) -> Iterator[KeptReply | Problem]:
    """Read the replies of a file for what has to be known to choose among them."""
    for line, reply in enumerate(_checked(path, provider)):
        if isinstance(reply, Problem):
            yield reply
            continue
        if own and not own.get(reply.custom_id):
            yield _without_criteria(path.name, reply.custom_id)
            continue
        outcome = ratings_of(reply, rubric, only=_asked(rubric, own, reply.custom_id))
        by = rater or reply.model or ""
        answered = reply.error is None
        yield KeptReply(line, outcome.item, by, outcome.given, outcome.state, outcome.repaired, answered)


def _without_criteria(name: str, item: str) -> Problem:
    expected = Text("기준이 있는 항목에 대한 응답", "a reply about an item that has criteria")
    todo = Text("항목과 기준을 먼저 더하세요", "add the item and its criteria first")
    return Problem(name, item[:80], expected, todo)


def survey(files: Iterable[Iterable[KeptReply | Problem]], advance: Advance) -> ReplySurvey:
    """Choose among what was noted of all files: one reply for each item and rater, the one that says the most.

    An expired or refused request names no model; it belongs to the judge of the other lines.
    """
    found, seen = ReplySurvey(), list[KeptReply]()
    for number, notes in enumerate(files):
        found.raters.append({})
        for noted in notes:
            advance(1)
            if isinstance(noted, Problem):
                found.problems.append(noted)
            else:
                seen.append(noted._replace(file=number))
    models = list(dict.fromkeys(noted.rater for noted in seen if noted.rater))
    if any(not noted.rater for noted in seen):
        if len(models) != 1:
            raise _nameless(models)
        seen = [noted if noted.rater else noted._replace(rater=models[0]) for noted in seen]
    chosen = best_of(seen)
    for noted in chosen:
        found.raters[noted.file][noted.line] = noted.rater
    found.tally = tally(chosen)
    found.answered = sum(noted.answered for noted in chosen)
    return found


class JudgedReply(NamedTuple):
    """A reply that counts, with its ratings."""

    reply: BatchReply
    outcome: ReplyOutcome

    @property
    def id(self) -> str:
        """The same for the same reply, so that importing it again changes nothing."""
        content = orjson.dumps([self.outcome.rater, self.reply.raw], option=orjson.OPT_SORT_KEYS)
        return hashlib.sha256(content).hexdigest()[:32]


def chosen_replies(
    of_file: tuple[Path, ReplyRaters], provider: str, rubric: Rubric, own: Own = MappingProxyType({})
) -> Iterator[JudgedReply]:
    """The replies of a file that a survey chose, in the order of the file."""
    path, raters = of_file
    for line, reply in enumerate(_checked(path, provider)):
        by = raters.get(line)
        if by is not None and isinstance(reply, BatchReply):
            only = _asked(rubric, own, reply.custom_id)
            yield JudgedReply(reply, ratings_of(reply, rubric, rater=by, only=only))


def _checked(path: Path, provider: str) -> Iterator[BatchReply | Problem]:
    lines = (line for _, line in lines_of(path))
    for reply in read_results(lines, provider, path.name):
        name = reply.custom_id if isinstance(reply, BatchReply) else ""
        if len(name) > _LONGEST or any(ord(character) < 32 for character in name):
            expected = Text("항목의 id", "the id of an item")
            todo = Text("요청의 id를 확인하세요", "check the ids of the requests")
            yield Problem(path.name, repr(name[:60]), expected, todo)
        else:
            yield reply


def _nameless(models: list[str]) -> HaechiError:
    found = Text(
        f"모델 이름이 없는 응답 (다른 응답의 모델: {', '.join(models) or '없음'})",
        f"replies without the name of a model (the others: {', '.join(models) or 'none'})",
    )
    expected = Text("AI 평가자 하나의 결과", "the results of one judge")
    return HaechiError.of(
        "haechi import", found, expected, Text("--rater NAME을 붙이세요", "give --rater NAME")
    )
