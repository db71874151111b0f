// Answers wait here until the server has them: in order, one at a time, each with an id of its own,
// so that an answer sent twice is kept once. The queue survives a lost connection and a closed tab.

import { base } from "./dom.js";

const PAUSES = [500, 1000, 2000, 4000, 8000];

function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export class Queue {
  constructor(me, csrf, report) {
    this.csrf = csrf;
    this.report = report; // called with ("saved" | "saving" | "offline" | "refused" | "signed_out", detail)
    this.prefix = `haechi ${base} ${me} `;
    this.key = this.prefix + newId();
    this.waiting = this.#adopt();
    this.failures = 0;
    this.busy = false;
    this.timer = null;
    window.addEventListener("online", () => this.pump(true));
    if (this.waiting.length) this.#keep();
    this.pump();
  }

  // What an earlier tab could not send. Should that tab still live, sending twice does no harm.
  #adopt() {
    const found = [];
    for (const key of Object.keys(localStorage).filter((key) => key.startsWith(this.prefix))) {
      try {
        found.push(...JSON.parse(localStorage.getItem(key)));
      } catch {
        // not ours, or damaged: there is nothing to send
      }
      localStorage.removeItem(key);
    }
    return found.sort((a, b) => a.at - b.at);
  }

  #keep() {
    try {
      if (this.waiting.length) localStorage.setItem(this.key, JSON.stringify(this.waiting));
      else localStorage.removeItem(this.key);
    } catch {
      // storage is full or forbidden: the answers stay in memory
    }
  }

  push(answer) {
    this.waiting.push({ at: Date.now(), answer: { id: newId(), ...answer } });
    this.#keep();
    this.report("saving", this.waiting.length);
    this.pump();
  }

  answersAt(position) {
    return this.waiting.map((entry) => entry.answer).filter((answer) => answer.position === position);
  }

  async pump(now = false) {
    if (this.busy || !this.waiting.length) return;
    if (this.timer && !now) return;
    clearTimeout(this.timer);
    this.timer = null;
    this.busy = true;
    while (this.waiting.length && (await this.#send(this.waiting[0].answer))) {
      this.failures = 0;
      this.waiting.shift();
      this.#keep();
    }
    this.busy = false;
    if (!this.waiting.length) this.report("saved", 0);
  }

  // Resolves with true once everything is with the server, with false if the connection is gone.
  async emptied() {
    while (this.waiting.length && !this.timer) await new Promise((resolve) => setTimeout(resolve, 30));
    return this.waiting.length === 0;
  }

  async #send(answer) {
    let response;
    try {
      response = await fetch(`${base}/desk/answers`, {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-Haechi-Form": this.csrf },
        body: JSON.stringify(answer),
        signal: AbortSignal.timeout(15000),
      });
    } catch {
      return this.#later();
    }
    if (response.ok) return true;
    if (response.status === 422 || response.status === 404 || response.status === 413) {
      const said = await response.json().catch(() => ({}));
      this.report("refused", said.error ?? response.status);
      return true; // it would be refused again
    }
    if (response.status === 401 || response.status === 403) {
      this.#later();
      this.report("signed_out", this.waiting.length);
      return false;
    }
    return this.#later();
  }

  #later() {
    const pause = PAUSES[Math.min(this.failures, PAUSES.length - 1)];
    this.failures += 1;
    this.report("offline", this.waiting.length);
    this.timer = setTimeout(() => this.pump(true), pause);
    return false;
  }
}
