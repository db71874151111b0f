"""The scores of another tool as a ratings table, so that they are imported as any table of ratings is."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson

from haechi.data.conversations.evaluated_samples import rating_rows
from haechi.data.conversations.file import File, is_unreadable
from haechi.data.conversations.formats import SCORED
from haechi.data.conversations.outline import outline_of
from haechi.data.files import BAD, Row, refuse
from haechi.data.names import fold_name
from haechi.data.rating_rules import BrokenRule, RatingRules, text_of
from haechi.data.reading_notes import ReadingNotes
from haechi.errors import HaechiError, Problem
from haechi.rubrics import Rubric
from haechi.text import Text

_LISTED = 12


@contextmanager
def score_tables(
    paths: Sequence[Path],
    form: str,
    rubric: Rubric,
    mapped: Sequence[tuple[str, str]],
    notes: ReadingNotes,
    skip_bad: bool = False,
) -> Iterator[list[Path]]:
    """A table of ratings for every file, as long as they are read: JSONL, whatever the file is called.

    form: which tool gave the scores, a name in `SCORED`.
    mapped: criteria of the rubric and the scores that are meant by them, where those are called otherwise.
    """
    with tempfile.TemporaryDirectory(prefix="haechi-") as folder:
        tables, unknown, used = [], Counter[str](), 0
        for number, path in enumerate(paths):
            inside = Path(folder) / str(number)
            inside.mkdir()
            table = inside / path.name  # the history names the user's file
            with table.open("wb") as out:
                for row in _ratings(path, form, rubric, mapped, notes, unknown, skip_bad):
                    out.write(orjson.dumps(row) + b"\n")
                    used += 1
            tables.append(table)
        if not used:
            raise _none_fits(paths[0].name, rubric, unknown)
        for name, count in unknown.items():
            reason = Text(f"루브릭에 없는 점수 {name}", f"scores of {name}, which the rubric does not have")
            notes.leave_out(paths[0].name, reason, count)
        yield [table for table in tables if table.stat().st_size]


def _ratings(
    path: Path,
    form: str,
    rubric: Rubric,
    mapped: Sequence[tuple[str, str]],
    notes: ReadingNotes,
    unknown: Counter[str],
    skip_bad: bool,
) -> Iterator[dict[str, Any]]:
    rules = RatingRules(rubric)
    meant = {fold_name(score): criterion for criterion, score in mapped}
    damaged: list[Problem] = []
    for row in rating_rows(SCORED[form](File(path, outline_of(path), notes))):
        if is_unreadable(row):
            damaged += row.data[BAD].problems
            continue
        name = str(row.data["criterion"])
        try:
            criterion = rules.criterion(meant.get(fold_name(name), name))
        except BrokenRule:
            unknown[name] += 1
            continue
        yield _rating(row, criterion, rules)
    if damaged and not skip_bad:
        raise HaechiError(tuple(damaged))
    for problem in damaged:
        notes.leave_out(
            path.name, Text(f"읽지 못한 표본 {problem.at}", f"a sample that cannot be read, {problem.at}")
        )


def _rating(row: Row, criterion: str, rules: RatingRules) -> dict[str, Any]:
    """A score as it stands there if the scale has it, else the scorer's own verdict if the scale has that."""
    data: Mapping[str, Any] = row.data
    made = {**data, "criterion": criterion}
    passed = made.pop("passed", None)
    if isinstance(data.get("value"), bool):
        made["value"] = int(data["value"])
    try:
        rules.value(criterion, text_of(made.get("value")))
    except BrokenRule:
        if passed is not None:
            made["value"] = int(passed)
    return {key: value for key, value in made.items() if value not in (None, "")}


def _none_fits(name: str, rubric: Rubric, unknown: Counter[str]) -> HaechiError:
    if not unknown:
        found = Text("점수 없음", "no scores")
        return refuse(name, found, Text("점수가 있는 결과 파일", "results with scores"))
    shown = ", ".join(list(unknown)[:_LISTED])
    found = Text(f"{rubric.id}에 없는 점수: {shown}", f"scores that {rubric.id} does not have: {shown}")
    names = ", ".join(list(rubric.rateables)[:_LISTED])
    example = f"--map '{next(iter(rubric.rateables))}={next(iter(unknown))}'"
    todo = Text(
        f"어느 기준인지 알려 주세요, 예: {example}", f"say which criterion is meant, such as {example}"
    )
    return refuse(name, found, Text(f"루브릭의 기준: {names}", f"criteria of the rubric: {names}"), todo)
