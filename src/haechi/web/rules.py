"""What the rubric's rules say about an item before anybody is asked."""

from __future__ import annotations

import threading
from collections.abc import Collection

from haechi.data.item import Item
from haechi.data.item_questions import asks_by_item, item_questions, rulable_names, ruled_names
from haechi.prompt.form import form_of
from haechi.rubrics import Rubric
from haechi.store.connection import Connection
from haechi.store.items import items_state, read_items
from haechi.web.answers import required_fields


class RubricRules:
    """The rules of one rubric, and the items of which they leave nothing to ask.

    >>> import haechi
    >>> from haechi.data.item import Item
    >>> rules = RubricRules(haechi.rubric("hiring-agent"))
    >>> rules.is_answered(Item("q1", "run", {"query": "q1", "error": "TimeoutError", "payload": None}, {}))
    True
    """

    def __init__(self, rubric: Rubric) -> None:
        self._rubric = rubric
        self._required = required_fields(rubric)
        self._floors = form_of(rubric, "ko").floors
        # Without a rule that looks at the item itself nothing needs to read items.
        self.look_at_items = bool(rulable_names(rubric)) or asks_by_item(rubric)
        self._lock = threading.Lock()
        self._known: tuple[object, frozenset[str]] | None = None

    def is_answered(
        self, item: Item | None, answered: Collection[str] = (), floors: Collection[str] = ()
    ) -> bool:
        """Whether nothing is left to ask, given what was answered and which floors were stated."""
        ruled, own = frozenset[str](), set[str]()
        if item is not None:
            ruled = ruled_names(self._rubric, item)
            own = set(item_questions(self._rubric, item))
        implied = {name for floor in self._floors if floor.name in floors for name in floor.fields}
        return self._required | own <= {*answered, *implied, *ruled}

    def decided(self, connection: Connection) -> frozenset[str]:
        """The ids of the items of which the rules say everything; read anew only when items have changed."""
        if not self.look_at_items or not (self._required or asks_by_item(self._rubric)):
            return frozenset()
        state = items_state(connection)
        with self._lock:
            if self._known is None or self._known[0] != state:
                asked = (item for item in read_items(connection) if item.kind != "bare")
                self._known = (state, frozenset(item.id for item in asked if self.is_answered(item)))
            return self._known[1]
