// Notes about an item: a rater asks, flags or skips, and the owner answers here.

import { place, el } from "./dom.js";

export function showNotes(desk, sheet) {
  const { words, item, entry } = desk;
  const names = { comment: "", flag: words.flagged, skip: words.skipped };
  const list = el("ul", { class: "notes" }, item.notes.map((note) => el("li", { class: note.author },
    el("strong", {}, note.author === "owner" ? words.owner : words.you), names[note.kind] ? ` · ${names[note.kind]}` : null,
    el("p", { class: "prose", dir: "auto" }, note.text))));
  const text = el("textarea", { rows: "3", maxlength: "2000", "aria-label": words.notes });
  const said = el("p", { class: "refusal", role: "alert", hidden: true });
  const send = async (kind) => {
    const words_ = text.value.trim();
    said.hidden = Boolean(words_);
    said.textContent = words.note_first;
    if (!words_) return text.focus();
    const response = await fetch(`${place}/notes`, {
      method: "POST", headers: { "Content-Type": "application/json", "X-Haechi-Form": desk.csrf },
      body: JSON.stringify({ position: item.position, item: item.item, kind, text: words_ }),
    }).catch(() => null);
    if (!response?.ok) {
      said.hidden = false;
      said.textContent = words.note_not_sent; // the words stay in the field
      return;
    }
    item.notes.push({ author: "rater", kind, text: words_ });
    entry.reply = false;
    dialog.close();
    if (kind !== "skip") return desk.frame.progress();
    entry.finished = true;
    entry.skipped = true;
    desk.step(1);
  };
  const button = (kind, label, style = "") => el("button", { type: "button", class: style, on: { click: () => send(kind) } }, label);
  const dialog = sheet(words.notes, [list, el("p", { class: "hint" }, words.notes_more), text, said,
    el("div", { class: "chips" }, button("comment", words.note_send, "primary"), button("flag", words.note_flag), entry.finished ? null : button("skip", words.note_skip))], words);
}
