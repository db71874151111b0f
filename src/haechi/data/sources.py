"""Which files are meant: files, folders, globs and `s3://` addresses as a command gets them."""

from __future__ import annotations

import glob
from collections.abc import Callable, Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from haechi.data.files import check_exists, refuse
from haechi.errors import HaechiError
from haechi.frozen import frozen
from haechi.text import Text

Source = Path | str
"""A file on a disk, or the address of a Parquet file in S3."""

KINDS = (".jsonl", ".parquet")
"""What is taken from a folder; a file that is named itself may be of any kind."""

S3 = "s3://"
_WILD = frozenset("*?[")


@frozen
class SourceFile:
    """A file as a reader finds it again; `date` is the day on which it was last changed, or added to a study, by the clock of this machine."""

    name: str
    sha256: str
    date: str


@frozen
class StudySources:
    """The files that a study was made of to look at them: what errors call them, and the rubric as it was given."""

    place: str
    files: tuple[SourceFile, ...]
    rubric: str


def files_of(targets: Iterable[Path | str]) -> list[Source]:
    """The files that targets mean, in the order of the targets and by name within each, every file once.

    A folder stands for the `.jsonl` and `.parquet` files directly in it, without those whose names begin with
    a dot or an underscore. A glob that the shell did not expand is expanded here.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> for name in ("b.jsonl", "a.parquet", "_summary.parquet", "notes.txt"):
    ...     _ = (folder / name).write_text("x")
    >>> [file.name for file in files_of([folder, folder / "*.jsonl"])]
    ['a.parquet', 'b.jsonl']
    """
    found: dict[str, Source] = {}
    for target in targets:
        for file in _files(str(target)):
            found.setdefault(file if isinstance(file, str) else str(file.resolve()), file)
    return list(found.values())


def absolute(sources: Iterable[Source]) -> list[Source]:
    """The same files as they are called from any folder.

    >>> absolute(["s3://bucket/a.parquet", Path("/data/b.parquet")])
    ['s3://bucket/a.parquet', PosixPath('/data/b.parquet')]
    """
    return [source.absolute() if isinstance(source, Path) else source for source in sources]


def name_of(source: Source) -> str:
    """The last part of a path or address.

    >>> name_of("s3://bucket/runs/a.parquet")
    'a.parquet'
    """
    return source.rsplit("/", 1)[-1] if isinstance(source, str) else source.name


def stamps_of(sources: Sequence[Source]) -> list[tuple[int, int]]:
    """The size of every file and when it was changed, to tell whether it is still the same."""
    remote = [source for source in sources if isinstance(source, str)]
    names = [address.removeprefix(S3) for address in remote]
    about = _s3(remote[0], lambda system, _: system.get_file_info(names)) if remote else []
    known = {
        address: (info.size or 0, info.mtime_ns or 0) for address, info in zip(remote, about, strict=True)
    }
    return [known[source] if isinstance(source, str) else _stamp(source) for source in sources]


def _stamp(path: Path) -> tuple[int, int]:
    about = path.stat()
    return about.st_size, about.st_mtime_ns


def _files(target: str) -> Iterator[Source]:
    if target.startswith(S3):
        yield from _in_s3(target)
        return
    path = Path(target)
    if path.is_dir():
        chosen = [file for file in sorted(path.iterdir()) if _is_meant(file.name) and file.is_file()]
        if not chosen:
            raise _nothing(target)
        yield from chosen
    elif not path.exists() and _WILD & set(target):
        matching = [Path(name) for name in sorted(glob.glob(target, recursive=True))]
        matching = [file for file in matching if file.is_file()]
        if not matching:
            raise _nothing(target)
        yield from matching
    else:
        check_exists(path)
        yield path


def _is_meant(name: str) -> bool:
    return name.lower().endswith(KINDS) and not name.startswith((".", "_"))


def _in_s3(address: str) -> Iterator[str]:
    """The Parquet files behind an address; it is asked only where the address is not that of one file."""
    wild = bool(_WILD & set(address))
    if address.endswith(".parquet") and not wild:
        yield address
        return
    if not wild and "." in address.rsplit("/", 1)[-1]:
        expected = Text("S3에서는 Parquet 파일", "Parquet files in S3")
        todo = Text(
            "Parquet로 저장하거나 파일을 내려받아 쓰세요", "save it as Parquet, or download the file first"
        )
        raise refuse(address, address.rsplit(".", 1)[-1], expected, todo)
    pattern = address if wild else address.rstrip("/") + "/*.parquet"
    folder = pattern[: min(pattern.index(sign) for sign in _WILD if sign in pattern)].rsplit("/", 1)[0]
    names = [S3 + name for name in _listed(folder) if _is_meant(name.rsplit("/", 1)[-1])]
    matching = sorted(
        name for name in names if fnmatchcase(name, pattern) and name.count("/") == pattern.count("/")
    )
    if not matching:
        raise _nothing(address)
    yield from matching


def _listed(address: str) -> list[str]:
    """All names of Parquet files below an address."""

    def everything(system: Any, path: str) -> Any:
        from pyarrow import fs

        return system.get_file_info(fs.FileSelector(path, recursive=True))

    found = _s3(address, everything)
    return [info.path for info in found if info.path.endswith(".parquet")]


def _s3(address: str, ask: Callable[[Any, str], Any]) -> Any:
    """Ask S3 by the credentials of the environment."""
    try:
        from pyarrow import ArrowException, fs
    except ImportError:
        found = Text("pyarrow가 설치되어 있지 않음", "pyarrow is not installed")
        todo = Text("설치하세요: pip install 'haechi[s3]'", "install it: pip install 'haechi[s3]'")
        raise refuse(address, found, Text("S3를 묻는 pyarrow", "pyarrow, which asks S3"), todo) from None
    try:
        return ask(*fs.FileSystem.from_uri(address))
    except (OSError, ArrowException) as error:
        expected = Text("읽을 수 있는 S3 주소", "an S3 address that can be read")
        todo = Text(
            "주소와 AWS_ACCESS_KEY_ID, AWS_REGION 등의 환경 변수를 확인하세요",
            "check the address and the environment variables AWS_ACCESS_KEY_ID, AWS_REGION …",
        )
        raise refuse(address, str(error).splitlines()[0], expected, todo) from None


def _nothing(target: str) -> HaechiError:
    kinds = " ".join(KINDS)
    expected = Text(f"한 개 이상의 파일 ({kinds})", f"at least one file ({kinds})")
    todo = Text(
        "경로를 확인하세요. CSV, xlsx, JSON은 폴더 대신 파일을 적으세요: 폴더/*.csv",
        "check the path; name CSV, xlsx and JSON files themselves instead of their folder: FOLDER/*.csv",
    )
    return refuse(target, Text("맞는 파일 없음", "no such files"), expected, todo)
