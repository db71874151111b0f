"""From a judge's reply to values: what is certainly there is read, the rest is missing with a reason.

The reply is read strictly, without its fence and without what was thought before it, object by object among other
words, with its LaTeX mended, then key by key (`salvage`), and where there is no object at all line by line (`lines`). Several objects in one reply are pieces of one answer when they name different
elements. When they name the same ones, the last object counts alone: a draft or a repeated example before the
answer is never mixed with it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from itertools import islice
from typing import Any, NamedTuple

from haechi.prompt.cache import once_per_rubric
from haechi.prompt.claimed_values import one_answer, settle_claims
from haechi.prompt.claims import Claim, Claims, claims_of
from haechi.prompt.enquiry import enquiry
from haechi.prompt.lines import read_lines
from haechi.prompt.naming import Names, asked_parts
from haechi.prompt.objects import find_objects, half_width, storable_text
from haechi.prompt.plain_reply import GivenValue, read_plain
from haechi.prompt.salvage import salvage
from haechi.regex import regex
from haechi.rubrics import Rateable, Rubric
from haechi.text import Text

_TAG = regex(
    r"[<◁](/?)(?:think|thinking|thought|seed:think|reasoning|reflection|scratchpad)[>▷]"
    r"|<\|channel\|>(?:analysis|(final))<\|message\|>",  # the channels of gpt-oss, where a server leaves them in
    re.IGNORECASE,
)
_QUOTE = regex(r'(?<!\\)"')
_SHORT = 40  # characters of a reply that is only a value
_NOT_THERE = Text("응답에 없음", "not in the reply")
_CUT = Text("응답이 중간에 잘림", "the reply was cut off")
_EMPTY = Text("빈 응답", "an empty reply")
_MOST_COPIED = 0.75  # of the elements: whoever copies more has not read the item
_ECHO = Text("프롬프트의 예시를 그대로 되풀이함", "only repeats the example of the prompt")


class ParsedReply(NamedTuple):
    """A reply read: the values that are there, and why the others are not.

    `repaired` says that the JSON itself had to be mended; `extra` names keys nobody asked for. An open
    comment enters no figure, so a reply without it is still complete.
    """

    values: Mapping[str, GivenValue]
    missing: Mapping[str, Text]
    repaired: bool = False
    extra: tuple[str, ...] = ()
    open: frozenset[str] = frozenset()

    @property
    def unanswered(self) -> tuple[str, ...]:
        """What has to be asked again."""
        return tuple(name for name in self.missing if name not in self.open)

    @property
    def state(self) -> str:
        """`complete`, `partial`, or `failed` when no value that counts is there."""
        if not self.unanswered:
            return "complete"
        return "partial" if any(name not in self.open for name in self.values) else "failed"


def parse(
    text: str | None, rubric: Rubric, only: Collection[str] | None = None, cut: bool = False
) -> ParsedReply:
    """Read a judge's reply; `cut` says that the provider reports the token limit.

    >>> import haechi
    >>> rubric = haechi.rubrics.find_rubric("diary-comment")
    >>> parsed = parse('{"sensibleness": {"evidence": "말이 된다", "value": 1}, "specificity": 2', rubric)
    >>> parsed.values["sensibleness"].value, parsed.missing["specificity"].en, parsed.state
    ('1', 'no readable value', 'partial')
    """
    if only is None:
        return _parse(text, rubric, None, cut)
    request = enquiry(rubric, only)
    parsed = _parse(text, request.rubric, request.only, cut)
    return _named(parsed, request.own) if request.own else parsed


def _named(parsed: ParsedReply, own: Mapping[str, str]) -> ParsedReply:
    """What was read, with the questions of the item under the names of their ratings."""
    values = {own.get(name, name): given for name, given in parsed.values.items()}
    missing = {own.get(name, name): why for name, why in parsed.missing.items()}
    return parsed._replace(values=values, missing=missing)


def _parse(text: str | None, rubric: Rubric, only: tuple[str, ...] | None, cut: bool) -> ParsedReply:
    given = read_plain(text, rubric, only) if text else None
    if given is not None and not _may_echo(given, rubric):
        return ParsedReply(given, {}, open=_open_of(rubric, only))
    wanted = asked_parts(rubric, only)
    if text is None or not text.strip():
        return _nothing(wanted, _CUT if cut else _EMPTY)
    answer = without_thinking(text.lstrip("\ufeff"))
    plain = half_width(_unquoted(answer))
    said = _said(plain, Names.of(rubric), list(wanted))
    for claims in said:
        claims.repaired |= plain != answer
    answers = [claims for claims in said if claims.of and not _is_echo(claims, rubric)]
    if not answers:
        return _nothing(wanted, _why_nothing(text, said, cut))
    claims = one_answer(answers)
    values, missing = settle_claims(claims, wanted, _CUT if cut else _NOT_THERE)
    extra = tuple(dict.fromkeys(storable_text(key[:80]) for key in claims.extra))
    return ParsedReply(values, missing, claims.repaired, extra, _open(wanted))


def _said(text: str, names: Names, wanted: list[str]) -> list[Claims]:
    """What a reply claims, object by object; without any, what its lines claim."""
    found = find_objects(text)
    said = [_claims(tree, mended, names) for tree, mended in found.whole]
    if found.broken:
        said.append(salvage(found.broken, names))
    if any(claims.of for claims in said):
        return said
    inner = [_claims(tree, True, names) for claims in said for tree in claims.within_strings]
    if sum(bool(claims.of) for claims in inner) == 1:
        return inner
    if found.whole or not text.strip():
        return said
    lines = read_lines(text, names)
    if not lines.of and len(wanted) == 1 and len(text) <= _SHORT:
        lines.add(wanted[0], Claim(storable_text(text.strip(" \n\t*`\"'"))))
    return [*said, lines]


def without_thinking(text: str) -> str:
    r"""The reply without what stands between `<think>` and `</think>`; a draft in there is no value.

    What was never closed is thinking to the end; what was never opened, as some servers cut it, is thinking from the
    beginning. A tag inside a string of the answer is somebody's words.

    >>> without_thinking('<think>{"a": 0}? 아니다</think>\n{"a": 1}')
    '\n{"a": 1}'
    >>> without_thinking('{"a": 0}</think>{"a": 1}'), without_thinking('<think>{"a": 0}')
    ('{"a": 1}', '')
    >>> without_thinking('<|channel|>analysis<|message|>{"a": 0}<|channel|>final<|message|>{"a": 1}')
    '{"a": 1}'
    >>> without_thinking('{"evidence": "<think>라고 적음"}')
    '{"evidence": "<think>라고 적음"}'
    """
    kept: list[str] = []
    position, thinking = 0, False
    for tag in _TAG.finditer(text):
        if _is_quoted(text, tag.start()):
            continue
        closes = bool(tag[1] or tag[2])
        if not closes and not thinking:
            kept.append(text[position : tag.start()])
        elif closes and not thinking:
            kept.clear()
        position, thinking = tag.end(), not closes
    return "".join(kept) + ("" if thinking else text[position:])


def _is_quoted(text: str, at: int) -> bool:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return len(_QUOTE.findall(line)) % 2 == 1


def _unquoted(text: str) -> str:
    """A reply that is nothing but a JSON string, with or without its own quotes, as what it says."""
    start = text.strip()
    if start[:1] != '"' and not start.startswith('{\\"'):
        return text
    try:
        inner = json.loads(start if start[:1] == '"' else f'"{start}"', strict=False)
    except ValueError:
        return text
    return inner if isinstance(inner, str) else text


def unanswered(rubric: Rubric, only: Collection[str] | None, why: Text) -> ParsedReply:
    """No value at all of what was asked, for one reason."""
    request = enquiry(rubric, only)
    return _named(_nothing(asked_parts(request.rubric, request.only), why), request.own)


def _nothing(wanted: Mapping[str, Rateable], why: Text) -> ParsedReply:
    """No value at all, for one reason."""
    return ParsedReply({}, dict.fromkeys(wanted, why), open=_open(wanted))


def _claims(tree: Any, mended: bool, names: Names) -> Claims:
    claims = claims_of(tree, names)
    claims.repaired |= mended
    return claims


def _why_nothing(text: str, said: list[Claims], cut: bool) -> Text:
    if any(claims.of for claims in said):
        return _ECHO
    error = next((claims.error for claims in said if claims.error), "")
    if error:
        return Text(f"오류를 담은 응답: {error}", f"an error in place of an answer: {error}")
    if cut:
        return _CUT
    start = " ".join(text.split())[:80]
    return Text(f"평가가 없는 응답: {start}", f"no ratings in the reply: {start}")


def _is_echo(claims: Claims, rubric: Rubric) -> bool:
    """Whether an object is the prompt's own example: most of its elements have the example's evidence."""
    if len(claims.of) < 4:  # a few words can agree by chance
        return False
    examples = _examples(rubric)
    copied = sum(
        any(_tight(claim.evidence) == examples.get(name, "-") for claim in given)
        for name, given in claims.of.items()
    )
    return copied > _MOST_COPIED * len(claims.of)


def _may_echo(values: Mapping[str, GivenValue], rubric: Rubric) -> bool:
    """Whether an echo is possible: with most elements copied, one of the first quarter and one more is."""
    examples = _examples(rubric)
    if not examples:
        return False
    for name in islice(values, int((1 - _MOST_COPIED) * len(values)) + 1):
        evidence, example = values[name].evidence, examples.get(name)
        if example is None:
            continue
        last = evidence[-1:].casefold()  # nearly all differ in it, and it is soon looked at
        if (last == example[-1:] or last.isspace()) and _tight(evidence) == example:
            return True
    return False


def _tight(words: str) -> str:
    return "".join(words.split()).casefold()


@once_per_rubric
def _examples(rubric: Rubric) -> dict[str, str]:
    return {
        name: _tight(rateable.element.example.evidence)
        for name, rateable in rubric.rateables.items()
        if rateable.element is not None and rateable.element.example is not None
    }


@once_per_rubric
def _open_of(rubric: Rubric, only: tuple[str, ...] | None) -> frozenset[str]:
    return _open(asked_parts(rubric, only))


def _open(wanted: Mapping[str, Rateable]) -> frozenset[str]:
    return frozenset(name for name, rateable in wanted.items() if not rateable.scale.counted)
