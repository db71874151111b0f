"""A font with Korean letters on this machine, since a picture of pixels cannot leave the choice to its reader."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from haechi.errors import HaechiError
from haechi.frozen import frozen
from haechi.text import Text

_LETTERS = "가각힣한글 09Az"
_ENDINGS = (".ttf", ".otf", ".ttc")
# The fonts that systems come with, best first; any other font with Korean letters will do as well.
_KNOWN = ("nanumgothic", "notosanskr-regular", "notosanscjk-regular", "applesdgothicneo", "malgun")


@frozen
class Font:
    """A font file, the name by which a picture asks for it, and the characters that it has."""

    file: Path
    family: str
    characters: frozenset[str]


def find_font(given: Path | None = None) -> Font:
    """A font with Korean letters: the file or from the folder that was given, else from the system's folders."""
    folders = [given] if given else _folders()
    for file in _files(folders):
        font = _read(file)
        if font is not None and font.characters.issuperset(_LETTERS):
            return font
    searched = ", ".join(map(str, folders))
    raise HaechiError.of(
        "--font" if given else "--png",
        Text(f"한글 글꼴이 없음: {searched}", f"no font with Korean letters in {searched}"),
        Text("한글이 든 .ttf, .otf 또는 .ttc 글꼴", "a .ttf, .otf or .ttc font with Korean letters"),
        Text(
            "글꼴을 설치하거나(Debian·Ubuntu: apt install fonts-nanum, macOS: brew install --cask font-nanum-gothic, "
            "Windows: 설정 → 선택적 기능 → 한국어 보조 글꼴) --font 파일로 지정하세요",
            "install one (Debian, Ubuntu: apt install fonts-nanum; macOS: brew install --cask font-nanum-gothic; "
            "Windows: Settings → Optional features → Korean Supplemental Fonts) or name one with --font FILE",
        ),
    )


def _folders() -> list[Path]:
    home = Path.home()
    if sys.platform == "darwin":
        return [home / "Library/Fonts", Path("/Library/Fonts"), Path("/System/Library/Fonts")]
    if sys.platform == "win32":
        own = Path(os.environ.get("LOCALAPPDATA", home)) / "Microsoft/Windows/Fonts"
        return [own, Path(os.environ.get("WINDIR", "C:/Windows")) / "Fonts"]
    return [
        home / ".local/share/fonts",
        home / ".fonts",
        Path("/usr/local/share/fonts"),
        Path("/usr/share/fonts"),
    ]


def _files(folders: list[Path]) -> Iterator[Path]:
    """Font files, the known ones first."""
    found = [
        path
        for folder in folders
        for path in ([folder] if folder.is_file() else folder.rglob("*"))
        if path.suffix.lower() in _ENDINGS
    ]

    def rank(path: Path) -> tuple[int, str]:
        stem = path.stem.lower()
        return (_KNOWN.index(stem) if stem in _KNOWN else len(_KNOWN), stem)

    yield from sorted(found, key=rank)


def _read(file: Path) -> Font | None:
    """What a font file says about itself; None where it cannot be read."""
    from fontTools.ttLib import TTFont, TTLibError

    try:
        with file.open("rb") as opened, TTFont(opened, fontNumber=0, lazy=True) as font:
            codes, family = font.getBestCmap() or {}, font["name"].getBestFamilyName()
    except (TTLibError, OSError, KeyError):
        return None
    return Font(file, family, frozenset(map(chr, codes))) if family else None
