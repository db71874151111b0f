"""Result files of AI judges that another tool asked: which replies count, and the ratings in them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from haechi.compile.rating import Outcome, best_of, ratings_of, tally
from haechi.errors import HaechiError, Problem
from haechi.items.files import lines_of
from haechi.providers.results import Provider, Reply, read_results
from haechi.rubrics import Rubric
from haechi.text import Text

_LONGEST = 300


class Noted(NamedTuple):
    """What is kept of a reply until all are seen; `place` is its position among all lines."""

    place: int
    item: str
    rater: str
    given: int
    state: str
    repaired: bool


@dataclass
class Survey:
    """The replies that count, by their position, each with its rater; what they come to; what is unreadable."""

    raters: dict[int, str] = field(default_factory=dict)
    tally: dict[str, Any] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)


def survey(
    files: Iterable[Path],
    provider: Provider,
    rubric: Rubric,
    rater: str | None,
    advance: Callable[[int], None],
) -> Survey:
    """Read the files once and choose: one reply for each item and rater, the one that says the most.

    An expired or refused request names no model; it belongs to the judge of the other lines.
    """
    found, seen = Survey(), list[Noted]()
    for place, reply in enumerate(_replies(files, provider)):
        advance(1)
        if isinstance(reply, Problem):
            found.problems.append(reply)
            continue
        outcome = ratings_of(reply, rubric)
        by = rater or reply.model or ""
        seen.append(Noted(place, outcome.item, by, outcome.given, outcome.state, outcome.repaired))
    models = list(dict.fromkeys(noted.rater for noted in seen if noted.rater))
    if any(not noted.rater for noted in seen):
        if len(models) != 1:
            raise _nameless(models)
        seen = [noted if noted.rater else noted._replace(rater=models[0]) for noted in seen]
    chosen = best_of(seen)
    found.raters = {noted.place: noted.rater for noted in chosen}
    found.tally = tally(chosen)
    return found


class Judged(NamedTuple):
    """A reply that counts, with its ratings."""

    reply: Reply
    outcome: Outcome

    @property
    def id(self) -> str:
        """The same for the same reply, so that importing it again changes nothing."""
        content = orjson.dumps([self.outcome.rater, self.reply.raw], option=orjson.OPT_SORT_KEYS)
        return hashlib.sha256(content).hexdigest()[:32]


def chosen_replies(
    files: Iterable[Path], provider: Provider, rubric: Rubric, surveyed: Survey
) -> Iterator[Judged]:
    """The replies that a survey chose, in the order of the files."""
    for place, reply in enumerate(_replies(files, provider)):
        by = surveyed.raters.get(place)
        if by is not None and isinstance(reply, Reply):
            yield Judged(reply, ratings_of(reply, rubric, rater=by))


def _replies(files: Iterable[Path], provider: Provider) -> Iterator[Reply | Problem]:
    return chain.from_iterable(_checked(path, provider) for path in files)


def _checked(path: Path, provider: Provider) -> Iterator[Reply | Problem]:
    lines = (line for _, line in lines_of(path))
    for reply in read_results(lines, provider, path.name):
        name = reply.custom_id if isinstance(reply, Reply) else ""
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
    expected = Text("심사 모델 하나의 결과", "the results of one judge")
    return HaechiError.of(
        "haechi import", found, expected, Text("--rater NAME을 붙이세요", "give --rater NAME")
    )
