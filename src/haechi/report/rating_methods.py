"""Who rated and how, for the methods paragraph of a paper."""

from __future__ import annotations

from collections.abc import Iterator

from haechi.analysis.analysis import Analysis
from haechi.analysis.judge_changes import study_changes
from haechi.analysis.judge_records import JudgeRecord, judge_records, prompts_digest
from haechi.report.words import said, score_label, with_particle
from haechi.text import plural


def who_rated(figures: Analysis) -> str:
    """Who gave the ratings, or that code did; which judges answered, and whether the same was asked repeatedly."""
    people = [rater for rater, kind in figures.raters.items() if kind == "human"]
    judges = [rater for rater, kind in figures.raters.items() if kind == "ai"]
    sentences = []
    if people:
        sentences.append(
            said(
                f"사람 {len(people)}명이 평가하였다.",
                f"Ratings were given by {plural(len(people), 'person', 'people')}.",
            )
        )
    if judges:
        sentences.append(_judges(figures, judges))
    if not people and not judges:
        sentences.append(_by_code(figures))
    return " ".join([*sentences, *_repeated(figures)])


def _by_code(figures: Analysis) -> str:
    """That code gave the scores; verdicts that stood in the files were given by whoever wrote them."""
    failed = figures.run_notes.n_failed if figures.run_notes is not None else 0  # which have theirs by rule
    given = [
        score_label(figures.rubric, one.score)
        for one in figures.rubric.criteria
        if one.rated_by != "code" and one.score in figures.whole and figures.whole[one.score].n > failed
    ]
    if not given:
        return said(
            "점수는 실행 기록에서 코드가 계산하였다.", "Scores were computed by code from the recorded runs."
        )
    names = ", ".join(given)
    return said(
        f"점수는 실행 기록에서 코드가 계산하였으며, {with_particle(names, '은/는')} 파일에 적힌 평가를 썼다.",
        f"Scores were computed by code from the recorded runs; {names} was taken from the verdicts in the files.",
    )


def _repeated(figures: Analysis) -> Iterator[str]:
    """How often raters were asked for the same, where that was more than once."""
    most = int(figures.ratings["replicate"].max() or 1) if figures.ratings.height else 1  # type: ignore[arg-type]
    if most > 1:
        yield said(
            f"같은 항목을 {most:,}번까지 되풀이해 평가하였고, 한 평가자의 반복은 평균하여 한 값으로 삼았다.",
            f"Items were rated up to {most:,} times by the same rater, whose replicates were averaged first.",
        )


def changes_of_asking(figures: Analysis) -> str:
    """What was not the same for all ratings of a judge."""
    with figures.study.database.read() as connection:
        changed = study_changes(connection)
    if not changed:
        return ""
    listed = "; ".join(one.words.say() for one in changed)
    return said(
        f"스터디 안에서 AI 평가자를 물은 방법이 한결같지 않았다: {listed}.",
        f"The way in which AI judges were asked was not the same throughout: {listed}.",
    )


def _judges(figures: Analysis, judges: list[str]) -> str:
    """The judges with the versions that answered; a prompt's hash only where the prompt is known."""
    known = {record.rater: record for record in judge_records(figures.study)}
    named = []
    for judge in judges:
        versions = [one for one in (known[judge].versions if judge in known else ()) if one != judge]
        named.append(f"{judge} ({', '.join(versions)})" if versions else judge)
    listed, count = ", ".join(named), plural(len(judges), "AI judge", "AI judges")
    asked = [known[judge] for judge in judges if judge in known and known[judge].prompts]
    if len(asked) == len(judges):
        sent = len({prompt for record in asked for prompt in record.prompts})
        how, digest = _asked(asked), prompts_digest(asked)
        return said(
            f"AI 평가자 {len(judges)}명({listed})은 {how} 평가하였다. 보낸 지시문 {sent:,}종이 기록에 있다(SHA-256 {digest}).",
            f"The rubric was put to {count} ({listed}) {how}; the {sent:,} prompts that were sent are on record (SHA-256 {digest}).",
        )
    return said(
        f"AI 평가자 {len(judges)}명({listed})의 평가는 가져온 것이며, 그때의 지시문은 기록에 없다.",
        f"The judgements of {count} ({listed}) were imported; the prompts used are not on record.",
    )


def _asked(records: list[JudgeRecord]) -> str:
    """In which language and how much at a time the judges were asked, as the journal has it."""
    languages = {language for record in records for language in record.languages}
    parts = {record.by_criterion for record in records}
    names = {"ko": said("한국어로", "in Korean"), "en": said("영어로", "in English")}
    language = (
        names[languages.pop()] if len(languages) == 1 else said("한국어와 영어로", "in Korean and English")
    )
    if len(parts) > 1:
        return language
    whole = said("루브릭 전체를 한 번에", "as a whole")
    return f"{language}, {said('기준 하나씩', 'one criterion at a time') if parts.pop() else whole}"
