"""Ratings of items that a study does not know: a study without items takes them, any other only when it is told to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable

from haechi.errors import Problem
from haechi.store.connection import Connection
from haechi.store.items import known_items
from haechi.text import Text, first_few

_SHOWN, _COMPARED = 5, 5_000


def _nowhere(_: Collection[str]) -> set[str]:
    return set()


class UnknownItems:
    """Tells ratings of known items from others, and counts the others.

    create: items are made for unknown ids; first: the study has no items, and takes those of its first import.
    in_files: which of some ids are those of runs that are kept as files.
    """

    def __init__(
        self,
        connection: Connection,
        create: bool = False,
        in_files: Callable[[Collection[str]], set[str]] = _nowhere,
        has_files: bool = False,
    ) -> None:
        self._connection, self._in_files = connection, in_files
        some = connection.value("SELECT id FROM items_in_force LIMIT 1")
        self.first = some is None and not has_files
        self.free = create or self.first
        self._known: set[str] = set()
        self._unknown: Counter[str] = Counter()

    def welcome(self, ids: Iterable[str]) -> set[str]:
        """Those of the ids that may be rated; the others are counted, once for every rating."""
        given = list(ids)
        if self.free:
            return set(given)
        new = set(given) - self._known - self._unknown.keys()
        if new:
            there = known_items(self._connection, new)
            self._known |= there | self._in_files(new - there)
        self._unknown.update(item for item in given if item not in self._known)
        return self._known

    def problem(self, place: str) -> Problem | None:
        """All unknown ids as one mistake, with the nearest that are known."""
        if not self._unknown:
            return None
        count, ratings = len(self._unknown), self._unknown.total()
        shown = first_few(self._unknown, _SHOWN)
        if self._known:
            found = Text(
                f"스터디에 없는 항목 id {count:,}개(평가 {ratings:,}건): {shown}",
                f"{count:,} item ids that the study does not have ({ratings:,} ratings): {shown}",
            )
        else:
            found = Text(
                f"항목 id {count:,}개가 모두 스터디에 없음(평가 {ratings:,}건): {shown}",
                f"none of {count:,} item ids is in the study ({ratings:,} ratings): {shown}",
            )
        ids = self._connection.values(f"SELECT id FROM items_in_force ORDER BY number LIMIT {_COMPARED}")
        first = first_few(ids, _SHOWN)
        expected = Text(f"이 스터디의 항목 id: {first}", f"ids of items in this study: {first}")
        return Problem(place, found, expected, self._todo(ids))

    def _todo(self, ids: list[str]) -> Text:
        from difflib import get_close_matches

        pairs = [(item, get_close_matches(item, ids, 1, 0.6)) for item in list(self._unknown)[:_SHOWN]]
        near = ", ".join(f"{item} → {found[0]}" for item, found in pairs if found)
        meant = Text(f"가까운 id: {near}. ", f"nearest: {near}; ") if near and self._known else Text("", "")
        wrong = Text("", "")
        if not self._known:
            wrong = Text(
                "다른 스터디의 파일이 아닌지 확인하세요. ", "see whether the file belongs to another study; "
            )
        return Text(
            f"{meant.ko}{wrong.ko}새 항목이 맞으면 --create-items를 붙이세요. 아무것도 쓰지 않았습니다",
            f"{meant.en}{wrong.en}for new items give --create-items. Nothing was written",
        )
