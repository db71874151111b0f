"""How sure judges were by the probabilities of their own words, beside whether people said the same."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import orjson
import polars as pl

from haechi.data.stances import is_measurement
from haechi.frozen import frozen
from haechi.scoring.panel import most_said
from haechi.stats.figure import Figure, Lang, undefined
from haechi.stats.population import clustered_mean
from haechi.stats.reasons import NOTHING
from haechi.store.connection import DatabaseRow
from haechi.study.scores import StoredStudy

SURE = 0.9
"""From here a judge counts as sure of a value."""
COLUMNS = {"item": pl.String, "criterion": pl.String, "rater": pl.String, "replicate": pl.Int64}
_PIECE = 500


@frozen
class JudgeCertainty:
    """One judge: how probable its values were on average; how often people said the same where it was sure, and where not."""

    rater: str
    n: int
    mean: Figure
    sure: Figure
    unsure: Figure

    def as_json(self, lang: Lang) -> dict[str, Any]:
        """For machines."""
        shares = {"same_as_people_sure": self.sure, "same_as_people_unsure": self.unsure}
        told = {name: figure.as_json(lang) for name, figure in shares.items()}
        return {"n": self.n, "probability": self.mean.as_json(lang), "sure_from": SURE, **told}


def certainty(study: StoredStudy) -> pl.DataFrame:
    """The probability of every value that a judge gave with the probabilities of its tokens: read from the stored replies.

    Columns: item, criterion, rater, replicate, value, probability. It says how sure the model was of its wording, not how
    likely the value is to be right.
    """
    rows = list(_rows(study))
    return pl.DataFrame(rows, schema={**COLUMNS, "value": pl.String, "probability": pl.Float64}, orient="row")


def judge_certainty(study: StoredStudy) -> list[JudgeCertainty]:
    """The judges whose tokens are known, each with how sure it was."""
    found = certainty(study)
    if found.is_empty():
        return []
    given = study.ratings().filter(pl.col("kind") == "human", pl.col("status") == "ok", is_measurement())
    people = most_said(given, ["item", "criterion"]).rename({"value": "said"})  # null where they are split
    known = found.join(people, on=["item", "criterion"], how="left")
    return [_of_judge(str(rater), own) for (rater,), own in known.group_by("rater", maintain_order=True)]


def _of_judge(rater: str, own: pl.DataFrame) -> JudgeCertainty:
    same = (pl.col("value") == pl.col("said")).cast(pl.Float64).alias("same")
    both = own.drop_nulls("said").with_columns(same)
    sure, unsure = both.filter(pl.col("probability") >= SURE), both.filter(pl.col("probability") < SURE)
    return JudgeCertainty(
        rater, own.height, _mean(own, "probability"), _mean(sure, "same"), _mean(unsure, "same")
    )


def _mean(rows: pl.DataFrame, name: str) -> Figure:
    """The mean of a column between 0 and 1; the values of an item belong together."""
    if rows.is_empty():
        return undefined(NOTHING, 0)
    of = rows.group_by("item").agg(pl.col(name).sum(), n=pl.len())
    return clustered_mean(of[name].to_numpy(), of["n"].to_numpy().astype(np.int64), (0.0, 1.0))


def _rows(study: StoredStudy) -> Iterator[tuple[str, str, str, int, str, float]]:
    query = """SELECT number, item, rater, model, replicate, asked, reply FROM calls
        WHERE state = 'answered' AND number > :after AND reply LIKE '%ogprob%' ORDER BY number LIMIT :piece"""
    after = 0
    while True:
        with study.database.read() as connection:
            some = connection.rows(query, after=after, piece=_PIECE)
        for row in some:
            yield from _of_call(study, row)
        if len(some) < _PIECE:
            return
        after = some[-1].number


def _of_call(study: StoredStudy, call: DatabaseRow) -> Iterator[tuple[str, str, str, int, str, float]]:
    # Few studies have such replies, and the providers bring much with them.
    from haechi.judge.providers import PROVIDERS
    from haechi.judge.providers.lines import BatchReply
    from haechi.judge.providers.results import read_results
    from haechi.prompt.certainty import certainties
    from haechi.prompt.reply import parse

    provider = PROVIDERS.get(str(call.model).partition(":")[0])
    if provider is None or provider.lines.tokens is None:
        return
    reply = next(read_results([call.reply], provider.name), None)
    if not isinstance(reply, BatchReply) or reply.text is None:
        return
    only = None if call.asked is None else tuple(orjson.loads(call.asked))
    parsed = parse(reply.text, study.rubric, only, reply.cut)
    found = certainties(reply.text, provider.lines.tokens(reply.raw), parsed, study.rubric, only)
    for name, probability in found.items():
        yield call.item, name, call.rater, call.replicate, parsed.values[name].value, probability
