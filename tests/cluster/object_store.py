"""As much of S3 as reading needs, on this machine: listing, sizes, and ranges of bytes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import parse_qs, unquote, urlparse
from xml.sax.saxutils import escape

_CHANGED = 1_790_000_000


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    folder: Path

    def do_HEAD(self) -> None:
        self._answer()

    def do_GET(self) -> None:
        self._answer()

    def _answer(self) -> None:
        asked = urlparse(self.path)
        bucket, _, key = unquote(asked.path).lstrip("/").partition("/")
        file = self.folder / bucket / key
        if not key and "list-type" in asked.query:
            self._send(200, self._listing(bucket, parse_qs(asked.query).get("prefix", [""])[0]))
        elif not key and file.is_dir():
            self._send(200, b"")
        elif file.is_file():
            self._send_file(file.read_bytes())
        else:
            self._send(404, b"<Error><Code>NoSuchKey</Code></Error>")

    def _listing(self, bucket: str, prefix: str) -> bytes:
        root = self.folder / bucket
        files = {
            file.relative_to(root).as_posix(): file for file in sorted(root.rglob("*")) if file.is_file()
        }
        found = "".join(
            f"<Contents><Key>{escape(key)}</Key><Size>{file.stat().st_size}</Size>"
            "<LastModified>2026-09-21T00:00:00.000Z</LastModified></Contents>"
            for key, file in files.items()
            if key.startswith(prefix)
        )
        return f"<ListBucketResult><Name>{bucket}</Name><IsTruncated>false</IsTruncated>{found}</ListBucketResult>".encode()

    def _send_file(self, content: bytes) -> None:
        wanted = re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers.get("Range") or "")
        if wanted is None:
            self._send(200, content)
            return
        first, last = wanted.groups()
        start = int(first) if first else max(0, len(content) - int(last))
        stop = min(int(last) + 1, len(content)) if first and last else len(content)
        self._send(206, content[start:stop], f"bytes {start}-{stop - 1}/{len(content)}")

    def _send(self, status: int, content: bytes, place: str | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Last-Modified", formatdate(_CHANGED, usegmt=True))
        self.send_header("ETag", '"1"')
        if place:
            self.send_header("Content-Range", place)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Quiet."""


@contextmanager
def object_store(folder: Path) -> Iterator[dict[str, str]]:
    """Serve the folders in `folder` as buckets; the environment by which they are found."""
    handler = type("Handler", (_Handler,), {"folder": folder})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield {
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{server.server_port}",
            "AWS_ALLOW_HTTP": "true",
            "AWS_ACCESS_KEY_ID": "somebody",
            "AWS_SECRET_ACCESS_KEY": "something",
            "AWS_REGION": "us-east-1",
            "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_EC2_METADATA_DISABLED": "true",
        }
        server.shutdown()
