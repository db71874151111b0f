"""The rubric as a form that a person fills in: what is asked, on which scale, and what follows from what."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from haechi.korean import fill
from haechi.rubrics.model import Criterion, Example, Rubric
from haechi.rubrics.scales import Binary, Checklist, Likert, Open, Verdict, plain
from haechi.text import Lang, Text

FieldKind = Literal["choice", "number", "text"]

_SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}


@dataclass(frozen=True)
class Choice:
    """One answer that can be chosen: its value, the key that gives it, and its words."""

    value: str
    key: str
    label: str
    text: str = ""


@dataclass(frozen=True)
class Field:
    """One thing to answer; `name` is the name of its ratings."""

    name: str
    kind: FieldKind
    label: str
    question: str
    choices: tuple[Choice, ...]
    evidence: bool
    required: bool


@dataclass(frozen=True)
class Group:
    """A criterion: its fields and the words around them; a checklist also has the tree of its formula."""

    key: str
    score: str
    name: str
    area: str | None
    question: str
    explanation: str
    standards: tuple[str, ...]
    instruction: str
    examples: tuple[Example, ...]
    fields: tuple[Field, ...]
    formula: Any
    highest: float | None


@dataclass(frozen=True)
class FormFloor:
    """A condition the rater can state, and the fields that are unmet when it holds."""

    name: str
    label: str
    text: str
    fields: tuple[str, ...]


@dataclass(frozen=True)
class RunningScore:
    """A score made of other scores, shown while a checklist is filled in."""

    key: str
    name: str
    by: str
    parts: tuple[str, ...]
    weights: tuple[float, ...]
    highest: float
    area: bool


@dataclass(frozen=True)
class Form:
    """A form in one language; `dataclasses.asdict` makes it JSON."""

    rubric: str
    title: str
    task: str
    guidance: tuple[str, ...]
    item: str
    speakers: Mapping[str, str]
    context_name: str
    reply_name: str
    groups: tuple[Group, ...]
    floors: tuple[FormFloor, ...]
    scores: tuple[RunningScore, ...]


def form_of(rubric: Rubric, lang: Lang, names: Mapping[str, str | None] | None = None) -> Form:
    """Compile a rubric to its form.

    names: the real names of the two sides (`assistant`, `user`), where they are known.

    >>> import haechi
    >>> form = form_of(haechi.rubric("ubica"), "ko", {"assistant": "루나"})
    >>> form.groups[0].question
    '루나가 특정 상황에서 보인 반응에 일관성이 있다고 생각하십니까?'
    >>> [choice.key for choice in form.groups[0].fields[0].choices]
    ['1', '2', '3', '4', '5']
    """
    words = _Words(rubric, lang, names or {})
    criteria = [criterion for criterion in rubric.criteria if criterion.rated_by == "rater"]
    checklist = any(isinstance(criterion.scale, Checklist) for criterion in criteria)
    return Form(
        rubric=rubric.reference,
        title=words.say(rubric.title),
        task=words.say(rubric.task),
        guidance=tuple(words.say(line) for line in rubric.guidance),
        item=rubric.item,
        speakers=words.speakers,
        context_name=words.say(rubric.context_name),
        reply_name=words.say(rubric.reply_name),
        groups=tuple(_group(rubric, criterion, words) for criterion in criteria),
        floors=tuple(_floors(rubric, criteria, words)),
        scores=tuple(_scores(rubric, words)) if checklist else (),
    )


class _Words:
    """Says the rubric's texts in one language, with the real names in them."""

    def __init__(self, rubric: Rubric, lang: Lang, names: Mapping[str, str | None]) -> None:
        self._lang = lang
        self.speakers = {
            "user": names.get("user") or rubric.speakers.user.say(lang),
            "assistant": names.get("assistant") or rubric.speakers.assistant.say(lang),
        }
        places = {"user": rubric.speakers.user.ko, "assistant": rubric.speakers.assistant.ko}
        self._places = (
            {places[side]: name for side, name in self.speakers.items()} if rubric.names_in_questions else {}
        )

    def say(self, text: Text | None) -> str:
        return fill(text.say(self._lang), self._places) if text is not None else ""


def _group(rubric: Rubric, criterion: Criterion, words: _Words) -> Group:
    scale = criterion.scale
    checklist = isinstance(scale, Checklist)
    return Group(
        key=criterion.key,
        score=criterion.score,
        name=words.say(criterion.name),
        area=_area(rubric, criterion),
        question=words.say(criterion.question),
        explanation=words.say(criterion.explanation),
        standards=tuple(words.say(standard) for standard in criterion.standards),
        instruction=words.say(criterion.instruction),
        examples=criterion.examples,
        fields=tuple(_fields(criterion, words)),
        formula=formula_tree(scale.formula) if isinstance(scale, Checklist) else None,
        highest=rubric.range(criterion.score)[1] if checklist else None,
    )


def _fields(criterion: Criterion, words: _Words) -> Iterator[Field]:
    scale = criterion.scale
    if isinstance(scale, Checklist):
        binary = Binary(type="binary")
        for element in scale.elements:
            name = f"{criterion.key}.{element.key}"
            choices = _choices(binary, words)
            label, question = words.say(element.name), words.say(element.question)
            yield Field(name, "choice", label, question, choices, criterion.evidence, required=True)
        return
    kind: FieldKind = "text" if isinstance(scale, Open) else "number"
    choices = _choices(scale, words)
    yield Field(
        name=criterion.key,
        kind="choice" if choices else kind,
        label=words.say(criterion.name),
        question=words.say(criterion.question),
        choices=choices,
        evidence=criterion.evidence,
        required=not isinstance(scale, Open),
    )


def _choices(scale: Any, words: _Words) -> tuple[Choice, ...]:
    if isinstance(scale, Likert):
        levels = list(scale.anchors)
        keys = [str(level) if 0 <= level <= 9 else "" for level in levels]
        pairs = zip(levels, keys, strict=True)
        return tuple(Choice(str(n), key, str(n), words.say(scale.anchors[n])) for n, key in pairs)
    if isinstance(scale, Binary):
        return (Choice("1", "1", words.say(scale.met)), Choice("0", "0", words.say(scale.unmet)))
    if isinstance(scale, Verdict):
        keys = _verdict_keys([label.points for label in scale.labels.values()])
        labels = zip(scale.labels.items(), keys, strict=True)
        return tuple(Choice(name, key, name, words.say(label.text)) for (name, label), key in labels)
    return ()


def _verdict_keys(points: list[float]) -> list[str]:
    """A verdict is given by the digit it is worth, if that is one digit and unlike the others."""
    digits = [plain(worth) for worth in points]
    if len(set(digits)) == len(digits) and all(len(digit) == 1 for digit in digits):
        return digits
    return [str(place) if place <= 9 else "" for place in range(1, len(points) + 1)]


def _area(rubric: Rubric, criterion: Criterion) -> str | None:
    """The area of a criterion: a sum of criteria that is itself part of another score."""
    parts = {part for derived in rubric.scores for part in derived.parts}
    for derived in rubric.scores:
        if derived.by == "sum" and derived.key in parts and criterion.score in derived.parts:
            return derived.key
    return None


def _floors(rubric: Rubric, criteria: list[Criterion], words: _Words) -> Iterator[FormFloor]:
    for floor in rubric.floors:
        unmet = [c for c in criteria if c.key in floor.unmet or c.score in floor.unmet]
        fields = tuple(field.name for criterion in unmet for field in _fields(criterion, words))
        yield FormFloor(floor.key, words.say(floor.name), words.say(floor.text), fields)


def _scores(rubric: Rubric, words: _Words) -> Iterator[RunningScore]:
    areas = {_area(rubric, criterion) for criterion in rubric.criteria}
    for derived in rubric.scores:
        if derived.hidden or derived.by not in ("sum", "mean", "weighted_mean"):
            continue
        weights = tuple(derived.weights.values()) if derived.weights else (1.0,) * len(derived.parts)
        highest = rubric.range(derived.key)[1]
        name, area = words.say(derived.name), derived.key in areas
        yield RunningScore(derived.key, name, derived.by, derived.parts, weights, highest, area)


def formula_tree(formula: str) -> Any:
    """A formula as nested lists, so that a page can compute it without running code.

    >>> formula_tree("(met + 1) / 2")
    ['/', ['+', 'met', 1], 2]
    """
    return _tree(ast.parse(formula.strip(), mode="eval").body)


def _tree(node: ast.expr) -> Any:
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name):
            return name
        case ast.UnaryOp(operand=operand):
            return ["-", 0, _tree(operand)]
        case ast.BinOp(left=left, op=op, right=right):
            return [_SIGNS[type(op)], _tree(left), _tree(right)]
    raise AssertionError("the rubric's reader refuses other formulas")
