// A conversation with the AI under test. A message counts as sent when the server has it on disk, and a reply as said
// when it is kept too; until then it says so. What the AI says is text, or the server's own few elements.

import { base, place, el, fill } from "./dom.js";
import { setTheme } from "./frame.js";
import { leaveButton, watchKiosk } from "./participant.js";

function newId() {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function typeset(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  return [...template.content.childNodes];
}

class Talk {
  constructor(state) {
    Object.assign(this, state); // csrf, lang, words, speakers, messages, letters, left, replying, kiosk
    this.busy = false;
    this.draftId = newId();
    this.draft = `haechi draft ${this.csrf}`; // of this participant, not of the next one at this computer
    this.#build();
    this.messages.forEach((message) => this.#add(message));
    this.box.value = sessionStorage.getItem(this.draft) ?? "";
    this.#refresh();
  }

  start() {
    const waits = this.messages.at(-1)?.role === "user";
    if (this.replying) this.#stream("reply", {});
    else if (waits) this.#fault(this.words.talk_no_reply);
    this.box.focus();
  }

  #build() {
    const { words } = this;
    const button = (text, act, more = {}) => el("button", { type: "button", on: { click: act }, ...more }, text);
    this.log = el("div", { class: "talk-log", tabindex: "0", role: "log", "aria-live": "polite", "aria-label": this.title });
    this.box = el("textarea", { rows: "2", maxlength: String(this.letters), id: "talk-box", placeholder: words.talk_box, on: {
      keydown: (event) => { if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); this.send(); } },
      input: () => { sessionStorage.setItem(this.draft, this.box.value); this.#refresh(); },
    } });
    this.sendButton = button(words.talk_send, () => this.send(), { class: "primary" });
    this.endButton = button(words.talk_end, () => this.#askToEnd());
    this.hint = el("span", { class: "hint", role: "status" });
    const other = this.lang === "ko" ? "en" : "ko";
    document.getElementById("talk").replaceChildren(
      el("header", { class: "talk-top" }, el("h1", {}, this.title),
        el("a", { class: "quiet", href: `${base}/language/${other}?back=survey/talk`, lang: other }, words.language), leaveButton(this), el("p", {}, words.talk_intro)),
      el("main", {}, this.log),
      el("footer", { class: "talk-bottom" },
        el("div", { class: "talk-write" }, el("label", { class: "unseen", for: "talk-box" }, words.talk_box), this.box, this.sendButton),
        el("div", { class: "talk-more" }, this.hint, this.endButton)));
  }

  #add({ role, text, html }, state = "") {
    const body = html === undefined ? el("div", { class: "prose plain", dir: "auto" }, text) : el("div", { class: "prose typeset", dir: "auto" }, typeset(html));
    const note = el("span", { class: "state", role: "status" }, state);
    const bubble = el("article", { class: `bubble ${role}` }, el("header", {}, this.speakers[role], " ", note), body);
    this.log.append(bubble);
    this.log.scrollTop = this.log.scrollHeight;
    return { bubble, body, note };
  }

  #fault(text, again = true) {
    this.log.querySelector(".fault")?.remove();
    const more = again ? el("div", {}, el("button", { type: "button", on: { click: () => this.#stream("reply", {}) } }, this.words.talk_again)) : null;
    this.log.append(el("div", { class: "fault", role: "alert" }, text, more));
    this.log.scrollTop = this.log.scrollHeight;
  }

  #refresh() {
    const { words } = this;
    const waits = this.messages.at(-1)?.role === "user";
    const over = this.left <= 0;
    this.box.disabled = over;
    this.sendButton.disabled = this.busy || over || !this.box.value.trim();
    this.endButton.disabled = this.busy || !this.messages.some((message) => message.role === "assistant");
    this.endButton.classList.toggle("primary", over && !waits);
    this.hint.textContent = over ? words.talk_none_left : this.box.value.length >= this.letters ? fill(words.talk_letters, { n: this.letters }) : fill(words.talk_left, { n: this.left });
  }

  async send() {
    const text = this.box.value.trim();
    if (!text || this.sendButton.disabled) return;
    await this.#stream("messages", { id: this.draftId, text }, text);
  }

  // Lines come as they are written: sent, pieces of the reply, then the reply itself or why there is none.
  async #stream(path, body, text = null) {
    if (this.busy) return;
    this.busy = true;
    this.log.querySelector(".fault")?.remove();
    const mine = text === null ? null : this.#add({ role: "user", text }, this.words.talk_sending);
    let theirs = null;
    let heard = false;
    let kept = false;
    this.#refresh();
    const hear = (line) => {
      heard = true;
      if (line.sent && mine && !kept) {
        kept = true;
        mine.note.textContent = "";
        this.messages.push({ role: "user", text });
        this.left -= 1;
        this.box.value = "";
        sessionStorage.removeItem(this.draft);
        this.draftId = newId();
        this.#refresh();
      }
      if (line.sent || line.piece) theirs ??= this.#add({ role: "assistant", text: "" }, this.words.talk_waiting);
      if (line.piece) { theirs.body.append(line.piece); this.log.scrollTop = this.log.scrollHeight; }
      if (line.left !== undefined) this.left = line.left;
      if (line.reply) {
        theirs?.bubble.remove();
        theirs = null;
        this.messages.push(line.reply);
        this.#add(line.reply);
      }
      if (line.error || line.nothing) { theirs?.bubble.remove(); theirs = null; }
      if (line.error) this.#fault(line.error);
    };
    const whole = await this.#read(path, body, hear);
    if (!whole) {
      theirs?.bubble.remove();
      if (mine && !heard) {
        mine.bubble.remove();
        if (await this.#lookAgain()) return;
        this.#fault(this.words.talk_unsent, false);
      } else if (this.messages.at(-1)?.role === "user") this.#fault(this.words.talk_no_reply);
    }
    this.busy = false;
    this.#refresh();
    this.box.focus();
  }

  // Nobody knows whether a message arrived whose answer was lost: the server does.
  async #lookAgain() {
    const state = await fetchState();
    if (!state || state.messages.length <= this.messages.length) return false;
    sessionStorage.removeItem(this.draft);
    new Talk(state).start();
    return true;
  }

  async #read(path, body, hear) {
    try {
      const response = await fetch(`${place}/${path}`, { method: "POST", headers: { "Content-Type": "application/json", "X-Haechi-Form": this.csrf }, body: JSON.stringify(body) });
      if (response.status === 401 || response.status === 403) { location.reload(); return false; }
      if (!response.ok) return false;
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = "";
      let last = null;
      for (;;) {
        const { value, done } = await reader.read();
        if (done) break;
        const lines = (rest + value).split("\n");
        rest = lines.pop();
        for (const line of lines) { last = JSON.parse(line); hear(last); }
      }
      return Boolean(last?.reply || last?.error || last?.nothing);
    } catch {
      return false;
    }
  }

  #askToEnd() {
    const { words } = this;
    const dialog = el("dialog", { class: "sheet", "aria-labelledby": "end-title" }, el("h2", { id: "end-title" }, words.talk_end), el("p", {}, words.talk_end_more),
      el("form", { method: "dialog" }, el("button", { type: "button", class: "primary", on: { click: () => this.#end(dialog) } }, words.talk_end), el("button", { class: "quiet" }, words.talk_stay)));
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
  }

  async #end(dialog) {
    const response = await fetch(`${place}/end`, { method: "POST", headers: { "X-Haechi-Form": this.csrf } }).catch(() => null);
    if (response?.ok) location.assign(`${base}/survey/desk`);
    else { dialog.close(); this.#fault(this.words.talk_unsent, false); }
  }
}

async function fetchState() {
  const response = await fetch(`${place}/state`).catch(() => null);
  return response?.ok ? response.json() : null;
}

async function open() {
  setTheme(localStorage.getItem("haechi theme"));
  const state = await fetchState();
  if (!state) { document.querySelector("#talk .message").textContent = document.documentElement.lang === "ko" ? "불러오지 못했습니다. 새로고침하세요." : "This could not be loaded. Reload the page."; return; }
  const talk = new Talk(state);
  watchKiosk(talk);
  talk.start();
}

open();
