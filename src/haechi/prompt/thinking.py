"""What a model thought before it answered is not its answer."""

from __future__ import annotations

import re

_TAG = re.compile(r"<(/?)(think|thinking|reasoning|reflection|scratchpad)>", re.IGNORECASE)
_QUOTE = re.compile(r'(?<!\\)"')


def without_thinking(text: str) -> str:
    r"""The reply without what stands between `<think>` and `</think>`; a draft in there is no value.

    What was never closed is thinking to the end; what was never opened, as some servers cut it, is thinking from the
    beginning. A tag inside a string of the answer is somebody's words.

    >>> without_thinking('<think>{"a": 0}? 아니다</think>\n{"a": 1}')
    '\n{"a": 1}'
    >>> without_thinking('{"a": 0}</think>{"a": 1}'), without_thinking('<think>{"a": 0}')
    ('{"a": 1}', '')
    >>> without_thinking('{"evidence": "<think>라고 적음"}')
    '{"evidence": "<think>라고 적음"}'
    """
    kept: list[str] = []
    position, thinking = 0, False
    for tag in _TAG.finditer(text):
        if _is_quoted(text, tag.start()):
            continue
        closes = bool(tag[1])
        if not closes and not thinking:
            kept.append(text[position : tag.start()])
        elif closes and not thinking:
            kept.clear()
        position, thinking = tag.end(), not closes
    return "".join(kept) + ("" if thinking else text[position:])


def _is_quoted(text: str, at: int) -> bool:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return len(_QUOTE.findall(line)) % 2 == 1
