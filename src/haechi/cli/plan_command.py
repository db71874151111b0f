"""`haechi plan`: how many items, raters and repeats a study needs, before it is made."""

from __future__ import annotations

import argparse
from pathlib import Path

from haechi.cli.argument_types import amount, count, number, refused, share
from haechi.cli.field_options import add_seed
from haechi.cli.output import Output
from haechi.text import Text, language

DESCRIPTION = Text(
    "평가를 시작하기 전에 항목과 평가자가 얼마나 필요한지 셈합니다. 가정(--sd, --icc …)에서, 또는 예비 스터디의 분산 성분에서. 목표는 하나: "
    "평균의 구간의 폭, 찾을 차이, 우연히 떨어지지 않을 통과 기준, 대체 평가자 검정, 비율의 폭과 pass^k.",
    "How many items and raters a study needs, before it is made: from assumptions (--sd, --icc …) or from a pilot study's "
    "own variance components. One goal: the width of a mean's interval, a difference to be found, a gate that must not "
    "fail by chance, an alternative annotator test, the width of a share or of pass^k.",
)
EXAMPLE = """
haechi plan --width 0.5 --sd 1.2 --icc 0.6 --raters 3
haechi plan pilot --width total=1.0
haechi plan pilot --width total=2.0 --new-raters
haechi plan --difference 0.4 --sd 1.0 --icc 0.7 --raters 2 --paired --correlation 0.6
haechi plan pilot --gate total=25 --mean 27
haechi plan --share 0.8 --width 0.1
haechi plan --share 0.9 --width 0.1 --pass 3 --icc 0.5
haechi plan --alt-test --human-error 0.15 --judge-error 0.1 --epsilon 0.15
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    from haechi.stats.bootstrap import SEED

    pilot = Text(
        "예비 스터디 폴더. 없으면 가정에서 셈함", "a pilot study; without one the plan rests on assumptions"
    )
    parser.add_argument("study", metavar="DIR", nargs="?", type=Path, help=pilot.say())
    _goals(parser)
    _assumptions(parser)
    raters = Text(
        "평가자 수(대체 평가자 검정은 사람 수)", "raters (of an alternative annotator test: people)"
    )
    parser.add_argument("--raters", type=count, metavar="N", help=raters.say())
    repeats = Text("질의마다 실행하는 횟수 (--pass와 함께)", "runs of each query (with --pass)")
    parser.add_argument("--repeats", type=count, metavar="N", help=repeats.say())
    item = Text(
        "항목 하나의 비용. 주면 비용이 적은 순서", "the cost of an item; the cheapest design comes first"
    )
    parser.add_argument("--cost-item", type=amount, default=0.0, metavar="COST", help=item.say())
    rating = Text("평가 한 건의 비용", "the cost of a rating")
    parser.add_argument("--cost-rating", type=amount, default=0.0, metavar="COST", help=rating.say())
    add_seed(parser, SEED, Text("모의실험의 난수 시드", "the seed of the simulation"))


def _goals(parser: argparse.ArgumentParser) -> None:
    width = Text(
        "평균(또는 --share)의 95 %% 구간의 폭, 아래 끝에서 위 끝까지",
        "the width of the 95 %% interval of a mean (or of --share), from end to end",
    )
    parser.add_argument("--width", type=_above_0, metavar="[NAME=]W", help=width.say())
    difference = Text("찾을 평균의 차이", "a difference of means to be found")
    parser.add_argument("--difference", type=_above_0, metavar="[NAME=]D", help=difference.say())
    gate = Text(
        "check --min의 한계. 참 평균(--mean)이 이보다 높을 때 통과할 확률이 --power가 되게",
        "the limit of check --min, which a true mean above it (--mean) shall pass with probability --power",
    )
    parser.add_argument("--gate", type=_named, metavar="[NAME=]LIMIT", help=gate.say())
    expected = Text("예상하는 비율. --width와 함께", "an expected share; with --width")
    parser.add_argument("--share", type=share, metavar="P", help=expected.say())
    runs = Text(
        "질의를 K번 실행해 모두 성공하는 비율, pass^K. --share와 함께",
        "of pass^K, over repeated runs; with --share",
    )
    parser.add_argument("--pass", dest="pass_k", type=count, metavar="K", help=runs.say())
    alt = Text("AI 평가자가 사람을 대신할 수 있는지의 검정", "the alternative annotator test")
    parser.add_argument("--alt-test", action="store_true", help=alt.say())
    power = Text(
        "목표에 이를 확률 (기본 0.8, --gate는 0.95)",
        "the probability to reach the goal (0.8; of --gate 0.95)",
    )
    parser.add_argument("--power", type=share, metavar="P", help=power.say())
    paired = Text("같은 항목에 대한 두 시스템의 차이", "the difference of two systems on the same items")
    parser.add_argument("--paired", action="store_true", help=paired.say())
    lower = Text(
        "구간의 아래 끝에 대한 통과 기준(check --min-lower)", "a gate on the lower end, check --min-lower"
    )
    parser.add_argument("--lower", action="store_true", help=lower.say())
    new = Text(
        "구간이 새 평가자에게도 해당하게 (기본: 이 평가자들, 새 항목)",
        "the interval shall speak for new raters too (default: these raters, new items)",
    )
    parser.add_argument("--new-raters", action="store_true", help=new.say())


def _assumptions(parser: argparse.ArgumentParser) -> None:
    sd = Text("평가 하나의 표준편차", "the standard deviation of a single rating")
    parser.add_argument("--sd", type=amount, metavar="SD", help=sd.say())
    icc = Text(
        "한 평가자의 신뢰도: 평가 하나의 분산 가운데 항목의 몫 (--pass에서는 질의의 몫)",
        "reliability of one rater: the items' share of a rating's variance (with --pass: the queries')",
    )
    parser.add_argument("--icc", type=share, metavar="ICC", help=icc.say())
    rater_sd = Text(
        "평가자 평균의 표준편차 (--new-raters와 함께)",
        "the standard deviation between raters (with --new-raters)",
    )
    parser.add_argument("--rater-sd", type=amount, default=0.0, metavar="SD", help=rater_sd.say())
    mean = Text(
        "예상하는 참 평균 (기본: 예비 스터디의 평균)", "the expected true mean (default: the pilot's)"
    )
    parser.add_argument("--mean", type=number, metavar="M", help=mean.say())
    correlation = Text("짝의 상관 (기본 0.5)", "correlation of the pairs (0.5)")
    parser.add_argument("--correlation", type=_correlation, default=0.5, metavar="R", help=correlation.say())
    human = Text("사람이 틀리는 비율", "how often a person errs")
    parser.add_argument("--human-error", type=share, metavar="P", help=human.say())
    judge = Text("AI 평가자가 틀리는 비율", "how often the judge errs")
    parser.add_argument("--judge-error", type=share, metavar="P", help=judge.say())
    epsilon = Text("대체 평가자 검정의 ε (0.2)", "ε of the alternative annotator test (0.2)")
    parser.add_argument("--epsilon", type=share, default=0.2, metavar="E", help=epsilon.say())


def run(chosen: argparse.Namespace, output: Output) -> int:
    """Run the command."""
    wrong = _wrong(chosen)
    if wrong is not None:
        output.note(wrong)
        return 2
    from haechi.report.plans import plan

    given = dict(vars(chosen))
    for name in ("json", "lang", "quiet"):
        given.pop(name, None)
    with output.working(Text("셈하는 중", "computing the plan")):
        found = plan(given.pop("study"), **given)
        if output.as_json:
            output.result(found.as_json(language()))
            return 0
    words, *tables = found.tables()
    output.say(str(words), "")
    output.show(*tables)
    if found.assumed.note:
        output.note(Text(*found.assumed.note))
    return 0


def _wrong(chosen: argparse.Namespace) -> Text | None:
    """What makes these options no plan."""
    goals = [name for name in ("width", "difference", "gate") if getattr(chosen, name) is not None]
    if len(goals) + chosen.alt_test != 1:
        return Text(
            "목표 하나를 주세요: --width, --difference, --gate, --alt-test 중 하나.",
            "Give one goal: one of --width, --difference, --gate and --alt-test.",
        )
    if (chosen.share is not None and goals != ["width"]) or (chosen.pass_k and chosen.share is None):
        return Text(
            "--share에는 --width가, --pass에는 --share가 필요합니다.",
            "--share needs --width, and --pass needs --share.",
        )
    if chosen.study and (
        chosen.alt_test or any(one is not None for one in (chosen.share, chosen.sd, chosen.icc))
    ):
        return Text(
            "예비 스터디가 있으면 --sd, --icc, --share, --alt-test를 빼세요. 스터디의 값으로 셈합니다.",
            "With a pilot study leave out --sd, --icc, --share and --alt-test: its own figures are used.",
        )
    needed = (
        []
        if chosen.study or chosen.share is not None
        else ["human_error", "judge_error"]
        if chosen.alt_test
        else ["sd"]
    )
    missing = [f"--{name.replace('_', '-')}" for name in needed if getattr(chosen, name) is None]
    if missing:
        options = ", ".join(missing)
        return Text(
            f"값이 필요합니다: {options}. 예비 스터디를 주어도 됩니다.",
            f"Needed: {options}; or give a pilot study.",
        )
    return None


def _named(text: str) -> float | dict[str, float]:
    """NAME=VALUE, or the value alone."""
    name, equals, value = text.rpartition("=")
    given = number(value)
    return {name.strip(): given} if equals else given


def _above_0(text: str) -> float | dict[str, float]:
    """The same, of a value above 0."""
    amount(text.rpartition("=")[2])
    return _named(text)


def _correlation(text: str) -> float:
    value = number(text)
    if not -1 <= value < 1:
        raise refused(text, Text("−1 이상 1 미만의 수", "a number from −1 to below 1"))
    return value
