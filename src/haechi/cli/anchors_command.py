"""`haechi anchors`: items that judges are asked about again, to see whether they still judge alike."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from haechi.cli.argument_types import amount, count, seed
from haechi.cli.decoding_options import add_decoding, decoding_of
from haechi.cli.judging_run import show_estimates
from haechi.cli.output import Output, are_alone
from haechi.text import Text

if TYPE_CHECKING:
    from haechi.analysis.anchors import AnchoredJudge
    from haechi.report.table import Table
    from haechi.study.study import Study

DESCRIPTION = Text(
    "AI 평가자가 예전처럼 평가하는지 앵커 항목으로 봅니다. 앵커는 스터디 안의 anchors 폴더에 따로 두고 다시 평가하므로 스터디의 점수에 섞이지 않습니다. "
    "같은 이름과 버전이 다르게 답하면 경보를 내고 1로 끝납니다(100번 보는 동안 거짓 경보 최대 1 %%).",
    "See by anchor items whether judges still judge as before. Anchors are judged again apart, in the folder anchors of the study, and never come into its scores. "
    "A judge of the same name and version that answers otherwise raises an alarm, and the command ends with 1 (false alarms at most 1 %% over 100 looks).",
)
EXAMPLE = """
haechi anchors tutoring --draw 40
haechi anchors tutoring --model openai:gpt-5-mini --dry-run
haechi anchors tutoring --model openai:gpt-5-mini --max-cost 1
haechi anchors tutoring --model openai:gpt-5-mini --batch
haechi anchors tutoring
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("folder", metavar="DIR", help=Text("스터디 폴더", "the study").say())
    draw = Text("앵커로 뽑을 항목 수", "how many items to draw as anchors")
    parser.add_argument("--draw", type=count, metavar="N", help=draw.say())
    of_draw = Text("추첨의 난수 시드 (기본: 0)", "the seed of the draw (default: 0)")
    parser.add_argument("--draw-seed", type=seed, default=0, metavar="N", help=of_draw.say())
    model = Text("지금 앵커를 다시 평가할 AI 평가자", "a judge to ask about the anchors again now")
    parser.add_argument(
        "--model", metavar="PROVIDER:MODEL[@URL]", action="append", default=[], help=model.say()
    )
    per = Text("haechi judge와 같음", "as for haechi judge")
    parser.add_argument("--per", choices=("rubric", "criterion"), default="rubric", help=per.say())
    parser.add_argument("--prompt-lang", choices=("ko", "en"), default="ko", help=per.say())
    dry = Text("묻지 않고 호출 수와 비용만 추정", "only estimate calls and cost")
    parser.add_argument("--dry-run", action="store_true", help=dry.say())
    batch = Text(
        "배치로 보냄(비용이 적음). haechi collect로 받음",
        "send as a batch (cheaper); haechi collect fetches it",
    )
    parser.add_argument("--batch", action="store_true", help=batch.say())
    most = Text("이 금액을 넘기 전에 멈춤", "stop before more is paid")
    parser.add_argument("--max-cost", type=amount, metavar="USD", help=most.say())
    add_decoding(parser)


def run(chosen: argparse.Namespace, output: Output) -> int:
    """Run the command."""
    from haechi.analysis.anchor_looks import look_again
    from haechi.analysis.anchors import anchored_judges, anchors_to_ask, draw_anchors, next_look
    from haechi.judge.budget import Budget
    from haechi.judge.estimates import estimate
    from haechi.judge.judges import judges_of
    from haechi.study.study import Study

    of_judges = {"--dry-run": chosen.dry_run, "--batch": chosen.batch, "--max-cost": chosen.max_cost}
    if not chosen.model and are_alone(of_judges, "--model", output):
        return 2
    study = Study(chosen.folder)
    if chosen.draw:
        draw_anchors(study, chosen.draw, chosen.draw_seed)
    anchors = anchors_to_ask(study)
    if anchors is None:
        words = Text(
            "아직 앵커가 없습니다. haechi anchors 스터디 --draw 40처럼 뽑으세요.",
            "There are no anchors yet: haechi anchors DIR --draw 40 draws some.",
        ).say()
        if output.as_json:
            output.result({"said": words, "anchors": [], "judges": []})
        else:
            output.say(words)
        return 0
    if chosen.model:
        judges = judges_of(
            anchors, chosen.model, chosen.per, chosen.prompt_lang, decoding=decoding_of(chosen)
        )
        if chosen.dry_run:
            found = [estimate(anchors, judge, next_look(anchors, judge.rater)) for judge in judges]
            show_estimates(found, output)
            return 0
        look_again(anchors, judges, Budget(chosen.max_cost), chosen.batch)
    _show(anchors, seen := anchored_judges(study), output)
    return 1 if any(one.drift.alarm for one in seen) else 0


def _show(anchors: Study, seen: tuple[AnchoredJudge, ...], output: Output) -> None:
    n = anchors.count_items()
    if output.as_json:
        told = [_json(one) for one in seen]
        output.result({"anchors": [item.id for item in anchors.items()], "judges": told})
        return
    output.say(Text(f"✓ 앵커 {n:,}개 · {anchors.folder}", f"✓ {n:,} anchors · {anchors.folder}").say())
    if seen:
        output.show(_table(seen))
    for one in seen:
        for words in _words(one):
            output.say(words.say())


def _json(one: AnchoredJudge) -> dict[str, Any]:
    link = None
    if one.link is not None:
        why = one.link.why.say("en") if one.link.why else None
        known = {"slope": one.link.slope, "old_mean": one.link.old_mean, "new_mean": one.link.new_mean}
        link = {"n": one.link.n, "correlation": one.link.correlation, "why": why} | ({} if why else known)
    looks = [{"number": look.number, "at": look.at} for look in one.looks]
    changed = [difference.as_json() for difference in one.changed]
    return {
        "rater": one.rater,
        "score": one.score,
        "looks": looks,
        "changed": changed,
        "link": link,
        "drift": one.drift.as_json(),
    }


def _table(found: tuple[AnchoredJudge, ...]) -> Table:
    from haechi.report.table import Column, Estimate, table
    from haechi.report.words import said

    columns: list[Column | str] = [
        said("AI 평가자", "judge"),
        said("점수", "score"),
        Column(said("회차", "looks"), "words"),
        said("최근 변화", "latest shift"),
        Column("p", "p"),
        said("경보", "alarm"),
    ]
    rows: list[list[Any]] = [
        [
            one.rater,
            one.score,
            f"{one.drift.looks:,}",
            Estimate.of(one.drift.shift),
            one.drift.p,
            said("있음", "yes") if one.drift.alarm else said("없음", "no"),
        ]
        for one in found
    ]
    return table(said("앵커", "Anchors"), columns, rows)


def _words(one: AnchoredJudge) -> list[Text]:
    """What a reader must know about one judge."""
    made = []
    if one.drift.alarm:
        sd = f" ({one.drift.in_sd:+.2f} SD)" if one.drift.in_sd is not None else ""
        made.append(
            Text(
                f"! {one.rater}: 이름과 버전은 같은데 답이 달라졌습니다{sd}. 그 뒤의 점수를 앞의 점수와 견주지 마세요.",
                f"! {one.rater}: the same name and version, and other answers{sd}. Do not compare scores from after with those from before.",
            )
        )
    for difference in one.changed:
        made.append(
            Text(f"· 알려진 변화 — {difference.words.ko}", f"· known to have changed — {difference.words.en}")
        )
    if one.link is not None and one.link.why is None:
        at = one.link.old_mean
        made.append(
            Text(
                f"· 앞 방식의 {at:.2f}점은 지금 방식의 {one.link.at(at):.2f}점(표준오차 {one.link.se(at):.2f}), 기울기 {one.link.slope:.2f}",
                f"· {at:.2f} before is {one.link.at(at):.2f} now (standard error {one.link.se(at):.2f}), slope {one.link.slope:.2f}",
            )
        )
    elif one.link is not None and one.link.why is not None:
        made.append(Text(f"· 척도를 잇지 않음: {one.link.why.ko}", f"· no link: {one.link.why.en}"))
    return made
