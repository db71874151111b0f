"""The agent under test asked behind the page: `haechi run` in a process of its own, which outlives page and server.

What is to be asked, of whom and how far it is, are files in the study's folder and the study's own journal: the same
command in a shell goes on with it, and so does a server that is started anew.
"""

from __future__ import annotations

import asyncio
import shutil
import threading
from collections.abc import Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, TypeVar

from haechi.agents.description import Description, parse_description
from haechi.agents.plan import RunPlan
from haechi.agents.run import RunOptions, cases_of, plan_run
from haechi.agents.spec import agent_of
from haechi.agents.suite import Case
from haechi.errors import HaechiError
from haechi.frozen import frozen
from haechi.judge.providers.keys import variable_of
from haechi.judge.providers.models import talking_models, talks
from haechi.store.agent_calls import ended_turns, newest_turn
from haechi.store.database import now
from haechi.store.holders import is_dead, process_of
from haechi.study.study import Study
from haechi.text import Text
from haechi.web.background import Background, RunState, read_json, write_json
from haechi.web.commands import Option, command, option_words

Made = TypeVar("Made")
_FOLDER, _WISH, _AGENT, _SUITE = ".running", "wish.json", "agent.yaml", "suite"


@frozen
class AgentRunOptions:
    """What is to be asked of which agent: `agent` is an address, empty where it is described in a file."""

    agent: str = ""
    rounds: int = 1
    version: str | None = None
    at_once: int = 4
    timeout: float = 120.0
    limit: int | None = None


@frozen
class StartedRun:
    """A run as it was begun: how many turns were due, and the newest one before it."""

    total: int
    after: int
    at: str
    retry: bool = False


@frozen
class AgentRunStatus:
    """How a run stands: at work, ended with a result, or broken off."""

    begun: StartedRun
    state: RunState
    answered: int
    failed: int
    result: dict[str, Any]


@frozen
class PreparedRun:
    """What a run would do: where the agent is, what is asked, and what is known of it already."""

    about: Mapping[str, Any]
    cases: tuple[Case, ...]
    plan: RunPlan


class AgentProcess:
    """The agent of one study, one run at a time. commands: whether a description may name a program to start."""

    def __init__(self, study: Study, commands: bool = False) -> None:
        self._study, self._commands = study, commands
        self._run, self._lock = Background(self._folder, "result", self._at_work), threading.Lock()

    @property
    def _folder(self) -> Path:
        return self._study.folder / _FOLDER

    @property
    def suite(self) -> Path | None:
        """The suite that was dropped in."""
        found = sorted((self._folder / _SUITE).glob("*"))
        return found[0] if found else None

    @property
    def description(self) -> str:
        """The agent's description as it was given."""
        file = self._folder / _AGENT
        return file.read_text("utf-8") if file.exists() else ""

    @property
    def wanted(self) -> AgentRunOptions | None:
        """What was wanted last."""
        return _made(AgentRunOptions, read_json(self._folder / _WISH))

    def take_suite(self, file: Path) -> None:
        """Keep a suite in the place of the former one; one that cannot be read is refused."""
        cases_of(self._study, file)
        place = self._folder / _SUITE
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        shutil.move(file, place / file.name)

    def drop_suite(self) -> None:
        """Ask what the study has already."""
        shutil.rmtree(self._folder / _SUITE, ignore_errors=True)

    def keep(self, wanted: AgentRunOptions, description: str) -> None:
        """Note who is to be asked; a description that a page must not use is refused."""
        self._folder.mkdir(exist_ok=True)
        self._check(wanted, description)
        if not wanted.agent:
            (self._folder / _AGENT).write_text(description, "utf-8")
        write_json(self._folder / _WISH, asdict(wanted))

    def prepared(self, retry: bool = False) -> PreparedRun:
        """What the next run would do; nothing is asked."""
        wanted = self.wanted or AgentRunOptions()
        self._check(wanted, self.description)  # the files may have been written by hand since
        cases = cases_of(self._study, self.suite)
        agent = agent_of(wanted.agent or str(self._folder / _AGENT))
        try:
            wish = RunOptions(cases, self.suite, wanted.rounds, wanted.version, retry, wanted.limit)
            return PreparedRun(agent.about, tuple(cases), plan_run(self._study, agent, wish))
        finally:
            asyncio.run(agent.close())

    def start(self, retry: bool = False) -> None:
        """Begin to ask, or go on; refuses what could not be done before anything is sent."""
        with self._lock:
            expected = Text("끝났거나 멈춘 실행", "a run that has ended or was stopped")
            self._run.check_idle(self._study.name, Text("진행 중인 실행", "a run at work"), expected)
            total = self.prepared(retry).plan.calls
            with self._study.database.read() as connection:
                after = newest_turn(connection)
            begun = StartedRun(total, after, now(), retry)
            options = option_words(self._options(retry))
            self._run.begin(asdict(begun), "run", str(self._study.folder), *options)

    def stop(self) -> None:
        """End a run in order: what is on its way comes back and is kept."""
        self._run.stop()

    def standing(self) -> AgentRunStatus | None:
        """How the newest run stands; None if there was none."""
        begun = _made(StartedRun, self._run.begun)
        if begun is None:
            return None
        state, result = self._run.outcome()
        with self._study.database.read() as connection:
            answered, failed = ended_turns(connection, begun.after)
        return AgentRunStatus(begun, state, answered, failed, result)

    def command(self, retry: bool = False, dry: bool = False) -> str:
        """The command that does the same."""
        return command("run", self._study.folder, options=[*self._options(retry), ("dry-run", dry)])

    def _at_work(self) -> list[str]:
        holder = self._run.holder
        # A process of another machine, or from before this one was started anew, is none that works here.
        here = process_of(holder) is not None
        return [holder] if here and not self._run.result and not is_dead(holder, float("inf"), 0.0) else []

    def _options(self, retry: bool) -> list[Option]:
        wanted, usual = self.wanted or AgentRunOptions(), AgentRunOptions()
        return [
            ("agent", wanted.agent or self._folder / _AGENT),
            ("suite", self.suite),
            ("rounds", wanted.rounds if wanted.rounds != usual.rounds else None),
            ("agent-version", wanted.version),
            ("at-once", wanted.at_once if wanted.at_once != usual.at_once else None),
            ("timeout", f"{wanted.timeout:g}" if wanted.timeout != usual.timeout else None),
            ("limit", wanted.limit),
            ("retry-failed", True if retry else None),
        ]

    def _check(self, wanted: AgentRunOptions, description: str) -> None:
        """An address is one, never the name of a file on this machine; a description is one that a page may use."""
        if not wanted.agent:
            self._check_description(parse_description(description, _AGENT))
        elif not talks(wanted.agent):
            todo = Text(
                "주소를 고치거나, 비우고 설명을 쓰세요",
                "correct it, or leave it empty and describe the agent",
            )
            raise HaechiError.of(Text("주소", "address").say(), wanted.agent[:80], talking_models(), todo)

    def _check_description(self, description: Description) -> None:
        """A page starts no program and sends no secret of this machine elsewhere, unless the server was told that it may."""
        if self._commands:
            return
        todo = Text(
            "haechi serve --allow-commands로 다시 시작하거나, 터미널에서 haechi run을 쓰세요",
            "start haechi serve --allow-commands, or use haechi run in a terminal",
        )
        if description.command is not None:
            expected = Text("HTTP 주소(url)의 에이전트", "an agent at an HTTP address (url)")
            raise HaechiError.of(f"{_AGENT}, command", " ".join(description.command)[:80], expected, todo)
        own = variable_of(description.url or "")
        for name in description.variables:
            if name != own:
                expected = Text(f"이 주소의 키 ${{{own}}}", f"this address's own key ${{{own}}}")
                raise HaechiError.of(f"{_AGENT}, ${{{name}}}", name, expected, todo)


def _made(kind: type[Made], known: Mapping[str, Any]) -> Made | None:
    """What a file says, of this version; None for any other."""
    names = {field.name for field in fields(kind)}  # type: ignore[arg-type]
    return kind(**known) if known and set(known) <= names else None
