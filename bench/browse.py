"""The item browser over very many items, next to an empty page.

The empty page is `/owner/browse` of a study of the same rubric without items, served by a process of its own in the same run:
the same way in, the same template, filters and language, and nothing found. Pages of the full study have fifty rows and an item
with its ratings. Two of them are asked for right after somebody rated an item, by another process: the dearest moment, since
the page waits for that item's figures. All others that sort come after these ratings too.

python -m bench browse --items 100000
"""

from __future__ import annotations

import argparse
import tempfile
import time
from contextlib import AbstractContextManager
from pathlib import Path
from typing import NamedTuple

import httpx
import orjson
import polars as pl

from bench.desk import at, cpu_of, free_port, running
from bench.results import Ratio, Result
from haechi.data.rating import Rating
from haechi.store.invitations import invite
from haechi.store.ratings import append_ratings
from haechi.study.study import Study

_WORDS = [
    "비가",
    "와서",
    "우산을",
    "챙겼다",
    "친구와",
    "밥을",
    "먹고",
    "산책을",
    "했다",
    "시험이",
    "걱정된다",
    "오늘은",
    "일찍",
    "잤다",
]
_AFTER, _SORTED_AFTER = "the first page after a new rating", "lowest scores after a new rating"
_PAGES = {
    _AFTER: "?page={page}",
    _SORTED_AFTER: "?sort=score&page={page}",
    "in the order of arrival": "?page={page}",
    "lowest scores": "?sort=score&page={page}",
    "most disputed": "?only=disputed&sort=-disagreement&page={page}",
    "judges furthest from people": "?sort=-apart&page={page}",
    "one system": "?meta.system=B&page={page}",
    "one item": "?sort=-score&item={item}",
    "a search, for the first time": "?q=우산을 {page}",
}


class Taken(NamedTuple):
    """What a page took: time, and processor time of the server."""

    seconds: float
    cpu: float


def main(options: list[str]) -> list[Result]:
    """Ask for pages one after the other, turn by turn with the empty page."""
    parser = argparse.ArgumentParser("bench browse")
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=40)
    chosen = parser.parse_args(options)
    with tempfile.TemporaryDirectory(prefix="haechi-") as folder:
        full, empty = _study(Path(folder), chosen.items), Study.new(f"{folder}/empty", "diary-comment")
        times = _ask(full, empty, chosen.items, chosen.rounds)
    rows = tuple(
        (
            what,
            str(len(own)),
            f"{at([one.seconds for one in own], 0.5) * 1000:.1f}",
            f"{at([one.seconds for one in own], 0.95) * 1000:.1f}",
            f"{at([one.cpu for one in own], 0.5) * 1000:.1f}",
        )
        for what, own in times.items()
    )
    empty = times.pop("empty page")
    floor, least = at([one.seconds for one in empty], 0.95), at([one.cpu for one in empty], 0.5)
    every = [one.seconds for own in times.values() for one in own]
    ratios = [Ratio("p95 of all pages / empty page", at(every, 0.95) / floor, "<=", 3)]
    for what, own in times.items():
        p95, cpu = at([one.seconds for one in own], 0.95) / floor, at([one.cpu for one in own], 0.5) / least
        ratios.append(
            Ratio(f"p95, {what} / empty page", p95, "<=", 3 if what in (_AFTER, _SORTED_AFTER) else None)
        )
        ratios.append(Ratio(f"processor time, {what} / empty page", cpu, "<="))
    return [
        Result(
            f"{chosen.items:,} items, two raters each",
            ("page", "asked", "p50 ms", "p95 ms", "CPU ms"),
            rows,
            tuple(ratios),
        )
    ]


def _study(folder: Path, count: int) -> Study:
    """Short diaries and comments of two systems, rated by a person and a judge."""
    study = Study.new(folder / "study", "diary-comment")
    lines = (
        {
            "id": f"d{n}",
            "context": " ".join(_WORDS[(n * k) % len(_WORDS)] for k in range(1, 30)) + f" {n}",
            "response": f"**{_WORDS[n % len(_WORDS)]}** 그랬군요 {n}",
            "meta": {"system": "AB"[n % 2], "week": n % 20},
        }
        for n in range(count)
    )
    (folder / "items.jsonl").write_bytes(b"\n".join(map(orjson.dumps, lines)))
    study.add([folder / "items.jsonl"])
    raters = (("kim", "human"), ("a", "ai"))
    for place, (rater, kind) in enumerate(raters):
        ids = pl.Series("item", [f"d{n}" for n in range(count)])
        parts = [
            pl.DataFrame({"item": ids, "criterion": name, "rater": rater, "kind": kind})
            .with_columns(((pl.int_range(count) * (place + 3) // 7 + k) % 2).cast(pl.String).alias("value"))
            for k, name in enumerate(("sensibleness", "specificity", "sympathy"))
        ]  # fmt: skip
        pl.concat(parts).write_parquet(folder / f"{rater}.parquet")
    study.import_ratings([folder / f"{rater}.parquet" for rater, _ in raters])
    return study


def _ask(full: Study, empty: Study, count: int, rounds: int) -> dict[str, list[Taken]]:
    times: dict[str, list[Taken]] = {"empty page": [], **{what: [] for what in _PAGES}}
    ports = {id(study): free_port() for study in (full, empty)}

    def served(study: Study) -> AbstractContextManager[int]:
        command = ["-m", "haechi.cli.start", "serve", str(study.folder), "--port", str(ports[id(study)])]
        return running(command, f"http://127.0.0.1:{ports[id(study)]}/api/health")

    with served(full) as full_server, served(empty) as empty_server:
        clients = {}
        for study in (full, empty):
            with study.database.write() as connection:
                token = invite(connection, "owner", "bench", 1)
            client = httpx.Client(
                base_url=f"http://127.0.0.1:{ports[id(study)]}", timeout=300, follow_redirects=True
            )
            client.get(f"/enter/{token}")
            clients[id(study)] = client
        began = time.perf_counter()
        clients[id(full)].get("/owner/browse?q=우산을").raise_for_status()
        print(f"the first page, figures and texts read: {time.perf_counter() - began:.1f} s")
        clients[id(empty)].get("/owner/browse").raise_for_status()
        for turn in range(rounds):
            times["empty page"].append(_timed(clients[id(empty)], "/owner/browse", empty_server))
            for what, query in _PAGES.items():
                if what in (_AFTER, _SORTED_AFTER):
                    _rate(full, (turn * 31 + (what == _AFTER)) % count, turn)
                asked = query.format(page=turn * 7 + 1, item=turn * (count // rounds) + 1)
                times[what].append(_timed(clients[id(full)], f"/owner/browse{asked}", full_server))
    return times


def _rate(study: Study, item: int, turn: int) -> None:
    """Somebody rates an item meanwhile."""
    rating = Rating(f"d{item}", "sympathy", "lee", "human", str(turn % 2))
    with study.database.write() as connection:
        append_ratings(
            connection, [("bench", rating)], study.rubric.version, f"bench-{item}-{turn}", correct=True
        )


def _timed(client: httpx.Client, path: str, server: int) -> Taken:
    before, began = cpu_of(server), time.perf_counter()
    client.get(path).raise_for_status()
    return Taken(time.perf_counter() - began, cpu_of(server) - before)
