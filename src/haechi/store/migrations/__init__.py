"""Numbered migrations: each is applied once, in order, and never edited after a release."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


class Migration(NamedTuple):
    """One step of the schema."""

    number: int
    name: str
    statements: tuple[str, ...]


def migrations(dialect: str) -> list[Migration]:
    """All migrations for a database dialect, in order.

    >>> [migration.number for migration in migrations("sqlite")][:1]
    [1]
    """
    identity, octets = {
        "sqlite": ("INTEGER PRIMARY KEY AUTOINCREMENT", "BLOB"),
        "postgresql": ("BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY", "BYTEA"),
    }[dialect]
    found = []
    for path in sorted(Path(__file__).parent.glob("[0-9]*.sql")):
        # A file named 0002_x.sqlite.sql or 0002_x.postgresql.sql is for that dialect only.
        stem, _, only = path.name.removesuffix(".sql").partition(".")
        if only and only != dialect:
            continue
        number, _, name = stem.partition("_")
        text = "\n".join(line for line in path.read_text("utf-8").splitlines() if not line.startswith("--"))
        parts = text.replace("{identity}", identity).replace("{bytes}", octets).split(";\n\n")
        found.append(Migration(int(number), name, tuple(p.strip().rstrip(";") for p in parts if p.strip())))
    return found
