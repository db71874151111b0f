"""What the journal knows about the AI judges: versions that answered, prompts that were sent."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from haechi.store.tables import calls
from haechi.study import Study


@dataclass(frozen=True)
class JudgeRecord:
    """One judge: the versions that the provider named, and whether its prompts were kept."""

    rater: str
    versions: tuple[str, ...]
    prompted: bool
    calls: int


def judge_records(study: Study) -> tuple[JudgeRecord, ...]:
    """The judges in the journal; judgements that were imported as a table are not in it."""
    query = (
        sa.select(
            calls.c.rater,
            calls.c.version,
            sa.func.count(sa.distinct(calls.c.prompt)).label("prompts"),
            sa.func.count().label("n"),
        )
        .group_by(calls.c.rater, calls.c.version)
        .order_by(calls.c.rater, calls.c.version)
    )
    with study.database.read() as connection:
        rows = connection.execute(query).all()
    raters = dict.fromkeys(row.rater for row in rows)
    return tuple(
        JudgeRecord(
            rater,
            tuple(row.version for row in rows if row.rater == rater and row.version),
            any(row.prompts for row in rows if row.rater == rater),
            sum(row.n for row in rows if row.rater == rater),
        )
        for rater in raters
    )
