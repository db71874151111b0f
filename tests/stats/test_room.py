"""The room of statistics stands alone: it imports nothing of ours but how a class is made, and nothing slow until it is needed."""

import ast
import subprocess
import sys
from pathlib import Path

import haechi.stats

SOURCES = sorted(Path(haechi.stats.__file__).parent.glob("*.py"))


def test_imports_nothing_of_ours():
    assert len(SOURCES) > 20
    for source in SOURCES:
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                ours = name.startswith("haechi") and not name.startswith("haechi.stats")
                assert not ours or name == "haechi.frozen", (source.name, name)


def test_import_is_light():
    code = "import sys, haechi.stats; print([m for m in ('scipy', 'pandas', 'polars') if m in sys.modules])"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"
