"""The rubric as a judge reads it: criteria with their questions, anchors, elements, examples and floors."""

from __future__ import annotations

import json
from collections.abc import Mapping

from haechi.korean.particles import fill
from haechi.prompt.schema import value_first
from haechi.rubrics import Criterion, Rateable, Rubric
from haechi.rubrics.parts import Example
from haechi.rubrics.values import plain
from haechi.text import Lang, Text

_POINTS = Text("{}점", "{} points")
_EXAMPLES = Text("예시", "Examples")
_REASON = Text("이유", "reason")
_MET, _UNMET = Text("충족(1)", "met (1)"), Text("미충족(0)", "unmet (0)")
_WHY = Text("판단의 근거", "the reason for the value")


def criteria_text(
    rubric: Rubric, wanted: Mapping[str, Rateable], lang: Lang, speakers: Mapping[str, str]
) -> str:
    """All criteria that are asked, under the areas that they add up to."""
    blocks: list[str] = []
    area_before = None
    for criterion, elements in by_criterion(wanted):
        area = rubric.area(criterion)
        if area is not None and area != area_before:
            blocks.append(f"## {area}. {rubric.name(area).say(lang)} ({_points(rubric, area, lang)})")
        area_before = area
        blocks.append(_criterion(rubric, criterion, elements, lang, speakers))
    return "\n\n".join(blocks)


def by_criterion(wanted: Mapping[str, Rateable]) -> list[tuple[Criterion, list[Rateable]]]:
    """The asked ratings, grouped by their criterion in the rubric's order."""
    groups: dict[str, tuple[Criterion, list[Rateable]]] = {}
    for rateable in wanted.values():
        if rateable.criterion is not None:
            groups.setdefault(rateable.criterion.key, (rateable.criterion, []))[1].append(rateable)
    return list(groups.values())


def floors_text(rubric: Rubric, wanted: Mapping[str, Rateable], lang: Lang) -> str:
    """The floor rules that touch what is asked."""
    scores = {r.criterion.score for r in wanted.values() if r.criterion is not None}
    floors = [floor for floor in rubric.floors if scores & set(floor.unmet)]
    return "\n\n".join(f"## {floor.name.say(lang)}\n{floor.text.say(lang)}" for floor in floors)


def reply_example(wanted: Mapping[str, Rateable], lang: Lang) -> str:
    """The form of the reply: the instrument's own example where it has one, else what to put in its place.

    What to put in is written in <angle brackets>, so that a reply that only repeats it holds no value.
    """
    parts: list[str] = []
    for criterion, rateables in by_criterion(wanted):
        if rateables[0].element is None:
            parts.append(f'  "{criterion.key}": {_one(rateables[0], lang, "  ")}')
            continue
        elements = [
            f'    "{r.element.key}": {_one(r, lang, "    ")}' for r in rateables if r.element is not None
        ]
        parts.append(f'  "{criterion.key}": {{\n' + ",\n".join(elements) + "\n  }")
    return "{\n" + ",\n".join(parts) + "\n}"


def _one(rateable: Rateable, lang: Lang, indent: str) -> str:
    hint = rateable.scale.value_hint(lambda text: text.say(lang))
    if not rateable.scale.counted:
        return f'"<{hint}>"'
    example = rateable.element.example if rateable.element is not None else None
    value = str(example.value) if example is not None else f"<{hint}>"
    words = example.evidence if example is not None else f"<{_WHY.say(lang)}>"
    members = [f'"evidence": {json.dumps(words, ensure_ascii=False)}', f'"value": {value}']
    if value_first(rateable):
        members.reverse()
    return "{\n" + ",\n".join(f"{indent}  {member}" for member in members) + f"\n{indent}}}"


def _points(rubric: Rubric, score: str, lang: Lang) -> str:
    return _POINTS.say(lang).format(plain(rubric.range(score)[1]))


def _criterion(
    rubric: Rubric, criterion: Criterion, rateables: list[Rateable], lang: Lang, speakers: Mapping[str, str]
) -> str:
    head = f"{criterion.score}. " if criterion.short else ""
    lines = [f"### {head}{criterion.name.say(lang)} (`{criterion.key}`)"]
    for words in (criterion.question, criterion.explanation):
        if words is not None:
            lines.append(_named(rubric, words.say(lang), speakers))
    lines += [f"- {standard.say(lang)}" for standard in criterion.standards]
    if criterion.instruction is not None:
        lines.append(criterion.instruction.say(lang))
    lines += _scale(criterion, rateables, lang)
    if criterion.examples:
        lines.append(f"\n{_EXAMPLES.say(lang)}")
        lines += [line for example in criterion.examples for line in _example(rubric, example, lang)]
    return "\n".join(lines)


def _named(rubric: Rubric, template: str, speakers: Mapping[str, str]) -> str:
    if not rubric.names_in_questions:
        return template
    places = {"user": rubric.speakers.user.ko, "assistant": rubric.speakers.assistant.ko}
    return fill(template, {place: speakers[role] for role, place in places.items()})


def _scale(criterion: Criterion, rateables: list[Rateable], lang: Lang) -> list[str]:
    lines = criterion.scale.prompt_lines(lambda text: text.say(lang))
    elements = [rateable.element for rateable in rateables if rateable.element is not None]
    return lines + [f"- `{e.key}` ({e.name.say(lang)}): {e.question.say(lang)}" for e in elements]


def _example(rubric: Rubric, example: Example, lang: Lang) -> list[str]:
    context = rubric.context_name or Text("맥락", "Context")
    lines = [f"- {context.say(lang)}: {example.context}"]
    lines += [f"  - {_MET.say(lang)}: {text}" for text in example.met]
    for counter in example.unmet:
        reason = f" ({_REASON.say(lang)}: {counter.reason})" if counter.reason else ""
        lines.append(f"  - {_UNMET.say(lang)}: {counter.text}{reason}")
    return lines
