"""Whether two sides were measured in the same way: how every judge was asked on each, and what differs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Literal

from haechi.data.judging_protocol import WORDS
from haechi.frozen import frozen
from haechi.store.judging_protocols import ProtocolUse
from haechi.text import Text

DECIDES = ("rubric", "model", "version", "prompt", "per", "lang", "temperature", "effort", "examples")
"""What makes ratings another measurement where it differs; a seed, a token limit, an SDK or a price does not."""
Values = tuple[str, ...]
Ways = Mapping[str, Mapping[str, Values]]
"""How judges were asked: by rater what is known of it, with all the values that it had."""
Comparable = Literal["comparable", "bridged", "not comparable"]


def ways_of(asked: Iterable[ProtocolUse]) -> dict[str, dict[str, Values]]:
    """How every judge was asked. Where another tool asked, only the model that answered is known.

    >>> ways_of([ProtocolUse("gpt", None, "gpt-2026-01", 3, "", ""), ProtocolUse("gpt", None, "gpt-2026-07", 1, "", "")])
    {'gpt': {'version': ('gpt-2026-01', 'gpt-2026-07')}}
    """
    found: dict[str, dict[str, set[str]]] = {}
    for way in asked:
        own = found.setdefault(way.rater, {})
        for what, value in way_of(way).items():
            own.setdefault(what, set()).add(value)
    return {
        rater: {what: tuple(sorted(values)) for what, values in own.items()} for rater, own in found.items()
    }


def way_of(asked: ProtocolUse) -> dict[str, str]:
    """What is known of one way of asking, of all that decides ratings."""
    parts = asked.asking.parts if asked.asking is not None else {}
    known = {what: _written(parts[what]) for what in DECIDES if what in parts}
    return known | ({"version": asked.version} if asked.version else {})


def _written(value: Any) -> str:
    return "" if value is None else str(value)


@frozen
class JudgingDifference:
    """One thing about a judge that is not the same on all sides; `sides` has the label of each with the values there."""

    rater: str
    what: str
    sides: tuple[tuple[str, Values], ...]

    @property
    def words(self) -> Text:
        """For people.

        >>> JudgingDifference("gpt", "version", (("A", ("gpt-2026-01",)), ("B", ("gpt-2026-07",)))).words.en
        'gpt: model version that answered (A gpt-2026-01, B gpt-2026-07)'
        """
        name, none = WORDS[self.what], Text("지정 안 함", "not set")
        ko, en = (
            ", ".join(
                f"{label} {' · '.join(one or none.say(lang) for one in values)}"
                for label, values in self.sides
            )
            for lang in ("ko", "en")
        )
        return Text(f"{self.rater}: {name.ko}({ko})", f"{self.rater}: {name.say('en')} ({en})")

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        sides = [{"side": label, "values": list(values)} for label, values in self.sides]
        return {"rater": self.rater, "what": self.what, "sides": sides}


@frozen
class Comparability:
    """Whether figures over the judges of two sides can be compared: yes, over a bridge of anchors, or not, and why."""

    differences: tuple[JudgingDifference, ...] = ()
    bridged: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    """Judges of whom one side only says how they were asked."""

    @property
    def apart(self) -> tuple[str, ...]:
        """The judges that were asked otherwise and are not bridged: on the two sides they are two raters."""
        found = dict.fromkeys(one.rater for one in self.differences)
        return tuple(rater for rater in found if rater not in self.bridged)

    @property
    def how(self) -> Comparable:
        """The answer in a word."""
        if self.apart:
            return "not comparable"
        return "bridged" if self.bridged else "comparable"

    @property
    def named(self) -> Text | None:
        """What differs or may differ, in words; None where nothing does."""
        parts = []
        if self.differences:
            ko, en = ("; ".join(one.words.say(lang) for one in self.differences) for lang in ("ko", "en"))
            parts.append(Text(f"다르게 물은 AI 평가자 — {ko}.", f"Judges that were not asked alike — {en}."))
        if self.unknown:
            names = ", ".join(self.unknown)
            parts.append(
                Text(
                    f"{names}: 어떻게 물었는지(모델 버전, 프롬프트)가 한쪽에만 기록되어 있어 같은지 알 수 없습니다.",
                    f"{names}: only one side says how it was asked (model version, prompt), so a change cannot be ruled out.",
                )
            )
        return Text(*(" ".join(one.say(lang) for one in parts) for lang in ("ko", "en"))) if parts else None


COMPARABLE = Comparability()


def comparability(
    before: Ways,
    after: Ways,
    bridged: Sequence[str] = (),
    raters: Collection[str] = (),
) -> Comparability:
    """What differs between two sides, A and B, in how judges of the same name were asked.

    What is not known of one side is not compared: nothing is guessed. `bridged`: judges whose old and new ratings are
    linked by anchors; `raters`: those of both sides.

    >>> old, new = {"gpt": {"version": ("gpt-01",)}}, {"gpt": {"version": ("gpt-07",), "temperature": ("0.0",)}}
    >>> found = comparability(old, new)
    >>> found.how, found.apart, comparability(old, new, ["gpt"]).how, comparability(old, old).how
    ('not comparable', ('gpt',), 'bridged', 'comparable')
    """
    found = differences({"A": before, "B": after})
    names = {one.rater for one in found}
    unknown = tuple(rater for rater in raters if (rater in before) != (rater in after))
    return Comparability(found, tuple(one for one in bridged if one in names), unknown)


def differences(sides: Mapping[str, Ways]) -> tuple[JudgingDifference, ...]:
    """What is not the same on all sides, judge by judge; only sides that know it are compared.

    >>> old, new = {"gpt": {"lang": ("ko",)}}, {"gpt": {"lang": ("en",)}}
    >>> [one.words.en for one in differences({"Q1": old, "Q2": new, "Q3": {}})]
    ['gpt: language of the prompt (Q1 ko, Q2 en)']
    """
    found = []
    for rater in dict.fromkeys(rater for own in sides.values() for rater in own):
        for what in DECIDES:
            known = {label: own[rater][what] for label, own in sides.items() if what in own.get(rater, {})}
            if len(set(known.values())) > 1:
                found.append(JudgingDifference(rater, what, tuple(known.items())))
    return tuple(found)
