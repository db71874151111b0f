"""`haechi serve`: the rating desk and the owner's pages of a study in the browser, or the workbench with all studies of a folder."""

from __future__ import annotations

import argparse
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from haechi.cli.add_command import BRINGING_ROWS
from haechi.cli.addresses import in_address, is_loopback, listen, network_of, port_of, sub_path
from haechi.cli.argument_types import amount, count, seed, share_above_0
from haechi.cli.output import Output
from haechi.errors import HaechiError
from haechi.text import Text, language

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from starlette.types import ASGIApp

    from haechi.web.options import Options

DESCRIPTION = Text(
    "스터디의 평가 화면과 소유자의 페이지를 브라우저에 엽니다. 스터디가 아닌 폴더(기본: 지금 폴더)를 주면 그 안의 모든 스터디를 다루는 작업 화면을 "
    "엽니다: 스터디 만들기, 파일 넣기, 평가자 초대, AI 평가, 보고서.",
    "Open the rating desk and the owner's pages of a study in the browser. A folder that is no study (default: this one) opens "
    "the workbench with all studies in it: make a study, bring in files, invite raters, start AI judges, read the report.",
)
EXAMPLE = """
haechi serve
haechi serve tutoring
haechi serve diaries --overlap 3 --repeat-every 10 --training
haechi serve tutoring --until total=±1.0
haechi serve luna --public-survey --items-per-guest 2
haechi serve luna --public-survey --talk openai:luna@http://localhost:8080/v1 --talk-prompt luna.txt
haechi serve tutoring --host 0.0.0.0 --base /desk
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    folder = Text(
        "스터디 폴더, 또는 스터디들이 있는 폴더 (기본: 지금 폴더)",
        "a study, or a folder with studies (default: this folder)",
    )
    parser.add_argument("folder", metavar="DIR", nargs="?", default=".", help=folder.say())
    host = Text("받을 주소 (기본: 이 컴퓨터에서만)", "address to listen on (default: this computer only)")
    parser.add_argument("--host", default="127.0.0.1", help=host.say())
    port = Text("포트, 0은 빈 포트 아무것이나", "port; 0 for any that is free")
    parser.add_argument("--port", type=port_of, default=8000, help=port.say())
    base = Text("역방향 프록시의 하위 경로(예: /desk)", "sub-path behind a reverse proxy, such as /desk")
    parser.add_argument("--base", default="", metavar="PATH", help=base.say())
    proxy = Text(
        "방문자의 주소를 알려 주는 역방향 프록시의 주소나 대역, 여러 번 쓸 수 있음 (기본: 이 컴퓨터)",
        "address or network of a reverse proxy that is believed about its visitors' addresses; may be given several "
        "times (default: this computer)",
    )
    parser.add_argument(
        "--trusted-proxy", type=network_of, action="append", metavar="ADDRESS", help=proxy.say()
    )
    commands = Text(
        "소유자의 페이지에서 명령(프로그램)인 에이전트도 실행하고 다른 환경 변수도 쓰게 함. 그 페이지가 이 컴퓨터에서 프로그램을 시작할 수 있게 됩니다",
        "let the owner's page run agents that are programs, and use any environment variable: that page can then start "
        "programs on this computer",
    )
    parser.add_argument("--allow-commands", action="store_true", help=commands.say())
    _add_desk(parser)
    _add_survey(parser)
    _add_talk(parser)


def _add_desk(parser: argparse.ArgumentParser) -> None:
    """What raters get, and in which order."""
    overlap = Text(
        "항목마다 평가자 N명 (기본: 모든 평가자가 모든 항목)",
        "N raters per item (default: everybody judges everything)",
    )
    parser.add_argument("--overlap", type=count, metavar="N", help=overlap.say())
    until = Text(
        "사람이 모두 평가했을 때의 평균을 이만큼 알 때까지만, 많이 알려 주는 항목부터 물음(예: total=±1.0). AI 평가가 먼저 있어야 함",
        "ask people for the items that tell most, until the mean they would give is known so closely (total=±1.0); AI judges "
        "must have rated before",
    )
    parser.add_argument("--until", metavar="NAME=±HALF", help=until.say())
    order = Text(
        "평가자마다 다른 순서를 정하는 난수 시드", "the seed of the order, which differs between raters"
    )
    parser.add_argument("--seed", type=seed, metavar="N", help=order.say())
    repeat = Text(
        "N번째마다 앞서 본 항목을 다시 냄(자기 일치도)",
        "every Nth item is one seen before (self-consistency)",
    )
    parser.add_argument("--repeat-every", type=count, metavar="N", help=repeat.say())
    training = Text("답이 알려진 항목으로 먼저 연습", "practise on items with known answers first")
    parser.add_argument("--training", action="store_true", default=None, help=training.say())
    gold = Text(
        "답이 알려진 항목을 사이사이에 섞음(내장 루브릭)",
        "mix items with known answers in between (built-in rubrics)",
    )
    parser.add_argument("--gold", action="store_true", default=None, help=gold.say())
    mark = Text(
        "연습과 답이 알려진 항목에서 맞아야 하는 비율 (기본 0.7)",
        "share of known answers that must fit, in practice and in between (default 0.7)",
    )
    parser.add_argument("--pass-mark", type=share_above_0, metavar="SHARE", help=mark.say())


def _add_survey(parser: argparse.ArgumentParser) -> None:
    """Who takes part without being invited by name."""
    survey = Text("링크만 있으면 누구나 동의 후 답함", "anyone with the link may answer after consenting")
    parser.add_argument("--public-survey", action="store_true", default=None, help=survey.say())
    guest = Text("설문 참여자마다 항목 N개 (기본 1)", "items for each guest of the survey (default 1)")
    parser.add_argument("--items-per-guest", type=count, metavar="N", help=guest.say())
    consent = Text("설문의 동의 글이 담긴 파일", "a file with the consent text of the survey")
    parser.add_argument("--consent", metavar="FILE", help=consent.say())
    kiosk = Text(
        "한 컴퓨터에서 여러 사람이 차례로 참여",
        "many people take part at one computer, one after the other",
    )
    parser.add_argument("--kiosk", action="store_true", default=None, help=kiosk.say())


def _add_talk(parser: argparse.ArgumentParser) -> None:
    """The AI that participants talk with in the page."""
    talk = Text(
        "참여자가 화면에서 대화할 AI: openai:MODEL[@URL]. 키는 haechi judge와 같은 환경 변수에서 읽음",
        "the AI that participants talk with in the page: openai:MODEL[@URL]; its key is read from the environment as by "
        "haechi judge",
    )
    parser.add_argument("--talk", metavar="MODEL", help=talk.say())
    prompt = Text("대화할 AI에 주는 시스템 프롬프트 파일", "a file with the system prompt of that AI")
    parser.add_argument("--talk-prompt", metavar="FILE", help=prompt.say())
    turns = Text(
        "참여자마다 보낼 수 있는 글의 수 (기본 20)", "messages that each participant may send (default 20)"
    )
    parser.add_argument("--talk-turns", type=count, metavar="N", help=turns.say())
    cost = Text("참여자마다 대화에 쓸 최대 비용(달러)", "what each conversation may cost at most, in dollars")
    parser.add_argument("--talk-max-cost", type=amount, metavar="USD", help=cost.say())


def run(chosen: argparse.Namespace, output: Output) -> int:
    """Run the command."""
    from pathlib import Path

    from haechi.store.folder import is_study
    from haechi.web.options import Options
    from haechi.web.server import LOOPBACK, server_of

    options = Options(
        given=_given(chosen), commands=chosen.allow_commands, base=sub_path(chosen.base), lang=language()
    )
    folder = Path(chosen.folder)
    opened = _study if is_study(folder) or not folder.is_dir() else _workbench
    app, invite = opened(folder, options, output)
    listening = listen(chosen.host, chosen.port)  # before a link is printed that would lead nowhere
    address = f"http://{in_address(chosen.host)}:{listening.getsockname()[1]}{options.base}"
    _announce(output, address, invite(), bool(chosen.public_survey) and opened is _study)
    if not is_loopback(chosen.host):
        _warn(output, chosen.host)
    with suppress(KeyboardInterrupt):  # which is how a server ends, not how it breaks off
        server_of(app, chosen.trusted_proxy or LOOPBACK).run(sockets=[listening])
    return 0


def _given(chosen: argparse.Namespace) -> dict[str, Any]:
    """What was said about the desk; the rest is as each study has it stored."""
    from dataclasses import fields
    from pathlib import Path

    from haechi.store.desk_settings import DeskSettings

    said = {one.name: getattr(chosen, one.name) for one in fields(DeskSettings)}
    for name in ("consent", "talk_prompt"):
        if said[name] is not None:
            said[name] = Path(said[name]).read_text("utf-8-sig").strip()
    return {name: value for name, value in said.items() if value is not None}


def _study(folder: Path, options: Options, output: Output) -> tuple[ASGIApp, Callable[[], str]]:
    """The pages of one study, and what makes its owner's token."""
    from haechi.rubrics.practice import gold_items, practice_items
    from haechi.store.raters import invite_owner
    from haechi.study.study import Study
    from haechi.web.adaptive_desk import check_goal
    from haechi.web.app import create_app
    from haechi.web.options import LiveSettings, Talk

    study = Study(folder)
    with output.working(BRINGING_ROWS) as advance:
        study.bring_rows(advance)
    settings = LiveSettings(study, options).now()
    check_goal(study, options.given.get("until"))
    talk = Talk.of(study, settings) if "talk" in options.given else None
    if talk is not None:
        talk.partner.connect()  # which needs its SDK and its key: said before anybody is let in
    if settings.training and not practice_items(study.rubric):
        output.note(
            Text(
                "! 이 루브릭에는 예시가 없어 연습 없이 시작합니다. 기준에 examples를 적으면 연습에 쓰입니다.",
                "! This rubric has no examples, so raters begin without practice. Examples of criteria are used for it.",
            )
        )
    if settings.gold and not gold_items(study.rubric):
        output.note(
            Text(
                "! 내장 루브릭이 아니므로 섞을 항목이 없습니다. meta에 attention을 적은 항목을 더하세요.",
                "! There are no gold items for a rubric of your own: add items with `attention` in their meta.",
            )
        )
    return create_app(study, options), lambda: invite_owner(study.database)


def _workbench(folder: Path, options: Options, _: Output) -> tuple[ASGIApp, Callable[[], str]]:
    """The workbench of a folder, and its owner's token."""
    from haechi.web.home import Home, create_home

    if "talk" in options.given:
        found = Text("스터디가 아닌 폴더", "a folder that is no study")
        expected = Text("스터디 하나의 폴더", "the folder of one study")
        todo = Text(
            "--talk을 빼고, 스터디마다 브라우저의 설정에서 대화할 AI를 정하세요",
            "leave out --talk, and choose the AI of each study in the browser, under Settings",
        )
        raise HaechiError.of(f"--talk, {folder}", found, expected, todo)
    home = Home(folder, options)
    home.shelf.names()  # a folder that cannot be read is said before anything is opened
    return create_home(home), lambda: home.token


def _announce(output: Output, address: str, token: str, public_survey: bool) -> None:
    said = {"desk": address, "owner": f"{address}/enter/{token}"}
    if public_survey:
        said["survey"] = f"{address}/survey"
    if output.as_json:
        output.result(said)
        return
    output.say(Text("소유자의 링크(나누지 마세요):", "The owner's link (do not share):").say())
    output.say(f"  {said['owner']}")
    if public_survey:
        output.say(Text("공개 설문:", "The public survey:").say(), f"  {said['survey']}")
    output.note(Text("멈추려면 Ctrl+C", "Ctrl+C stops it"))


def _warn(output: Output, host: str) -> None:
    output.note(
        Text(
            f"! {host}: 다른 컴퓨터에서도 들어올 수 있습니다. 암호화되지 않으니 HTTPS 역방향 프록시 뒤에 두세요.",
            f"! {host}: other computers can reach the desk. It is not encrypted: put it behind an HTTPS reverse proxy.",
        )
    )
