"""Text in Korean and English, and the choice between them."""

from __future__ import annotations

import os
import os.path
from collections import namedtuple
from contextvars import ContextVar

TYPE_CHECKING = False  # typing itself would double the time that `haechi --help` takes
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable
    from typing import Literal, NamedTuple

    Lang = Literal["ko", "en"]

    class _Pair(NamedTuple):
        ko: str
        en: str = ""
else:
    Lang = str
    _Pair = namedtuple("_Pair", ("ko", "en"), defaults=("",))

BETWEEN = "\x1f"
"""What stands between the two languages of kept words: the sign for it since ASCII, which nobody writes."""
_chosen: Lang | None = None
_spoken: ContextVar[Lang | None] = ContextVar("_spoken", default=None)


class Text(_Pair):
    """One thing said in both languages; Korean is the instrument, English stands beside it.

    >>> Text("합리성", "Sensibleness").say("en")
    'Sensibleness'
    >>> Text("합리성").say("en")
    '합리성'
    """

    __slots__ = ()

    def say(self, lang: Lang | None = None) -> str:
        """The text in `lang`, by default in the language of this process."""
        return (self.en if (lang or language()) == "en" else self.ko) or self.ko or self.en

    @property
    def kept(self) -> str:
        """Both languages in one string, for a place that keeps words: whoever shows them chooses.

        >>> Text.of_kept(Text("빈 응답", "an empty reply").kept).say("en"), Text.of_kept("빈 응답").say("en")
        ('an empty reply', '빈 응답')
        """
        parts = (part.replace(BETWEEN, " ") for part in (self if self.en else (self.ko,)))
        return BETWEEN.join(parts)

    @classmethod
    def of_kept(cls, kept: str) -> Text:
        """What was kept; words of one language, such as those of earlier versions, are said in both."""
        return cls(*kept.split(BETWEEN, 1))


def readable(name: str) -> str:
    """The name of a file as text that can be written anywhere: bytes that are no UTF-8 become a sign for that.

    >>> readable("\\udced\\udc95\\udc9c"), readable("bad\\udcff"), readable("\\ud800")
    ('한', 'bad�', '�')
    """
    # Python keeps such bytes as stand-ins; under another locale also those that are UTF-8.
    plain = "".join(
        "\ufffd" if "\ud800" <= sign < "\udc80" or "\udcff" < sign <= "\udfff" else sign for sign in name
    )
    return plain.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def quoted(path: object) -> str:
    """A path as it can be pasted into a shell.

    >>> quoted("my study"), quoted("diaries")
    ("'my study'", 'diaries')
    """
    from shlex import quote

    return quote(str(path))


def cut(words: str, most: int) -> str:
    """Words of at most so many signs; the last one says that there were more.

    >>> cut("a long name", 7), cut("short", 7)
    ('a long…', 'short')
    """
    return words if len(words) <= most else words[: most - 1] + "…"


def first_few(names: Collection[str], most: int) -> str:
    """The first names of a list, and whether there are more.

    >>> first_few(["d1", "d2", "d3"], 2), first_few(["d1"], 2)
    ('d1, d2 …', 'd1')
    """
    from itertools import islice

    return ", ".join(islice(names, most)) + (" …" if len(names) > most else "")


def plural(count: int, word: str, many: str = "") -> str:
    """So many of something, in English; many: its plural, where that is not made with an s.

    >>> plural(1, "item"), plural(2_000, "item"), plural(3, "reply", "replies")
    ('1 item', '2,000 items', '3 replies')
    """
    return f"{count:,} {word}" if count == 1 else f"{count:,} {many or word + 's'}"


def dollars(amount: float) -> str:
    """An amount to a hundredth of a cent: calls are cheap.

    >>> dollars(1_234.5)
    '$1,234.5000'
    """
    return f"${amount:,.4f}"


def nearest(wish: str, known: Iterable[str]) -> list[str]:
    """The names that somebody may have meant: a letter or two off, or only the beginning of one.

    >>> nearest("scor", ["demo", "score", "agree"]), nearest("diary", ["ubica", "diary-comment"])
    (['score'], ['diary-comment'])
    """
    from difflib import get_close_matches

    folded, wished = {name.casefold(): name for name in known}, wish.casefold()
    begun = [name for name in folded if len(wished) > 2 and name.startswith(wished)]
    close = get_close_matches(wished, folded, 3, 0.6)
    return [folded[name] for name in dict.fromkeys((*close, *begun))]


def did_you_mean(wish: str, known: Iterable[str]) -> Text | None:
    """The question that one asks back; None where nothing known is like the wish.

    >>> did_you_mean("--quite", ["--quiet", "--json"]), did_you_mean("xyz", ["--json"])
    (Text(ko='혹시 이것인가요: --quiet', en='did you mean --quiet?'), None)
    """
    meant = nearest(wish, known)
    return Text(f"혹시 이것인가요: {meant[0]}", f"did you mean {meant[0]}?") if meant else None


def choose_language(lang: Lang | None) -> None:
    """Fix the language of this process (what `--lang` does); None goes back to the environment's."""
    global _chosen  # noqa: PLW0603 - the one setting a process has
    _chosen = lang


def speak(lang: Lang | None) -> None:
    """Choose the language of this task or thread alone: a server answers everyone in their own.

    >>> from contextvars import copy_context
    >>> visitor = copy_context()
    >>> visitor.run(speak, "en"), visitor.run(Text("항목", "items").say)
    (None, 'items')
    """
    _spoken.set(lang)


def in_english(words: Callable[[], str]) -> str:
    """What is said in English whatever the language of this process: in a repr, among the names of Python.

    >>> in_english(Text("항목", "items").say)
    'items'
    """
    from contextvars import copy_context

    task = copy_context()
    task.run(speak, "en")
    return task.run(words)


def language() -> Lang:
    """That of the visitor who is answered, else `--lang`, else HAECHI_LANG, else an English locale means English, else Korean."""
    if spoken := _spoken.get():
        return spoken
    if _chosen:
        return _chosen
    wished = os.environ.get("HAECHI_LANG", "").lower()
    if wished in ("ko", "en"):
        return "ko" if wished == "ko" else "en"
    locale = os.environ.get("LC_ALL") or os.environ.get("LANG") or ""
    return "en" if locale.lower().startswith("en") else "ko"


def is_one_slip(one: str, other: str) -> bool:
    """Whether two words differ by one letter: left out, put in, mistaken, or two of them swapped. Digits never slip.

    >>> is_one_slip("partail", "partial"), is_one_slip("good", "goods"), is_one_slip("q1", "q2")
    (True, True, False)
    """
    start = _common(one, other)
    one, other = one[start:], other[start:]
    end = _common(one[::-1], other[::-1])
    one, other = one[: len(one) - end], other[: len(other) - end]
    slip = max(len(one), len(other)) == 1 or (len(one) == 2 and one == other[::-1])
    return slip and not any(sign.isdigit() for sign in one + other)


def _common(one: str, other: str) -> int:
    """How many signs two words begin with in common."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(one), len(other)))
