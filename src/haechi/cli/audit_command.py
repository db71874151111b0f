"""`haechi audit`: what moves the judges of a study, from what is stored."""

from __future__ import annotations

import argparse

from haechi.cli.output import Output
from haechi.text import Text, language, quoted

DESCRIPTION = Text(
    "저장된 평가에서 AI 평가자가 내용이 아닌 것에 치우치는지 봅니다: 답의 길이, 언어, 존댓말과 반말, 시스템 이름, 되풀이한 답, 평가자에게 하는 말, 두 답의 순서. "
    "키도 네트워크도 필요 없습니다. 같은 항목을 사람이 평가했으면 AI − 사람의 차이를 봅니다. haechi judge --audit는 항목을 한 가지씩 바꾸어 새로 묻습니다.",
    "See in what is stored whether judges lean to something else than content: the length of an answer, language, polite or plain speech, names of systems, "
    "repeated answers, words to the judge, the order of two answers. No key, no network. Where people rated the same items, the difference judge − people is "
    "looked at. haechi judge --audit asks anew about items with one change each.",
)
EXAMPLE = """
haechi audit tutoring
haechi audit tutoring --criterion A1
haechi audit tutoring --json
haechi judge tutoring --model openai:gpt-5-mini --audit 30 --dry-run
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("folder", metavar="DIR", help=Text("스터디 폴더", "the study").say())
    words = Text("총점 대신 볼 점수나 기준", "the score or criterion to look at instead of the main score")
    parser.add_argument("--criterion", metavar="NAME", help=words.say())


def run(chosen: argparse.Namespace, output: Output) -> int:
    """Run the command."""
    from haechi.analysis.audit import audit
    from haechi.analysis.audit_variants import audited_of, audited_variants
    from haechi.report.tables.audit import audit_tables, variants_tables
    from haechi.study.study import Study

    study = Study(chosen.folder)
    found, apart = audit(study, chosen.criterion), audited_of(study)
    changed = () if apart is None else audited_variants(apart, chosen.criterion)
    if output.as_json:
        told = None if found is None else found.as_json(language())
        output.result({"stored": told, "changed": [one.as_json(language()) for one in changed]})
        return 0
    if found is None:
        output.say(Text("AI 평가자의 평가가 아직 없습니다.", "No AI judge has rated yet.").say())
    else:
        output.show(*audit_tables(found, study.rubric))
    if changed:
        output.show(*variants_tables(changed, study.rubric))
    elif found is not None:
        output.note(
            Text(
                f"다음: haechi judge {quoted(chosen.folder)} --model … --audit — 항목을 한 가지씩 바꾸어 물으면 원인을 알 수 있습니다.",
                f"next: haechi judge {quoted(chosen.folder)} --model … --audit asks about items with one change each, which shows the cause.",
            )
        )
    return 0
