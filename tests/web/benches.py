"""The workbench of a folder, and its owner."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from visitors import ADDRESS

from haechi.text import Lang
from haechi.web.home import Home, create_home
from haechi.web.options import Options

DIARIES = (
    "번호,일기,코멘트,학년\n"
    "d1,비가 와서 우산을 잃어버렸다.,속상했겠어요. 우산은 찾았나요?,3\n"
    "d2,시험을 봤다.,고생했어요.,4\n"
    "d3,강아지가 아프다.,병원에 가 보세요!,3\n"
)


class Bench:
    """A folder that is being served, and its owner's browser without scripts."""

    def __init__(self, folder: Path, lang: Lang = "en", **options: Any) -> None:
        self.folder = folder
        told = {name: options.pop(name) for name in ("base", "commands") if name in options}
        self.options = Options(given=options, lang=lang, **told)
        self.home = Home(folder, self.options)
        self.app = create_home(self.home)
        self.client = TestClient(self.app, base_url=ADDRESS, headers={"accept": "text/html"})

    def enter(self) -> Bench:
        assert self.client.get(f"/enter/{self.home.token}").status_code == 200
        return self

    def proof(self, path: str) -> str:
        """What the forms of a page send along."""
        found = re.search(r'data-csrf="(\w+)"', self.client.get(path).text)
        assert found is not None
        return found[1]

    def post(self, page: str, path: str, **fields: Any) -> Any:
        """Send a form of a page."""
        return self.client.post(path, data=fields, headers={"X-Haechi-Form": self.proof(page)})

    def make(self, name: str = "diaries", rubric: str = "diary-comment", **more: str) -> Any:
        return self.post("/new", "/new", name=name, rubric=rubric, **more)

    def upload(self, content: bytes | str, name: str, what: str = "items", study: str = "diaries") -> Any:
        page = f"/s/{study}/owner/files"
        headers = {"X-Haechi-Form": self.proof(page)}
        data = content.encode() if isinstance(content, str) else content
        return self.client.post(page, params={"what": what, "name": name}, content=data, headers=headers)

    def tray(self, content: bytes | str, name: str, what: str = "items", study: str = "diaries") -> str:
        """Upload a file; gives the path of the page that shows how it is read."""
        return f"/s/{study}/owner/files/{self.upload(content, name, what, study).json()['tray']}"

    def study(self, name: str = "diaries") -> Any:
        return self.home.shelf.study(name)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """The workbench of an empty folder, with its owner in it."""
    folder = tmp_path / "studies"
    folder.mkdir()
    return Bench(folder).enter()
