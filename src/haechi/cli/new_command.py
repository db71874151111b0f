"""`haechi new`: make a study."""

from __future__ import annotations

import argparse
from pathlib import Path

from haechi.cli.output import Output
from haechi.text import Text, first_few, quoted

DESCRIPTION = Text(
    "스터디를 만듭니다. study.yaml과 데이터베이스가 한 폴더에 담깁니다.",
    "Make a study: study.yaml and a database in one folder.",
)
EXAMPLE = """
haechi new tutoring --rubric maice-qac
haechi new luna --rubric ubica --assistant-name 루나 --user-name 시청자
haechi new mine --rubric my-rubric.yaml
"""
_SHOWN = 5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("folder", metavar="DIR", help=Text("새 폴더", "a new folder").say())
    rubric = Text("내장 루브릭의 이름 또는 루브릭 파일", "the id of a built-in rubric, or a rubric file")
    parser.add_argument("--rubric", required=True, metavar="ID|FILE", help=rubric.say())
    assistant = Text("문항의 [인공지능] 자리에 넣을 이름", "the name that stands for [인공지능] in questions")
    parser.add_argument("--assistant-name", metavar="NAME", help=assistant.say())
    user = Text("문항의 [사용자] 자리에 넣을 이름", "the name that stands for [사용자] in questions")
    parser.add_argument("--user-name", metavar="NAME", help=user.say())
    title = Text("보고서의 제목 (기본: 루브릭의 제목)", "title of the report (default: the rubric's)")
    parser.add_argument("--title", metavar="TITLE", help=title.say())
    database = Text(
        "빈 PostgreSQL 데이터베이스의 주소 (기본: 폴더 안의 SQLite)",
        "the address of an empty PostgreSQL database (default: SQLite in the folder)",
    )
    parser.add_argument("--database", metavar="URL", help=database.say())


def run(chosen: argparse.Namespace, output: Output) -> int:
    """Run the command."""
    from haechi.study.study import Study

    folder = Path(chosen.folder)
    others = sorted({path.name for path in folder.iterdir()} - {"study.db"}) if folder.is_dir() else []
    called = (chosen.assistant_name, chosen.user_name)
    study = Study.new(chosen.folder, chosen.rubric, *called, chosen.database, chosen.title)
    if output.as_json:
        output.result(
            {"study": str(study.folder), "rubric": study.rubric.id, "version": study.rubric.version}
        )
        return 0
    output.say(f"✓ {study.folder}  ({study.rubric.reference})")
    if others:
        names = first_few(others, _SHOWN)
        output.note(
            Text(
                f"폴더에 다른 파일이 있습니다: {names}. 그대로 두었고, 스터디에 넣으려면 haechi add로 더하세요.",
                f"The folder has other files: {names}. They stay as they are; haechi add brings them into the study.",
            )
        )
    output.note(
        Text(f"다음: haechi add {quoted(study.folder)} 파일", f"next: haechi add {quoted(study.folder)} FILE")
    )
    return 0
