"""`haechi export`: ratings and scores for other tools."""

from __future__ import annotations

import argparse
from pathlib import Path

from haechi.cli.field_options import add_where, say_where, where_of
from haechi.cli.output import Output
from haechi.text import Text

DESCRIPTION = Text(
    "평가와 점수를 다른 도구의 형식으로 내보냅니다. langfuse는 점수 본문(JSONL), otel은 gen_ai.evaluation.result 이벤트(OTLP JSON), "
    "hf는 Hugging Face 데이터셋 폴더, trl은 선호 쌍과 보상(JSONL 두 개)입니다.",
    "Write ratings and scores for other tools: score bodies for Langfuse (JSONL), gen_ai.evaluation.result events for "
    "OpenTelemetry (OTLP in JSON), a Hugging Face dataset folder, preference pairs and rewards for TRL (two JSONL).",
)
EXAMPLE = """
haechi export diaries --as langfuse -o scores.jsonl
haechi export diaries --as trl -o preferences --where kind=human
haechi export tutoring --as hf -o dataset
haechi export answers --as healthbench -o benchmark
"""
FORMATS = ("langfuse", "otel", "hf", "trl", "healthbench", "rar")
"""What `haechi.export.FORMATS` writes, said without loading it."""
_COUNTED = {
    "items": Text("항목", "items"),
    "ratings": Text("평가", "ratings"),
    "scores": Text("점수", "scores"),
    "events": Text("이벤트", "events"),
    "preferences": Text("선호 쌍", "preferences"),
    "rewards": Text("보상", "rewards"),
    "raters": Text("평가자", "raters"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("folder", metavar="DIR", help=Text("스터디 폴더", "the study").say())
    format_ = Text("형식", "the format").say()
    parser.add_argument("--as", dest="format", choices=FORMATS, required=True, help=format_)
    out = Text(
        "쓸 파일(langfuse, otel, rar) 또는 새 폴더(hf, trl, healthbench)",
        "the file (langfuse, otel, rar) or new folder (hf, trl, healthbench)",
    )
    parser.add_argument("-o", "--output", metavar="OUT", type=Path, required=True, help=out.say())
    add_where(parser)


def run(chosen: argparse.Namespace, output: Output) -> int:
    """Run the command."""
    from haechi.export import FORMATS as WRITERS
    from haechi.study.study import Study

    study = Study(chosen.folder).selecting(where_of(chosen)) if chosen.where else Study(chosen.folder)
    done = WRITERS[chosen.format](study, chosen.output)
    if output.as_json:
        about = {"format": chosen.format, "output": str(chosen.output), "files": list(done.files)}
        output.result(about | {"counts": dict(done.counts), "left_out": dict(done.left_out)})
        return 0
    counts = ", ".join(f"{_COUNTED[name].say()} {n:,}" for name, n in done.counts.items())
    output.say(f"✓ {chosen.output}: {counts}")
    for why, n in done.left_out.items():
        output.note(Text(f"내보내지 않은 것 {n:,}건: {why}", f"{n:,} left out: {why}"))
    say_where(chosen, output)
    return 0
