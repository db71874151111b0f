"""The first pass over a part of the runs, as it happens in a process of its own."""

from __future__ import annotations

import gc
import signal
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from haechi.errors import HaechiError, Problem
from haechi.scoring.runs import consistency
from haechi.scoring.runs.measure import Rules, measure
from haechi.scoring.runs.parts import Part

Counts = pl.DataFrame


def prepare_worker() -> None:
    """Set up a process that does nothing but tasks."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C stops the parent, which stops its workers
    gc.set_threshold(
        200_000
    )  # parsed payloads hold no cycles, and looking for them takes a tenth of the time


@dataclass(frozen=True)
class Task:
    """A part to measure, and the beginning of the names of its files."""

    part: Part
    rules: Rules
    target: Path

    def run(self) -> Counts:
        """Write the measures, and return the counts of the part."""
        counted = [consistency.NONE]
        for number, batch in enumerate(self.part.batches()):
            measures = measure(batch, self.rules)
            measures.write_ipc(f"{self.target}-{number:06d}.arrow", compression="lz4")
            counted.append(consistency.counts(measures))
        return consistency.merge(counted)

    def attempt(self) -> Counts | tuple[Problem, ...]:
        """The counts, or what is wrong with the input: problems travel between processes, errors do not."""
        try:
            return self.run()
        except HaechiError as error:
            return error.problems
