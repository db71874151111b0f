"""Agreement for the eye: what the figures are, what they mean, and whom to talk to about them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from haechi.analysis.agreement import AgreementReport
from haechi.analysis.judges import SMALL_TEST, StandIns
from haechi.report.table import Table, say
from haechi.report.tables.agreement import (
    coefficients,
    criteria_tables,
    headline,
    in_words,
    judges_table,
    pairs_table,
    people_table,
    raters_tables,
    reading_table,
)
from haechi.report.tables.habits import habits_table
from haechi.report.tables.human_scale import human_sentence
from haechi.report.tables.own_criteria import verdict_table
from haechi.report.terminal import Line, Style, line
from haechi.report.words import score_name
from haechi.rubrics import Rubric
from haechi.scoring.human_scale import HumanScores
from haechi.stats.interpretation import interpret
from haechi.text import Text, language

if TYPE_CHECKING:
    from haechi.analysis.judge_quality import Instrument, QualityPart

_LISTED = 10
_MARKS: dict[bool | None, tuple[str, Style]] = {True: ("✓", "green"), False: ("✗", "red"), None: ("–", "dim")}


def agree_tables(
    report: AgreementReport, rubric: Rubric | None = None, parts: frozenset[QualityPart] = frozenset()
) -> list[Table | Line]:
    """All tables of a report, and in words what they say; each fits a terminal of 100 columns."""
    main = rubric.main_score() if rubric else ""
    name, panels = headline(report, main), report.panels
    found = report.criteria[name]
    things: list[Table | Line] = [
        *criteria_tables(rubric, report),
        *filter(None, map(verdict_table, report.own)),
        *_reading(report, name, score_name(rubric, name).words),
        *raters_tables(rubric, report, name),
    ]
    if found.pairs:
        things.append(pairs_table(rubric, name, found, 2 * _LISTED))
    if panels and any(one.panel.n for one in panels.human_ai.values()):
        things += [people_table(rubric, panels.human_ai), judges_table(rubric, name, panels.human_ai[name])]
    if report.judged:
        things += _stand_in(report.judged, name)
    if rubric is not None and report.human is not None and report.is_pooled:
        things += _had_people_rated(rubric, report.human(), rubric.main_score())
    if report.raters:  # a cluster only counts
        things.append(habits_table(rubric, name, report.raters))
    if parts and report.instrument:
        things += _instrument(report.instrument, rubric, name, parts)
    if report.reading_list:
        things.append(reading_table(rubric, report.reading_list[:_LISTED]))
    return things


def _instrument(
    found: Instrument, rubric: Rubric | None, name: str, parts: frozenset[QualityPart]
) -> list[Table | Line]:
    """What was asked for about the judges as instruments."""
    from haechi.report.tables.instrument import judges_tables, labels_tables, rasch_tables

    made: list[Table | str] = []
    made += judges_tables(rubric, found, name) if "judges" in parts else []
    made += rasch_tables(found) if "rasch" in parts else []
    made += labels_tables(rubric, found) if "labels" in parts else []
    return [line(one) if isinstance(one, str) else one for one in made]


def _reading(report: AgreementReport, name: str, words: str) -> list[Line]:
    """The headline in words, whose words they are, and where agreement is lowest."""
    lang = language()
    title = Text(f"해석 · {words}", f"In words · {words}").say()
    lines, sources = [line((title, "bold"))], dict[str, None]()
    for whose, one in in_words(report, name):
        lines += [line(f" {whose}")] if whose else []
        for label, cut_offs, figure in coefficients(one):
            reading = interpret(cut_offs, figure)
            value = say(figure.value, "coefficient")
            why = figure.why or figure.why_no_ci
            meant = reading.say(lang) if reading else why.say(lang) if why else ""
            lines.append(line(f"  {label:<15}{value:>6}  {meant}"))
            if reading:
                sources[cut_offs.source] = None
    if report.is_pooled:
        said = Text(
            "사람과 AI를 합친 수치는 말로 옮기지 않습니다.",
            "What pools people and judges is put in no words.",
        )
        lines.append(line((f"  {said.say()}", "dim")))
    if sources:
        named = ", ".join(sources)
        said = Text(f"색과 말은 다음 문헌의 기준: {named}", f"colours and words by the cut-offs of {named}")
        lines.append(line((f"  {said.say()}", "dim")))
    if len(report.criteria) > 1 and report.lowest:
        worst = ", ".join(
            f"{name} ({say(figure.value, 'coefficient')})" for name, figure in report.lowest[:3]
        )
        said = Text(
            f"  일치도가 가장 낮은 기준 (Krippendorff α): {worst}",
            f"  lowest agreement (Krippendorff's α): {worst}",
        )
        lines.append(line(said.say()))
    return [*lines, ()]


def _stand_in(judged: StandIns, name: str) -> list[Line]:
    """Whether each judge may stand in for people, in words."""
    if not any(found.alt_tests for found in judged.criteria.values()):
        return []
    title = Text(
        "AI 평가자가 사람을 대신할 수 있나? (대체 평가자 검정)",
        "Can an AI judge stand in for people? (alternative annotator test)",
    )
    lines = [line((title.say(), "bold"))]
    for judge, test in judged.criteria[name].alt_tests.items():
        mark = _MARKS[test.replaces]
        lines.append(line("  ", mark, f" {judge} · {name}: {test.verdict.say(language())}"))
        others = [
            other
            for other, found in judged.criteria.items()
            if other != name and judge in found.alt_tests and found.alt_tests[judge].replaces
        ]
        if others:
            names = ", ".join(others)
            also = Text(f"대신할 수 있는 다른 기준: {names}", f"also replaces people on: {names}")
            lines.append(line((f"    {also.say()}", "dim")))
    if judged.is_small(name):
        lines.append(line((f"  {SMALL_TEST.say(language())}", "yellow")))
    return [*lines, ()]


def _had_people_rated(rubric: Rubric, human: HumanScores, name: str) -> list[Line]:
    """What people would have given, in the words of every other surface; nothing where they rated everything, or it cannot be said."""
    if not human.is_there or name not in human.names or human.is_all or human[name].mean.value is None:
        return []
    return [line(human_sentence(rubric, human, name)), ()]
