"""Ratings to scores, a whole table at a time."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from functools import cached_property

import polars as pl

from haechi.data.fields import RATER_PREFIX
from haechi.data.line_names import own_criteria
from haechi.data.stances import is_measurement
from haechi.frozen import frozen
from haechi.rubrics.model import Missing, Rubric
from haechi.rubrics.parts import Criterion
from haechi.scoring.arithmetic import derived_score
from haechi.scoring.judge_panel import Panel, PanelRater, as_one_rater, no_majority
from haechi.scoring.own_criteria import asked_criteria, in_one_voice, own_scores, verdicts
from haechi.text import Text

KEYS = ("item", "rater", "kind", "replicate")
STANCE = "stance"


@frozen
class Scores:
    """Scores, one row per item, rater and replicate.

    `frame` has the columns item, rater, kind, replicate, where ratings have them the stance and what raters say about themselves, and one per score;
    `elements` the same keys and one column per thing that was rated; `reasons` a column per score that says why it is
    null, or 0 by rule; `verdicts` a row for every criterion that an item brings (`scoring.own_criteria`), None where items bring none.
    """

    rubric: Rubric
    frame: pl.DataFrame
    made_reasons: Callable[[], pl.DataFrame]
    made_elements: Callable[[], pl.DataFrame]
    judges: PanelRater | None = None
    verdicts: pl.DataFrame | None = None

    @cached_property
    def reasons(self) -> pl.DataFrame:
        """Why scores are null, made when somebody asks: most who want scores do not."""
        return self.made_reasons()

    @cached_property
    def elements(self) -> pl.DataFrame:
        """What was rated, made when somebody asks."""
        return self.made_elements()


def score_ratings(
    ratings: pl.DataFrame,
    rubric: Rubric,
    floored: Collection[str] = (),
    missing: Missing | None = None,
    panel: Panel = "mean",
    asked: pl.DataFrame | None = None,
) -> Scores:
    """Score a long table of ratings: item, criterion, rater, kind, replicate, value; status, reason if known.

    `floored` are the items that meet the rubric's floors by rule, for every rater. Decisions on disputed items are no
    measurements and stay out. What code measures is a score here where somebody gave points for it. `panel` is how AI
    judges count together: with anything but the mean they are one rater, whose values are made before the arithmetic.
    asked: the criteria that items bring (`asked_criteria`).

    >>> import haechi
    >>> ratings = pl.DataFrame({"item": ["d1"] * 3, "criterion": ["sensibleness", "specificity", "sympathy"],
    ...     "rater": ["r1"] * 3, "kind": ["human"] * 3, "replicate": [1] * 3, "value": ["1", "0", "1"]})
    >>> score_ratings(ratings, haechi.rubric("diary-comment")).frame["ssa"].to_list()
    [0.5]
    """
    policy = missing or rubric.missing
    if STANCE in ratings.columns and not ratings.select(is_measurement().all()).item():
        ratings = ratings.filter(is_measurement())
    wide, judges = as_one_rater(_wide(ratings, rubric), panel, KEYS)
    empty = {name for name in wide.columns if wide[name].null_count() == wide.height}
    criteria = [
        c for c in rubric.criteria if c.scale.counted and (c.rated_by == "rater" or f"={c.key}" not in empty)
    ]
    if adjusted := list(_adjusted(rubric, criteria, floored, policy)):
        wide = wide.with_columns(adjusted)
    told = None
    if own_criteria(rubric):
        told = verdicts(ratings, rubric, asked if asked is not None else asked_criteria(()), list(KEYS))
        if judges is not None:
            told, judges = in_one_voice(told, judges)
        wide = own_scores(wide, told, rubric, policy, list(KEYS))
    wide = wide.with_columns_seq(_criterion(criterion).alias(criterion.score) for criterion in criteria)
    wide = _with_derived(wide, rubric, policy, empty)
    names = [name for name in rubric.score_names if name in wide.columns]
    rated = [name for c in criteria for name in c.rated_names]
    return Scores(
        rubric=rubric,
        frame=_with_rater(wide[[*KEYS, *names]], ratings, rubric),
        made_reasons=lambda: _reasons(wide, _with_reasons(ratings, no_majority(wide, judges)), rubric, names),
        made_elements=lambda: wide.select(*KEYS, *(_given(name).alias(name) for name in rated)),
        judges=judges,
        verdicts=told,
    )


def _with_derived(wide: pl.DataFrame, rubric: Rubric, policy: Missing, empty: set[str]) -> pl.DataFrame:
    """The rows with every score that is made of others; those that do not need one another are made at once."""
    known, together = set(wide.columns), dict[str, pl.Expr]()
    for derived in rubric.scores:
        given, parts = _given(derived.key), set(derived.parts)
        if not parts.isdisjoint(together):
            wide, together = wide.with_columns_seq(**together), {}
        if parts <= known:
            own = derived.by == "tag"
            computed = pl.col(derived.key) if own else derived_score(derived, rubric, policy)
            given = pl.coalesce(computed, given)
        elif f"={derived.key}" in empty:
            continue
        together[derived.key] = given
        known.add(derived.key)
    return wide.with_columns_seq(**together) if together else wide


def _with_reasons(ratings: pl.DataFrame, more: pl.DataFrame) -> pl.DataFrame:
    return ratings if more.is_empty() else pl.concat([ratings, more], how="diagonal_relaxed")


def _with_rater(frame: pl.DataFrame, ratings: pl.DataFrame, rubric: Rubric) -> pl.DataFrame:
    """The same rows with the stance from which they were rated and what raters say about themselves, where it is known."""
    said = [name for name in ratings.columns if name.startswith(RATER_PREFIX)]
    if said:
        own = ratings.select("rater", *said).unique("rater", keep="first", maintain_order=True)
        frame = frame.join(own, on="rater", how="left", nulls_equal=True, maintain_order="left")
    stance = []
    if STANCE in ratings.columns and (rubric.stances or ratings[STANCE].null_count() < ratings.height):
        stance, keys = [STANCE], list(KEYS)
        stances = ratings.group_by(keys).agg(pl.col(STANCE).drop_nulls().first())
        frame = frame.join(stances, on=keys, how="left", nulls_equal=True, maintain_order="left")
    more = [*stance, *said]
    return frame.select(*KEYS, *more, pl.exclude(*KEYS, *more)) if more else frame


def _given(name: str) -> pl.Expr:
    """What was rated under a name, in points; the mark keeps it apart from the score of the same name."""
    return pl.col(f"={name}")


def _wide(ratings: pl.DataFrame, rubric: Rubric) -> pl.DataFrame:
    """One row per item, rater and replicate; one column per rated name."""
    rated = ratings.with_columns_seq(points=_points(rubric))
    # Criteria that items bring are told row by row (`verdicts`): here their raters have a row, and they no columns.
    own = tuple(f"{c.key}." for c in own_criteria(rubric))
    wide = rated.group_by(KEYS, maintain_order=True).agg(
        pl.col("points").filter(pl.col("criterion") == name).first().alias(f"={name}")
        for name in rated["criterion"].unique(maintain_order=True)
        if not name.startswith(own)
    )
    directly = [name for name, rateable in rubric.known_names.items() if name == rateable.name]
    wanted = dict.fromkeys([*rubric.rateables, *directly, *(derived.key for derived in rubric.scores)])
    known, nothing = set(wide.columns), pl.Series([None], dtype=pl.Float64).new_from_index(0, wide.height)
    return wide.hstack([nothing.alias(f"={name}") for name in wanted if f"={name}" not in known])


def _points(rubric: Rubric) -> pl.Expr:
    """The points of every value, as its scale gives them; of a number on most scales the number itself."""
    points = number = pl.col("value").cast(pl.Float64, strict=False)
    for name, rateable in rubric.known_names.items():
        if name != rateable.name:
            continue
        worth = rateable.scale.points_of_column(pl.col("value"))
        if not worth.meta.eq(number):
            points = pl.when(pl.col("criterion") == name).then(worth).otherwise(points)
    return points


def _adjusted(
    rubric: Rubric, criteria: list[Criterion], floored: Collection[str], policy: Missing
) -> Iterator[pl.Expr]:
    """What was rated, after floors and the policy for missing elements."""
    elements = [name for c in criteria if c.scale.parts for name in c.rated_names]
    answered = (
        pl.any_horizontal([_given(name).is_not_null() for name in elements]) if elements else pl.lit(False)
    )
    for criterion in criteria:
        floors = [r for r in rubric.floors if criterion.score in r.unmet or criterion.key in r.unmet]
        unmet = policy == "unmet" and criterion.scale.parts
        values = pl.col([f"={name}" for name in criterion.rated_names])
        if unmet:
            values = pl.when(answered).then(values.fill_null(0.0))
        if floors:
            met = [_given(floor.key) == 1 for floor in floors]
            met += [pl.col("item").is_in(list(floored))] if any(floor.rule for floor in floors) else []
            values = pl.when(~pl.any_horizontal(met).fill_null(False)).then(values).otherwise(0.0)
        if unmet or floors:
            yield values


def _criterion(criterion: Criterion) -> pl.Expr:
    if criterion.scale.of_items:
        return pl.coalesce(pl.col(criterion.score), _given(criterion.key))
    parts = {part.key: _given(f"{criterion.key}.{part.key}") for part in criterion.scale.parts}
    if not parts:
        return _given(criterion.key)
    # A rater may also have given the criterion's score itself, where no elements were ticked.
    return pl.coalesce(criterion.scale.points_of_parts(parts), _given(criterion.key))


def _reasons(wide: pl.DataFrame, ratings: pl.DataFrame, rubric: Rubric, names: list[str]) -> pl.DataFrame:
    said = _said(ratings, rubric)
    wide = wide.join(said, on=list(KEYS), how="left", nulls_equal=True) if said is not None else wide
    why: list[pl.Expr] = []
    for name in names:
        criterion = rubric.criterion(name)
        if criterion is not None:
            parts = {part.rpartition(".")[2]: _given(part) for part in criterion.rated_names}
        else:
            derived = next(d for d in rubric.scores if d.key == name)
            parts = {part: pl.col(part) for part in derived.parts}
        absent = [pl.when(column.is_null()).then(pl.lit(part)) for part, column in parts.items()]
        text = Text("값이 없음: ", "no value: ").say() + pl.concat_str(
            absent, separator=", ", ignore_nulls=True
        )
        text = pl.col(f"!{name}") if f"!{name}" in wide.columns else text
        if f"?{name}" in wide.columns:
            text = text + pl.concat_str([pl.lit(" ("), pl.col(f"?{name}"), pl.lit(")")]).fill_null("")
        why.append(pl.when(pl.col(name).is_null()).then(text).alias(name))
    return wide.select(*KEYS, *why)


def _said(ratings: pl.DataFrame, rubric: Rubric) -> pl.DataFrame | None:
    """The reasons that raters gave for values that are not there, one column per score."""
    if "reason" not in ratings.columns or "status" not in ratings.columns:
        return None
    given = ratings.filter((pl.col("status") != "ok") & pl.col("reason").is_not_null())
    if given.is_empty():
        return None
    score_of = {name: f"?{c.score}" for c in rubric.criteria for name in (*c.rated_names, c.key)}
    for c in own_criteria(rubric):
        of_item = pl.col("criterion").str.starts_with(f"{c.key}.")
        given = given.with_columns(criterion=pl.when(of_item).then(pl.lit(c.key)).otherwise("criterion"))
    given = given.with_columns(pl.col("criterion").replace_strict(score_of, default=None)).drop_nulls(
        "criterion"
    )
    return given.pivot(on="criterion", index=list(KEYS), values="reason", aggregate_function="first")
