"""What a finding means for the reader and what to do about it, by its rule; and which part of the report has more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from haechi.report.document import Finding
from haechi.text import Text

_ADVICE: Mapping[str, Text] = {
    "few": Text(
        "평가가 더 모일 때까지 이 점수로 결정하지 마세요.",
        "Do not decide by these scores until more is rated.",
    ),
    "unusable": Text(
        "이 기준의 문구를 고치거나, 이 기준을 빼고 보세요.",
        "Reword this criterion, or read the rest without it.",
    ),
    "ruled": Text(
        "잴 것이 있는 항목만의 점수를 함께 보세요.",
        "Read the score of the items that had something to measure, too.",
    ),
    "agreement": Text(
        "평가가 갈린 항목을 평가자들과 함께 읽고 기준을 맞추거나, 평가자를 늘리세요.",
        "Read the disputed items together and agree on the criteria, or take more raters.",
    ),
    "random": Text(
        "이 평가자의 답을 확인할 때까지 결과를 나누어 보세요.",
        "Look at the results with and without this rater until it is clear.",
    ),
    "people": Text(
        "AI 점수만으로 결론을 내기 전에 사람의 평가를 더 모으세요.",
        "Collect more ratings by people before you conclude from the judges alone.",
    ),
    "failures": Text(
        "먼저 이 실행들이 실패하거나 빈 채로 돌아온 까닭부터 고치세요.",
        "Mend first what made these runs fail or come back empty.",
    ),
    "weakest": Text(
        "여기부터 고칠 만합니다. 점수가 낮은 항목을 읽어 보세요.",
        "A place to begin: read the items that scored low on it.",
    ),
    "versions": Text("깨진 질의를 배포 전에 확인하세요.", "Look at the broken queries before you release."),
    "groups": Text(
        "차이가 어디서 나오는지 집단마다 몇 항목씩 읽어 보세요.",
        "Read a few items of each group to see where the difference comes from.",
    ),
    "changed": Text(
        "반복마다 결과가 다른 질의는 한 번의 실행으로 판단하지 마세요.",
        "Do not judge these queries by a single run.",
    ),
    "shape": Text(
        "평균 하나로 말하지 말고 두 무리를 따로 보세요.", "Look at the parts one by one: one mean hides them."
    ),
    "severity": Text(
        "같은 항목을 같은 사람들이 평가하게 하거나, 차이를 감안해 읽으세요.",
        "Have the same raters rate the same items, or read scores with this in mind.",
    ),
    "missing": Text("이 항목들을 다시 평가하세요.", "Have these items judged again."),
    "evidence": Text(
        "근거 없는 인용이 있는 항목을 확인하세요.", "Check the items whose quotes are not in the text."
    ),
    "read": Text("한 번 읽는 것이 어떤 수치보다 낫습니다.", "Reading them tells more than any figure."),
}
_UNLESS_GOOD = frozenset({"agreement", "people", "evidence", "failures"})
"""Rules whose findings may be good news, which needs nothing to be done."""
_UNLESS_PLAIN = frozenset({"groups", "weakest"})
"""Rules whose findings may say that there is nothing to see: no group differs, no criterion is weaker."""
_SECTIONS = {
    "few": "missing", "ruled": "scores", "agreement": "agreement", "random": "agreement", "people": "human-ai",
    "failures": "runs", "weakest": "scores", "unusable": "scores", "versions": "trend", "changed": "runs",
    "shape": "scores", "severity": "agreement", "missing": "missing", "evidence": "evidence", "read": "read",
}  # fmt: skip


def with_advice(finding: Finding) -> Finding:
    """The finding with what to do about it, in the language of this process.

    >>> from haechi.text import choose_language
    >>> choose_language("en")
    >>> with_advice(Finding("missing", "caution", "2 values are missing.", "2/60")).advice
    'Have these items judged again.'
    >>> with_advice(Finding("agreement", "good", "Reliable.", ".93")).advice
    ''
    >>> choose_language(None)
    """
    fine = finding.tone == "good" and finding.rule in _UNLESS_GOOD
    plain = finding.tone == "plain" and finding.rule in _UNLESS_PLAIN
    words = _ADVICE.get(finding.rule)
    return replace(
        finding,
        advice="" if fine else finding.advice or (words.say() if words and not plain else ""),
        section=finding.section or _SECTIONS.get(finding.rule, ""),
    )
