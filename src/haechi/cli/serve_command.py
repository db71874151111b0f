"""`haechi serve`: the rating desk and the owner's dashboard in the browser."""

from __future__ import annotations

import argparse
import ipaddress

from haechi.cli.add_command import BRINGING_ROWS
from haechi.cli.numbers import count
from haechi.cli.output import Output
from haechi.text import Text, language

DESCRIPTION = Text(
    "브라우저의 평가 화면과 소유자의 현황판을 엽니다. 평가자의 링크는 haechi raters add로 만듭니다.",
    "Open the rating desk and the owner's dashboard in the browser; haechi raters add makes the raters' links.",
)
EXAMPLE = """
haechi serve tutoring
haechi serve diaries --overlap 3 --repeat-every 10 --training
haechi serve luna --public-survey --items-per-guest 2
haechi serve tutoring --host 0.0.0.0 --base /desk
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("folder", metavar="DIR", help=Text("스터디 폴더", "the study").say())
    host = Text("받을 주소 (기본: 이 컴퓨터에서만)", "address to listen on (default: this computer only)")
    parser.add_argument("--host", default="127.0.0.1", help=host.say())
    parser.add_argument("--port", type=int, default=8000, help=Text("포트", "port").say())
    base = Text("역방향 프록시의 하위 경로(예: /desk)", "sub-path behind a reverse proxy, such as /desk")
    parser.add_argument("--base", default="", metavar="PATH", help=base.say())
    overlap = Text(
        "항목마다 평가자 N명 (기본: 모든 평가자가 모든 항목)",
        "N raters per item (default: everybody judges everything)",
    )
    parser.add_argument("--overlap", type=count, metavar="N", help=overlap.say())
    seed = Text(
        "평가자마다 다른 순서를 정하는 난수 시드", "the seed of the order, which differs between raters"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help=seed.say())
    repeat = Text(
        "N번째마다 앞서 본 항목을 다시 냄(자기 일치도)",
        "every Nth item is one seen before (self-consistency)",
    )
    parser.add_argument("--repeat-every", type=count, metavar="N", help=repeat.say())
    training = Text("루브릭의 예시로 먼저 연습", "practise on the rubric's examples first")
    parser.add_argument("--training", action="store_true", help=training.say())
    survey = Text("링크만 있으면 누구나 동의 후 답함", "anyone with the link may answer after consenting")
    parser.add_argument("--public-survey", action="store_true", help=survey.say())
    guest = Text("설문 참여자마다 항목 N개 (기본 1)", "items for each guest of the survey (default 1)")
    parser.add_argument("--items-per-guest", type=count, default=1, metavar="N", help=guest.say())
    consent = Text("설문의 동의 글이 담긴 파일", "a file with the consent text of the survey")
    parser.add_argument("--consent", metavar="FILE", help=consent.say())


def run(chosen: argparse.Namespace, output: Output) -> int:
    """Run the command."""
    from pathlib import Path

    import uvicorn

    from haechi.store.desk import Plan
    from haechi.store.raters import invite_owner
    from haechi.study import Study
    from haechi.web import Options, create_app

    study = Study(chosen.folder)
    with output.working(BRINGING_ROWS) as advance:
        study.bring_rows(advance)
    options = Options(
        plan=Plan(chosen.overlap, chosen.seed, chosen.repeat_every),
        training=chosen.training,
        public_survey=chosen.public_survey,
        items_per_guest=chosen.items_per_guest,
        consent=Path(chosen.consent).read_text("utf-8-sig") if chosen.consent else None,
        base=_base(chosen.base),
        lang=language(),
    )
    app = create_app(study, options)
    address = f"http://{_shown(chosen.host)}:{chosen.port}{options.base}"
    _announce(output, address, invite_owner(study.database), options.public_survey)
    if not _is_loopback(chosen.host):
        _warn(output, chosen.host)
    uvicorn.run(
        app,
        host=chosen.host,
        port=chosen.port,
        access_log=False,  # addresses of requests hold personal tokens
        log_level="warning",
        server_header=False,
    )
    return 0


def _announce(output: Output, address: str, token: str, public_survey: bool) -> None:
    said = {"desk": address, "owner": f"{address}/enter/{token}"}
    if public_survey:
        said["survey"] = f"{address}/survey"
    if output.as_json:
        output.result(said)
        return
    output.say(
        Text("소유자의 현황판(이 링크는 나누지 마세요):", "The owner's dashboard (do not share):").say()
    )
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


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _shown(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _base(path: str) -> str:
    """A sub-path with one slash before and none after.

    >>> _base("desk/"), _base("/"), _base("")
    ('/desk', '', '')
    """
    trimmed = path.strip("/")
    return f"/{trimmed}" if trimmed else ""
