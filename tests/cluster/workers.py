"""What tests do to workers."""

from __future__ import annotations

import os
from typing import Any

from haechi.cluster.engine import Engine


def process_ids(engine: Engine) -> list[int]:
    """The processes of the workers."""
    found: dict[str, Any] = engine._client.run(os.getpid)
    return list(found.values())
