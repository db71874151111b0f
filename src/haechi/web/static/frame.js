// What surrounds item and form: progress, the state of saving, the bar below, the list of items.

import { base, el, fill } from "./dom.js";
import { shortcuts } from "./keys.js";
import { showNotes } from "./notes.js";
import { leaveButton } from "./participant.js";

export function setTheme(theme) {
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
}

function toggleTheme() {
  const dark = document.documentElement.dataset.theme
    ? document.documentElement.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  const theme = dark ? "light" : "dark";
  localStorage.setItem("haechi theme", theme);
  setTheme(theme);
}

export function frame(desk) {
  const { words } = desk;
  const count = el("span", { class: "count" });
  const left = el("span", { class: "time-left" });
  const bar = el("progress", { max: 1, value: 0, "aria-label": words.done });
  const save = el("span", { class: "save saved", role: "status" }, words.saved);
  const spoken = el("div", { class: "unseen", "aria-live": "polite" });
  const open = el("span", { class: "open-count", role: "status" });
  const kept = el("button", { type: "button", class: "quiet kept", hidden: true, on: { click: () => showKept(desk) } });
  const button = (text, act, more = {}) => el("button", { type: "button", on: { click: act }, ...more }, text);
  const labelled = (sign, text) => [el("span", { class: "sign", "aria-hidden": "true" }, sign), el("span", { class: "text" }, text)];
  const undo = button(labelled("↶", words.undo), () => desk.undo(), { class: "quiet", "aria-label": words.undo });
  const previous = button(labelled("‹", words.previous), () => desk.step(-1), { class: "quiet", "aria-label": words.previous });
  const next = button(words.next, () => desk.step(1), { class: "primary" });
  const itemPane = el("section", { class: "pane item-pane", "aria-label": words.item_pane, tabindex: "0" });
  const formPane = el("section", { class: "pane form-pane", id: "form", "aria-label": words.form_pane, tabindex: "-1" });
  const panes = el("main", { class: "panes", data: { shown: "item" } }, itemPane, formPane);
  const tab = (name, text) => button(text, () => show(name), { "aria-pressed": String(name === "item"), data: { tab: name } });
  const tabs = el("div", { class: "tabs" }, tab("item", words.tab_item), tab("form", words.tab_form));

  function show(name) {
    panes.dataset.shown = name;
    for (const one of tabs.children) one.setAttribute("aria-pressed", String(one.dataset.tab === name));
  }

  const header = el("header", { class: "top" },
    el("a", { class: "skip", href: "#form" }, words.skip_to_form),
    el("div", { class: "study" }, el("span", { class: "brand", "aria-hidden": "true" }, "해치"), el("h1", { dir: "auto" }, desk.study),
      el("span", { class: "me", dir: "auto" }, desk.survey ? words.participant : desk.me)),
    el("div", { class: "where" }, count, left, save, kept),
    el("nav", { "aria-label": words.desk },
      button(words.guide, () => showGuide(desk), { class: "quiet" }),
      button(words.list, () => showList(desk), { class: "quiet" }),
      button(words.help, () => showHelp(desk), { class: "quiet wide" }),
      button(words.theme, toggleTheme, { class: "quiet" }),
      el("a", { class: "quiet", href: `${base}/language/${desk.lang === "ko" ? "en" : "ko"}${desk.survey ? "?back=survey" : ""}`, lang: desk.lang === "ko" ? "en" : "ko" }, words.language),
      desk.survey ? leaveButton(desk) : null),
    bar);
  const notes = button(labelled("✎", words.notes), () => showNotes(desk, sheet), { class: "quiet", "aria-label": words.notes });
  const footer = el("footer", { class: "bottom" }, previous, undo, desk.survey ? null : notes, open, tabs, next);

  return {
    elements: [header, panes, footer, spoken],
    itemPane,
    help: () => showHelp(desk),
    announce: (text) => { spoken.textContent = text; },
    show: (item, form) => {
      panes.classList.remove("ended");
      footer.classList.remove("ended");
      const heading = (text) => el("h2", { class: "unseen" }, text);
      itemPane.replaceChildren(heading(words.item_pane), item);
      formPane.replaceChildren(heading(words.form_pane), form);
      itemPane.scrollTop = 0;
      formPane.scrollTop = 0;
      show("item");
      scrollTo(0, 0);
    },
    saveState: (kind, detail) => {
      save.className = `save ${kind}`;
      save.textContent = fill(kind === "refused" ? words.refused_count : words[kind], { n: detail });
    },
    kept: (queue) => {
      const count = queue.refused.length + queue.unsent.length;
      kept.hidden = count === 0;
      kept.textContent = fill(words.kept, { n: count });
    },
    progress: () => {
      const { items, left: more, seconds } = desk.work;
      const total = items.length + more;
      const done = items.filter((item) => item.finished).length;
      count.textContent = `${items.indexOf(desk.entry) + 1} ${words.of} ${total}`;
      bar.max = total;
      bar.value = done;
      left.textContent = seconds && done < total ? fill(words.minutes_left, { n: Math.max(1, Math.ceil(((total - done) * seconds) / 60)) }) : "";
      const missing = desk.shown?.open().length ?? 0;
      open.textContent = missing ? fill(words.incomplete, { n: missing }) : words.complete;
      next.classList.toggle("ready", !missing);
      previous.disabled = items.indexOf(desk.entry) <= 0;
      notes.classList.toggle("marked", Boolean(desk.item?.notes.length));
      undo.disabled = desk.undoable.length === 0;
    },
    finished: () => {
      itemPane.replaceChildren();
      formPane.replaceChildren(lastPage(desk));
      show("form");
      panes.classList.add("ended");
      footer.classList.add("ended");
      open.textContent = "";
      const { items, left: more } = desk.work;
      count.textContent = `${items.filter((item) => item.finished).length} ${words.of} ${items.length + more}`;
      bar.max = items.length + more || 1;
      bar.value = items.filter((item) => item.finished).length;
      left.textContent = "";
      previous.disabled = !items.length;
      formPane.firstChild.focus();
    },
  };
}

// Where the work ends: what was done, what is open, and what to do next.
function lastPage(desk) {
  const { words, work, queue } = desk;
  const done = work.items.filter((item) => item.finished).length;
  const action = (text, act, kind = "") => el("button", { type: "button", class: kind, on: { click: act } }, text);
  const open = desk.unfinished;
  const unsent = queue.waiting.filter((entry) => entry.answer.field).length;
  const kept = queue.refused.length + queue.unsent.length;
  const title = !work.items.length ? words.nothing : open || unsent || kept ? words.nearly_done : words.all_done;
  const facts = [
    [words.items_done, String(done)],
    work.spent ? [words.time_spent, work.spent < 60 ? words.under_minute : fill(words.minutes, { n: Math.round(work.spent / 60) })] : null,
    unsent ? [words.not_sent, String(unsent)] : null,
    kept ? [words.not_kept, String(kept)] : null,
  ].filter(Boolean);
  return el("div", { class: "finished", tabindex: "-1" },
    el("h2", {}, title),
    work.items.length ? el("dl", {}, facts.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value)))) : null,
    el("p", {}, open || desk.survey || !work.items.length ? "" : unsent ? words.keep_open : words.all_done_more),
    el("div", { class: "actions" },
      open ? action(words.to_open, () => desk.go(open.position), "primary") : null,
      kept ? action(fill(words.kept, { n: kept }), () => showKept(desk), open ? "" : "primary") : null,
      work.items.length ? action(words.look_again, () => showList(desk)) : action(words.check_again, () => location.reload(), "primary")));
}

function showHelp(desk) {
  sheet(desk.words.help, shortcuts(desk), desk.words);
}

function sheet(title, content, words) {
  const dialog = el("dialog", { class: "sheet", "aria-labelledby": "sheet-title" }, el("h2", { id: "sheet-title" }, title), content,
    el("form", { method: "dialog" }, el("button", { class: "primary" }, words.close)));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

export function showGuide(desk) {
  const { form, words } = desk;
  const keys = matchMedia("(pointer: fine)").matches
    ? el("details", { class: "shortcuts" }, el("summary", {}, words.help), shortcuts(desk)) : null;
  sheet(form.title, [el("p", { class: "task" }, form.task), el("ul", {}, form.guidance.map((line) => el("li", {}, line))), keys], words);
}

// Shown by itself the first time somebody opens a study. Earlier pages noted "shown" for all studies.
showGuide.once = (desk) => {
  const seen = (localStorage.getItem("haechi help") ?? "").split(" ");
  if (!desk.shown || seen.includes("shown") || seen.includes(desk.marks.study)) return;
  localStorage.setItem("haechi help", [...seen, desk.marks.study].join(" ").trim());
  showGuide(desk);
};

function showList(desk) {
  const { words } = desk;
  const list = el("ol", { class: "list" }, desk.work.items.map((item, index) =>
    el("li", {}, el("button", { type: "button", class: `${item.finished ? "finished" : ""} ${item.reply ? "reply" : ""}`, "aria-current": item.position === desk.position ? "true" : null,
      "aria-label": `${words.item} ${index + 1}${item.skipped ? `, ${words.skipped}` : item.finished ? `, ${words.done}` : ""}${item.reply ? `, ${words.replied}` : ""}`,
      on: { click: () => { dialog.close(); desk.go(item.position); } } }, String(index + 1)))));
  const dialog = sheet(words.list, list, words);
}

// Answers that are in this browser only: what the server refused, and what nobody can say where it belongs.
function showKept(desk) {
  const { words, queue } = desk;
  const button = (text, act) => el("button", { type: "button", class: "quiet", on: { click: () => { dialog.close(); act(); } } }, text);
  const row = (entry) => {
    const { position, field, value, reason, evidence } = entry.answer;
    const discard = button(words.discard, () => desk.discard(entry));
    // What somebody else answered is nobody's to see.
    if (entry.elsewhere && !entry.mine) return el("li", {}, el("p", { class: "hint" }, words.kept_elsewhere), discard);
    const at = desk.work.items.findIndex((item) => item.position === position);
    const why = entry.mine ? words.kept_revoked : entry.refused ?? words.kept_older;
    return el("li", {}, el("strong", {}, `${words.item} ${(entry.key && !entry.mine) || at < 0 ? position : at + 1} · ${desk.label(field)}: `),
      el("span", { class: "prose" }, [value ?? reason ?? words.cleared, evidence].filter(Boolean).join(" · ")),
      el("p", { class: "hint" }, why), entry.mine ? button(words.send, () => desk.resend(entry)) : null, discard);
  };
  const entries = [...queue.refused, ...queue.unsent];
  const dialog = sheet(fill(words.kept, { n: entries.length }),
    [el("p", { class: "hint" }, words.kept_more), el("ul", { class: "kept-list" }, entries.map(row))], words);
}
