"""Gates: a study's figures by name, and whether they are where they should be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Literal

from haechi.analysis.analysis import StudyFigures
from haechi.errors import HaechiError
from haechi.report.change import ScoreChange
from haechi.report.markdown import markdown_table, plain
from haechi.report.markup import Markup, tag
from haechi.report.numbers import Kind as NumberKind
from haechi.report.numbers import p_words
from haechi.report.table import Cell, Column, Estimate, Mark, Table, say, table
from haechi.report.words import said
from haechi.stats import Agreement, Figure
from haechi.stats.figure import figure
from haechi.text import Text, language

Kind = Literal["min", "max", "min-lower", "max-upper"]
SIGNS: dict[Kind, str] = {"min": "≥", "max": "≤", "min-lower": "≥", "max-upper": "≤"}
_COEFFICIENTS = ("cronbach_alpha", "krippendorff_alpha", "fleiss_kappa", "gwet_ac", "percent_agreement")
BY_RATER = "@rater="
_PANELS = ("agree", "human_human", "ai_ai", "human_ai")
_AGAINST = ("pearson", "spearman", "kendall", "mean_difference")


@dataclass(frozen=True)
class Gate:
    """A figure and where it must lie: its value, or the lower or upper end of its 95 % interval."""

    kind: Kind
    name: str
    limit: float

    @property
    def words(self) -> str:
        """The gate as a condition."""
        of = {
            "min-lower": said(" (구간의 아래 끝)", " (lower end)"),
            "max-upper": said(" (구간의 위 끝)", " (upper end)"),
        }
        return f"{self.name}{of.get(self.kind, '')} {SIGNS[self.kind]} {self.limit:g}"


@dataclass(frozen=True)
class Checked:
    """A gate with what was found; `why` says what is the matter."""

    words: str
    found: Estimate
    passed: bool
    why: str = ""
    is_difference: bool = False

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        ends = None if self.found.low is None else [self.found.low, self.found.high]
        said_: dict[str, Any] = {
            "gate": self.words,
            "passed": self.passed,
            "value": self.found.value,
            "ci95": ends,
        }
        return said_ | ({"why": self.why} if self.why else {})


def figures_by_name(figures: StudyFigures) -> dict[str, Figure]:
    """Every figure that a gate can name.

    `total`, `total.sd`, `total.median`, `total@mode=agent`, `total@rater=kim`; `raters`, how many; `latency_single.seconds`; `agree.total.icc2_1`,
    `ai_ai.total.krippendorff_alpha`, `human_ai.total.pearson`; `evidence.unfounded`.
    """
    named: dict[str, Figure] = {}
    for name, group in figures.whole.items():
        named |= {name: group.mean, f"{name}.sd": group.sd, f"{name}.median": group.median}
    for name, group in figures.seconds.items():
        prefix = f"{name}.seconds" if name else "seconds"
        named |= {prefix: group.mean, f"{prefix}.median": group.median}
    for comparison in figures.comparisons:
        for name, found in comparison.criteria.items():
            for one in found.groups:
                place = ",".join(f"{field}={value}" for field, value in one.by.items())
                named[f"{name}@{place}"] = one.described.mean
    named |= _by_rater(figures)
    if figures.agreement is not None:
        named |= _agreements("agree", figures.agreement.criteria)
        panels = figures.agreement.panels
        if panels is not None:
            named |= _agreements("human_human", panels.human_human) | _agreements("ai_ai", panels.ai_ai)
            for name, against in panels.human_ai.items():
                named |= {f"human_ai.{name}.{key}": getattr(against.panel, key) for key in _AGAINST}
    if figures.quoted.checked:
        named["evidence.unfounded"] = figures.quoted.share()
    return named


def _by_rater(figures: StudyFigures) -> dict[str, Figure]:
    """How many raters, and the mean of each of several; of raters with one item each only who they are.

    A later run compares over the raters that it has in common with this one, and needs to know what each gave.
    """
    panel = {cell.rater: cell.kind for cell in figures.cells}
    each = figures.one_item_each
    named = {"raters": figure(len(panel), figures.n_rated, panel=panel, one_item_each=each)}
    for rater, counted in figures.by_rater.items() if len(panel) > 1 and not each else ():
        for name, sample in counted.scores.items():
            if sample.n:
                spread = sample.sd if sample.n > 1 else None
                named[f"{name}{BY_RATER}{rater}"] = figure(sample.mean, sample.n, sd=spread)
    return named


def _agreements(prefix: str, block: Mapping[str, Agreement]) -> dict[str, Figure]:
    named = {}
    for name, found in block.items():
        for form, own in found.icc.items():  # ICC(2,1) is icc2_1
            named[f"{prefix}.{name}.icc{form[4]}_{form[6]}"] = own
        named |= {f"{prefix}.{name}.{key}": getattr(found, key) for key in _COEFFICIENTS}
    return named


def check_gates(named: Mapping[str, Figure], gates: Sequence[Gate]) -> list[Checked]:
    """Try every gate. A figure without a value does not pass, and says why; an unknown name is refused.

    >>> check_gates({"total": Figure(30.0, 12, (24.0, 33.0))}, [Gate("min-lower", "total", 25)])[0].passed
    False
    """
    unknown = [gate.name for gate in gates if gate.name not in named]
    if unknown:
        near = get_close_matches(unknown[0], named, 5, 0.3) or list(named)[:5]
        expected = Text(
            f"스터디에 있는 수치. 비슷한 것: {', '.join(near)}",
            f"a figure of the study, such as {', '.join(near)}",
        )
        raise HaechiError.of(
            "haechi check",
            ", ".join(unknown),
            expected,
            Text("--list로 이름을 보세요", "see the names with --list"),
        )
    return [_check(gate, named[gate.name]) for gate in gates]


def _check(gate: Gate, figure: Figure) -> Checked:
    found = Estimate.of(figure, _written(gate.name))
    end = {"min": found.value, "max": found.value, "min-lower": found.low, "max-upper": found.high}[gate.kind]
    if end is None:
        reason = figure.why or figure.why_no_ci
        why = reason.say(language()) if reason else said("구간이 없음", "it has no interval")
        return Checked(gate.words, found, False, why)
    passed = end >= gate.limit if SIGNS[gate.kind] == "≥" else end <= gate.limit
    apart = f"{end:.4g}: {abs(end - gate.limit):.2g}"
    low = SIGNS[gate.kind] == "≥"
    why = said(f"{apart} {'모자람' if low else '넘음'}", f"{apart} too {'low' if low else 'high'}")
    return Checked(gate.words, found, passed, "" if passed else why)


def check_regression(changes: Sequence[ScoreChange]) -> list[Checked]:
    """No score may be lower than before by more than chance explains; what cannot be tested must not be lower.

    That no loss was shown does not say that there is none: a gate that holds says how large a loss may still be.
    """
    checks = []
    for one in changes:
        untested = one.difference.value is None and one.before.value is not None
        passed = not one.refused and (not _is_lower(one) if untested else one.direction >= 0)
        why = (
            _possible_loss(one.difference) if passed else f"{one.test} {p_words('p(Holm)', one.p_corrected)}"
        )
        if untested or one.refused:
            why = one.difference.why or said("비교할 값이 없음", "there is nothing to compare")
        words = said(f"{one.name}: 기준보다 나빠졌다는 근거 없음", f"{one.name}: no loss shown")
        checks.append(Checked(words, one.difference, passed, why, is_difference=True))
    return checks


def _possible_loss(difference: Estimate) -> str:
    """What may be said of a loss that was not shown.

    >>> from haechi.text import choose_language
    >>> choose_language("en")
    >>> _possible_loss(Estimate(0.1, -0.25, 0.45))
    'no loss was shown; a loss of up to 0.25 is compatible with the data'
    >>> _possible_loss(Estimate(0.5, 0.2, 0.8))
    ''
    >>> choose_language(None)
    """
    low, high = difference.low, difference.high
    if low is None or low == high:
        return said(
            "나빠졌다는 근거가 없습니다. 다만 자료에 흩어짐이 없어 얼마까지의 하락이 가능한지는 말할 수 없습니다",
            "no loss was shown; without any spread the data do not say how large a loss is possible",
        )
    if low >= 0:
        return ""
    most = f"{-low:.2g}"
    return said(
        f"나빠졌다는 근거가 없습니다. 다만 최대 {most}만큼의 하락은 데이터와 어긋나지 않습니다",
        f"no loss was shown; a loss of up to {most} is compatible with the data",
    )


def _is_lower(one: ScoreChange) -> bool:
    """Whether a score is lower than before, or gone."""
    return one.after.value is None or one.after.value < (one.before.value or 0.0)


def verdict(checks: Sequence[Checked]) -> str:
    """How many gates hold, in words.

    >>> from haechi.text import choose_language
    >>> choose_language("en")
    >>> verdict([Checked("total ≥ 1", Estimate(2.0), True)] * 2)
    '2 of 2 gates passed'
    >>> choose_language(None)
    """
    n, failed = len(checks), sum(not one.passed for one in checks)
    if failed:
        return said(f"관문 {n:,}개 중 {failed:,}개 실패", f"{failed:,} of {n:,} gates failed")
    return said(f"관문 {n:,}개{' 모두' if n > 1 else ''} 통과", f"{n:,} of {n:,} gates passed")


def check_tables(checks: Sequence[Checked], title: str = "") -> list[Table]:
    """The checks under heads that say what is shown: figures, and differences from the baseline."""
    heads = {
        False: said("수치 [95 % 구간]", "figure [95 % interval]"),
        True: said("기준과의 차이 [95 % 구간]", "change from baseline [95 % interval]"),
    }
    tables: list[Table] = []
    for which, head in heads.items():
        rows: list[list[Cell]] = [
            [Mark("good" if one.passed else "problem"), one.words, one.found, one.why]
            for one in checks
            if one.is_difference == which
        ]
        columns = [
            Column("", "words"),
            Column(said("관문", "gate"), "words"),
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
    rows: list[list[Cell]] = [[name, Estimate.of(figure, _written(name))] for name, figure in named.items()]
    return table(said("수치", "Figures"), columns, rows)


def _written(name: str) -> NumberKind:
    """How a figure is written: agreement and correlation are coefficients, whatever else a gate names is not."""
    prefix, _, key = name.partition(".")
    coefficient = prefix in _PANELS and not key.endswith((".mean_difference", ".percent_agreement"))
    return "coefficient" if coefficient else "score"


def junit(study: str, checks: Sequence[Checked]) -> str:
    """The checks as JUnit XML, which every CI server can show."""
    cases = []
    for one in checks:
        failure = (
            []
            if one.passed
            else [tag("failure", f"{say(one.found, digits=4)}; {one.why}", message=one.why or one.words)]
        )
        cases.append(tag("testcase", *failure, classname=f"haechi.{study}", name=one.words))
    failed = sum(not one.passed for one in checks)
    suite = tag("testsuite", *cases, name=f"haechi check {study}", tests=len(checks), failures=failed)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tag("testsuites", Markup("\n"), suite) + "\n"


def summary(study: str, checks: Sequence[Checked], note: str = "") -> str:
    """The checks as GitHub-flavoured Markdown, for a job's summary; `note` stands before them."""
    mark = "✅" if all(one.passed for one in checks) else "❌"
    tables = "\n\n".join(map(markdown_table, check_tables(checks)))
    before = f"{plain(note)}\n\n" if note else ""
    return f"### {mark} {plain(study)}: {verdict(checks)}\n\n{before}{tables}\n"
