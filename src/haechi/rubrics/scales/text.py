"""Text: an open question."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from haechi.rubrics.scales.base import Say, Scale
from haechi.rubrics.values import Level, Off
from haechi.text import Text

_WORDS = Text("글", "words")


class Open(Scale):
    """Words that are kept, shown and exported, and enter no figure."""

    type: Literal["text"]
    level: Level = "nominal"

    counted: ClassVar[bool] = False
    field: ClassVar[Literal["number", "text"]] = "text"

    def read(self, raw: Any) -> str:
        return str(raw).strip()

    def read_reply(self, value: Any) -> str:
        if not isinstance(value, str) or not value.strip():
            raise Off(_WORDS, value, Text("글이 비어 있음", "no words given"))
        return self.read(value)

    def points_by_rule(self, raw: Any) -> float:
        raise Off(Text("점수가 있는 척도", "a scale that has points"), raw)

    def prompt_lines(self, say: Say) -> list[str]:
        return [
            say(Text("글로 적습니다. 점수에는 들어가지 않습니다.", "Answer in words. It enters no score."))
        ]

    def value_hint(self, say: Say) -> str:
        return say(_WORDS)

    def value_schema(self) -> dict[str, Any]:
        return {"type": "string"}
