"""Logs of judges that compare two answers, as benchmarks publish them, with the columns that a table of votes has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from haechi.rubrics.scales import side_said, turn_verdict

if TYPE_CHECKING:
    import polars as pl

_ENDINGS = {"winner_model_a": "a", "winner_model_b": "b", "winner_tie": "tie"}
ONE_HOT = frozenset(_ENDINGS)
"""The columns of an arena's table that has one for each ending."""


def laid_out(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """A record of Arena-Hard (two `games` against a `baseline`) or WildBench (who was A: `assignment`); others as they are.

    In the first game of Arena-Hard the baseline stands first, in the second the model does.

    >>> games = [{"score": "A>>B"}, {"score": "A=B"}]
    >>> laid_out({"uid": "q1", "model": "mine", "baseline": "gpt-4", "judge": "j", "games": games})
    {'uid': 'q1', 'judge': 'j', 'model_1': 'gpt-4', 'model_2': 'mine', 'g1_winner': 'a', 'g2_winner': 'tie'}
    >>> laid_out({"session_id": "s", "assignment": {"A": "x", "B": "y"}, "winner": "y"})
    {'session_id': 's', 'winner': 'y', 'model_a': 'x', 'model_b': 'y', 'order': 'ab'}
    """
    games, who = record.get("games"), record.get("assignment")
    if isinstance(games, list) and 1 <= len(games) <= 2 and {"model", "baseline"} <= record.keys():
        own = {name: value for name, value in record.items() if name not in ("games", "model", "baseline")}
        ends = [_ended(game) for game in games]
        second = {"g2_winner": turn_verdict(ends[1])} if len(ends) > 1 else {}
        return {
            **own,
            "model_1": record["baseline"],
            "model_2": record["model"],
            "g1_winner": ends[0],
            **second,
        }
    if isinstance(who, Mapping) and {"A", "B"} <= who.keys() and "winner" in record:
        own = {name: value for name, value in record.items() if name != "assignment"}
        return {**own, "model_a": who["A"], "model_b": who["B"], "order": "ab"}
    return record


def _ended(game: Any) -> str:
    score = game.get("score") if isinstance(game, Mapping) else None
    return "error" if score is None else side_said(str(score)) or str(score)


def one_hot(frame: pl.DataFrame) -> pl.DataFrame:
    """With the winner of a table that has a column of 0 and 1 for each ending, as arenas write for training.

    >>> import polars as pl
    >>> one_hot(pl.DataFrame({"winner_model_a": ["1", "0"], "winner_model_b": ["0", "0"], "winner_tie": ["0", "1"]}))["winner"].to_list()
    ['a', 'tie']
    """
    import polars as pl

    if not set(frame.columns) >= ONE_HOT or "winner" in frame.columns:
        return frame
    said = {
        name: pl.col(name).cast(pl.String).str.strip_chars().cast(pl.Float64, strict=False)
        for name in _ENDINGS
    }
    alone = pl.sum_horizontal(*said.values()) == 1
    winner = pl.coalesce(pl.when(one == 1).then(pl.lit(_ENDINGS[name])) for name, one in said.items())
    return frame.with_columns(pl.when(alone).then(winner).alias("winner"))
