"""`haechi raters`: who may rate at the desk, each with a personal link."""

from __future__ import annotations

import argparse
from collections import Counter
from typing import TYPE_CHECKING, Any

from haechi.cli.field_options import add_where, where_of
from haechi.cli.output import Output
from haechi.text import Text, quoted

if TYPE_CHECKING:
    from haechi.study.study import Study

DESCRIPTION = Text(
    "평가자와 그 개인 링크를 만들고(add), 보고(list), 닫습니다(revoke). survey는 여러 사람이 설문에 참여하는 링크를, "
    "program은 HTTP API에 쓸 토큰을 만듭니다.",
    "Make (add), list and close (revoke) raters and their personal links; survey makes a link for several participants, "
    "program a token for the HTTP API.",
)
EXAMPLE = """
haechi raters add tutoring teacher-1
haechi raters add tutoring teacher-2 --quota 40 --days 14
haechi raters add tutoring teacher-3 --where mode=agent --where level=Q1
haechi raters list tutoring
haechi raters revoke tutoring teacher-1
haechi raters survey luna class-3 --most 40 --days 7
haechi raters program tutoring chatbot-team
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("action", choices=("add", "list", "revoke", "survey", "program"))
    parser.add_argument("folder", metavar="DIR", help=Text("스터디 폴더", "the study").say())
    name = Text("평가자의 이름", "the rater's name")
    parser.add_argument("name", metavar="NAME", nargs="?", help=name.say())
    quota = Text("이 평가자가 볼 항목의 수", "how many items this rater judges")
    parser.add_argument("--quota", type=int, metavar="N", help=quota.say())
    add_where(parser)
    most = Text(
        "설문 링크로 참여할 수 있는 사람의 수(기본: 제한 없음)",
        "how many people may take part through the survey link (default: any number)",
    )
    parser.add_argument("--most", type=int, metavar="N", help=most.say())
    stance = Text(
        "평가자의 입장(ubica: participant, third_party)", "the stance (ubica: participant, third_party)"
    )
    parser.add_argument("--stance", help=stance.say())
    days = Text("링크의 유효 기간(일, 기본 30)", "how long the link is valid, in days (default 30)")
    parser.add_argument("--days", type=float, default=30.0, metavar="N", help=days.say())
    url = Text(
        "링크의 앞부분 (기본 http://127.0.0.1:8000)",
        "the beginning of the link (default http://127.0.0.1:8000)",
    )
    parser.add_argument("--url", default="http://127.0.0.1:8000", metavar="URL", help=url.say())


def run(chosen: argparse.Namespace, output: Output) -> int:
    """Run the command."""
    from haechi.study.study import Study

    study = Study(chosen.folder)
    if chosen.action == "list":
        return _list(study, output)
    if not chosen.name:
        from haechi.errors import HaechiError

        todo = Text("이름을 덧붙이세요", "add a name")
        raise HaechiError.of("NAME", Text("없음", "nothing"), Text("평가자의 이름", "a rater's name"), todo)
    if chosen.action == "revoke":
        return _revoke(study, chosen.name, output)
    return _add(study, chosen, output)


def _add(study: Study, chosen: argparse.Namespace, output: Output) -> int:
    from haechi.store.raters import invite_program, invite_rater, invite_survey

    if chosen.action == "program":
        token = invite_program(study.database, chosen.name, chosen.days)
        said = {"name": chosen.name, "token": token}
    elif chosen.action == "survey":
        token = invite_survey(study.database, chosen.name, chosen.most, chosen.days)
        said = {"name": chosen.name, "link": f"{chosen.url.rstrip('/')}/join/{token}"}
    else:
        token = invite_rater(
            study.database,
            study.rubric,
            chosen.name,
            chosen.quota,
            chosen.stance,
            chosen.days,
            where=where_of(chosen),
        )
        said = {"name": chosen.name, "link": f"{chosen.url.rstrip('/')}/enter/{token}"}
    if output.as_json:
        output.result(said)
        return 0
    output.say(said.get("link") or token)
    alone = Text(
        "한 번만 보여 드립니다. 받을 사람에게만 전하세요.",
        "This is shown only once. Give it to that person alone.",
    )
    to_all = Text(
        "한 번만 보여 드립니다. 참여할 사람 모두에게 전하세요.",
        "This is shown only once. Give it to everyone who is to take part.",
    )
    output.note(to_all if chosen.action == "survey" else alone)
    if "link" in said:
        opens = f"haechi serve {quoted(chosen.folder)}"
        output.note(
            Text(
                f"링크는 서버가 켜져 있는 동안 열립니다: {opens}",
                f"The link opens while the server runs: {opens}",
            )
        )
    return 0


def _revoke(study: Study, name: str, output: Output) -> int:
    from haechi.store.invitations import revoke
    from haechi.store.survey_links import close_survey_link

    with study.database.write() as connection:
        closed = revoke(connection, name) + close_survey_link(connection, name)
    if output.as_json:
        output.result({"name": name, "closed": closed})
    else:
        output.say(Text(f"✓ 닫은 링크 {closed}개", f"✓ {closed} links closed").say())
    return 0 if closed else 1


def _list(study: Study, output: Output) -> int:
    rows, shared = _links(study)
    if output.as_json:
        output.result({"raters": rows, "surveys": shared})
        return 0
    guests = [row for row in rows if row["role"] == "survey"]  # there may be thousands
    _show([*(row for row in rows if row["role"] != "survey"), *shared], output)
    if guests:
        finished = sum(row["done"] > 0 for row in guests)
        output.note(
            Text(
                f"설문 참여자 {len(guests):,}명(평가한 사람 {finished:,}명)은 --json으로 봅니다",
                f"{len(guests):,} survey participants ({finished:,} have rated) are listed by --json",
            )
        )
    return 0


def _links(study: Study) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The personal links, and those that many share."""
    from haechi.store.desk import read_assignments
    from haechi.store.invitations import read_invitations
    from haechi.store.survey_links import read_survey_links

    with study.database.read() as connection:
        surveys = read_survey_links(connection)
        links = read_invitations(connection, "rater", "survey", "program")
        lists = read_assignments(connection)
    done = Counter(assignment.rater for assignment in lists if assignment.finished is not None)
    rows = [
        {
            "name": link.name,
            "role": link.role,
            "state": link.state,
            "expires": link.expires,
            "done": done[link.name],
        }
        for link in links
    ]
    shared = [
        {
            "name": link.name,
            "role": "survey_link",
            "state": link.state,
            "expires": link.expires,
            "most": link.most,
            "began": link.began,
            "done": link.submitted,
        }
        for link in surveys
    ]
    return rows, shared


_ROLES = {
    "survey_link": Text("설문 링크", "survey link"),
    "rater": Text("평가자", "rater"),
    "program": Text("프로그램", "program"),
}
_STATES = {
    "open": Text("열림", "open"),
    "expired": Text("만료", "expired"),
    "revoked": Text("닫힘", "revoked"),
    "closed": Text("닫힘", "closed"),
    "full": Text("인원 참", "full"),
}
_TITLES = (
    Text("이름", "name"),
    Text("역할", "role"),
    Text("링크", "link"),
    Text("만료", "expires"),
    Text("완료", "done"),
)


def _show(rows: list[dict[str, Any]], output: Output) -> None:
    from haechi.report.table import table

    shown = [
        (row["name"], _ROLES[row["role"]].say(), _STATES[row["state"]].say(), row["expires"], row["done"])
        for row in rows
    ]
    output.show(table(Text("평가자", "raters").say(), [words.say() for words in _TITLES], shown, words=4))
