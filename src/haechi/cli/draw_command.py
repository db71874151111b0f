"""`haechi draw`: which items people should rate, drawn at random and remembered with their chances."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from haechi.cli.argument_types import count
from haechi.cli.field_options import add_seed
from haechi.cli.output import Output
from haechi.text import Text, first_few

if TYPE_CHECKING:
    import polars as pl

DESCRIPTION = Text(
    "사람이 평가할 항목을 무작위로 뽑아 기록합니다. 사람이 그 항목들을 평가하면 score, report, check가 사람이 전부 평가했을 때의 점수를 구간과 함께 추정합니다. "
    "다시 뽑으면 남은 항목에서 더 뽑습니다. 이미 평가한 항목이 무작위로 고른 것이었다면 --declare로 알려 줍니다.",
    "Draw items at random for people to rate, and remember the draw. Once people have rated them, score, report and check estimate what people "
    "would have given for everything, with an interval. Drawing again draws more of those left. If the items rated already were chosen at random, --declare says so.",
)
EXAMPLE = """
haechi draw tutoring --items 40 --seed 7
haechi draw tutoring --items 40 -o to-rate.csv
haechi draw tutoring --declare "students whose number ends in 3"
haechi draw tutoring
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("folder", metavar="DIR", help=Text("스터디 폴더", "the study").say())
    what = parser.add_mutually_exclusive_group()
    items = Text(
        "뽑을 항목 수 (없으면 지금의 표본을 보여 줌)",
        "how many items to draw (without it: show what is drawn)",
    )
    what.add_argument("--items", type=count, metavar="N", help=items.say())
    declare = Text(
        "사람이 평가한 항목은 이미 무작위로 고른 것이라고 알림. 어떻게 골랐는지 적음",
        "the items that people rated were chosen at random already; say how",
    )
    what.add_argument("--declare", metavar="WORDS", help=declare.say())
    add_seed(parser, 0, Text("추첨의 난수 시드", "the seed of the draw"))
    out = Text("뽑은 항목의 목록을 쓸 파일: .csv", "write the drawn items to a file: .csv")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help=out.say())


def run(chosen: argparse.Namespace, output: Output) -> int:
    """Run the command."""
    from haechi.store.draws import said_of
    from haechi.study.study import Study

    study = Study(chosen.folder)
    if chosen.items:
        draw = study.draw(chosen.items, chosen.seed)
    elif chosen.declare is not None:
        draw = study.declare_drawn(chosen.declare)
    else:
        found = study.drawn()
        if found is None:
            words = Text(
                "아직 뽑은 항목이 없습니다. haechi draw 스터디 --items 40처럼 뽑으세요.",
                "Nothing is drawn yet: haechi draw DIR --items 40 draws.",
            ).say()
            if output.as_json:
                nothing = {"how": None, "said": words, "items": study.count_items(), "seed": None}
                output.result({**nothing, "drawn": []})
            else:
                output.say(words)
            return 0
        draw = found
    rated = study.rated_by_people()
    if chosen.output:
        from haechi.data.writing import write_tables

        write_tables([_list(draw.item_ids, rated)], chosen.output)
    said = said_of(draw).say()
    if output.as_json:
        drawn = [{"item": item, "chance": chance, "rated": item in rated} for item, chance in draw.drawn]
        output.result({"how": draw.how, "said": said, "items": draw.items, "seed": draw.seed, "drawn": drawn})
        return 0
    output.say(f"✓ {said}")
    _say_waiting([item for item in draw.item_ids if item not in rated], chosen.folder, output)
    if chosen.output:
        output.say(f"✓ {chosen.output}")
    return 0


def _say_waiting(waiting: list[str], folder: str, output: Output) -> None:
    """Which of the drawn items people have yet to rate, and what to do next."""
    if waiting:
        shown = first_few(waiting, 10)
        output.say(
            Text(
                f"사람의 평가를 기다리는 항목 {len(waiting):,}개: {shown}",
                f"{len(waiting):,} wait for people to rate them: {shown}",
            ).say()
        )
        output.note(
            Text(
                f"haechi serve {folder}의 평가 화면은 뽑은 항목부터 줍니다. 파일로 나누려면 -o를 쓰세요.",
                f"The desk of haechi serve {folder} gives out the drawn items first; -o writes them to a file.",
            )
        )
    else:
        output.note(
            Text(
                f"모두 평가되었습니다. haechi score {folder}가 사람이 평가했을 때의 점수를 보여 줍니다.",
                f"All are rated: haechi score {folder} shows what people would have given.",
            )
        )


def _list(items: list[str], rated: frozenset[str]) -> pl.DataFrame:
    import polars as pl

    return pl.DataFrame({"item": items, "rated": [item in rated for item in items]})
