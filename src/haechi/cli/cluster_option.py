"""`--cluster`: where the work is done, the same option for every command that has it."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from haechi.cli.output import Output
from haechi.errors import HaechiError
from haechi.text import Text

if TYPE_CHECKING:
    from haechi.cluster.engine import Engine


def add_cluster(parser: argparse.ArgumentParser) -> None:
    """The option itself."""
    where = Text(
        "Dask 클러스터에서 실행: 스케줄러의 주소, 또는 local(이 기계에서 새로 켬)",
        "work on a Dask cluster: the scheduler's address, or local, which starts one here",
    )
    parser.add_argument("--cluster", metavar="tcp://HOST:8786|local", help=where.say())


@contextmanager
def on_cluster(address: str, output: Output) -> Iterator[Engine]:
    """The cluster, with a word about workers that are set up badly."""
    from haechi.cluster.engine import connected

    with connected(address) as engine:
        busy = engine.busy_workers()
        if busy:
            names = f"{busy[0]} + {len(busy) - 1}" if len(busy) > 1 else busy[0]
            output.note(
                Text(
                    f"{names}: POLARS_MAX_THREADS=1로 켠 워커가 더 빠릅니다.",
                    f"{names}: workers are faster when started with POLARS_MAX_THREADS=1.",
                )
            )
        yield engine


def need_shared_folder(address: str, folder: Path | None) -> None:
    """Scores of another machine's workers must go to a folder that this one sees too."""
    if address != "local" and folder is None:
        expected = Text(
            "-o와 모든 워커가 보는 폴더", "-o with a folder that all workers see under the same path"
        )
        todo = Text("-o 폴더를 붙이세요", "give -o FOLDER")
        raise HaechiError.of(f"--cluster {address}", Text("-o 없음", "no -o"), expected, todo)
