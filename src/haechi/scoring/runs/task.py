"""The first pass over a part of the runs, as it happens in a process of its own."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from haechi.frozen import frozen
from haechi.scoring.runs import consistency
from haechi.scoring.runs.labels import LabelRules
from haechi.scoring.runs.measure import measure
from haechi.scoring.runs.parts import RunPart


@frozen
class Task:
    """A part to measure, and the beginning of the names of its files."""

    part: RunPart
    rules: LabelRules
    target: Path

    def run(self) -> pl.DataFrame:
        """Write the measures, and return the counts of the part."""
        counted = [consistency.NONE]
        for number, batch in enumerate(self.part.batches()):
            measures = measure(batch, self.rules)
            measures.write_ipc(f"{self.target}-{number:06d}.arrow", compression="lz4")
            counted.append(consistency.counts(measures))
        return consistency.merge(counted)
