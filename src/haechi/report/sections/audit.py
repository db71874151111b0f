"""The section about what moves the judges, where there is something to say."""

from __future__ import annotations

from haechi.analysis.analysis import Analysis
from haechi.report.document import Section
from haechi.report.words import said


def audit_section(figures: Analysis) -> Section | None:
    """What was shown to move a judge, in what is stored and in items that were changed to find out; None where nothing was."""
    stored, changed = figures.audit, figures.audited_variants
    of_stored, of_changed = (
        stored is not None and stored.says_something,
        any(one.faults for one in changed),
    )
    if not (of_stored or of_changed):
        return None
    from haechi.report.tables.audit import audit_tables, variants_tables

    parts = audit_tables(stored, figures.rubric) if stored is not None and of_stored else []
    if of_changed:
        parts += variants_tables(changed, figures.rubric)
    return Section("judge-audit", said("AI 평가자 점검", "Judge audit"), tuple(parts))
