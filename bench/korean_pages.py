"""The Korean pages of what was measured, from the same kept results and tables as the English ones; nothing is measured."""

from __future__ import annotations

import re
from pathlib import Path

from bench import coverage, human_scale
from bench.korean import korean, korean_table, tables_in
from bench.results import Result, load, measured_on

_DOCS = Path(__file__).parents[1] / "docs"
PERFORMANCE = _DOCS / "performance.ko.md"
COVERAGE = _DOCS / "statistics" / "coverage.ko.md"
HUMAN_SCALE = _DOCS / "statistics" / "human-scale-measured.ko.md"

TITLES = {
    "startup": "시작 시간과 설치 크기",
    "runs": "에이전트 실행 채점",
    "large_study": "에이전트 실행이 아주 많은 스터디",
    "growth": "행이 늘 때 비용이 느는 정도",
    "agreement": "일치도 통계",
    "agree_file": "큰 평가표의 일치도",
    "rank": "투표에서 구한 강도",
    "asking": "에이전트에게 묻기",
    "judge": "AI 평가",
    "judging_again": "이어서 하는 AI 평가",
    "workers": "작업자 여럿으로 하는 AI 평가",
    "desk": "여럿이 함께 쓰는 평가 화면",
    "browse": "항목 브라우저",
    "items": "대화 더하기",
    "imports": "평가 가져오기",
}

_PERFORMANCE = """# 성능

[English](performance.md)

코어 둘을 나누어 쓰는 컴퓨터에서 `make bench`로 쟀습니다. 이 문서는 마지막 실행이 `bench/measured`에 남긴 결과로 `make performance`가 쓰며, 표마다 잰 날을 적습니다. 초는
컴퓨터에 따라 다르므로 비율을 보세요. 비율의 두 쪽은 같은 실행에서 쟀습니다. `python -m bench compare`는 다시 재어 비율이 3분의 1 넘게 나빠지면 실패합니다.
"""

_COVERAGE = """# 구간이 맞는지

[English](coverage.md)

95 % 구간은 약속입니다. 이런 연구 백 개 가운데 95개쯤의 구간이 참값을 담아야 합니다. 아래 표가 이 약속을 지키는지 보여 줍니다. 참값을 아는 곳에서 표본을 뽑고,
명령이 쓰는 것과 같은 함수로 구간을 구해, 참값을 담은 비율을 셉니다. ‘구간이 적힘’은 구간을 낸 비율입니다. 항목이 적거나 가장 흔한 값과 다른 값이 적거나
값이 모두 같으면 구간 대신 이유를 적습니다(`why_no_ci`).

```python
>>> from haechi import stats
>>> stats.pass_hat_k([[1, 1, 1]] * 20, k=3)  # 스무 번 중 스무 번 성공해도 확실한 것은 아닙니다
1.00 [0.84, 1.00]

```

{table}

`python -m bench coverage`는 설계마다 표본 {runs:,}개를 뽑아(난수 시드 {seed}) 이 문서를 씁니다. `make test-slow`는 비율이 모의실험의 표준오차 세 배를 넘게
바라는 범위를 벗어나거나 폭이 0인 구간이 있으면 실패합니다.
"""

_HUMAN_SCALE = """# 사람이 평가했다면: 잰 것

[English](human-scale-measured.md)

`python -m bench human_scale`이 씁니다(난수 시드 {seed}). 무엇을 추정하는지는 [사람이 평가했다면](human-scale.ko.md)에 있습니다. `make test-slow`는 같은 표본을
뽑아, 비율이 모의실험의 표준오차 세 배를 넘게 바라는 범위를 벗어나면 실패합니다.

## 구간이 맞는지
AI가 항목 {items}개를 평가하고 사람은 무작위로 뽑은 n개를 평가합니다. 설계마다 표본 {runs:,}개에서 95 % 구간이 참값을 담은 비율과 구간의 폭입니다.

```python
>>> import numpy as np
>>> from haechi import stats
>>> judge = np.arange(300) % 30 + 10.0  # 5점 후한 AI 평가자
>>> human = np.where(np.arange(300) < 25, judge - 5 + np.arange(300) % 4, np.nan)
>>> stats.human_scale_mean(human, judge, bounds=(8, 40)).mean
20.64 [19.51, 21.80]

```

{holds}

## 평가 화면은 사람에게 몇 건을 묻는지
실제와 비슷한 세션입니다. 교사 두 명의 ICC는 .56쯤이고, AI 평가자 셋은 40점 만점에 5점 후하며 함께 틀립니다. 종류마다 스터디 {desks}개를 따라갑니다. 어느 방법이든 같은
규칙으로 멈추고, 평가가 몇 건 모일 때마다 구간을 들여다봅니다. ‘사람만’은 AI의 점수를 보지 않습니다. ‘평가 화면’은 `haechi serve --until`입니다. 세션마다 교사 한 명이 평가하고,
AI의 점수를 함께 쓰며, 알려 주는 것이 많은 세션을 뽑습니다. 마지막 열이 가장 엄격합니다. 들여다본 구간이 하나라도 틀리면 틀린 것으로 셉니다.

{asked}
"""


def performance() -> str:
    """The page of performance, from the kept results."""
    parts = [_PERFORMANCE]
    for name, title in TITLES.items():
        if results := load(name):
            parts.append(f"## {title}\n\n{measured_on(name)}에 쟀습니다.\n")
            parts += [f"**{korean(result.title)}**\n\n{_korean(result)}\n" for result in results]
    return "\n".join(parts)


def _korean(result: Result) -> str:
    blocks = result.markdown().split("\n\n")
    return "\n\n".join(korean_table(one) if one.startswith("|") else korean(one) for one in blocks)


def coverage_page() -> str:
    """The page of intervals, from the table of the English one."""
    (table,) = tables_in(coverage.PAGE.read_text(encoding="utf-8"))
    return _COVERAGE.format(table=korean_table(table), runs=coverage.RUNS, seed=coverage.SEED)


def human_scale_page() -> str:
    """The page of what people would have given, from the tables of the English one."""
    page = human_scale.PAGE.read_text(encoding="utf-8")
    holds, asked = map(korean_table, tables_in(page))
    (desks,) = re.findall(r"^(\d+) studies are followed", page, re.MULTILINE)
    return _HUMAN_SCALE.format(
        holds=holds,
        asked=asked,
        desks=desks,
        items=human_scale.ITEMS,
        runs=human_scale.RUNS,
        seed=human_scale.SEED,
    )


def write() -> None:
    """Put the pages in their places."""
    pages = {PERFORMANCE: performance, COVERAGE: coverage_page, HUMAN_SCALE: human_scale_page}
    for place, text in pages.items():
        place.write_text(text(), encoding="utf-8")
