"""A blank form as a workbook: a sheet for each rater, a row for each item, a column for each question."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from haechi.data.item import Item
from haechi.data.line_names import own_criteria
from haechi.data.names import TO_READ
from haechi.data.pair_order import form_orders
from haechi.errors import HaechiError
from haechi.prompt.form import Field, Form, FormGroup, item_groups
from haechi.prompt.material import material
from haechi.rubrics import Rubric
from haechi.rubrics.scales import Choice
from haechi.text import Text

_ITEM, _RATER = Text("항목 ID", "item_id"), Text("평가자", "rater")
_TEXT, _EVIDENCE = Text(*TO_READ), Text("근거", "evidence")
_CRITERION, _ABOUT, _VALUE = Text("기준", "criterion"), Text("설명", "about it"), Text("값", "value")
_NAME_HERE = Text("평가하는 사람의 이름. 첫 줄에만 적어도 됩니다.", "Your name; in the first row is enough.")
_ORDER = Text("보인 순서", "shown_order")
_ORDER_HERE = Text(
    "어느 답이 먼저 나오는지(ab: A 먼저, ba: B 먼저). 그대로 두세요.",
    "Which answer stands first (ab: A, ba: B). Leave it as it is.",
)
_UNNAMED = Text("평가", "ratings")
_FORBIDDEN = "[]:*?/\\"
_LONGEST_CELL, _LONGEST_SHEET, _LONGEST_LIST, _LONGEST_NOTE = 32_767, 31, 255, 30_000
_LARGEST_ROW = 400


class FormColumn(NamedTuple):
    """A column to be filled in: its title, the short name by which a column with reasons refers to it, and the field."""

    title: str
    code: str
    field: Field
    group: FormGroup


def questions_of(form: Form) -> Iterator[FormColumn]:
    """The columns of a form, titled so that the filled sheet is understood: by code and name, or by name alone.

    >>> import haechi
    >>> from haechi.prompt.form import form_of
    >>> [question.title for question in questions_of(form_of(haechi.rubric("maice-qac"), "ko"))][0]
    'A1-1 수학적 개념/원리의 정확성'
    """
    for group in form.groups:
        several = len(group.fields) > 1
        for place, field in enumerate(group.fields, 1):
            code = f"{group.score}-{place}" if several else field.label
            yield FormColumn(f"{code} {field.label}" if several else code, code, field, group)


def questions_about(rubric: Rubric, form: Form, item: Item) -> Iterator[FormColumn]:
    """What is asked about one item, those questions too that it brings itself; titled so that a list of them is understood.

    >>> import haechi
    >>> from haechi.prompt.form import form_of
    >>> rubric = haechi.rubric("hiring-agent")
    >>> run = Item("r1", "run", {"query": "q1", "expected": "1) 답변이 친절한가", "payload": "{}"}, {})
    >>> [question.title for question in questions_about(rubric, form_of(rubric, "ko"), run)][-1]
    '정확성. 답변이 친절한가'
    """
    yield from questions_of(form)
    for group in item_groups(rubric, item, form.lang):
        for field in group.fields:
            yield FormColumn(f"{group.name}. {field.question}", field.label, field, group)


def choice_words(choice: Choice) -> str:
    """An answer and what it means.

    >>> choice_words(Choice("5", "5", "5", "매우 그렇다")), choice_words(Choice("1", "1", "충족"))
    ('5: 매우 그렇다', '1: 충족')
    """
    label = "" if choice.label == choice.value else choice.label
    return ": ".join(filter(None, (choice.value, " ".join(filter(None, (label, choice.text))))))


def to_read(rubric: Rubric, form: Form, item: Item, order: str | None = None) -> str:
    """What a person reads to judge an item; nothing where there is only its id. Of a pair, in some order.

    Both answers keep their letters wherever they stand: a verdict means the same whoever types it into whatever table.

    >>> import haechi
    >>> from haechi.prompt.form import form_of
    >>> rubric = haechi.rubric("diary-duel")
    >>> pair = Item("d1", "pair", {"context": "비", "response_a": "네", "response_b": "아뇨"}, {})
    >>> [line for line in to_read(rubric, form_of(rubric, "ko"), pair, "ba").splitlines() if line.startswith("##")]
    ['## 일기', '## 코멘트 B', '## 코멘트 A']
    """
    if item.kind == "bare":
        return ""
    return material(rubric, item.content, form.lang, form.speakers, order == "ba")


def write_blank_workbook(
    rubric: Rubric, form: Form, items: Sequence[Item], raters: Sequence[str], path: Path
) -> None:
    """Write the workbook; answers that can be chosen are chosen from a list, and anchors stand in notes.

    Without names of raters there is one sheet, in which everybody writes their own. Where items bring questions, a row is
    one question about one item.
    """
    import xlsxwriter

    for rater in raters:
        _check_sheet(rater)
    questions = list(questions_of(form))
    plain = {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    with xlsxwriter.Workbook(str(path), plain) as book:
        looks = {
            "head": book.add_format({"bold": True, "text_wrap": True, "valign": "top", "bottom": 1}),
            "text": book.add_format({"text_wrap": True, "valign": "top"}),
            "cell": book.add_format({"align": "center", "valign": "top"}),
        }
        for rater in raters or [""]:
            sheet = book.add_worksheet(rater or _UNNAMED.say(form.lang))
            if own_criteria(rubric):
                _fill_list(sheet, rater, rubric, form, items, looks)
            else:
                _fill(sheet, rater, rubric, form, questions, items, looks)


def _fill(
    sheet: Any,
    rater: str,
    rubric: Rubric,
    form: Form,
    questions: list[FormColumn],
    items: Sequence[Item],
    looks: dict[str, Any],
) -> None:
    lang = form.lang
    orders = form_orders((item.id for item in items), rater) if rubric.item == "pair" else {}
    heads = (_ITEM, _RATER, _TEXT, *((_ORDER,) if orders else ()))
    sheet.freeze_panes(1, 3)
    sheet.set_row(0, 48)
    for column, head in enumerate(heads):
        sheet.write_string(0, column, head.say(lang), looks["head"])
    sheet.set_column(0, 1, 14, looks["text"])
    sheet.set_column(2, 2, 70)
    if not rater:
        sheet.write_comment(0, 1, _NAME_HERE.say(lang))
    if orders:
        sheet.set_column(3, 3, 8)
        sheet.write_comment(0, 3, _ORDER_HERE.say(lang))
    for row, item in enumerate(items, 1):
        sheet.write_string(row, 0, item.id, looks["text"])
        text = to_read(rubric, form, item, orders.get(item.id))
        sheet.write_string(row, 1, rater, looks["text"])
        sheet.write_string(row, 2, text[:_LONGEST_CELL], looks["text"])
        sheet.set_row(row, min(_LARGEST_ROW, 15 * (2 + text.count("\n") + len(text) // 60)))
        if orders:
            sheet.write_string(row, 3, orders[item.id], looks["cell"])
    column = len(heads)
    for question in questions:
        sheet.write_string(0, column, question.title, looks["head"])
        sheet.write_comment(0, column, _note(question)[:_LONGEST_NOTE], {"x_scale": 3, "y_scale": 3})
        words = question.field.kind == "text"
        sheet.set_column(column, column, 40 if words else 12, looks["text" if words else "cell"])
        _offer(sheet, question.field, column, len(items))
        column += 1
        if question.field.evidence:
            title = f"{question.code} {_EVIDENCE.say(lang)}"
            sheet.write_string(0, column, title, looks["head"])
            sheet.set_column(column, column, 28, looks["text"])
            column += 1


def _fill_list(
    sheet: Any, rater: str, rubric: Rubric, form: Form, items: Sequence[Item], looks: dict[str, Any]
) -> None:
    """A row for every question about every item; what is to be read stands in the first row of an item."""
    lang, heads = form.lang, (_ITEM, _RATER, _TEXT, _CRITERION, _ABOUT, _VALUE, _EVIDENCE)
    sheet.freeze_panes(1, 0)
    for column, (head, width) in enumerate(zip(heads, (14, 14, 60, 60, 20, 12, 28), strict=True)):
        sheet.write_string(0, column, head.say(lang), looks["head"])
        sheet.set_column(column, column, width, looks["text"])
    if not rater:
        sheet.write_comment(0, 1, _NAME_HERE.say(lang))
    row = 0
    for item in items:
        text = to_read(rubric, form, item)
        for place, question in enumerate(questions_about(rubric, form, item)):
            row += 1
            cells = (item.id, rater, "" if place else text[:_LONGEST_CELL], question.title, question.code)
            for column, cell in enumerate(cells):
                sheet.write_string(row, column, cell, looks["text"])
            sheet.write_comment(row, 5, _note(question)[:_LONGEST_NOTE], {"x_scale": 3, "y_scale": 3})
            _offer(sheet, question.field, 5, 1, row)


def _offer(sheet: Any, field: Field, column: int, rows: int, first: int = 1) -> None:
    """The list to choose from, in so many cells of a column."""
    values = [choice.value for choice in field.choices]
    if (
        values
        and rows
        and len(",".join(values)) <= _LONGEST_LIST
        and not any("," in value for value in values)
    ):
        last = first + rows - 1
        sheet.data_validation(first, column, last, column, {"validate": "list", "source": values})


def _note(question: FormColumn) -> str:
    group, field = question.group, question.field
    words = [field.question or group.question, group.explanation, *group.standards, group.instruction]
    choices = (choice_words(choice) for choice in field.choices)
    return "\n".join(filter(None, (*words, *choices)))


def _check_sheet(rater: str) -> None:
    if not rater or len(rater) > _LONGEST_SHEET or any(sign in _FORBIDDEN for sign in rater):
        expected = Text(
            f"{_LONGEST_SHEET}자 이하이고 {_FORBIDDEN} 없는 이름",
            f"a name of at most {_LONGEST_SHEET} letters without {_FORBIDDEN}",
        )
        todo = Text("시트 이름이 되므로 다른 이름을 쓰세요", "it becomes the name of a sheet: choose another")
        raise HaechiError.of("--rater", rater, expected, todo)
