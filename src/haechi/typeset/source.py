"""Markdown as tokens that know where they stand in the text: a quotation of the page is a span of the source.

markdown-it-py tells the lines of a block, not the place of a word. Two small subclasses note it while it parses.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import accumulate, pairwise
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.common.utils import MD_TRIM_CHARS, isMdAsciiPunct, isPunctChar, isWhiteSpace
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_block import StateBlock, table
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Scanned
from markdown_it.token import Token
from markdown_it.utils import EnvType

from haechi.regex import regex
from haechi.typeset import formula

# What is not in these lists stays text: HTML, pictures, references and indented code among it. A line below a paragraph
# that is all dashes is a rule, not a heading of what stands above; people draw lines that way.
_BLOCKS = ["table", "fence", "blockquote", "hr", "list", "heading"]
_INLINE = ["newline", "escape", "backticks", "emphasis", "link", "entity"]
_DEEPEST = 20
_BORDER = regex(r"(?<!\\)\|")
# Scripts whose words are not set apart by spaces, or carry particles: 한글, かな, 漢字.
_JOINED = regex(
    "[\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff]"
)


class Located(StateInline):
    """The state of an inline parse; `meta["at"]` of a token is its place in the parsed text."""

    begun: int | None = None

    def append_pending(self, text: str) -> None:
        """Note where a run of text begins."""
        if self.begun is None:
            self.begun = self.pos
        super().append_pending(text)

    def pushPending(self) -> Token:
        """A token for the run of text."""
        token = super().pushPending()
        token.meta["at"] = self.begun
        self.begun = None
        return token

    def push(self, ttype: str, tag: str, nesting: Literal[-1, 0, 1]) -> Token:
        """A token; the signs of `**` come one by one from the same place."""
        token = super().push(ttype, tag, nesting)
        self.begun = None
        before = self.tokens[-2] if len(self.tokens) > 1 else None
        end = before.meta.get("at", 0) + len(before.content) if before and before.type == "text" else 0
        token.meta["at"] = max(self.pos, end) if ttype == "text" else self.pos
        return token

    def scanDelims(self, start: int, canSplitWord: bool) -> Scanned:
        """Whether `*` opens or closes; CommonMark's rule, but a particle may follow where a space would: **"예"**라고."""
        found = super().scanDelims(start, canSplitWord)
        if not canSplitWord:
            return found
        before = self.src[start - 1] if start else " "
        end = start + found.length
        after = self.src[end] if end < self.posMax else " "
        opens = found.can_open or (_is_mark(after) and bool(_JOINED.match(before)))
        closes = found.can_close or (_is_mark(before) and bool(_JOINED.match(after)))
        return Scanned(opens, closes, found.length)


def _is_mark(sign: str) -> bool:
    return not isWhiteSpace(ord(sign)) and (isMdAsciiPunct(ord(sign)) or isPunctChar(sign))


class _Inline(ParserInline):
    def parse(self, src: str, md: MarkdownIt, env: EnvType, tokens: list[Token]) -> list[Token]:
        state = Located(src, md, env, tokens)
        self.tokenize(state)
        for rule in self.ruler2.getRules(""):
            rule(state)
        return state.tokens


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("zero")
    parser.inline = _Inline()
    parser.configure("zero", {"maxNesting": _DEEPEST})
    parser.enable([*_BLOCKS, *_INLINE])
    # Joined tokens would lose their places; what `normalize` does has been done, without moving anything.
    parser.disable(["normalize", "text_join", "fragments_join"])
    parser.block.ruler.at("table", _table, {"alt": ["paragraph", "reference"]})
    formula.add_rules(parser)
    return parser


def _table(state: StateBlock, first: int, last: int, silent: bool) -> bool:
    """A table whose rows know where they begin, after the signs of the list or the quotation they stand in."""
    before = len(state.tokens)
    if not table(state, first, last, silent):
        return False
    for token in state.tokens[before:]:
        if token.type == "tr_open" and token.map:
            token.meta["at"] = state.bMarks[token.map[0]] + state.tShift[token.map[0]]
    return True


def parse_tokens(text: str) -> list[Token]:
    """The tokens of a text; `meta` of what is shown has `at`, and `to` where it is shown otherwise than it is written.

    >>> inline = parse_tokens("값은 **$x$**입니다")[1]
    >>> [(token.type, token.meta["at"]) for token in inline.children if token.content]
    [('text', 0), ('formula', 5), ('text', 10)]
    """
    tokens = _parser().parse(text)
    lines = _Lines(text)
    cells: Iterator[Offsets] = iter(())
    before = Token("", "", 0)
    for token in tokens:
        if token.type == "tr_open" and token.map:
            cells = lines.cells(token.meta["at"], token.map[0])
        elif token.type == "fence":
            token.meta["lines"] = lines.code(token)
        elif token.type == "inline" and before.type in ("th_open", "td_open"):
            _move(token, next(cells, range(0)), text)
        elif token.type == "inline":
            _move(token, lines.words(token, before.markup if before.type == "heading_open" else ""), text)
        before = token
    return tokens


Offsets = Sequence[int]  # the place in the text of every character that was cut out of it


class _Lines:
    """The lines of the text, to find in them what the parser has cut out."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self._starts = [0, *accumulate(len(line) + 1 for line in self._lines)]

    def words(self, token: Token, hashes: str) -> Offsets:
        """The places of a paragraph or heading: each of its lines is the end of a line of the text."""
        first = (token.map or [0])[0]
        places: list[int] = []
        for number, piece in enumerate(token.content.split("\n"), first):
            places += self._run(number, piece, hashes)
            places.append(self._starts[number + 1] - 1)
        return places

    def code(self, token: Token) -> list[tuple[int, str]]:
        """The lines of a code block, each with its place."""
        first = (token.map or [0])[0] + 1
        lines = enumerate(token.content.removesuffix("\n").split("\n") if token.content else (), first)
        ends = ((number, line, self._end(number, line)) for number, line in lines)
        return [(self._starts[number] + max(0, at), line[max(0, -at) :]) for number, line, at in ends]

    def _run(self, number: int, piece: str, hashes: str) -> Offsets:
        line = self._lines[number]
        at = line.find(piece, line.find(hashes) + len(hashes)) if hashes else self._end(number, piece)
        # Spaces for a tab that was partly indentation stand where the line begins.
        return [self._starts[number] + max(0, place) for place in range(at, at + len(piece))]

    def _end(self, number: int, piece: str) -> int:
        """Where the end of a line begins; before the line, where a tab has become several spaces."""
        return len(self._lines[number].rstrip(MD_TRIM_CHARS)) - len(piece.rstrip(MD_TRIM_CHARS))

    def cells(self, row: int, number: int) -> Iterator[Offsets]:
        """The places of the cells of a table's row that begins at `row`; in a cell `\\|` is a sign and no border."""
        start, line = self._starts[number], self._lines[number]
        borders = [
            row - 1,
            *(start + match.start() for match in _BORDER.finditer(line, row - start)),
            start + len(line),
        ]
        spans = [(before + 1, after) for before, after in pairwise(borders)]
        for begin, end in spans[spans[0][0] == spans[0][1] :]:
            cell = line[begin - start : end - start]
            first = begin + len(cell) - len(cell.lstrip(MD_TRIM_CHARS))
            yield [at for at in range(first, end) if line[at - start : at - start + 2] != "\\|"]


def _move(token: Token, places: Offsets, text: str) -> None:
    """Turn the places of the children from places in their parent's content to places in the text."""

    def moved(at: int) -> int:
        return places[min(at, len(places) - 1)] if places else 0

    for child in token.children or ():
        at = child.meta.get("at", 0)
        if child.type == "code_inline":
            at += len(child.markup)
            cut = token.content[at : at + len(child.content)].replace("\n", " ") != child.content
            at += cut  # one space at each end belongs to the signs
        size = child.meta["to"] - at if "to" in child.meta else len(child.content)
        if child.type == "text_special":
            size = len(child.markup)
        child.meta["at"], end = moved(at), moved(at + size - 1) + 1
        if child.content != text[child.meta["at"] : end]:
            child.meta["to"] = end
    token.children = list(_joined(token.children or ()))


def _joined(tokens: Sequence[Token]) -> Iterator[Token]:
    """The tokens, with words that signs without a meaning had parted (snake_case) in one piece."""
    run: Token | None = None
    for token in tokens:
        if token.type == "text" and not token.content:
            continue
        is_words = token.type == "text" and "to" not in token.meta
        if run is not None and is_words and run.meta["at"] + len(run.content) == token.meta["at"]:
            run.content += token.content
            continue
        yield token
        run = token if is_words else None


_WORD = regex(r"[^\W_]")
# Words that are signs: the number of a list's entry, the language of a code block, the address of a link.
_SIGNS = regex(r"(?m)^(?:[\s>*+-]*\d{1,9}[.)])+|(?:`{3,}|~{3,})[^\n]*|\]\([^\n]*\)")


def is_whole(tokens: Sequence[Token], text: str) -> bool:
    """Whether all words of the text are among the tokens: cells beyond a table's last column, or the inside of twenty
    quotations, a parser leaves out.

    >>> table = "|a|\\n|-|\\n|b|c|"
    >>> is_whole(parse_tokens(table[:-2]), table[:-2]), is_whole(parse_tokens(table), table)
    (True, False)
    """
    rest = list(text)
    for at, to in _shown(tokens):
        rest[at:to] = "\0" * (to - at)
    return _WORD.search(_SIGNS.sub("", "".join(rest))) is None


def _shown(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    for token in tokens:
        yield from ((at, at + len(line)) for at, line in token.meta.get("lines", ()))
        for one in (token, *(token.children or ())):
            if one.content and "at" in one.meta:
                yield one.meta["at"], one.meta.get("to", one.meta["at"] + len(one.content))
