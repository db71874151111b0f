"""The file of a bundle: a zip with the same bytes for the same content, a list of hashes in it, and a signature on the list.

A bundle comes from strangers: only names that we write are read, within bounds, and nothing of it is put on disk by its name.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

from haechi.data.atomic_files import whole_file
from haechi.errors import HaechiError, in_words
from haechi.store.folder import ANCHORS, AUDIT
from haechi.text import Text

APART = (ANCHORS, AUDIT)
"""The folders of a study whose studies, by the same rubric, are in its bundle too."""
NAMES = (
    *("study.json", "rubric.yaml", "items.jsonl", "ratings.jsonl", "calls.jsonl", "figures.json"),
    *(f"{apart}/{name}.jsonl" for apart in APART for name in ("items", "ratings", "calls")),
)
HASHES, SIGNATURE = "hashes.txt", "hashes.txt.sig"
_SPACE = "haechi"  # what a signature is for, so that none made for something else fits
_MOST = 2 << 30
_DAY = (1980, 1, 1, 0, 0, 0)  # the first that a zip can say: the same bytes whenever it is written


def write_archive(path: Path, parts: Mapping[str, bytes], key: Path | None = None) -> str:
    """Write the parts with the list of their hashes, signed if there is a key; gives the list's own hash."""
    listed = hash_list(parts)
    whole = {**parts, HASHES: listed}
    if key is not None:
        whole[SIGNATURE] = _signature(listed, key)
    with (
        whole_file(path) as temporary,
        zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive,
    ):
        for name in sorted(whole):
            entry = zipfile.ZipInfo(name, _DAY)
            entry.compress_type, entry.external_attr, entry.create_system = (
                zipfile.ZIP_DEFLATED,
                0o644 << 16,
                3,
            )
            archive.writestr(entry, whole[name])
    return hashlib.sha256(listed).hexdigest()


def hash_list(parts: Mapping[str, bytes]) -> bytes:
    """The hashes of the parts, as `sha256sum` writes them.

    >>> hash_list({"b": b"2", "a": b"1"}).decode().splitlines()[0]
    '6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b  a'
    """
    lines = [f"{hashlib.sha256(parts[name]).hexdigest()}  {name}" for name in sorted(parts)]
    return "\n".join([*lines, ""]).encode()


def read_archive(path: Path) -> dict[str, bytes]:
    """The parts of a bundle, whose hashes are those of its list."""
    if path.is_dir():
        raise _broken(path, Text("폴더", "a folder"))
    try:
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
            _check_entries(path, entries)
            parts = {entry.filename: _read(path, archive, entry) for entry in entries}
    except FileNotFoundError:
        raise
    except (zipfile.BadZipFile, OSError, EOFError, RuntimeError, NotImplementedError, ValueError) as error:
        said = in_words(str(error))
        raise _broken(path, Text(f"읽을 수 없음: {said.ko}", f"it cannot be read: {said.en}")) from None
    listed = parts.pop(HASHES, b"")
    parts.pop(SIGNATURE, None)
    expected = hash_list(parts)
    if listed != expected:
        stated = dict(
            line.split("  ", 1)[::-1]
            for line in listed.decode("utf-8", "replace").splitlines()
            if "  " in line
        )
        mine = dict(line.split("  ", 1)[::-1] for line in expected.decode().splitlines())
        changed = sorted(name for name in {*stated, *mine} if stated.get(name) != mine.get(name)) or [HASHES]
        names = ", ".join(changed)
        raise _broken(path, Text(f"해시가 다른 파일: {names}", f"hashes differ: {names}"))
    return parts


def _check_entries(path: Path, entries: list[zipfile.ZipInfo]) -> None:
    names = [entry.filename for entry in entries]
    strange = sorted({name for name in names if name not in (*NAMES, HASHES, SIGNATURE)})
    if strange or len(set(names)) != len(names):
        shown = ", ".join(strange[:3]) or ", ".join(names[:3])
        raise _broken(
            path, Text(f"모르는 파일이나 두 번 나오는 파일: {shown}", f"unknown or repeated files: {shown}")
        )
    if sum(entry.file_size for entry in entries) > _MOST:
        raise _broken(path, Text("압축을 풀면 2 GB 초과", "more than 2 GB unpacked"))


def _read(path: Path, archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    with archive.open(entry) as stream:
        content = stream.read(entry.file_size + 1)  # a size that lies is not believed
    if len(content) != entry.file_size:
        raise _broken(
            path, Text(f"{entry.filename}의 크기가 다름", f"the size of {entry.filename} is another")
        )
    return content


def _broken(path: Path, found: Text) -> HaechiError:
    expected = Text("haechi bundle이 쓴 파일", "a file written by haechi bundle")
    todo = Text(
        "보낸 사람에게 다시 받거나, 원래 스터디에서 haechi bundle로 다시 만드세요",
        "ask for it again, or make it anew from the study with haechi bundle",
    )
    return HaechiError.of(str(path), found, expected, todo)


def signer_of(path: Path, allowed: Path) -> str:
    """Who signed the list of hashes, of those whom the file of allowed signers names; an error if nobody of them did."""
    with zipfile.ZipFile(path) as archive:
        present = set(archive.namelist())
        if SIGNATURE not in present or HASHES not in present:
            raise _unsigned(path, Text("서명이 없음", "there is no signature"))
        listed, signature = archive.read(HASHES), archive.read(SIGNATURE)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / SIGNATURE
        place.write_bytes(signature)
        keygen = _keygen()
        found = subprocess.run(  # noqa: S603
            [keygen, "-Y", "find-principals", "-s", place, "-f", allowed], check=False, capture_output=True
        )
        names = found.stdout.decode("utf-8", "replace").splitlines()
        for name in names:
            words = [keygen, "-Y", "verify", "-f", str(allowed), "-I", name, "-n", _SPACE, "-s", str(place)]
            if subprocess.run(words, input=listed, check=False, capture_output=True).returncode == 0:  # noqa: S603
                return name
    raise _unsigned(path, Text("허용된 사람의 서명이 아님", "the signature is of nobody who is allowed"))


def _unsigned(path: Path, found: Text) -> HaechiError:
    expected = Text("--signed-by에 적힌 사람의 서명", "a signature of somebody whom --signed-by names")
    todo = Text(
        "haechi bundle … --sign 키파일로 다시 만들어 달라고 하세요",
        "ask for one made with haechi bundle … --sign KEYFILE",
    )
    return HaechiError.of(str(path), found, expected, todo)


def _signature(listed: bytes, key: Path) -> bytes:
    """An SSH signature: most people have such a key, and `ssh-keygen` checks it without us."""
    words = [_keygen(), "-Y", "sign", "-q", "-f", str(key), "-n", _SPACE]
    ran = subprocess.run(words, input=listed, check=False, capture_output=True)  # noqa: S603
    if ran.returncode:
        said = ran.stderr.decode("utf-8", "replace").strip()
        expected = Text("SSH 개인 키 파일", "a file with a private SSH key")
        todo = Text("ssh-keygen -t ed25519로 키를 만드세요", "make one with ssh-keygen -t ed25519")
        raise HaechiError.of(str(key), said or "ssh-keygen", expected, todo)
    return ran.stdout


def _keygen() -> str:
    found = shutil.which("ssh-keygen")
    if found is None:
        expected = Text("ssh-keygen (OpenSSH)", "ssh-keygen (OpenSSH)")
        todo = Text("OpenSSH를 설치하거나 서명 없이 쓰세요", "install OpenSSH, or go without a signature")
        raise HaechiError.of("ssh-keygen", Text("없음", "not found"), expected, todo)
    return found
