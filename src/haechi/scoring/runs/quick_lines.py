"""The quick way through lines of JSON: by the kernel in C, where each has the keys of the first in the same order."""

from __future__ import annotations

from typing import Any

import orjson
import polars as pl

from haechi.scoring.runs import compiled
from haechi.scoring.runs.columns import FIELDS, RunReading, keys_of, runs_of

_KINDS = {"latency_ms": "n", "payload": "j"}
"""Of a key whose field is not among these a text is wanted."""
_NOTHING = "-"
_LARGE, _MOST_KEYS = 64 * 1024 * 1024, 256


def read_lines(block: bytes, reading: RunReading) -> pl.DataFrame | None:
    """The runs of some lines in UTF-8; None if there is anything unusual, which somebody else has to name.

    >>> from haechi.scoring.run_sources import run_names, run_shape
    >>> lines = b'{"queryId": "q1", "rawJson": {}, "latency_ms": 5}\\n' * 2
    >>> runs = read_lines(lines, RunReading(run_names, run_shape))
    >>> [] if runs is None else runs.select("query", "payload", "latency_ms").rows()
    [('q1', '{}', 5.0), ('q1', '{}', 5.0)]
    """
    shape = _keys_of_first(block)
    keys = keys_of(shape, reading) if shape else None
    if compiled.kernel is None or keys is None or not _is_utf8(block):
        return None
    wanted: dict[str, str] = {}
    for field, key in zip((*FIELDS, *reading.keep), keys, strict=True):
        if key is not None and wanted.setdefault(key, _KINDS.get(field, "t")) != _KINDS.get(field, "t"):
            return None  # one key for two fields of different kinds
    kinds = "".join(wanted.get(key, _NOTHING) for key in shape)
    found = compiled.kernel.read_lines(block, tuple(key.encode() for key in shape), kinds.encode())
    if found is None:
        return None
    columns = dict(zip((key for key in shape if key in wanted), found, strict=True))
    height = len(found[0])
    typed = {key: _column(values, wanted[key]) for key, values in columns.items()}
    absent = pl.Series(values=[None], dtype=pl.Null).new_from_index(0, height)
    return runs_of((absent if key is None else typed[key] for key in keys), reading)


def _keys_of_first(block: bytes) -> tuple[str, ...]:
    """The keys of the first record; none if it is odd."""
    try:
        record = orjson.loads(block[: block.find(b"\n") + 1 or None]) if len(block) < _LARGE else None
    except orjson.JSONDecodeError:
        return ()
    return tuple(record) if type(record) is dict and len(record) <= _MOST_KEYS else ()


def _is_utf8(block: bytes) -> bool:
    """Whether it is, told by polars, which looks at many bytes at once."""
    try:
        pl.Series([block], dtype=pl.Binary).cast(pl.String)
    except pl.exceptions.ComputeError:
        return False
    return True


def _column(values: list[Any], kind: str) -> pl.Series:
    if kind == "n":
        return pl.Series(values=values, dtype=pl.Float64)
    return pl.Series(values=values, dtype=pl.Binary).cast(pl.String)
