"""The coefficients that are told: our own, and those that installed packages bring.

A package brings one by an entry point in the group `haechi.coefficients` that leads to a `Coefficient`; its name is the
key in JSON and of gates (`agree.total.NAME`).
"""

from __future__ import annotations

from dataclasses import replace

from haechi.plugins.registry import Registry, not_a
from haechi.stats.coefficients import OWN, Coefficient

COEFFICIENTS = Registry[Coefficient](
    "haechi.coefficients",
    OWN,
    not_a(Coefficient),
    lambda one, guard: replace(one, compute=guard.of(one.compute)),
)


def in_tables() -> dict[str, Coefficient]:
    """The coefficients that tables show and gates can name.

    >>> list(in_tables())[:2]
    ['cronbach_alpha', 'krippendorff_alpha']
    """
    return {name: one for name, one in COEFFICIENTS.all().items() if one.in_tables}
