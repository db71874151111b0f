"""Who rated before and after: which raters two studies have in common, and what may be compared over them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any, Literal

import polars as pl

from haechi.analysis.comparability import COMPARABLE, Comparability
from haechi.frozen import frozen
from haechi.rubrics import Rubric
from haechi.scoring.batches import Batches
from haechi.text import Text

PanelMatch = Literal["same", "common", "people", "none", "unknown"]
_NAMED = 5


@frozen
class PanelChange:
    """What two panels have in common, and over whom a difference is taken.

    same: the raters are the same; common: over those who rated in both; people: all are people, nobody rated in both and
    nobody rated what another did, on either side, so that they are two independent samples of people; none: there is no
    rater in common, so there is no difference; unknown: what was kept does not say who rated. other_kind: names that
    both have for raters of another kind, with the kind before and after. asked: what differs in how judges of the same
    name were asked; one that was asked otherwise is another rater, unless anchors bridge it.
    """

    how: PanelMatch
    common: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    other_kind: tuple[tuple[str, str, str], ...] = ()
    asked: Comparability = field(default=COMPARABLE, repr=False)

    @property
    def why(self) -> Text:
        """Why no difference is taken, where none is."""
        return NO_COMMON if not self.asked.apart else asked_otherwise(self.asked)

    @property
    def words(self) -> Text | None:
        """What changed, and over whom the difference is therefore taken; None where the raters are the same."""
        if self.how == "same":
            return _bridged(self.asked)
        if self.how == "unknown":
            return Text(
                "기준 파일에 누가 평가했는지가 없어 평가자가 바뀌었는지 알 수 없습니다. 차이에는 평가자의 차이가 섞여 있을 수 있습니다.",
                "The baseline does not say who rated, so a changed panel cannot be ruled out: the difference may be that "
                "of the raters.",
            )
        parts = [self.asked.named] if self.asked.named and self.how != "none" else []
        parts += [
            Text(f"{ko}: {name_list(names).ko}.", f"{en}: {name_list(names).en}.")
            for ko, en, names in (
                ("늘어난 평가자", "Raters added", self.added),
                ("없어진 평가자", "Raters gone", self.removed),
            )
            if names
        ]
        for name, *kinds in self.other_kind:
            first, second = (_KINDS[kind] for kind in kinds)
            parts.append(
                Text(
                    f"이름이 같은 {name}의 종류가 다릅니다. A에서는 {first.ko}, B에서는 {second.ko}입니다.",
                    f"{name} is {first.en} in A and {second.en} in B.",
                )
            )
        if self.how == "none":
            parts.append(Text(f"{self.why.ko}.", f"{self.why.en[0].upper()}{self.why.en[1:]}."))
        else:
            parts.append(_over(self.how, self.common))
        return Text(" ".join(one.ko for one in parts), " ".join(one.en for one in parts))

    def as_json(self) -> dict[str, Any]:
        """For machines, the words in the language of this process."""
        said: dict[str, Any] = {"compared": self.how, "common": list(self.common), "added": list(self.added)}
        kinds = [{"rater": name, "before": first, "after": second} for name, first, second in self.other_kind]
        said |= {"removed": list(self.removed), "other_kind": kinds}
        if self.asked.differences:
            differences = [one.as_json() for one in self.asked.differences]
            bridged = list(self.asked.bridged)
            said["asked"] = {"comparable": self.asked.how, "differences": differences, "bridged": bridged}
        return said | {"words": self.words.say() if self.words else None}


_KINDS = {
    "human": Text("사람", "a person"),
    "ai": Text("AI 평가자", "an AI judge"),
    "code": Text("코드", "code"),
}
NO_COMMON = Text(
    "공통 평가자가 없어 차이를 계산하지 않습니다. 점수가 달라졌는지 평가자가 달라서인지 가릴 수 없습니다",
    "no rater is common to both, so no difference is taken: it could not be told from that of the raters",
)
NO_PAIR = Text(
    "같은 항목을 양쪽에서 평가한 평가자가 없어 차이를 계산하지 않습니다. 점수가 달라졌는지 평가자가 달라서인지 가릴 수 없습니다",
    "no item was rated by the same rater in both, so no difference is taken: it could not be told from that of the raters",
)


_ANCHORS_BEFORE = Text(
    "앞 스터디의 앵커를 지금 AI 평가자로 평가해 이으세요(haechi anchors)",
    "let the judge of today judge anchors of the earlier study (haechi anchors)",
)
ANCHORS_HERE = Text(
    "앵커를 뽑고(haechi anchors DIR --draw 40) 각 방식의 AI 평가자로 평가해 두 집단을 이으세요(haechi anchors DIR --model …)",
    "draw anchors (haechi anchors DIR --draw 40) and have them judged in each way (haechi anchors DIR --model …), which links two groups",
)


def asked_otherwise(asked: Comparability, anchors: Text = _ANCHORS_BEFORE) -> Text:
    """Why no difference is taken where judges of the same name were asked otherwise, and what would bridge it."""
    ko, en = (
        "; ".join(one.words.say(lang) for one in asked.differences if one.rater in asked.apart)
        for lang in ("ko", "en")
    )
    return Text(
        f"AI 평가자를 양쪽에서 다르게 물어 차이를 계산하지 않습니다. {ko}. 점수가 달라졌는지 AI 평가자가 달라졌는지 가릴 수 없습니다. "
        f"같은 방식으로 다시 평가하거나, {anchors.ko}",
        f"a judge was not asked alike on both sides, so no difference is taken: {en}. It could not be told from that of the judge; "
        f"judge again in the same way, or {anchors.say('en')}",
    )


def _bridged(asked: Comparability) -> Text | None:
    """What is to be said where the raters are the same: that it is not known of all, or that a bridge makes them so."""
    if asked.named is None or not asked.bridged:
        return asked.named
    names = name_list(asked.bridged)
    return Text(
        f"{asked.named.ko} 두 방식으로 모두 평가한 앵커로 {names.ko}의 앞 점수를 지금 척도로 옮겨 비교하며, 구간에는 그 연결의 불확실성이 들어 있습니다.",
        f"{asked.named.en} Anchors that were judged in both ways bring the earlier scores of {names.en} to the scale of "
        "today; the interval has the uncertainty of that link in it.",
    )


def _over(how: PanelMatch, common: Sequence[str]) -> Text:
    if how == "common":
        return Text(
            f"양쪽에 다 있는 평가자만으로 비교합니다: {name_list(common).ko}.",
            f"Compared over the raters common to both: {name_list(common).en}.",
        )
    return Text(
        "모두 사람이고 저마다 자기 항목만 평가했으므로, 서로 독립인 두 표본으로 보고 사람 단위로 비교합니다.",
        "All are people, and each rated items of their own: they are compared as two independent samples of people, "
        "one value each.",
    )


def name_list(names: Sequence[str]) -> Text:
    """Some names, and how many more there are.

    >>> name_list(["a", "b", "c", "d", "e", "f"]).en
    'a, b, c, d, e and 1 more'
    """
    shown, more = ", ".join(names[:_NAMED]), len(names) - _NAMED
    return Text(f"{shown} 외 {more:,}", f"{shown} and {more:,} more") if more > 0 else Text(shown, shown)


def panel_change(
    before: Mapping[str, str | None] | None,
    after: Mapping[str, str | None],
    nested: bool,
    asked: Comparability = COMPARABLE,
) -> PanelChange:
    """Compare two panels, each the kind of every rater, None where it is not known; `nested`: nobody rated what another did.

    asked: what differs in how judges were asked.

    >>> panel_change({"ann": "human"}, {"ann": "human", "gpt": "ai"}, False)
    PanelChange(how='common', common=('ann',), added=('gpt',), removed=(), other_kind=())
    >>> panel_change({"gpt": "ai"}, {"claude": "ai"}, False).how, panel_change(None, {"ann": "human"}, False).how
    ('none', 'unknown')
    >>> print(panel_change({"p1": "human", "p2": "human"}, {"p3": "human", "p4": "human"}, True).words.en)
    Raters added: p3, p4. Raters gone: p1, p2. All are people, and each rated items of their own: they are compared as two independent samples of people, one value each.
    """
    if before is None:
        return PanelChange("unknown")
    common = tuple(
        name
        for name, kind in before.items()
        if name in after and name not in asked.apart and (kind == after[name] or None in (kind, after[name]))
    )
    added = tuple(name for name in after if name not in before)
    removed = tuple(name for name in before if name not in after)
    other_kind = tuple(
        (name, kind, other)
        for name, kind in before.items()
        if name not in (*common, *asked.apart) and kind is not None and (other := after.get(name)) is not None
    )
    if not added and not removed and not other_kind and not asked.apart:
        return PanelChange("same", common, asked=asked)
    if common:
        return PanelChange("common", common, added, removed, other_kind, asked)
    people = {*before.values(), *after.values()} == {"human"} and min(len(before), len(after)) > 1
    return PanelChange("people" if people and nested else "none", (), added, removed, other_kind, asked)


def is_nested(*sides: Batches) -> bool:
    """Whether every item has one rater only, over all sides together: the same item on two sides has two."""
    items = [pl.Series("item", [], pl.String)]
    for rows in sides:
        for frame in rows(["item", "rater"]):
            items.append(frame.unique()["item"].cast(pl.String))
    return pl.concat(items).is_unique().all()


def code_scores(rubric: Rubric, names: Sequence[str]) -> list[str]:
    """The scores that code alone gives, whoever else rated.

    >>> import haechi
    >>> code_scores(haechi.rubric("hiring-agent"), ["intent", "accuracy", "overall"])
    ['accuracy']
    """
    parts = {derived.key: derived.parts for derived in rubric.scores}

    def by_code(name: str) -> bool:
        if name in parts:
            return all(map(by_code, parts[name]))
        criterion = rubric.criterion(name)
        return criterion is not None and criterion.rated_by == "code"

    return [name for name in names if by_code(name)]
