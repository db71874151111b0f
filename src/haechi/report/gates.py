"""Gates held against the figures of a study, and how that is shown: tables, JSON, JUnit XML, Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from haechi.analysis.analysis import Analysis
from haechi.analysis.gates import Gate, GateResult, check_gates, check_regression
from haechi.analysis.named_figures import NamedFigures
from haechi.analysis.score_change import SIGNIFICANT, ScoreChange, refused_change
from haechi.analysis.zero_by_rule import said_beside
from haechi.errors import HaechiError, Problem
from haechi.frozen import frozen
from haechi.report.gate_words import (
    comparable,
    found_in,
    gate_condition,
    gate_format,
    gate_reason,
    gate_value,
    verdict,
)
from haechi.report.table import Cell, Column, Estimate, Table, VerdictMark, say, table
from haechi.report.words import said
from haechi.stats import Figure
from haechi.text import Text, in_english

if TYPE_CHECKING:
    from haechi.analysis.regression import Regression


@frozen
class GateResults:
    """Every gate and whether it holds; true when all do, so that `assert study.check(…)` says what it should.

    `figures` are those that gates can name, `change` is what became of the scores since the baseline, `looks` how often
    the gates are asked, `problems` why the baseline cannot be read, `beside` what must be
    said of intervals and totals that gates look at.
    """

    study: str
    rubric: str
    gates: tuple[GateResult, ...]
    figures: NamedFigures
    change: Regression | None = None
    looks: int = 1
    problems: tuple[Problem, ...] = ()
    beside: tuple[Text, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether all gates hold."""
        return all(one.passed for one in self.gates)

    def __bool__(self) -> bool:
        return self.passed

    @property
    def verdict(self) -> str:
        """How many gates hold, in words."""
        return verdict(self.gates)

    @property
    def note(self) -> str:
        """What is not the same about the baseline's raters, how many looks the gates hold for, clusters, what is 0 by rule."""
        panel = self.change.panel.words if self.change else None
        looks = said(
            f"{self.looks:,}번 확인하는 동안의 거짓 경보를 통과 기준마다 최대 5 %로 묶은 {self._level} % 구간으로 판단했습니다.",
            f"Judged by {self._level} % intervals, so that over {self.looks:,} looks each gate raises a false alarm at most "
            "5 % of the time.",
        )
        kept = self.change.note if self.change else None
        notes = [words.say() for words in (panel, kept) if words is not None]
        notes = [*notes, *([looks] if self.looks > 1 else [])]
        return " ".join([*notes, *(words.say() for words in self.beside)])

    @property
    def _level(self) -> str:
        return f"{100 * (1 - SIGNIFICANT / self.looks):.6g}"

    def tables(self) -> list[Table]:
        """The checks under heads that say what is shown."""
        return check_tables(self.gates, self.study)

    def as_json(self) -> dict[str, Any]:
        """The contract of `haechi check --json`."""
        told: dict[str, Any] = {"study": self.study, "rubric": self.rubric, "passed": self.passed}
        told |= {"looks": self.looks} if self.looks > 1 else {}
        told["gates"] = [as_json(one) for one in self.gates]
        told["checks"] = [as_old_json(one) for one in self.gates]
        told |= {"panel": self.change.panel.as_json()} if self.change else {}
        told |= {"problems": [one.as_json() for one in self.problems]} if self.problems else {}
        told |= {"notes": [words.say() for words in self.beside]} if self.beside else {}
        return told | {"figures": {name: figure.as_json() for name, figure in self.figures.items()}}

    def __repr__(self) -> str:
        return in_english(self._in_short)

    def _in_short(self) -> str:
        failed = [f"{gate_condition(one)}: {gate_value(one)}" for one in self.gates if not one.passed]
        return f"<Gates of {self.study}: {'; '.join([self.verdict, *failed])}>"

    def _repr_html_(self) -> str:
        from haechi.report.html_parts import as_html

        return as_html([*([self.note] if self.note else []), *self.tables(), self.verdict])


def check(
    figures: Analysis,
    gates: Sequence[Gate],
    baseline: Path | None = None,
    no_regression: bool = True,
    looks: int = 1,
) -> GateResults:
    """Hold the figures of a study against gates, and its scores against a baseline.

    Gates of the kind `max-drop` are about the change from the baseline; `no_regression`: no score may have got worse;
    `looks`: how often the gates are asked, as every day for a while. A baseline that cannot be read fails the gates that
    need it, and no others.
    """
    named = NamedFigures(figures)
    drops = [gate for gate in gates if gate.kind == "max-drop"]
    held = check_gates(named, [gate for gate in gates if gate not in drops], looks)
    change: Regression | None = None
    problems: tuple[Problem, ...] = ()
    if baseline is not None:
        from haechi.analysis.baseline import read_baseline  # and pydantic, which few checks need
        from haechi.analysis.regression import regression

        try:
            change = regression(read_baseline(baseline), figures, str(baseline))
            changes = change.scores
        except HaechiError as error:
            problems, at = error.problems, error.problems[0].at
            why = Text(f"기준을 읽을 수 없습니다: {at}", f"the baseline cannot be read: {at}")
            changes = tuple(refused_change(name, why) for name in figures.names)
        differences = {one.name: comparable(one) for one in changes}
        held += check_gates(differences, drops, looks, {one.name: one.df for one in changes})
        held += check_regression(changes, looks) if no_regression else []
    totals = (said_beside(figures.scored, name) for name in dict.fromkeys(gate.name for gate in gates))
    beside = tuple(words for words in (*figures.scored.about, *totals) if words is not None)
    return GateResults(
        figures.study.name, figures.rubric.id, tuple(held), named, change, looks, problems, beside
    )


def as_json(checked: GateResult) -> dict[str, Any]:
    """A gate for machines; its name is the same in every language."""
    found, gate = checked.found, checked.of
    looks = {} if checked.interval is None else {"interval": list(checked.interval)}
    return {
        "name": checked.name,
        "kind": checked.kind,
        "score": gate.name,
        "limit": None if isinstance(gate, ScoreChange) else gate.limit,
        "value": found.value,
        "ci95": None if found.ci95 is None else list(found.ci95),
        "n": found.n,
        "passed": checked.passed,
        "why": gate_reason(checked) or None,
        **looks,
    }


def as_old_json(checked: GateResult) -> dict[str, Any]:
    """As `checks` has it, which is kept for those who read it already."""
    told = as_json(checked)
    kept = {"gate": gate_condition(checked)} | {key: told[key] for key in ("passed", "value", "ci95")}
    return kept | ({"why": told["why"]} if told["why"] else {})


def check_tables(checks: Sequence[GateResult], title: str = "") -> list[Table]:
    """The checks under heads that say what is shown: figures, and differences from the baseline."""
    heads = {
        False: said("수치 [95 % 구간]", "figure [95 % interval]"),
        True: said("기준과의 차이 [95 % 구간]", "change from baseline [95 % interval]"),
    }
    tables: list[Table] = []
    for which, head in heads.items():
        rows: list[list[Cell]] = [
            [
                VerdictMark("good" if one.passed else "problem"),
                gate_condition(one),
                found_in(one),
                gate_reason(one),
            ]
            for one in checks
            if one.is_change == which
        ]
        columns = [
            Column("", "words"),
            Column(said("통과 기준", "gate"), "words"),
            Column(head, digits=3),
            Column(said("이유", "why"), "words"),
        ]
        if rows:
            tables.append(table("" if tables else title, columns, rows))
    return tables


def figures_table(named: Mapping[str, Figure]) -> Table:
    """Every figure that a gate can name."""
    columns = [
        Column(said("이름", "name"), "words"),
        Column(said("값 [95 % 구간]", "value [95 % interval]"), digits=3),
    ]
    rows: list[list[Cell]] = [
        [name, Estimate.of(figure, gate_format(name))] for name, figure in named.items()
    ]
    return table(said("수치", "Figures"), columns, rows)


def junit(study: str, checks: Sequence[GateResult]) -> str:
    """The checks as JUnit XML, which every CI server can show."""
    from haechi.report.markup import Markup, tag

    cases = []
    for one in checks:
        failure = (
            []
            if one.passed
            else [
                tag(
                    "failure",
                    f"{say(found_in(one), digits=4)}; {gate_reason(one)}",
                    message=gate_reason(one) or gate_condition(one),
                )
            ]
        )
        cases.append(tag("testcase", *failure, classname=f"haechi.{study}", name=one.name))
    failed = sum(not one.passed for one in checks)
    suite = tag("testsuite", *cases, name=f"haechi check {study}", tests=len(checks), failures=failed)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tag("testsuites", Markup("\n"), suite) + "\n"


def summary(study: str, checks: Sequence[GateResult], note: str = "") -> str:
    """The checks as GitHub-flavoured Markdown, for a job's summary; `note` stands before them."""
    from haechi.report.markdown import markdown_table, plain

    mark = "✅" if all(one.passed for one in checks) else "❌"
    tables = "\n\n".join(map(markdown_table, check_tables(checks)))
    before = f"{plain(note)}\n\n" if note else ""
    return f"### {mark} {plain(study)}: {verdict(checks)}\n\n{before}{tables}\n"
