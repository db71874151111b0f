"""What a server at an address understands is found out once, and remembered in the study."""

from __future__ import annotations

from dataclasses import asdict

import orjson

from haechi.judge.providers.base import Client
from haechi.judge.providers.dialect import Dialect
from haechi.judge.providers.models import Model
from haechi.store.database import Database, now


async def recall(database: Database, model: Model, client: Client) -> None:
    """Let a client speak as the server understood it the last time; one that is new is asked what it can do."""
    if getattr(client, "dialect", None) is None or not model.is_elsewhere:
        return
    with database.read() as connection:
        query = "SELECT dialect FROM servers WHERE address = :address AND model = :model"
        found = connection.value(query, address=model.address, model=model.name)
    if found is not None:
        client.dialect = Dialect(**orjson.loads(found))  # type: ignore[attr-defined]
    else:
        await client.probe()  # type: ignore[attr-defined]


def remember(database: Database, model: Model, client: Client) -> None:
    """Note what was found out."""
    dialect = getattr(client, "dialect", None)
    if dialect is not None and model.is_elsewhere:
        with database.write_alone() as connection:
            connection.execute(
                """INSERT INTO servers (address, model, dialect, at) VALUES (:address, :model, :dialect, :at)
                ON CONFLICT (address, model) DO UPDATE SET dialect = excluded.dialect, at = excluded.at
                WHERE servers.dialect <> excluded.dialect""",
                address=model.address,
                model=model.name,
                dialect=orjson.dumps(asdict(dialect)).decode(),
                at=now(),
            )
