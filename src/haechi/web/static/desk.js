// The desk: loads the list, shows one item beside its form, keeps every answer the moment it is given.

import { place, el, fill } from "./dom.js";
import { showClosed } from "./closed.js";
import { offerSubmission, watchKiosk } from "./participant.js";
import { Form } from "./form.js";
import { quotation, renderItem } from "./item.js";
import { Queue } from "./queue.js";
import { bindKeys } from "./keys.js";
import { Drafts } from "./drafts.js";
import { frame, setTheme, showGuide } from "./frame.js";
import { train } from "./training.js";

const IDLE_AFTER = 60_000; // a minute without a key, a touch or a scroll does not count as time on the item

class Desk {
  constructor(state) {
    Object.assign(this, state); // me, study, csrf, lang, words, form, work, survey, marks, other_links
    this.drafts = new Drafts(this.marks);
    this.items = new Map();
    this.undoable = [];
    this.position = null;
    this.lastActive = Date.now();
    this.frame = frame(this);
    document.getElementById("desk").replaceChildren(...this.frame.elements);
    document.getElementById("desk").className = "";
    this.queue = new Queue(this, (kind, detail) => this.#saved(kind, detail), (answer, reason, newer) => this.#told(answer, reason, newer));
    this.frame.kept(this.queue);
    this.#watchTime();
    this.#watchSelection();
    bindKeys(this);
  }

  #saved(kind, detail) {
    if (kind === "signed_out") showClosed(this, detail);
    else this.frame.saveState(kind, detail);
  }

  async start() {
    // An item with a refused answer is not done, whatever the server has of it from before.
    const positions = new Set(this.queue.refused.map((entry) => entry.answer.position));
    for (const { position } of this.work.items) if (positions.has(position)) await this.load(position).catch(() => {});
    await this.#recognise();
    if (this.unfinished) await this.go(this.unfinished.position);
    else this.#finish();
  }

  // The mark of an item is made for one rater: an answer that bears it is this rater's, whatever link it came with.
  async #recognise() {
    for (const entry of this.queue.unsent.filter((one) => one.elsewhere)) {
      const { position, item } = entry.answer;
      const listed = this.work.items.some((one) => one.position === position);
      const known = listed ? await this.load(position).catch(() => null) : null;
      entry.mine = known?.item === item;
    }
  }

  get entry() {
    return this.work.items.find((item) => item.position === this.position);
  }

  async load(position) {
    if (!this.items.has(position)) {
      const response = await fetch(`${place}/items/${position}`);
      if ([401, 403].includes(response.status)) showClosed(this, (await response.json()).why);
      if (!response.ok) throw new Error(String(response.status));
      const item = await response.json();
      this.queue.seen(Object.values(item.answers));
      for (const [field, answer] of Object.entries(item.answers)) this.#apply(item.answers, { ...answer, field });
      item.saved = { ...item.answers };
      item.refused = {};
      item.newer = {}; // questions whose answer of another device holds
      for (const answer of this.queue.answersTo(item.item)) this.#apply(item.answers, answer);
      item.drafts = this.drafts.of(item.item);
      for (const { answer, refused } of this.queue.refusedOf(item.item)) item.refused[answer.field] = { ...answer, why: refused };
      this.items.set(position, item);
      const entry = this.work.items.find((one) => one.position === position);
      if (entry && Object.keys(item.refused).length) entry.finished = false;
    }
    return this.items.get(position);
  }

  #apply(answers, answer) {
    if (!answer.field) return;
    if (answer.status === "cleared") delete answers[answer.field];
    else answers[answer.field] = { value: answer.value, status: answer.status, reason: answer.reason, evidence: answer.evidence };
  }

  // The server has an answer, or says why it does not want it: then what it had before still holds. So does `newer`, which
  // was given on another device after this one.
  #told(answer, why, newer) {
    const item = this.items.get(answer.position);
    if (item?.item === answer.item) {
      if (newer) {
        this.queue.seen([newer]);
        for (const answers of [item.saved, item.answers]) this.#apply(answers, { ...newer, field: answer.field });
        item.newer[answer.field] = true;
        if (item === this.item) this.shown?.overtaken(answer.field);
      } else if (why === null) {
        this.#apply(item.saved, answer);
      } else {
        item.refused[answer.field] = { ...answer, why };
        if (item.saved[answer.field]) item.answers[answer.field] = item.saved[answer.field];
        else delete item.answers[answer.field];
        const entry = this.work.items.find((one) => one.position === answer.position);
        if (entry) entry.finished = false;
        if (!this.shown && entry) this.go(entry.position, answer.field); // "all done" was said too early
        else if (item === this.item) this.shown.refresh();
      }
    }
    this.frame.kept(this.queue);
    if (this.shown) this.frame.progress();
  }

  // Somebody looked at an answer that could not be saved and does not want it any more.
  async discard(entry) {
    this.queue.discard(entry);
    this.frame.kept(this.queue);
    const { answer } = entry;
    const item = this.items.get(answer.position);
    if (entry.key || item?.item !== answer.item) return;
    delete item.refused[answer.field];
    await this.go(answer.position, answer.field);
    this.entry.finished = this.shown.open().length === 0;
    this.frame.progress();
  }

  // An answer of a revoked link that this rater wants to have sent after all.
  async resend(entry) {
    const { answer } = entry;
    const item = await this.load(answer.position);
    this.#apply(item.answers, answer);
    delete item.refused[answer.field];
    this.queue.resend(entry);
    this.frame.kept(this.queue);
    await this.go(answer.position, answer.field);
    this.entry.finished = this.shown.open().length === 0;
    this.frame.progress();
  }

  async go(position, field = null) {
    let item;
    try {
      item = await this.load(position);
    } catch {
      this.frame.saveState("offline", this.queue.waiting.length);
      return;
    }
    this.leave();
    this.position = position;
    this.item = item;
    const form = { ...this.form, groups: [...this.form.groups, ...item.groups] }; // an item may bring questions of its own
    this.shown = new Form(form, this.words, item, item.answers, {
      keep: (name, answer, before) => this.keep(name, answer, before),
      draft: (name, text) => this.drafts.keep(item, name, text),
    });
    this.frame.show(renderItem(item.view, this.words, (text) => this.shown.cite(text)), this.shown.element);
    const wanted = field ? this.shown.fields.find((one) => one.name === field) : this.shown.open()[0];
    const first = wanted ?? this.shown.fields[0];
    this.shown.focus(first, first === this.shown.fields[0] ? null : "center");
    this.frame.progress();
    this.#prefetch();
  }

  leave() {
    if (!this.shown) return;
    this.shown.settle();
    this.#tick();
    this.queue.push(this.item.item, { position: this.position, seconds: Math.round(this.item.seconds * 10) / 10 });
  }

  // Everything ahead is fetched early, so that a lost connection does not stop anyone.
  async #prefetch() {
    try {
      if (this.work.items.filter((item) => !item.finished).length <= 4 && this.work.left > 0) await this.reload();
      for (const item of this.work.items.filter((one) => !one.finished)) await this.load(item.position);
    } catch {
      // offline: the next step tries again
    }
  }

  async reload() {
    const response = await fetch(`${place}/work`);
    if (!response.ok) return;
    const fresh = await response.json();
    for (const item of fresh.items) {
      const known = this.work.items.find((one) => one.position === item.position);
      if (known) item.finished = known.finished; // answers on their way are ahead of the server
    }
    this.work = fresh;
    this.frame.progress();
  }

  keep(name, answer, before, undoable = true) {
    if (undoable) this.undoable.push({ position: this.position, field: name, before });
    this.#apply(this.item.answers, { ...answer, field: name });
    delete this.item.refused[name];
    delete this.item.newer[name];
    this.drafts.keep(this.item, name, ""); // it is part of the answer now
    this.#tick();
    this.queue.push(this.item.item, { position: this.position, field: name, ...answer, seconds: Math.round(this.item.seconds * 10) / 10 });
    this.frame.kept(this.queue);
    this.entry.finished = this.shown.open().length === 0;
    this.frame.progress();
  }

  async undo() {
    this.shown?.settle();
    const last = this.undoable.pop();
    if (!last) return;
    if (last.position !== this.position) await this.go(last.position, last.field);
    const cleared = { status: "cleared", value: null, reason: null, evidence: null };
    this.keep(last.field, last.before ?? cleared, null, false);
    await this.go(last.position, last.field);
  }

  async step(by) {
    if (!this.shown) return this.entry && this.go(this.position); // from the last page back to the last item
    const at = this.work.items.indexOf(this.entry);
    const next = this.work.items[at + by];
    if (next) return this.go(next.position);
    if (by > 0) return this.#reachEnd();
  }

  // The list may go on, but the server gives out more only when it has the answers so far.
  async #reachEnd() {
    this.leave();
    const sent = await this.queue.emptied();
    if (sent) await this.reload().catch(() => {});
    const more = this.work.items[this.work.items.indexOf(this.entry) + 1] ?? this.unfinished;
    if (more) await this.go(more.position);
    else if (sent || this.work.left === 0) this.#finish();
  }

  // A survey is answered once: its link closes when the participant submits.
  #finish() {
    this.shown = null;
    this.position ??= this.work.items.at(-1)?.position ?? null;
    this.frame.finished();
    if (this.survey && this.work.items.length) offerSubmission(this);
  }

  // What is left to do: the first item that is not finished.
  get unfinished() {
    return this.work.items.find((item) => !item.finished) ?? null;
  }

  // Enter: the next open question; when all are answered, the next item.
  proceed() {
    this.shown.settle();
    const open = this.shown.nextOpen();
    if (open) this.shown.focus(open);
    else this.step(1);
  }

  #watchTime() {
    for (const event of ["keydown", "pointerdown", "scroll", "pointermove"]) {
      document.addEventListener(event, () => { this.lastActive = Date.now(); }, { passive: true, capture: true });
    }
    this.lastTick = Date.now();
    setInterval(() => this.#tick(), 1000);
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "hidden" && this.shown) this.shown.settle();
    });
  }

  #tick() {
    const now = Date.now();
    const awake = document.visibilityState === "visible" && now - this.lastActive < IDLE_AFTER;
    if (this.item && awake) this.item.seconds += Math.min(now - this.lastTick, 2000) / 1000;
    this.lastTick = now;
  }

  #watchSelection() {
    const button = el("button", { type: "button", class: "quote-button", hidden: true, on: {
      mousedown: (event) => event.preventDefault(),
      click: () => this.quote(),
    } }, this.words.quote, " ", el("kbd", {}, "Q"));
    document.body.append(button);
    document.addEventListener("selectionchange", () => {
      const found = quotation(this.frame.itemPane, this.words);
      button.hidden = !found;
      if (!found) return;
      button.style.top = `${Math.max(8, found.box.bottom + 8)}px`;
      button.style.left = `${Math.min(Math.max(8, found.box.left), innerWidth - 180)}px`;
    });
  }

  quote() {
    const found = quotation(this.frame.itemPane, this.words);
    if (!found) return;
    this.shown.cite(found.text);
    document.getSelection().removeAllRanges();
  }

  // What a question is called, also one that an item brings itself.
  label(name) {
    const own = [...this.items.values()].flatMap((item) => item.groups);
    const fields = [...this.form.groups, ...own].flatMap((group) => group.fields);
    return fields.find((field) => field.name === name)?.label ?? name;
  }

  fieldTitle(field) {
    return fill(this.words.answered_now, { question: field.label, answer: this.shown.valueOf(field.name) ?? "" });
  }
}

// The page says so and waits: a server in trouble is not helped by a page that asks again and again.
function failed() {
  const said = document.querySelector("#desk [data-failed]");
  said.textContent = said.dataset.failed;
  const again = document.querySelector("#desk button");
  again.addEventListener("click", () => location.reload());
  again.hidden = false;
}

async function open() {
  setTheme(localStorage.getItem("haechi theme"));
  const response = await fetch(`${place}/state`).catch(() => null);
  const state = response?.ok ? await response.json().catch(() => null) : null;
  if (!state) return failed();
  const desk = new Desk(state);
  window.addEventListener("beforeunload", () => desk.shown?.settle());
  watchKiosk(desk);
  if (state.practice) {
    await train(desk);
    desk.queue.release();
    await desk.reload();
  }
  await desk.start();
  showGuide.once(desk);
}

open();
