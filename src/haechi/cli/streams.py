"""What is written always arrives: UTF-8 in files and pipes, and on a console that lacks a sign another one."""

from __future__ import annotations

import codecs
import os
import sys

_BARS = zip("·▁▂▃▄▅▆▇█", ".:-=+*#%@", strict=True)  # no bar and eight heights, which must stay apart
_INSTEAD = {"✓": "v", "✗": "x", "–": "-", "—": "-", "−": "-", **dict(_BARS)}
_ESCAPED = range(0xDC80, 0xDD00)  # Python's stand-ins for bytes of a file's name that are no text


def set_up_streams() -> None:
    """Let stdout and stderr take any text, whatever the locale says."""
    codecs.register_error("haechi", another_sign)
    # A stream that the caller closed (`>&-`) is none; then there is nobody to tell, which is no fault of ours.
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - open as long as we run
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)  # a stream that somebody put there may not have it
        if reconfigure is not None:
            reconfigure(encoding=None if stream.isatty() else "utf-8", errors="haechi")
    if os.name == "nt":
        os.system("")  # noqa: S605, S607 - an empty command: it makes older consoles understand colours


def another_sign(error: UnicodeError) -> tuple[str | bytes, int]:
    """What is written instead of signs that cannot be; bytes of a file's name as they are.

    >>> codecs.register_error("haechi", another_sign)
    >>> "✓ 점수 1–5 😁".encode("cp949", "haechi").decode("cp949"), "\\udcff.csv".encode("utf-8", "haechi")
    ('v 점수 1-5 ?', b'\\xff.csv')
    >>> "1 ▃·█ 5".encode("ascii", "haechi")
    b'1 =.@ 5'
    """
    if not isinstance(error, UnicodeEncodeError):
        raise error
    sign = error.object[error.start]
    if ord(sign) in _ESCAPED:
        return bytes([ord(sign) - 0xDC00]), error.start + 1
    return _INSTEAD.get(sign, "?"), error.start + 1


def flush() -> bool:
    """Whether all that was printed has arrived; if not, Python says so in its own way while it ends."""
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    except (OSError, ValueError):
        return False
    return True
