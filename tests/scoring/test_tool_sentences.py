"""Sentences about calls of tools: what every one becomes, what stays open, and what a payload then scores."""

from __future__ import annotations

from typing import Any

import pytest

from haechi.expectations import checks
from haechi.expectations.lines import read_lines

CALLS = [
    {"name": "search_jobs", "arguments": {"region": "서울", "filter": {"status": "OPEN"}, "limit": 5}},
    {"name": "open_job", "arguments": '{"id": 7}'},
    {"name": "search_jobs", "arguments": {"region": "부산"}},
    {"name": "closeJob"},
]
PAYLOAD = {
    "assistantMessage": "닫았습니다.",
    "executionProcesses": CALLS,
    "toolOrder": "search_jobs > open_job > search_jobs > closeJob",
}


def meant(sentence: str) -> str | None:
    (line,) = read_lines(f"1) {sentence}")
    return line.meaning.name if line.meaning else None


def holds(sentence: str, payload: dict[str, Any] = PAYLOAD) -> bool:
    asked = checks.read(f"1) {sentence}", None)
    assert asked is not None
    assert asked.checks, sentence
    return checks.outcome(asked, payload, [], {}).ratio == 1.0


@pytest.mark.parametrize(
    ("sentence", "name"),
    [
        ("search_jobs 도구를 호출하는가", "tool search_jobs"),
        ("search_jobs 도구를 호출했는지 확인", "tool search_jobs"),
        ("도구 search_jobs가 호출되는가?", "tool search_jobs"),
        ('"search_jobs"를 호출해야 한다', "tool search_jobs"),
        ("「search_jobs」 툴이 호출됨", "tool search_jobs"),
        ("에이전트가 search_jobs 함수를 반드시 호출해야 합니다.", "tool search_jobs"),
        ("closeJob을 호출한다", "tool closeJob"),
        ("weather 도구를 사용하는가", "tool weather"),
        ("search_jobs 도구 호출 여부", "tool search_jobs"),
        ("delete_job 도구를 호출하지 않는가", "!tool delete_job"),
        ("delete_job이 호출되지 않아야 한다", "!tool delete_job"),
        ("도구를 호출하지 않는가", "!tool"),
        ("어떤 도구도 호출하지 않아야 함", "!tool"),
        ("도구를 2번 이상 호출하는가", "tool >=2"),
        ("search_jobs 도구를 두 번 호출하는가", "tool search_jobs =2"),
        ("search_jobs 도구를 최대 3회 호출하는가", "tool search_jobs <=3"),
        ("search_jobs를 한 번만 호출하는가", "tool search_jobs =1"),
        ('search_jobs 도구를 region="서울" 인자로 호출하는가', "tool search_jobs(region=서울)"),
        ("search_jobs 도구를 region을 “서울”로 호출하는가", "tool search_jobs(region=서울)"),
        ('search_jobs를 region: "서울", limit=5로 호출한다', "tool search_jobs(region=서울, limit=5)"),
        ('search_jobs 도구의 region 인자가 "서울"인가', "tool search_jobs(region=서울)"),
        ('search_jobs 호출의 filter.status 값이 "OPEN"인가', "tool search_jobs(filter.status=OPEN)"),
        ("open_job 도구의 인자 id 값이 7이어야 한다", "tool open_job(id=7)"),
        ("search_jobs 다음에 closeJob을 호출하는가", "tools search_jobs > closeJob"),
        ("search_jobs를 호출한 뒤 closeJob을 호출하는가", "tools search_jobs > closeJob"),
        ("search_jobs 도구 호출 후 closeJob 도구를 호출해야 함", "tools search_jobs > closeJob"),
        ("closeJob보다 search_jobs를 먼저 호출하는가", "tools search_jobs > closeJob"),
        ("search_jobs를 closeJob보다 먼저 호출하는가", "tools search_jobs > closeJob"),
        ("search_jobs, open_job, closeJob 순서로 호출하는가", "tools search_jobs > open_job > closeJob"),
        ('"search_jobs" → "closeJob" 순으로 호출되는가', "tools search_jobs > closeJob"),
        ("The agent calls search_jobs", "tool search_jobs"),
        ("the agent should call the tool `weather`", "tool weather"),
        ("The weather tool is called", "tool weather"),
        ("Is the search_jobs tool called?", "tool search_jobs"),
        ("uses the weather tool", "tool weather"),
        ("The agent must not call delete_job", "!tool delete_job"),
        ("delete_job is never called", "!tool delete_job"),
        ("No tools are called", "!tool"),
        ("The agent does not call any tool", "!tool"),
        ("search_jobs is called exactly twice", "tool search_jobs =2"),
        ("calls search_jobs at least 2 times", "tool search_jobs >=2"),
        ("search_jobs is called only once", "tool search_jobs =1"),
        ('The agent calls search_jobs with region "서울" and limit 5', "tool search_jobs(region=서울, limit=5)"),
        ("search_jobs is called with region=서울", None),
        ('search_jobs is called with region="서울"', "tool search_jobs(region=서울)"),
        ('The region argument of search_jobs is "서울"', "tool search_jobs(region=서울)"),
        ("search_jobs is called before closeJob", "tools search_jobs > closeJob"),
        ("closeJob is called after search_jobs", "tools search_jobs > closeJob"),
        ("The agent calls search_jobs and then closeJob", "tools search_jobs > closeJob"),
        ("Tools are called in the order search_jobs, open_job, closeJob", "tools search_jobs > open_job > closeJob"),
        ("calls search_jobs, open_job and closeJob in this order", "tools search_jobs > open_job > closeJob"),
        # What may mean something else, or more than one thing, stays open.
        ("담당자를 호출하는가", None),
        ("고객센터 호출 방법을 안내하는가", None),
        ('"엑셀"을 사용하는가', None),
        ("search_jobs를 한 번 호출하는가", None),
        ("search_jobs를 두 번 호출하지 않는가", None),
        ("search_jobs 바로 다음에 closeJob을 호출하는가", None),
        ("필요한 경우 search_jobs 도구를 호출하는가", None),
        ("search_jobs 또는 open_job을 호출하는가", None),
        ("search_jobs 도구를 알맞은 인자로 호출하는가", None),
        ("The agent calls support", None),
        ("The agent calls search_jobs if needed", None),
        ("search_jobs is called right before closeJob", None),
        ("The agent calls the customer by name", None),
    ],
)  # fmt: skip
def test_what_a_sentence_becomes(sentence: str, name: str | None) -> None:
    assert meant(sentence) == name


@pytest.mark.parametrize(
    ("sentence", "passes"),
    [
        ("search_jobs 도구를 호출하는가", True),
        ("delete_job 도구를 호출하는가", False),
        ("delete_job 도구를 호출하지 않는가", True),
        ("search_jobs 도구를 두 번 호출하는가", True),
        ("search_jobs를 한 번만 호출하는가", False),
        ('search_jobs 도구의 region 인자가 "부산"인가', True),
        ('search_jobs 도구의 region 인자가 "대구"인가', False),
        ('search_jobs를 region="부산", limit=5로 호출한다', False),  # of one and the same call
        ("open_job 도구의 인자 id 값이 7이어야 한다", True),
        ('search_jobs 호출의 filter.status 값이 "OPEN"인가', True),
        ("closeJob 다음에 open_job을 호출하는가", False),
        ("search_jobs is called before closeJob", True),
        ("The agent does not call any tool", False),
        ("도구를 4번 이상 호출하는가", True),
    ],
)
def test_what_a_payload_scores(sentence: str, passes: bool) -> None:
    assert holds(sentence) is passes


def test_a_payload_without_calls_called_nothing() -> None:
    assert holds("도구를 호출하지 않는가", {"assistantMessage": "네"})
    assert not holds("search_jobs 도구를 호출하는가", {"executionProcesses": {"name": "search_jobs"}})


def test_the_cause_names_what_was_called() -> None:
    from haechi.data.item import Item
    from haechi.scoring.failing_checks import failing_checks

    run = {
        "query": "q",
        "payload": PAYLOAD,
        "expected": '1) delete_job 도구를 호출하는가\n2) search_jobs 도구의 region 인자가 "대구"인가',
    }
    shown = failing_checks(Item("r", "run", run, {}), "tool delete_job; tool search_jobs(region=대구)")
    assert shown.splitlines()[0] == "tool delete_job ← search_jobs, open_job, search_jobs, closeJob"
    assert "서울" in shown.splitlines()[1]
