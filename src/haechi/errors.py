"""Errors that a person can act on: where, what was found, what was expected, what to do next."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any, Self

from haechi.frozen import frozen
from haechi.text import Lang, Text, first_few, language

# What libraries say of broken files: they have no Korean, and their English is not always words. Without English it stays.
_SAID = (
    (r"unexpected end of data", "닫히지 않은 따옴표", "a quote that is not closed"),
    (r"'(.+)' expected after '(.+)'", r"닫는 따옴표 {1} 뒤에 {0} 없음", ""),
    (r"line contains NUL", "NUL 문자", ""),
    (r"field larger than field limit.*", "너무 긴 칸", ""),
    (r"Expecting value: (.*)", "값이 없음: {0}", "no value: {0}"),
    (r"Expecting '(.)' delimiter: (.*)", "'{0}' 없음: {1}", "no '{0}': {1}"),
    (
        r"Expecting property name enclosed in double quotes: (.*)",
        "큰따옴표로 감싼 키가 없음: {0}",
        "no key in double quotes: {0}",
    ),
    (r"Illegal trailing comma.*: (.*)", "남는 쉼표: {0}", ""),
    (
        r"Invalid control character at: (.*)",
        "쓸 수 없는 제어 문자: {0}",
        "a control character, such as a line break: {0}",
    ),
    (r"Invalid \\.*escape: (.*)", "잘못된 \\ 표기: {0}", ""),
    (r"Extra data: (.*)", "JSON이 끝난 뒤에 남은 글: {0}", "more after the end of the JSON: {0}"),
    (r".*recursion depth.*", "너무 깊은 구조", "nested too deeply"),
    (
        r"found character '\\t' that cannot start any token",
        "탭 문자(들여쓰기에는 빈칸만 씁니다)",
        "a tab (indent with blanks only)",
    ),
    (
        r"found character (.+) that cannot start any token",
        "{0}: 이 문자로 시작하는 값은 따옴표로 감싸야 함",
        "{0}: a value that begins so has to be quoted",
    ),
    (
        r"mapping values are not allowed here",
        "콜론(:)이 올 수 없는 자리(콜론이 든 값은 따옴표로 감싸고, 바로 앞 키에 콜론이 있는지 확인)",
        "a colon (:) where none can be (quote a value with a colon, and see whether the key before has its colon)",
    ),
    (r"could not find expected ':'", "콜론(:)이 빠진 키", "a key without its colon (:)"),
    (r"expected <block end>, but found .*", "맞지 않는 들여쓰기", "an indentation that does not fit"),
    (r"found unexpected end of stream", "닫히지 않은 따옴표", "a quote that is not closed"),
    (r"expected ',' or '\]', but got .*", "닫히지 않은 대괄호 [", "a bracket [ that is not closed"),
    (r"expected ',' or '\}', but got .*", "닫히지 않은 중괄호 {{", "a brace {{ that is not closed"),
    (
        r"expected the node content, but found '<stream end>'",
        "닫히지 않은 괄호 [ 또는 {{",
        "a bracket [ or {{ that is not closed",
    ),
    (r"expected the node content, but found (.+)", "{0} 앞에 값이 없음", "no value before {0}"),
    (r"found unknown escape character (.+)", "모르는 \\ 표기: {0}", ""),
    (r"unacceptable character #x(\w+).*", "쓸 수 없는 문자: {0}", ""),
    (r"alias \*(.+): write the text out", "별칭 *{0}(글을 그대로 적어야 함)", ""),
    (r"nested deeper than (\d+)", "{0}단계보다 깊은 구조", ""),
    (r"but found another document", "두 번째 문서(---)", "a second document (---)"),
    (r"File is not a zip file", "깨졌거나 ZIP이 아닌 파일", "a damaged file, or no ZIP"),
    (r"(Bad CRC-32|Bad magic number|Truncated file) .*|.*decompressing.*", "깨진 파일", "a damaged file"),
    (r"file is not a database", "SQLite 데이터베이스가 아닌 파일", "a file that is not a database"),
    (r"database disk image is malformed", "깨진 데이터베이스", "a damaged database"),
    (
        r"attempt to write a readonly database",
        "쓸 수 없는 데이터베이스",
        "a database that may not be written to",
    ),
    (r"unable to open database file", "열 수 없는 데이터베이스", "a database that cannot be opened"),
    (r"database or disk is full", "가득 찬 디스크", "a full disk"),
    (r"disk I/O error", "디스크 오류", "an error of the disk"),
    (
        r"database is locked",
        "다른 작업이 쓰고 있는 데이터베이스",
        "a database that another process keeps busy",
    ),
)
_PLACE = re.compile(r"(?:line (\d+) )?column (\d+)(?: \(char \d+\))?")


def in_words(said: str) -> Text:
    """What a library said, in words where they are known; anything else as it is.

    >>> in_words("Expecting value: line 1 column 3 (char 2)").say("ko"), in_words("q7").say("ko")
    ('값이 없음: 1행 3열', 'q7')
    >>> in_words("file is not a database").say("en")
    'a file that is not a database'
    """
    for pattern, korean, english in _SAID:
        found = re.fullmatch(pattern, said)
        if found:
            parts = found.groups()
            return Text(_PLACE.sub(_korean_place, korean.format(*parts)), english.format(*parts) or said)
    return Text(said, said)


_ROW = re.compile(r", row (\d+)(\+?)")


def _korean_row(at: str) -> str:
    """Where it is, in Korean: `table` is what was no file, and rows are counted in words."""
    said = re.sub(r"^table(?=, |$)", "표", at)
    return _ROW.sub(lambda found: f", {found[1]}행{'부터' if found[2] else ''}", said)


def _korean_place(found: re.Match[str]) -> str:
    line, column = found.groups()
    return f"{line}행 {column}열" if line else f"{column}열"


@frozen
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

    @property
    def found_words(self) -> Text:
        """What was found, in both languages."""
        return self.found if isinstance(self.found, Text) else in_words(self.found)

    def as_json(self, lang: Lang | None = None) -> dict[str, Any]:
        """The problem for machines, in one language."""
        lang = lang or language()
        said: dict[str, Any] = {
            "at": _korean_row(self.at) if lang == "ko" else self.at,
            "found": self.found_words.say(lang),
            "expected": self.expected.say(lang),
            "next": self.todo.say(lang),
            "language": lang,
        }
        return said if self.count == 1 else {**said, "count": self.count}


def unique_problems(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Every mistake once: what is wrong in the same way in several rows is one problem, with the first places.

    >>> rows = [Problem(f"r.csv:{n}, value", "7", Text("1–5"), Text("고치세요"), f"r.csv:{n}") for n in range(2, 9)]
    >>> [problem.say("en") for problem in unique_problems(rows)]
    ['r.csv:2, value: found 7 (7 places: 2, 3, 4, 5, 6 …); expected 1–5. Next: 고치세요']
    >>> cells = [Problem(f"r.csv:2, Q{n}", "7", Text("1–5"), Text("고치세요"), "r.csv:2") for n in range(1, 10)]
    >>> [problem.at for problem in unique_problems(cells)]
    ['r.csv:2, Q1, Q2, Q3 (+6)']
    """
    groups: dict[tuple[object, ...], list[Problem]] = {}
    for problem in problems:
        about = problem.at.removeprefix(problem.place)
        alone = problem.at if not problem.place else ""
        file = _row_of(problem.place)[0]
        groups.setdefault((about, alone, file, problem.expected, problem.todo), []).append(problem)
    return tuple(_as_one(group) for group in _of_many_columns(groups))


_SHOWN_PLACES, _SHOWN_FINDINGS, _SHOWN_COLUMNS = 5, 3, 3


def _of_many_columns(groups: dict[tuple[object, ...], list[Problem]]) -> Iterator[list[Problem]]:
    """The same, but what is wrong in the same way in more columns than one would list is one mistake too."""
    alike: dict[tuple[object, ...], list[list[Problem]]] = {}
    for (about, *rest), group in groups.items():
        alike.setdefault(tuple(rest) if about else (about, *rest), []).append(group)
    for found in alike.values():
        if len(found) <= _SHOWN_COLUMNS:
            yield from found
            continue
        columns = [group[0].at.removeprefix(group[0].place) for group in found]
        names = "".join(columns[:_SHOWN_COLUMNS])
        first, *others = (problem for group in found for problem in group)
        yield [replace(first, at=f"{first.place}{names} (+{len(found) - _SHOWN_COLUMNS})"), *others]


def _row_of(place: str) -> tuple[str, str]:
    """A place such as `r.csv:7` or `r.json[7]` in two: the file and the row."""
    file = place.removesuffix("]").rstrip("0123456789")
    return file, place[len(file) :].removesuffix("]")


def _as_one(group: list[Problem]) -> Problem:
    first = group[0]
    if len(group) == 1:
        return first
    found = dict.fromkeys(p.found_words for p in group)
    rows = list(dict.fromkeys(_row_of(p.place)[1] or p.at for p in group))
    places = first_few(rows, _SHOWN_PLACES)
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

    def renamed(self, name: str, to: str) -> HaechiError:
        """The same about what its reader knows by another name."""
        places = ((p, p.at.replace(name, to), p.place.replace(name, to)) for p in self.problems)
        return HaechiError(tuple(replace(p, at=at, place=place) for p, at, place in places))

    def in_row(self, place: str) -> HaechiError:
        """The same about a row, so that one mistake in many rows can be said once."""
        own = (replace(p, place=place) if p.at.startswith(place) else p for p in self.problems)
        return HaechiError(tuple(own))


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


_listener: ContextVar[list[Text] | None] = ContextVar("_listener", default=None)


def tell(text: Text) -> None:
    """Say beside a result how a file was read: to the command that listens, else as Python's warning.

    >>> with collect_told() as told:
    ...     tell(Text("Q1 → 값", "Q1 → value"))
    >>> told[0].en
    'Q1 → value'
    """
    told = _listener.get()
    if told is None:
        warnings.warn(text.say(), stacklevel=2)
    elif text not in told:
        told.append(text)


@contextmanager
def collect_told() -> Iterator[list[Text]]:
    """Collect what is told meanwhile."""
    told: list[Text] = []
    token = _listener.set(told)
    try:
        yield told
    finally:
        _listener.reset(token)
