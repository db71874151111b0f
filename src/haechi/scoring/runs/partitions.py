"""The two passes of `scoring.run_pipeline`, cut into tasks that any machine can run: what they leave behind is on a shared disk.

Every task may be run twice, by a second worker after the first has died or has only seemed to: it writes under a
name of its own and renames, so that a result is there whole or not at all, and the second is as good as the first.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import polars as pl

from haechi.cluster.hashing import stable_hashes
from haechi.data.atomic_files import temporary_name
from haechi.data.duplicates import Hashes, repeated_numbers, with_hashes
from haechi.frozen import frozen
from haechi.scoring.runs import consistency
from haechi.scoring.runs.labels import LabelRules
from haechi.scoring.runs.parts import RunPart
from haechi.scoring.runs.task import Task

MOST_PARTITIONS = 1024
PARTS_TO_A_PARTITION = (
    8  # some 250,000 runs of Parquet: seconds of work against milliseconds of the scheduler
)
WORTH_DIVIDING = 64  # as long as there are fewer partitions, all cores of a small cluster count for more
PARTS_TO_A_BUCKET = 128
MOST_BUCKETS = 64


@frozen
class Partition:
    """Consecutive parts of the runs that one task measures; `measures` is where their measures are put aside."""

    number: int
    parts: tuple[RunPart, ...]
    measures: Path


@frozen
class BucketPiece:
    """What a partition gives to a bucket: counts of the bucket's queries, and hashes of the bucket's run ids."""

    counts: pl.DataFrame
    items: Hashes


def parts_to_a_partition(parts: int, most: int = MOST_PARTITIONS) -> int:
    """How many parts a partition has; it depends on the input alone, not on the number of workers.

    >>> [parts_to_a_partition(parts) for parts in (13, 306, 3_052, 30_518)]
    [1, 5, 9, 30]
    """
    wished = min(most, max(WORTH_DIVIDING, parts // PARTS_TO_A_PARTITION))
    return -(-parts // wished) or 1


def partitions_of(parts: Sequence[RunPart], folder: Path, most: int = MOST_PARTITIONS) -> list[Partition]:
    """Divide the parts evenly, in their order.

    >>> [len(one.parts) for one in partitions_of([None] * 7, Path("x"), most=3)]
    [3, 3, 1]
    """
    step = parts_to_a_partition(len(parts), most)
    cuts = range(0, len(parts), step)
    return [
        Partition(number, tuple(parts[start : start + step]), folder / f"{number:06d}")
        for number, start in enumerate(cuts)
    ]


def buckets_for(parts: int) -> int:
    """So many buckets that the counts in each fit into a worker's memory: of four million runs, or a 64th of all."""
    return min(MOST_BUCKETS, max(2, -(-parts // PARTS_TO_A_BUCKET)))


def measure_partition(partition: Partition, rules: LabelRules, buckets: int) -> list[BucketPiece]:
    """Measure the runs, unless that was done already, and give every bucket what belongs to it."""
    if not partition.measures.is_dir():
        with whole_folder(partition.measures) as folder:
            for number, part in enumerate(partition.parts):
                Task(part, rules, folder / f"{number:08d}").run()
    counted, hashes = [consistency.NONE], [np.empty(0, dtype=np.uint64)]
    for file in sorted(partition.measures.iterdir()):
        measures = pl.read_ipc(file, columns=["item", "query", "version", "label", "signature", "tool_class"])
        counted.append(consistency.counts(measures))
        hashes.append(stable_hashes(measures["item"]))
    counts = _by_bucket(consistency.merge(counted), buckets)
    items = np.concatenate(hashes)
    return [BucketPiece(counts[bucket], items[items % buckets == bucket]) for bucket in range(buckets)]


def _by_bucket(counted: pl.DataFrame, buckets: int) -> list[pl.DataFrame]:
    queries = counted["query"].unique()
    bucket = pl.Series("bucket", stable_hashes(queries) % buckets, pl.Int64)
    placed = counted.join(pl.DataFrame([queries, bucket]), on="query")
    return [placed.filter(pl.col("bucket") == number).drop("bucket") for number in range(buckets)]


def compare_repeats(pieces: Sequence[BucketPiece]) -> list[pl.DataFrame | Hashes]:
    """The ratios of a bucket's queries, for every partition those that it has; at the end the ids that come twice."""
    ratios = consistency.ratios(consistency.merge([consistency.NONE, *(piece.counts for piece in pieces)]))
    found: list[pl.DataFrame | Hashes] = [
        ratios.join(piece.counts.select("query").unique(), on="query", how="semi") for piece in pieces
    ]
    return [*found, repeated_numbers(np.concatenate([piece.items for piece in pieces]))]


def ids_among(partition: Partition, suspect: Hashes) -> list[str]:
    """The ids whose hashes are among the suspects, in the order of the runs."""
    found: list[str] = []
    for file in sorted(partition.measures.iterdir()):
        items = pl.read_ipc(file, columns=["item"])["item"]
        found += with_hashes(items, suspect, stable_hashes).to_list()
    return found


@contextmanager
def whole_folder(target: Path) -> Iterator[Path]:
    """A folder that appears under its name only when it is complete; if another was quicker, that one stays."""
    temporary = temporary_name(target)
    temporary.mkdir()  # without its parents: a task that was given up must not bring back what was removed
    try:
        yield temporary
        try:
            temporary.rename(target)
        except OSError:
            if not target.is_dir():
                raise
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
