"""What sheets and columns of a workbook are called for people who read the Korean report."""

from __future__ import annotations

SHEETS = {
    "findings": "핵심", "summary": "요약", "scores": "점수", "ratings": "평가", "agreement": "일치도", "comments": "의견",
    "queries": "질의", "criteria": "기준",
}  # fmt: skip
"""Sheets of a workbook in Korean."""
HEADS = {
    "item": "항목", "rater": "평가자", "kind": "종류", "criterion": "기준", "value": "값", "evidence": "근거", "replicate": "반복",
    "status": "상태", "reason": "이유", "stance": "입장", "rubric": "루브릭", "at": "시각", "comment": "의견", "by": "필드", "group": "집단",
    "score": "점수", "mean": "평균", "ci95_low": "95 % 아래", "ci95_high": "95 % 위", "sd": "SD", "median": "중앙값", "missing": "결측",
    "mean_of_ratings": "평가 단위 평균", "ratings": "평가 수", "distribution": "분포", "panel": "평가자 집단", "coefficient": "계수",
    "why": "이유", "question": "질의", "answer": "답변", "expectation": "기대 결과", "failing": "실패한 체크",
    "failing_found": "실패한 체크 ← 찾은 값", "shown": "화면에 보인 것", "seconds": "초", "system": "시스템", "query": "질의 ID", "round": "회차",
    "category": "카테고리", "label": "의도 라벨", "became": "변화", "runs": "실행", "finding": "결과", "figure": "수치", "advice": "할 일",
    "items": "항목", "rule": "규칙", "tone": "구분", "ratings_missing": "결측 수", "complete": "전원이 평가한 항목", "raters": "평가자 수",
    "decided": "통과 여부가 정해진 실행", "passed": "통과", "failed": "실패", "unanswered": "답변 없음", "mean_seconds": "평균 초", "slowest_seconds": "가장 느린 초", "repeat": "반복",
    "tool_class": "도구 구분", "class_by": "도구 구분 근거", "modal_label": "가장 많은 라벨", "label_by": "라벨 근거", "signature": "데이터 지문",
    "checks_passed": "통과한 체크", "checks_total": "체크 수", "checks_open": "미정인 체크", "failure": "실패 유형", "error": "오류",
    "ratio_a": "라벨 일치율", "ratio_b": "데이터 일치율",
}  # fmt: skip
"""Heads for people who read the Korean report; files for programs keep their names."""
PANELS = {"all": "전체", "human_human": "사람", "ai_ai": "AI", "human_ai": "AI와 사람"}
"""Whose agreement a row is about, in Korean."""
