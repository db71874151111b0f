"""The words of the interface, in Korean and English."""

from __future__ import annotations

from haechi.text import Lang, Text

WORDS: dict[str, Text] = {
    "desk": Text("평가 화면", "Rating desk"),
    "item": Text("항목", "Item"),
    "items": Text("항목", "Items"),
    "of": Text("/", "of"),
    "done": Text("완료", "done"),
    "minutes_left": Text("약 {n}분 남음", "about {n} min left"),
    "saved": Text("저장됨", "Saved"),
    "saving": Text("저장 중", "Saving"),
    "offline": Text("연결 끊김 · {n}건 대기", "Offline · {n} waiting"),
    "refused": Text("저장하지 못함", "Not saved"),
    "refused_count": Text("저장하지 못한 답 {n}건", "{n} not saved"),
    "kept": Text("보관된 답 {n}건", "{n} kept here"),
    "kept_more": Text(
        "서버에 저장되지 않은 답이며 이 브라우저에만 있습니다. 해당 문항에 다시 답하거나 필요 없으면 지우세요.",
        "These answers are not with the server; only this browser has them. Answer the question again, or discard them.",
    ),
    "kept_older": Text(
        "이전 버전의 화면에서 남은 답입니다. 어느 스터디의 답인지 알 수 없어 보내지 않았습니다.",
        "Left by an earlier version of this page. It does not say for which study it was given, so it was not sent.",
    ),
    "kept_revoked": Text(
        "취소된 링크로 남긴 답이라 보내지 않았습니다. 보내거나 필요 없으면 지우세요.",
        "Given with a link that was revoked, so it was not sent. Send it, or discard it.",
    ),
    "kept_elsewhere": Text(
        "다른 링크로 남긴 답입니다. 그 링크로 들어오면 전송되며, 링크가 취소되었다면 지우세요.",
        "Given with another link. It is sent when that link is opened; if the link was revoked, discard it.",
    ),
    "send": Text("보내기", "Send"),
    "cleared": Text("(답 지움)", "(answer taken back)"),
    "discard": Text("지우기", "Discard"),
    "signed_out": Text("링크가 만료되었거나 닫혔습니다", "This link has expired or was closed"),
    "closed_revoked": Text("연구 담당자가 이 링크를 닫았습니다", "The study's owner closed this link"),
    "closed_expired": Text("링크의 기한이 지났습니다", "This link has expired"),
    "closed_form": Text("이 브라우저에서 다른 링크를 열었습니다", "Another link was opened in this browser"),
    "closed_more": Text(
        "저장된 답은 그대로 남아 있습니다. 이어서 하려면 받으신 링크를 다시 열거나 담당자에게 새 링크를 요청하세요.",
        "Saved answers are kept. To go on, open your link again or ask the owner for a new one.",
    ),
    "closed_waiting": Text("저장하지 못한 답 {n}건", "Answers that could not be saved: {n}"),
    "closed_kept": Text(
        "이 브라우저에 보관되어 있으며, 새 링크로 들어오면 보내거나 지울 수 있습니다.",
        "They are kept in this browser. Enter with a new link to send or discard them.",
    ),
    "submit": Text("제출하기", "Submit"),
    "submit_more": Text(
        "제출하면 답을 더 고칠 수 없습니다. 고칠 것이 있으면 이전 항목으로 돌아가세요.",
        "After this nothing can be changed. Go back to an earlier item if you want to change something.",
    ),
    "submit_open": Text("아직 답하지 않은 문항이 있습니다", "Some questions are still open"),
    "submit_offline": Text(
        "연결이 끊겨 아직 제출하지 못했습니다. 답은 이 브라우저에 있습니다. 잠시 뒤 다시 누르세요.",
        "There is no connection, so nothing was submitted. Your answers are in this browser; press again in a moment.",
    ),
    "another": Text("다른 사람이 시작하기", "Somebody else begins"),
    "another_more": Text(
        "지금까지의 답은 저장되어 있습니다. 처음 화면으로 가면 다음 사람이 새로 시작합니다.",
        "The answers so far are kept. The next person begins anew at the first page.",
    ),
    "still_there": Text("아직 계신가요?", "Are you still there?"),
    "stay": Text("계속하기", "Go on"),
    "leave": Text("처음 화면으로", "To the first page"),
    "leaving_in": Text("{n}초 뒤 처음 화면으로 돌아갑니다", "Back to the first page in {n} s"),
    "previous": Text("이전 항목", "Previous item"),
    "next": Text("다음 항목", "Next item"),
    "undo": Text("되돌리기", "Undo"),
    "help": Text("단축키", "Shortcuts"),
    "close": Text("닫기", "Close"),
    "theme": Text("밝게/어둡게", "Light or dark"),
    "language": Text("English", "한국어"),
    "list": Text("목록", "List"),
    "guide": Text("평가 안내", "Guide"),
    "item_pane": Text("평가할 내용", "What to judge"),
    "form_pane": Text("평가", "Judgement"),
    "tab_item": Text("내용", "Text"),
    "tab_form": Text("평가", "Rate"),
    "examples": Text("예시", "Examples"),
    "met": Text("충족하는 예", "Meets it"),
    "unmet": Text("충족하지 않는 예", "Does not meet it"),
    "reason": Text("이유", "Reason"),
    "evidence": Text("근거", "Evidence"),
    "evidence_hint": Text(
        "글을 선택하거나 메시지 번호를 누르면 들어갑니다", "Select text or click a message number"
    ),
    "evidence_first": Text(
        "먼저 점수를 고르면 근거도 저장됩니다", "Give a value and the evidence is saved too"
    ),
    "quote": Text("근거로 넣기", "Use as evidence"),
    "quoted": Text("메시지[{n}]에서 '{text}'", "message[{n}]: '{text}'"),
    "quoted_part": Text("{part}에서 '{text}'", "{part}: '{text}'"),
    "message": Text("메시지[{n}]", "message[{n}]"),
    "cannot": Text("판단 불가", "Cannot judge"),
    "cannot_why": Text("판단할 수 없는 이유", "Why it cannot be judged"),
    "cannot_need": Text("이유를 적거나 고르면 저장됩니다", "It is saved once there is a reason"),
    "cannot_a": Text("정보가 부족함", "Not enough information"),
    "cannot_b": Text("내용을 이해할 수 없음", "I cannot understand the content"),
    "cannot_c": Text("이 기준이 적용되지 않음", "The criterion does not apply"),
    "by_rule": Text("규칙에 따라 정해짐", "Set by rule"),
    "by_floor": Text("위의 규칙에 따라 미충족", "Unmet by the rule above"),
    "floor_holds": Text("해당함", "It holds"),
    "optional": Text("선택", "optional"),
    "total": Text("합계", "Total"),
    "query": Text("질의", "Query"),
    "no_query": Text(
        "파일에 질의 글이 없습니다 (질의 ID {id})", "The file has no text of the query (query ID {id})"
    ),
    "expected": Text("기대 결과", "Expected result"),
    "reply": Text("답변 메시지", "Answer message"),
    "no_reply": Text("답변 메시지가 없습니다", "There is no answer message"),
    "error": Text("오류", "Error"),
    "cards": Text("화면에 보인 것", "What was shown"),
    "tools": Text("도구와 걸린 시간", "Tools and times"),
    "seconds": Text("{n}초", "{n} s"),
    "payload": Text("실행 기록 펼치기", "Show the recorded run"),
    "show_all": Text("전체 보기 ({n}자)", "Show all ({n} characters)"),
    "as_written": Text("원문 그대로 보기", "Show as written"),
    "empty_message": Text("(빈 메시지)", "(empty message)"),
    "all_done": Text("모두 끝났습니다. 고맙습니다!", "All done. Thank you!"),
    "all_done_more": Text(
        "답은 모두 저장되었습니다. 창을 닫아도 되고, 지난 항목을 다시 보며 고칠 수도 있습니다.",
        "All answers are saved. You may close this window, or look at earlier items again and change them.",
    ),
    "nearly_done": Text("거의 끝났습니다", "Nearly done"),
    "items_done": Text("평가를 마친 항목", "Items done"),
    "time_spent": Text("걸린 시간", "Time spent"),
    "minutes": Text("{n}분", "{n} min"),
    "not_sent": Text("아직 보내지 못한 답", "Answers not sent yet"),
    "not_kept": Text("저장하지 못한 답", "Answers not saved"),
    "keep_open": Text(
        "연결되면 남은 답을 보냅니다. 그때까지 이 창을 열어 두세요.",
        "They are sent when there is a connection again. Keep this window open until then.",
    ),
    "to_open": Text("답하지 않은 항목으로", "To the open item"),
    "look_again": Text("항목 다시 보기", "Look at items again"),
    "check_again": Text("다시 확인", "Check again"),
    "participant": Text("설문 참여자", "Survey participant"),
    "keys_on": Text("글자와 숫자 하나로 된 단축키 쓰기", "Use shortcuts of a single letter or digit"),
    "nothing": Text("지금은 평가할 항목이 없습니다.", "There is nothing to rate at the moment."),
    "incomplete": Text("{n}개 남음", "{n} left"),
    "complete": Text("모두 답함", "All answered"),
    "key_value": Text("점수를 매기고 다음 문항으로", "Give the value and go on"),
    "key_move": Text("다음 · 이전 문항", "Next · previous question"),
    "key_enter": Text("답하지 않은 문항으로, 없으면 다음 항목으로", "Next open question, then next item"),
    "key_items": Text("이전 · 다음 항목", "Previous · next item"),
    "key_cannot": Text("판단 불가", "Cannot judge"),
    "key_evidence": Text("근거 적기 (Esc로 나오기)", "Write evidence (Esc to leave)"),
    "key_examples": Text("예시 보기", "Show examples"),
    "key_floor": Text("최저점 규칙 켜고 끄기", "State or withdraw the floor"),
    "key_undo": Text("되돌리기", "Undo"),
    "training": Text("연습", "Practice"),
    "training_intro": Text(
        "루브릭의 예시로 먼저 연습합니다. 연습의 답은 저장되지 않습니다.",
        "First practise on the rubric's examples. Practice answers are not kept.",
    ),
    "training_right": Text("예시와 같습니다.", "As in the example."),
    "training_wrong": Text("예시와 다릅니다. 예시의 답: {answer}", "The example says otherwise: {answer}"),
    "training_done": Text("연습 끝내고 시작하기", "Finish practice and begin"),
    "skip_to_form": Text("평가로 건너뛰기", "Skip to the judgement"),
    "answered_now": Text("{question}: {answer}", "{question}: {answer}"),
}


def words(lang: Lang) -> dict[str, str]:
    """All words in one language.

    >>> words("en")["saved"]
    'Saved'
    """
    return {name: text.say(lang) for name, text in WORDS.items()}
