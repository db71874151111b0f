// A decision is kept as soon as it has a value and a reason. What lacks one of them stays in this browser, also when the
// page is left, and is shown as not saved.

import { base } from "./dom.js";

const main = document.querySelector("main.case");
const state = document.querySelector(".save");
const rows = [...main.querySelectorAll("[data-field]")].filter((row) => row.querySelector(".decision"));
const draftKey = (row) => `haechi decision ${main.dataset.study} ${main.dataset.item} ${row.dataset.field}`;
const part = (row, name) => row.querySelector(`[data-part=${name}]`);
const given = (row) => ({ value: part(row, "value").value.trim(), reason: part(row, "reason").value.trim() });

function say(text, failed = false) {
  state.classList.toggle("failed", failed);
  state.textContent = text;
}

function pending(row, text) {
  const place = row.querySelector(".pending");
  place.hidden = !text;
  place.textContent = text;
  row.classList.toggle("unsaved", Boolean(text));
}

async function send(row, body) {
  const headers = { "Content-Type": "application/json", "X-Haechi-Form": main.dataset.csrf };
  const whole = JSON.stringify({ item: Number(main.dataset.item), field: row.dataset.field, ...body });
  const response = await fetch(`${base}/owner/decisions`, { method: "POST", headers, body: whole }).catch(() => null);
  const said = await response?.json().catch(() => null);
  if (response?.ok) localStorage.removeItem(draftKey(row));
  pending(row, response?.ok ? "" : said?.error ?? main.dataset.failed);
  return response?.ok ? said : null;
}

async function keep(row) {
  const { value, reason } = given(row);
  const saved = row.querySelector(".withdraw").hidden === false;
  if (!value && !reason && !saved) {
    localStorage.removeItem(draftKey(row));
    return pending(row, "");
  }
  localStorage.setItem(draftKey(row), JSON.stringify({ value, reason }));
  if (!value || !reason) return pending(row, value ? main.dataset.reason : main.dataset.value);
  const said = await send(row, { value, reason });
  say(said ? main.dataset.saved : main.dataset.failed, !said);
  if (!said) return;
  row.querySelector(".withdraw").hidden = false;
  // The names are with the server until everything in dispute is decided.
  if (said.decided !== (main.dataset.decided === "yes")) location.reload();
}

async function withdraw(row) {
  const said = await send(row, { value: null });
  say(said ? main.dataset.withdrawn : main.dataset.failed, !said);
  if (said) location.reload();
}

for (const row of rows) {
  const draft = JSON.parse(localStorage.getItem(draftKey(row)) ?? "null");
  if (!draft) continue;
  part(row, "value").value = draft.value;
  part(row, "reason").value = draft.reason;
  row.open = true;
  keep(row);
}

main.addEventListener("change", (event) => {
  const row = event.target.closest("[data-field]");
  if (row) keep(row);
});

main.addEventListener("click", (event) => {
  if (event.target.closest(".withdraw")) withdraw(event.target.closest("[data-field]"));
});

// Whoever goes on with something unsaved is shown it once; the draft stays in any case.
let told = false;
document.querySelector("a.next-case")?.addEventListener("click", (event) => {
  const unsaved = rows.find((row) => row.classList.contains("unsaved"));
  if (!unsaved || told) return;
  told = true;
  event.preventDefault();
  unsaved.open = true;
  const { value } = given(unsaved);
  part(unsaved, value ? "reason" : "value").focus();
  say(unsaved.querySelector(".pending").textContent, true);
});
