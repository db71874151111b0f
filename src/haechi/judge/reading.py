"""Who reads files of replies: this process, or the workers of a cluster. Both do the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

from haechi.cluster.engine import Engine
from haechi.errors import Problem
from haechi.judge.providers.results import Provider
from haechi.judge.results import Judged, Noted, Raters, chosen_replies, note_replies
from haechi.rubrics import Rubric


class Here:
    """Reads one file after the other."""

    def __init__(self, files: list[Path]) -> None:
        self._files = files

    def notes(
        self, provider: Provider, rubric: Rubric, rater: str | None
    ) -> Iterator[Iterable[Noted | Problem]]:
        """What has to be known of the replies of each file."""
        return (note_replies(path, provider, rubric, rater) for path in self._files)

    def replies(self, raters: list[Raters], provider: Provider, rubric: Rubric) -> Iterator[Iterable[Judged]]:
        """The replies of each file that were chosen."""
        both = zip(self._files, raters, strict=True)
        return (chosen_replies(path, chosen, provider, rubric) for path, chosen in both)


class There:
    """Lets every worker read a file; they come back in the order of the files."""

    def __init__(self, files: list[Path], engine: Engine) -> None:
        self._files, self._engine = [path.absolute() for path in files], engine
        engine.check_inputs(self._files)

    def notes(
        self, provider: Provider, rubric: Rubric, rater: str | None
    ) -> Iterator[Iterable[Noted | Problem]]:
        """What has to be known of the replies of each file."""
        read = partial(_notes, provider=provider, rubric=rubric, rater=rater)
        return self._engine.in_order(self._engine.map(read, self._files))

    def replies(self, raters: list[Raters], provider: Provider, rubric: Rubric) -> Iterator[Iterable[Judged]]:
        """The replies of each file that were chosen."""
        read = partial(_replies, provider=provider, rubric=rubric)
        return self._engine.in_order(self._engine.map(read, self._files, raters))


def _notes(path: Path, provider: Provider, rubric: Rubric, rater: str | None) -> list[Noted | Problem]:
    return list(note_replies(path, provider, rubric, rater))


def _replies(path: Path, raters: Raters, provider: Provider, rubric: Rubric) -> list[Judged]:
    return list(chosen_replies(path, raters, provider, rubric))
