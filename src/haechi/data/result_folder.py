"""A folder of results that many machines write: it appears under its name when everything is in it, and only then.

Until then the work is done in `NAME.unfinished` beside it, with a note of what is being done. The same command
finds the note and goes on; another command does not mix its results with these.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

import orjson

from haechi.data.atomic_files import whole_file
from haechi.data.writing import WRITERS
from haechi.errors import HaechiError
from haechi.text import Text

_NOTE, _SUMMARY = "job.json", "summary.json"
_TRIES = 3  # a task that was given up may write a last file while its folder is removed


class ResultFolder:
    """Where a job works and where its results go; without a target the results are not kept.

    Such a job works in a temporary folder, or in one `beside` a path that all machines see.

    >>> folder = ResultFolder(Path(tempfile.mkdtemp()) / "out", {"rubric": "x"})
    >>> folder.open()
    >>> _ = (folder.results / "part.txt").write_text("done")
    >>> folder.finish({"n": 1})
    >>> folder.close()
    >>> sorted(file.name for file in folder.target.iterdir()), folder.work.exists()
    (['job.json', 'part.txt', 'summary.json'], False)
    >>> ResultFolder(folder.target, {"rubric": "x"}).finished()
    {'n': 1}
    """

    def __init__(self, target: Path | None, job: dict[str, Any], beside: Path | None = None) -> None:
        self.target, self._job = target, orjson.loads(orjson.dumps(job))
        if target is None:
            self.work = Path(tempfile.mkdtemp(prefix="haechi-", dir=beside and beside.absolute().parent))
            return
        if target.suffix.lower() in WRITERS:
            expected = Text("폴더", "a folder")
            todo = Text("-o에 폴더 이름을 쓰세요", "give the name of a folder with -o")
            raise HaechiError.of(f"-o {target}", target.suffix, expected, todo)
        # Workers have their own working directories.
        self.target = target = target.absolute()
        self.work = target.with_name(f"{target.name}.unfinished")

    @property
    def measures(self) -> Path:
        """For what is put aside between two passes."""
        return self.work / "measures"

    @property
    def results(self) -> Path:
        """For what will be in the folder."""
        return self.work / "results"

    @property
    def items(self) -> Path:
        """For single items that are only shown."""
        return self.work / "items"

    def finished(self) -> dict[str, Any] | None:
        """The summary, if this very job was finished before; results of something else are not overwritten."""
        if self.target is None or not self.target.exists() or not any(self.target.iterdir()):
            return None
        if _read(self.target / _NOTE) == self._job and (summary := _read(self.target / _SUMMARY)):
            return summary
        found = Text("다른 내용이 있는 폴더", "a folder with something else in it")
        expected = Text("없거나 빈 폴더", "a folder that is empty or does not exist")
        raise HaechiError.of(
            f"-o {self.target}", found, expected, Text("다른 폴더를 고르세요", "choose another folder")
        )

    def open(self) -> None:
        """Begin, or go on with what the same job has left."""
        note = self.work / _NOTE
        if self.target is not None and self.work.exists() and any(self.work.iterdir()):
            left = _read(note)
            if left is None:
                found = Text("우리가 만들지 않은 폴더", "a folder that is not ours")
                expected = Text("없는 폴더", "no such folder")
                todo = Text("그 폴더를 옮기세요", "move that folder away")
                raise HaechiError.of(str(self.work), found, expected, todo)
            if left != self._job:
                shutil.rmtree(self.work)
        for folder in (self.work, self.measures, self.results, self.items):
            folder.mkdir(parents=True, exist_ok=True)
        with whole_file(note) as temporary:
            temporary.write_bytes(orjson.dumps(self._job, option=orjson.OPT_INDENT_2))

    def finish(self, summary: dict[str, Any]) -> None:
        """Everything is written: let the folder appear."""
        if self.target is None:
            return
        shutil.copy(self.work / _NOTE, self.results / _NOTE)
        (self.results / _SUMMARY).write_bytes(orjson.dumps(summary, option=orjson.OPT_INDENT_2))
        self.results.rename(self.target)

    def close(self) -> None:
        """Remove the place of work, if it is ours."""
        if _read(self.work / _NOTE) is not None:
            for _ in range(_TRIES):
                shutil.rmtree(self.work, ignore_errors=True)


def _read(path: Path) -> dict[str, Any] | None:
    try:
        found = orjson.loads(path.read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return None
    return found if isinstance(found, dict) else None
