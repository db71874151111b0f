"""Regular expressions that are compiled when they are first used: a command imports far more of them than it needs."""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast


class _Regex:
    """Stands for a compiled expression; what is asked of it is kept, so that it is looked up once."""

    def __init__(self, pattern: Any, flags: int) -> None:
        self._pattern, self._flags = pattern, flags

    def __reduce__(self) -> tuple[Any, ...]:
        # A copy that is made without __init__ would look for its pattern without end.
        return _Regex, (self._pattern, self._flags)

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(self._pattern, self._flags), name)
        setattr(self, name, found)
        return found


def regex(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """What `re.compile` gives, compiled when it is first used.

    >>> from copy import copy
    >>> regex("[a-z]+").findall("one two"), regex("(")  # doctest: +ELLIPSIS
    (['one', 'two'], <...>)
    >>> copy(regex("[a-z]+")).match("one").group()
    'one'
    """
    return cast("re.Pattern[AnyStr]", _Regex(pattern, flags))
