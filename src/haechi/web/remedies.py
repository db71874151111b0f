"""What to do about a file, in the words of the page that shows it: commands name their options, pages their fields."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from haechi.data.files import AGAIN
from haechi.data.understanding import short_name
from haechi.errors import Problem
from haechi.korean.particles import particle
from haechi.text import Text

_MAPPED = re.compile(r'--map (\S+?)="([^"]+)"')
_OPTION = re.compile(r"--[a-z][a-z-]*")
_ANY = ("열", "COLUMN")  # what stands for a column that nobody can name
_UPLOAD = Text("파일을 고쳐 다시 올리세요", "correct the file and upload it again")
FIELDS = {
    "--map": Text("읽는 방법", "Read as"),
    "--sheet": Text("시트", "Sheet"),
    "--header-row": Text("머리글 행", "Header row"),
    "--assistant": Text("대화에서 AI인 사람의 이름", "Who the AI is in a chat"),
    "--item": Text("모두 이 항목을 평가함 (항목 id)", "All rows rate this item (id)"),
    "--keep": Text("한 사람이 두 번 답했으면", "Somebody who answered twice"),
    "--kind": Text("평가자의 종류", "Kind of rater"),
    "--stance": Text("평가자의 입장", "Stance"),
    "--rater": Text("모두 한 평가자의 것 (이름)", "One rater gave all (name)"),
    "--skip-bad": Text("잘못된 줄은 건너뜀", "Leave out bad rows"),
    "--correct": Text("저장된 것과 다르면 바꿈 (옛것도 보관)", "Replace what differs (the old is kept)"),
    "--replace": Text("저장된 것과 다르면 바꿈 (옛것도 보관)", "Replace what differs (the old is kept)"),
    "--create-items": Text(
        "스터디에 없는 id는 내용 없는 항목으로 만듦",
        "Make items, without content, for ids the study does not know",
    ),
}
"""The fields of the page by the options that do the same."""


def on_the_page(problem: Problem, files: Iterable[Path], names: Mapping[str, Text]) -> Problem:
    """A problem as the page tells it; names: what a column can be read as.

    >>> todo = Text('--map item="들은 방송" 또는 --item ID 옵션을 붙이세요', 'add --map item="들은 방송" or --item ID')
    >>> asked = Problem("/tmp/x/a.csv", "no column", Text("항목 열", "a column item"), todo)
    >>> told = on_the_page(asked, [Path("/tmp/x/a.csv")], {"item": Text("항목", "item")})
    >>> told.at, told.todo.say("en")
    ('a.csv', 'choose below: the column ‘들은 방송’ as item; ‘All rows rate this item (id)’')
    """
    at = problem.at
    for file in files:
        at = at.replace(str(file), file.name)
    return replace(problem, at=at, todo=_todo(problem.todo, names))


def _todo(todo: Text, names: Mapping[str, Text]) -> Text:
    if todo == AGAIN:
        return _UPLOAD
    said = todo.say("en")
    ways = []
    for field, column in _MAPPED.findall(said):
        name = names.get(field, Text(field, field))
        known = column not in _ANY
        which = Text(
            f"‘{short_name(column)}’ 열" if known else "맞는 열",
            f"the column ‘{short_name(column)}’" if known else "a column",
        )
        ways.append(
            Text(
                f"{which.ko}을 {name.ko}{particle(name.ko, '으로/로')}",
                f"{which.say('en')} as {name.say('en')}",
            )
        )
    options = dict.fromkeys(_OPTION.findall(_MAPPED.sub("", said)))
    ways += [
        Text(f"‘{FIELDS[option].ko}’", f"‘{FIELDS[option].say('en')}’")
        for option in options
        if option in FIELDS
    ]
    if not ways:
        return todo
    ko, en = " · ".join(way.ko for way in ways), "; ".join(way.say("en") for way in ways)
    return Text(f"아래에서 고르세요: {ko}", f"choose below: {en}")
