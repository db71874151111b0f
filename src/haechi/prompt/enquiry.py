"""One request to a judge: the rubric's questions, or some of them, and those that the item brings.

To a judge an item's own questions are a checklist `item_questions` with `q1`, `q2` …, in the order in which they are
asked. So what the rubric says comes first and is the same for every item, the schema depends on nothing but how many there are, and a
reply is read as any other is. The names of what was asked, in their order, are all that is needed to read it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from haechi.data.item_questions import is_item_question
from haechi.data.line_names import own_criteria
from haechi.frozen import frozen
from haechi.prompt.cache import once_per_rubric
from haechi.rubrics import Criterion, Rubric
from haechi.rubrics.scales import Element, yes_or_no_questions
from haechi.text import Text

_KEY = "item_questions"
_NAME = Text("이 항목의 질문", "Questions about this item")
_HOW = Text(
    "자료 아래에 이 항목만의 질문이 q1, q2 …로 적혀 있습니다. 자료 전체를 보고 질문마다 충족하면 1, 아니면 0으로 답하고, "
    "응답에는 q2부터도 q1과 같은 꼴로 모두 적으세요.",
    "Below the material stand questions about this item alone, as q1, q2 … Look at the whole material and answer each: "
    "1 if it is met, else 0. The reply has all of them, q2 and so on in the form of q1.",
)
_ONE = Text("자료 아래의 질문 q{}", "question q{} below the material")


@frozen
class Enquiry:
    """What one request asks of a judge: of `rubric`, which has a checklist of the item's own questions; `only` a part of it.

    `own` has the names of the ratings of these questions, by what a reply calls them.
    """

    rubric: Rubric
    only: tuple[str, ...] | None
    own: Mapping[str, str]


def enquiry(rubric: Rubric, only: Collection[str] | None = None) -> Enquiry:
    """The request that asks for these ratings; those that items bring among them.

    >>> import haechi
    >>> asked = enquiry(haechi.rubric("hiring-agent"), ("intent", "accuracy.line_d24643b8457b"))
    >>> asked.only, dict(asked.own)
    (('intent', 'item_questions.q1'), {'item_questions.q1': 'accuracy.line_d24643b8457b'})
    """
    named = None if only is None else tuple(only)
    own = [name for name in named or () if is_item_question(rubric, name)]
    if not own:
        return Enquiry(rubric, named, {})
    asked, called = with_questions(rubric, len(own))
    rest = (name for name in named or () if name not in own)
    return Enquiry(asked, (*rest, *called), dict(zip(called, own, strict=True)))


@once_per_rubric
def with_questions(rubric: Rubric, count: int) -> tuple[Rubric, tuple[str, ...]]:
    """The rubric with a checklist of so many questions behind its criteria, and what a reply calls them."""
    taken = {name for criterion in rubric.criteria for name in (criterion.key, criterion.score)}
    key = next(name for n in range(len(taken) + 1) if (name := _KEY + "_" * n) not in taken)
    elements = tuple(
        Element(key=f"q{n}", name=Text(f"q{n}"), question=Text(_ONE.ko.format(n), (_ONE.en or "").format(n)))
        for n in range(1, count + 1)
    )
    own = own_criteria(rubric)
    standards = tuple(words for one in own for words in (*one.standards, *one.scale.rules))
    questions = Criterion(
        key=key,
        name=own[0].name if len(own) == 1 else _NAME,
        question=own[0].question if len(own) == 1 else None,
        explanation=own[0].explanation if len(own) == 1 else None,
        standards=standards,
        instruction=_HOW,
        scale=yes_or_no_questions(elements),
    )
    asked = rubric.but(criteria=(*rubric.criteria, questions))
    return asked, questions.rated_names
