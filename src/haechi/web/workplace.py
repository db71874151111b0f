"""A rater's workplace: the list of items, one item with its answers, and the keeping of an answer."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, replace
from typing import Any

from haechi.data.item_questions import is_item_question, item_questions, ruled_fields, ruled_floors
from haechi.data.pair_order import PairOrder, as_meant, as_shown, shown_order
from haechi.data.rating_rules import ValueReader
from haechi.errors import HaechiError
from haechi.prompt.form import Form, form_of, item_groups
from haechi.store.connection import Connection, DatabaseRow
from haechi.store.database import RuleBroken
from haechi.store.desk import (
    Assignment,
    answers_of,
    claim,
    desk_rater,
    find_assignment,
    is_answer,
    is_new_answer,
    note_progress,
    read_assignments,
)
from haechi.store.desk_settings import DeskSettings
from haechi.store.display_order import note_shown
from haechi.store.items import read_item
from haechi.store.notes import Thread, add_note, answered_threads, notes_about, skip
from haechi.store.ratings import append_after
from haechi.store.supply import Supply
from haechi.study.study import Study
from haechi.text import Lang, Text
from haechi.web.adaptive_desk import AdaptiveDesk
from haechi.web.answer_marks import AnswerMarks
from haechi.web.answers import DeskAnswer, Remark, rating_of
from haechi.web.item_view import view_of
from haechi.web.options import LiveSettings
from haechi.web.practice import Practice, Tried
from haechi.web.rules import RubricRules

_ATTEMPTS = 3


class NotYours(LookupError):
    """A position that is not on the rater's list."""


class Untrained(PermissionError):
    """Somebody who has to practise first."""


class Workplace:
    """What raters do in one study; safe to use from many threads."""

    def __init__(self, study: Study, settings: LiveSettings) -> None:
        self.study, self._settings = study, settings
        self._values = ValueReader(study.rubric)
        self.rules = RubricRules(study.rubric)
        self._supply = Supply()
        self.asking = AdaptiveDesk(study)
        self._practice = Practice(study.rubric)
        with study.database.read() as connection:
            self.marks = AnswerMarks.of(connection, study.rubric.version)
        self._forms: dict[Lang, Form] = {}
        # SQLite lets one writer in at a time and makes the others poll; waiting in line here is quicker.
        self._turn = threading.Lock() if study.settings.database is None else nullcontext()

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """One transaction, after those that came before."""
        with self._turn, self.study.database.write() as connection:
            yield connection

    def form(self, lang: Lang) -> Form:
        """The study's form in one language."""
        if lang not in self._forms:
            settings = self.study.settings
            names = {"assistant": settings.assistant_name, "user": settings.user_name}
            self._forms[lang] = form_of(self.study.rubric, lang, names)
        return self._forms[lang]

    def worklist(self, rater: str) -> dict[str, Any]:
        """The rater's list, filled up; nothing of it tells which items are repeated or known.

        Whoever has to practise first holds no items: perhaps they never pass.
        """
        goal = self._settings.now().until
        if goal is not None:
            self.asking.look(
                goal
            )  # outside of the transaction: scores take a moment, and others wait to write
        with self.write() as connection:
            settings = self._settings.inside(connection)
            if self._must_practise(connection, rater, settings):
                return {"items": [], "left": 0, "seconds": None, "spent": 0.0}
            decided = self.rules.decided(connection)
            if goal is not None and settings.until == goal:
                self.asking.draw(connection, rater, goal, settings.seed)
            left = claim(connection, rater, settings.plan, self._supply.now(connection), decided)
            mine = [a for a in read_assignments(connection, rater) if a.item not in decided]
            replied = answered_threads(connection, rater)
        items = [
            {
                "position": a.position,
                "finished": not a.open,
                "skipped": a.skipped is not None,
                "reply": Thread(a.item, rater, a.replicate) in replied,
            }
            for a in mine
        ]
        spent = sum(a.seconds for a in mine)
        return {"items": items, "left": left, "seconds": _typical_seconds(mine), "spent": spent}

    def item(self, rater: str, position: int, lang: Lang) -> dict[str, Any]:
        """One item of the rater's list with what the rater has answered, and nobody else's."""
        with self.study.database.read() as connection:
            self._check_practice(connection, rater)
            assignment = find_assignment(connection, rater, position)
            item = read_item(connection, assignment.item) if assignment is not None else None
            given = answers_of(connection, assignment) if assignment is not None else {}
            notes = notes_about(connection, _thread(assignment)) if assignment is not None else []
        if assignment is None or item is None:
            raise NotYours
        rubric = self.study.rubric
        return {
            "position": position,
            "item": self.marks.item(assignment),
            "seconds": assignment.seconds,
            "view": view_of(as_shown(item, _order(assignment)), self.form(lang)),
            "groups": [asdict(group) for group in item_groups(rubric, item, lang)],
            "answers": {
                name: self._as_given(name, row, _order(assignment))
                for name, row in given.items()
                if is_answer(row)
            },
            "floors": ruled_floors(item, rubric),
            "ruled": ruled_fields(item, rubric),
            "notes": [{"author": n.author, "kind": n.kind, "text": n.text, "at": n.at} for n in notes],
        }

    def _as_given(self, name: str, row: DatabaseRow, order: PairOrder) -> dict[str, Any]:
        """An answer as its rater sees it."""
        said = {key: getattr(row, key) for key in ("value", "status", "reason", "evidence", "at")}
        taken_back = {} if is_answer(row) else {"status": "cleared"}
        return said | taken_back | {"value": as_meant(self.study.rubric, name, row.value, order)}

    def note(self, rater: str, remark: Remark) -> None:
        """Keep what a rater writes about an item; a skipped item goes to somebody else."""
        with self.write() as connection:
            self._check_practice(connection, rater)
            place = find_assignment(connection, rater, remark.position)
            if place is None or self.marks.item(place) != remark.item:
                raise NotYours
            add_note(connection, _thread(place), "rater", remark.kind, remark.text)
            if remark.kind == "skip" and place.finished is None:
                skip(connection, place)

    def answer(self, rater: str, answer: DeskAnswer) -> dict[str, Any]:
        """Keep an answer, once; says whether the item is now done, and what holds where a newer answer was there before."""
        for attempt in range(_ATTEMPTS):
            try:
                with self.write() as connection:
                    return self._answer(connection, rater, answer)
            except RuleBroken:
                if attempt == _ATTEMPTS - 1:
                    raise
        raise AssertionError("the last attempt returns or raises")

    def practice_of(self, rater: str, lang: Lang) -> dict[str, Any] | None:
        """The practice that a rater has still to do."""
        with self.study.database.read() as connection:
            settings = self._settings.inside(connection)
            if not self._must_practise(connection, rater, settings):
                return None
            return self._practice.state(connection, rater, self.form(lang), settings.pass_mark)

    def practise(self, rater: str, tried: Tried, lang: Lang) -> dict[str, Any] | None:
        """Keep an answer of practice and say what fits."""
        with self.write() as connection:
            mark = self._settings.inside(connection).pass_mark
            return self._practice.answer(connection, rater, tried, self.form(lang), mark)

    def _must_practise(self, connection: Connection, rater: str, settings: DeskSettings) -> bool:
        return settings.training and self._practice.open_for(connection, rater)

    def _check_practice(self, connection: Connection, rater: str) -> None:
        """Refuse somebody who has to practise first, whatever their page shows."""
        if self._must_practise(connection, rater, self._settings.inside(connection)):
            raise Untrained

    def _answer(self, connection: Connection, rater: str, answer: DeskAnswer) -> dict[str, Any]:
        self._check_practice(connection, rater)
        place = find_assignment(connection, rater, answer.position)
        assignment = self.marks.checked(connection, answer, place)
        if assignment.skipped is not None and answer.field is not None:
            raise _skipped()
        stance = self._stance(connection, rater)
        own = self._own(connection, assignment.item, answer.field)
        rating = rating_of(answer, assignment, self.study.rubric, self._values, stance, own)
        if rating is not None and self.study.rubric.item == "pair":
            order = _order(assignment)
            rating = replace(rating, value=as_meant(self.study.rubric, rating.criterion, rating.value, order))
            note_shown(connection, [(assignment.item, rater, assignment.replicate, order)], anew=True)
        given = answers_of(connection, assignment)
        newer = None
        if is_new_answer(connection, rater, answer.id) and rating is not None:
            version, name = self.study.rubric.version, rating.criterion
            late = append_after(connection, rating, given.get(name), version, answer.id)
            given = answers_of(connection, assignment)
            newer = self._as_given(name, given[name], _order(assignment)) if late else None
        finished = self._is_finished(connection, assignment.item, given)
        note_progress(connection, assignment, answer.seconds, finished)
        return {"finished": finished, **({"newer": newer} if newer else {})}

    def _own(self, connection: Connection, item: str, field: str | None) -> Collection[str]:
        """The questions that an item brings, looked up where the answer is one to such a question."""
        if field is None or not is_item_question(self.study.rubric, field):
            return ()
        whole = read_item(connection, item)
        return item_questions(self.study.rubric, whole) if whole is not None else ()

    def _stance(self, connection: Connection, rater: str) -> str | None:
        if not self.study.rubric.stances:
            return None
        who = desk_rater(connection, rater)
        return who.stance if who is not None else None

    def _is_finished(self, connection: Connection, item: str, given: dict[str, DatabaseRow]) -> bool:
        answered = {name for name, row in given.items() if is_answer(row)}
        floors = self.form("ko").floors
        stated = {floor.name for floor in floors if floor.name in answered and given[floor.name].value == "1"}
        whole = read_item(connection, item) if self.rules.look_at_items else None
        return self.rules.is_answered(whole, answered, stated)

    def marks_of(self, rater: str, token: str) -> dict[str, Any]:
        """What the page writes on every answer, and the rater's other links, whose answers it may still hold."""
        link = self.marks.link(token)
        with self.study.database.read() as connection:
            others = [mark for mark in self.marks.links(connection, rater) if mark != link]
        marks = {"study": self.marks.study, "link": link, "rubric": self.marks.rubric}
        return {"marks": marks, "other_links": others}

    def form_json(self, lang: Lang) -> dict[str, Any]:
        """The form as the page reads it."""
        form = asdict(self.form(lang))
        for group, compiled in zip(form["groups"], self.form(lang).groups, strict=True):
            group["examples"] = [example.as_json() for example in compiled.examples]
        return form


def _order(assignment: Assignment) -> PairOrder:
    return shown_order(assignment.item, assignment.rater, assignment.replicate)


def _thread(assignment: Assignment) -> Thread:
    return Thread(assignment.item, assignment.rater, assignment.replicate)


def _skipped() -> HaechiError:
    found = Text("건너뛴 항목의 답", "an answer to an item that was skipped")
    expected = Text("맡은 항목", "an item that is yours")
    todo = Text("메모로 담당자에게 알리세요", "tell the owner in a note")
    return HaechiError.of("item", found, expected, todo)


def _typical_seconds(mine: list[Assignment]) -> float | None:
    """The median time of the items that are done, for a guess at the time left."""
    times = sorted(assignment.seconds for assignment in mine if assignment.finished and assignment.seconds)
    return times[len(times) // 2] if times else None
