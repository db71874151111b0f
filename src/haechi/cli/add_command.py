"""`haechi add`: add items to a study."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

from haechi.cli.output import Output, say_number
from haechi.cli.reading_options import NOTHING_WRITTEN, add_dry_run, add_reading, reading_of, show_proposal
from haechi.text import Text, quoted

if TYPE_CHECKING:
    from haechi.store.items import Added
    from haechi.study.study import Study

DESCRIPTION = Text(
    "평가할 항목(대화, 일기와 코멘트, 에이전트 실행)을 더합니다. 같은 파일을 다시 더해도 달라지지 않습니다.",
    "Add items (dialogues, context and reply, agent runs). Adding the same file again changes nothing.",
)
BRINGING_ROWS = Text("실행을 데이터베이스에 옮겨 적는 중", "bringing the runs into the database")
EXAMPLE = """
haechi add tutoring sessions.jsonl
haechi add diaries comments.csv more.xlsx --skip-bad
haechi add diaries models.xlsx --map response=GPT --map response=Claude --dry-run
haechi add tutoring groups.csv --join
haechi add hiring runs-1.5.csv --agent-version 1.5
haechi add friends KakaoTalk_20261103.txt --assistant 루나
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    from haechi.data.readers import endings

    parser.add_argument("folder", metavar="DIR", help=Text("스터디 폴더", "the study").say())
    parser.add_argument("files", metavar="FILE", nargs="+", help=endings())
    replace = Text(
        "내용이 바뀐 항목을 바꿔 넣음(옛 내용도 보관)",
        "replace items whose content changed (the old is kept)",
    )
    parser.add_argument("--replace", action="store_true", help=replace.say())
    skip = Text("잘못된 줄은 건너뛰고 목록을 보여 줌", "leave out bad rows and list them")
    parser.add_argument("--skip-bad", action="store_true", help=skip.say())
    assistant = Text(
        "대화에서 AI인 사람의 이름(여럿이면 되풀이)", "who the AI is in a chat of named speakers (repeatable)"
    )
    mapped = Text(
        "어느 열이 무엇인지: id, messages, context, response, system … (response를 되풀이하면 모델마다 항목 하나)",
        "which column is what: id, messages, context, response, system … (several responses: one item for each model)",
    )
    add_reading(parser, mapped)
    add_dry_run(parser)
    parser.add_argument("--assistant", metavar="NAME", action="append", default=[], help=assistant.say())
    version = Text(
        "이 실행을 한 에이전트의 버전(파일에 version 열이 없을 때)",
        "the version of the agent that made these runs, where the files have no column version",
    )
    parser.add_argument("--agent-version", metavar="NAME", help=version.say())
    join = Text(
        "글 없이 id와 메타 필드만 있는 표를 이미 있는 항목에 연결",
        "join meta fields to items that are there: a table with their ids and no text",
    )
    parser.add_argument("--join", action="store_true", help=join.say())
    create = Text(
        "--join에서 스터디에 없는 id의 필드를 나중에 올 항목을 위해 보관",
        "with --join: keep the fields of ids that the study does not know for items that come later",
    )
    parser.add_argument("--create-items", action="store_true", help=create.say())


def run(chosen: argparse.Namespace, output: Output) -> int:
    """Run the command."""
    from haechi.data.unread_columns import unread_scores
    from haechi.study.study import Study

    study = Study(chosen.folder)
    if chosen.join:
        return _join(study, chosen, output)
    if chosen.dry_run:
        from haechi.data.proposal import ReadingOptions

        wishes = ReadingOptions(reading_of(chosen), tuple(chosen.assistant))
        return show_proposal(study.propose(chosen.files, "items", wishes), output)
    said_of_files = unread_scores(chosen.files, study.rubric) if study.rubric.item == "run" else ()
    with output.working(Text("항목을 읽는 중", "reading items")) as advance:
        added = study.add(
            chosen.files,
            chosen.replace,
            chosen.skip_bad,
            advance,
            assistant=chosen.assistant,
            reading=reading_of(chosen),
            agent_version=(chosen.agent_version or "").strip() or None,
        )
    for text in said_of_files:
        output.note(text)
    _tell(study, added, output)
    return 0


def _tell(study: Study, added: Added, output: Output) -> None:
    if output.as_json:
        counts = {
            "new": added.new,
            "unchanged": added.unchanged,
            "filled": added.filled,
            "replaced": added.replaced,
            "repeated": added.repeated,
            "made_ids": added.notes.made_ids,
        }
        skipped = [problem.as_json() for problem in added.skipped]
        kept = {"backing": added.backing, "items": study.count_items(), "import": added.number}
        output.result({**counts, "skipped": skipped, **added.notes.as_json(), **kept})
        return
    output.say(f"✓ {added.words.say()}")
    for text in added.notes.read_as():
        output.say(f"  {text.say()}")
    for text in (*added.notes.said(), *_about_ids(added)):
        output.say(f"! {text.say()}")
    if added.backing == "parquet":
        output.say(_as_files().say())
    output.skipped(added.skipped)
    say_number(added.number, study.folder, output)
    output.note(
        Text(
            f"다음: haechi import {quoted(study.folder)} 평가표.csv --as ratings",
            f"next: haechi import {quoted(study.folder)} ratings.csv --as ratings",
        )
    )


def _about_ids(added: Added) -> Iterator[Text]:
    made, again = added.notes.made_ids, added.repeated
    if made:
        yield Text(
            f"id가 없는 항목 {made:,}개에 내용으로 만든 id(c-…)를 붙였습니다. 같은 파일은 언제나 같은 id가 됩니다.",
            f"{made:,} items without an id got one made from their content (c-…), the same whenever they are read.",
        )
    if again:
        yield Text(
            f"글자까지 같은 항목이 {again:,}번 더 나와 한 번만 넣었습니다.",
            f"{again:,} items are word for word among the others and were taken once.",
        )


def _join(study: Study, chosen: argparse.Namespace, output: Output) -> int:
    with output.working(Text("메타를 읽는 중", "reading meta fields")) as advance:
        done = study.join(
            chosen.files,
            chosen.replace,
            chosen.skip_bad,
            advance,
            chosen.create_items,
            reading_of(chosen),
            chosen.dry_run,
        )
    if output.as_json:
        counts = {"joined": done.joined, "unchanged": done.unchanged, "later": done.later}
        skipped = [problem.as_json() for problem in done.skipped]
        number = {"dry_run": True} if chosen.dry_run else {"import": done.number}
        output.result({**counts, "fields": list(done.fields), "skipped": skipped, **number})
        return 0
    names = ", ".join(done.fields)
    output.say(
        Text(
            f"✓ 메타를 연결한 항목 {done.joined:,}개, 그대로 {done.unchanged:,}개 ({names})",
            f"✓ meta joined to {done.joined:,} items, {done.unchanged:,} unchanged ({names})",
        ).say()
    )
    if done.later:
        output.say(
            Text(
                f"! 그중 {done.later:,}개는 아직 없는 항목이라, 항목이 들어올 때까지 보관합니다.",
                f"! {done.later:,} of them are not there yet; their fields are kept until the items come.",
            ).say()
        )
    output.skipped(done.skipped)
    if chosen.dry_run:
        output.note(NOTHING_WRITTEN)
    else:
        say_number(done.number, study.folder, output)
    return 0


def _as_files() -> Text:
    from haechi.store.large import LARGE

    return Text(
        f"Parquet로 보관합니다: 이 스터디에 처음 더한 실행이 {LARGE:,}건보다 많아, 데이터베이스의 행 대신 runs 폴더의 "
        "파일로 둡니다.",
        f"Kept as Parquet: this study began with more than {LARGE:,} runs, so they are files in its folder runs and not "
        "rows of the database.",
    )
