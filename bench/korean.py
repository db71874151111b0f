"""The words of measured tables in Korean: the figures are those of the English pages, which are what was kept."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

_WORDS: tuple[tuple[str, str], ...] = (
    # Heads.
    (r"^seconds$", "초"), (r"^CPU s$", "CPU 초"), (r"^(runs|rows|calls)/s$", r"초당 \1"), (r"^peak MB$", "최대 메모리 MB"),
    (r"^CPU ms/call$", "호출당 CPU ms"), (r"^CPU ms a call$", "호출당 CPU ms"), (r"^of bare$", "SDK만 쓴 것의 몇 배"),
    (r"^rows$", "행"), (r"^items$", "항목"), (r"^item ids$", "항목 id"), (r"^statistic$", "통계량"), (r"^ours, ms$", "해치 ms"),
    (r"^target, ms$", "목표 ms"), (r"^peer, ms$", "다른 도구 ms"), (r"^peer$", "다른 도구"), (r"^what$", "무엇"), (r"^page$", "화면"),
    (r"^from names$", "이름에서"), (r"^from numbers$", "번호에서"), (r"^values$", "값"), (r"^ratio$", "비율"), (r"^value$", "값"),
    (r"^goal$", "목표"), (r"^start$", "시작"), (r"^workers$", "작업자"), (r"^of one worker$", "작업자 하나의 몇 배"), (r"^sent$", "보냄"),
    (r"^lost$", "잃음"), (r"^asked$", "요청"), (r"^dialogues$", "대화"), (r"^ratings$", "평가"), (r"^µs each$", "하나에 µs"),
    (r"^(.*), µs a reply$", r"\1, 답 하나에 µs"), (r"^(.*), µs a row$", r"\1, 행 하나에 µs"),
    (r"^CPU seconds until the first request$", "첫 요청까지 CPU 초"), (r"^reached$", "도달"), (r"^missed$", "미달"),
    (r"초당 runs", "초당 실행"), (r"초당 rows", "초당 행"), (r"초당 calls", "초당 호출"),
    (r"^interval$", "구간"), (r"^design$", "설계"), (r"^holds, %$", "참값을 담음, %"), (r"^wanted, %$", "바라는 범위, %"),
    (r"^printed, %$", "구간이 적힘, %"), (r"^mean width$", "평균 폭"),
    # Titles and rows of performance.
    (r"^Best of thirty starts$", "서른 번 시작한 것 중 가장 빠른 것"), (r"^Small jobs, best of (\d+)$", r"작은 일, \1번 중 가장 빠른 것"),
    (r"^In one process$", "한 프로세스 안에서"), (r"^Sizes$", "크기"), (r"^wheel$", "wheel 파일"), (r"^installed$", "설치한 크기"),
    (r"^with all it needs$", "필요한 패키지까지"), (r"^assert_score, second figure", "assert_score, 두 번째 수치"),
    (r"^dashboard of (\S+?)(,|$)", r"\1 현황판\2"),
    (r"^([\d,]+) runs on (\d+) cores, the best of several turns$", r"실행 \1건, 코어 \2개, 여러 번 중 가장 빠른 것"),
    (r"^ours from (Parquet|JSONL)$", r"해치, \1에서"), (r"^plain loop, one core$", "단순한 반복문, 코어 하나"),
    (r"^our loop, one core$", "해치의 반복문, 코어 하나"), (r"^floor from (Parquet|JSONL)$", r"하한, \1에서"),
    (r"^plain loop / ours from (\w+)$", r"단순한 반복문 / 해치(\1)"), (r"^our loop on one core / ours from (\w+)$", r"코어 하나의 반복문 / 해치(\1)"),
    (r"^ours from (\w+) / its floor$", r"해치(\1) / 하한"), (r"^peak memory of ours, MB$", "해치의 최대 메모리, MB"),
    (r"^A study of ([\d,]+) agent runs$", r"에이전트 실행 \1건의 스터디"), (r"^(add|score|report|check), (jsonl|parquet)$", r"\1, \2"),
    (r"^add again, (\w+)$", r"다시 add, \1"), (r"^peak memory, MB$", "최대 메모리, MB"), (r"^Whole commands$", "명령 전체"),
    (r"^slope of (.+), ([\d,]+) to ([\d,]+) (?:rows|dialogues)$", r"\1의 기울기, \2 → \3"), (r"^Three raters$", "평가자 셋"),
    (r"six ICCs with intervals, long table", "ICC 여섯 가지와 구간, 긴 표"), (r"Cronbach alpha with interval", "Cronbach α와 구간"),
    (r"Krippendorff ordinal, 1000 bootstraps", "Krippendorff α 서열, 붓스트랩 1,000번"), (r"Krippendorff interval, 1000 bootstraps", "Krippendorff α 등간, 붓스트랩 1,000번"),
    (r"Krippendorff ordinal, 1-5", "Krippendorff α 서열, 1–5"), (r"Krippendorff interval, 8-40", "Krippendorff α 등간, 8–40"),
    (r"Fleiss kappa with interval", "Fleiss κ와 구간"), (r"quadratic kappa, two raters", "이차 가중 κ, 평가자 둘"),
    (r"^everything `haechi agree` prints$", "`haechi agree`가 적는 모든 것"), (r"^(\S+) / ours, ", r"\1 / 해치, "),
    (r"^whole numbers$", "정수"), (r"^names$", "이름"),
    (r"^([\d,]+) votes of (\d+) systems, CPU seconds$", r"시스템 \2개에 대한 투표 \1건, CPU 초"), (r", dense design$", ", 밀집 행렬"), (r", sparse design$", ", 희소 행렬"),
    (r"^from names: (dense|sparse) regression to (.+)$", r"이름에서: \1 회귀 / \2"), (r"^from numbers: (dense|sparse) regression to (.+)$", r"번호에서: \1 회귀 / \2"),
    (r": dense 회귀", ": 밀집 회귀"), (r": sparse 회귀", ": 희소 회귀"),
    (r"^([\d,]+) calls to an agent that takes (\d+) ms, (\d+) at once$", r"\2 ms 걸리는 에이전트 호출 \1번, 한 번에 \3개"),
    (r"^bare$", "맨 호출"), (r"^ours$", "해치"), (r"^milliseconds of CPU that a call takes$", "호출 하나에 드는 CPU ms"), (r"^calls a second, ours to bare$", "초당 호출, 해치 / 맨 호출"),
    (r"^([\d,]+) calls, (\d+) at a time, each answered after (\d+) ms$", r"호출 \1번, 한 번에 \2개, \3 ms 뒤에 답함"),
    (r"^([\d,]+) calls, (\d+) at a time for each worker, each answered after (\d+) ms$", r"호출 \1번, 작업자마다 한 번에 \2개, \3 ms 뒤에 답함"),
    (r"bare SDK", "SDK만"), (r"^CPU of (.+) / (.+)$", r"CPU, \1 / \2"), (r"^([\d,]+) stored replies of each instrument read again$", r"저장된 답을 도구마다 \1개씩 다시 읽기"),
    (r"^reading replies of all three again / orjson.loads$", "세 도구의 답 다시 읽기 / orjson.loads"),
    (r"^A run over ([\d,]+) items of which half are judged$", r"절반이 평가된 항목 \1개를 이어서 평가하기"), (r"^4 workers / 1, (\w+)$", r"작업자 넷 / 하나, \1"),
    (r"^(\d+) raters, one answer a second each, (\d+) s$", r"평가자 \1명이 1초에 하나씩, \2초 동안"), (r"^desk, ", "평가 화면, "), (r"^bare handler, ", "맨 처리기, "),
    (r"^p95 of the desk / bare handler, ", "p95, 평가 화면 / 맨 처리기, "), (r"^([\d,]+) items, two raters each$", r"항목 \1개, 평가자 둘씩"),
    (r"the first page after a new rating", "새 평가가 들어온 뒤의 첫 화면"),
    (r"lowest scores after a new rating", "새 평가가 들어온 뒤 점수가 낮은 것부터"),
    (r"processor time", "CPU 시간"), (r"empty page", "빈 화면"), (r"in the order of arrival", "들어온 순서대로"), (r"lowest scores", "점수가 낮은 것부터"), (r"most disputed", "가장 갈린 것부터"),
    (r"judges furthest from people", "AI와 사람의 차이가 큰 것부터"), (r"one system", "시스템 하나"), (r"one item", "항목 하나"),
    (r"a search, for the first time", "처음 하는 검색"), (r"^p95 of all pages / ", "p95, 모든 화면 / "),
    (r"^Adding dialogues of (\d+) messages$", r"메시지 \1개인 대화 더하기"), (r"orjson and executemany", "orjson과 executemany"),
    (r"^CPU of add to the floor, ([\d,]+) dialogues$", r"CPU, add / 하한, 대화 \1개"), (r"^memory at ten times the (?:dialogues|ratings)$", "열 배일 때 메모리"),
    (r"^CPU of `haechi import` of a long CSV$", "긴 CSV를 `haechi import`할 때의 CPU"), (r"Polars \+ executemany", "Polars와 executemany"),
    (r"^CPU of an import to (.+)$", r"CPU, import / \1"), (r"^slope of an import, a tenth to all$", "import의 기울기, 10분의 1 → 전부"), (r", seconds$", ", 초"),
    # Notes.
    (r"^Measured while other work kept both cores busy\.$", "다른 일이 두 코어를 다 쓰는 동안 쟀습니다."),
    (r"^The plain loop is the readable implementation.*$", "단순한 반복문은 테스트에 있는 읽기 쉬운 구현이고, 코어 하나의 반복문은 채점이 하는 일을 다른 프로세스 없이 한 것입니다. 하한은 모든 코어에서 orjson으로 payload를 읽기만 한 것입니다."),
    (r"^All ways came to the same scores: yes\.$", "모든 방법의 점수가 같았습니다."),
    (r"^The strengths of both differ by at most (\S+)\. The regression.*$", r"두 방법의 강도는 최대 \1 다릅니다. 회귀는 강도만 구하고, 해치는 오차, 구간, 순위도 구합니다."),
    (r"^From names: a data frame.*$", "이름에서: 이름이 든 데이터 프레임에서 강도까지이며 회귀의 설계 행렬을 만드는 일도 듭니다. 번호에서: 완성된 설계 행렬이나 시스템의 번호에서 시작합니다."),
    (r"^Largest memory of a process that judges (\d+): (\d+) MiB with ([\d,]+) items waiting, (\d+) MiB with ([\d,]+) items waiting\.$", r"\1개를 평가하는 프로세스의 최대 메모리: 기다리는 항목이 \3개일 때 \2 MiB, \5개일 때 \4 MiB."),
    # Intervals and designs of simulations.
    (r"^group mean$", "집단 평균"), (r"^mean for new raters$", "새 평가자까지 생각한 평균"), (r"^mean over clusters$", "묶음을 고려한 평균"), (r"^([\d.]+) % quantile over clusters$", r"묶음을 고려한 \1 % 분위수"),
    (r"^Krippendorff α, nominal$", "Krippendorff α, 명목"), (r"^Krippendorff α, ordinal$", "Krippendorff α, 서열"), (r"^Krippendorff α, interval$", "Krippendorff α, 등간"),
    (r"^percent agreement$", "단순 일치율"), (r"^quadratic κ$", "이차 가중 κ"), (r"^prediction-powered, tuned$", "예측 보강 평균, 조정"), (r"^prediction-powered$", "예측 보강 평균"), (r"^people alone$", "사람만"),
    (r", incomplete$", ", 결측 있음"), (r"^Welch's difference$", "Welch 차이"), (r"^share \(Wilson\)$", "비율(Wilson)"), (r"^paired difference$", "짝지은 차이"),
    (r"normal values", "정규분포"), (r"1–5, in the middle", "1–5, 가운데"), (r"1–5, middle", "1–5, 가운데"), (r"near the top", "최고점 근처"), (r"noisy", "잡음이 큼"), (r"yes or no, (\d+)% yes", r"예·아니요, ‘예’ \1 %"),
    (r"([\d,]+) raters, severities ± (\d+)", r"평가자 \1명, 엄격함 ± \2"), (r"(\d+) items × (\d+) raters", r"항목 \1개 × 평가자 \2명"), (r"(\d+) raters", r"평가자 \1명"), (r", (\d+) each$", r", 항목마다 \1명"),
    (r"^(\d+) clusters of 1 to (\d+) items$", r"묶음 \1개, 항목 1–\2개씩"), (r"^(\d+) queries × (\d+) runs", r"질의 \1개 × 실행 \2번"), (r"queries differ", "질의마다 다름"), (r"queries alike", "질의가 모두 같음"),
    (r"^(\d+) people's, (\d+) the judge's$", r"사람 \1건, AI \2건"), (r"^(\d+) items, 2 or 3 of 6 평가자", r"항목 \1개, 6명 중 2–3명"), (r"^(\d+) items, 2 or 3 of 평가자 6명$", r"항목 \1개, 평가자 6명 중 2–3명"),
    (r"a fifth missing", "5분의 1 결측"), (r"^(\d+) items, 5 of 30 very unequal raters$", r"항목 \1개, 평가량이 매우 다른 30명 중 5명"), (r"^n = (\d+) and (\d+)$", r"n = \1, \2"), (r"^20 % of (\d+)$", r"\1건의 20 %"),
    (r"^mean people would give$", "사람이 주었을 평균"), (r"^mean people like these would give$", "이런 사람들이 주었을 평균"), (r"^difference of two systems$", "두 시스템의 차이"), (r"^pass rate of people$", "사람의 합격률"),
    (r"judges (\d+) too high", r"AI가 \1점 높음"), (r"judges (\d+) too low", r"AI가 \1점 낮음"), (r"slope ([\d.]+)", r"기울기 \1"), (r"some sessions hard", "일부 세션이 어려움"), (r"a judge that sees next to nothing", "거의 아무것도 못 보는 AI"),
    (r"two raters", "평가자 둘"), (r"yes in (\d+) %, hit ([\d.]+), rejected ([\d.]+)", r"‘예’ \1 %, 민감도 \2, 특이도 \3"), (r"one of two teachers per item", "항목마다 교사 둘 중 하나"), (r"chance by the judges' spread", "AI들의 산포에 따른 확률로 뽑음"),
    (r"other items", "다른 항목"), (r"the same questions", "같은 질문"), (r"at least (\d+)", r"\1점 이상"), (r"n = 25 each", "n = 25씩"),
    # Ways of asking people.
    (r"^study$", "스터디"), (r"^way of asking$", "묻는 방법"), (r"^of the first way, %$", "첫 방법의 몇 %"), (r"^last interval holds, %$", "마지막 구간이 참값을 담음, %"),
    (r"^all that were looked at hold, %$", "들여다본 구간이 모두 참값을 담음, %"), (r"^the same for these items$", "이 항목들에 대해서도"),
    (r"^(\d+) sessions, (±[\d.]+), all alike$", r"세션 \1개, \2, 모두 비슷함"), (r"^(\d+) sessions, (±[\d.]+), some harder$", r"세션 \1개, \2, 일부가 어려움"),
    (r"^(\d+) sessions, (±[\d.]+), some much harder$", r"세션 \1개, \2, 일부가 훨씬 어려움"), (r"both teachers, people alone", "교사 둘, 사람만"),
    (r"one teacher, judges help", "교사 하나, AI가 도움"), (r"one teacher, people alone", "교사 하나, 사람만"), (r"\bpeople alone\b", "사람만"), (r"^the desk", "평가 화면"),
    (r"^(\d+) agent runs of (\d+) queries, (\d+) % fail by rule", r"질의 \2개의 에이전트 실행 \1건, 규칙에 따른 실패 \3 %"),
    (r"^(\d+) tutoring sessions of (\d+) students", r"학생 \2명의 학습 세션 \1개"), (r", one criterion;", ", 기준 하나;"), (r", one of two modes;", ", 두 모드 중 하나;"),
    (r", two modes;", ", 두 모드;"), (r" of both$", "(두 모드 합쳐)"), (r"^(\d+) doubly rated sessions, another part each time", r"둘이 평가한 세션 \1개, 매번 다른 부분"),
    (r"^doubly rated sessions of the demo, resampled", "둘이 평가한 데모의 세션, 다시 뽑음"), (r"^five sessions of each of (\d+) students", r"학생 \1명의 세션 다섯 개씩"),
)  # fmt: skip
_PATTERNS = tuple((re.compile(pattern), words) for pattern, words in _WORDS)


def korean(text: str) -> str:
    """Words of a table in Korean; names of commands and figures stay as they are.

    >>> korean("holds, %"), korean("1–5, near the top, 15 × 3"), korean("haechi score ubica / import polars")
    ('참값을 담음, %', '1–5, 최고점 근처, 15 × 3', 'haechi score ubica / import polars')
    """
    for pattern, words in _PATTERNS:
        text = pattern.sub(words, text)
    return text


def korean_table(table: str, word: Callable[[str], str] = korean) -> str:
    """A table of Markdown with its words in Korean.

    >>> print(korean_table("| interval | mean width |\\n|---|---:|\\n| group mean | 0.31 |"))
    | 구간 | 평균 폭 |
    |---|---:|
    | 집단 평균 | 0.31 |
    """
    return "\n".join(
        line
        if set(line) <= set("|-: ")
        else "|"
        + "|".join(f" {word(cell.strip())} " if cell.strip() else cell for cell in line.split("|")[1:-1])
        + "|"
        for line in table.splitlines()
    )


def tables_in(page: str) -> list[str]:
    """The tables of a page, in their order.

    >>> tables_in("# A\\n\\n| x |\\n|---|\\n| 1 |\\n\\nwords\\n")
    ['| x |\\n|---|\\n| 1 |']
    """
    return [found[0].rstrip("\n") for found in re.finditer(r"(?:^\|.*\n)+", page + "\n", re.MULTILINE)]


def left_in_english(tables: Sequence[str], known: Sequence[str]) -> list[str]:
    """The words of tables that are neither Korean nor names that stay as they are."""
    found = re.findall(r"[A-Za-z][A-Za-z_'-]+", " ".join(tables))
    return sorted({word for word in found if word not in known})
