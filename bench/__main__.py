"""`python -m bench [NAME…] [options]`: every benchmark, or those named. Ratios are measured side by side in one run."""

from __future__ import annotations

import sys
from importlib import import_module

NAMES = ("startup", "runs", "agreement", "agree_file", "judge", "desk", "scale")


def main(arguments: list[str]) -> None:
    """Run the named benchmarks with the remaining options."""
    named = [argument for argument in arguments if argument in NAMES]
    options = [argument for argument in arguments if argument not in NAMES]
    for name in named or NAMES:
        print(f"\n## {name}\n")
        import_module(f"bench.{name}").main(options)


if __name__ == "__main__":
    main(sys.argv[1:])
