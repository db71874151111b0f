"""`haechi pairs`: two answers side by side, out of a study of single answers."""

from __future__ import annotations

import argparse

from haechi.cli.argument_types import count
from haechi.cli.output import Output, say_number
from haechi.text import Text, quoted

DESCRIPTION = Text(
    "여러 시스템이 같은 맥락에 한 답들을 둘씩 짝지어, 어느 쪽이 나은지 고르는 스터디를 만듭니다. 수를 정하면 시스템과 맥락이 고르게 돌아가도록 고르고, "
    "이미 받은 투표가 있으면 순위가 가장 빨리 좁혀질 쌍부터 더합니다.",
    "Pair the answers that several systems gave to the same context, in a study that asks which is better. Of a given number of pairs "
    "systems and contexts get even shares; once there are votes, the pairs come first that narrow the ranking most.",
)
EXAMPLE = """
haechi pairs diaries -o duels
haechi pairs diaries -o duels --count 60
haechi pairs comments.jsonl -o duels --rubric my-duel.yaml --system 모델 --context 일기번호
haechi pairs diaries -o duels --count 20   # again: the 20 that tell most
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    source = Text("답이 하나씩 있는 스터디나 파일", "a study or a file of single answers")
    parser.add_argument("source", metavar="DIR|FILE", help=source.say())
    out = Text("쌍을 더할 스터디. 없으면 만듦", "the study that gets the pairs; made if there is none")
    parser.add_argument("-o", "--output", metavar="DIR", required=True, help=out.say())
    rubric = Text("새 스터디의 루브릭 (diary-duel)", "the rubric of a new study (diary-duel)")
    parser.add_argument("--rubric", metavar="ID|FILE", default="diary-duel", help=rubric.say())
    many = Text("더할 쌍의 수 (기본: 가능한 모든 쌍)", "how many pairs to add (default: all there are)")
    parser.add_argument("--count", type=count, metavar="N", help=many.say())
    system = Text("시스템이 적힌 메타 필드 (system)", "the meta field that names the system (system)")
    parser.add_argument("--system", metavar="FIELD", default="system", help=system.say())
    context = Text(
        "같은 맥락임을 말하는 메타 필드 (기본: 맥락의 글)",
        "the meta field that says what is the same context (default: its text)",
    )
    parser.add_argument("--context", metavar="FIELD", help=context.say())


def run(chosen: argparse.Namespace, output: Output) -> int:
    """Run the command."""
    from haechi.analysis.pair_making import make_pairs
    from haechi.report.table import Column, table
    from haechi.report.words import said

    made = make_pairs(
        chosen.source, chosen.output, chosen.rubric, chosen.count, chosen.system, chosen.context
    )
    if output.as_json:
        output.result(made.as_json())
        return 0
    added = sum(made.pairs.values())
    columns = [Column("A", "words"), Column("B", "words"), Column(said("쌍", "pairs"), "count")]
    rows = [(a, b, n) for (a, b), n in sorted(made.pairs.items())]
    if rows:
        output.show(table(said(f"더한 쌍 {added:,}개", f"{added:,} pairs added"), columns, rows))
    else:
        output.say(said("더할 쌍이 없습니다.", "There is no pair to add."))
    if made.votes:
        output.note(
            Text(
                f"지금까지의 투표 {made.votes:,}건을 보고 골랐습니다.",
                f"Chosen by the {made.votes:,} votes so far.",
            )
        )
    if made.same_answer:
        output.note(
            Text(
                f"글자까지 같은 두 답 {made.same_answer:,}쌍은 견줄 것이 없어 뺐습니다.",
                f"pairs of the same answer, left out because there is nothing to choose: {made.same_answer:,}",
            )
        )
    if made.answered_again:
        output.note(
            Text(
                f"한 시스템이 같은 맥락에 다시 답한 {made.answered_again:,}건은 쓰지 않았습니다. 첫 답만 견줍니다.",
                f"further answers of a system to the same context, of which the first is compared: {made.answered_again:,}",
            )
        )
    if made.left:
        output.note(Text(f"아직 묻지 않은 쌍: {made.left:,}개", f"pairs not asked yet: {made.left:,}"))
    if made.number is not None:
        say_number(made.number, made.folder, output)
    folder = quoted(made.folder)
    output.note(
        Text(
            f"다음: haechi serve {folder} 또는 haechi judge {folder} --model …, 그리고 haechi rank {folder}",
            f"next: haechi serve {folder} or haechi judge {folder} --model …, then haechi rank {folder}",
        )
    )
    return 0
