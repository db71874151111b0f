"""What may stand where a study is asked for: a ratings table or files of agent runs, with `--rubric`."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from haechi.cli.field_options import where_of
from haechi.cli.output import Output
from haechi.cli.reading_options import add_table, reading_of_file
from haechi.errors import HaechiError
from haechi.text import Text

if TYPE_CHECKING:
    from haechi.data.item import Item
    from haechi.data.tables import TableReading
    from haechi.rubrics import Rubric
    from haechi.study.scores import StoredStudy


def add_targets(parser: argparse.ArgumentParser, about: Text) -> None:
    """The arguments that name a study or files, the rubric of files, and how they are to be read."""
    parser.add_argument("targets", metavar="DIR|FILE", nargs="+", help=about.say())
    parser.add_argument(
        "--rubric", metavar="ID|FILE", help=Text("파일을 채점할 루브릭", "the rubric, for a file").say()
    )
    add_table(parser)


@contextmanager
def chosen_study(chosen: argparse.Namespace, output: Output) -> Iterator[StoredStudy]:
    """The study that is named, or one of the files that are; with a word about what they hold that does not count."""
    from haechi.store.folder import is_study

    if len(chosen.targets) == 1 and is_study(Path(chosen.targets[0])):
        from haechi.scoring.given_rubric import for_study
        from haechi.study.scores import StoredStudy

        study = StoredStudy(chosen.targets[0])
        reading_of_file(chosen, chosen.targets[0])
        for_study(study.rubric, study.place, chosen.rubric)
        yield study
        return
    from haechi.analysis.file_study import study_of  # and all that makes studies
    from haechi.scoring.score_table import floors_not_applied

    fields = [*chosen.by, *([] if chosen.cluster_by in (None, "none") else [chosen.cluster_by])]
    reading = reading_of_file(chosen, chosen.targets[0])
    with study_of(chosen.targets, chosen.rubric, fields, where_of(chosen), reading) as made:
        for text in (*about_files(chosen.targets, made.rubric, reading), *floors_not_applied(made.rubric)):
            output.note(text)
        yield made


def about_files(targets: Sequence[str], rubric: Rubric, reading: TableReading | None = None) -> list[Text]:
    """What the files hold that does not count, or does not count twice; who says how a table is to be read knows it."""
    from haechi.data.sources import S3, files_of
    from haechi.data.tables import AS_FOUND
    from haechi.data.unread_columns import unread_scores
    from haechi.store.folder import is_study

    places = [str(Path(target).resolve()) for target in targets]
    twice = [target for target, place in zip(targets, places, strict=True) if places.count(place) > 1]
    remarks = [
        Text(f"{name}: 두 번 적혀 있어 한 번만 셉니다.", f"{name}: named twice, counted once.")
        for name in dict.fromkeys(twice)
    ]
    if rubric.item == "run" and not is_study(Path(targets[0])) and reading in (None, AS_FOUND):
        here = [target for target in targets if not target.startswith(S3)]  # S3 is not asked twice
        remarks += unread_scores(files_of(here), rubric)
    return remarks


def runs_of(targets: Sequence[str | Path], reading: TableReading | None = None) -> Iterator[Item]:
    """The agent runs of a study, or of files on this machine."""
    from haechi.data.sources import files_of
    from haechi.data.tables import AS_FOUND
    from haechi.scoring.run_sources import run_items
    from haechi.store.folder import is_study

    if is_study(Path(targets[0])):
        from haechi.study.scores import StoredStudy

        study = StoredStudy(targets[0])
        if study.rubric.item != "run":
            raise HaechiError.of(
                str(targets[0]),
                study.rubric.id,
                Text("에이전트 실행의 스터디나 실행 기록 파일", "a study of agent runs, or a file of runs"),
                Text(
                    "hiring-agent처럼 에이전트 실행을 평가하는 스터디를 주세요",
                    "give a study that judges agent runs, such as one of hiring-agent",
                ),
            )
        return study.items()
    files = (file for file in files_of(targets) if not isinstance(file, str))
    return (item for file in files for item in run_items(file, reading or AS_FOUND))
