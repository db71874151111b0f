"""What many tests need: the command line as a user runs it, and small files."""

from __future__ import annotations

import gc
import json
import os
import socket
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from haechi.text import choose_language

# A conftest.py in the folder of a plugin would be collected before this one.
pytest_plugins = ["cluster.cluster_fixtures", "databases"]


# How long an example takes is up to the machine, and no finding.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")

MEMORY = Path("/dev/shm")
ROOM = 4 * 2**30  # bytes; the files of a whole run and some more
WAITING = {
    "chromium",
    "server",
}  # a cluster takes the processor as long as it is there: those files come late


def _use_memory() -> None:
    """Keep the tests' files in memory where there is room: a study waits for the disk after every answer."""
    if "TMPDIR" not in os.environ and MEMORY.is_dir():
        there = os.statvfs(MEMORY)
        if there.f_bavail * there.f_frsize > ROOM and not there.f_flag & os.ST_NOEXEC:
            os.environ["TMPDIR"] = str(MEMORY)
            tempfile.tempdir = None  # it is looked for again


_use_memory()


def pytest_sessionstart(session: pytest.Session) -> None:
    """Before every test a process asks what `--reruns` knows of it, in two small packets: the second waited 40 ms for a receipt of the first."""
    known = getattr(session.config, "failures_db", None)
    if hasattr(known, "sock"):
        known.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


@pytest.hookimpl(trylast=True)  # after those that are not to run are gone
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """First the files that wait for a browser or a server, last the many short ones: then no process ends long after the others."""
    tests: dict[Path, list[pytest.Item]] = {}
    for item in items:
        tests.setdefault(item.path, []).append(item)

    def place(file: Path) -> tuple[bool, bool, int]:
        waits = any(WAITING & set(getattr(item, "fixturenames", ())) for item in tests[file])
        return not waits, not file.name.startswith("test_"), -len(tests[file])

    items[:] = [item for file in sorted(tests, key=place) for item in tests[file]]


def pytest_collection_finish() -> None:
    """What was imported and collected stays until the end, and what a test makes is soon gone: both are looked through less often."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch):
    """Messages are checked in English unless a test asks for Korean."""
    monkeypatch.setenv("HAECHI_LANG", "en")
    monkeypatch.setenv("XDG_CONFIG_HOME", "/nonexistent")  # nobody's own prices
    yield
    choose_language(None)


@pytest.fixture(scope="session", autouse=True)
def one_authority(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """One authority to trust: every client of a provider reads all of them, and none is asked here."""
    import certifi

    mark = "-----END CERTIFICATE-----\n"
    file = tmp_path_factory.mktemp("authorities") / "one.pem"
    file.write_text(Path(certifi.where()).read_text("utf-8").partition(mark)[0] + mark, "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SSL_CERT_FILE", str(file))
        yield


class Ran:
    """What a command did."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def haechi(capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Run a command in this process."""
    from haechi.cli.start import main

    def run(*arguments: object) -> Ran:
        capsys.readouterr()
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as stop:
            code = int(stop.code or 0)
        out, err = capsys.readouterr()
        return Ran(code, out, err)

    return run


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the four example studies, to be read only: they are made once for all tests of a process."""
    from haechi.demo import make_studies

    folder = tmp_path_factory.mktemp("demo") / "demo"
    for _ in make_studies(folder):
        pass
    return folder


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str | bytes], Path]:
    """Write a small file."""

    def made(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return made


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The three providers on this machine; the SDKs find them by their own environment variables."""
    from provider_server import Server, running
    from provider_settings import KEYS, addresses

    with running(Server()) as started:
        for name, value in (KEYS | addresses(started.url)).items():
            monkeypatch.setenv(name, value)
        monkeypatch.delenv("GOOGLE_API_KEY", raising=False)
        yield started


@pytest.fixture
def make_study(tmp_path: Path) -> Callable[..., Any]:
    """A study of diaries or dialogues whose texts carry their ids."""
    from haechi.study.study import Study

    def made(count: int, rubric: str = "diary-comment", name: str = "study") -> Study:
        study = Study.new(tmp_path / name, rubric)
        file = tmp_path / "items.jsonl"
        with file.open("w") as out:
            for number in range(count):
                said = (("user", f"항목<d{number}> 도함수?"), ("assistant", "네"))
                talk = [{"role": role, "content": content} for role, content in said]
                reply = {"context": f"항목<d{number}> 비가 왔다.", "response": "우산은 챙기셨어요?"}
                content = {"messages": talk} if study.rubric.item == "dialogue" else reply
                out.write(json.dumps({"id": f"d{number}", **content}) + "\n")
        study.add([file])
        return study

    return made
