// The item beside the form: chat bubbles with their numbers, a diary and its comment, an agent run.

import { el, fill } from "./dom.js";

const LONG = 3000;
const PIECE = /[^]{1,500}\S*\s*/g; // ends where a word begins, so that no letter and no line break is cut
const MATH = /(\\\([\s\S]+?\\\)|\\\[[\s\S]+?\\\]|\$\$[\s\S]+?\$\$)/;

// A long text in pieces: one run of 100,000 Korean letters takes Chromium ten times as long to break into lines. The lines are
// the same, and the pieces' texts together are the text.
function pieces(text) {
  return text.length <= LONG ? text : text.match(PIECE).map((piece) => el("span", {}, piece));
}

// The text as it is; formulas only look different, so that a quotation stays word for word.
function prose(text, words) {
  const parts = text.split(MATH).map((part, index) => (index % 2 ? el("span", { class: "math" }, part) : pieces(part)));
  const body = el("div", { class: "prose", dir: "auto" }, parts);
  if (!text.trim()) return el("div", { class: "prose empty" }, words.empty_message);
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
      message.text.trim() || !message.calls ? prose(message.text, words) : null,
      (message.calls ?? []).map((call) =>
        el("details", { class: "call", open: "" }, el("summary", {}, call.name), el("pre", { tabindex: "0", dir: "auto" }, pieces(call.text))))));
}

function part(name, text, words, className = "") {
  return el("article", { class: `part ${className}`, data: { source: name } }, el("h3", {}, name), prose(text, words));
}

function run(view, words) {
  return [
    view.query ? part(words.query, view.query, words)
      : el("article", { class: "part" }, el("h3", {}, words.query), el("p", { class: "empty" }, fill(words.no_query, { id: view.query_id }))),
    view.expected ? part(words.expected, view.expected, words, "aside") : null,
    view.message ? part(words.reply, view.message, words, "answer")
      : el("article", { class: "part answer" }, el("h3", {}, words.reply), el("p", { class: "empty" }, words.no_reply)),
    view.error ? part(words.error, view.error, words, "error") : null,
    view.payload ? el("details", { class: "payload" }, el("summary", {}, words.payload), el("pre", { tabindex: "0" }, pieces(view.payload))) : null,
  ];
}

export function renderItem(view, words, cite) {
  const pane = el("div", { class: `item ${view.kind}` });
  if (view.kind === "dialogue") pane.append(...dialogue(view, words, cite));
  else if (view.kind === "reply") {
    pane.append(...view.parts.map((p, index) => part(p.name, p.text, words, index ? "answer" : "")));
  } else if (view.kind === "run") pane.append(...run(view, words).filter(Boolean));
  return pane;
}

// The selected words as evidence: 메시지[3]에서 '…'; one quotation for each message that the selection touches.
export function quotation(pane, words) {
  const selection = document.getSelection();
  if (!selection || selection.isCollapsed || !selection.rangeCount) return null;
  const range = selection.getRangeAt(0);
  if (!pane.contains(range.commonAncestorContainer)) return null;
  const quotes = [];
  for (const source of pane.querySelectorAll("[data-source]")) {
    const body = source.querySelector(".prose");
    if (!body || !range.intersectsNode(body)) continue;
    const here = document.createRange();
    here.selectNodeContents(body);
    if (body.contains(range.startContainer)) here.setStart(range.startContainer, range.startOffset);
    if (body.contains(range.endContainer)) here.setEnd(range.endContainer, range.endOffset);
    const text = here.toString().replace(/\s+/g, " ").trim();
    if (!text) continue;
    const { index, source: name } = source.dataset;
    quotes.push(index === undefined ? fill(words.quoted_part, { part: name, text }) : fill(words.quoted, { n: index, text }));
  }
  return quotes.length ? { text: quotes.join(", "), box: range.getBoundingClientRect() } : null;
}
