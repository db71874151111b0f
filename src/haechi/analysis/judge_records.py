"""What the journal knows about the AI judges: versions that answered, prompts that were sent."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from haechi.frozen import frozen
from haechi.store.connection import DatabaseRow
from haechi.store.journal import spent_by_rater
from haechi.store.judging_protocols import answered_calls
from haechi.study.scores import StoredStudy


@frozen
class JudgeRecord:
    """One judge: the versions that the provider named, and the prompts that were sent, as they are on record.

    languages and parts: in which languages it was asked, and about which parts of the rubric (`""` is all of it at once).
    """

    rater: str
    versions: tuple[str, ...]
    prompts: frozenset[str]
    languages: frozenset[str]
    parts: frozenset[str]
    calls: int

    @property
    def by_criterion(self) -> bool:
        """Whether it was asked about one criterion at a time."""
        return any(not part.startswith("+") for part in self.parts - {""})


def judge_records(study: StoredStudy) -> tuple[JudgeRecord, ...]:
    """The judges in the journal; judgements that were imported as a table are not in it."""
    with study.database.read() as connection:
        rows = answered_calls(connection, "rater, version, prompt, lang, part", "count(*) AS n")
    by_rater: dict[str, list[DatabaseRow]] = {}
    for row in sorted(rows, key=lambda row: row.rater):
        by_rater.setdefault(row.rater, []).append(row)
    return tuple(
        JudgeRecord(
            rater,
            tuple(sorted({row.version for row in mine if row.version})),
            frozenset(row.prompt for row in mine if row.prompt),
            frozenset(row.lang for row in mine if row.prompt and row.lang),
            frozenset(row.part for row in mine if row.prompt),
            sum(row.n for row in mine),
        )
        for rater, mine in by_rater.items()
    )


def prompts_digest(records: Iterable[JudgeRecord]) -> str:
    """The first 16 hexadecimal digits of the SHA-256 of all prompts on record, whatever their order."""
    sent = sorted({prompt for record in records for prompt in record.prompts})
    return hashlib.sha256("\n".join(sent).encode()).hexdigest()[:16]


def judge_costs(study: StoredStudy) -> dict[str, float]:
    """What every judge cost by the journal, in dollars; a judge with calls of unknown price is left out."""
    with study.database.read() as connection:
        rows = spent_by_rater(connection)
    return {row.rater: float(row.cost) for row in rows if row.cost is not None and not row.without_price}
