"""Where `haechi` starts: choose the command, import only that one, say errors so that one can act on them."""

from __future__ import annotations

import argparse
import os
import sys
from itertools import pairwise

from haechi.cli.parser import Formatter, Parser, Version
from haechi.cli.streams import flush, set_up_streams
from haechi.text import TYPE_CHECKING, Text, choose_language, language

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

    from haechi.cli.output import Output
    from haechi.errors import Problem

# The one-line help stands here, so that `haechi --help` imports no command.
COMMANDS: dict[str, Text] = {
    "demo": Text("평가 도구를 예제로 끝까지 실행", "the instruments on bundled examples, end to end"),
    "rubrics": Text("루브릭 목록·보기·검사", "list, show and check rubrics"),
    "new": Text("스터디 만들기", "make a study"),
    "add": Text("평가할 항목 추가", "add items to judge"),
    "pairs": Text("답을 둘씩 짝지어 견주는 스터디", "pair answers, to compare two at a time"),
    "import": Text("평가 결과 가져오기", "import ratings"),
    "checks": Text("기대 결과가 된 체크", "what became of expectations"),
    "history": Text("들어온 것의 이력", "what came in, numbered"),
    "undo": Text("더하거나 가져온 것 되돌리기", "take back an addition or an import"),
    "form": Text(
        "나누어 줄 빈 평가 양식: Excel, 인쇄용 HTML", "a blank form to hand out: Excel, HTML to print"
    ),
    "run": Text("평가할 에이전트에게 질의 모음 묻기", "ask the agent under test a suite of queries"),
    "judge": Text("AI 평가자에게 평가 맡기기", "let AI models judge"),
    "prices": Text("AI 평가자의 가격", "what judges cost"),
    "calls": Text("AI 평가자와 주고받은 것", "what judges were asked, and what came back"),
    "collect": Text("끝난 배치 받아 오기", "fetch finished batches"),
    "anchors": Text(
        "AI 평가자가 예전처럼 평가하는지 앵커로 보기", "whether judges still judge as before, by anchors"
    ),
    "audit": Text(
        "AI 평가자가 내용이 아닌 것에 치우치는지 점검", "whether judges lean to something else than content"
    ),
    "draw": Text("사람이 평가할 항목 무작위로 뽑기", "draw items at random for people to rate"),
    "raters": Text("평가자와 개인 링크", "raters and their personal links"),
    "serve": Text("브라우저의 평가 화면과 현황판", "the rating desk and dashboard in the browser"),
    "score": Text("점수 계산", "scores from ratings or agent runs"),
    "agree": Text("평가자 간 일치도와 신뢰도", "reliability and agreement of raters"),
    "align": Text(
        "AI 평가자를 사람에 맞추기: 어긋난 사례, 새 루브릭, 그 효과",
        "align judges with people: where they differ, a new rubric, what it gained",
    ),
    "compare": Text(
        "집단 비교: 평균, 구간, 검정, 효과 크기", "groups: means, intervals, tests, effect sizes"
    ),
    "rank": Text(
        "둘씩 견준 투표에서 순위: 브래들리–테리", "rank systems from votes between two: Bradley–Terry"
    ),
    "report": Text("보고서 쓰기: HTML, Markdown, Excel, CSV", "write the report: HTML, Markdown, Excel, CSV"),
    "plan": Text(
        "시작하기 전에: 항목·평가자·반복이 몇이나 필요한지",
        "before a study: how many items, raters, repeats",
    ),
    "export": Text(
        "다른 도구로 내보내기: Langfuse, OpenTelemetry, Hugging Face, TRL",
        "for other tools: Langfuse, OpenTelemetry, Hugging Face, TRL",
    ),
    "bundle": Text("스터디를 파일 하나로 묶기", "a study as one file that others can compute again"),
    "replay": Text("묶음의 모든 수치를 다시 계산", "compute every figure of a bundle again"),
    "check": Text("CI 통과 기준: 점수·일치도·응답 시간", "a gate for CI on scores, agreement and times"),
    "completion": Text("셸의 자동 완성", "completion for your shell"),
}
_READING = ("score", "agree", "compare", "rank", "check", "report")
"""Commands that ask a study much and tell it nothing."""
_SMALL = 4_000_000  # bytes; some 2,000 items with their ratings


def main(arguments: list[str] | None = None) -> int:
    """Run one command; 0 done, 1 the answer is no, 2 wrong usage."""
    given = sys.argv[1:] if arguments is None else arguments
    set_up_streams()
    _choose_language_early(given)
    start = _after_language(given)
    if start < len(given) and given[start] in COMMANDS:
        parser, run = command_parser(given[start])
        chosen = parser.parse_args([*given[:start], *given[start + 1 :]])
        if given[start] not in _READING:
            return _run(run, chosen)
        from haechi.store.kept_connections import kept_connections

        with kept_connections():
            return _run(run, chosen)
    root = root_parser()
    root.parse_args(given)
    root.print_help()
    return 0


def start() -> NoReturn:
    """Run the command that was typed in, and end the process."""
    import gc

    given = sys.argv[1:]
    if given[_after_language(given) :][:1] not in (
        ["serve"],
        ["judge"],
        ["collect"],
        ["run"],
    ):  # which live long
        # Thousands of classes and functions are made while modules are imported, and none of them is ever garbage.
        gc.set_threshold(500_000, 10, 10)
    # The matrices are small: starting threads for them takes longer than they, and one figure has one value
    # whatever the number of cores.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if _is_small(given[_after_language(given) :]):
        os.environ.setdefault("POLARS_MAX_THREADS", "1")
    # Nobody's plugin has a say in how data are checked, and looking for one goes through all installed packages.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    _end(main())


def _is_small(given: list[str]) -> bool:
    """Whether a command reads so little that handing work to threads takes longer than the work.

    A study on a database server may hold anything, and so may a pattern of files or a pipe.
    """
    if given[:1] not in [[name] for name in _READING]:
        return False
    named = [path for before, path in pairwise(given) if before != "-o" and os.path.exists(path)]
    if any(_holds(path, "study.yaml") and not _holds(path, "study.db") for path in named):
        return False
    size = 0
    for path in named:
        if not (os.path.isfile(path) or os.path.isdir(path)):  # a pipe has no size
            return False
        inside = (os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names)
        for file in [path] if os.path.isfile(path) else inside:
            size += os.path.getsize(file) if os.path.isfile(file) else 0
            if size > _SMALL:
                return False
    return bool(named)


def _holds(folder: str, name: str) -> bool:
    return os.path.isfile(os.path.join(folder, name))


def _end(code: int) -> NoReturn:
    """End at once: the system takes back what a small command has, sooner than Python takes it apart piece by piece."""
    import atexit
    import threading

    alone = threading.active_count() == 1 and "multiprocessing.process" not in sys.modules
    if alone and sys.getprofile() is None and flush():
        atexit._run_exitfuncs()
        if flush():
            os._exit(code)
    sys.exit(code)


def root_parser() -> argparse.ArgumentParser:
    """The parser that only lists the commands."""
    intro = Text(
        "대화형 AI를 믿을 수 있는 루브릭으로 평가합니다.",
        "Score conversational AI with rubrics one can trust.",
    )
    parser = Parser("haechi", description=intro.say(), formatter_class=Formatter, add_help=False)
    width = max(map(len, COMMANDS)) + 2
    lines = "\n".join(f"  {name.ljust(width)}{text.say()}" for name, text in COMMANDS.items())
    more = Text(
        "`haechi 명령 --help`에 설명과 예가 있습니다.",
        "`haechi COMMAND --help` explains each, with an example.",
    )
    parser.epilog = f"{Text('명령', 'commands').say()}:\n{lines}\n\n{more.say()}"
    parser.add_argument(
        "command", nargs="?", choices=tuple(COMMANDS), metavar="COMMAND", help=argparse.SUPPRESS
    )
    _add_common(parser)
    parser.add_argument("--version", action=Version, nargs=0, help=Text("버전", "the version").say())
    return parser


def command_parser(name: str) -> tuple[argparse.ArgumentParser, Callable[[argparse.Namespace, Output], int]]:
    """The parser of one command and the function that runs it."""
    from importlib import import_module

    module = import_module(f"haechi.cli.{name}_command")
    example = Text("예", "example").say()
    parser = Parser(
        f"haechi {name}",
        description=module.DESCRIPTION.say(),
        epilog=f"{example}:\n" + "\n".join(f"  {line}" for line in module.EXAMPLE.strip().splitlines()),
        formatter_class=Formatter,
        add_help=False,
    )
    module.add_arguments(parser)
    _add_common(parser)
    parser.add_argument("--json", action="store_true", help=Text("JSON으로 출력", "print JSON").say())
    quiet = Text("결과와 오류만 출력", "print the result and errors only")
    parser.add_argument("--quiet", action="store_true", help=quiet.say())
    return parser, module.run


def _add_common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-h", "--help", action="help", help=Text("이 도움말", "this help").say())
    wished = Text(
        "출력 언어 (기본: HAECHI_LANG, 로캘)", "language of the output (default: HAECHI_LANG, locale)"
    )
    parser.add_argument("--lang", choices=("ko", "en"), help=wished.say())


def _run(run: Callable[[argparse.Namespace, Output], int], chosen: argparse.Namespace) -> int:
    from haechi.cli.output import Output
    from haechi.errors import HaechiError, collect_told
    from haechi.interrupts import at_sigterm

    output = Output(as_json=chosen.json, quiet=chosen.quiet)
    try:
        with at_sigterm(_interrupt), collect_told() as told:
            code = run(chosen, output)
        for text in told:
            output.note(text)
        return output.end(code)
    except HaechiError as error:
        output.problems(error.problems)
    except OSError as error:
        output.problems((_explain(error),))
    except KeyboardInterrupt:
        output.note(
            Text(
                "중단했습니다. 반쯤 쓰인 것은 없으며, 같은 명령을 다시 실행하면 나머지를 합니다.",
                "Stopped. Nothing half-written stays behind; the same command again does the rest.",
            )
        )
        return output.end(130)
    return output.end(1)


def _interrupt() -> NoReturn:
    raise KeyboardInterrupt


def _explain(error: OSError) -> Problem:
    import errno

    from haechi.errors import Problem

    if isinstance(error, BrokenPipeError):
        # The reader of our output has gone (`| head`); there is nobody left to tell.
        sys.stdout = None
        raise SystemExit(0)
    known = {
        errno.ENOSPC: (
            Text("디스크의 빈 공간", "free space on the disk"),
            Text("공간을 비운 뒤 다시 실행하세요", "free some space and run again"),
        ),
        errno.EACCES: (
            Text("접근 권한", "permission"),
            Text("파일과 폴더의 권한을 확인하세요", "check the permissions"),
        ),
        errno.EROFS: (
            Text("쓸 수 있는 폴더", "a writable folder"),
            Text("다른 폴더를 고르세요", "choose another folder"),
        ),
    }
    fallback = (
        Text("읽고 쓸 수 있는 경로", "a path that can be read and written"),
        Text("경로를 확인하세요", "check the path"),
    )
    korean = {
        errno.ENOENT: "그런 파일이나 폴더가 없음",
        errno.EEXIST: "이미 있음",
        errno.ENOTDIR: "폴더가 아님",
        errno.EISDIR: "파일이 아니라 폴더",
        errno.EACCES: "권한이 없음",
        errno.EROFS: "읽기 전용 파일 시스템",
        errno.ENOSPC: "빈 공간이 없음",
    }
    expected, todo = known.get(error.errno or 0, fallback)
    words = error.strerror or str(error)
    found = Text(korean.get(error.errno or 0, words), words)
    return Problem(str(error.filename or "haechi"), found, expected, todo)


def _after_language(given: list[str]) -> int:
    """Where the command stands: `--lang` may come before it."""
    if given[:1] == ["--lang"]:
        return 2
    return 1 if given and given[0].startswith("--lang=") else 0


def _choose_language_early(given: list[str]) -> None:
    # Help is printed while arguments are parsed, so the language must be known before. It stays: thousands of words
    # are said, and each would look into the environment again.
    choose_language(None)
    choose_language(language())
    for before, value in zip([*given], [*given[1:], ""], strict=False):
        if before == "--lang" and value in ("ko", "en"):
            choose_language("ko" if value == "ko" else "en")
        elif before in ("--lang=ko", "--lang=en"):
            choose_language("ko" if before.endswith("ko") else "en")


if __name__ == "__main__":
    start()
