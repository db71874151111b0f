"""What is asked about an item: questions that it brings itself beside those of the rubric, and what rules decide unasked.

The form, the judge's prompt and schema, the journal, the reading of replies and the desk all ask here. A question is
answered on its own scale and becomes a rating under its own name, like any other. These are the lines of a run's
expectation that code does not decide, and the criteria that an item brings where the rubric says that it does.
"""

from __future__ import annotations

from collections.abc import Collection

from haechi.data.agent_run import checks_of, has_failed
from haechi.data.item import Item
from haechi.data.line_names import is_line, line_name, own_criteria
from haechi.data.own_criteria import own_criteria_of
from haechi.rubrics import Rateable, Rubric
from haechi.rubrics.scales import Element, OwnCriterion, line_key, points_words
from haechi.text import Text


def item_questions(rubric: Rubric, item: Item) -> dict[str, Rateable]:
    """What is asked about this item alone, by the name of its ratings, in the order in which it is asked.

    An element with the words of the question, of the criterion whose score it enters. A failed run is asked nothing.

    >>> import haechi
    >>> run = Item("r1", "run", {"query": "q1", "expected": "1) 답변이 친절한가", "payload": "{}"}, {})
    >>> asked = item_questions(haechi.rubric("hiring-agent"), run)
    >>> [(name, one.element.question.ko, one.criterion.key) for name, one in asked.items()]
    [('accuracy.line_d24643b8457b', '답변이 친절한가', 'accuracy')]
    """
    if item.kind != "run":
        return _own_criteria(rubric, item)
    criterion = rubric.checked_criterion
    if criterion is None:
        return {}
    checks = checks_of(item)
    if checks is None or not checks.waiting or has_failed(item.content):
        return {}
    found = {}
    for number, line in enumerate(checks.waiting, start=1):
        name = line_name(criterion, line)
        element = Element(
            key=name.partition(".")[2], name=Text(f"줄 {number}", f"Line {number}"), question=Text(line)
        )
        found[name] = Rateable(name, criterion, element)
    return found


def _own_criteria(rubric: Rubric, item: Item) -> dict[str, Rateable]:
    found = {}
    for criterion in own_criteria(rubric):
        for number, one in enumerate(own_criteria_of(item.content), start=1):
            points = points_words(one.points)
            title = one.name if one.name != one.question else Text(f"기준 {number}", f"Criterion {number}")
            named = Text(f"{title.ko} ({points.ko})", f"{title.say('en')} ({points.say('en')})")
            name = f"{criterion.key}.{one.key}"
            found[name] = Rateable(name, criterion, one.but(name=named))
    return found


def ruled_fields(item: Item, rubric: Rubric) -> dict[str, str]:
    """What a rule of the rubric answers by itself: a failed run has the verdict that the rubric says."""
    if item.kind != "run" or not has_failed(item.content):
        return {}
    return {
        criterion.key: str(criterion.failed_run)
        for criterion in rubric.criteria
        if criterion.rated_by == "rater" and criterion.failed_run is not None
    }


def ruled_floors(item: Item, rubric: Rubric) -> list[str]:
    """The floors that hold for this item whoever rates it."""
    silent = not item.has_assistant_message
    return [floor.key for floor in rubric.floors if floor.rule == "no_assistant_message" and silent]


def rulable_names(rubric: Rubric) -> frozenset[str]:
    """The names of the ratings that rules may decide, of some items.

    >>> import haechi
    >>> [len(rulable_names(haechi.rubric(name))) for name in ("hiring-agent", "maice-qac", "ubica")]
    [1, 12, 0]
    """
    unmet = {key for floor in rubric.floors if floor.rule for key in floor.unmet}
    failing = {one.key for one in rubric.criteria if one.rated_by == "rater" and one.failed_run is not None}
    return _names_of(rubric, unmet | failing)


def ruled_names(rubric: Rubric, item: Item) -> frozenset[str]:
    """The names of the ratings of an item that rules decide: neither people nor judges are asked for them.

    >>> import haechi
    >>> failed = Item("r1", "run", {"query": "q1", "error": "timeout"}, {})
    >>> sorted(ruled_names(haechi.rubric("hiring-agent"), failed))
    ['intent']
    """
    floors = ruled_floors(item, rubric)
    unmet = {key for floor in rubric.floors if floor.key in floors for key in floor.unmet}
    return _names_of(rubric, unmet.union(ruled_fields(item, rubric)))


def _names_of(rubric: Rubric, criteria: Collection[str]) -> frozenset[str]:
    """The names of the ratings of criteria, by their keys or those of their scores."""
    if not criteria:  # as of nearly every item
        return frozenset()
    rated = ((name, one.criterion) for name, one in rubric.rateables.items() if one.criterion is not None)
    return frozenset(name for name, one in rated if one.key in criteria or one.score in criteria)


def example_questions(rubric: Rubric) -> dict[str, Rateable]:
    """A question in the place of those that items bring, to show what a judge is sent; none where items bring none."""
    words = "(여기에 항목의 기준이 들어갑니다)"
    named = [(f"{one.key}.{line_key(words)}", one) for one in own_criteria(rubric)]
    return {name: Rateable(name, one, OwnCriterion.of(words, 1)) for name, one in named}


def asks_by_item(rubric: Rubric) -> bool:
    """Whether items of this rubric can bring questions at all.

    >>> import haechi
    >>> asks_by_item(haechi.rubric("hiring-agent")), asks_by_item(haechi.rubric("ubica"))
    (True, False)
    """
    return rubric.checked_criterion is not None or bool(own_criteria(rubric))


def is_item_question(rubric: Rubric, name: str) -> bool:
    """Whether ratings of this name answer a question that an item brought; the name alone says so.

    >>> import haechi
    >>> rubric = haechi.rubric("hiring-agent")
    >>> is_item_question(rubric, "accuracy.line_d24643b8457b"), is_item_question(rubric, "intent")
    (True, False)
    """
    return is_line(rubric, name)
