// Everything can be done from the keyboard. Letters are read by their place on the keyboard, because a Korean
// keyboard in Hangul mode says ㅓ where J was pressed.

import { el } from "./dom.js";

// Of two answers side by side: the left one, the right one, neither.
const SIGNS = { ArrowLeft: "←", ArrowRight: "→", "=": "=" };
const typing = (target) => target.closest?.("textarea, input[type=text]");

export function bindKeys(desk) {
  document.addEventListener("keydown", (event) => {
    if (document.querySelector("dialog[open]") || !desk.shown) return;
    const undo = event.code === "KeyZ" && (event.ctrlKey || event.metaKey);
    if (typing(event.target)) {
      if (event.key === "Escape") leaveText(desk, event);
      else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); desk.proceed(); }
      return;
    }
    if (undo) { event.preventDefault(); desk.undo(); return; }
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.key.length === 1 && !keysOn()) return;
    if (act(desk, event)) event.preventDefault();
  });
}

function leaveText(desk, event) {
  event.preventDefault();
  const field = desk.shown.current;
  event.target.blur();
  if (field) desk.shown.focus(field, "nearest");
}

function act(desk, event) {
  const digit = /^(?:Digit|Numpad)(\d)$/.exec(event.code)?.[1] ?? (/^\d$/.test(event.key) ? event.key : null);
  if (digit !== null && !event.shiftKey) return answer(desk, digit);
  if (event.key in SIGNS && answer(desk, SIGNS[event.key])) return true;
  if (event.key === "?") { desk.frame.help(); return true; }
  if (event.key === "Enter") {
    if (event.target.closest("button, summary, a")) return false;
    if (event.shiftKey) desk.step(-1); else desk.proceed();
    return true;
  }
  const commands = {
    KeyJ: () => desk.shown.move(1),
    KeyK: () => desk.shown.move(-1),
    KeyN: () => desk.step(1),
    KeyP: () => desk.step(-1),
    KeyU: () => desk.undo(),
    KeyX: () => desk.shown.toggleCannot(desk.shown.current),
    KeyQ: () => desk.quote(),
    KeyE: () => openEvidence(desk),
    KeyF: () => desk.form.floors.forEach((floor) => desk.shown.toggleFloor(floor)),
    KeyV: () => toggleExamples(desk),
  };
  if (!(event.code in commands)) return false;
  commands[event.code]();
  return true;
}

function answer(desk, digit) {
  const field = desk.shown.current;
  if (!desk.shown.chooseByKey(digit)) return false;
  desk.frame.announce(desk.fieldTitle(field));
  const next = desk.shown.nextOpen();
  if (next) desk.shown.focus(next);
  else desk.shown.focus(field, "nearest");
  return true;
}

function openEvidence(desk) {
  const box = desk.shown.boxes.get(desk.shown.current?.name);
  if (!box?.evidence) return;
  box.evidenceBox.open = true;
  box.evidence.focus();
}

function toggleExamples(desk) {
  const box = desk.shown.boxes.get(desk.shown.current?.name);
  const examples = box?.element.closest(".criterion").querySelector(".examples");
  if (examples) examples.open = !examples.open;
}

// Whoever uses speech input, or presses keys by accident, switches keys of one sign off.
const keysOn = () => localStorage.getItem("haechi keys") !== "off";

// The list of shortcuts with their switch.
export function shortcuts(desk) {
  const { words } = desk;
  const values = [...new Set(desk.form.groups.flatMap((group) => group.fields.flatMap((field) => field.choices.map((choice) => choice.key))))].filter(Boolean).sort();
  const rows = [
    values.length ? [values, words.key_value] : null,
    [["J", "K"], words.key_move],
    [["Enter"], words.key_enter],
    [["P", "N"], words.key_items],
    [["X"], words.key_cannot],
    [["E"], words.key_evidence],
    [["Q"], words.quote],
    desk.form.groups.some((group) => group.examples.length) ? [["V"], words.key_examples] : null,
    desk.form.floors.length ? [["F"], words.key_floor] : null,
    [["U"], words.key_undo],
    [["?"], words.help],
  ].filter(Boolean);
  const choice = el("input", { type: "checkbox", checked: keysOn(), on: {
    change: () => localStorage.setItem("haechi keys", choice.checked ? "on" : "off"),
  } });
  return [
    el("dl", {}, rows.map(([keys, text]) => el("div", {}, el("dt", {}, keys.map((key) => el("kbd", {}, key))), el("dd", {}, text)))),
    el("label", { class: "keys-switch" }, choice, words.keys_on),
  ];
}
