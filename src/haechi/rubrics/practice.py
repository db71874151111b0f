"""Items whose answers are known: to practise on before rating, and to recognise raters who do not read.

An instrument's own worked examples come first. For what it has none, there are items written for this project, in files beside
the instrument and outside of its wording.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from haechi.frozen import frozen
from haechi.rubrics.catalog import builtin_ids, find_rubric
from haechi.rubrics.model import Rubric
from haechi.rubrics.reading import LOADER
from haechi.text import Text

_FOLDER = Path(__file__).parent / "catalog" / "practice"


@frozen
class KnownAnswer:
    """One question of which the answers that fit are known, and why they do."""

    name: str
    right: tuple[str, ...]
    why: Text


@frozen
class KnownItem:
    """An item as a file would have it, with its known answers."""

    item: Mapping[str, Any]
    answers: tuple[KnownAnswer, ...]


def practice_items(rubric: Rubric) -> tuple[KnownItem, ...]:
    """What raters practise on: the rubric's examples, then our own items.

    >>> import haechi
    >>> [len(practice_items(haechi.rubric(name))) for name in ("diary-comment", "ubica")]
    [15, 2]
    """
    return (*_examples(rubric), *_own(rubric, "practice"))


def gold_items(rubric: Rubric) -> tuple[KnownItem, ...]:
    """Items to put between the others; a rubric that is not built in has none of ours.

    >>> import haechi
    >>> gold_items(haechi.rubric("hiring-agent"))[1].answers[0].right
    ('FAILED',)
    """
    return tuple(_own(rubric, "gold"))


def _examples(rubric: Rubric) -> Iterator[KnownItem]:
    found = []
    for criterion in rubric.criteria:
        for example in criterion.examples:
            for text in example.met:
                found.append((example.context, text, KnownAnswer(criterion.key, ("1",), Text(""))))
            for one in example.unmet:
                found.append(
                    (example.context, one.text, KnownAnswer(criterion.key, ("0",), Text(one.reason or "")))
                )
    # Met and unmet must not simply alternate: by the text itself, the same for everyone.
    for context, response, known in sorted(found, key=lambda one: one[1]):
        yield KnownItem({"context": context, "response": response}, (known,))


def _own(rubric: Rubric, part: str) -> Iterator[KnownItem]:
    # Somebody's own rubric may bear the id of a built-in one.
    if rubric.id not in builtin_ids() or find_rubric(rubric.id).version != rubric.version:
        return
    place = _FOLDER / f"{rubric.id}.yaml"
    if not place.is_file():  # nothing can be known of criteria that items bring
        return
    for one in yaml.load(place.read_text("utf-8"), LOADER)[part]:  # noqa: S506 - it is safe
        answers = (
            KnownAnswer(a["of"], tuple(map(str, a["right"])), Text(**a["why"])) for a in one["answers"]
        )
        yield KnownItem(one["item"], tuple(answers))
