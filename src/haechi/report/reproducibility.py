"""The block of a report that lets others repeat its figures."""

from __future__ import annotations

import hashlib
import platform
from importlib.metadata import version
from io import BytesIO

from haechi.analysis.analysis import Analysis
from haechi.analysis.judge_records import judge_records, prompts_digest
from haechi.report.words import said
from haechi.version import __version__

_LIBRARIES = ("numpy", "polars")


def reproducibility(figures: Analysis) -> tuple[tuple[str, str], ...]:
    """Hashes of what went in and versions of what computed."""
    ratings = BytesIO()
    figures.ratings.sort(figures.ratings.columns).write_csv(ratings)
    libraries = ", ".join(f"{name} {version(name)}" for name in _LIBRARIES)
    files = figures.study.sources()
    rows = [
        *((said("파일", "file"), f"{one.name} · {one.date} · SHA-256 {one.sha256}") for one in files),
        (said("루브릭", "rubric"), figures.rubric.reference),
        (said("항목 SHA-256", "items, SHA-256"), figures.study.items_digest()),
        (
            said("평가 SHA-256", "ratings, SHA-256"),
            hashlib.sha256(ratings.getbuffer()).hexdigest(),
        ),
    ]
    asked = [record for record in judge_records(figures.study) if record.prompts]
    if asked:
        name = said("보낸 지시문 SHA-256(앞 16자리)", "the prompts sent, SHA-256 (first 16 digits)")
        rows.append((name, prompts_digest(asked)))
    rows += [
        (said("난수 시드", "random seed"), str(figures.seed)),
        ("haechi", __version__),
        ("Python", f"{platform.python_version()}, {libraries}"),
    ]
    return tuple(rows)
