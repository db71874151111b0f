"""AI judges as one rater: the median or the majority of what they said, with who said otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import polars as pl

from haechi.errors import HaechiError
from haechi.frozen import frozen
from haechi.text import Text

Panel = Literal["mean", "median", "majority"]
"""How AI judges can count together; with the mean each stays a rater, and an item has the mean of its raters."""
_WAYS = {"median": Text("중앙값", "the median"), "majority": Text("과반", "the majority")}
_VOTE, _NAME, _POINTS = "vote", "name", "points"
NO_MAJORITY = Text("AI 평가자의 과반이 같은 값을 주지 않음", "no value has the majority of the AI judges")


@frozen
class PanelRater:
    """The AI judges of a study that count as one rater.

    dissent: (item, name, panel, rater, points), a row for every judge whose points are not the panel's; `panel` is
    null where there is no majority. votes: how many points judges gave in all.
    """

    way: Panel
    raters: tuple[str, ...]
    dissent: pl.DataFrame
    votes: int

    @property
    def rater(self) -> str:
        """What the panel is called among the raters."""
        return panel_name(self.way)

    @property
    def about(self) -> Text:
        """What whoever shows figures says of it."""
        listed, others = ", ".join(self.raters), self.dissent.height
        way = _WAYS[self.way]
        share = f"{100 * others / self.votes:.0f} %" if self.votes else "–"
        return Text(
            f"AI 평가자 {len(self.raters)}명({listed})을 {way.ko}으로 합쳐 평가자 하나({self.rater})로 셌습니다. "
            f"평가 {self.votes:,}건 중 {others:,}건({share})이 합친 값과 다릅니다.",
            f"{len(self.raters)} AI judges ({listed}) count as one rater ({self.rater}) by {way.en} of what they said. "
            f"{others:,} of {self.votes:,} judgements ({share}) differ from it.",
        )

    def as_json(self) -> dict[str, Any]:
        """For `haechi score --json`: how judges were combined, and everyone who said otherwise."""
        others = [
            {"item": item, "criterion": name, "panel": panel, "rater": rater, "points": points}
            for item, name, panel, rater, points in self.dissent.iter_rows()
        ]
        told = {"rater": self.rater, "judges": list(self.raters), "judgements": self.votes}
        return {"way": self.way, **told, "dissenting": len(others), "dissent": others}


def panel_name(way: Panel) -> str:
    """The name of a panel among raters.

    >>> panel_name("median")
    'ai-panel/median'
    """
    return f"ai-panel/{way}"


def check_no_panel(panel: Panel) -> None:
    """Agent runs are measured by code, and what raters say of them stands beside: there is no panel to make."""
    if panel != "mean":
        found = Text(f"{panel}, 에이전트 실행", f"{panel}, of agent runs")
        expected = Text("mean(에이전트 실행은 평균만)", "mean: runs have no other")
        raise HaechiError.of("--panel", found, expected, Text("--panel을 빼세요", "leave out --panel"))


def refuse_panel(panel: Panel | None, place: str) -> None:
    """Refuse a panel where there is no study whose judges could make one."""
    if panel is not None:
        expected = Text("스터디 폴더", "a study")
        todo = Text(
            "haechi new와 import로 스터디를 만들거나 --panel을 빼세요",
            "make a study with haechi new and import, or leave out --panel",
        )
        raise HaechiError.of(place, f"--panel {panel}", expected, todo)


def as_one_rater(
    wide: pl.DataFrame, way: Panel, keys: Sequence[str]
) -> tuple[pl.DataFrame, PanelRater | None]:
    """The rows with those of AI judges in one row per item, and who the panel is; None where no two judges are there.

    wide: keys and a column of points for each thing that is rated. A judge that was asked repeatedly has one vote, made in the
    same way. A majority is more than half of the votes; without one the panel has no value.

    >>> rows = {"item": ["a"] * 3, "rater": ["x", "y", "z"], "kind": ["ai"] * 3, "replicate": [1] * 3, "=s": [1.0, 1.0, 0.0]}
    >>> wide, panel = as_one_rater(pl.DataFrame(rows), "majority", ("item", "rater", "kind", "replicate"))
    >>> wide.rows(), panel.dissent.rows()
    ([('a', 'ai-panel/majority', 'ai', 1, 1.0)], [('a', 's', 1.0, 'z', 0.0)])
    """
    if way == "mean":
        return wide, None
    judges = wide.filter(pl.col("kind") == "ai")
    raters = tuple(judges["rater"].unique(maintain_order=True).to_list())
    if len(raters) < 2:
        return wide, None
    names = [name for name in wide.columns if name not in keys]
    given = judges.unpivot(names, index=["item", "rater"], variable_name=_NAME, value_name=_POINTS)
    settled, dissent, votes = settle(given, way)
    dissent = dissent.with_columns(pl.col(_NAME).str.strip_prefix("="))
    own = judges.select("item").unique(maintain_order=True)
    made = own.join(
        settled.pivot(on=_NAME, index="item", values=_POINTS), on="item", how="left", maintain_order="left"
    )
    absent = [pl.lit(None, pl.Float64).alias(name) for name in names if name not in made.columns]
    one = made.with_columns(
        *absent,
        rater=pl.lit(panel_name(way)),
        kind=pl.lit("ai"),
        replicate=pl.lit(1, wide["replicate"].dtype),
    )
    rest = wide.filter(pl.col("kind") != "ai")
    panel = PanelRater(way, raters, dissent, votes)
    return pl.concat([rest, one.select(wide.columns)], how="vertical_relaxed"), panel


def settle(given: pl.DataFrame, way: Panel) -> tuple[pl.DataFrame, pl.DataFrame, int]:
    """What judges say together, who says otherwise, as `PanelRater.dissent` has it, and how many votes there are.

    given: (item, name, rater, points), also of judges that were asked repeatedly.

    >>> given = pl.DataFrame({"item": ["a"] * 3, "name": ["s"] * 3, "rater": ["x", "y", "z"], "points": [1.0, 1.0, 0.0]})
    >>> settled, dissent, votes = settle(given, "majority")
    >>> settled.rows(), dissent.rows(), votes
    ([('a', 's', 1.0)], [('a', 's', 1.0, 'z', 0.0)], 3)
    """
    votes = _combined(given.drop_nulls(_POINTS), way, ["item", _NAME, "rater"]).drop_nulls(_POINTS)
    settled = _combined(votes, way, ["item", _NAME])
    both = votes.join(
        settled.rename({_POINTS: "panel"}), on=["item", _NAME], how="left", maintain_order="left"
    )
    dissent = both.filter(pl.col(_POINTS).ne_missing(pl.col("panel")))
    return settled, dissent.select("item", _NAME, "panel", "rater", _POINTS), votes.height


def _combined(given: pl.DataFrame, way: Panel, keys: list[str]) -> pl.DataFrame:
    """What votes come to, by the keys; null where there is no majority."""
    if way == "median":
        return given.group_by(keys, maintain_order=True).agg(pl.col(_POINTS).median())
    counted = given.group_by([*keys, _POINTS], maintain_order=True).agg(pl.len().alias(_VOTE))
    most = 2 * pl.col(_VOTE) > pl.col(_VOTE).sum().over(keys)
    return (
        counted.with_columns(pl.when(most).then(pl.col(_POINTS)).alias(_POINTS))
        .group_by(keys, maintain_order=True)
        .agg(pl.col(_POINTS).drop_nulls().first())
    )


def no_majority(wide: pl.DataFrame, panel: PanelRater | None) -> pl.DataFrame:
    """The rows of ratings by which the panel's missing values explain themselves: (item, rater, …, criterion, status, reason)."""
    lost = panel.dissent.filter(pl.col("panel").is_null()) if panel else None
    if panel is None or lost is None or lost.is_empty():
        return pl.DataFrame()
    return lost.select(
        "item",
        rater=pl.lit(panel.rater),
        kind=pl.lit("ai"),
        replicate=pl.lit(1, wide["replicate"].dtype),
        criterion=pl.col(_NAME),
        status=pl.lit("missing"),
        reason=pl.lit(NO_MAJORITY.say()),
    ).unique(["item", "criterion"], maintain_order=True)
