"""Column and key names: Korean and English spellings of the same field."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

BLANK = "".join(character for character in map(chr, range(0x3001)) if character.isspace())
"""What `str.strip` strips, so that columns and single texts are trimmed alike."""


@lru_cache(maxsize=10_000)  # the same few headers come with every row
def fold_name(name: str) -> str:
    """A column name without case, spaces, underscores and hyphens.

    >>> fold_name("Query ID") == fold_name("query_id") == fold_name("queryId")
    True
    """
    return re.sub(r"[\s_\-]+", "", unicodedata.normalize("NFKC", name)).casefold()


class Spellings(dict[str, tuple[str, ...]]):
    """The spellings of fields. A table is itself and no other, so that what was found with it can be remembered."""

    def __hash__(self) -> int:  # type: ignore[override]
        return id(self)


def _spellings(table: dict[str, str]) -> Spellings:
    return Spellings(
        {field: tuple(fold_name(name) for name in names.split()) for field, names in table.items()}
    )


ITEM_ID = (
    "id item item_id session_id conversation_id dialogue_id uuid session 아이디 항목 항목id 항목번호 세션id 세션번호 세션 대화id 대화번호 "
    "일기id 일기번호 코멘트번호 번호 no no. # 순번 연번"
)
# The first spelling that a record has wins; "질의 ID", "질의_id" and "질의id" are one spelling.
ITEM_FIELDS = _spellings(
    {
        "id": ITEM_ID,
        "messages": "messages conversation conversations dialogue turns chat_messages contents utterances 대화 대화내용 메시지 메시지목록",
        "role": "role sender speaker author from speaker_id 역할 화자 발화자",
        "content": "content text message utterance value 내용 발화 본문",
        "context": "context diary 맥락 문맥 일기",
        "response": "response reply comment answer 응답 답변 코멘트 댓글",
        "meta": "meta metadata 메타",
        "mode": "mode 모드",
        "level": "level 수준",
        "system": "system 시스템 모델",
    }
)

# What was asked, where a text that it is about and the answer stand beside it.
QUESTION_FIELDS = _spellings({"question": "question instruction query prompt user_input 질문 질의 지시"})

# Where every message has a row of its own, the conversation's id counts and not the message's.
CONVERSATION_FIELDS = _spellings({"id": "session_id conversation_id dialogue_id 세션id 대화id"})

# What the raw JSON of a run holds, for exports that keep it in columns instead.
PAYLOAD_FIELDS = _spellings(
    {
        name: name
        for name in (
            *("assistantMessage", "dataUIList", "setting", "filterType"),
            *("responseTimeSec", "executionProcesses", "worker"),
        )
    }
)

RUN_FIELDS = _spellings(
    {
        "id": "item_id id item 항목id 아이템id",
        "query": "query_id 질의id 쿼리id 질문id",
        "round_repeat": "방/반복 round/repeat room/repeat",
        "round": "round room 라운드 회차 방",
        "repeat": "repeat repeat_no 반복 반복번호",
        "query_text": "질의 query query_text question 질문",
        "expected": "기대결과 expected_result expected",
        "category": "카테고리 category 분류",
        "version": "version agent_version 버전 에이전트버전 meta.version",
        "response": "응답 response answer",
        "error": "오류 error 에러",
        "payload": "raw_json raw payload raw_response 원본json 원본",
        "latency_ms": "latency_ms 지연ms 응답시간ms",
        "latency_class": "latency_class 지연구분",
        "accuracy_checks": "accuracy_checks 정확성체크",
        "intent_verdict": "intent_verdict 의도판정 의도충족판정",
        "intent_label": "intent_label 의도라벨",
        "meta": "meta metadata 메타",
    }
)

# A suite is what an agent is asked before there are any runs.
SUITE_FIELDS = _spellings(
    {
        "id": "query_id 질의id 쿼리id 질문id case_id 케이스id id case 케이스 아이디 번호 no no. # 순번 연번",
        "query": "query 질의 질문 question query_text prompt input 입력 발화 일기 diary",
        "turns": "turns messages conversation 턴 대화 발화목록",
        "context": "context 맥락 문맥 상황",
        "expected": "기대결과 expected_result expected expectation expectations 기대",
        "accuracy_checks": "accuracy_checks 정확성체크",
        "category": "카테고리 category 분류",
        "repeats": "repeats repeat 반복 반복수 반복횟수 횟수",
        "meta": "meta metadata 메타",
    }
)

RATING_FIELDS = _spellings(
    {
        "item": "item item_id id input_hash session_id conversation_id dialogue_id 항목 항목id 항목번호 아이템 아이템id 세션id 세션번호 세션 session "
        "대화id 대화번호 대화 dialogue conversation 일기id 일기번호 코멘트id 코멘트번호 아이디 번호 no no. # 순번 연번 "
        "hit_id task_id example_id sample_id segment_id unit_id doc_id document_id",
        "criterion": "criterion criteria question 기준 지표 문항 평가기준 평가항목",
        "rater": "rater rater_name rater_id judge annotator annotator_id evaluator reviewer coder teacher teacher_name teacher_id grader scorer assessor "
        "labeler expert worker worker_id annotator_name evaluator_id reviewer_id coder_id grader_id assessor_id labeler_id judge_id llm_model llm모델 judge_model 평가자 평가자명 평가자이름 평가자id 평가위원 채점자 채점자명 판정자 "
        "교사 교사명 교사이름 선생님 전문가 평정자 심사자 심사위원 검토자 응답자 응답자명 참가자 참가자명 참여자 participant respondent 이름 성함 성명 name 닉네임 별명 nickname 학번",
        "kind": "kind rater_kind 평가자종류 종류",
        "value": "value score rating 값 점수 평점",
        "evidence": "evidence rationale 근거 llm평가코멘트 llm코멘트",
        "replicate": "replicate 반복 회차",
        "status": "status 상태",
        "reason": "reason 사유 이유",
        "stance": "stance 입장",
        "rubric": "rubric 루브릭",
        "at": "at timestamp 타임스탬프 시각 일시",
    }
)

# Two systems side by side, and which of them won.
VOTE_FIELDS = _spellings(
    {
        "item": "item item_id question_id prompt_id conversation_id session_id id uid 항목 항목id 항목번호 문항 문항번호 질문id 일기id 일기번호 번호 no no. # 순번 연번",
        "a": "a model_a model_1 model1 generator_1 system_a system_1 system1 name_a left 시스템a 모델a 시스템1 모델1 왼쪽 a시스템 a모델",
        "b": "b model_b model_2 model2 generator_2 system_b system_2 system2 name_b right 시스템b 모델b 시스템2 모델2 오른쪽 b시스템 b모델",
        "winner": "winner won verdict preference preferred vote 승자 승리 우승 우세 선호 선택 판정 결과",
        "first_game": "g1_winner",
        "second_game": "g2_winner",
        "rater": " ".join(("judge", "user", "user_id", "judge_hash", *RATING_FIELDS["rater"])),
        "kind": "kind rater_kind 평가자종류 종류",
        "criterion": "criterion criteria 기준 지표 평가기준 평가항목",
        "order": "order shown_order shown_first first display_order 보인순서 제시순서 순서 먼저",
        "at": "at timestamp tstamp 타임스탬프 시각 일시",
    }
)

# Ratings of pairs may say too which of the two answers was shown first.
ORDER_FIELDS = Spellings({"order": VOTE_FIELDS["order"]})

TO_READ = ("읽을 내용", "to read")
"""The column of a form that holds what is rated: a row of such a table that gives no value says nothing."""

# A context with two answers, and which systems gave them.
PAIR_FIELDS = _spellings(
    {
        "id": ITEM_ID,
        "context": "context prompt question question_body instruction diary 맥락 문맥 일기 질문 질의",
        "response_a": "response_a answer_a reply_a comment_a output_a response_1 answer_1 answer1_body 응답a 답변a 코멘트a 답a a응답 a답변 a코멘트",
        "response_b": "response_b answer_b reply_b comment_b output_b response_2 answer_2 answer2_body 응답b 답변b 코멘트b 답b b응답 b답변 b코멘트",
        "system_a": "system_a model_a a model_1 answer1_model_id 시스템a 모델a a시스템 a모델",
        "system_b": "system_b model_b b model_2 answer2_model_id 시스템b 모델b b시스템 b모델",
        "meta": "meta metadata 메타",
    }
)

JOINED = " / "
"""What stands between the parts of a name that comes from several header rows."""


def plain_text(value: Any) -> str:
    """A cell as trimmed text: nothing for None, 3 rather than 3.0.

    >>> plain_text(None), plain_text(3.0), plain_text(" q1 ")
    ('', '3', 'q1')
    """
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return value.strip() if isinstance(value, str) else str(value)


META_PREFIX = "meta."
"""How the columns begin that hold a single field of `meta`, beside the whole of it."""


def is_known_name(name: str) -> bool:
    """Whether a column of that name is some field of items, runs or ratings.

    >>> is_known_name("Query ID"), is_known_name("2학기 평가")
    (True, False)
    """
    return fold_name(name) in _KNOWN


def name_fields(record: Mapping[str, Any], fields: Spellings) -> tuple[dict[str, Any], dict[str, Any]]:
    """Split a record into known fields by their own names, and the rest under the names it has.

    >>> name_fields({"Query ID": "q1", "team": "x"}, RUN_FIELDS)
    ({'query': 'q1'}, {'team': 'x'})
    """
    known, rest = _places(tuple(record), fields)
    return {field: record[key] for field, key in known}, {str(key): record[key] for key in rest}


@lru_cache(maxsize=1_000)  # the same few headers come with every row
def _places(keys: tuple[Any, ...], fields: Spellings) -> tuple[tuple[tuple[str, Any], ...], tuple[Any, ...]]:
    """Which key holds which field, and the keys that hold none."""
    folded = {fold_name(str(key)): key for key in keys}
    known: dict[str, Any] = {}
    for field, spellings in fields.items():
        taken = set(known.values())
        key = next((folded[s] for s in spellings if s in folded and folded[s] not in taken), None)
        if key is not None:
            known[field] = key
    return tuple(known.items()), tuple(key for key in keys if key not in set(known.values()))


_KNOWN = {
    spelling
    for fields in (ITEM_FIELDS, RUN_FIELDS, RATING_FIELDS)
    for names in fields.values()
    for spelling in names
}
