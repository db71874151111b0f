// What surrounds item and form: progress, the state of saving, the bar below, the list of items.

import { base, el, fill } from "./dom.js";
import { showHelp } from "./keys.js";
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
  const undo = button(words.undo, () => desk.undo(), { class: "quiet" });
  const previous = button(words.previous, () => desk.step(-1), { class: "quiet" });
  const next = button(words.next, () => desk.step(1), { class: "primary" });
  const itemPane = el("section", { class: "pane item-pane", "aria-label": words.item_pane, tabindex: "0" });
  const formPane = el("main", { class: "pane form-pane", id: "form", "aria-label": words.form_pane });
  const panes = el("div", { class: "panes", data: { shown: "item" } }, itemPane, formPane);
  const tab = (name, text) => button(text, () => show(name), { "aria-pressed": String(name === "item"), data: { tab: name } });
  const tabs = el("div", { class: "tabs" }, tab("item", words.item_pane), tab("form", words.form_pane));

  function show(name) {
    panes.dataset.shown = name;
    for (const one of tabs.children) one.setAttribute("aria-pressed", String(one.dataset.tab === name));
  }

  const header = el("header", { class: "top" },
    el("a", { class: "skip", href: "#form" }, words.skip_to_form),
    el("div", { class: "where" }, el("span", { class: "brand" }, "해치"), count, left, save, kept),
    el("nav", { "aria-label": words.desk },
      button(words.guide, () => showGuide(desk), { class: "quiet" }),
      button(words.list, () => showList(desk), { class: "quiet" }),
      button(words.help, () => showHelp(desk), { class: "quiet wide" }),
      button(words.theme, toggleTheme, { class: "quiet" }),
      el("a", { class: "quiet", href: `${base}/language/${desk.lang === "ko" ? "en" : "ko"}${desk.survey ? "?back=survey" : ""}`, lang: desk.lang === "ko" ? "en" : "ko" }, words.language),
      desk.survey ? leaveButton(desk) : null),
    bar);
  const footer = el("footer", { class: "bottom" }, previous, undo, open, tabs, next);

  return {
    elements: [header, panes, footer, spoken],
    itemPane,
    announce: (text) => { spoken.textContent = text; },
    show: (item, form) => {
      itemPane.replaceChildren(item);
      formPane.replaceChildren(form);
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
      undo.disabled = desk.undoable.length === 0;
    },
    finished: (nothing) => {
      desk.shown = null;
      itemPane.replaceChildren();
      formPane.replaceChildren(el("div", { class: "finished", tabindex: "-1" },
        el("h1", {}, nothing ? words.nothing : words.all_done), el("p", {}, nothing ? "" : words.all_done_more)));
      show("form");
      open.textContent = "";
      formPane.firstChild.focus();
    },
  };
}

function sheet(title, content, words) {
  const dialog = el("dialog", { class: "sheet", "aria-labelledby": "sheet-title" }, el("h2", { id: "sheet-title" }, title), content,
    el("form", { method: "dialog" }, el("button", { class: "primary" }, words.close)));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

function showGuide(desk) {
  sheet(desk.form.title, [el("p", { class: "task" }, desk.form.task), el("ul", {}, desk.form.guidance.map((line) => el("li", {}, line)))], desk.words);
}

function showList(desk) {
  const { words } = desk;
  const list = el("ol", { class: "list" }, desk.work.items.map((item, index) =>
    el("li", {}, el("button", { type: "button", class: item.finished ? "finished" : "", "aria-current": item.position === desk.position ? "true" : null,
      "aria-label": `${words.item} ${index + 1}${item.finished ? `, ${words.done}` : ""}`,
      on: { click: () => { dialog.close(); desk.go(item.position); } } }, String(index + 1)))));
  const dialog = sheet(words.list, list, words);
}

// Answers that are in this browser only: what the server refused, and what nobody can say where it belongs.
function showKept(desk) {
  const { words, queue } = desk;
  const label = (name) => desk.form.groups.flatMap((group) => group.fields).find((field) => field.name === name)?.label ?? name;
  const button = (text, act) => el("button", { type: "button", class: "quiet", on: { click: () => { dialog.close(); act(); } } }, text);
  const row = (entry) => {
    const { position, field, value, reason, evidence } = entry.answer;
    const discard = button(words.discard, () => desk.discard(entry));
    // What somebody else answered is nobody's to see.
    if (entry.elsewhere && !entry.mine) return el("li", {}, el("p", { class: "hint" }, words.kept_elsewhere), discard);
    const at = desk.work.items.findIndex((item) => item.position === position);
    const why = entry.mine ? words.kept_revoked : entry.refused ?? words.kept_older;
    return el("li", {}, el("strong", {}, `${words.item} ${(entry.key && !entry.mine) || at < 0 ? position : at + 1} · ${label(field)}: `),
      el("span", { class: "prose" }, [value ?? reason ?? words.cleared, evidence].filter(Boolean).join(" · ")),
      el("p", { class: "hint" }, why), entry.mine ? button(words.send, () => desk.resend(entry)) : null, discard);
  };
  const entries = [...queue.refused, ...queue.unsent];
  const dialog = sheet(fill(words.kept, { n: entries.length }),
    [el("p", { class: "hint" }, words.kept_more), el("ul", { class: "kept-list" }, entries.map(row))], words);
}
