"""Evidence checked by code: does what a judge quotes stand where the judge says it stands?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from typing import Literal

from haechi.frozen import frozen
from haechi.prompt.folding import Letters, distance_within, fold, may_stand, places
from haechi.regex import regex

Status = Literal["verified", "wrong_message", "not_found", "no_quote"]
UNFOUNDED: Sequence[Status] = ("not_found", "wrong_message")
"""What becomes of a quote that is not where it is said to be."""
_WORST: Sequence[Status] = ("not_found", "wrong_message", "verified")

# One change in seven letters is tolerated: short quotes have to be exact, and so has a formula, which is made
# of signs and digits.
_LETTERS_PER_CHANGE = 7
_MOST_QUOTES = 20
_LONGEST = 5000  # judges are asked for 500 characters; what goes far beyond is no evidence to look up

# A closing quote is followed by what follows words (a particle, a space, a comma): f'(x) closes nothing.
_AFTER = r"(?=[\s,.!?)\]}…·/:;]|[가-힣]|$)"
# Every way to quote begins with its sign, so that all else is passed over at once; what stands before ' is asked behind it.
_QUOTE = regex(
    rf"'(?<![A-Za-z0-9]')(?P<a>[^\n]+?)'{_AFTER}|\"(?P<b>[^\"\n]+)\"|‘(?P<c>[^’\n]+)’|“(?P<d>[^”\n]+)”"
    r"|「(?P<e>[^」\n]+)」|『(?P<f>[^』\n]+)』"
)
_NUMBERS = r"\[\s*(\d{1,6}(?:\s*(?:[,·~\-–]|및|와|과|and)\s*\d{1,6})*)\s*\]"
_WORD = r"(?:메시지|대화|발화|턴|질문|답변|응답|messages?|msgs?|turns?)"
_CITED = regex(rf"{_WORD}\s*{_NUMBERS}|{_NUMBERS}\s*번?(?:째)?\s*{_WORD}", re.IGNORECASE)
_BARE = regex(_NUMBERS)
_ELISION = regex(r"\.{2,}|…+|\[\s*(?:중략|생략)\s*\]|\(\s*(?:중략|생략)\s*\)")
_ABSENT = regex(r"없|않|못|부재|\b(?:no|not|never|without|lacks?|lacking|missing|absent)\b", re.IGNORECASE)


@frozen
class Transcript:
    """The messages of one item, folded once for all the evidence about it."""

    messages: tuple[str, ...]

    @cached_property
    def folded(self) -> tuple[str, ...]:
        """The messages as they are compared."""
        return tuple(fold(message) for message in self.messages)

    def holding(self, quote: str) -> tuple[int, ...]:
        """The indexes of the messages in which a quote stands, exactly or nearly."""
        if quote not in self._held:  # raters quote the same words again and again
            self._held[quote] = tuple(self.holders(quote))
        return self._held[quote]

    @cached_property
    def _held(self) -> dict[str, tuple[int, ...]]:
        return {}

    def holders(self, quote: str) -> Iterator[int]:
        """As `holding`, one after the other: who needs to know of one looks no further."""
        if all(may_stand(part, self._whole, most) for part, most in _parts(quote)):
            yield from (index for index in range(len(self.messages)) if self.holds(quote, index))

    def holds(self, quote: str, index: int) -> bool:
        """Whether a quote stands in one message, which there may not be."""
        if index >= len(self.folded):
            return False
        for part, most in _parts(quote):
            if distance_within(part, self.folded[index], most) is None:
                return False
        return True

    @cached_property
    def _whole(self) -> str:
        return "\n".join(self.folded)  # which no folded quote holds

    @cached_property
    def looked_up(self) -> dict[str, list[tuple[str, Status]]]:
        """What became of the quotes of evidence about it that was looked up: figures and pages ask about the same."""
        return {}

    def located(self, quote: str, index: int) -> tuple[tuple[int, int], ...]:
        """Where the parts of a quote stand in the message that holds it.

        >>> text = "꼭짓점부터 찾고 그래프를 그려 봅시다"
        >>> [text[start:end] for start, end in Transcript((text,)).located("꼭짓점부터 … 그려", 0)]
        ['꼭짓점부터', '그려']
        """
        if index not in self._letters:
            self._letters[index] = Letters.of(self.messages[index])
        found = (places(part, self._letters[index], most) for part, most in _parts(quote))
        return tuple(span for span in found if span is not None)

    @cached_property
    def _letters(self) -> dict[int, Letters]:
        return {}


@lru_cache(maxsize=64)  # the figures and the pages of a report ask about the same items, one after the other
def transcript_of(messages: tuple[str, ...]) -> Transcript:
    """The transcript of an item's messages, which is folded once for all who ask."""
    return Transcript(messages)


@frozen
class Quote:
    """One quote, what became of it, and the messages in which it stands."""

    text: str
    status: Status
    found_in: tuple[int, ...]


@frozen
class EvidenceCheck:
    """What a check of one piece of evidence found; the worst quote decides."""

    status: Status
    quotes: tuple[Quote, ...]


def check(evidence: str, transcript: Transcript) -> EvidenceCheck:
    """Look up the quotes of a piece of evidence in the messages it cites.

    A quote in none of the cited messages but in another one is `wrong_message`; without a citation every
    message counts. Words that the evidence says are absent ("'이해했나요?' 등이 없음") are no quotes,
    unless a message is cited.

    >>> talk = Transcript(("이차함수 그래프를 그리고 싶어요", "꼭짓점부터 찾아봅시다."))
    >>> check("메시지[0]에서 '그래프를 그리고 싶어요'라고 목표를 밝힘", talk).status
    'verified'
    >>> check("메시지[0]에서 “꼭짓점부터”라고 함", talk).status, check("적절한 용어 사용", talk).status
    ('wrong_message', 'no_quote')
    """
    found = _found(evidence, transcript)
    quotes = tuple(Quote(text, status, transcript.holding(text)) for text, status in found)
    return EvidenceCheck(_worst(found), quotes)


def status_of(evidence: str, transcript: Transcript) -> Status:
    """What `check` comes to, without where every quote stands: figures ask it of all evidence there is.

    >>> status_of("메시지[1]에서 '그래프'를 언급", Transcript(("이차함수 그래프", "꼭짓점부터")))
    'wrong_message'
    """
    return _worst(_found(evidence, transcript))


def _found(evidence: str, transcript: Transcript) -> list[tuple[str, Status]]:
    if evidence not in transcript.looked_up:
        transcript.looked_up[evidence] = _look_up(evidence[:_LONGEST], transcript)
    return transcript.looked_up[evidence]


def _look_up(evidence: str, transcript: Transcript) -> list[tuple[str, Status]]:
    cited = citations(evidence)
    found = [(text, _status(text, cited, transcript)) for text in quotations(evidence)]
    if not cited and found and _ABSENT.search(evidence):
        return [(text, status) for text, status in found if status != "not_found"]
    return found


def _worst(found: Sequence[tuple[str, Status]]) -> Status:
    return min((status for _, status in found), key=_WORST.index, default="no_quote")


def _status(quote: str, cited: tuple[int, ...], transcript: Transcript) -> Status:
    for index in cited:
        if transcript.holds(quote, index):
            return "verified"
    if next(transcript.holders(quote), None) is None:
        return "not_found"
    return "wrong_message" if cited else "verified"


def quotations(evidence: str) -> tuple[str, ...]:
    """The quoted words in a piece of evidence.

    >>> quotations("메시지[2]에서 'f'(x)=2x'와 \\"기울기\\", 「접선」을 언급")
    ("f'(x)=2x", '기울기', '접선')
    """
    found = [match[match.lastindex or 0] for match in _QUOTE.finditer(evidence)]
    return tuple(text for text in found if _parts(text) or fold(text))[:_MOST_QUOTES]


def citations(evidence: str) -> tuple[int, ...]:
    """The numbers of the cited messages; numbers in brackets inside a quote are the quote's own.

    >>> citations("메시지[2,4]와 [7]번 메시지"), citations("message [3~5]"), citations("구간 '[0,1]'에서")
    ((2, 4, 7), (3, 4, 5), ())
    """
    if "[" not in evidence:
        return ()
    outside = _QUOTE.sub(" ", evidence)
    groups = [behind or before for behind, before in _CITED.findall(outside)] or _BARE.findall(outside)
    return tuple(dict.fromkeys(number for group in groups for number in _numbers(group)))


@lru_cache(maxsize=256)  # most evidence cites one of the first messages
def _numbers(group: str) -> tuple[int, ...]:
    numbers: list[int] = []
    for part in re.split(r"[,·]|및|와|과|and", group):
        ends = [int(end) for end in re.findall(r"\d+", part)]
        last = min(ends[-1], ends[0] + 1000)
        numbers += range(ends[0], last + 1) if len(ends) == 2 else ends
    return tuple(numbers)


@lru_cache(maxsize=256)  # a quote is asked about several times in a row
def _parts(quote: str) -> tuple[tuple[str, int], ...]:
    """What stands between the elisions of a quote, folded, and how many changes of each are tolerated."""
    folded = [fold(part) for part in _ELISION.split(quote)]
    return tuple([(part, _letters(part) // _LETTERS_PER_CHANGE) for part in folded if part])


def _letters(part: str) -> int:
    return len(part) if part.isalpha() else sum(map(str.isalpha, part))
