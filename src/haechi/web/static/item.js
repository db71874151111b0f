// The item beside the form: chat bubbles with their numbers, a diary and its comment, an agent run.

import { el, fill } from "./dom.js";

const LONG = 3000;
const PIECE = /[^]{1,500}\S*\s*/g; // ends where a word begins, so that no letter and no line break is cut
const RAW = "haechi raw"; // whether texts are shown as they are written; remembered for all items

const isRaw = () => localStorage.getItem(RAW) === "yes";

// A long text in pieces: one run of 100,000 Korean letters takes Chromium ten times as long to break into lines. The lines are
// the same, and the pieces' texts together are the text.
function pieces(text) {
  let at = 0;
  return (text.match(PIECE) ?? []).map((piece) => {
    const span = el("span", { data: { at } }, piece);
    at += piece.length;
    return span;
  });
}

// The server's HTML of a text: its own few elements, each text in it with the place that it has in the source.
function typeset(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  return [...template.content.childNodes];
}

// A text as its author saw it, or as it is written.
function prose({ text, html }, words) {
  if (!text.trim()) return el("div", { class: "prose empty" }, words.empty_message);
  const set = html !== undefined && !isRaw();
  const body = el("div", { class: set ? "prose typeset" : "prose", dir: "auto" }, set ? typeset(html) : pieces(text));
  body.source = text;
  if (text.length <= LONG) return body;
  body.classList.add("long");
  body.tabIndex = 0;
  const more = el("button", { type: "button", class: "quiet", on: {
    click: () => { body.classList.remove("long"); more.remove(); },
  } }, fill(words.show_all, { n: text.length.toLocaleString() }));
  return [body, more];
}

function dialogue(view, words, cite) {
  return view.messages.map((message) =>
    el("article", { class: `bubble ${message.role}`, data: { index: message.index, source: fill(words.message, { n: message.index }) } },
      el("header", {},
        el("button", { type: "button", class: "index", title: words.quote,
          "aria-label": `${fill(words.message, { n: message.index })}: ${words.quote}`,
          on: { click: () => cite(fill(words.message, { n: message.index })) } }, `[${message.index}]`),
        el("span", { class: "speaker", dir: "auto" }, message.speaker),
        message.time ? el("time", { class: "soft" }, message.time) : null),
      message.text.trim() || !message.calls.length ? prose(message, words) : null,
      message.calls.map((call) =>
        el("details", { class: "call", open: "" }, el("summary", {}, call.name), el("pre", { tabindex: "0", dir: "auto" }, call.text)))));
}

function part(name, said, words, className = "") {
  return el("article", { class: `part ${className}`, data: { source: name } }, el("h3", {}, name), prose(said, words));
}

// What was expected, in words; as it is written where the rater wants to see that.
function expectation(expected, words) {
  if (isRaw()) return part(words.expected, expected, words, "aside");
  return el("article", { class: "part aside" }, el("h3", {}, words.expected),
    el("ul", { class: "expected" }, expected.lines.map((line) => el("li", { dir: "auto" }, line))));
}

// What the agent put on the screen.
function card({ title, tags, rows }) {
  return el("article", { class: "ui-card" },
    el("h4", {}, el("span", { dir: "auto" }, title), tags.map((tag) => el("span", { class: "tag" }, tag))),
    rows.length ? el("dl", {}, rows.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", { dir: "auto" }, value)))) : null);
}

const time = (seconds, words) => (seconds === null ? "–" : fill(words.seconds, { n: seconds.toLocaleString() }));

function tools(view, words) {
  const row = ({ name, seconds }) => el("li", {}, el("span", { dir: "auto" }, name), " ", el("span", { class: "soft" }, time(seconds, words)));
  return el("section", { class: "tools-used" }, el("h3", {}, words.tools, " ", el("span", { class: "soft" }, time(view.seconds, words))),
    view.tools.length ? el("ol", {}, view.tools.map(row)) : null);
}

function run(view, words) {
  return [
    view.query ? part(words.query, view.query, words)
      : el("article", { class: "part" }, el("h3", {}, words.query), el("p", { class: "empty" }, fill(words.no_query, { id: view.query_id }))),
    view.expected ? expectation(view.expected, words) : null,
    view.message ? part(words.reply, view.message, words, "answer")
      : el("article", { class: "part answer" }, el("h3", {}, words.reply), el("p", { class: "empty" }, words.no_reply)),
    view.error ? part(words.error, view.error, words, "error") : null,
    view.cards.length ? el("section", { class: "cards", "aria-label": words.cards }, el("h3", {}, words.cards), view.cards.map(card)) : null,
    view.tools.length || view.seconds !== null ? tools(view, words) : null,
    view.payload ? el("details", { class: "payload" }, el("summary", {}, words.payload), el("pre", { tabindex: "0" }, view.payload)) : null,
  ];
}

// Two answers beside each other below what they answer.
function pair(view, words) {
  const [context, ...answers] = view.parts;
  return [part(context.name, context, words), el("div", { class: "side-by-side" }, answers.map((p) => part(p.name, p, words, "answer")))];
}

function content(view, words, cite) {
  if (view.kind === "dialogue") return dialogue(view, words, cite);
  if (view.kind === "pair") return pair(view, words);
  if (view.kind === "reply") return view.parts.map((p, index) => part(p.name, p, words, index ? "answer" : ""));
  return view.kind === "run" ? run(view, words).filter(Boolean) : [];
}

// Whether it matters how texts are shown: of most chats every sign is there either way.
function differs(view) {
  if (view.expected) return true;
  const said = view.messages ?? view.parts ?? [view.query, view.message];
  const bare = (text) => text.replace(/\s+/g, "");
  return said.some((one) => one?.html && bare(typeset(one.html).map((node) => node.textContent).join("")) !== bare(one.text));
}

export function renderItem(view, words, cite) {
  const pane = el("div", { class: `item ${view.kind}` }, content(view, words, cite));
  if (!differs(view)) return pane;
  const button = el("button", { type: "button", class: "quiet as-written", "aria-pressed": String(isRaw()), on: {
    click: () => {
      localStorage.setItem(RAW, isRaw() ? "no" : "yes");
      button.setAttribute("aria-pressed", String(isRaw()));
      pane.replaceChildren(button, ...content(view, words, cite));
    },
  } }, words.as_written);
  pane.prepend(button);
  return pane;
}

// The part of a text's source that a selection touches. Words can be cut anywhere; what is shown otherwise than it is written,
// a formula for one, is taken whole.
function span(body, range) {
  let start = null, end = null;
  for (const piece of body.querySelectorAll("[data-at]")) {
    if (!range.intersectsNode(piece)) continue;
    const at = Number(piece.dataset.at), whole = piece.dataset.to !== undefined;
    const to = whole ? Number(piece.dataset.to) : at + piece.textContent.length;
    const inside = (node, offset, edge) => (!whole && node === piece.firstChild ? at + offset : edge);
    const from = piece.contains(range.startContainer) ? inside(range.startContainer, range.startOffset, at) : at;
    const until = piece.contains(range.endContainer) ? inside(range.endContainer, range.endOffset, to) : to;
    if (from >= until) continue;
    start ??= from;
    end = until;
  }
  return start === null ? "" : body.source.slice(start, end);
}

// The selected words as evidence, as they stand in the source: 메시지[3]에서 '…'; one quotation for each message that the
// selection touches.
export function quotation(pane, words) {
  const selection = document.getSelection();
  if (!selection || selection.isCollapsed || !selection.rangeCount) return null;
  const range = selection.getRangeAt(0);
  if (!pane.contains(range.commonAncestorContainer)) return null;
  const quotes = [];
  for (const source of pane.querySelectorAll("[data-source]")) {
    const body = source.querySelector(".prose:not(.empty)");
    if (!body || !range.intersectsNode(body)) continue;
    const text = span(body, range).replace(/\s+/g, " ").trim();
    if (!text) continue;
    const { index, source: name } = source.dataset;
    quotes.push(index === undefined ? fill(words.quoted_part, { part: name, text }) : fill(words.quoted, { n: index, text }));
  }
  return quotes.length ? { text: quotes.join(", "), box: range.getBoundingClientRect() } : null;
}
