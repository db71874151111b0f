// A link that was closed while somebody worked: the work stops at once, and what did not reach the server stays in sight.

import { base, el, fill } from "./dom.js";

// Answers that this browser still has; `label` says what a question is called.
export function waitingAnswers(waiting, words, label) {
  const row = ({ answer }) => el("li", {}, el("strong", {}, `${words.item} ${answer.position} · ${label(answer.field)}: `),
    [answer.value ?? answer.reason ?? words.cleared, answer.evidence].filter(Boolean).join(" · "));
  return [el("h2", {}, fill(words.closed_waiting, { n: waiting.length })), el("p", {}, words.closed_kept), el("ul", {}, waiting.map(row))];
}

export function showClosed(desk, why) {
  const { words, queue } = desk;
  if (why === "practice") return location.reload(); // the owner asks for it since this page was opened
  const waiting = queue.waiting.filter((entry) => entry.answer.field);
  if (desk.survey && !waiting.length) return location.assign(`${base}/survey`); // which thanks whoever has submitted
  desk.shown = null;
  document.querySelectorAll("dialog[open]").forEach((dialog) => dialog.close());
  document.getElementById("desk").replaceChildren(el("main", { class: "message closed", tabindex: "-1" },
    el("p", { class: "mark", "aria-hidden": "true" }, "해치"),
    el("h1", {}, words[`closed_${why}`] ?? words.signed_out),
    el("p", {}, words.closed_more),
    waiting.length ? waitingAnswers(waiting, words, (field) => desk.label(field)) : null));
  document.querySelector(".closed").focus();
}
