"""`haechi calls`: what was asked of AI judges and what came back, down to the bytes."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from haechi.cli.output import Output
from haechi.text import Text

if TYPE_CHECKING:
    from haechi.store.connection import DatabaseRow
    from haechi.store.judging_protocols import ProtocolUse
    from haechi.study.study import Study

DESCRIPTION = Text(
    "AI 평가자에게 무엇을 어떻게 물었고 무엇이 돌아왔는지 보여 줍니다. -o로 모든 호출을 보낸 그대로, 받은 그대로 내보내면 "
    "평가 하나하나를 누구나 되짚어 볼 수 있습니다. 키는 어디에도 없습니다.",
    "Show what AI judges were asked, how, and what came back. With -o every call is written as it was sent and received, so "
    "that anybody can trace any rating back. Keys are nowhere in it.",
)
EXAMPLE = """
haechi calls tutoring
haechi calls tutoring -o calls.jsonl
haechi calls tutoring --json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("folder", metavar="DIR", help=Text("스터디 폴더", "the study").say())
    to = Text("모든 호출을 이 파일에, 한 줄에 하나씩", "write every call to this file, one per line")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help=to.say())


def run(chosen: argparse.Namespace, output: Output) -> int:
    """Run the command."""
    from haechi.analysis.judge_changes import changes
    from haechi.store.call_lines import call_states
    from haechi.store.judging_protocols import asked_ways
    from haechi.study.study import Study

    study = Study(chosen.folder)
    written = _write(study, chosen.output, output) if chosen.output is not None else None
    with study.database.read() as connection:
        ways, states = asked_ways(connection), call_states(connection)
    changed = changes(ways)
    if output.as_json:
        output.result(
            {
                "raters": states,
                "ways": [_way(way) for way in ways],
                "changes": [one.as_json() for one in changed],
                "written": written,
            }
        )
        return 0
    if not states:
        output.say(Text("AI 평가자에게 물은 것이 없습니다.", "No AI judge was asked.").say())
    else:
        _show(ways, states, output)
    for one in changed:
        output.say(f"! {one.words.say()}")
    if written is not None:
        output.say(
            Text(f"✓ {chosen.output}: 호출 {written:,}건", f"✓ {chosen.output}: {written:,} calls").say()
        )
    return 0


def _write(study: Study, path: Path, output: Output) -> int:
    import orjson

    from haechi.judge.providers.keys import mask
    from haechi.store.call_lines import call_lines

    count = 0
    with (
        output.working(Text("호출을 쓰는 중", "writing calls")) as advance,
        study.database.read() as connection,
        path.open("wb") as file,
    ):
        for line in call_lines(connection, _received, mask):
            file.write(orjson.dumps(line) + b"\n")
            count += 1
            advance(1)
    return count


def _received(row: DatabaseRow) -> str | None:
    """The body as it came, out of a line that was made of a live answer; a line of a batch came as it is."""
    from haechi.judge.providers import PROVIDERS

    provider = PROVIDERS.get(row.model.partition(":")[0])
    if row.way == "live" and row.reply and row.reply_sha256 and provider is not None:
        return provider.lines.body(row.reply)
    reply: str | None = row.reply
    return reply


def _way(way: ProtocolUse) -> dict[str, Any]:
    from dataclasses import asdict

    asking = asdict(way.asking) if way.asking is not None else None
    return {**way._asdict(), "asking": asking}


def _show(ways: list[ProtocolUse], states: list[dict[str, Any]], output: Output) -> None:
    from haechi.report.table import Column, table

    heads = [
        Text("응답", "answered"),
        Text("실패", "failed"),
        Text("유실", "lost"),
        Text("취소", "cancelled"),
    ]
    columns = [Column("", "words"), *(Column(head.say(), "count") for head in heads)]
    columns += [
        Column(Text("진행 중", "open").say(), "count"),
        Column(Text("재시도", "retries").say(), "count"),
    ]
    names = ("answered", "failed", "lost", "cancelled", "sent", "retries")
    rows = [(one["rater"], *(one[name] for name in names)) for one in states]
    output.show(table(Text("호출", "Calls").say(), columns, rows))
    titles = [
        Text("평가자", "rater"),
        Text("응답한 모델", "model that answered"),
        Text("주소", "address"),
        Text("프롬프트", "prompt"),
        Text("디코딩", "decoding"),
    ]
    told = [Column(title.say(), "words") for title in titles]
    cells = [(way.rater, way.version or "?", *_asked(way), way.calls) for way in ways]
    output.show(
        table(
            Text("물은 방법", "How they were asked").say(),
            [*told, Column(Text("호출", "calls").say(), "count")],
            cells,
        )
    )


def _asked(way: ProtocolUse) -> tuple[str, str, str]:
    if way.asking is None:
        return "?", "?", "?"
    decoding = ", ".join(f"{name} {value}" for name, value in way.asking.decoding.given.items())
    return way.asking.address, f"{way.asking.prompt[:8]} {way.asking.lang} {way.asking.per}", decoding
