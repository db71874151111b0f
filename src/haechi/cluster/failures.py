"""What can be wrong with a cluster, in words that one can act on."""

from __future__ import annotations

from haechi.errors import HaechiError
from haechi.text import Text

_AT = "--cluster"
_SAME = Text(
    "모든 기계에 같은 환경을 설치하세요 (docs/cluster.ko.md)",
    "install the same environment on all machines (docs/cluster.md)",
)
_GO_ON = Text(
    "원인을 고치고 같은 명령을 다시 실행하면 이어서 합니다",
    "correct the cause and run the same command again: it goes on where it stopped",
)


class ClusterError(HaechiError):
    """The machines fail, not the input: the same command may succeed later."""


def no_dask() -> ClusterError:
    """The extra is not installed."""
    found = Text("Dask가 설치되어 있지 않음", "Dask is not installed")
    return ClusterError.of(
        _AT,
        found,
        Text("Dask", "Dask"),
        Text("pip install 'haechi[cluster]'", "pip install 'haechi[cluster]'"),
    )


def unreachable(address: str, why: str) -> ClusterError:
    """Nobody answers at the address."""
    expected = Text(
        "local, 또는 스케줄러의 주소 tcp://호스트:8786",
        "local, or the address of a scheduler tcp://HOST:8786",
    )
    todo = Text(
        "주소와 방화벽, 스케줄러가 켜져 있는지 확인하세요: dask scheduler",
        "check the address, the firewall, and that the scheduler is running: dask scheduler",
    )
    return ClusterError.of(f"{_AT} {address}", _line(why), expected, todo)


def no_workers(address: str, seconds: int) -> ClusterError:
    """The scheduler has nobody to give work to."""
    found = Text(f"{seconds}초 동안 워커 없음", f"no workers within {seconds} seconds")
    expected = Text("한 개 이상의 워커", "at least one worker")
    todo = Text(f"워커를 켜세요: dask worker {address}", f"start some: dask worker {address}")
    return ClusterError.of(f"{_AT} {address}", found, expected, todo)


def worker_without_haechi(worker: str) -> ClusterError:
    """A worker cannot load our code."""
    found = Text("haechi가 없는 워커", "a worker without haechi")
    return ClusterError.of(worker, found, Text("haechi가 설치된 워커", "workers with haechi"), _SAME)


def other_versions(worker: str, package: str, theirs: str | None, own: str | None) -> ClusterError:
    """A worker runs other code, which may come to other scores."""
    expected = Text(f"여기와 같은 {package} {own}", f"{package} {own} as here")
    return ClusterError.of(worker, f"{package} {theirs}", expected, _SAME)


def blind_worker(worker: str, path: str) -> ClusterError:
    """A worker has another disk."""
    found = Text(f"보이지 않는 경로: {path}", f"does not see {path}")
    expected = Text(
        "모든 워커가 같은 경로로 보는 파일과 폴더",
        "files and folders that all workers see under the same path",
    )
    todo = Text(
        "공유 디스크(NFS 등)의 경로를 쓰세요. Parquet는 s3://도 됩니다",
        "use paths on a shared disk (NFS …); Parquet may also be in s3://",
    )
    return ClusterError.of(worker, found, expected, todo)


def workers_died(why: str) -> ClusterError:
    """The same task ended several workers."""
    expected = Text("끝까지 살아 있는 워커", "workers that survive their task")
    todo = Text(
        "워커의 메모리를 늘리세요 (dask worker --memory-limit). 다시 실행하면 이어서 합니다",
        "give workers more memory (dask worker --memory-limit); run again, it goes on where it stopped",
    )
    return ClusterError.of(_AT, _line(why), expected, todo)


def lost_connection(address: str, why: str = "") -> ClusterError:
    """The scheduler has gone."""
    found = Text(f"스케줄러와 연결이 끊김 {_line(why)}".strip(), f"lost the scheduler {_line(why)}".strip())
    expected = Text("끝까지 켜져 있는 스케줄러", "a scheduler that stays up")
    return ClusterError.of(f"{_AT} {address}", found, expected, _GO_ON)


def _line(why: str) -> str:
    return (why.strip().splitlines() or [""])[0][:200]
