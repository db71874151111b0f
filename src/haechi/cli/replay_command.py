"""`haechi replay`: every figure of a bundle computed again."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from haechi.cli.output import Output
from haechi.text import Text

if TYPE_CHECKING:
    from haechi.bundle.replay import ReplayResult

DESCRIPTION = Text(
    "묶음 파일의 모든 수치를 키와 네트워크 없이 다시 계산하고, 적힌 값과 다르면 처음 다른 것을 보여 줍니다.",
    "Compute every figure of a bundle again, without keys or a network, and show the first that differs from what it says.",
)
EXAMPLE = """
haechi replay tutoring.haechi
haechi replay tutoring.haechi --signed-by allowed_signers
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    file = Text("haechi bundle이 쓴 파일", "a file written by haechi bundle")
    parser.add_argument("bundle", metavar="FILE", type=Path, help=file.say())
    signers = Text(
        "서명해도 되는 사람들의 파일 (ssh-keygen의 allowed_signers 형식)",
        "who may have signed it: a file of allowed signers as ssh-keygen reads it",
    )
    parser.add_argument("--signed-by", metavar="SIGNERS", type=Path, help=signers.say())


def run(chosen: argparse.Namespace, output: Output) -> int:
    """Run the command."""
    from haechi.bundle.archive import signer_of
    from haechi.bundle.replay import replay

    signer = signer_of(chosen.bundle, chosen.signed_by) if chosen.signed_by else None
    with output.working(Text("다시 계산하는 중", "computing")):
        found = replay(chosen.bundle)
    if output.as_json:
        output.result(_as_json(found, signer))
    else:
        _say(found, signer, output)
    return 0 if found.is_same else 1


def _as_json(found: ReplayResult, signer: str | None) -> dict[str, Any]:
    different = [{"name": d.name, "promised": d.promised, "found": d.found} for d in found.differences]
    return {
        "same": found.is_same,
        "name": found.name,
        "rubric": found.rubric,
        "haechi": found.version,
        "items": found.items,
        "ratings": found.ratings,
        "figures": found.figures,
        "replies": found.replies,
        "texts": found.texts,
        "signed_by": signer,
        "differences": different,
    }


def _say(found: ReplayResult, signer: str | None, output: Output) -> None:
    about = Text(
        f"{found.name} ({found.rubric}): 항목 {found.items:,}개, 평가 {found.ratings:,}건, haechi {found.version}에서 묶음",
        f"{found.name} ({found.rubric}): {found.items:,} items, {found.ratings:,} ratings, packed by haechi {found.version}",
    )
    output.say(about.say())
    if signer is not None:
        output.say(Text(f"✓ 서명: {signer}", f"✓ signed by {signer}").say())
    if not found.texts:
        output.note(
            Text(
                "글이 없는 묶음이라 인용한 근거가 맞는지는 다시 볼 수 없습니다.",
                "It has no texts, so whether quotes stand there cannot be checked again.",
            )
        )
    if found.is_same and found.replies:
        output.say(
            Text(
                f"✓ AI 평가자의 응답 {found.replies:,}건을 다시 읽은 값이 평가와 모두 같습니다.",
                f"✓ {found.replies:,} replies of AI judges, read again, give the ratings that are there.",
            ).say()
        )
    if found.is_same:
        output.say(
            Text(
                f"✓ 수치 {found.figures:,}개가 모두 적힌 값과 같습니다.",
                f"✓ All {found.figures:,} figures are as the bundle says.",
            ).say()
        )
        return
    first = found.differences[0]
    output.say(
        Text(
            f"✗ 수치 {found.figures:,}개와 응답 {found.replies:,}건 가운데 {len(found.differences):,}개가 다릅니다. 처음 다른 것: {first.name}",
            f"✗ Of {found.figures:,} figures and {found.replies:,} replies, {len(found.differences):,} differ. The first: {first.name}",
        ).say(),
        Text(f"  적힌 값 {first.promised}", f"  promised {first.promised}").say(),
        Text(f"  다시 계산한 값 {first.found}", f"  computed {first.found}").say(),
    )
