"""`haechi prices`: what judges cost, where that is from, how old it is; state one's own."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from haechi.cli.output import Output
from haechi.errors import HaechiError
from haechi.text import Text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from haechi.judge.providers.prices import ListedPrice

DESCRIPTION = Text(
    "AI 평가자의 가격(백만 토큰당 달러)과 그 출처, 기준일을 보여 줍니다. --set으로 자신의 가격을 적으면 모든 스터디에서 패키지의 가격보다 먼저 쓰고, "
    "폴더를 주면 그 스터디에서만 씁니다.",
    "Show what judges cost (dollars per million tokens), where that is from and how old it is. --set states a price of your own, "
    "which comes before the package's in all studies, or only in the study whose folder is given.",
)
EXAMPLE = """
haechi prices
haechi prices --set openai:gpt-5-mini input=0.25 cached=0.025 output=2.00 batch=0.5
haechi prices tutoring --set openai:qwen3@http://localhost:8000/v1 input=0 output=0
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    folder = Text("스터디 폴더(없으면 모든 스터디)", "a study; without one, all studies")
    parser.add_argument("folder", metavar="DIR", nargs="?", type=Path, help=folder.say())
    given = Text(
        "모델 하나의 가격을 적음: input, output, cached, cache_write(백만 토큰당 달러), batch(배치 가격의 비율), window(토큰)",
        "state the price of a model: input, output, cached, cache_write (dollars per million tokens), batch (the share that "
        "a batch costs), window (tokens)",
    )
    parser.add_argument("--set", nargs="+", metavar=("MODEL", "FIELD=VALUE"), help=given.say())


def run(chosen: argparse.Namespace, output: Output) -> int:
    """Run the command."""
    from haechi.judge.providers.prices import NAME, Prices, set_price, user_file
    from haechi.store.folder import read_settings

    if chosen.folder is not None:
        read_settings(chosen.folder)  # it is a study, or refused with what to do
    if chosen.set:
        file = user_file() if chosen.folder is None else chosen.folder / NAME
        _note_left_out(Prices.read(chosen.folder).listed.get(chosen.set[0]), _fields(chosen.set[1:]), output)
        set_price(file, chosen.set[0], _fields(chosen.set[1:]))
        output.note(Text(f"{file}에 적었습니다.", f"written to {file}."))
    listed = Prices.read(chosen.folder).listed
    if output.as_json:
        told = {name: _told(one) for name, one in listed.items()}
        output.result({"models": told, "user_file": str(user_file())})
        return 0
    _show(listed, output)
    own = Text(f"자신의 가격을 적는 곳: {user_file()}", f"your own prices: {user_file()}")
    output.note(own)
    return 0


def _note_left_out(before: ListedPrice | None, given: dict[str, str], output: Output) -> None:
    """Say which discounts the price before had and this one has not."""
    lost = [
        name
        for name in ("cached", "cache_write", "batch")
        if before is not None and name not in given and before.price.model_dump(exclude_unset=True).get(name)
    ]
    if lost:
        output.note(
            Text(
                f"! 적지 않은 {', '.join(lost)}: 할인 없이 계산합니다. 함께 적으려면 {lost[0]}=…을 더하세요.",
                f"! {', '.join(lost)} not stated: counted without a discount. Add {lost[0]}=… to state it.",
            )
        )


def _fields(given: list[str]) -> dict[str, str]:
    pairs = [text.partition("=") for text in given]
    for text, (name, sign, value) in zip(given, pairs, strict=True):
        if not (name and sign and value):
            expected = Text("input=0.25처럼 이름=값", "NAME=VALUE such as input=0.25")
            todo = Text("--set을 고쳐 다시 실행하세요", "correct --set and run again")
            raise HaechiError.of("haechi prices --set", text, expected, todo)
    return {name: value for name, _, value in pairs}


def _told(one: ListedPrice) -> dict[str, Any]:
    source = {"file": str(one.file) if one.file else None, "age_days": one.age(), "old": one.is_old}
    return {**one.price.model_dump(), **source}


def _show(listed: Mapping[str, ListedPrice], output: Output) -> None:
    from haechi.report.table import Column, table

    columns = [
        Column(Text("모델", "model").say(), "words"),
        *(Column(Text(ko, en).say(), leave_out=last) for ko, en, last in _HEADS),
        Column(Text("기준일", "as of").say()),
        Column(Text("출처", "from").say(), "words", leave_out=1),
    ]
    rows = [(name, *_cells(one), _dated(one), _source(one)) for name, one in listed.items()]
    title = Text("가격(백만 토큰당 달러)", "Prices (dollars per million tokens)")
    output.show(table(title.say(), columns, rows))


_HEADS = (
    ("입력", "input", 0),
    ("캐시 입력", "cached", 4),
    ("캐시 쓰기", "cache write", 5),
    ("출력", "output", 0),
    ("배치", "batch", 3),
)


def _cells(one: ListedPrice) -> list[str]:
    price = one.price
    dollars = (price.input, price.cached, price.cache_write, price.output)
    return [*("–" if value is None else f"{value:g}" for value in dollars), f"× {price.batch:g}"]


def _dated(one: ListedPrice) -> str:
    age = one.age()
    if age is None:
        return one.price.as_of or "?"
    old = " !" if one.is_old else ""
    return Text(f"{one.price.as_of} ({age}일 전){old}", f"{one.price.as_of} ({age} days){old}").say()


def _source(one: ListedPrice) -> str:
    return Text("패키지", "package").say() if one.file is None else str(one.file)
