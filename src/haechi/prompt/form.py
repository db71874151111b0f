"""The rubric as a form that a person fills in: what is asked, on which scale, and what follows from what."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from haechi.data.item import Item
from haechi.data.item_questions import item_questions
from haechi.frozen import frozen
from haechi.korean.particles import fill
from haechi.rubrics.model import Rubric
from haechi.rubrics.parts import Criterion, Example
from haechi.rubrics.scales import Choice, Element, Scale
from haechi.text import Lang, Text

FieldKind = Literal["choice", "number", "text"]

_OWN = Text(
    "이 항목에만 묻는 질문입니다. 줄마다 충족하는지 답하세요.",
    "Questions about this item alone: say for each line whether it is met.",
)
_SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}


@frozen
class Field:
    """One thing to answer; `name` is the name of its ratings."""

    name: str
    kind: FieldKind
    label: str
    question: str
    choices: tuple[Choice, ...]
    evidence: bool
    required: bool


@frozen
class FormGroup:
    """A criterion: its fields and the words around them; one of several fields has the tree of its formula."""

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


@frozen
class FormFloor:
    """A condition the rater can state, and the fields that are unmet when it holds."""

    name: str
    label: str
    text: str
    fields: tuple[str, ...]


@frozen
class RunningScore:
    """A score made of other scores, shown while a checklist is filled in."""

    key: str
    name: str
    by: str
    parts: tuple[str, ...]
    weights: tuple[float, ...]
    highest: float
    area: bool


@frozen
class Form:
    """A form in one language; `dataclasses.asdict` makes it JSON."""

    rubric: str
    lang: Lang
    title: str
    task: str
    guidance: tuple[str, ...]
    item: str
    speakers: Mapping[str, str]
    context_name: str
    reply_name: str
    groups: tuple[FormGroup, ...]
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
    criteria = [c for c in rubric.criteria if c.rated_by == "rater" and not c.scale.of_items]
    in_parts = any(criterion.scale.parts for criterion in criteria)
    return Form(
        rubric=rubric.reference,
        lang=lang,
        title=words.say(rubric.title),
        task=words.say(rubric.task),
        guidance=tuple(words.say(line) for line in rubric.guidance),
        item=rubric.item,
        speakers=words.speakers,
        context_name=words.say(rubric.context_name),
        reply_name=words.say(rubric.reply_name),
        groups=tuple(_group(rubric, criterion, words) for criterion in criteria),
        floors=tuple(_floors(rubric, criteria, words)),
        scores=tuple(_scores(rubric, words)) if in_parts else (),
    )


def item_groups(rubric: Rubric, item: Item, lang: Lang) -> tuple[FormGroup, ...]:
    """What the form of one item has beyond `form_of`: the questions that it brings, under their criterion.

    >>> import haechi
    >>> run = Item("r1", "run", {"query": "q1", "expected": "1) 답변이 친절한가", "payload": "{}"}, {})
    >>> [group] = item_groups(haechi.rubric("hiring-agent"), run, "ko")
    >>> group.name, [field.question for field in group.fields]
    ('정확성', ['답변이 친절한가'])
    """
    groups: dict[str, tuple[Criterion, list[Field]]] = {}
    words = _Words(rubric, lang, {})
    for name, asked in item_questions(rubric, item).items():
        if asked.criterion is not None and asked.element is not None:
            field = _field(name, asked.element, asked.scale, True, words)
            groups.setdefault(asked.criterion.key, (asked.criterion, []))[1].append(field)
    return tuple(_own_group(criterion, fields, words) for criterion, fields in groups.values())


def _own_group(criterion: Criterion, fields: list[Field], words: _Words) -> FormGroup:
    return FormGroup(
        key=criterion.key,
        score=criterion.score,
        name=words.say(criterion.name),
        area=None,
        question=words.say(criterion.question) if criterion.scale.of_items else "",
        explanation=words.say(criterion.explanation or _OWN),
        standards=tuple(map(words.say, (*criterion.standards, *criterion.scale.rules))),
        instruction=words.say(criterion.instruction) if criterion.scale.of_items else "",
        examples=(),
        fields=tuple(fields),
        formula=None,
        highest=None,
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

    def has(self, text: Text | None, question: Text | None) -> bool:
        """Whether a text is there in the language in which its question is asked."""
        translated = self._lang == "en" and question is not None and bool(question.en)
        return text is not None and (bool(text.en) or not translated)

    def say(self, text: Text | None) -> str:
        return fill(text.say(self._lang), self._places) if text is not None else ""


def _group(rubric: Rubric, criterion: Criterion, words: _Words) -> FormGroup:
    scale = criterion.scale
    return FormGroup(
        key=criterion.key,
        score=criterion.score,
        name=words.say(criterion.name),
        area=rubric.area(criterion),
        question=words.say(criterion.question),
        explanation=words.say(criterion.explanation)
        if words.has(criterion.explanation, criterion.question)
        else "",
        standards=tuple(words.say(standard) for standard in criterion.standards),
        instruction="\n".join(filter(None, (words.say(criterion.instruction), _typed(scale, words)))),
        examples=criterion.examples,
        fields=tuple(_fields(criterion, words)),
        formula=None if scale.formula_of_parts is None else formula_tree(scale.formula_of_parts),
        highest=rubric.range(criterion.score)[1] if scale.parts else None,
    )


def _typed(scale: Scale, words: _Words) -> str:
    """Which numbers can be typed in; nothing where the choices say it, or where parts are asked."""
    asked = scale.part_scale
    is_typed = asked.counted and asked.field == "number" and not asked.choices(words.say)
    return asked.value_hint(words.say) if is_typed else ""


def _fields(criterion: Criterion, words: _Words) -> Iterator[Field]:
    questions: tuple[Criterion | Element, ...] = criterion.scale.parts or (criterion,)
    for name, asked in zip(criterion.rated_names, questions, strict=True):
        yield _field(name, asked, criterion.scale.part_scale, criterion.evidence, words)


def _field(name: str, asked: Criterion | Element, scale: Scale, evidence: bool, words: _Words) -> Field:
    choices = scale.choices(words.say)
    return Field(
        name=name,
        kind="choice" if choices else scale.field,
        label=words.say(asked.name),
        question=words.say(asked.question),
        choices=choices,
        evidence=evidence,
        required=scale.counted,
    )


def _floors(rubric: Rubric, criteria: list[Criterion], words: _Words) -> Iterator[FormFloor]:
    for floor in rubric.floors:
        unmet = [c for c in criteria if c.key in floor.unmet or c.score in floor.unmet]
        fields = tuple(field.name for criterion in unmet for field in _fields(criterion, words))
        yield FormFloor(floor.key, words.say(floor.name), words.say(floor.text), fields)


def _scores(rubric: Rubric, words: _Words) -> Iterator[RunningScore]:
    areas = {rubric.area(criterion) for criterion in rubric.criteria}
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
