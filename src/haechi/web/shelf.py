"""The studies of a folder: which there are, how each of them stands, and a new one."""

from __future__ import annotations

import re
import tempfile
import threading
import unicodedata
from collections.abc import Iterator
from pathlib import Path

from haechi.errors import HaechiError, Problem
from haechi.frozen import frozen
from haechi.report.words import raters_counted
from haechi.rubrics import builtin_ids
from haechi.store.folder import is_study
from haechi.study.study import Study
from haechi.text import Text, readable

_LONGEST_FOLDER = 255  # bytes that a file system takes
_LONGEST = 200  # of the name of a new study
_FORBIDDEN = re.compile(r'[\x00-\x1f\x7f/\\:*?"<>|]')
_DEVICES = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?", re.IGNORECASE)
OWN_RUBRIC = "rubric.yaml"
"""What a rubric is called that was written in the browser."""


@frozen
class Entry:
    """A study in the list: its name, its rubric and how it stands, or why it cannot be opened."""

    name: str
    title: Text | None
    standing: Text
    problem: Problem | None = None


class Shelf:
    """The studies in one folder, each opened once."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self._open: dict[str, tuple[object, Study]] = {}
        self._lock = threading.Lock()

    def names(self) -> list[str]:
        """The names of the studies, in their order."""
        try:
            found = [path.name for path in self.folder.iterdir() if _is_name(path.name) and is_study(path)]
        except OSError as error:
            expected = Text("읽을 수 있는 폴더", "a folder that can be read")
            todo = Text("폴더와 그 권한을 확인하세요", "check the folder and its permissions")
            raise HaechiError.of(
                str(self.folder), error.strerror or type(error).__name__, expected, todo
            ) from None
        return sorted(found, key=str.casefold)

    def entries(self) -> Iterator[Entry]:
        """The list; a study that cannot be opened says why."""
        for name in self.names():
            try:
                study = self.study(name)
                if study is not None:
                    yield Entry(name, study.rubric.title, standing(study))
            except HaechiError as error:
                yield Entry(name, None, Text("열 수 없습니다.", "It cannot be opened."), error.problems[0])

    def study(self, name: str) -> Study | None:
        """The study of a name; None where there is none."""
        folder = self.folder / name
        if not _is_name(name) or not is_study(folder):
            return None
        with self._lock:
            if self.opened(name) is None:
                self._open[name] = (_stamp(folder), Study(folder))
            return self._open[name][1]

    def opened(self, name: str) -> Study | None:
        """The study of a name if it is open already: quick enough to be asked at every request."""
        known = self._open.get(name)
        try:
            return known[1] if known is not None and known[0] == _stamp(self.folder / name) else None
        except OSError:  # it was removed
            return None

    def make(self, name: str, rubric: str, text: str, assistant: str | None, user: str | None) -> Study:
        """Make a study with a built-in rubric, or with the text of an own one; of two at once only one gets the name."""
        folder = self.folder / checked_name(name)
        try:
            folder.mkdir()
        except FileExistsError:
            found = Text("이미 있는 이름", "a name that is taken")
            expected = Text("아직 없는 이름", "a name that is free")
            todo = Text("다른 이름을 적으세요", "choose another name")
            raise HaechiError.of(readable(folder.name), found, expected, todo) from None
        except OSError as error:
            expected = Text("쓰기가 허용된 폴더", "a folder that may be written to")
            todo = Text("폴더의 쓰기 권한과 빈 공간을 확인하세요", "check its permissions and the free space")
            raise HaechiError.of(
                str(self.folder), error.strerror or type(error).__name__, expected, todo
            ) from None
        try:
            with tempfile.TemporaryDirectory() as place:
                if rubric not in builtin_ids():
                    rubric = str(Path(place, OWN_RUBRIC))
                    Path(rubric).write_text(text, "utf-8")
                return Study.new(folder, rubric, assistant, user)
        except BaseException:
            if not is_study(folder):  # nothing half-made stays behind
                for file in folder.iterdir():
                    file.unlink()
                folder.rmdir()
            raise


def _stamp(folder: Path) -> object:
    """What tells a study from one that was made anew under its name."""
    made, database = (folder / "study.yaml").stat(), folder / "study.db"
    return made.st_ino, made.st_mtime_ns, database.stat().st_ino if database.exists() else 0


def _is_name(name: str) -> bool:
    """Whether a name is one part of a path, and text.

    >>> _is_name("일기 1"), _is_name(".."), _is_name("a/b"), _is_name("\\udcff")
    (True, False, False, False)
    """
    if not name or name.startswith(".") or "/" in name or "\\" in name or not _is_text(name):
        return False
    return len(name.encode()) <= _LONGEST_FOLDER


def _is_text(name: str) -> bool:
    return not any("\ud800" <= sign <= "\udfff" or sign == "\0" for sign in name)


def checked_name(name: str) -> str:
    """The name of a new study, which is that of its folder on any system.

    >>> checked_name(" 일기 코멘트 ")
    '일기 코멘트'
    """
    given = unicodedata.normalize("NFC", name).strip()
    fits = _is_name(given) and len(given.encode()) <= _LONGEST
    if fits and not _FORBIDDEN.search(given) and not _DEVICES.fullmatch(given) and given[-1] != ".":
        return given
    found = repr(given)[:80] if given else Text("빈 이름", "no name")
    expected = Text(
        '폴더 이름으로 쓸 수 있는 이름: 점으로 시작하거나 끝나지 않고 / \\ : * ? " < > | 없이 60자쯤까지',
        'a name that can be a folder: not beginning or ending with a dot, without / \\ : * ? " < > |, not too long',
    )
    raise HaechiError.of(
        Text("이름", "name").say(), found, expected, Text("이름을 고치세요", "correct the name")
    )


_COUNTS = """
SELECT kind, count(DISTINCT rater) AS raters, count(*) AS ratings
FROM ratings_in_force JOIN raters ON raters.name = ratings_in_force.rater GROUP BY kind
"""


def standing(study: Study) -> Text:
    """How a study stands, in a sentence."""
    items = study.count_items()
    with study.database.read() as connection:
        counted = {row.kind: row for row in connection.rows(_COUNTS)}
        links = connection.value(
            "SELECT count(DISTINCT name) FROM invitations WHERE role = 'rater' AND revoked IS NULL"
        )
    if not items:
        return Text("아직 항목이 없습니다.", "There are no items yet.")
    if not counted:
        if study.rubric.item == "run":
            return Text(f"실행 {items:,}건을 코드가 채점합니다.", f"{items:,} runs, scored by code.")
        invited = Text(f" 초대한 평가자 {links}명.", f" Raters invited: {links}.") if links else Text("", "")
        return Text(
            f"항목 {items:,}개, 아직 평가가 없습니다.{invited.ko}",
            f"{items:,} items, no ratings yet.{invited.en}",
        )
    ratings = sum(row.ratings for row in counted.values())
    numbers = {kind: counted[kind].raters for kind in ("human", "ai") if kind in counted}
    who = [raters_counted(kind, n) for kind, n in numbers.items() if n]
    ko, en = ", ".join(one.ko for one in who), ", ".join(one.en for one in who)
    return Text(
        f"항목 {items:,}개에 평가 {ratings:,}건" + (f"({ko})." if ko else "."),
        f"{ratings:,} ratings of {items:,} items" + (f" ({en})." if en else "."),
    )
