"""Commands in processes of their own that start at once: the SDKs are imported before they fork."""

from __future__ import annotations

import multiprocessing
import os
import sys
from multiprocessing.process import BaseProcess
from typing import Any

_FORKS: Any = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(
    [
        "haechi.study.study",
        "haechi.judge.judges",
        "haechi.cli.judge_command",
        "haechi.cli.collect_command",
        "httpx2",
        "openai",
        "anthropic",
        "google.genai",
        "openai.resources.chat.completions",
        "openai.resources.batches",
        "openai.resources.files",
        "anthropic.resources.messages.batches",
        "httpcore2",
        "h11",
        "anyio._backends._asyncio",
        "rich.console",
    ]
)


def start(arguments: list[str], environment: dict[str, str]) -> BaseProcess:
    """Start `haechi` with these arguments."""
    process: BaseProcess = _FORKS.Process(target=_run, args=(arguments, environment))
    process.start()
    return process


def _run(arguments: list[str], environment: dict[str, str]) -> None:
    os.environ.update(environment)
    sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - it ends with the process
    from haechi.cli.start import main
    from haechi.judge import batch, lost_batches

    lost_batches.LATE = 1.0  # our server lists every batch at once
    batch.RENEWED_EVERY = lost_batches.RENEWED_EVERY = 1.0  # and who is killed is known to be dead soon
    sys.exit(main(arguments))
