"""Errors that a person can act on: where, what was found, what was expected, what to do next."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Self

from haechi.text import Lang, Text, language


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with an input.

    >>> print(Problem(at="ratings.csv:3, value", found="6", expected=Text("1–5", "1–5"),
    ...               todo=Text("값을 고친 뒤 다시 실행하세요", "correct the value and run again")).say("en"))
    ratings.csv:3, value: found 6; expected 1–5. Next: correct the value and run again
    """

    at: str
    found: str | Text
    expected: Text
    todo: Text
    place: str = ""
    """The row, where `at` is that row and what is wrong there."""
    count: int = 1
    """How many rows have it."""

    def say(self, lang: Lang | None = None) -> str:
        """The problem as one line of words."""
        said = self.as_json(lang)
        if said["language"] == "en":
            return f"{said['at']}: found {said['found']}; expected {said['expected']}. Next: {said['next']}"
        return f"{said['at']}: {said['found']} — 필요한 값: {said['expected']}. 해결 방법: {said['next']}"

    def as_json(self, lang: Lang | None = None) -> dict[str, Any]:
        """The problem for machines, in one language."""
        lang = lang or language()
        found = self.found.say(lang) if isinstance(self.found, Text) else self.found
        said: dict[str, Any] = {
            "at": self.at,
            "found": found,
            "expected": self.expected.say(lang),
            "next": self.todo.say(lang),
            "language": lang,
        }
        return said if self.count == 1 else {**said, "count": self.count}


def once(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Every mistake once: what is wrong in the same way in several rows is one problem, with the first places.

    >>> rows = [Problem(f"r.csv:{n}, value", "7", Text("1–5"), Text("고치세요"), f"r.csv:{n}") for n in range(2, 9)]
    >>> [problem.say("en") for problem in once(rows)]
    ['r.csv:2, value: found 7 (7 places: 2, 3, 4, 5, 6 …); expected 1–5. Next: 고치세요']
    """
    groups: dict[tuple[object, ...], list[Problem]] = {}
    for problem in problems:
        about = problem.at.removeprefix(problem.place)
        alone = problem.at if not problem.place else ""
        file = problem.place.rstrip("0123456789")
        groups.setdefault((about, alone, file, problem.expected, problem.todo), []).append(problem)
    return tuple(_as_one(group) for group in groups.values())


_SHOWN_PLACES, _SHOWN_FINDINGS = 5, 3


def _as_one(group: list[Problem]) -> Problem:
    first = group[0]
    if len(group) == 1:
        return first
    found = dict.fromkeys(p.found if isinstance(p.found, Text) else Text(p.found, p.found) for p in group)
    rows = list(dict.fromkeys(p.place[len(p.place.rstrip("0123456789")) :] or p.at for p in group))
    places = ", ".join(rows[:_SHOWN_PLACES]) + (" …" if len(rows) > _SHOWN_PLACES else "")
    shown = list(found)[:_SHOWN_FINDINGS]
    more = " …" if len(found) > _SHOWN_FINDINGS else ""
    said = Text(
        f"{', '.join(text.say('ko') for text in shown)}{more} ({len(group):,}곳: {places})",
        f"{', '.join(text.say('en') for text in shown)}{more} ({len(group):,} places: {places})",
    )
    return replace(first, found=said, count=len(group))


class HaechiError(Exception):
    """The answer is "no": an input was invalid or a gate failed. The command line exits with 1.

    >>> error = HaechiError.of("study.yaml", "format 9", Text("형식 1"), Text("업데이트", "upgrade"))
    >>> error.problems[0].found
    'format 9'
    >>> import pickle
    >>> pickle.loads(pickle.dumps(error)).problems == error.problems
    True
    """

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        super().__init__("\n".join(problem.say() for problem in problems))
        self.problems = problems

    def __reduce__(self) -> tuple[type[HaechiError], tuple[tuple[Problem, ...]]]:
        # An error raised in a worker process arrives with its problems, not only with their text.
        return type(self), (self.problems,)

    @classmethod
    def of(cls, at: str, found: str | Text, expected: Text, todo: Text) -> Self:
        """An error with a single problem."""
        return cls((Problem(at, found, expected, todo),))


@dataclass
class Problems:
    """Collects problems, so that all mistakes of a file are shown at once and not one at a time."""

    found: list[Problem] = field(default_factory=list)

    def add(self, at: str, found: str | Text, expected: Text, todo: Text) -> None:
        """Note one problem."""
        self.found.append(Problem(at, found, expected, todo))

    def stop(self) -> None:
        """Raise what was noted, if anything was."""
        if self.found:
            raise HaechiError(tuple(self.found))
