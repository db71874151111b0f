"""The Korean words of the interface: terms that were replaced do not come back."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).parent.parent
FORMER = {
    "평가 책상": "평가 화면",
    "평가 데스크": "평가 화면",
    "판정": "평가",
    "관문": "통과 기준",
    "말로 읽기": "해석",
    "버릇": "성향",
    "퍼짐": "산포",
    "흩어짐": "산포",
    "빠짐": "결측",
    "빠진 값": "결측",
    "빠진 점수": "결측 점수",
    "늘 같음": "항상 동일",
    "가장 흔한 점수": "최빈 점수",
    "부호 뒤집기": "부호 순열 검정",
    "씨앗": "난수 시드",
    "값이 쌈": "비용이 적음",
    "많아야": "최대",
    "어림": "추정",
    "도는 배치": "진행 중인 배치",
    "울타리": "구분선",
    "이름표": "범주형",
    "판본": "버전",
    "넘음": "초과",
    "모자람": "미달",
    "찾음:": "문제",
    "기대:": "필요한 값",
    "p_corrected는": "보정한 p는",
}
# What files may call a thing is theirs to decide, not ours.
SPELLINGS = {"src/haechi/data/names.py", "src/haechi/prompt/naming.py"}
_OLD = re.compile("|".join(rf"(?<!나){re.escape(word)}(?!없이)" for word in FORMER))


def _said(path: Path) -> Iterator[str]:
    text = path.read_text("utf-8")
    if path.suffix == ".md":
        yield from (
            re.sub("`[^`]*`", "", line) for line in text.splitlines()
        )  # names of columns are spellings too
        return
    if path.suffix != ".py":
        yield from text.splitlines()
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _places() -> list[str]:
    code = [p for kind in ("py", "html", "js") for p in (HERE / "src/haechi").rglob(f"*.{kind}")]
    docs = [HERE / "README.ko.md", *(HERE / "docs").rglob("*.ko.md")]
    every = {str(path.relative_to(HERE)) for path in (*code, *docs)}
    return sorted(every - SPELLINGS)


@pytest.mark.parametrize("place", _places())
def test_former_terms_do_not_return(place: str) -> None:
    found = {word: FORMER[word] for line in _said(HERE / place) for word in _OLD.findall(line)}
    assert not found
