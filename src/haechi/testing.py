"""For tests: a score of a study or a file is where it should be, or the test says what was found."""

from __future__ import annotations

from pathlib import Path


def assert_score(
    study: str | Path,
    name: str,
    *,
    min: float | None = None,
    max: float | None = None,
    min_lower: float | None = None,
    max_upper: float | None = None,
    rubric: str | Path | None = None,
    cluster_by: str | None = None,
) -> None:
    """Fail unless a figure of a study keeps within limits; names are those of `haechi check DIR --list`.

    A score is its mean over items, as in reports. `min_lower` and `max_upper` are for the ends of the 95 % interval.
    With a rubric, `study` may also be a file that `haechi score` takes. Items of one student, user or query are one cluster
    for intervals, as everywhere; `cluster_by` names another field, or `none`.

    >>> import tempfile
    >>> from haechi.demo import make_studies
    >>> study = next(make_studies(Path(tempfile.mkdtemp()) / "demo"))
    >>> assert_score(study.folder, "overall", min=2.5)
    >>> assert_score(study.folder, "overall", min_lower=2.5)
    Traceback (most recent call last):
    AssertionError: ...
    """
    from haechi.analysis.analysis import Analysis
    from haechi.analysis.analysis_cache import open_analysis
    from haechi.analysis.file_study import study_of
    from haechi.analysis.gates import Gate, check_gates
    from haechi.analysis.named_figures import NamedFigures
    from haechi.report.gate_words import gate_condition, gate_reason, gate_value

    limits = {"min": min, "max": max, "min-lower": min_lower, "max-upper": max_upper}
    gates = [Gate(kind, name, limit) for kind, limit in limits.items() if limit is not None]  # type: ignore[arg-type]
    if not gates:
        raise TypeError("give at least one of min, max, min_lower, max_upper")
    if rubric is None:
        figures = open_analysis(study) if cluster_by is None else Analysis(study, cluster_by=cluster_by)
        checks = check_gates(NamedFigures(figures), gates)
    else:
        with study_of([study], rubric, [] if cluster_by in (None, "none") else [str(cluster_by)]) as files:
            figures = Analysis(files, cluster_by=cluster_by)
            checks = check_gates(NamedFigures(figures), gates)
    failed = [
        f"{gate_condition(one)}: {gate_value(one)} ({gate_reason(one)})" for one in checks if not one.passed
    ]
    if any("cluster_by" in one.found.details for one in checks) and (said := figures.scored.about_clusters):
        failed += [said.say()] if failed else []
    if failed:
        raise AssertionError("; ".join(failed))
