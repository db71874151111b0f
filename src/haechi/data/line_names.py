"""What ratings are called that are no criteria of the rubric: open lines of a run's expectation and criteria that items bring,
answered by yes or no, and the label of a run.

The name of a line is made from the sentence, so that an answer stays with it when other lines are edited, and is lost with it.
"""

from __future__ import annotations

import re

from haechi.rubrics import Rubric
from haechi.rubrics.parts import Criterion
from haechi.rubrics.scales import MET_OR_UNMET, Scale, line_key

LABEL = "intent_label"
"""The name of ratings that say what an agent did: ADD, UPDATE …"""
_KEY = re.compile(r"line_[0-9a-f]{12}")


def line_name(criterion: Criterion, line: str) -> str:
    """The name of the ratings of a line, however it is spaced.

    >>> import haechi
    >>> accuracy = haechi.rubric("hiring-agent").checked_criterion
    >>> line_name(accuracy, "답변이 친절한가"), line_name(accuracy, " 답변이  친절한가") == line_name(accuracy, "답변이 친절한가")
    ('accuracy.line_d24643b8457b', True)
    """
    return f"{criterion.key}.{line_key(line)}"


def own_criteria(rubric: Rubric) -> tuple[Criterion, ...]:
    """The criteria of a rubric whose questions every item brings itself."""
    return tuple(criterion for criterion in rubric.criteria if criterion.scale.of_items)


def named_line(rubric: Rubric, given: str) -> str | None:
    """The name that is meant by `accuracy.SENTENCE` or by the name itself; None if it is no line.

    >>> import haechi
    >>> rubric = haechi.rubric("hiring-agent")
    >>> named_line(rubric, "accuracy.답변이 친절한가") == named_line(rubric, "정확성. 답변이 친절한가"), named_line(rubric, "intent")
    (True, None)
    """
    criterion = rubric.checked_criterion
    before, dot, line = given.partition(".")
    if criterion is None or not dot or not line.strip():
        return None
    if before.strip() not in (criterion.key, criterion.score, *criterion.name):
        return None
    return f"{criterion.key}.{line.strip()}" if _KEY.fullmatch(line.strip()) else line_name(criterion, line)


def own_line(rubric: Rubric, given: str) -> str | None:
    """A criterion that an item brings, as somebody names it: `KEY.` and its key, its number or its words; None if items bring none.

    Which criterion of the item it is only the item can tell. Without `KEY.` it is that of the rubric's only such list.
    """
    own = own_criteria(rubric)
    before, dot, line = given.partition(".")
    for criterion in own if dot and line.strip() else ():
        if before.strip() in (criterion.key, criterion.score, *criterion.name):
            return f"{criterion.key}.{line.strip()}"
    return f"{own[0].key}.{given.strip()}" if len(own) == 1 and given.strip() else None


def scale_of(rubric: Rubric, name: str) -> Scale | None:
    """The scale of ratings that are no criteria; None for all others.

    >>> import haechi
    >>> rubric = haechi.rubric("hiring-agent")
    >>> scale_of(rubric, "intent_label").read("add"), scale_of(rubric, "accuracy.line_d24643b8457b").read("예")
    ('ADD', '1')
    """
    if name == LABEL and rubric.run is not None:
        return rubric.run.label_scale
    return MET_OR_UNMET if is_line(rubric, name) else None


def is_line(rubric: Rubric, name: str) -> bool:
    """Whether ratings of this name are those of a line, or of a criterion that an item brings.

    >>> import haechi
    >>> is_line(haechi.rubric("hiring-agent"), "accuracy.line_d24643b8457b"), is_line(haechi.rubric("ubica"), "overall")
    (True, False)
    """
    if any(name.startswith(f"{criterion.key}.") for criterion in own_criteria(rubric)):
        return True
    return bool(_KEY.fullmatch(name.rpartition(".")[2])) and named_line(rubric, name) is not None
