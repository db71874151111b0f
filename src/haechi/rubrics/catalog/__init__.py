"""The built-in instruments, one YAML file each."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from haechi.errors import HaechiError
from haechi.rubrics.model import Rubric
from haechi.rubrics.reading import read_rubric
from haechi.text import Text, did_you_mean

_FOLDER = Path(__file__).parent


def builtin_ids() -> tuple[str, ...]:
    """The ids of the built-in instruments.

    >>> builtin_ids()
    ('diary-comment', 'diary-duel', 'hiring-agent', 'maice-qac', 'own-criteria', 'ubica')
    """
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.yaml")))


def builtin_text(identifier: str) -> str:
    """The YAML text of a built-in instrument."""
    return (_FOLDER / f"{identifier}.yaml").read_text("utf-8")


def find_rubric(id_or_path: str | Path | Rubric) -> Rubric:
    """A built-in instrument by id, or the user's own rubric file by path; a rubric is itself.

    >>> find_rubric("diary-comment").score_names
    ('sensibleness', 'specificity', 'sympathy', 'ssa', 'mean3')
    """
    if isinstance(id_or_path, Rubric):
        return id_or_path
    if str(id_or_path) in builtin_ids():
        return _builtin(str(id_or_path))
    path = Path(id_or_path)
    # A name without a folder and an ending; a path may be too long to be looked for.
    todo = did_you_mean(path.name, builtin_ids()) if str(path) == path.name and not path.suffix else None
    if todo and not path.exists():
        expected = Text("내장 루브릭의 이름 또는 YAML 파일", "the id of a built-in rubric, or a YAML file")
        raise HaechiError.of(str(path), Text("그런 루브릭이 없음", "no such rubric"), expected, todo)
    return read_rubric(path)


@cache
def _builtin(identifier: str) -> Rubric:
    # Only these are kept: a user's own file may change while the process runs.
    return read_rubric(_FOLDER / f"{identifier}.yaml")
