"""A rubric in the forms it compiles to: its own YAML, a page to read, the judge's prompt, the reply's schema."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from haechi.prompt.page import rubric_markdown
from haechi.prompt.prompt import prompt
from haechi.prompt.schema import schema
from haechi.rubrics import builtin_ids, builtin_text, find_rubric
from haechi.text import Lang, language

Form = Literal["yaml", "markdown", "prompt", "schema"]


def show_rubric(name: str, form: Form, lang: Lang | None = None) -> str | dict[str, Any]:
    """A built-in rubric or a rubric file in one of its forms; the schema is data, everything else text.

    What a judge is sent is Korean unless English is asked for, whatever the language of the interface.

    >>> "id: diary-comment" in show_rubric("diary-comment", "yaml")
    True
    """
    rubric = find_rubric(name)
    if form == "yaml":
        return builtin_text(name) if name in builtin_ids() else Path(name).read_text("utf-8-sig")
    if form == "markdown":
        return rubric_markdown(rubric, lang or language())
    if form == "schema":
        return schema(rubric, lang=lang or "ko")
    return prompt(rubric, None, lang=lang or "ko").show()
