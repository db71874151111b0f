"""`haechi bundle`: a study as one file."""

from __future__ import annotations

import argparse
from pathlib import Path

from haechi.cli.output import Output
from haechi.text import Text, quoted

_ALIGNED = "aligned"
DESCRIPTION = Text(
    "루브릭, 항목, 평가, AI 평가자에게 묻고 받은 것, 모든 수치를 파일 하나로 묶습니다. 같은 스터디는 언제나 같은 바이트가 됩니다.",
    "Rubric, items, ratings, what AI judges were asked and answered, and every figure in one file. The same study makes the same bytes.",
)
EXAMPLE = """
haechi bundle tutoring -o tutoring.haechi
haechi bundle tutoring -o tutoring.haechi --without-text
haechi bundle tutoring -o tutoring.haechi --sign ~/.ssh/id_ed25519
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("study", metavar="DIR", type=Path, help=Text("스터디 폴더", "the study").say())
    parser.add_argument(
        "-o",
        "--output",
        required=True,
        metavar="FILE",
        type=Path,
        help=Text("쓸 파일", "the file to write").say(),
    )
    without = Text(
        "글은 빼고 항목의 해시만: 인용, 의견, AI와 주고받은 글도 빠집니다",
        "hashes of items instead of their texts; quotes, comments and calls are left out too",
    )
    parser.add_argument("--without-text", action="store_true", help=without.say())
    key = Text("해시 목록에 서명할 SSH 개인 키", "private SSH key to sign the list of hashes with")
    parser.add_argument("--sign", metavar="KEYFILE", type=Path, help=key.say())


def run(chosen: argparse.Namespace, output: Output) -> int:
    """Run the command."""
    from haechi.bundle.pack import pack
    from haechi.study.scores import StoredStudy

    with output.working(Text("묶는 중", "packing")):
        digest = pack(StoredStudy(chosen.study), chosen.output, not chosen.without_text, chosen.sign)
    size = chosen.output.stat().st_size
    if output.as_json:
        signed = chosen.sign is not None
        output.result({"file": str(chosen.output), "bytes": size, "sha256": digest, "signed": signed})
        return 0
    output.say(f"✓ {chosen.output}  ({size:,} bytes, {digest[:16]})")
    if (Path(chosen.study) / _ALIGNED).is_dir():
        output.note(
            Text(
                f"새 루브릭의 시험 평가({_ALIGNED}/)는 묶음에 없고, 나눈 항목과 비교한 횟수만 들어 있습니다. 그 폴더는 따로 묶으세요: haechi bundle {chosen.study}/{_ALIGNED}/버전 -o 파일",
                f"Trials of new rubrics ({_ALIGNED}/) are not in it, only the two parts and the looks; bundle them on their own: haechi bundle {chosen.study}/{_ALIGNED}/VERSION -o FILE",
            )
        )
    output.note(
        Text(
            f"받은 사람은 키도 네트워크도 없이 확인할 수 있습니다: haechi replay {quoted(chosen.output)}",
            f"Whoever gets it can check it without keys or a network: haechi replay {quoted(chosen.output)}",
        )
    )
    return 0
