"""What can be told of an answer without judging it: how long it is, in which language and manner, what else it holds."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable
from typing import NamedTuple

from haechi.data.item import Item
from haechi.data.pair_order import A, B
from haechi.korean.register import is_mostly_korean, register_of
from haechi.prompt.injection import tries_of
from haechi.prompt.material import run_texts
from haechi.rubrics import Rubric

_FAMILIES = (
    "ChatGPT|GPT|Claude|Gemini|Bard|Copilot|Llama|Mistral|Qwen|DeepSeek|Grok|Perplexity|HyperCLOVA|CLOVA|EXAONE|Solar|챗GPT|클로드|제미나이|"
    "하이퍼클로바|클로바|딥시크|그록"
)
_SHINGLE, _ECHO, _LEAST = (
    8,
    0.8,
    12,
)  # characters; the share of them that stand in what was said before; of an echo at least
_SHORT_NAME = 3  # a system called A is named in every text


class Traits(NamedTuple):
    """Of one answer: log₂ of its characters; 1 or 0 for the others, NaN where its text does not tell.

    korean: most of its letters are Hangul; polite: 존댓말, by the endings of its sentences; named: it names a system; echo:
    it repeats what was said before; instruction: it seems to speak to the judge; repeated: other items have the same answer.
    """

    length: float
    korean: float
    polite: float
    named: float
    echo: float
    instruction: float
    repeated: float = math.nan


def answers_of(item: Item) -> tuple[str, ...]:
    """The answers of an item: one, all messages of the AI together, or the two of a pair; none where only ratings are known.

    >>> answers_of(Item("d1", "reply", {"context": "비", "response": "우산은요?"}, {}))
    ('우산은요?',)
    """
    content = item.content
    if item.kind == "dialogue":
        return ("\n".join(str(m["content"]) for m in content["messages"] if m["role"] == "assistant"),)
    if item.kind == "reply":
        return (str(content["response"]),)
    if item.kind == "pair":
        return str(content[A]), str(content[B])
    return (run_texts(content).answer,) if item.kind == "run" else ()


def before_answers(item: Item) -> str:
    """What was said to the AI."""
    content = item.content
    if item.kind == "dialogue":
        return "\n".join(str(m["content"]) for m in content["messages"] if m["role"] != "assistant")
    return run_texts(content).query if item.kind == "run" else str(content.get("context", ""))


def traits_of(answer: str, before: str, rubric: Rubric, systems: Collection[str] = ()) -> Traits:
    """What can be told of an answer to what was said before; systems: names of systems beside the well-known ones.

    >>> import haechi
    >>> told = traits_of("우산은 챙겼어요? 저는 GPT-5예요.", "비가 왔다.", haechi.rubric("diary-comment"))
    >>> told.korean, told.polite, told.named, told.echo, told.instruction
    (1.0, 1.0, 1.0, 0.0, 0.0)
    """
    manner = register_of(answer).manner
    return Traits(
        math.log2(len(answer)) if answer.strip() else math.nan,
        _korean(answer),
        math.nan if manner is None else float(manner == "polite"),
        float(_names(systems).search(answer) is not None),
        float(_is_echo(answer, before)),
        float(bool(tries_of([answer], rubric))),
    )


def with_repeats(
    answers: Iterable[tuple[str, ...]], traits: Iterable[tuple[Traits, ...]]
) -> list[tuple[Traits, ...]]:
    """The traits of many answers, each with whether another item has the very same answer."""
    listed = [tuple(" ".join(one.split()) for one in own) for own in answers]
    times: dict[str, int] = {}
    for own in listed:
        for text in set(own):
            times[text] = times.get(text, 0) + 1
    return [
        tuple(trait._replace(repeated=float(times[text] > 1)) for text, trait in zip(own, told, strict=True))
        for own, told in zip(listed, traits, strict=True)
    ]


def _korean(text: str) -> float:
    found = is_mostly_korean(text)
    return math.nan if found is None else float(found)


def _names(systems: Collection[str]) -> re.Pattern[str]:
    own = "|".join(re.escape(name) for name in sorted(systems) if len(name) >= _SHORT_NAME)
    # Only the names in whatever case: a range of Hangul without case is made letter by letter.
    return re.compile(rf"(?<![A-Za-z가-힣])(?i:{_FAMILIES}{'|' + own if own else ''})(?![A-Za-z])")


def _is_echo(answer: str, before: str) -> bool:
    said, known = ("".join(text.split()).casefold() for text in (answer, before))
    if len(said) < _LEAST:
        return False
    parts = [said[at : at + _SHINGLE] for at in range(len(said) - _SHINGLE + 1)]
    there = {known[at : at + _SHINGLE] for at in range(max(0, len(known) - _SHINGLE + 1))}
    return sum(part in there for part in parts) >= _ECHO * len(parts)
