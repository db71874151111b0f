"""What moves the judges of a study, from what is stored: length, language, manner and other traits of the answers, and the order of two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import numpy as np
import polars as pl

from haechi.data.item import Item
from haechi.data.pair_order import systems_of
from haechi.errors import HaechiError
from haechi.frozen import frozen
from haechi.prompt.traits import Traits, answers_of, before_answers, traits_of, with_repeats
from haechi.rubrics import Rubric
from haechi.scoring.panel import means_by_item
from haechi.stats.figure import Figure, Lang
from haechi.stats.judge_effect import JudgeEffect, holm_effects, judge_effect, paired_effect
from haechi.stats.proportion import wilson
from haechi.stats.ratings import Floats
from haechi.store.display_order import read_shown
from haechi.study.scores import StoredStudy
from haechi.text import Text

MOST = 2_000
"""Items whose texts are looked at; of more, so many are drawn."""
SEED = 0
_FEWEST = 10  # items of a judge below which a single value or the same words say nothing
TRAITS = {
    "length": Text("두 배 긴 답", "an answer twice as long"),
    "language": Text("한국어 답 − 다른 언어", "Korean − another language"),
    "register": Text("존댓말 − 반말", "polite − plain speech"),
    "name": Text("시스템 이름이 나오는 답", "an answer that names a system"),
    "echo": Text("사용자의 말을 되풀이한 답", "an answer that repeats the user"),
    "repeated": Text("다른 항목에도 똑같이 나온 답", "an answer that other items have too"),
    "instruction": Text(
        "평가자에게 하는 말로 보이는 것이 든 답", "an answer that seems to speak to the judge"
    ),
    "position": Text("먼저 보인 답", "the answer shown first"),
}
"""What is looked for, in its order."""
_FIELDS = {
    "length": "length",
    "language": "korean",
    "register": "polite",
    "name": "named",
    "echo": "echo",
    "repeated": "repeated",
    "instruction": "instruction",
}


@frozen
class AuditedJudge:
    """What was found about one judge; one_value: the share of items to which it gave its most frequent score; same_words: the
    share of items about which it said word for word what it said about another answer."""

    rater: str
    n: int
    effects: Mapping[str, JudgeEffect]
    one_value: Figure | None
    same_words: Figure | None

    @property
    def gives_one_value(self) -> bool:
        """Whether it gave all of its items the same score."""
        return self.one_value is not None and self.one_value.value == 1.0

    @property
    def repeats_itself(self) -> bool:
        """Whether it says about more than half of its items what it says about others."""
        return self.same_words is not None and (self.same_words.value or 0) > 0.5

    @property
    def found(self) -> tuple[str, ...]:
        """The effects that were shown."""
        return tuple(name for name, one in self.effects.items() if one.found)

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """For machines."""
        effects = {name: one.as_json(lang) for name, one in self.effects.items()}
        more = {"one_value": self.one_value, "same_words": self.same_words}
        told = {name: None if one is None else one.as_json(lang) for name, one in more.items()}
        return {"rater": self.rater, "n": self.n, "effects": effects, **told, "found": list(self.found)}


@frozen
class Audit:
    """What moves the judges: of which score, over how many items (`looked` at, of `items` that judges rated), with people or without."""

    score: str
    items: int
    looked: int
    cluster: str | None
    with_people: bool
    judges: tuple[AuditedJudge, ...]

    @property
    def says_something(self) -> bool:
        """Whether a reader would want to know."""
        return any(one.found or one.gives_one_value or one.repeats_itself for one in self.judges)

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """For machines."""
        judges = [one.as_json(lang) for one in self.judges]
        about = {"score": self.score, "items": self.items, "looked": self.looked, "cluster": self.cluster}
        return {**about, "with_people": self.with_people, "judges": judges}


def audited_score(rubric: Rubric, given: Sequence[str], wished: str | None) -> str:
    """The score that is looked at: the main one of those that judges gave, or the one asked for, by its name or its criterion's."""
    if wished is None:
        return rubric.main_score(given)
    spelt = {criterion.key: criterion.score for criterion in rubric.criteria}
    name = spelt.get(wished, wished)
    if name not in given:
        expected = Text(f"다음 중 하나: {', '.join(given)}", f"one of {', '.join(given)}")
        todo = Text("--criterion을 고치세요", "correct --criterion")
        raise HaechiError.of("--criterion", wished, expected, todo)
    return name


def audit(study: StoredStudy, score: str | None = None) -> Audit | None:
    """What moves every AI judge of a study, from the ratings and texts that it has; None without one.

    score: of which score, a criterion's for instance; the main one if not said.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from haechi.demo import make_studies
    >>> studies = {study.name: study for study in make_studies(Path(tempfile.mkdtemp()) / "demo")}
    >>> found = audit(studies["maice-qac"])
    >>> found.score, [one.rater for one in found.judges][:1], found.judges[0].effects["length"].points.why.en
    ('total', ['gemini-2.5-flash'], 'at least 20 items are needed, there are 10')
    """
    scored = study.rated_scores()
    own = scored.frame.filter(pl.col("kind") == "ai") if scored.rows else pl.DataFrame()
    given = [name for name in scored.names if own.height and own[name].null_count() < own.height]
    if not given:
        return None
    name = audited_score(study.rubric, given, score)
    rows = scored.frame.select("item", "rater", "kind", "replicate", name)
    judged = rows.filter(pl.col("kind") == "ai", pl.col(name).is_not_null())
    ids = judged["item"].unique(maintain_order=True).to_list()
    # Which items are looked at is no secret; anybody can draw the same again.
    chosen = ids if len(ids) <= MOST else sorted(Random(SEED).sample(ids, MOST))  # noqa: S311
    items = [item for item in study.items(chosen) if answers_of(item)]
    field = study.scores().cluster if study.rubric.item != "pair" else "base"
    told = _Told.of(items, study, field)
    people = means_by_item(rows.filter(pl.col("kind") == "human"), name)
    positions = _positions(study, judged, name) if study.rubric.item == "pair" else {}
    words = _words(study, {item.id: "\0".join(answers_of(item)) for item in items})
    judges = [
        _judge(
            rater,
            judged.filter(pl.col("rater") == rater),
            name,
            told,
            people,
            positions.get(rater),
            words.get(rater),
        )
        for rater in judged["rater"].unique(maintain_order=True)
    ]
    shared = field if field is not None and len(set(told.clusters)) < len(items) else None
    return Audit(name, len(ids), len(items), shared, bool(people), tuple(judges))


@frozen
class _Told:
    """What is told of the items: their ids, clusters, and by trait how they differ; of a pair by how much the first differs from the second."""

    ids: list[str]
    clusters: list[str]
    traits: dict[str, Floats]

    @classmethod
    def of(cls, items: list[Item], study: StoredStudy, field: str | None) -> _Told:
        systems = {
            name for item in items for name in (*systems_of(item.meta), item.meta.get("system")) if name
        }
        answers = [answers_of(item) for item in items]
        own = [
            tuple(
                traits_of(text, before_answers(item), study.rubric, {str(one) for one in systems})
                for text in said
            )
            for item, said in zip(items, answers, strict=True)
        ]
        known = with_repeats(answers, own)
        whose = [
            str(item.meta.get(field)) if field and item.meta.get(field) is not None else item.id
            for item in items
        ]
        traits = {
            name: np.array([_difference(one, trait) for one in known]) for name, trait in _FIELDS.items()
        }
        return cls([item.id for item in items], whose, traits)


def _difference(told: tuple[Traits, ...], trait: str) -> float:
    first, *second = (float(getattr(one, trait)) for one in told)
    return first - second[0] if second else first


def _judge(
    rater: str,
    rows: pl.DataFrame,
    name: str,
    told: _Told,
    people: Mapping[str, float],
    positions: Mapping[str, float] | None,
    words: Figure | None,
) -> AuditedJudge:
    given = means_by_item(rows, name)
    scores = np.array([given.get(item, np.nan) for item in told.ids])
    human = np.array([people.get(item, np.nan) for item in told.ids]) if people else None
    effects = {
        trait: judge_effect(scores, values, human, told.clusters) for trait, values in told.traits.items()
    }
    if positions:
        # Half of the votes would go to what is shown first if nothing but the answers counted.
        first = np.array([positions.get(item, np.nan) for item in told.ids])
        effects["position"] = paired_effect(first, np.full(first.size, 0.5), told.clusters)
    return AuditedJudge(rater, len(given), holm_effects(effects), _one_value(list(given.values())), words)


def _one_value(values: list[float]) -> Figure | None:
    if len(values) < _FEWEST:
        return None
    return wilson(int(np.unique(np.round(values, 9), return_counts=True)[1].max()), len(values))


def _words(study: StoredStudy, answers: Mapping[str, str]) -> dict[str, Figure]:
    """By judge the share of its items about which it wrote the very words that it wrote about another answer."""
    given = study.ratings().filter(
        pl.col("kind") == "ai", pl.col("evidence").str.len_chars() > 0, replicate=1
    )
    if given.is_empty():
        return {}
    said = given.sort("criterion").group_by("rater", "item").agg(pl.col("evidence").str.join("\x00"))
    about = pl.col("item").replace_strict(answers, default=pl.col("item"), return_dtype=pl.String)
    times = (
        said.with_columns(about.alias("about"))
        .group_by("rater", "evidence")
        .agg(pl.len().alias("n"), (pl.col("about").n_unique() > 1).alias("again"))
    )
    counted = times.group_by("rater").agg(
        pl.col("n").filter(pl.col("again")).sum().alias("same"), pl.col("n").sum()
    )
    return {rater: wilson(int(same), int(n)) for rater, same, n in counted.iter_rows() if n >= _FEWEST}


def _positions(study: StoredStudy, judged: pl.DataFrame, name: str) -> dict[str, dict[str, float]]:
    """By judge the share of its votes on every pair that went to what it saw first, of pairs that it saw in both orders."""
    with study.database.read() as connection:
        orders = {(item, rater, number): first for item, rater, number, first in read_shown(connection)}
    votes: dict[tuple[str, str], list[tuple[str, float]]] = {}
    for item, rater, number, value in judged.select("item", "rater", "replicate", name).iter_rows():
        if (first := orders.get((item, rater, number))) is not None:
            votes.setdefault((rater, item), []).append((first, value if first == "ab" else 1 - value))
    found: dict[str, dict[str, float]] = {}
    for (rater, item), own in votes.items():
        sides = {first: [won for order, won in own if order == first] for first, _ in own}
        if len(sides) == 2:
            found.setdefault(rater, {})[item] = float(np.mean([np.mean(won) for won in sides.values()]))
    return found
