"""Scores and ratings for other tools: one file and one line here for each format."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from haechi.export.benchmarks import write_healthbench, write_rewards
from haechi.export.evaluations import ExportResult
from haechi.export.huggingface import write_dataset
from haechi.export.langfuse import write_scores
from haechi.export.otel import write_events
from haechi.export.trl import write_preferences
from haechi.study.study import Study

FORMATS: dict[str, Callable[[Study, Path], ExportResult]] = {
    "langfuse": write_scores,
    "otel": write_events,
    "hf": write_dataset,
    "trl": write_preferences,
    "healthbench": write_healthbench,
    "rar": write_rewards,
}
"""What `haechi export --as` takes."""
