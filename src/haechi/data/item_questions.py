"""Questions that an item brings itself, beside those that the rubric asks about every item.

The form, the judge's prompt and schema, the journal, the reading of replies and the desk all ask here. A question is
answered on its own scale and becomes a rating under its own name, like any other. These are the lines of a run's
expectation that code does not decide, and the criteria that an item brings where the rubric says that it does.
"""

from __future__ import annotations

from haechi.data.agent_run import checks_of, has_failed
from haechi.data.item import Item
from haechi.data.line_names import checked_criterion, is_line, line_name, own_criteria
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
    criterion = checked_criterion(rubric)
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
    return checked_criterion(rubric) is not None or bool(own_criteria(rubric))


def is_item_question(rubric: Rubric, name: str) -> bool:
    """Whether ratings of this name answer a question that an item brought; the name alone says so.

    >>> import haechi
    >>> rubric = haechi.rubric("hiring-agent")
    >>> is_item_question(rubric, "accuracy.line_d24643b8457b"), is_item_question(rubric, "intent")
    (True, False)
    """
    return is_line(rubric, name)
