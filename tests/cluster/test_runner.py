"""Tasks for parts: in this process, in others or on a cluster, the results and the errors are the same."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

import pytest

from haechi.cluster.runner import Processes, Runner
from haechi.errors import HaechiError
from haechi.text import Text


def squared(number: int) -> int:
    """What is asked for first takes longest."""
    time.sleep(0.02 * (number == 0))
    return number * number


def counted(number: int) -> Iterator[int]:
    yield from range(number)


def refused(number: int) -> int:
    if number in (3, 4):
        time.sleep(0.05 * (number == 3))
        raise HaechiError.of(
            f"part {number}", "x", Text("다른 것", "another"), Text("고치세요", "correct it")
        )
    return number


def process(_: int) -> int:
    return os.getpid()


@pytest.fixture(params=["one process", "processes", "cluster"])
def runner(request: pytest.FixtureRequest) -> Runner:
    if request.param == "cluster":
        return request.getfixturevalue("engine")
    return Processes(1 if request.param == "one process" else 2, worth=2)


def test_results_come_in_the_order_of_the_parts(runner):
    assert list(runner.run(squared, iter(range(20)))) == [number * number for number in range(20)]
    assert [list(some) for some in runner.run(counted, range(4))] == [[], [0], [0, 1], [0, 1, 2]]


def test_of_several_errors_that_of_the_first_part_is_raised(runner):
    found = []
    with pytest.raises(HaechiError, match="part 3"):
        found.extend(runner.run(refused, range(20)))


def test_few_parts_start_no_process():
    assert set(Processes(2).run(process, range(3))) == {os.getpid()}
    assert os.getpid() not in set(Processes(2).run(process, range(4)))


def test_parts_are_taken_as_results_are(runner):
    taken = []

    def parts():
        for number in range(200):
            taken.append(number)
            yield number

    assert next(iter(runner.run(squared, parts()))) == 0
    assert len(taken) < 20
