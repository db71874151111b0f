"""From a study's figures to the report: the sections in the order in which a reader needs them.

A section is one function and one line in `SECTIONS`. A package brings one by an entry point in the group
`haechi.sections` that leads to a function from an `Analysis` to a `Section`, several of them, or None.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence

from haechi.analysis.analysis import Analysis
from haechi.analysis.zero_by_rule import totals_without
from haechi.plugins.registry import Registry, not_callable
from haechi.report.answer import answer_of
from haechi.report.charts import CHARTS
from haechi.report.document import Report, Section, with_plots
from haechi.report.findings import findings
from haechi.report.methods import methods
from haechi.report.numbers import span
from haechi.report.reproducibility import reproducibility
from haechi.report.sections.evidence import evidence_section, missing_section
from haechi.report.sections.groups import group_sections
from haechi.report.sections.items import comments_section, failures_section, items_section
from haechi.report.sections.judges import (
    audit_section,
    human_ai_section,
    instrument_section,
    two_stage_section,
)
from haechi.report.sections.ranking import ranking_section
from haechi.report.sections.reading import all_items_section, reading_list, reading_section
from haechi.report.sections.reliability import headline, reliability_section
from haechi.report.sections.scores import own_criteria_section, scores_section
from haechi.report.table import Estimate, say
from haechi.report.tables.ranking import ranking_facts
from haechi.report.tables.scores import one_class_each
from haechi.report.words import is_of_few, many_of, panel_of, raters_of, said, score_label
from haechi.stats import Agreement
from haechi.text import quoted

_SHOWN_FILES = 10
Made = Section | Sequence[Section] | None
"""What comes of a section: usually one, or none where a study has nothing to say about it."""


def _runs(figures: Analysis) -> Section | None:
    if figures.run_notes is None:
        return None
    from haechi.report.sections.runs import runs_section  # and all that checks expectations

    return runs_section(figures, figures.run_notes)


def _trend(figures: Analysis) -> Section | None:
    if figures.trend is None:  # runs of one version and one round
        return None
    from haechi.report.sections.trend import trend_section

    return trend_section(figures, figures.trend)


def _reading(figures: Analysis) -> Section | None:
    return reading_section(figures, findings(figures))


def _all_items(figures: Analysis) -> Section | None:
    return all_items_section(figures, reading_list(figures, findings(figures)))


SECTIONS = Registry[Callable[[Analysis], Made]](
    "haechi.sections",
    {
        "ranking": ranking_section,
        "scores": scores_section,
        "own-criteria": own_criteria_section,
        "runs": _runs,
        "trend": _trend,
        "groups": group_sections,
        "reliability": reliability_section,
        "people-and-ai": human_ai_section,
        "two-stage": two_stage_section,
        "judge-audit": audit_section,
        "instrument": instrument_section,
        "evidence": evidence_section,
        "failures": failures_section,
        "reading": _reading,
        "items": items_section,
        "comments": comments_section,
        "missing": missing_section,
        "all-items": _all_items,
    },
    not_callable,
    lambda make, guard: guard.of(make),
)
"""The sections in their order; those that installed packages bring come after ours."""


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
    return Report(
        title=figures.study.title,
        subtitle=_subtitle(figures),
        facts=_facts(figures),
        findings=found,
        sections=tuple(_sections(figures)),
        methods=methods(figures),
        reproducibility=reproducibility(figures),
        commands=_commands(figures),
        notes=tuple(note.say() for note in figures.rubric.notes),
        answer=answer_of(figures, found),
        items=tuple(figures.places),
        serve="" if figures.study.made_of else f"haechi serve {quoted(figures.study.name)}",
    )


def _subtitle(figures: Analysis) -> str:
    """The study, its rubric and its last day, and what of it is looked at where that is not all."""
    study, name = figures.study, figures.study.name
    parts = [
        said(f"파일 {name}", f"File {name}") if study.made_of else said(f"스터디 {name}", f"Study {name}")
    ]
    if study.settings.title:
        parts.append(figures.rubric.title.say())
    day = _last_day(figures)
    if day:
        parts.append(said(f"{day}까지", f"as of {day}"))
    if study.selection:
        parts.append(str(study.selection))
    return " · ".join(parts)


def _last_day(figures: Analysis) -> str:
    """The day of the last rating, else that on which the last file came in; a file that is looked at has none."""
    if figures.study.made_of:
        return ""
    days = (
        [str(at)[:10] for at in (figures.ratings["at"].max(),) if at]
        if "at" in figures.ratings.columns
        else []
    )
    return max(days or [source.date for source in figures.study.sources() if source.date], default="")


def _sections(figures: Analysis) -> Iterator[Section]:
    charts = CHARTS.all().values()
    for make in SECTIONS.all().values():
        made = make(figures)
        for section in (made,) if isinstance(made, Section) else made or ():
            own = [chart.draw(figures) for chart in charts if chart.section == section.key]
            yield with_plots(section, [plot for plot in own if plot is not None])


def _facts(figures: Analysis) -> tuple[tuple[str, str], ...]:
    """What stands at the top: how good, how sure, on what."""
    label = score_label(figures.rubric, figures.main)
    low, high = figures.rubric.range(figures.main)
    # A mean over both sides of every pair is a half, whatever the systems are worth.
    shown, facts = {} if figures.rubric.item == "pair" else figures.panels, list[tuple[str, str]]()
    if figures.ranking is not None:
        facts += ranking_facts(figures.ranking)
    for kind, group in shown.items():
        whose = f" · {panel_of(figures, kind).say()}" if kind != "code" else ""
        if is_of_few(figures):
            whose += f" · {group.n:,}/{figures.n_rated:,}"
        facts.append((f"{label} ({span(low, high)}){whose}", say(Estimate.of(group.mean))))
    if not shown and figures.ranking is None:
        facts.append(_most_given(figures, label) or (f"{label} ({span(low, high)})", say(None)))
    if (
        figures.human.is_there
        and not figures.human.is_all
        and figures.human[figures.main].mean.value is not None
    ):
        words = said("사람이 평가했다면", "had people rated")
        facts.append((f"{label} · {words}", say(Estimate.of(figures.human[figures.main].mean))))
    without = totals_without(figures.scored).get(figures.main)
    if without is not None and not is_of_few(figures):
        words = said("규칙에 따른 0점 제외", "without zeros by rule")
        ends = without.ci95 or (None, None)
        facts.append((f"{label} · {words}", say(Estimate(without.mean, *ends))))
    among = figures.agreement.among if figures.agreement else {}
    for kind in shown or among:
        one = among[kind].get(headline(figures)) if kind in among else None
        if one is not None and len(one.raters) > 1:
            facts.append(_reliability(figures, kind, one))
    counts = figures.scored.counts
    if counts is not None and counts.about_labels is not None:
        share = say(counts.guessed / sum(counts.labels.values()), "share")
        words = said(f"{share} 낱말로 추정", f"{share} guessed from words")
        facts.append((said("일관성의 의도 라벨", "intent labels of consistency"), words))
    kinds = [*figures.raters.values()]
    people, judges = kinds.count("human"), kinds.count("ai")
    unit = said("실행", "runs") if figures.rubric.item == "run" else said("항목", "items")
    facts.append((unit, f"{figures.n_rated:,}"))
    if people or judges:
        facts.append((said("사람 · AI 평가자", "people · AI judges"), f"{people} · {judges}"))
    if figures.ratings.height:
        facts.append((said("평가", "ratings"), f"{figures.ratings.height:,}"))
    words = said("평균 응답 시간(초)", "mean response time (s)")
    for name, group in one_class_each(figures.seconds).items():
        label = f"{words} · {score_label(figures.rubric, name)}" if name else words
        facts.append((label, say(Estimate.of(group.mean))))
    return tuple(facts)


def _most_given(figures: Analysis, label: str) -> tuple[str, str] | None:
    """The label that was given most often, where there is no mean; None where nothing was given or it is no label."""
    given, criterion = figures.scored.summary[0].scores[figures.main], figures.rubric.criterion(figures.main)
    if figures.rubric.has_mean(figures.main) or criterion is None or not given.n:
        return None
    points, n = max((given.distribution or {}).items(), key=lambda one: one[1])
    words = said(f"{label} · 가장 많은 답", f"{label} · given most often")
    return words, f"{criterion.scale.category(float(points))} {say(n / given.n, 'share')}"


def _reliability(figures: Analysis, kind: str, one: Agreement) -> tuple[str, str]:
    """What the reported mean is worth; where that is not defined, as of labels, how far single ratings agree."""
    name, of_mean = one.reported_mean
    if of_mean.value is None and one.krippendorff_alpha.value is not None:
        words = said("일치도 Krippendorff α", "agreement Krippendorff α")
        return f"{words} · {many_of(figures, kind).say()}", say(
            Estimate.of(one.krippendorff_alpha), "coefficient"
        )
    words = said(f"신뢰도 {name}", f"reliability {name}")
    return f"{words} · {raters_of(figures, kind, one).say()}", say(Estimate.of(of_mean), "coefficient")


def _commands(figures: Analysis) -> tuple[str, ...]:
    name, made_of = figures.study.name, figures.study.made_of
    if made_of:
        names = [quoted(file.name) for file in made_of.files]
        shown = [*names[:_SHOWN_FILES], *(["…"] if len(names) > _SHOWN_FILES else [])]
        name = f"{' '.join(shown)} --rubric {quoted(made_of.rubric)}"
    options = [f"--by {','.join(c.items.by)}" for c in figures.comparisons]
    options += [f"--exclude {name}" for name in figures.scored.excluded]
    if figures.scored.missing != figures.study.rubric.missing:
        options.append(f"--missing {figures.scored.missing}")
    options += [f"--where {shlex.quote(pair)}" for pair in figures.study.selection.pairs]
    if figures.anonymous:
        options.append("--anonymous")
    commands = [f"pip install haechi=={_version()}", f"haechi score {name}"]
    if figures.agreement is not None:
        commands.append(f"haechi agree {name}")
    return (*commands, " ".join([f"haechi report {name} -o report", *options]))


def _version() -> str:
    from haechi.version import __version__

    return __version__
