"""The command that does what a page does, as it can be pasted into a shell."""

from __future__ import annotations

from collections.abc import Iterable

from haechi.text import quoted, readable

Option = tuple[str, object]


def command(name: str, *words: object, options: Iterable[Option] = ()) -> str:
    """A command with its words and options; an option that is None or False is left out, one that is True has no value.

    >>> command("add", "my study", "a b.csv", options=[("map", "id=번호"), ("join", False), ("replace", True)])
    "haechi add 'my study' 'a b.csv' --map id=번호 --replace"
    >>> command("new", "-x", options=[("rubric", "ubica")])
    'haechi new ./-x --rubric ubica'
    """
    said = ["haechi", *name.split(), *(_word(word) for word in words)]
    for option, value in options:
        if value is True:
            said.append(f"--{option}")
        elif value is not None and value is not False:
            text = readable(str(value))
            # A value that begins with a dash would be read as an option.
            said.append(
                f"--{option}={_shell(text)}" if text.startswith("-") else f"--{option} {_shell(text)}"
            )
    return " ".join(said)


def option_words(options: Iterable[Option]) -> list[str]:
    """The options as a process is given them; left out as in `command`.

    >>> option_words([("model", "local:smollm2"), ("limit", 1), ("per", None), ("batch", True)])
    ['--model=local:smollm2', '--limit=1', '--batch']
    """
    said = [(name, value) for name, value in options if value is not None and value is not False]
    return [f"--{name}" if value is True else f"--{name}={value}" for name, value in said]


def _word(word: object) -> str:
    text = readable(str(word))
    if text.startswith("-"):
        text = f"./{text}"
    return _shell(text)


def _shell(text: str) -> str:
    """Text quoted only where a shell needs it; letters of any script need none.

    >>> _shell("일기 코멘트.csv"), _shell("일기.csv"), _shell("it's")
    ("'일기 코멘트.csv'", '일기.csv', '\\'it\\'"\\'"\\'s\\'')
    """
    return text if text and all(sign.isalnum() or sign in "@%+=:,./-_" for sign in text) else quoted(text)
