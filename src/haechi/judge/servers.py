"""What a model or its server does not take is found out once, and remembered in the study."""

from __future__ import annotations

from typing import Any

import orjson

from haechi.judge.providers.base import Client
from haechi.judge.providers.models import Model
from haechi.store.database import Database, now


def recall(database: Database, model: Model, client: Client) -> str | None:
    """Let a client speak as it was understood the last time; says since when that is known."""
    speaker: Any = client
    if getattr(client, "spoken", None) is None:
        return None
    with database.read() as connection:
        query = "SELECT dialect, at FROM servers WHERE address = :address AND model = :model"
        found = connection.row(query, address=model.address, model=model.name)
    if found is None:
        return None
    speaker.speak(orjson.loads(found.dialect))
    return str(found.at)


async def prepare(database: Database, model: Model, client: Client) -> None:
    """As `recall`; a server that is named by its address and new is asked what it can do."""
    speaker: Any = client
    if recall(database, model, client) is None and model.is_elsewhere and hasattr(client, "probe"):
        await speaker.probe()


def remember(database: Database, model: Model, client: Client) -> None:
    """Note what was found out."""
    speaker: Any = client
    if getattr(client, "spoken", None) is None or not (model.is_elsewhere or speaker.learnt):
        return
    with database.write_alone() as connection:
        connection.execute(
            """INSERT INTO servers (address, model, dialect, at) VALUES (:address, :model, :dialect, :at)
            ON CONFLICT (address, model) DO UPDATE SET dialect = excluded.dialect, at = excluded.at
            WHERE servers.dialect <> excluded.dialect""",
            address=model.address,
            model=model.name,
            dialect=orjson.dumps(speaker.spoken).decode(),
            at=now(),
        )
