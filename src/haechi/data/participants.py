"""What a study asks of the people who take part in its survey: their consent, and something about themselves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from haechi.errors import HaechiError, Problem
from haechi.rubrics.fault import Fault, FaultNotes
from haechi.rubrics.fields import Frozen, Many
from haechi.rubrics.reading import parse_yaml
from haechi.rubrics.values import Key, Number, Words, fold, number, plain
from haechi.text import Text

_LONGEST = 500
FIX_STUDY = Text("study.yaml을 고치세요", "correct study.yaml")
"""What to do about a mistake in the settings of a study."""


class _Part(Frozen):
    known_keys: ClassVar[Text] = Text(
        "참여자 설정의 키(docs/participants.ko.md)", "a key of the participants (docs/participants.md)"
    )


class ParticipantOption(_Part):
    """One answer to choose: the value that is kept, and how it is called."""

    value: str
    name: Words

    def check(self) -> None:
        if not 0 < len(self.value.strip()) <= _LONGEST:
            expected = Text(f"1–{_LONGEST}자의 값", f"a value of 1–{_LONGEST} characters")
            raise Fault(self.value[:80], expected, at=("value",))


def _option(given: Any) -> ParticipantOption:
    return ParticipantOption.checked(
        {"value": given.strip(), "name": given} if isinstance(given, str) else given
    )


class ParticipantQuestion(_Part):
    """Something that participants are asked about themselves, such as an age band or experience.

    >>> age = ParticipantQuestion(key="age", question="나이", type="number", low=14, high=99)
    >>> age.read("２０"), age.read(" ")
    ('20', None)
    """

    key: Key
    question: Words
    type: Literal["choice", "number", "text"] = "choice"
    choices: tuple[Annotated[ParticipantOption, _option], ...] = ()
    low: Number | None = None
    high: Number | None = None
    required: bool = False

    def check(self) -> None:
        if (self.type == "choice") != bool(self.choices):
            expected = Text(
                "choice에는 `choices`, 다른 종류에는 없음", "`choices` for a choice, and for nothing else"
            )
            raise Fault(self.type, expected, at=("type",))
        values = [option.value for option in self.choices]
        if len(set(values)) < len(values):
            raise Fault(", ".join(values), Text("서로 다른 값", "different values"), at=("choices",))
        if self.type != "number" and (self.low is not None or self.high is not None):
            raise Fault(
                self.type, Text("low와 high는 number에만", "low and high for a number only"), at=("type",)
            )

    @property
    def expected(self) -> Text:
        """What an answer looks like."""
        if self.type == "choice":
            return Text("목록에서 하나", "one of the list")
        if self.type == "text":
            return Text(f"{_LONGEST}자 이하의 글", f"a text of at most {_LONGEST} characters")
        low, high = (None if end is None else plain(end) for end in (self.low, self.high))
        if low is not None and high is not None:
            return Text(f"{low}에서 {high} 사이의 수", f"a number from {low} to {high}")
        if low is not None:
            return Text(f"{low} 이상의 수", f"a number, {low} or more")
        return (
            Text(f"{high} 이하의 수", f"a number, {high} or less")
            if high is not None
            else Text("수", "a number")
        )

    def read(self, given: str) -> str | None:
        """An answer as it is kept; None where nothing was said. What cannot be one is a Fault."""
        said = given.replace("\0", "").strip()
        if not said:
            if self.required:
                raise Fault(Text("답 없음", "no answer"), self.expected)
            return None
        if self.type == "choice":
            fits = said in {option.value for option in self.choices}
        elif self.type == "text":
            fits = len(said) <= _LONGEST
        else:
            value = number(fold(said))
            fits = value is not None and (self.low is None or value >= self.low)
            fits = fits and value is not None and (self.high is None or value <= self.high)
            said = plain(value) if value is not None else said
        if not fits:
            raise Fault(said[:80], self.expected)
        return said


class Participants(_Part):
    """The part `participants` of study.yaml: the consent text, and the study's own questions."""

    consent: Words | None = None
    questions: Annotated[tuple[ParticipantQuestion, ...], Many(0, 50)] = ()

    def check(self) -> None:
        keys = [question.key for question in self.questions]
        for place, key in enumerate(keys):
            if key in keys[:place]:
                raise Fault(key, Text("서로 다른 키", "different keys"), at=("questions", place, "key"))

    def read(self, given: Mapping[str, str]) -> dict[str, str | None]:
        """All answers as they are kept; those that do not fit are named together, each by its question's key."""
        answers: dict[str, str | None] = {}
        wrong: list[Problem] = []
        for question in self.questions:
            try:
                answers[question.key] = question.read(given.get(question.key, ""))
            except Fault as fault:
                todo = Text("다시 답하세요", "answer again")
                wrong.append(Problem(question.key, fault.found, fault.expected, todo))
        if wrong:
            raise HaechiError(tuple(wrong))
        return answers


def parse_participants(text: str, name: str) -> Participants:
    """The part `participants` of a study file; every mistake with its line.

    >>> parse_participants("participants: {questions: [{key: age, question: 나이, type: number}]}", "study.yaml").questions[0].key
    'age'
    """

    def read(data: Any) -> Participants:
        noted, found = FaultNotes(), NOBODY_ASKED
        with noted.at("participants", given=data["participants"]):
            found = Participants.checked(data["participants"])
        noted.stop()
        return found

    return parse_yaml(text, name, read, FIX_STUDY)


NOBODY_ASKED = Participants()
