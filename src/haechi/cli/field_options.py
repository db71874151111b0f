"""Options that several commands have: the same words and meaning in every one of them."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from haechi.cli.argument_types import refused, seed
from haechi.cli.output import Output
from haechi.text import Text

_RESAMPLING = Text("재표집의 난수 시드", "the seed of the resampling")


def add_where(parser: argparse.ArgumentParser) -> None:
    """The option that chooses what is looked at."""
    where = Text(
        "이 값을 가진 것만: 메타 필드, rater, kind, stance, criterion. 여러 번 쓸 수 있고, 같은 필드면 그중 하나, 다른 필드면 모두 맞아야 함",
        "only what has this value: meta fields, rater, kind, stance, criterion; repeat for more: any value of a field, "
        "all fields",
    )
    parser.add_argument(
        "--where", action="append", default=[], type=_condition, metavar="FIELD=VALUE", help=where.say()
    )


def add_by(parser: argparse.ArgumentParser, about: Text) -> None:
    """The option that makes groups, repeatable; what they are for is said by the command."""
    fields = Text(
        f"{about.ko}: 메타 필드, rater, kind, stance. 여러 번 쓸 수 있고, 쉼표는 교차",
        f"{about.en}: meta fields, rater, kind, stance; repeat for more, comma to cross",
    )
    parser.add_argument("--by", action="append", default=[], metavar="FIELD[,FIELD]", help=fields.say())


def add_cluster_by(parser: argparse.ArgumentParser) -> None:
    """The option that names what items share."""
    clusters = Text(
        "같은 값을 가진 항목들을 한 묶음으로 보고 구간을 구할 메타 필드. none은 묶지 않음 (기본: student, user, query 같은 필드를 찾음)",
        "meta field whose values make clusters of items, for intervals; none for no clusters (default: a field such as "
        "student, user or query, if items share its values)",
    )
    parser.add_argument("--cluster-by", metavar="FIELD", help=clusters.say())


def add_panel(parser: argparse.ArgumentParser) -> None:
    """The option that says how AI judges count together."""
    panel = Text(
        "AI 평가자를 합치는 방법: mean(각자 평가자로 두고 항목의 평균), median이나 majority(한 평가자로 합침, 다른 의견은 --json에). 기본은 study.yaml의 panel, 없으면 mean",
        "how AI judges count together: mean (each is a rater, an item has their mean), median or majority (they are one rater; "
        "who said otherwise is in --json). Default: panel in study.yaml, else mean",
    )
    parser.add_argument("--panel", choices=("mean", "median", "majority"), help=panel.say())


def add_exclude(parser: argparse.ArgumentParser) -> None:
    """The option that leaves criteria out."""
    exclude = Text("빼고 계산할 기준", "a criterion to leave out")
    parser.add_argument("--exclude", action="append", default=[], metavar="NAME", help=exclude.say())


def add_missing(parser: argparse.ArgumentParser) -> None:
    """The option that says what becomes of answers that are not there."""
    policy = Text(
        "결측 처리: missing(기본, 점수도 결측), unmet(0으로), renormalise(있는 것으로 평균)",
        "missing values: missing (default: the score is missing), unmet (as 0), renormalise (mean of what is there)",
    )
    parser.add_argument("--missing", choices=("missing", "unmet", "renormalise"), help=policy.say())


def add_seed(parser: argparse.ArgumentParser, usual: int, about: Text = _RESAMPLING) -> None:
    """The option with which random numbers come again."""
    told = Text(f"{about.ko} (기본: {usual})", f"{about.en} (default: {usual})")
    parser.add_argument("--seed", type=seed, default=usual, metavar="N", help=told.say())


def where_of(chosen: argparse.Namespace) -> Mapping[str, list[str]]:
    """What was given, of every field the values in order."""
    wanted: dict[str, list[str]] = {}
    for field, value in chosen.where:
        wanted.setdefault(field, []).append(value)
    return wanted


def say_where(chosen: argparse.Namespace, output: Output) -> None:
    """Say beside a result that it is not about everything."""
    if chosen.where:
        said = ", ".join(f"{field}={value}" for field, value in chosen.where)
        output.note(Text(f"선택: {said}", f"only {said}"))


def _condition(text: str) -> tuple[str, str]:
    field, equals, value = (part.strip() for part in text.partition("="))
    if not (equals and field and value):
        raise refused(text, Text("필드=값, 예를 들어 mode=agent", "FIELD=VALUE, such as mode=agent"))
    return field, value
