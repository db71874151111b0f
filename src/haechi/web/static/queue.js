// Answers wait here until the server has them: in order, one at a time, each with an id of its own,
// so that an answer sent twice is kept once. The queue survives a lost connection and a closed tab.
// Every answer says for which study, link, item and rubric it was given. What the server refuses is not sent
// again and not thrown away: it stays here until the question is answered anew or somebody discards it.

import { base, place } from "./dom.js";

const PAUSES = [500, 1000, 2000, 4000, 8000];
// Not 404: a desk that knows the link never says it. Something else is served at this address, and the study will be back.
const REFUSALS = [409, 413, 422];
const LONGEST_WAIT = 15000;
export const ID = /^[0-9a-f]{24}$/;

function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// The entries under a key of the browser's storage; null if they cannot be read, which is no reason to remove them.
export function stored(key) {
  try {
    const entries = JSON.parse(localStorage.getItem(key));
    return Array.isArray(entries) && entries.every((entry) => entry?.answer) ? entries : null;
  } catch {
    return null;
  }
}

const about = (one, other) => one.item === other.item && one.field === other.field;

export class Queue {
  // `desk` has me, csrf, marks, other_links and practice; `report` is called with
  // ("saved" | "saving" | "offline" | "refused" | "signed_out", detail), `told` with (answer, reason or null, newer or null).
  constructor(desk, report, told) {
    Object.assign(this, { csrf: desk.csrf, marks: desk.marks, report, told });
    this.key = `haechi waiting ${this.marks.study} ${this.marks.link} ${newId()}`;
    const links = [this.marks.link, ...desk.other_links];
    const found = this.#adopt(links);
    this.waiting = found.filter((entry) => entry.refused === undefined);
    this.refused = found.filter((entry) => entry.refused !== undefined);
    this.unsent = [...this.#elsewhere(links), ...this.#older(`haechi ${base} ${desk.me} `)];
    this.ahead = desk.now - Date.now(); // the server's clock and this one
    this.last = 0;
    this.failures = 0;
    this.busy = false;
    this.held = Boolean(desk.practice);
    this.timer = null;
    window.addEventListener("online", () => { this.#settled(); this.pump(true); });
    this.#keep();
    if (this.waiting.length) report("saving", this.waiting.length);
    this.#settled();
    this.pump();
  }

  // What an earlier tab could not send. Should that tab still live, sending twice does no harm.
  #adopt(links) {
    const found = new Map();
    for (const link of links) {
      const prefix = `haechi waiting ${this.marks.study} ${link} `;
      for (const key of Object.keys(localStorage).filter((one) => one.startsWith(prefix) && ID.test(one.slice(prefix.length)))) {
        const entries = stored(key);
        if (!entries) continue;
        for (const entry of entries) found.set(entry.answer.id, entry);
        localStorage.removeItem(key);
      }
    }
    return [...found.values()].sort((a, b) => a.at - b.at);
  }

  // Answers from before they said for what they were given: nobody knows to which study they belong.
  #older(prefix) {
    return this.#under((key) => key.startsWith(prefix) && ID.test(key.slice(prefix.length)));
  }

  // Answers for this study from a link that is not this rater's any more, such as a revoked one, or from somebody else's.
  #elsewhere(links) {
    const prefix = `haechi waiting ${this.marks.study} `;
    return this.#under((key) => {
      const [link, id, ...more] = key.startsWith(prefix) ? key.slice(prefix.length).split(" ") : [];
      return ID.test(id) && !more.length && !links.includes(link);
    }).map((entry) => ({ ...entry, elsewhere: true, mine: false }));
  }

  // The answers under some keys; the time alone is no answer that could be lost.
  #under(wanted) {
    const keys = Object.keys(localStorage).filter(wanted);
    return keys.flatMap((key) => (stored(key) ?? []).filter((entry) => entry.answer.field).map((entry) => ({ ...entry, key })));
  }

  #keep() {
    const entries = [...this.waiting, ...this.refused];
    try {
      if (entries.length) localStorage.setItem(this.key, JSON.stringify(entries));
      else localStorage.removeItem(this.key);
    } catch {
      // storage is full or forbidden: the answers stay in memory
    }
  }

  // When an answer is given, by the server's clock: never before what the page has seen until then, whatever this clock does.
  #moment() {
    this.last = Math.max(this.last, Math.round(Date.now() + this.ahead));
    return this.last;
  }

  // Answers that are there already: what is given from here on is newer.
  seen(answers) {
    this.last = Math.max(this.last, ...answers.map((answer) => Date.parse(answer.at) || 0));
  }

  push(item, answer) {
    const whole = { id: newId(), ...this.marks, item, given: this.#moment(), ...answer };
    if (whole.field) this.refused = this.refused.filter((entry) => !about(entry.answer, whole));
    this.waiting.push({ at: Date.now(), answer: whole });
    this.#keep();
    this.report("saving", this.waiting.length);
    this.pump();
  }

  answersTo(item) {
    return this.waiting.map((entry) => entry.answer).filter((answer) => answer.item === item);
  }

  refusedOf(item) {
    return this.refused.filter((entry) => entry.answer.item === item);
  }

  // An answer of a revoked link, sent with the link of today because its rater says so. Its id stays, so that it is kept once.
  resend(entry) {
    this.waiting.push({ at: entry.at, answer: { ...entry.answer, link: this.marks.link } });
    this.#keep();
    this.discard(entry);
    this.report("saving", this.waiting.length);
    this.pump();
  }

  discard(entry) {
    if (entry.key) {
      const rest = (stored(entry.key) ?? []).filter((one) => one.answer.id !== entry.answer.id);
      if (rest.some((one) => one.answer.field)) localStorage.setItem(entry.key, JSON.stringify(rest));
      else localStorage.removeItem(entry.key);
    }
    this.unsent = this.unsent.filter((one) => one !== entry);
    this.refused = this.refused.filter((one) => one !== entry);
    this.#keep();
    this.#settled();
  }

  // Whoever has to practise first is not listened to before; what waits from earlier is sent then.
  release() {
    this.held = false;
    this.pump();
  }

  async pump(now = false) {
    if (this.held || this.busy || !this.waiting.length) return;
    if (this.timer && !now) return;
    clearTimeout(this.timer);
    this.timer = null;
    this.busy = true;
    while (this.waiting.length) {
      const entry = this.waiting[0];
      const answered = await this.#send(entry.answer);
      if (!answered) break;
      this.failures = 0;
      this.waiting.shift();
      const { refused, newer: inForce } = answered;
      // The time alone is no answer that could be lost; and a newer answer to the same question takes its place.
      const newer = this.waiting.some((one) => about(one.answer, entry.answer));
      if (refused !== undefined && entry.answer.field && !newer) this.refused.push({ ...entry, refused });
      this.#keep();
      if (entry.answer.field && !(newer && refused !== undefined)) this.told(entry.answer, refused ?? null, newer ? null : inForce ?? null);
    }
    this.busy = false;
    this.#settled();
  }

  #settled() {
    if (this.waiting.length) return;
    if (this.refused.length) this.report("refused", this.refused.length);
    else this.report("saved", 0);
  }

  // Resolves with true once everything is with the server, with false if the connection is gone.
  async emptied() {
    while (this.waiting.length && !this.timer) await new Promise((resolve) => setTimeout(resolve, 30));
    return this.waiting.length === 0;
  }

  // What the server said: {} if it has the answer, { newer } where another device gave a newer one, which holds,
  // { refused: why } if it does not want it; null if it must wait.
  async #send(answer) {
    let response;
    const stop = new AbortController(); // AbortSignal.timeout is younger than the telephones that people have
    const timer = setTimeout(() => stop.abort(), LONGEST_WAIT);
    try {
      response = await fetch(`${place}/answers`, {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-Haechi-Form": this.csrf },
        body: JSON.stringify(answer),
        signal: stop.signal,
      });
    } catch {
      return this.#later("offline");
    } finally {
      clearTimeout(timer);
    }
    if (response.ok) return response.json().catch(() => ({}));
    if (REFUSALS.includes(response.status)) {
      const said = await response.json().catch(() => ({}));
      return { refused: String(said.error ?? response.status) };
    }
    if (response.status === 401 || response.status === 403) {
      // Nothing can be sent with this link any more; what waits stays in the browser's storage.
      const said = await response.json().catch(() => ({}));
      this.report("signed_out", said.why);
      return null;
    }
    return this.#later("offline");
  }

  #later(kind) {
    const pause = PAUSES[Math.min(this.failures, PAUSES.length - 1)];
    this.failures += 1;
    this.report(kind, this.waiting.length);
    this.timer = setTimeout(() => this.pump(true), pause);
    return null;
  }
}
