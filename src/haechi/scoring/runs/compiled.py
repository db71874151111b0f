"""The kernel in C, or None where no compiler was at hand: then the readers in Python read everything."""

from __future__ import annotations

from typing import Any

kernel: Any
try:
    import haechi.scoring._kernel as kernel
except ImportError:
    kernel = None
