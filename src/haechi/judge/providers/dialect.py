"""What a server that speaks OpenAI's interface understands of it: found out by its refusals, which cost nothing."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from haechi.frozen import frozen
from haechi.judge.providers.bodies import list_of, value_at
from haechi.judge.providers.money import about_tokens

_FORMS = ("json_schema", "json_object", "text")
_LIMITS = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
_OF_FORM = re.compile(r"response_format|json_schema|json_object|structured.?output|guided|grammar", re.I)
_OF_LIMIT_NAME = re.compile(
    r"(unsupported|not supported|unrecognized|unknown|extra|use '?max_completion_tokens)", re.I
)
_WINDOW = re.compile(r"(?:context (?:length|window|size)|max_model_len|n_ctx)\D{0,40}?(\d{3,7})", re.I)
_TOO_MANY = re.compile(
    r"max_(?:completion_)?tokens\D{0,60}?(?:too large|exceed|at most|less than|maximum)", re.I
)
_FEWEST = 1_000
_WINDOWS = (
    ("max_model_len",),
    ("context_length",),
    ("max_context_length",),
    ("meta", "n_ctx"),
    ("meta", "n_ctx_train"),
)


def told_window(body: Any, model: str) -> int | None:
    """How many tokens a server's list of models says that one reads at once: vLLM, llama.cpp, LM Studio, OpenRouter.

    >>> told_window({"data": [{"id": "qwen3", "max_model_len": 8192}]}, "qwen3")
    8192
    """
    mine = next((one for one in list_of(value_at(body, "data")) if value_at(one, "id") == model), None)
    for path in _WINDOWS:
        found = value_at(mine, *path)
        if isinstance(found, int) and not isinstance(found, bool) and found > 0:
            return found
    return None


@frozen
class Dialect:
    """How the form of an answer is asked for, what the limit of its length is called, and how far it may go.

    >>> dialect = Dialect("max_tokens")
    >>> dialect.without("response_format 'json_schema' is not supported").form({})
    {'response_format': {'type': 'json_object'}}
    >>> dialect.without("Unsupported parameter: use 'max_completion_tokens' instead of 'max_tokens'").limit(100)
    {'max_completion_tokens': 100}
    >>> dialect.without("This model's maximum context length is 8192 tokens. However, you requested 17000").most
    4096
    >>> print(dialect.without("content policy"))
    None
    """

    limit_name: str
    form_name: str = _FORMS[0]
    most: int | None = None
    renamed: bool = False
    window: int | None = None

    def form(self, schema: dict[str, Any]) -> dict[str, Any]:
        """The part of a request that asks for a form."""
        if self.form_name == "text":
            return {}
        if self.form_name == "json_object":
            return {"response_format": {"type": "json_object"}}
        strict = {"name": "ratings", "strict": True, "schema": schema}
        return {"response_format": {"type": "json_schema", "json_schema": strict}}

    def limit(self, tokens: int, *prompt: str) -> dict[str, int]:
        """The part of a request that limits the answer: to what is left of the window beside the prompt, if that is known."""
        most = tokens if self.most is None else min(tokens, self.most)
        if self.window is not None:
            left = self.window - round(1.1 * sum(map(about_tokens, prompt)))
            most = min(most, max(_FEWEST, left))
        return {self.limit_name: most}

    def without(self, refusal: str) -> Dialect | None:
        """A dialect without what was refused; None if the refusal is about something else, or nothing is left to leave out."""
        if "max_completion_tokens" in refusal or "max_tokens" in refusal:
            if not self.renamed and _OF_LIMIT_NAME.search(refusal):
                return replace(self, limit_name=_LIMITS[self.limit_name], renamed=True)
            if _TOO_MANY.search(refusal) and not _WINDOW.search(refusal):
                return self._shorter((self.most or 16_000) // 2)
        if window := _WINDOW.search(refusal):
            return self._shorter(int(window[1]) // 2)
        if _OF_FORM.search(refusal) and self.form_name != "text":
            return replace(self, form_name=_FORMS[_FORMS.index(self.form_name) + 1])
        return None

    def _shorter(self, tokens: int) -> Dialect | None:
        """A smaller limit, if it is one and leaves room for an answer."""
        small = self.most is not None and tokens >= self.most
        return None if small or tokens < _FEWEST else replace(self, most=tokens)
