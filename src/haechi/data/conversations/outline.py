"""What kind of file it is, by its beginning: which keys stand where in a JSON text, or the first lines of another."""

from __future__ import annotations

import codecs
import re
import zipfile
from pathlib import Path
from typing import NamedTuple

from haechi.data.files import check_exists

_HEAD = 256 * 1024
_TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"(\s*:)?|([{}\[\]])|([^\s{}\[\]",:]+)')
_DEEPEST, _MOST = 8, 4000


class Outline(NamedTuple):
    """The beginning of a file.

    text: its first lines; empty for an archive.
    root: `{` or `[` for JSON, twice where several stand one after the other; empty for anything else.
    paths: where keys stand, such as `messages[].author`; what a list at the root holds is written without it.
    members: the names in an archive.
    """

    text: str = ""
    root: str = ""
    paths: frozenset[str] = frozenset()
    members: tuple[str, ...] = ()

    def has(self, *paths: str) -> bool:
        """Whether the JSON text has all these keys."""
        return self.paths.issuperset(paths)

    @property
    def lines(self) -> list[str]:
        """The first lines without blanks at their ends."""
        return [line.strip() for line in self.text[:20_000].splitlines()]


def outline_of(path: Path) -> Outline:
    """Look at the beginning of a file; it is not read any further.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "chat.json"
    >>> _ = file.write_text('[{"id": 1, "turns": [{"from": "human"}]}]')
    >>> sorted(outline_of(file).paths), outline_of(file).root
    (['id', 'turns', 'turns[].from'], '[')
    """
    check_exists(path)
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if head.startswith(b"PK\3\4"):
        return Outline(members=_members(path))
    text = _decoded(head).lstrip("\ufeff")
    start = text.lstrip()[:1]
    if start not in ("{", "["):
        return Outline(text)
    roots, paths = _paths(text)
    return Outline(text, start * min(roots, 2), paths)


def _members(path: Path) -> tuple[str, ...]:
    try:
        with zipfile.ZipFile(path) as archive:
            return tuple(archive.namelist()[:_MOST])
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return ()


def _decoded(head: bytes) -> str:
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return head.decode("utf-16", "ignore")
    try:
        return codecs.getincrementaldecoder("utf-8-sig")().decode(head)
    except UnicodeDecodeError:
        return head.decode("cp949", "ignore")


def _paths(text: str) -> tuple[int, frozenset[str]]:
    """How many values stand one after the other, and where keys stand in them; a text that is cut off is no harm."""
    roots, depth = 0, 0
    within = [""]  # the path of every open list or object; those too deep have none of their own
    key = ""
    found: set[str] = set()
    for match in _TOKEN.finditer(text):
        name, is_key, bracket, _ = match.groups()
        if bracket in ("{", "["):
            roots += depth == 0
            depth += 1
            if depth <= _DEEPEST:
                # What the list at the root holds counts as the root itself.
                inner = within[-1] if depth == 1 else within[-1] + key + ("[]" if bracket == "[" else "")
                within.append(inner + "." if bracket == "{" and inner and not inner.endswith(".") else inner)
            key = ""
        elif bracket:
            depth = max(depth - 1, 0)
            if len(within) > 1 and depth < _DEEPEST:
                within.pop()
            key = ""
        elif is_key and depth <= _DEEPEST:
            key = name
            if len(found) < _MOST:
                found.add(within[-1] + name)
        elif name is not None:
            key = ""
    return roots, frozenset(found)
