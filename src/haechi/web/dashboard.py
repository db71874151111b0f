"""What the owner sees: how far everybody is, and the figures, computed anew only when ratings have come."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from haechi.analysis.analysis import Analysis
from haechi.analysis.analysis_cache import StudyState, state_of
from haechi.data.stances import is_measurement
from haechi.frozen import frozen
from haechi.store.database import now
from haechi.store.desk import Assignment, desk_quotas, read_assignments
from haechi.store.invitations import Invitation, read_invitations
from haechi.store.notes import Note, threads
from haechi.store.practice import practice_results
from haechi.study.study import Study
from haechi.text import Text
from haechi.web.figures import Figures, attention_passed, figures_of
from haechi.web.options import LiveSettings, Options
from haechi.web.quality import RaterPace, all_remarks, below_the_mark, too_fast
from haechi.web.rules import RubricRules


@frozen
class RaterProgress:
    """How far one rater is."""

    name: str
    done: int
    begun: int
    quota: int | None
    typical_seconds: float | None
    last: str | None
    link: str
    attention: tuple[int, int] | None
    practice: tuple[int, int, int] | None = None
    concerns: tuple[Text, ...] = ()


@frozen
class GuestProgress:
    """How far the participants of surveys are, all together: there may be thousands."""

    names: frozenset[str]
    began: int
    finished: int
    answers: int
    last: str | None


@frozen
class Dashboard:
    """Everything on the owner's page; `decided` items are decided by rule, nobody is asked about them."""

    items: int
    decided: int
    raters: tuple[RaterProgress, ...]
    guests: GuestProgress
    imported: int  # people whose ratings came from files
    coverage: tuple[tuple[int, int], ...]  # (raters who finished it here, number of items)
    adjudicated: frozenset[str]
    figures: Figures
    threads: tuple[tuple[Note, ...], ...] = ()
    figures_of: str | None = None
    """The moment of which the figures are, where ratings have come since; computing those of very many items takes long."""

    @property
    def undecided(self) -> list[str]:
        """The items on which raters differ and nothing is decided yet."""
        return [one.item for one in self.figures.disputed if one.item not in self.adjudicated]

    @property
    def waiting(self) -> int:
        """How many threads wait for the owner."""
        return sum(notes[-1].author == "rater" for notes in self.threads)


@frozen
class _Known:
    """What was computed for a state of the study."""

    state: StudyState
    figures: Figures
    attention: dict[str, tuple[int, int]]
    adjudicated: frozenset[str]
    people: frozenset[str]
    at: str
    until: float  # on the clock that only goes on


def kept_for(cost: float) -> float:
    """For how many seconds figures are kept that took so many of the processor: whoever rates needs it too.

    >>> kept_for(0.2), kept_for(6.0)
    (0.0, 60.0)
    """
    return 10 * cost if cost >= 1 else 0.0


class Watch:
    """Keeps the last dashboard until a new rating arrives, and figures that took long for a while longer (`kept`)."""

    def __init__(
        self,
        study: Study,
        rules: RubricRules,
        settings: LiveSettings | None = None,
        kept: Callable[[float], float] = kept_for,
    ) -> None:
        self._study, self._rules, self._kept = study, rules, kept
        self._settings = settings or LiveSettings(study, Options())
        self._lock = threading.Lock()
        self._known: _Known | None = None
        self._answers: tuple[object, dict[str, Any]] = (None, {})

    def look(self) -> Dashboard:
        """The dashboard as of now."""
        with self._lock, self._study.database.read() as connection:
            decided = self._rules.decided(connection)
            lists = [a for a in read_assignments(connection) if a.item not in decided]
            quotas = desk_quotas(connection)
            links = read_invitations(connection, "rater", "survey")
            practised, talk = practice_results(connection), threads(connection)
            state = state_of(self._study)
            items = self._study.count_items() - len(self._known_answers(state))
            known = self._known
            if known is None or (known.state != state and known.until <= time.monotonic()):
                known = self._known = self._compute(state)
        guests = frozenset(link.name for link in links if link.role == "survey")
        progress = [
            _progress(
                name,
                [a for a in lists if a.rater == name],
                quota,
                links,
                known.attention.get(name),
            )
            for name, quota in quotas.items()
            if name not in guests
        ]
        concerns = self._concerns(progress, known)
        return Dashboard(
            items=items,
            decided=len(decided),
            raters=tuple(
                replace(one, practice=practised.get(one.name), concerns=concerns.get(one.name, ()))
                for one in progress
            ),
            guests=_guests(guests, [a for a in lists if a.rater in guests]),
            imported=len(known.people - quotas.keys() - guests),
            coverage=_coverage(lists, items - len(decided)),
            adjudicated=known.adjudicated,
            figures=known.figures,
            threads=tuple(talk),
            figures_of=known.at if known.state != state else None,
        )

    def disputed(self) -> tuple[str, ...]:
        """The items on which raters differ, as the dashboard had them last: a decision changes nothing about who differs."""
        figures = self._known.figures if self._known is not None else self.look().figures
        return tuple(one.item for one in figures.disputed)

    def _concerns(self, progress: list[RaterProgress], known: _Known) -> dict[str, tuple[Text, ...]]:
        """What is odd about each rater: time and known answers from the desk, values from the figures."""
        fast = too_fast({one.name: RaterPace(one.typical_seconds, one.done) for one in progress})
        missed = below_the_mark(known.attention, self._settings.now().pass_mark)
        found = all_remarks(fast, missed)
        return {
            one.name: (*found.get(one.name, ()), *known.figures.concerns.get(one.name, ()))
            for one in progress
        }

    def _compute(self, state: StudyState) -> _Known:
        begun = time.thread_time()
        analysis = Analysis(self._study)
        table = analysis.ratings
        answers = self._known_answers(state)
        decided = table.filter(~is_measurement(), status="ok")["item"].unique().to_list()
        people = table.filter(is_measurement(), kind="human", status="ok")["rater"].unique()
        figures = figures_of(analysis)
        return _Known(
            state,
            figures,
            attention_passed(answers, table),
            frozenset(decided),
            frozenset(people.to_list()),
            now(),
            time.monotonic() + self._kept(time.thread_time() - begun),
        )

    def _known_answers(self, state: StudyState) -> dict[str, Any]:
        """The answers of items that test attention; read anew only when items have changed."""
        if self._answers[0] != state.items:
            given = self._study.items(self._study.attention_items())
            known = {item.id: item.meta["attention"] for item in given}
            self._answers = (
                state.items,
                {item: one if isinstance(one, dict) else {} for item, one in known.items()},
            )
        return self._answers[1]


def _progress(
    name: str,
    mine: list[Assignment],
    quota: int | None,
    links: list[Invitation],
    attention: tuple[int, int] | None,
) -> RaterProgress:
    finished = [assignment for assignment in mine if assignment.finished]
    times = sorted(assignment.seconds for assignment in finished if assignment.seconds)
    states = [link.state for link in links if link.name == name]
    return RaterProgress(
        name=name,
        done=sum(assignment.kind == "item" for assignment in finished),
        begun=sum(assignment.kind == "item" for assignment in mine),
        quota=quota,
        typical_seconds=times[len(times) // 2] if times else None,
        last=max((assignment.finished or "" for assignment in mine), default="") or None,
        link="open" if "open" in states else (states[-1] if states else "revoked"),
        attention=attention,
    )


def _guests(names: frozenset[str], lists: list[Assignment]) -> GuestProgress:
    open_lists = {assignment.rater for assignment in lists if not assignment.finished}
    done = [assignment for assignment in lists if assignment.finished]
    return GuestProgress(
        names=names,
        began=len(names),
        finished=len({assignment.rater for assignment in done} - open_lists),
        answers=len(done),
        last=max((assignment.finished or "" for assignment in done), default="") or None,
    )


def _coverage(lists: list[Assignment], items: int) -> tuple[tuple[int, int], ...]:
    finished = Counter(a.item for a in lists if a.finished and a.kind == "item")
    counts = Counter(finished.values())
    counts[0] = items - len(finished)
    return tuple(sorted((raters, count) for raters, count in counts.items() if count))
