"""Judges asked about items that were changed in one respect, in a study of their own, and what each change does to their scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from haechi.analysis.audit import audited_score
from haechi.data.item import Item
from haechi.data.judging_protocol import BACKWARDS, Decoding
from haechi.data.pair_order import B
from haechi.errors import HaechiError
from haechi.frozen import frozen
from haechi.prompt.variants import AS_IS, NAMES, VARIANTS, changed_side, manner_in, vary_item
from haechi.stats.figure import Figure, Lang
from haechi.stats.judge_effect import FEWEST, JudgeEffect, holm_effects, paired_effect
from haechi.stats.proportion import wilson
from haechi.stats.ratings import Floats
from haechi.store.display_order import read_shown
from haechi.store.draws import drawable
from haechi.store.folder import AUDIT, is_study
from haechi.store.item_sets import ItemSet, Member, keep_set
from haechi.study.scores import StoredStudy
from haechi.study.study import Study
from haechi.text import Lang as Language
from haechi.text import Text

if TYPE_CHECKING:  # who only reads an audit needs no judges
    from haechi.judge.asks import Judge, Per

ITEMS = 30
EMPTY = ("constant", "echo")
"""Changes that leave nothing of an answer: a judge should score them lower."""
_OF, _VARIANT, _CLUSTER = "audit_item", "audit_variant", "audit_cluster"


@frozen
class AuditedVariants:
    """What the changes do to one judge: as effects; and of the empty answers the share of items on which they did as well as the real one."""

    rater: str
    score: str
    items: int
    clustered: bool
    effects: Mapping[str, JudgeEffect]
    as_good: Mapping[str, Figure]

    @property
    def faults(self) -> tuple[str, ...]:
        """What should not be: a change that moves the score, and an empty answer that was not shown to score lower."""
        moved = [name for name, one in self.effects.items() if name not in EMPTY and one.found]
        return (*moved, *(name for name in EMPTY if name in self.effects and self._not_lower(name)))

    def _not_lower(self, name: str) -> bool:
        effect = self.effects[name]
        value = effect.points.value
        return value is not None and not (effect.found and value < 0)

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """For machines."""
        about = {"rater": self.rater, "score": self.score, "items": self.items, "clustered": self.clustered}
        effects = {name: one.as_json(lang) for name, one in self.effects.items()}
        good = {name: one.as_json(lang) for name, one in self.as_good.items()}
        return {**about, "effects": effects, "as_good": good, "faults": list(self.faults)}


def audit_study(study: Study, n: int = ITEMS) -> Study:
    """The study in the folder `audit` with so many drawn items and their variants; once drawn, they stay, and more are added to them."""
    from haechi.analysis.study_beside import study_beside

    with study.database.read() as connection:
        everything = drawable(connection)
    known = {
        item.id: item
        for item in study.items(everything)
        if item.kind == study.rubric.item and _has_answer(item)
    }
    if len(known) < FEWEST:
        found = Text(f"답이 있는 항목 {len(known):,}개", f"{len(known):,} items with an answer")
        expected = Text(f"{FEWEST}개 이상", f"at least {FEWEST}")
        raise HaechiError.of("--audit", found, expected, Text("항목을 더하세요", "add items"))
    # Which items are drawn is no secret; more items are drawn after those that were.
    order = Random("audit:0").sample(sorted(known), len(known))  # noqa: S311
    field = "base" if study.rubric.item == "pair" else study.scores().cluster
    items = [one for name in order[:n] for one in _variants(known[name], field)]
    return study_beside(study, study.folder / AUDIT, items)


def _has_answer(item: Item) -> bool:
    return vary_item(item, "longer") is not None


def _variants(item: Item, field: str | None) -> list[Item]:
    """The item as it is and with every change that can be made."""
    found = {AS_IS: item} | {key: made for key in VARIANTS if (made := vary_item(item, key)) is not None}
    manner = manner_in(item)
    if manner is None:
        found.pop("register", None)
    whose = item.meta.get(field) if field else None
    about = {_OF: item.id, _CLUSTER: item.id if whose is None else f"={whose}"} | (
        {"manner": manner} if manner else {}
    )
    if item.kind == "pair":
        about["side"] = changed_side(item)
    return [replace(one, id=f"{item.id}/{key}", meta={**about, _VARIANT: key}) for key, one in found.items()]


def audit_judges(
    audited: Study,
    models: Sequence[str],
    per: Per = "rubric",
    lang: Language = "ko",
    decoding: Decoding | None = None,
) -> list[Judge]:
    """Every model as it is, and where a rubric has several criteria that are asked at once, with the criteria the other way round."""
    from haechi.judge.judges import judges_of

    judges: list[Judge] = []
    for judge in judges_of(audited, list(models), per, lang, decoding=decoding):
        judges.append(judge)
        if judge.per == "rubric" and sum(one.scale.counted for one in audited.rubric.criteria) > 1:
            judges.append(replace(judge, backwards=True, among=_as_they_are(audited)))
    return judges


def _as_they_are(audited: Study) -> str:
    """The set of the items that were not changed."""
    members = tuple(Member(item.id, AS_IS) for item in audited.items() if item.meta[_VARIANT] == AS_IS)
    with audited.database.write_alone() as connection:
        return keep_set(
            connection, ItemSet(f"{AS_IS}-{len(members)}", "tried", {"items": len(members)}, members)
        ).name


def audited_of(study: StoredStudy) -> Study | None:
    """The audit of a study, None where none was begun."""
    folder = study.folder / AUDIT
    return Study(folder) if is_study(folder) else None


def audited_variants(audited: Study, score: str | None = None) -> tuple[AuditedVariants, ...]:
    """What the changes do to every judge that was asked about them; score: of which score, the main one if not said."""
    table = audited.rated_scores()
    own = table.frame.filter(pl.col("kind") == "ai") if table.rows else pl.DataFrame()
    given = [name for name in table.names if own.height and own[name].null_count() < own.height]
    if not given:
        return ()
    name = audited_score(audited.rubric, given, score)
    rows = own.filter(pl.col(name).is_not_null())
    found = _Given.of(audited, rows.select("item", "rater", "replicate", name))
    plain = [rater for rater in found.raters if not rater.endswith(BACKWARDS)]
    return tuple(_effects(rater, name, found) for rater in plain)


@frozen
class _Given:
    """What judges gave: by judge and variant the scores in the order of the items that were drawn, NaN where there is none.

    Of a pair the score is whether the answer won that is changed; firsts: by judge the share of votes on the pair as it is that went
    to what was shown first, where both orders were.
    """

    raters: list[str]
    clusters: list[str]
    plain: Floats
    scores: Mapping[tuple[str, str], Floats]
    firsts: Mapping[str, Floats]

    @classmethod
    def of(cls, audited: Study, rows: pl.DataFrame) -> _Given:
        items = {item.id: item.meta for item in audited.items()}
        base = [meta for meta in items.values() if meta[_VARIANT] == AS_IS]
        at = {meta[_OF]: place for place, meta in enumerate(base)}
        with audited.database.read() as connection:
            orders = {(item, rater, number): first for item, rater, number, first in read_shown(connection)}
        values: dict[tuple[str, str], list[list[float]]] = {}
        firsts: dict[str, list[dict[str, float]]] = {}
        for item, rater, number, value in rows.iter_rows():
            meta = items[item]
            place, variant = at[meta[_OF]], meta[_VARIANT]
            own = 1 - value if meta.get("side") == B else value
            values.setdefault((rater, variant), [[] for _ in base])[place].append(own)
            if variant == AS_IS and (first := orders.get((item, rater, number))) is not None:
                seen = firsts.setdefault(rater, [{} for _ in base])[place]
                seen[first] = value if first == "ab" else 1 - value
        return cls(
            list(dict.fromkeys(rater for rater, _ in values)),
            [str(meta[_CLUSTER]) for meta in base],
            np.array([float(meta.get("manner") == "plain") for meta in base]),
            {key: np.array([np.mean(one) if one else np.nan for one in own]) for key, own in values.items()},
            {
                rater: np.array([np.mean([*one.values()]) if len(one) == 2 else np.nan for one in own])
                for rater, own in firsts.items()
            },
        )

    def variant(self, rater: str, key: str) -> Floats:
        """The scores of one variant."""
        return self.scores.get((rater, key), np.full(len(self.clusters), np.nan))


def _effects(rater: str, score: str, given: _Given) -> AuditedVariants:
    as_is = given.variant(rater, AS_IS)
    found = {}
    for key in NAMES:
        pair = _sides(rater, key, as_is, given)
        if pair is not None:
            found[key] = paired_effect(*pair, given.clusters)
    good = {}
    for key in EMPTY:
        changed = given.variant(rater, key)
        known = ~(np.isnan(changed) | np.isnan(as_is))
        if int(known.sum()) >= FEWEST:
            good[key] = wilson(int((changed[known] >= as_is[known]).sum()), int(known.sum()))
    n, many = int((~np.isnan(as_is)).sum()), len(set(given.clusters))
    return AuditedVariants(rater, score, n, many < len(given.clusters), holm_effects(found), good)


def _sides(rater: str, key: str, as_is: Floats, given: _Given) -> tuple[Floats, Floats] | None:
    """What is compared with what; None where nothing of it was asked."""
    changed = given.variant(rater, key)
    if key == "name":
        sides = given.variant(rater, "strong_name"), given.variant(rater, "weak_name")
    elif key == "register":  # always polite − plain, whichever of the two the answer was
        sides = np.where(given.plain, changed, as_is), np.where(given.plain, as_is, changed)
    elif key == "criteria_order":
        sides = given.variant(rater + BACKWARDS, AS_IS), as_is
    elif key == "position":  # half of the votes would go to the first if nothing but the answers counted
        first = given.firsts.get(rater, np.full(as_is.size, np.nan))
        sides = first, np.full(as_is.size, 0.5)
    else:
        sides = changed, as_is
    asked = ~(np.isnan(sides[0]) | np.isnan(sides[1]))
    return sides if asked.any() else None
