"""What moves the judges, as tables and sentences: from what is stored, and from items that were changed to find out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from haechi.analysis.audit import TRAITS, Audit, AuditedJudge
from haechi.analysis.audit_variants import EMPTY, AuditedVariants
from haechi.data.fields import field_name
from haechi.prompt.variants import NAMES
from haechi.report.numbers import percent
from haechi.report.table import Cell, Column, Estimate, Table, say, table
from haechi.report.words import said, score_label, with_particle
from haechi.rubrics import Rubric
from haechi.stats.judge_effect import JudgeEffect
from haechi.text import Text, language

_EMPTY = {"constant": "one empty polite text", "echo": "the user's own words"}
_SHORT = {
    "length": Text("길이", "length"),
    "language": Text("언어", "language"),
    "register": Text("존댓말과 반말", "polite or plain speech"),
    "name": Text("시스템 이름", "names of systems"),
    "echo": Text("사용자의 말을 되풀이한 답", "answers that repeat the user"),
    "repeated": Text("여러 항목에 똑같이 나온 답", "answers that several items have"),
    "instruction": Text("평가자에게 하는 말", "words to the judge"),
    "position": Text("두 답의 순서", "the order of two answers"),
}


def audit_tables(found: Audit, rubric: Rubric) -> list[Table | str]:
    """Every effect of every judge that can be told, what cannot and why, and what was found in words."""
    columns: list[Column | str] = [
        said("AI 평가자", "judge"),
        said("무엇에 따라", "by what"),
        Column(said("점수 차이(점)", "difference in points")),
        *([Column(said("사람을 뺀 차이(점)", "less that of people"))] if found.with_people else []),
        Column(said("다른 항목", "items that differ"), "count", leave_out=1),
        Column(said("보정한 p", "corrected p"), "p", leave_out=2),
    ]
    rows: list[list[Cell]] = []
    for judge in found.judges:
        known = [(name, one) for name, one in judge.effects.items() if one.points.value is not None]
        rows += [
            [judge.rater if at == 0 else "", TRAITS[name].say(), *_figures(one, found.with_people)]
            for at, (name, one) in enumerate(known)
        ]
    label = score_label(rubric, found.score)
    people = said(
        f"{label}의 차이. 사람을 뺀 차이는 같은 항목에서 AI − 사람의 차이로, 이것이 AI 평가자의 치우침입니다.",
        f"Differences in {label}. Less that of people: the difference in judge − people on the same items, which is the judge's own.",
    )
    note = people if found.with_people else said(f"{label}의 차이.", f"Differences in {label}.")
    title = said("AI 평가자 점검: 저장된 평가", "Judge audit: what is stored")
    shown: list[Table | str] = [table(title, columns, rows, note, words=2)] if rows else []
    return [*shown, *audit_sentences(found, rubric)]


def _figures(one: JudgeEffect, with_people: bool) -> list[Cell]:
    against = one.against_people
    return [
        Estimate.of(one.points),
        *([Estimate.of(against) if against is not None else None] if with_people else []),
        one.n_with,
        one.test.decisive,
    ]


def audit_sentences(found: Audit, rubric: Rubric) -> list[str]:
    """What was found, what not, and what could not be looked for."""
    told = [line for judge in found.judges for line in _found(judge, score_label(rubric, found.score))]
    known = any(one.points.value is not None for judge in found.judges for one in judge.effects.values())
    if not known:
        return [*told, *_untold(found)]
    return [
        *(told or [said("치우침이 보이지 않았습니다.", "No bias was shown.")]),
        *_untold(found),
        _basis(found),
    ]


def found_sentences(stored: Audit | None, changed: Sequence[AuditedVariants], rubric: Rubric) -> list[str]:
    """Only what was found, for a page with little room."""
    judges = stored.judges if stored is not None else ()
    told = [
        line
        for judge in judges
        for line in _found(judge, score_label(rubric, stored.score if stored else ""))
    ]
    return [
        *told,
        *(_fault(one, name, score_label(rubric, one.score)) for one in changed for name in one.faults),
    ]


def _found(judge: AuditedJudge, label: str) -> Iterator[str]:
    for name in judge.found:
        one = judge.effects[name]
        value, what = one.deciding.value or 0.0, TRAITS[name]
        points = say(Estimate.of(one.deciding))
        more = said("높습니다" if value > 0 else "낮습니다", "higher" if value > 0 else "lower")
        if name == "position":
            yield said(
                f"! {judge.rater}: 두 순서로 모두 물은 쌍에서 먼저 보인 답이 이기는 비율이 절반과 {points}만큼 다릅니다.",
                f"! {judge.rater}: of pairs asked in both orders, the share won by what is shown first differs from one half by {points}.",
            )
        elif one.is_adjusted:
            yield said(
                f"! {judge.rater}: 사람과 비교해 {_subject(what, 'ko')} 점수가 더 {more}({label} {points}점).",
                f"! {judge.rater}: compared with people, it scores {_subject(what, 'en')} {more} ({label}: {points}).",
            )
        else:
            yield said(
                f"· {judge.rater}: {_subject(what, 'ko')} 점수가 더 {more}({label} {points}점). 사람의 평가가 없어, 그런 답이 실제로 더 나은지 AI가 치우친 것인지는 알 수 없습니다.",
                f"· {judge.rater}: it scores {_subject(what, 'en')} {more} ({label}: {points}). Without ratings of people nobody can tell whether such answers are better or the judge is biased.",
            )
    if judge.gives_one_value and judge.one_value is not None:
        yield said(
            f"! {judge.rater}: 항목 {judge.one_value.n:,}개에 모두 같은 점수를 주었습니다.",
            f"! {judge.rater}: it gave all of its {judge.one_value.n:,} items the same score.",
        )
    if judge.repeats_itself and judge.same_words is not None and judge.same_words.value is not None:
        share = percent(judge.same_words.value)
        yield said(
            f"! {judge.rater}: 항목의 {share}에서 다른 항목과 글자 하나 다르지 않은 근거를 썼습니다.",
            f"! {judge.rater}: on {share} of its items it wrote word for word what it wrote on another.",
        )


def _subject(what: Text, lang: str) -> str:
    """Which answers are meant: of a difference the first side."""
    words = what.ko if lang == "ko" else what.say("en")
    first = words.partition(" − ")[0]
    return with_particle(first, "은/는") if lang == "ko" else first


def _untold(found: Audit) -> list[str]:
    """What could not be looked for, with the reason; judges with the same reasons together."""
    lines = dict[tuple[str, ...], list[str]]()
    for judge in found.judges:
        reasons: dict[str, list[str]] = {}
        for name, one in judge.effects.items():
            if one.points.value is None and one.points.why is not None:
                reasons.setdefault(one.points.why.say(language()), []).append(_SHORT[name].say())
        listed = tuple(f"{', '.join(names)} ({why})" for why, names in reasons.items())
        lines.setdefault(listed, []).append(judge.rater)
    return [
        said(
            f"알 수 없음 — {', '.join(raters)}: {'; '.join(listed)}",
            f"Cannot be told — {', '.join(raters)}: {'; '.join(listed)}",
        )
        for listed, raters in lines.items()
        if listed
    ]


def _basis(found: Audit) -> str:
    some = said(
        f"항목 {found.items:,}개 가운데 무작위로 뽑은 {found.looked:,}개의 글을 보았습니다. ",
        f"The texts of {found.looked:,} items were looked at, drawn from {found.items:,}. ",
    )
    groups = said(
        f"구간은 {field_name(found.cluster or '').ko} 값이 같은 항목을 한 묶음으로 보고 구했습니다. ",
        f"Intervals are over clusters, the items of one {found.cluster}. ",
    )
    rule = said(
        "함께 본 효과의 수만큼 보정한 p가 .05보다 작은 것만 적었습니다(Holm). 적지 않은 치우침이 없다는 뜻은 아닙니다.",
        "Shown means p < .05 corrected for all effects looked for (Holm). What was not shown may be there all the same.",
    )
    return (some if 0 < found.looked < found.items else "") + (groups if found.cluster else "") + rule


def variants_tables(found: Sequence[AuditedVariants], rubric: Rubric) -> list[Table | str]:
    """What every change does to every judge, and what should not be."""
    columns: list[Column | str] = [
        said("AI 평가자", "judge"),
        said("바꾼 것", "change"),
        Column(said("점수 변화(점)", "change in points")),
        Column(said("항목", "items"), "count"),
        Column(said("보정한 p", "corrected p"), "p", leave_out=1),
        Column(said("실제 답 이상", "as good as the real answer"), "share", leave_out=2),
    ]
    rows: list[list[Cell]] = [
        [
            judge.rater if at == 0 else "",
            NAMES[name].say(),
            Estimate.of(one.points),
            one.points.n,
            one.test.decisive,
            Estimate.of(judge.as_good[name], "share") if name in judge.as_good else None,
        ]
        for judge in found
        for at, (name, one) in enumerate(judge.effects.items())
    ]
    score = score_label(rubric, found[0].score) if found else ""
    note = said(
        f"같은 항목에서 한 가지만 바꾸어 물었을 때 {score}의 변화. 실제 답 이상: 내용이 없는 답이 실제 답과 같거나 더 높은 점수를 받은 항목의 비율.",
        f"Change in {score} on the same items, asked with one thing changed. As good as the real answer: the share of items on which an answer without content scored as high or higher.",
    )
    title = said("AI 평가자 점검: 바꾸어 물은 항목", "Judge audit: items with one change")
    return [table(title, columns, rows, note, words=2), *variants_sentences(found, rubric)]


def variants_sentences(found: Sequence[AuditedVariants], rubric: Rubric) -> list[str]:
    """What should not be, judge by judge, and no more than was shown."""
    told = []
    for judge in found:
        label = score_label(rubric, judge.score)
        lines = [_fault(judge, name, label) for name in judge.faults]
        told += lines or [
            said(
                f"✓ {judge.rater}: 바꾸어 물은 항목 {judge.items:,}개에서 치우침이 보이지 않았습니다.",
                f"✓ {judge.rater}: no bias was shown on {judge.items:,} items with one change.",
            )
        ]
        told += _not_offered(judge.effects)
    rule = said(
        "함께 본 변화의 수만큼 보정한 p가 .05보다 작은 변화와, 더 낮은 점수가 드러나지 않은 내용 없는 답만 적었습니다(Holm). 적지 않은 치우침이 없다는 뜻은 아닙니다.",
        "Told are changes with p < .05 corrected for all of them (Holm), and empty answers that were not shown to score lower. What was not shown may be there all the same.",
    )
    return [*told, rule]


def _fault(judge: AuditedVariants, name: str, label: str) -> str:
    one = judge.effects[name]
    points = say(Estimate.of(one.points))
    if name in EMPTY:
        share = judge.as_good[name].value if name in judge.as_good else None
        as_good = (
            ""
            if share is None
            else said(
                f", 항목의 {percent(share)}에서 실제 답 이상",
                f", as good as the real answer on {percent(share)} of items",
            )
        )
        return said(
            f"! {judge.rater}: {NAMES[name].ko}에 실제 답보다 낮은 점수를 준다는 것이 보이지 않았습니다({label} {points}점{as_good}).",
            f"! {judge.rater}: it was not shown to score {_EMPTY[name]} lower than the real answer ({label}: {points}{as_good}).",
        )
    if name == "position":
        return said(
            f"! {judge.rater}: 두 순서로 모두 물은 쌍에서 먼저 보인 답이 이기는 비율이 절반과 {points}만큼 다릅니다.",
            f"! {judge.rater}: of pairs asked in both orders, the share won by what is shown first differs from one half by {points}.",
        )
    return said(
        f"! {judge.rater}: {NAMES[name].ko} — 내용은 같은데 {with_particle(label, '이/가')} {points}점 달라집니다.",
        f"! {judge.rater}: {NAMES[name].say('en')} — the content is the same, and {label} moves by {points}.",
    )


def _not_offered(effects: Mapping[str, JudgeEffect]) -> list[str]:
    """The changes that could be made on too few items."""
    few = [(NAMES[name].say(), one.points.why) for name, one in effects.items() if one.points.value is None]
    lines = [f"{name} ({why.say(language())})" for name, why in few if why is not None]
    return [said(f"알 수 없음 — {'; '.join(lines)}", f"Cannot be told — {'; '.join(lines)}")] if lines else []
