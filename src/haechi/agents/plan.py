"""What is still to be asked: all conversations of a suite but those that are answered, checked before anything leaves."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice

from haechi.agents.suite import Conversation
from haechi.data.records import identifier_of
from haechi.errors import HaechiError, Problem, unique_problems
from haechi.frozen import frozen
from haechi.store.agent_calls import ConversationState, known_conversations, release_lost
from haechi.store.connection import Connection
from haechi.store.items import known_items
from haechi.text import Text

_PIECE = 500


@frozen
class DueConversation:
    """A conversation that is to be asked, from the turn after those that are answered."""

    conversation: Conversation
    known: ConversationState


@dataclass
class RunPlan:
    """What is due, and how many are answered, have failed before, or are being asked by another process."""

    due: list[DueConversation] = field(default_factory=list)
    answered: int = 0
    failed: int = 0
    elsewhere: int = 0
    lost: int = 0

    @property
    def calls(self) -> int:
        """How many turns that makes."""
        return sum(len(one.conversation.case.turns) - len(one.known.replies) for one in self.due)


def plan(
    connection: Connection, wanted: Iterable[Conversation], agent: str, retry: bool, limit: int | None = None
) -> RunPlan:
    """Look up what is known of all that is wanted; what would be mixed up with other runs is refused.

    retry: whether what has failed is due again, and nothing else.
    """
    made = RunPlan(lost=release_lost(connection))
    problems: list[Problem] = []
    rest = iter(wanted)
    while piece := list(islice(rest, _PIECE)):
        ids = [identifier_of(one.item, one.case.id) for one in piece]
        known = known_conversations(connection, ids)
        there = known_items(connection, ids)
        for one in piece:
            found = known.get(one.item, ConversationState())
            if found.state is None:
                clash = Text("haechi run으로 묻지 않은 실행", "runs that were not asked by haechi run")
                problem = _clash(one, clash) if one.item in there else None
            else:
                problem = _other(one, found, agent)
            if problem is not None:
                problems.append(problem)
            else:
                _sort(made, DueConversation(one, found), retry)
    if problems:
        raise HaechiError(unique_problems(problems))
    made.due = made.due[:limit]
    return made


def _sort(made: RunPlan, due: DueConversation, retry: bool) -> None:
    found, turns = due.known, len(due.conversation.case.turns)
    if found.state == "sent":
        made.elsewhere += 1
    elif found.state == "failed":
        made.failed += 1
        if retry:
            made.due.append(DueConversation(due.conversation, ConversationState(found.last)))
    elif len(found.replies) >= turns:
        made.answered += 1
    elif not retry:
        made.due.append(due)


def _other(one: Conversation, known: ConversationState, agent: str) -> Problem | None:
    """What is wrong where the same id was asked of another agent, or in other words."""
    if known.agent != agent:
        return _clash(one, Text(f"에이전트 {known.agent}의 실행", f"runs of the agent {known.agent}"))
    if known.asked != one.case.digest:
        return _clash(one, Text("다른 말로 물은 실행", "runs that were asked in other words"))
    return None


def _clash(one: Conversation, found: Text) -> Problem:
    place = f"{one.case.id} ({one.item})"
    expected = Text("이 에이전트에게 이 말로 물은 실행", "runs of this agent, asked in these words")
    todo = Text(
        "--agent-version에 새 이름을 주거나, 질의의 id를 바꾸거나, haechi undo로 되돌리세요",
        "give --agent-version a new name, change the query's id, or take them back with haechi undo",
    )
    return Problem(place, found, expected, todo)
