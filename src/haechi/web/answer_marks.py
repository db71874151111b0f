"""To what an answer belongs: the study, the link, the item and the rubric it was given for.

A browser keeps answers while there is no connection, and another study may be served at the same address by then. Every
answer therefore carries marks. They are made with the study's own random identity, so that they tell nothing: not an
item's id, which may name a system, and not that an item comes a second time.
"""

from __future__ import annotations

import hashlib
import hmac

from haechi.errors import HaechiError
from haechi.store.connection import Connection
from haechi.store.desk import Assignment
from haechi.store.invitations import hashes_of, token_hash
from haechi.text import Text
from haechi.web.answers import DeskAnswer

_MARK = 32


class ForeignAnswer(HaechiError):
    """An answer that belongs to another study, link, item or rubric."""


class AnswerMarks:
    """Makes the marks of one study and checks those that come back.

    >>> marks = AnswerMarks("0123", "v1")
    >>> marks.study == AnswerMarks("0123", "v2").study != AnswerMarks("4567", "v1").study
    True
    """

    def __init__(self, identity: str, rubric: str) -> None:
        self._identity, self.rubric = identity, rubric
        self.study = self._mark("study")

    @classmethod
    def of(cls, connection: Connection, rubric: str) -> AnswerMarks:
        """The marks of the study in a database."""
        return cls(connection.value("SELECT identity FROM study"), rubric)

    def _mark(self, *parts: str) -> str:
        said = "\0".join(parts).encode()
        return hmac.new(self._identity.encode(), said, hashlib.sha256).hexdigest()[:_MARK]

    def link(self, token: str) -> str:
        """The mark of a link."""
        return self._of_hash(token_hash(token))

    def _of_hash(self, hashed: str) -> str:
        return self._mark("link", hashed)

    def links(self, connection: Connection, rater: str) -> list[str]:
        """The marks of all links of a rater that were not revoked: a new link goes on where an expired one ended."""
        return [self._of_hash(hashed) for hashed in hashes_of(connection, rater)]

    def item(self, assignment: Assignment) -> str:
        """The mark of an item at its place in a rater's list."""
        return self._mark("item", assignment.rater, str(assignment.position), assignment.item)

    def checked(
        self, connection: Connection, answer: DeskAnswer, assignment: Assignment | None
    ) -> Assignment:
        """The place that an answer was given for; refuses one that was given for something else."""
        reload = Text("새로고침한 뒤 다시 답하세요", "reload the page and answer again")
        if answer.study != self.study:
            found = _other(answer.study, Text("다른 스터디의 답", "an answer for another study"))
            todo = Text("그 스터디의 링크를 다시 여세요", "open the link of that study again")
            raise ForeignAnswer.of("study", found, Text("이 스터디의 답", "an answer for this study"), todo)
        if assignment is None:
            found = Text("목록에 없는 항목의 답", "an answer for an item that is not on the list")
            raise ForeignAnswer.of("item", found, Text("내 목록에 있는 항목", "an item of your list"), reload)
        if answer.link not in self.links(connection, assignment.rater):
            found = _other(answer.link, Text("다른 링크로 남긴 답", "an answer given with another link"))
            todo = Text("그 링크를 다시 여세요", "open that link again")
            raise ForeignAnswer.of(
                "link", found, Text("내 링크로 남긴 답", "an answer given with your link"), todo
            )
        if answer.item != self.item(assignment):
            found = _other(answer.item, Text("다른 항목의 답", "an answer for another item"))
            raise ForeignAnswer.of("item", found, Text("이 자리의 항목", "the item at this place"), reload)
        if answer.rubric != self.rubric:
            found = _other(
                answer.rubric, Text("다른 버전 루브릭의 답", "an answer for another rubric version")
            )
            expected = Text(f"루브릭 버전 {self.rubric}", f"rubric version {self.rubric}")
            raise ForeignAnswer.of("rubric", found, expected, reload)
        return assignment


def _other(mark: str | None, other: Text) -> Text:
    """What was found; a page from before answers carried marks sends none."""
    return other if mark is not None else Text("표시가 없는 답", "an answer that does not say what it is for")
