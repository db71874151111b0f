"""A suite against an agent, over a study: continued where the last run ended."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Protocol

from haechi.agents.plan import RunPlan, plan
from haechi.agents.reply import Agent
from haechi.agents.suite import Case, conversations, read_suite, suite_of
from haechi.agents.suite_run import SuiteRun, SuiteRunResult
from haechi.data.item import Item
from haechi.errors import HaechiError
from haechi.frozen import frozen
from haechi.judge.attempts import Pace
from haechi.judge.loops import run_to_end
from haechi.rubrics import Rubric
from haechi.store.database import Database
from haechi.store.large import keeps_files
from haechi.text import Text


class AskedStudy(Protocol):
    """What asking needs to know of a study; `haechi.Study` has it."""

    @property
    def folder(self) -> Path: ...
    @property
    def database(self) -> Database: ...
    @property
    def rubric(self) -> Rubric: ...
    def items(self) -> Iterable[Item]: ...


def cases_of(study: AskedStudy, suite: Path | None) -> list[Case]:
    """The cases of a suite's file, without one the queries that the study has already; none at all are refused."""
    cases = suite_of(study.items()) if suite is None else read_suite(suite)
    if not cases:
        expected = Text(
            "질의 모음 파일, 또는 질의가 있는 스터디", "the file of a suite, or a study that has queries"
        )
        todo = Text("--suite FILE을 붙이세요", "give --suite FILE")
        raise HaechiError.of("--suite", Text("없음", "none"), expected, todo)
    return cases


@frozen
class RunOptions:
    """What is to be asked: the cases of a suite (`source` is its file), in rounds, of one version of the agent.

    retry: only what has failed before; limit: at most so many conversations now.
    """

    cases: Sequence[Case]
    source: Path | None = None
    rounds: int = 1
    version: str | None = None
    retry: bool = False
    limit: int | None = None


def plan_run(study: AskedStudy, agent: Agent, wish: RunOptions, kept: bool = False) -> RunPlan:
    """What a run would ask. kept: whether turns of processes that are gone are noted as lost."""
    wanted = conversations(wish.cases, wish.rounds, wish.version)
    with study.database.write_alone(kept) as connection:
        if keeps_files(connection):
            found = Text("Parquet 파일로 보관하는 실행", "runs that are kept as Parquet files")
            expected = Text("실행을 데이터베이스에 둔 스터디", "a study that has its runs in the database")
            todo = Text("haechi new로 새 스터디를 만드세요", "make another study with haechi new")
            raise HaechiError.of(str(study.folder), found, expected, todo)
        return plan(connection, wanted, agent.name, wish.retry, wish.limit)


def ask(
    study: AskedStudy,
    agent: Agent,
    wish: RunOptions,
    pace: Pace,
    made: RunPlan,
    advance: Callable[[SuiteRunResult], None] = lambda _: None,
) -> SuiteRunResult:
    """Ask what is planned; what comes back is in the study at once."""

    async def run() -> SuiteRunResult:
        try:
            asking = SuiteRun(
                study.database, study.rubric.item, agent, pace, wish.source, wish.retry, advance
            )
            return await asking.run(made)
        finally:
            await agent.close()

    with study.database.kept_open():
        return run_to_end(run())
