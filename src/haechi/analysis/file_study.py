"""Files as a study, for as long as somebody looks at them: every figure comes from a study, whatever was given."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from haechi.data.fields import EVERYTHING, Where, split_fields
from haechi.data.sources import Source, SourceFile, StudySources, files_of
from haechi.data.tables import AS_FOUND, TableReading
from haechi.errors import HaechiError
from haechi.rubrics import Rubric, find_rubric
from haechi.scoring.given_rubric import for_study, need_rubric
from haechi.scoring.run_tables import name_of_all, no_runs
from haechi.scoring.sources import one_table, selected_ratings, table_meta
from haechi.store.folder import is_study
from haechi.store.imports import file_hash
from haechi.study.study import Study
from haechi.text import Text, readable


@contextmanager
def study_of(
    targets: Sequence[str | Path],
    rubric: str | Path | None = None,
    by: Sequence[str] = (),
    where: Where | None = None,
    reading: TableReading = AS_FOUND,
) -> Iterator[Study]:
    """The study that is meant: a folder that is one, or what `haechi score` takes instead, with a rubric.

    A study of files is gone when nobody looks at it any more. `by` and `where` name further columns of a ratings table
    that are needed, `reading` says how files are to be read. A table that `haechi score` refuses is refused here in the
    same words.

    >>> file = Path(tempfile.mkdtemp()) / "ratings.csv"
    >>> _ = file.write_text("item,rater,sympathy\\nd1,kim,1\\nd2,kim,0\\n", "utf-8")
    >>> with study_of([file], "diary-comment") as study:
    ...     study.name, study.count_items(), study.ratings().height
    ('ratings.csv', 2, 2)
    """
    if len(targets) == 1 and is_study(Path(targets[0])):
        study = Study(targets[0])
        for_study(study.rubric, study.place, rubric)
        yield study
        return
    _refuse_studies(targets)
    given = str(need_rubric(rubric, str(targets[0])))
    checked, paths = find_rubric(given), files_of(targets)
    if checked.item != "run":
        paths = [one_table(paths, str(targets[0]))]
    files = _on_disk(paths)
    with tempfile.TemporaryDirectory(prefix="haechi-") as folder:
        study = Study.new(Path(folder) / name_of_all(paths), given)
        if checked.item == "run":
            _add_runs(study, files, reading)
        else:
            wished = [*(f for one in by for f in split_fields(one)), *(where or {})]
            _add_ratings(study, files[0], checked, wished, reading)
        place = str(files[0]) if len(files) == 1 else study.name
        study.made_of = StudySources(place, tuple(_source_file(file) for file in files), Path(given).name)
        try:
            yield study
        finally:
            study.database.close()


def _add_runs(study: Study, files: Sequence[Path], reading: TableReading) -> None:
    study.add(files, reading=reading)
    if not study.count_items():
        raise no_runs(study.name)


def _add_ratings(
    study: Study, file: Path, rubric: Rubric, wished: Sequence[str], reading: TableReading
) -> None:
    ratings, _ = selected_ratings(file, rubric, EVERYTHING, wished, reading=reading, clusters=True)
    study.import_ratings(file, reading=reading)
    meta = table_meta(file, ratings)
    if meta.width > 1:
        study.join(meta.rename({"item": "id"}))


def _source_file(file: Path) -> SourceFile:
    changed = datetime.fromtimestamp(file.stat().st_mtime).astimezone()
    return SourceFile(readable(file.name), file_hash(file), f"{changed:%Y-%m-%d}")


def _refuse_studies(targets: Sequence[str | Path]) -> None:
    studies = [str(target) for target in targets if is_study(Path(target))]
    if studies:
        found = Text(
            f"{len(targets):,}개 중 스터디 {len(studies):,}개",
            f"{len(studies):,} of {len(targets):,} are studies",
        )
        expected = Text("스터디 하나, 또는 파일만", "one study, or files only")
        todo = Text(
            "haechi add나 haechi import로 스터디에 모으세요",
            "bring them together in a study with haechi add or haechi import",
        )
        raise HaechiError.of(studies[0], found, expected, todo)


def _on_disk(paths: Sequence[Source]) -> list[Path]:
    """The files; those in S3 are for `haechi score`, which reads them piece by piece."""
    for path in paths:
        if isinstance(path, str):
            expected = Text("이 기계에 있는 파일", "files on this machine")
            todo = Text("파일을 내려받아 쓰세요", "download the files first")
            raise HaechiError.of(path, "S3", expected, todo)
    return [Path(path) for path in paths]
