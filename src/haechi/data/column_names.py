"""What the names of columns are made of: a criterion and a rater, a path in nested JSON, a question for somebody's name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from haechi.data.names import JOINED, fold_name

EVIDENCE = frozenset(
    map(
        fold_name,
        [
            "근거",
            "이유",
            "사유",
            "의견",
            "메모",
            "비고",
            "설명",
            "evidence",
            "rationale",
            "reason",
            "reasoning",
            "comment",
            "note",
            "why",
        ],
    )
)
"""What stands beside a criterion in the name of a column with the reasons for its values."""

SUMMARIES = frozenset(
    map(
        fold_name,
        [
            "평균",
            "합계",
            "총점",
            "총합",
            "소계",
            "계",
            "표준편차",
            "편차",
            "최빈값",
            "중앙값",
            "mean",
            "average",
            "avg",
            "sum",
            "total",
            "sd",
            "std",
            "median",
            "mode",
        ],
    )
)
"""What stands beside a criterion, or in place of an item, where a spreadsheet computed something."""

SURVEY_TOOLS = {
    **dict.fromkeys(
        map(
            fold_name,
            [
                "StartDate",
                "EndDate",
                "StartTime",
                "Status",
                "IPAddress",
                "Progress",
                "Duration(inseconds)",
                "Finished",
                "RecordedDate",
                "RecipientLastName",
                "RecipientFirstName",
                "RecipientEmail",
                "ExternalReference",
                "LocationLatitude",
                "LocationLongitude",
                "DistributionChannel",
                "UserLanguage",
                "CollectorID",
                "EmailAddress",
                "FirstName",
                "LastName",
                "CustomData1",
                "StartDate(UTC)",
                "SubmitDate(UTC)",
                "StageDate(UTC)",
                "NetworkID",
                "Tags",
                "ResponseType",
                "Ending",
            ],
        ),
        "ignore",
    ),
    **dict.fromkeys(map(fold_name, ("ResponseId", "Response ID", "Respondent ID", "#")), "response"),
}
"""The columns that survey tools (Qualtrics, SurveyMonkey, Typeform) add by themselves; `response` tells answers apart."""

NUMBERS = frozenset(map(fold_name, ["번호", "no", "no.", "#", "순번", "연번", "응답 번호"]))
SUBMITTED = frozenset(
    map(
        fold_name,
        [
            *("응답일시", "응답시간", "응답시각", "제출일시", "제출시간", "제출시각", "참여일시", "참여시간"),
            *("타임스탬프", "timestamp", "submitted at", "submit date", "completion time"),
        ],
    )
)
"""Forms number the answers (Naver Form) in a column before the one that says when they came: no items."""

_NAME_WORDS = re.compile(
    "이름|성함|성명|닉네임|별명|학번|참가자|참여자|응답자|평가자|채점자|교사|nickname|participant|respondent|evaluator|rater|your name|full name",
    re.I,
)
_NO_PERSON = re.compile(
    "모델|인공지능|챗봇|시스템|파일|방송|과목|학교|캐릭터|수$|인원|model|file|system|bot|school|소속|연령|나이|성별|유형|종류|"
    r"\bai\b",
    re.I,
)
_NUMBERED = re.compile(
    r"(rater|annotator|annot|worker|coder|judge|expert|evaluator|reviewer|assessor|grader|labell?er|observer|turker|scorer|"
    r"평가자|채점자|평정자|전문가|심사위원|교사|검토자)[\s_.#-]*(\d+|[a-z])",
    re.I,
)
_MODELS = frozenset(map(fold_name, ["LLM 모델", "llm_model", "judge_model"]))
SIGNS = " \t\n_/|:·,-()[]"
"""What stands between the parts of a column's name."""
_SPLIT = re.compile(r"[\s_/|:·,-]+")
_BRACKETED = re.compile(r"^(.*?\S)\s*[\[(（［]\s*([^\[\]()（）［］]+?)\s*[\])）］]\s*\*?$", re.S)
_NOTHING = re.compile(
    r"점수|평점|평가|채점|척도|필수|선택|score|rating|value|values?|response|open-?ended response|required|"
    r"[\d\s~∼–\-/.,점]*|[ox/,\s]+|예/아니오|[01]\s*=.*|\d+점?\s*[-~]\s*\d+점?.*",
    re.I,
)
_VALUE_KEYS = frozenset(map(fold_name, ["value", "score", "rating", "값", "점수", "점", "평점", "met"]))


def asks_for_name(column: str) -> bool:
    """Whether a question asks who somebody is.

    >>> asks_for_name("성함이 어떻게 되시나요?"), asks_for_name("AI 모델 이름")
    (True, False)
    """
    return bool(_NAME_WORDS.search(column)) and not _NO_PERSON.search(column)


def numbered_rater(column: str) -> tuple[str, str] | None:
    """What a column's name says beside one of several raters who are numbered, and that rater.

    >>> numbered_rater("Rater1"), numbered_rater("fluency_annotator 2"), numbered_rater("평가자A")
    (('', 'Rater1'), ('fluency', 'annotator 2'), ('', '평가자A'))
    >>> numbered_rater("평가자"), numbered_rater("Q1")
    (None, None)
    """
    if _NUMBERED.fullmatch(column.strip()):
        return "", column.strip()
    return next(((about, rest) for about, rest in name_cuts(column) if _NUMBERED.fullmatch(rest)), None)


def is_model(column: str) -> bool:
    """Whether a column names the models that judged, and no people.

    >>> is_model("LLM 모델"), is_model("평가자")
    (True, False)
    """
    return fold_name(column) in _MODELS


def name_cuts(column: str) -> Iterator[tuple[str, str]]:
    """The ways to cut a column's name in two; what says nothing (`점수`, `1-5`) becomes empty.

    >>> list(name_cuts("합리성_민수")), list(name_cuts("코멘트 평가 [합리성]"))[:2]
    ([('합리성', '민수'), ('민수', '합리성')], [('코멘트 평가', '합리성'), ('합리성', '코멘트 평가')])
    """
    if JOINED in column:
        above, _, below = column.partition(JOINED)
        yield from _both(above, below)
        return
    bracketed = _BRACKETED.match(column)
    if bracketed:
        yield from _both(bracketed[1], bracketed[2])
    for sign in _SPLIT.finditer(column):
        if sign.start() > 0 and sign.end() < len(column):
            yield from _both(column[: sign.start()], column[sign.end() :])


def reasons_for(column: str) -> str | None:
    """What a column with reasons is about, if its name ends with a word for reasons.

    >>> reasons_for("A1-1 정확성 근거"), reasons_for("합리성_이유"), reasons_for("근거")
    ('A1-1 정확성', '합리성', None)
    """
    *_, last = _SPLIT.split(column.strip(SIGNS))
    about = column.strip(SIGNS).removesuffix(last).rstrip(SIGNS)
    return about if about and fold_name(last) in EVIDENCE else None


def _both(one: str, other: str) -> Iterator[tuple[str, str]]:
    yield one, _telling(other)
    yield other, _telling(one)


def _telling(rest: str) -> str:
    rest = rest.strip()
    return "" if _NOTHING.fullmatch(rest) else rest


def path_of(column: str) -> Iterator[tuple[str, str]]:
    """The ends of a path in nested JSON, the longest first, and whether it leads to a value or something beside it.

    >>> list(path_of("checklist.A1.accuracy.evidence"))[:2]
    [('checklist.A1.accuracy', 'evidence'), ('A1.accuracy', 'evidence')]
    """
    parts = column.split(".")
    if len(parts) < 2 or any(not part or " " in part for part in parts):
        return
    last = fold_name(parts[-1])
    rest = parts.pop() if last in EVIDENCE else ""
    if not rest and last in _VALUE_KEYS:
        parts.pop()
    for start in range(len(parts)):
        yield ".".join(parts[start:]), rest


def is_name(rest: str) -> bool:
    """Whether what stands beside a criterion could be somebody's name and not a sentence.

    >>> is_name("민수"), is_name("다음 항목을 평가해 주세요")
    (True, False)
    """
    return len(rest) <= 20 and len(rest.split()) <= 2 and not re.search(r"[?？.]$", rest)
