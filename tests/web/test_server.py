"""The HTTP server: slow visitors, and whom it believes about addresses."""

from __future__ import annotations

import http.client
import json
import signal
import socket
import threading
from contextlib import closing, suppress
from urllib.parse import urlsplit

import pytest
from browser import served
from desks import desk, open_desk

from haechi.web.server import PromptProtocol, server_of
from processes import start_haechi


def trickle(address, head):
    """Send a request letter by letter until the server has had enough; gives what it said."""
    place = urlsplit(address)
    with socket.create_connection((place.hostname, place.port), timeout=0.02) as visitor:
        visitor.sendall(head)
        for _ in range(1500):
            try:
                return visitor.recv(10)
            except TimeoutError:
                visitor.sendall(b"x")
            except ConnectionResetError:
                return b""
    return None


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(PromptProtocol, "head_seconds", 0.3)


def test_a_request_head_that_never_ends_is_let_go(desk, impatient):
    with served(desk) as address:
        assert trickle(address, b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ") == b""


def test_so_is_a_second_one_on_an_open_connection(desk, impatient):
    with served(desk) as address:
        place = urlsplit(address)
        with closing(http.client.HTTPConnection(place.hostname, place.port, timeout=20)) as visitor:
            visitor.request("GET", "/api/health")
            assert visitor.getresponse().read() == b'{"status":"ok"}'
            visitor.sock.sendall(b"GET / HTTP/1.1\r\nX-Slow: ")
            with suppress(ConnectionResetError):
                assert visitor.sock.recv(10) == b""


def test_whoever_leaves_while_sending_is_no_fault_of_the_server(desk, capfd):
    rater = desk.rater()
    with served(desk) as address:
        place = urlsplit(address)
        head = f"POST /desk/answers HTTP/1.1\r\nHost: {place.netloc}\r\nContent-Length: 99\r\n\r\n"
        with socket.create_connection((place.hostname, place.port)) as visitor:
            visitor.sendall(head.encode() + b'{"half":')
        assert rater.answer("sympathy", "1").status_code == 200
        with closing(http.client.HTTPConnection(place.hostname, place.port, timeout=20)) as other:
            other.request("GET", "/api/health")  # the server has seen by then that the first one is gone
            assert other.getresponse().status == 200
    assert "Traceback" not in "".join(capfd.readouterr())


def guesses(address, forwarded):
    place = urlsplit(address)
    codes = []
    with closing(http.client.HTTPConnection(place.hostname, place.port, timeout=20)) as visitor:
        for n in range(22):
            visitor.request("GET", f"/enter/{n}-{forwarded}", headers={"X-Forwarded-For": forwarded})
            answer = visitor.getresponse()
            answer.read()
            codes.append(answer.status)
    return codes


def test_behind_a_trusted_proxy_visitors_have_their_own_address(desk):
    with served(desk) as address:  # this computer is trusted
        assert guesses(address, "203.0.113.5")[-1] == 429
        assert guesses(address, "203.0.113.6")[0] == 403


def test_nobody_else_is_believed_about_addresses(desk):
    with served(desk, trusted=("10.0.0.1",)) as address:
        assert guesses(address, "203.0.113.5")[-1] == 429
        assert guesses(address, "203.0.113.6")[0] == 429


def test_the_end_of_a_page_does_not_wait_for_the_acknowledgement_of_its_beginning(desk, monkeypatch):
    """A socket of `create_server`, as `haechi serve` listens on, does not name its protocol."""
    said = []
    seen = PromptProtocol.connection_made

    def noticed(self, transport):
        seen(self, transport)
        said.append(transport.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))

    monkeypatch.setattr(PromptProtocol, "connection_made", noticed)
    listening = socket.create_server(("127.0.0.1", 0))
    server = server_of(desk.app)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        with closing(http.client.HTTPConnection(*listening.getsockname(), timeout=20)) as visitor:
            visitor.request("GET", "/")
            visitor.getresponse().read()
    finally:
        server.should_exit = True
        thread.join()
    assert said
    assert all(said)


@pytest.mark.parametrize("told", [signal.SIGTERM, signal.SIGINT])
def test_a_server_that_is_told_to_stop_has_done_its_work(tmp_path, told):
    """As `docker stop` and systemd tell it: one that a signal killed was called failed there."""
    process = start_haechi("serve", tmp_path, "--port", "0", "--json")
    said = ""
    while not said.endswith("}\n"):
        said += process.stdout.readline()
    place = urlsplit(json.loads(said)["desk"])
    with closing(http.client.HTTPConnection(place.hostname, place.port, timeout=20)) as visitor:
        visitor.request("GET", "/")
        assert visitor.getresponse().status < 500
    process.send_signal(told)
    assert process.communicate(timeout=60) == ("", "")
    assert process.returncode == 0
