"""Scores of criteria that items bring: a row for every criterion of every rated item, and what these rows come to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from haechi.data.item import Item
from haechi.data.line_names import own_criteria
from haechi.data.own_criteria import own_criteria_of, why_unscorable
from haechi.rubrics.model import Missing, Rubric
from haechi.rubrics.parts import Criterion, Derived
from haechi.rubrics.scales import OwnCriterion
from haechi.scoring.judge_panel import PanelRater, settle
from haechi.text import Text

_ASKED: dict[str, Any] = {
    "item": pl.String,
    "key": pl.String,
    "text": pl.String,
    "points": pl.Float64,
    "tags": pl.List(pl.String),
}
_SHOWN, _LONGEST = 3, 40


def asked_criteria(items: Iterable[Item]) -> pl.DataFrame:
    """The criteria that items bring: item, key, text, points, tags; in their order.

    >>> item = Item("q1", "reply", {"criteria": [{"text": "기한을 알려 준다", "points": 5, "key": "due"}]}, {})
    >>> asked_criteria([item]).rows()
    [('q1', 'due', '기한을 알려 준다', 5.0, [])]
    """
    rows = [
        (item.id, one.key, one.text, one.points, list(one.tags))
        for item in items
        for one in own_criteria_of(item.content)
    ]
    return pl.DataFrame(rows, schema=_ASKED, orient="row")


def verdicts(ratings: pl.DataFrame, rubric: Rubric, asked: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    """Every criterion of every item for everyone who rated one of them; `met` is null where they did not say.

    Columns: the keys of a row, `of` (the rubric's criterion), `criterion` (the name of the ratings), key, text, points, tags, met.
    What was said about a criterion that the item no longer has counts for nothing.
    """
    pieces = []
    for criterion in own_criteria(rubric):
        prefix = f"{criterion.key}."
        named = asked.with_columns(criterion=prefix + pl.col("key"), of=pl.lit(criterion.key))
        met = pl.col("value").cast(pl.Float64, strict=False)
        given = ratings.filter(pl.col("criterion").str.starts_with(prefix)).select(
            *keys, "criterion", met=met
        )
        given = given.join(named.select("item", "criterion"), on=["item", "criterion"], how="semi")
        rated = given.select(keys).unique(maintain_order=True)
        everything = rated.join(named, on="item", maintain_order="left_right")
        pieces.append(
            everything.join(
                given, on=[*keys, "criterion"], how="left", nulls_equal=True, maintain_order="left"
            )
        )
    order = [*keys, "of", "criterion", "key", "text", "points", "tags", "met"]
    return pl.concat([piece.select(order) for piece in pieces])


def in_one_voice(told: pl.DataFrame, judges: PanelRater) -> tuple[pl.DataFrame, PanelRater]:
    """The same with the AI judges as one rater, who says what they say together of each criterion; and the panel with these votes too."""
    theirs = told.filter(pl.col("kind") == "ai")
    settled, dissent, votes = settle(
        theirs.select("item", "rater", name="criterion", points="met"), judges.way
    )
    of = ["item", "criterion"]
    voice = theirs.drop("met").unique(of, keep="first", maintain_order=True)
    made = voice.join(
        settled.select("item", criterion="name", met="points"), on=of, how="left", maintain_order="left"
    ).with_columns(rater=pl.lit(judges.rater), replicate=pl.lit(1, pl.Int64))
    people = told.filter(pl.col("kind") != "ai")
    panel = replace(judges, dissent=pl.concat([judges.dissent, dissent]), votes=judges.votes + votes)
    return pl.concat([people, made.select(told.columns)], how="vertical_relaxed"), panel


def own_scores(
    wide: pl.DataFrame, told: pl.DataFrame, rubric: Rubric, policy: Missing, keys: list[str]
) -> pl.DataFrame:
    """The rows with a column for every list of own criteria, one for each of its tags that is a score, and why they are null (`!NAME`).

    told: `verdicts`.
    """
    for criterion in own_criteria(rubric):
        mine = told.filter(pl.col("of") == criterion.key)
        wide = _with_score(wide, mine, criterion, criterion.score, policy, keys)
        for derived in tag_scores(rubric, criterion):
            tagged_rows = mine.filter(_has_tag(derived))
            wide = _with_score(wide, tagged_rows, criterion, derived.key, policy, keys)
    return wide


def tag_scores(rubric: Rubric, criterion: Criterion) -> list[Derived]:
    """The scores of single tags of a list of own criteria."""
    return [one for one in rubric.scores if one.by == "tag" and one.parts == (criterion.score,)]


def means_tag(derived: Derived, tags: Sequence[str]) -> bool:
    """Whether tags have that of which a score is made: its key or its name, in either language."""
    return OwnCriterion.of("", 0, tuple(tags)).says(derived.key, *filter(None, derived.name))


def _has_tag(derived: Derived) -> pl.Expr:
    return pl.col("tags").map_elements(lambda tags: means_tag(derived, tags), return_dtype=pl.Boolean)


def shares(told: pl.DataFrame, policy: Missing, keys: list[str]) -> pl.DataFrame:
    """What was earned of what is possible, for every row of the keys: earned, possible, and `share`, which nobody has cut yet.

    `share` is null where a criterion was not answered or no points can be reached; `reachable` are the positive points of
    all criteria, `silent` and `unsaid` the criteria without an answer.
    """
    met = pl.col("met").fill_null(0.0) if policy == "unmet" else pl.col("met")
    counted = met.is_not_null() if policy == "renormalise" else pl.lit(True)
    silent = pl.when(pl.col("met").is_null()).then(_short())
    made = told.group_by(keys, maintain_order=True).agg(
        earned=(met * pl.col("points")).filter(counted).sum(),
        possible=pl.col("points").filter(counted & (pl.col("points") > 0)).sum(),
        reachable=pl.col("points").filter(pl.col("points") > 0).sum(),
        open=met.filter(counted).null_count(),
        silent=silent.drop_nulls().head(_SHOWN).str.join(", "),
        unsaid=pl.col("met").null_count(),
    )
    known = (pl.col("open") == 0) & (pl.col("possible") > 0)
    return made.with_columns(share=pl.when(known).then(pl.col("earned") / pl.col("possible")))


def _with_score(
    wide: pl.DataFrame, told: pl.DataFrame, criterion: Criterion, name: str, policy: Missing, keys: list[str]
) -> pl.DataFrame:
    made = shares(told, policy, keys)
    score = pl.when(pl.col("share").is_not_null()).then(
        criterion.scale.points_of_earned(pl.col("earned"), pl.col("possible"))
    )
    more = [column for column in made.columns if column not in keys]
    joined = wide.join(
        made.with_columns(score.alias(name)), on=keys, how="left", nulls_equal=True, maintain_order="left"
    )
    return joined.with_columns(_why(name, name != criterion.score).alias(f"!{name}")).drop(more)


def _short() -> pl.Expr:
    """The beginning of a criterion's text."""
    text = pl.col("text").str.replace_all(r"\s+", " ")
    return pl.when(text.str.len_chars() > _LONGEST).then(text.str.head(_LONGEST - 1) + "…").otherwise(text)


def _why(name: str, of_tag: bool) -> pl.Expr:
    none = Text("평가한 기준이 없음", "no criterion was rated")
    if of_tag:
        none = Text(
            "항목에 이 이름의 태그가 붙은 기준이 없음", "the item has no criterion with a tag of this name"
        )
    missing, more = Text("값이 없음: ", "no value: ").say(), Text(" 외 {}개", " and {} more").say()
    nothing = why_unscorable([OwnCriterion.of("", 0)])
    rest = pl.col("unsaid").cast(pl.Int64) - _SHOWN
    open_ = (
        pl.lit(missing)
        + pl.col("silent")
        + pl.when(rest > 0).then(pl.format(more, rest)).otherwise(pl.lit(""))
    )
    why = (
        pl.when(pl.col("reachable").is_null())
        .then(pl.lit(none.say()))
        .when(pl.col("reachable") <= 0)
        .then(pl.lit(nothing.say() if nothing else ""))
        .otherwise(open_)
    )
    return pl.when(pl.col(name).is_null()).then(why)
