"""`python -m bench [NAME…] [options]`: every benchmark, or those named, measured side by side in one run.

`python -m bench page` writes `docs/performance.md` from what was kept with `--save`, and the Korean pages of all that was measured;
`python -m bench scale` prints what a billion runs would take, for `docs/scale.md`;
`python -m bench coverage` simulates how often our intervals hold and writes `docs/statistics/coverage.md`;
`python -m bench human_scale` the same of the number people would have given: `docs/statistics/human-scale-measured.md`;
`python -m bench compare [NAME…]` measures again and fails if a ratio has become worse by more than a third.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module

from bench import coverage, human_scale, korean_pages, page, scale
from bench.results import Result, load, save

TOLERANCE = 4 / 3


def main(arguments: list[str]) -> int:
    """Run the named benchmarks with the remaining options."""
    if arguments[:1] == ["page"]:
        page.write()
        korean_pages.write()
        return 0
    if arguments[:1] == ["scale"]:
        scale.main(arguments[1:])
        return 0
    if arguments[:1] == ["coverage"]:
        coverage.main(arguments[1:])
        korean_pages.write()
        return 0
    if arguments[:1] == ["human_scale"]:
        human_scale.main(arguments[1:])
        korean_pages.write()
        return 0
    against = arguments[:1] == ["compare"]
    named = [argument for argument in arguments if argument in page.TITLES]
    options = [argument for argument in arguments if argument not in (*page.TITLES, "compare", "--save")]
    worse = []
    for name in named or page.TITLES:
        print(f"\n## {page.TITLES[name]}\n", flush=True)
        results = import_module(f"bench.{name}").main(options)
        for result in results:
            print(f"{result.title}\n\n{result.markdown()}\n", flush=True)
        if against:
            worse += regressions(load(name), results)
        if "--save" in arguments:
            save(name, results)
    for line in worse:
        print(line)
    return 1 if worse else 0


def regressions(earlier: Sequence[Result], now: Sequence[Result]) -> list[str]:
    """Which ratios have become worse than noise explains; seconds are not looked at."""
    known = {ratio.name: ratio for result in earlier for ratio in result.ratios}
    return [
        f"worse: {ratio.name} {known[ratio.name].value:.2f} → {ratio.value:.2f}"
        for result in now
        for ratio in result.ratios
        if ratio.name in known and ratio.worse_than(known[ratio.name]) > TOLERANCE
    ]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
