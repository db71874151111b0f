"""A study that is being served, and visitors who enter through their links."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

import haechi.demo
from haechi.store.raters import invite_owner, invite_program, invite_rater
from haechi.study.study import Study
from haechi.web.app import create_app
from haechi.web.options import Options

DATA = Path(haechi.demo.__file__).parent / "data"
FILES = {
    "ubica": "ubica/items.jsonl",
    "maice-qac": "maice-qac/sessions.jsonl",
    "diary-comment": "diary-comment/comments.jsonl",
    "hiring-agent": "hiring-agent/runs.csv",
}
ADDRESS = "http://127.0.0.1:8000"


class Browser:
    """One visitor: a cookie jar and the proof that forms send."""

    def __init__(self, app: Any, token: str, entrance: str = "enter", place: str = "/desk") -> None:
        self.token, self.place = token, place
        self.client = TestClient(app, base_url=ADDRESS)
        self.entered = self.client.get(f"/{entrance}/{token}")
        self._state: dict[str, Any] | None = None
        self._items: dict[int, Any] = {}

    @property
    def state(self) -> dict[str, Any]:
        if self._state is None:
            self._state = self.get(f"{self.place}/state")
        return self._state

    def get(self, path: str) -> Any:
        response = self.client.get(path)
        assert response.status_code == 200, (path, response.status_code, response.text)
        return response.json()

    def post(self, path: str, body: Any, proof: str | None = None) -> Any:
        headers = {"X-Haechi-Form": self.state["csrf"] if proof is None else proof}
        return self.client.post(path, json=body, headers=headers)

    def marks(self, position: int = 1) -> dict[str, Any]:
        """What the page writes on every answer to the item at a position."""
        marks = self.state["marks"]  # asking for it gives out the items
        item = self.client.get(f"{self.place}/items/{position}").json().get("item")
        return {**marks, "item": item, "position": position}

    def answer(self, field: str | None, value: str | None = None, position: int = 1, **more: Any) -> Any:
        self._count = getattr(self, "_count", 0) + 1
        marks = self.state["marks"]  # asking for it gives out the items
        if position not in self._items:  # a page asks for an item once, too
            self._items[position] = self.marks(position)["item"]
        told = {**marks, "item": self._items[position], "position": position}
        body = {"id": f"answer-{self._count:05d}", **told, "field": field, "value": value}
        return self.post(f"{self.place}/answers", {**body, **more})


class Desk:
    """A study that is being served."""

    def __init__(self, study: Study, options: Options) -> None:
        self.study, self.options = study, options
        self.app = create_app(study, options)

    def rater(self, name: str = "teacher-1", **more: Any) -> Browser:
        return Browser(self.app, invite_rater(self.study.database, self.study.rubric, name, **more))

    def guest(self) -> Browser:
        """Somebody who has agreed to the public survey."""
        guest = Browser(self.app, "", entrance="survey?", place="/survey/desk")
        guest.client.post("/survey", data={})
        return guest

    def owner(self) -> Browser:
        return Browser(self.app, invite_owner(self.study.database))

    def program(self) -> TestClient:
        token = invite_program(self.study.database, "chatbot-team", 1)
        return TestClient(self.app, base_url=ADDRESS, headers={"Authorization": f"Bearer {token}"})

    def ratings(self) -> list[dict[str, Any]]:
        return self.study.ratings().to_dicts()


def secret_words(study: Study) -> list[str]:
    """What may never reach a rater: the items' ids and everything in their meta."""
    words: set[str] = set()
    for item in study.items():
        words |= {item.id, *(str(value) for value in item.meta.values())}
    return sorted(word for word in words if len(word) > 2 and not re.fullmatch(r"[0-9a-f]+", word))
