"""What the journal knows about the AI judges: versions that answered, prompts that were sent."""

from __future__ import annotations

from dataclasses import dataclass

from haechi.store.journal import spent
from haechi.stored_study import StoredStudy


@dataclass(frozen=True)
class JudgeRecord:
    """One judge: the versions that the provider named, and whether its prompts were kept."""

    rater: str
    versions: tuple[str, ...]
    prompted: bool
    calls: int


def judge_records(study: StoredStudy) -> tuple[JudgeRecord, ...]:
    """The judges in the journal; judgements that were imported as a table are not in it."""
    query = """SELECT rater, version, count(DISTINCT prompt) AS prompts, count(*) AS n
        FROM calls GROUP BY rater, version ORDER BY rater, version"""
    with study.database.read() as connection:
        rows = connection.rows(query)
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


def judge_costs(study: StoredStudy) -> dict[str, float]:
    """What every judge cost by the journal, in dollars; a judge with calls of unknown price is left out."""
    with study.database.read() as connection:
        rows = spent(connection)
    return {row.rater: float(row.cost) for row in rows if row.cost is not None and not row.without_price}
