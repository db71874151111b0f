"""A blank form to print: the questions with their anchors once, then every item with boxes to tick."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from haechi.data.item import Item
from haechi.data.pair_order import form_orders
from haechi.prompt.blank_workbook import FormColumn, choice_words, questions_about, questions_of, to_read
from haechi.prompt.form import Form
from haechi.rubrics import Rubric
from haechi.text import Text

_STYLE = """
body { font: 11pt/1.5 "Noto Sans KR", "Apple SD Gothic Neo", "Malgun Gothic", sans-serif; max-width: 190mm; margin: 0 auto; padding: 8mm; }
h1 { font-size: 16pt; } h2 { font-size: 13pt; margin-top: 8mm; }
pre { white-space: pre-wrap; font: inherit; border: 1px solid #999; padding: 3mm; }
table { border-collapse: collapse; width: 100%; } td, th { border: 1px solid #999; padding: 1.5mm 2mm; text-align: left; vertical-align: top; }
.boxes { white-space: nowrap; } .line { height: 14mm; } .item { break-before: page; }
tr, dt { break-inside: avoid; } dt { font-weight: 600; margin-top: 3mm; } dd { margin-left: 6mm; }
"""
_RATER, _DATE = Text("평가자", "Rater"), Text("날짜", "Date")
_ORDER = Text("보인 순서(order)", "Shown order (order)")
_ITEM, _QUESTION, _ANSWER = Text("항목", "Item"), Text("문항", "Question"), Text("답", "Answer")


def printed_form(rubric: Rubric, form: Form, items: Sequence[Item]) -> str:
    """The page, without script and without anything from elsewhere.

    >>> import haechi
    >>> from haechi.prompt.form import form_of
    >>> rubric = haechi.rubric("diary-comment")
    >>> item = Item("d1", "reply", {"context": "비가 <왔다>", "response": "네"}, {})
    >>> "비가 &lt;왔다&gt;" in printed_form(rubric, form_of(rubric, "ko"), [item])
    True
    """
    questions = list(questions_of(form))
    head = f"<title>{escape(form.title)}</title><meta charset='utf-8'><style>{_STYLE}</style>"
    body = "\n".join((*_guide(form, questions), *_items(rubric, form, items)))
    return f"<!doctype html>\n<html lang='{form.lang}'><head>{head}</head>\n<body>\n{body}\n</body></html>\n"


def _guide(form: Form, questions: list[FormColumn]) -> Iterator[str]:
    yield f"<h1>{escape(form.title)}</h1><p>{escape(form.task)}</p>"
    if form.guidance:
        yield "<ul>" + "".join(f"<li>{escape(line)}</li>" for line in form.guidance) + "</ul>"
    yield "<dl>"
    for question in questions:
        words = question.field.question or question.group.question
        yield f"<dt>{escape(question.title)}</dt><dd>{escape(words)}</dd>"
        for standard in question.group.standards:
            yield f"<dd>{escape(standard)}</dd>"
        for choice in question.field.choices:
            yield f"<dd>{escape(choice_words(choice))}</dd>"
    yield "</dl>"


def _items(rubric: Rubric, form: Form, items: Sequence[Item]) -> Iterator[str]:
    lang = form.lang
    orders = form_orders(item.id for item in items) if rubric.item == "pair" else {}
    for item in items:
        text = to_read(rubric, form, item, orders.get(item.id))
        yield f"<section class='item'><h2>{_ITEM.say(lang)} {escape(item.id)}</h2>"
        if orders:  # whoever types the answers into a table needs it
            yield f"<p>{_ORDER.say(lang)}: {orders[item.id]}</p>"
        yield f"<p>{_RATER.say(lang)}: ____________________ &nbsp; {_DATE.say(lang)}: ____________________</p>"
        yield f"<pre>{escape(text)}</pre>"
        yield f"<table><tr><th>{_QUESTION.say(lang)}</th><th>{_ANSWER.say(lang)}</th></tr>"
        for question in questions_about(rubric, form, item):
            boxes = " &nbsp; ".join(f"☐ {escape(choice.value)}" for choice in question.field.choices)
            kind = "boxes" if boxes else "line"
            yield f"<tr><td>{escape(question.title)}</td><td class='{kind}'>{boxes}</td></tr>"
        yield "</table></section>"
