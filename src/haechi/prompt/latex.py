r"""LaTeX inside JSON strings: judges write `\frac` where JSON needs `\\frac`.

JSON refuses `\alpha` and `\(`, and silently reads `\frac`, `\theta`, `\nabla`, `\rho` and `\beta` as a
control character followed by letters. So a backslash that begins no JSON escape is doubled before parsing,
and control characters that can only have been LaTeX are turned back afterwards.
"""

from __future__ import annotations

import re

from haechi.regex import regex

_ESCAPE = regex(r"""\\(["\\/bfnrt]|u[0-9a-fA-F]{4}|'|)""")

# A tab or line feed is real in front of most words; only these commands are worth the doubt.
_COMMANDS = frozenset((
    "nabla", "natural", "ncong", "ne", "nearrow", "neg", "neq", "nequiv", "newline", "nexists", "ngeq",
    "ngtr", "ni", "nleftarrow", "nleq", "nless", "nmid", "nolimits", "nonumber", "normalsize", "not",
    "notin", "nparallel", "nprec", "nrightarrow", "nsim", "nsubseteq", "nsucc", "nsupseteq", "nu",
    "nwarrow", "tan", "tanh", "tag", "tau", "tbinom", "text", "textbf", "textcolor", "textit",
    "textnormal", "textrm", "textsf", "textstyle", "texttt", "textup", "tfrac", "therefore", "theta",
    "thickapprox", "thicksim", "tilde", "times", "tiny", "to", "top", "triangle", "triangledown",
    "triangleleft", "triangleq", "triangleright", "twoheadrightarrow",
))  # fmt: skip
_LETTER = {"\b": "b", "\f": "f", "\r": "r", "\n": "n", "\t": "t"}
_CONTROL = regex("([\b\f\r\n\t])([A-Za-z]+)")


def escape(json_text: str) -> str:
    r"""JSON text in which every backslash begins an escape; doing it twice changes nothing more.

    >>> print(escape(r'"\alpha \\beta \(x\) \n"'))
    "\\alpha \\beta \\(x\\) \n"
    """
    return _ESCAPE.sub(_doubled, json_text)


def _doubled(match: re.Match[str]) -> str:
    if match[1] == "'":  # not an escape in JSON, but what it means in every language around it
        return "'"
    return match[0] if match[1] else "\\\\"


def restore(text: str) -> str:
    r"""Decoded text with the control characters that were LaTeX commands turned back.

    >>> print(restore("\frac{1}{2} \theta \nabla f"))
    \frac{1}{2} \theta \nabla f
    >>> restore("첫 줄\n둘째 줄\ttext")
    '첫 줄\n둘째 줄\ttext'
    """
    return _CONTROL.sub(_command, text)


def _command(match: re.Match[str]) -> str:
    control, letters = match.groups()
    word = _LETTER[control] + letters
    return f"\\{word}" if control in "\b\f\r" or word in _COMMANDS else match[0]
