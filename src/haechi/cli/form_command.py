"""`haechi form`: a blank form to hand out."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from haechi.cli.argument_types import count
from haechi.cli.output import Output, are_alone
from haechi.errors import HaechiError
from haechi.text import Text, language, quoted

if TYPE_CHECKING:
    from haechi.prompt.form import Form

DESCRIPTION = Text(
    "빈 평가 양식을 만듭니다. .xlsx는 평가자마다 시트 하나, 항목마다 한 줄이며 답은 목록에서 고르고 기준은 메모에 있습니다. 채운 파일은 "
    "그대로 haechi import로 가져옵니다. .html은 인쇄용입니다.",
    "A blank form to hand out. In .xlsx every rater has a sheet and every item a row; answers are chosen from lists and the "
    "anchors stand in notes. The filled file is imported as it is. An .html is for printing.",
)
EXAMPLE = """
haechi form diaries -o form.xlsx --rater 민수 --rater 지영
haechi form tutoring -o form.html --lang ko
haechi import diaries form.xlsx
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("folder", metavar="DIR", help=Text("스터디 폴더", "the study").say())
    out = Text("쓸 파일: .xlsx 또는 .html", "the file: .xlsx or .html")
    parser.add_argument("-o", "--output", metavar="FILE", type=Path, required=True, help=out.say())
    rater = Text(
        "평가자의 이름, 여러 번 쓸 수 있음: 시트 하나씩(없으면 각자 이름을 적음)",
        "a rater's name; repeat for more: a sheet each (without it everybody writes their own)",
    )
    parser.add_argument("--rater", action="append", default=[], metavar="NAME", help=rater.say())
    limit = Text("처음 N개 항목만", "only the first N items")
    parser.add_argument("--limit", type=count, metavar="N", help=limit.say())


def run(chosen: argparse.Namespace, output: Output) -> int:
    """Run the command."""
    from itertools import islice

    from haechi.data.atomic_files import whole_file
    from haechi.data.item_questions import item_questions
    from haechi.prompt.form import form_of
    from haechi.study.study import Study

    study = Study(chosen.folder)
    names = {"assistant": study.settings.assistant_name, "user": study.settings.user_name}
    form = form_of(study.rubric, language(), names)
    items = list(islice(study.items(), chosen.limit))
    raters = list(dict.fromkeys(chosen.rater))
    kind = chosen.output.suffix.lower()
    if kind not in (".xlsx", ".html"):
        todo = Text("-o의 확장자를 바꾸세요", "change the extension in -o")
        expected = Text(".xlsx 또는 .html", ".xlsx or .html")
        raise HaechiError.of(str(chosen.output), kind or chosen.output.name, expected, todo)
    if kind != ".xlsx" and are_alone({"--rater": raters}, "-o FILE.xlsx", output):
        return 2
    with whole_file(chosen.output) as path:
        if kind == ".xlsx":
            from haechi.prompt.blank_workbook import write_blank_workbook

            write_blank_workbook(study.rubric, form, items, raters, path)
        else:
            from haechi.prompt.printed_form import printed_form

            path.write_text(printed_form(study.rubric, form, items), "utf-8")
    own = sum(len(item_questions(study.rubric, item)) for item in items)
    if output.as_json:
        about = {"output": str(chosen.output), "items": len(items), "questions": _questions(form)}
        about |= {"item_questions": own} if own else {}
        output.result(about | ({"raters": raters} if kind == ".xlsx" else {}))
        return 0
    said = Text(
        f"✓ {chosen.output}: 항목 {len(items):,}개, 문항 {_questions(form)}개",
        f"✓ {chosen.output}: {len(items):,} items, {_questions(form)} questions",
    )
    output.say(said.say())
    if own:
        more = Text(f"  항목이 가져온 질문 {own:,}개", f"  {own:,} questions that items bring")
        output.say(more.say())
    if kind == ".xlsx":
        hint = f"haechi import {quoted(study.folder)} {quoted(chosen.output)}"
        output.note(Text(f"채운 뒤: {hint}", f"when it is filled in: {hint}"))
    return 0


def _questions(form: Form) -> int:
    return sum(len(group.fields) for group in form.groups)
