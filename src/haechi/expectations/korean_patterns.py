"""What Korean sentences of expectations look like: their endings, the pieces between, and the sentences made of them."""

from __future__ import annotations

import re

from haechi.expectations.sentence_parts import KEY, QUOTED
from haechi.regex import regex

# How sentences end: the same verbs as a question, a demand, a statement or a note.
DO = (  # 하-: 하는가, 해야 함, …
    r"(?:하는가요?|하는지|하나요|한가|한지|한다|함|합니다|합니까|해야 ?(?:함|한다|합니다|됨|된다)|하여야 ?(?:함|한다|합니다)"
    r"|했는가|했는지|했다|하였는가|하였는지|하고 ?있는가|하고 ?있는지|하고 ?있다|하고 ?있음|하고 ?있어야 ?(?:함|한다|합니다)|할 ?것|하기|하는 ?것)"
)
BECOME = (
    r"(?:되는가요?|되는지|되나요|된다|됨|됩니다|됩니까|(?:되어야|돼야) ?(?:함|한다|합니다|됨|된다)|(?:되었|됐)(?:는가요?|는지|나요|다|음|습니다)"
    r"|(?:되어|돼) ?있(?:는가요?|는지|나요|다|음|습니다|습니까|어야 ?(?:함|한다|합니다)|을 ?것)|될 ?것|되는 ?것|된 ?것)"
)
_BE_THERE = r"있(?:는가요?|는지|나요|다|음|습니다|습니까|어야 ?(?:함|한다|합니다)|을 ?것)"
_APPEAR = (  # 나타나-: 나타나는가, 나타나야 함, …
    r"(?:(?:나타나|나오|내려오|들어오|보이|확인되)(?:는가요?|는지|나요|야 ?(?:함|한다|합니다)|어야 ?(?:함|한다|합니다)|는 ?것)"
    r"|나타난다|나타남|나온다|나옴|나와야 ?(?:함|한다|합니다)|내려온다|내려옴|들어온다|들어옴|보인다|보임|보여야 ?(?:함|한다|합니다)|확인된다|확인됨)"
)
IS = (
    r"(?:(?:이|가) ?맞(?:는가요?|는지|다|음|나요|아야 ?(?:함|한다|합니다))|값인가요?|값인지|인가요?|인지|이다|입니다|임|일 ?것|인 ?것"
    r"|(?:이어야|여야|이여야) ?(?:함|한다|합니다|됨|된다)"
    rf"|(?:으로|로) ?(?:(?:설정|지정|표시|반환|구성|세팅|제공|전달|저장|노출|출력|응답) ?)?{BECOME}"
    rf"|(?:으로|로) ?{_APPEAR}|(?:이|가) ?(?:설정|지정) ?{BECOME}"
    rf"|(?:과|와) ?(?:같은가|같은지|같다|같음|같아야 ?(?:함|한다|합니다)|(?:일치|동일)(?: ?{DO}|하다)?))"
)
WHETHER = r"(?: ?여부)?(?:(?:를|을)? ?(?:확인|체크|검증|점검|검토|판단|평가)(?:한다|함|하기|합니다|할 ?것)?)?"
_THERE = rf"(?:(?:존재|포함|노출|표시|제공|반환|출력|생성|전달)(?: ?{DO}| ?{BECOME})?|{_BE_THERE}|{_APPEAR})"
NEGATED = (
    r"지(?:는|도)? ?않(?:는가요?|는지|는다|나요|음|습니다|아야 ?(?:함|한다|합니다)|았는가|았는지|을 ?것)"
)
_NOT_THERE = (
    rf"(?:(?:존재|포함|노출|표시|제공|반환|출력|생성|전달) ?(?:하|되|되어 ?있|돼 ?있){NEGATED}"
    r"|없(?:는가요?|는지|다|음|나요|습니다|어야 ?(?:함|한다|합니다)|을 ?것))"
)
_SAY = r"(?:언급|포함|안내|존재|표시|노출|출력|제시|설명|등장|명시|기재|작성|전달|제공|사용)"
_TELLS = rf"(?:(?<=안내를 )|(?<=언급을 )|(?<=설명을 )){DO}"  # 안내를 하고 있는가
_SAID = rf"(?:{_SAY}(?: ?{DO}| ?{BECOME})?|(?:담겨|들어|들어가) ?{_BE_THERE}|들어가(?:는가|는지|야 ?함|야 ?한다)|{_BE_THERE}|{_APPEAR}|{_TELLS})"
_NOT_SAID = rf"(?:{_SAY} ?(?:하|되|되어 ?있|돼 ?있){NEGATED}|없(?:는가요?|는지|다|음|나요|습니다|어야 ?(?:함|한다|합니다)|을 ?것))"

# What stands before.
_SURELY = r"(?:(?:정확히|정확하게|올바르게|제대로|반드시|정상적으로|명확히|명확하게|분명히) )?"
_INSIDE = r"(?: ?(?:내부|내|안|중|속))?"
_ENTRY = r"(?:(?:UI ?)?(?:항목|요소|객체|아이템|엔트리|원소|데이터|컴포넌트|것)|UI)"
_LIST = rf"(?:응답의 |응답 내 )?dataUIList(?: ?(?:배열|목록|리스트))?{_INSIDE}(?:에서|에는|에|의)?"
_THAT = rf"(?:해당|그|이|위|위의|상기|동일한|같은) ?{_ENTRY}{_INSIDE}(?:에서|에는|에|의|은|는|이|가)?"
_OF = rf"(?:(?P<that>{_THAT}) |(?P<list>{_LIST}) )?(?:uiValue{_INSIDE}(?:에서|에는|에|의)? )?"
_INNER = rf"(?:(?P<inner>value)(?: ?(?:객체|필드|값))?{_INSIDE}(?:에서|에는|에|의)? )?"
VALUE = rf"(?:{QUOTED}|(?<![A-Za-z0-9_./\-])[A-Za-z0-9_][A-Za-z0-9_./\-]*)"
_ONE_OF = rf"{VALUE}(?:(?:, ?| ?또는 | ?혹은 |이나 |나 ){VALUE}){{0,9}}"
ITS = r"(?: ?(?:의 )?(?:값|필드 ?값|속성 ?값|필드|속성|키 ?값|키|타입))?"
_HAS = (
    rf"(?P<key>{KEY})(?P<its>{ITS})(?:이|가|은|는|의 값이)? ?(?:(?:반드시|항상) )?(?:(?P<sign>==?|:) ?)?(?P<values>{_ONE_OF})"
    r"(?P<one> ?중 ?(?:하나|한 가지))?"
)
_BEING = r"(?: ?인|이 되는|(?:을|를) ?(?:가진|갖는|가지는)|(?:으로|로) ?(?:설정된|지정된|된)|(?:과|와) ?(?:같은|일치하는|동일한)|의)?"
_MORE = (
    rf"(?P<more>(?:(?:이고|이며|이면서|,) (?:{KEY}){ITS}(?:이|가|은|는)? ?(?:(?:==?|:) ?)?{VALUE}){{0,9}})"
)
_NUMBER = (
    r"(?P<lead>최소|적어도|최대|정확히|총|) ?(?P<number>\d+|하나|한|두|둘|세|셋|네|넷|다섯|여섯|일곱|여덟|아홉|열) ?(?P<unit>개|건|가지)?"
    r"(?P<end> ?이상| ?이하| ?초과| ?미만|만|)"
)
_SIZE = r"(?: ?의)?(?P<size> ?(?:개수|갯수|길이|건수|수))?(?:이|가|은|는)?"

_MESSAGE = (
    r"(?:(?:AI|에이전트|챗봇|어시스턴트)의? )?"
    r"(?:assistantMessage|[Aa]ssistant [Mm]essage|어시스턴트 메시지|응답 메시지|답변 메시지|안내 메시지|응답 문구|메시지|메세지|답변|응답)"
    r"(?:\((?:assistantMessage|(?:AI|에이전트|챗봇|어시스턴트)? ?(?:응답|답변|안내|메시지|메세지)(?: ?(?:메시지|메세지|문구|내용|텍스트))?)\))?"
    rf"(?: ?(?:내용|본문|값|텍스트|문구|필드 ?값|필드))?{_INSIDE}(?:에서|에는|에도|에|가|이|은|는|으로|로| ?:)?"
)
_TEXTS = rf"(?P<texts>{QUOTED}(?:(?:, ?| ?및 |과 |와 |이나 |나 | ?또는 | ?혹은 ){QUOTED}){{0,9}})"
_ABOUT = (
    r"(?P<one> ?중 ?(?:하나|한 가지|하나 이상))?(?:과|와|이|가|을|를|에|은|는|도|의|라는|이라는|라고|이라고)?"
    r"(?: ?(?:관련(?:된|한|하여|해|해서|하는)?|대한|대해|대하여|관한))?"
    r"(?: ?(?:내용|문구|문장|안내|텍스트|단어|표현|키워드|메시지|설명|정보|언급|문자열|안내 문구|안내 내용|안내 메시지))?(?:이|가|을|를|도|은|는)?"
    r"(?P<all> ?모두)?"
)
_KEY = rf"{_OF}{_INNER}(?P<key>{KEY})(?P<its>{ITS})"
_WHOLE_LIST = r"dataUIList(?: ?(?:배열|목록|리스트))?"
_NOT_EMPTY = r"비어 ?있지 ?않(?:은가요?|은지|다|음|아야 ?(?:함|한다|합니다))"


NUMBERS = {
    "하나": 1, "한": 1, "두": 2, "둘": 2, "세": 3, "셋": 3, "네": 4, "넷": 4, "다섯": 5, "여섯": 6, "일곱": 7, "여덟": 8, "아홉": 9,
    "열": 10,
}  # fmt: skip

MENTIONS = (
    re.compile(rf"{_MESSAGE} ?{_TEXTS}{_ABOUT} ?{_SURELY}(?:(?P<yes>{_SAID})|(?P<no>{_NOT_SAID})){WHETHER}"),
    re.compile(rf"{_TEXTS}{_ABOUT} {_MESSAGE} ?{_SURELY}(?:(?P<yes>{_SAID})|(?P<no>{_NOT_SAID})){WHETHER}"),
)
NAMED = regex(
    rf"{_OF}{_HAS}{_MORE}{_BEING} ?(?:{_ENTRY}(?:이|가|은|는|을|를)?|(?:이|가))(?: (?P<later>{_LIST}))? ?{_SURELY}"
    rf"(?:(?P<yes>{_THERE})|(?P<no>{_NOT_THERE})){WHETHER}"
)
NAMED_INSIDE = regex(
    rf"{_OF}(?P<inner>value)(?: ?(?:객체|필드|값|배열|목록|리스트))?{_INSIDE}(?:에서|에는|에|의)? {_HAS}{_BEING} ?(?:{_ENTRY}|값)(?:이|가) {_SURELY}{_THERE}{WHETHER}"
)
OF_NAMED = regex(
    rf"(?P<that>(?!))?(?:(?P<list>{_LIST}) )?{_HAS}{_MORE}{_BEING} ?{_ENTRY}{_INSIDE}(?:에서|에는|에|의|은|는|이|가)? (?P<asked>.+)"
)
NAMED_NUMBER = regex(
    rf"{_OF}{_HAS}{_MORE}{_BEING} ?{_ENTRY}{_SIZE}(?: {_LIST})? {_NUMBER}(?: ?{_SURELY}(?P<there>{_THERE})|{IS}){WHETHER}"
)
KEY_VALUE = regex(rf"{_OF}{_INNER}{_HAS}(?P<is> ?{IS})?{WHETHER}")
KEY_CONTAINS = regex(
    rf"{_KEY}{_INSIDE}(?:에|에는|이|가|은|는) (?P<values>{VALUE})(?:이|가|을|를|라는|이라는)?"
    rf"(?: ?(?:문구|문자열|텍스트|값|내용)(?:이|가|을|를)?)? ?{_SURELY}포함(?: ?{DO}| ?{BECOME})?{WHETHER}"
)
KEY_EXISTS = regex(rf"{_KEY}(?:이|가|은|는) {_SURELY}{_THERE}{WHETHER}")
KEY_FILLED = regex(rf"{_KEY}(?:이|가|은|는) {_NOT_EMPTY}{WHETHER}")
KEY_NUMBER = regex(
    rf"{_OF}{_INNER}(?P<key>{KEY})(?P<its>(?: ?(?:목록|배열|리스트|항목|요소))?){_SIZE} {_NUMBER}(?: ?{_SURELY}(?P<there>{_THERE})|{IS}){WHETHER}"
)
LIST_NUMBER = regex(
    rf"{_WHOLE_LIST}{_INSIDE}(?:에서|에는|에|의)?(?: ?{_ENTRY})?{_SIZE} {_NUMBER}(?: ?{_SURELY}(?P<there>{_THERE})|{IS}){WHETHER}"
)
LIST_SO_MANY = regex(
    rf"{_WHOLE_LIST}{_INSIDE}(?:에서|에는|에) {_NUMBER}의? {_ENTRY}(?:이|가) {_SURELY}(?P<there>{_THERE}){WHETHER}"
)
LIST_THERE = regex(
    rf"{_WHOLE_LIST}(?:에 {_ENTRY}(?:이|가)|이|가|은|는) {_SURELY}(?:(?P<yes>{_THERE})|(?P<no>{_NOT_THERE})){WHETHER}"
)
LIST_EMPTY = regex(
    rf"{_WHOLE_LIST}(?:이|가|은|는) (?:(?P<yes>비어 ?있(?:는가요?|는지|다|음|어야 ?(?:함|한다|합니다))|빈 (?:배열|목록|리스트)(?:인가|인지|이다|임))"
    rf"|(?P<no>{_NOT_EMPTY})){WHETHER}"
)
