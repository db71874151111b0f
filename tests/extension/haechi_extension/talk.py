"""A format of files: `# id`, then the question and the answer, each on a line of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from haechi.data.files import Row, lines_of

NO_READER = "not a function"


def read(path: Path) -> Iterator[Row]:
    """One row for every block."""
    block: list[str] = []
    for number, line in lines_of(path):
        block.append(line.strip())
        if len(block) == 3:
            name, question, answer = block
            data = {"id": name.removeprefix("# "), "context": question, "response": answer}
            yield Row(f"{path.name}:{number - 2}", data)
            block = []
