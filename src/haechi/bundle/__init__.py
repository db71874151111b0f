"""A study in one file that anybody can compute again: packed here, replayed there."""

from __future__ import annotations

from haechi.bundle.pack import pack
from haechi.bundle.replay import Difference, Replayed, replay

__all__ = ["Difference", "Replayed", "pack", "replay"]
