"""`haechi rubrics`: list, show and check rubrics."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from haechi.cli.output import Output
from haechi.text import Lang, Text, language

DESCRIPTION = Text(
    "루브릭을 나열하고, 보여 주고, 검사하고, 평가 결과로 진단합니다. 내 루브릭 파일은 내장 루브릭이 쓰이는 모든 곳에 쓸 수 있습니다.",
    "List, show and check rubrics, and see by a study's ratings what to mend. Your own rubric file works wherever a built-in one does.",
)
EXAMPLE = """
haechi rubrics
haechi rubrics show ubica --as markdown
haechi rubrics show maice-qac --as prompt
haechi rubrics check my-rubric.yaml
haechi rubrics doctor tutoring
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("action", nargs="?", choices=("list", "show", "check", "doctor"), default="list")
    parser.add_argument(
        "rubric",
        nargs="?",
        metavar="RUBRIC|DIR",
        help=Text(
            "루브릭 이름 또는 파일. doctor에는 스터디 폴더", "a rubric's id or file; for doctor a study"
        ).say(),
    )
    form = Text("보여 줄 형식 (기본: markdown)", "what to show (default: markdown)")
    parser.add_argument(
        "--as",
        dest="form",
        choices=("yaml", "markdown", "prompt", "schema"),
        default="markdown",
        help=form.say(),
    )


def run(chosen: argparse.Namespace, output: Output) -> int:
    """Run the command."""
    if chosen.action == "list":
        _list(output)
    elif chosen.rubric is None:
        output.note(Text("루브릭의 이름이나 파일을 적어 주세요.", "Name a rubric or a file."))
        return 2
    elif chosen.action == "check":
        _check(chosen.rubric, output)
    elif chosen.action == "doctor":
        _doctor(chosen.rubric, output)
    else:
        _show(chosen, output)
    return 0


def _list(output: Output) -> None:
    from haechi.report.table import table
    from haechi.rubrics import builtin_ids, find_rubric

    rubrics = [find_rubric(name) for name in builtin_ids()]
    if output.as_json:
        output.result({"rubrics": [_facts(rubric) for rubric in rubrics]})
        return
    titles = (
        Text("이름", "id"),
        Text("제목", "title"),
        Text("대상", "item"),
        Text("기준", "criteria"),
        Text("버전", "version"),
    )
    rows = [(one.id, one.title.say(), one.item, len(one.criteria), one.version) for one in rubrics]
    title = Text("내장 루브릭", "Built-in rubrics")
    output.show(table(title.say(), [words.say() for words in titles], rows, words=3))
    output.note(Text("자세히: haechi rubrics show 이름", "more: haechi rubrics show ID"))


def _check(name: str, output: Output) -> None:
    from haechi.rubrics import find_rubric

    rubric = find_rubric(name)
    if output.as_json:
        output.result({"ok": True, **_facts(rubric)})
        return
    scores = ", ".join(rubric.score_names)
    output.say(
        f"✓ {rubric.reference}: {rubric.title.say()}", Text(f"점수: {scores}", f"scores: {scores}").say()
    )


def _doctor(folder: str, output: Output) -> None:
    """What the ratings of a study say about its rubric."""
    from haechi.analysis.analysis import Analysis
    from haechi.analysis.rubric_doctor import diagnose
    from haechi.report.tables.doctor import doctor_tables
    from haechi.study.scores import StoredStudy

    study = StoredStudy(folder)
    found = diagnose(Analysis(study))
    if output.as_json:
        checkups = [one.as_json(language()) for one in found.checkups]
        halo = {rater: figure.as_json(language()) for rater, figure in found.halo.items()}
        output.result(
            {"rubric": study.rubric.id, "version": study.rubric.version, "criteria": checkups, "halo": halo}
        )
        return
    output.show(*doctor_tables(found, study.rubric))


def _show(chosen: argparse.Namespace, output: Output) -> None:
    shown = _compiled(chosen.rubric, chosen.form, chosen.lang)
    if output.as_json:
        output.result(
            {"rubric": chosen.rubric, "as": chosen.form, "text": shown} if isinstance(shown, str) else shown
        )
    elif isinstance(shown, str):
        print(shown)
    else:
        output.result(shown)


def _compiled(name: str, form: str, lang: Lang | None) -> str | dict[str, Any]:
    """A rubric in one of the forms it compiles to; the schema is data, everything else text.

    What a judge is sent is Korean unless English is asked for, whatever the language of the interface.
    """
    from haechi.rubrics import builtin_ids, builtin_text, find_rubric

    rubric = find_rubric(name)
    if form == "yaml":
        return builtin_text(name) if name in builtin_ids() else Path(name).read_text("utf-8-sig")
    if form == "markdown":
        from haechi.prompt.page import rubric_markdown

        return rubric_markdown(rubric, lang or language())
    from haechi.data.item_questions import example_questions
    from haechi.prompt.prompt import prompt

    own = example_questions(rubric)
    only = (*rubric.rateables, *own) if own else None
    sent = prompt(rubric, None, lang=lang or "ko", only=only, own=own)
    return sent.schema if form == "schema" else sent.show()


def _facts(rubric: Any) -> dict[str, Any]:
    return {
        "id": rubric.id,
        "title": {"ko": rubric.title.ko, "en": rubric.title.en},
        "item": rubric.item,
        "version": rubric.version,
        "scores": list(rubric.score_names),
    }
