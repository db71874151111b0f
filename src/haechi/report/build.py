"""From a study's figures to the report: the sections in the order in which a reader needs them."""

from __future__ import annotations

from haechi.analysis.analysis import Analysis
from haechi.report.document import Report, Section
from haechi.report.findings import findings
from haechi.report.methods import methods, reproducibility
from haechi.report.sections.evidence import evidence_section, missing_section
from haechi.report.sections.groups import group_sections
from haechi.report.sections.items import comments_section, failures_section, items_section, reading_section
from haechi.report.sections.people_and_ai import human_ai_section
from haechi.report.sections.reliability import headline, reliability_section
from haechi.report.sections.runs import runs_section
from haechi.report.sections.scores import scores_section
from haechi.report.table import Estimate, say
from haechi.report.words import said, score_label


def build_report(figures: Analysis) -> Report:
    """The report of a study, in the language of this process.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from haechi.demo import make_studies
    >>> study = next(make_studies(Path(tempfile.mkdtemp()) / "demo"))
    >>> [section.key for section in build_report(Analysis(study)).sections][:3]
    ['scores', 'by-ai', 'agreement']
    """
    found = findings(figures)
    sections: list[Section | None] = [
        scores_section(figures),
        runs_section(figures),
        *group_sections(figures),
        reliability_section(figures),
        human_ai_section(figures),
        evidence_section(figures),
        failures_section(figures),
        reading_section(figures, found),
        items_section(figures),
        comments_section(figures),
        missing_section(figures),
    ]
    return Report(
        title=figures.rubric.title.say(),
        subtitle=said(
            f"스터디 {figures.study.folder.resolve().name}", f"Study {figures.study.folder.resolve().name}"
        ),
        facts=_facts(figures),
        findings=found,
        sections=tuple(section for section in sections if section is not None),
        methods=methods(figures),
        reproducibility=reproducibility(figures),
        commands=_commands(figures),
        notes=tuple(note.say() for note in figures.rubric.notes),
    )


def _facts(figures: Analysis) -> tuple[tuple[str, str], ...]:
    """What stands at the top: how good, how sure, on what."""
    label = score_label(figures.rubric, figures.main)
    low, high = figures.rubric.range(figures.main)
    whole = figures.whole[figures.main].mean
    facts = [(f"{label} ({low:g}–{high:g})", say(Estimate.of(whole)))]
    if figures.agreement is not None:
        alpha = figures.agreement.criteria[headline(figures)].krippendorff_alpha
        words = said("일치도(Krippendorff α)", "agreement (Krippendorff α)")
        facts.append((words, say(Estimate.of(alpha), "coefficient")))
    kinds = [*figures.raters.values()]
    people, judges = kinds.count("human"), kinds.count("ai")
    unit = said("실행", "runs") if figures.rubric.item == "run" else said("항목", "items")
    facts.append((unit, f"{figures.n_rated:,}"))
    if people or judges:
        facts.append((said("사람 · AI 평가자", "people · AI judges"), f"{people} · {judges}"))
    if figures.ratings.height:
        facts.append((said("평가", "ratings"), f"{figures.ratings.height:,}"))
    if figures.seconds:
        facts.append(
            (said("평균 응답 시간(초)", "mean response time (s)"), say(Estimate.of(figures.seconds[""].mean)))
        )
    return tuple(facts)


def _commands(figures: Analysis) -> tuple[str, ...]:
    name = figures.study.folder.resolve().name
    options = [f"--by {','.join(c.items.by)}" for c in figures.comparisons]
    options += [f"--exclude {name}" for name in figures.scored.excluded]
    if figures.scored.missing != figures.study.rubric.missing:
        options.append(f"--missing {figures.scored.missing}")
    if figures.anonymous:
        options.append("--anonymous")
    commands = [f"pip install haechi=={_version()}", f"haechi score {name}"]
    if figures.agreement is not None:
        commands.append(f"haechi agree {name}")
    return (*commands, " ".join([f"haechi report {name} -o report", *options]))


def _version() -> str:
    from haechi.version import __version__

    return __version__
