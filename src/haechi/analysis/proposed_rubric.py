"""A proposed version of a rubric: the criteria on which a judge is furthest from people, with cases of the training part as guidance."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import yaml

from haechi.analysis.alignment import Alignment, Cluster, JudgeDifference, chosen_cases
from haechi.data.item import Item
from haechi.errors import HaechiError
from haechi.frozen import frozen
from haechi.prompt.injection import tries_of
from haechi.prompt.invisible_signs import show_signs
from haechi.prompt.objects import storable_text
from haechi.rubrics import Criterion, Rubric
from haechi.rubrics.reading import parse_rubric, parse_yaml
from haechi.text import Lang, Text

CRITERIA, CASES = 3, 3
_QUOTE = 240  # characters
_FIX = Text("스터디의 루브릭을 확인하세요", "look at the study's rubric")


@frozen
class Addition:
    """What is added to one criterion, and the items that it comes from."""

    criterion: str
    items: tuple[str, ...]
    standards: tuple[dict[str, str], ...]
    examples: tuple[dict[str, Any], ...]


@frozen
class RubricProposal:
    """A rubric file to be read, edited and approved by a person; left_out: items that seem to speak to the judge."""

    text: str
    version: str
    additions: tuple[Addition, ...]
    left_out: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        added = [
            {
                "criterion": one.criterion,
                "items": list(one.items),
                "standards": list(one.standards),
                "examples": list(one.examples),
            }
            for one in self.additions
        ]
        return {"version": self.version, "added": added, "left_out": list(self.left_out)}


GuidanceWriter = Callable[
    [Criterion, Sequence[JudgeDifference], Mapping[str, Item]], Sequence[dict[str, str]]
]
"""Writes guidance for a criterion out of its cases."""


def propose(
    alignment: Alignment, judge: str | None = None, writer: GuidanceWriter | None = None
) -> RubricProposal:
    """The study's rubric with guidance and examples for the criteria on which judges are furthest from people.

    writer: writes the guidance (a model); without it, or where it has nothing to say, the cases themselves become examples, or lines that quote them.
    """
    study = alignment.study
    found = alignment.clusters(judge)
    wanted = {case.item for one in found for case in one.cases}
    items = {item.id: item for item in study.items(wanted)}
    bad = {name for name, item in items.items() if _speaks(item, found, study.rubric)}
    additions = []
    for criterion, clusters in _worst(study.rubric, found):
        cases = [case for case in chosen_cases(clusters, 10 * CASES) if case.item in items.keys() - bad][
            :CASES
        ]
        if cases:
            additions.append(_addition(study.rubric, criterion, cases, items, writer))
    if not additions:
        raise HaechiError.of(
            study.place,
            Text(
                "볼 수 있는 부분에 사람과 어긋난 사례가 없음",
                "no case in the training part on which judges differ from people",
            ),
            Text("사례 하나 이상", "at least one case"),
            Text("사람의 평가를 더 모은 뒤 다시 실행하세요", "collect more ratings of people and run again"),
        )
    data = _with(
        parse_yaml(study.rubric_text, f"{study.rubric.id}.yaml", dict, _FIX), additions, study.rubric.version
    )
    written = yaml.safe_dump(data, allow_unicode=True, sort_keys=False, width=120)
    return RubricProposal(written, parse_rubric(written).version, tuple(additions), tuple(sorted(bad)))


def _worst(rubric: Rubric, found: Sequence[Cluster]) -> list[tuple[Criterion, list[Cluster]]]:
    """The criteria with cases, the one with the largest distance first."""
    of: dict[str, list[Cluster]] = {}
    for one in found:  # which stand in the order of their distance
        criterion = rubric.criterion(one.name.partition(".")[0])
        if one.cases and criterion is not None and not criterion.scale.of_items:
            of.setdefault(criterion.key, []).append(one)
    return [
        (criterion, of[key])
        for key in list(of)[:CRITERIA]
        if (criterion := rubric.criterion(key)) is not None
    ]


def _speaks(item: Item, found: Sequence[Cluster], rubric: Rubric) -> bool:
    """Whether an item, or what was said of it, seems to speak to the judge: a rubric is no place for that."""
    said = [
        words
        for one in found
        for case in one.cases
        if case.item == item.id
        for words in (case.judge_says, case.people_say)
    ]
    return bool(tries_of([*_texts(item), *said], rubric))


def _texts(item: Item) -> list[str]:
    if item.kind == "dialogue":
        return [str(message["content"]) for message in item.content["messages"]]
    return [str(value) for value in item.content.values()]


def _addition(
    rubric: Rubric,
    criterion: Criterion,
    cases: Sequence[JudgeDifference],
    items: Mapping[str, Item],
    writer: GuidanceWriter | None,
) -> Addition:
    names = tuple(case.item for case in cases)
    if writer is not None and (written := tuple(writer(criterion, cases, items))):
        return Addition(criterion.key, names, written, ())
    if rubric.item == "reply" and criterion.scale.points == (0.0, 1.0) and not criterion.scale.parts:
        return Addition(criterion.key, names, (), tuple(_example(case, items[case.item]) for case in cases))
    lines = tuple(_line(rubric, case, items[case.item]) for case in cases)
    return Addition(criterion.key, names, lines, ())


def _example(case: JudgeDifference, item: Item) -> dict[str, Any]:
    """A case as an example of the rubric format: people met or did not meet it."""
    reply = quote(item.content["response"])
    met = sum(case.people) * 2 > len(case.people)
    reason = {"reason": quote(case.people_say)} if case.people_say else {}
    return {
        "context": quote(item.content["context"]),
        "met": [reply] if met else [],
        "unmet": [] if met else [{"text": reply, **reason}],
    }


def _line(rubric: Rubric, case: JudgeDifference, item: Item) -> dict[str, str]:
    """A case as a line of guidance, in both languages."""
    rateable = rubric.rateables.get(case.name)
    element = rateable.element if rateable is not None else None
    told = {}
    for lang in ("ko", "en"):
        head = f"{element.name.say(lang)}: " if element is not None else ""
        people, judge = words_of(rubric, case, case.people, lang), words_of(rubric, case, (case.value,), lang)
        why = quote(case.people_say)
        because = Text(f" 사람의 근거: “{why}”", f" Their reason: “{why}”").say(lang) if why else ""
        text = Text(
            f"{head}다음과 같은 경우를 사람은 {people}, AI 평가자는 {judge}(으)로 평가했습니다. 사람의 평가가 기준입니다: “{excerpt(item)}”{because}",
            f"{head}A case like this got {people} from people and {judge} from the AI judge; people set the standard: “{excerpt(item)}”{because}",
        )
        told[lang] = text.say(lang)
    return told


def words_of(rubric: Rubric, case: JudgeDifference, values: Sequence[float], lang: Lang) -> str:
    """Values as the scale calls them."""
    rateable = rubric.rateables.get(case.name)
    choices = rateable.scale.choices(lambda text: text.say(lang)) if rateable is not None else ()
    named = {choice.value: choice.label for choice in choices}
    shown = dict.fromkeys(named.get(f"{value:g}", f"{value:g}") for value in values)
    return "·".join(shown)


def excerpt(item: Item) -> str:
    """The words of an item by which a reader knows the case: the end of a dialogue, a reply."""
    if item.kind != "dialogue":
        return quote(item.content.get("response") or item.content.get("message") or "")
    said = [message for message in item.content["messages"] if str(message["content"]).strip()]
    return " / ".join(quote(message["content"], _QUOTE // 2) for message in said[-2:])


def quote(words: object, most: int = _QUOTE) -> str:
    """Words of an item on one line, without signs that a reader does not see, shortened.

    >>> quote("비가\\n왔다`", 4)
    '비가 왔…'
    """
    line = " ".join(show_signs(storable_text(str(words))).replace("`", "'").split())
    return line if len(line) <= most else line[:most] + "…"


def _with(data: dict[str, Any], additions: Sequence[Addition], version: str) -> dict[str, Any]:
    """The rubric's data with what is added, and a note that says so."""
    new = {one.criterion: one for one in additions}
    for criterion in data["criteria"]:
        own = new.get(criterion["key"])
        for key, more in (
            (("standards", own.standards), ("examples", own.examples)) if own is not None else ()
        ):
            if more:
                criterion[key] = [*criterion.get(key, []), *map(dict, more)]
    cases = sum(len(one.items) for one in additions)
    note = {
        "ko": f"버전 {version}에, 사람과 AI 평가자가 어긋난 사례 {cases}개에서 얻은 안내를 더했습니다(haechi align).",
        "en": f"Version {version} with guidance from {cases} cases on which people and AI judges differ (haechi align).",
    }
    data["notes"] = [*data.get("notes", []), note]
    return data
