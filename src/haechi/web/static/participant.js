// What only participants of a survey see: the submission at the end, and the way out for the next person at this computer.

import { base, el, fill } from "./dom.js";

const IDLE = 120_000; // at a kiosk: so long without a touch, and we ask whether anybody is there
const GRACE = 30_000;

// Everything is answered: the participant submits, or goes back and changes something.
export function offerSubmission(desk) {
  const { words } = desk;
  const said = el("p", { class: "hint", role: "status" });
  const last = desk.work.items.at(-1);
  const button = el("button", { type: "button", class: "primary", on: { click: () => submit() } }, words.submit);
  const back = el("button", { type: "button", class: "quiet", on: { click: () => desk.go(last.position) } }, words.submit_back);
  document.querySelector(".finished")?.replaceChildren(el("h2", {}, words.submit_title), el("p", {}, words.submit_more), el("p", { class: "actions" }, button, back), said);
  button.focus();

  async function submit() {
    button.disabled = true;
    const sent = await desk.queue.emptied();
    const answer = sent && (await fetch(`${base}/survey/submit`, { method: "POST", headers: { "X-Haechi-Form": desk.csrf } }).catch(() => null));
    if (answer && answer.ok) location.assign(`${base}/survey`);
    else {
      said.textContent = answer && answer.status === 409 ? words.submit_open : words.submit_offline;
      button.disabled = false;
    }
  }
}

export function leaveButton(desk) {
  return el("button", { type: "button", class: "quiet", on: { click: () => askToLeave(desk, false) } }, desk.words.another);
}

// Whoever comes next begins anew; what was answered so far is kept, and finished or not is what it is. It has to be with the
// server by then: nobody else's page may send it. False if it is not.
async function leave(desk) {
  desk.shown?.settle?.();
  if (desk.queue && !(await desk.queue.emptied())) return false;
  const form = el("form", { method: "post", action: `${base}/survey/another`, hidden: true }, el("input", { type: "hidden", name: "proof", value: desk.csrf }));
  document.body.append(form);
  form.submit();
  return true;
}

function askToLeave(desk, idle) {
  const { words } = desk;
  if (document.querySelector("dialog.leaving")) return;
  const count = el("p", { role: "timer" });
  let going = false;
  const go = async () => {
    if (going) return;
    going = true;
    going = await leave(desk);
    if (!going) count.textContent = words.leave_offline;
  };
  const dialog = el("dialog", { class: "sheet leaving", "aria-labelledby": "leaving-title" },
    el("h2", { id: "leaving-title" }, idle ? words.still_there : words.another),
    el("p", {}, words.another_more), count,
    el("form", { method: "dialog" }, el("button", { class: "primary" }, words.stay), el("button", { type: "button", class: "quiet", on: { click: go } }, words.leave)));
  const until = Date.now() + GRACE;
  const timer = idle ? setInterval(() => {
    const left = Math.ceil((until - Date.now()) / 1000);
    if (left > 0) count.textContent = fill(words.leaving_in, { n: left });
    else go();
  }, 500) : null;
  dialog.addEventListener("close", () => { clearInterval(timer); dialog.remove(); });
  document.body.append(dialog);
  dialog.showModal();
}

// At a kiosk people walk away in the middle: the next one must not find their answers.
export function watchKiosk(desk) {
  if (!desk.kiosk) return;
  let last = Date.now();
  // Not "scroll": the page itself scrolls to the next question.
  for (const event of ["keydown", "pointerdown", "wheel", "touchmove"]) document.addEventListener(event, () => { last = Date.now(); }, { passive: true, capture: true });
  setInterval(() => {
    if (Date.now() - last < (desk.kioskIdle ?? IDLE)) return;
    last = Date.now();
    askToLeave(desk, true);
  }, 1000);
}
