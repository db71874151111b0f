// A new study: the rubric is checked while it is typed, and shown as a form and as a prompt.

import { send } from "./bench.js";

const WAIT = 350;
let timer = null, asked = 0;

function form() {
  return document.querySelector("form[data-preview]");
}

function arrange() {
  const chosen = form().querySelector("input[name=rubric]:checked");
  const own = !chosen || chosen.value === "own";
  form().querySelector("[data-own]").hidden = !own;
  const text = form().elements.text.value;
  form().querySelector("[data-names]:not(input)").hidden = own ? !/^names_in_questions:\s*true/m.test(text) : !chosen.dataset.names;
}

async function check() {
  const mine = ++asked;
  const fields = new FormData(form());
  for (const [name, value] of [...fields]) if (typeof value !== "string") fields.delete(name);
  const response = await send(form().dataset.preview, new URLSearchParams(fields)).catch(() => null);
  if (!response?.ok || mine !== asked) return;
  const fresh = new DOMParser().parseFromString(await response.text(), "text/html").querySelector(".preview");
  const place = form().querySelector("[data-preview-here]");
  const open = [...place.querySelectorAll("details[open]")].map((one) => one.className);
  for (const name of open) fresh.querySelector(`.${name}`)?.setAttribute("open", "");
  place.replaceChildren(document.adoptNode(fresh));
}

function later() {
  arrange();
  clearTimeout(timer);
  timer = setTimeout(check, WAIT);
}

// Put the cursor where the mistake is.
function goTo(line) {
  const text = form().elements.text;
  const lines = text.value.split("\n");
  const start = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  text.focus();
  text.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
  text.scrollTop = Math.max(0, (line - 4) * parseFloat(getComputedStyle(text).lineHeight));
}

document.addEventListener("input", (event) => {
  if (event.target.form?.matches("[data-preview]") && event.target.type !== "file") later();
});

document.addEventListener("change", async (event) => {
  const { into } = event.target.dataset;
  if (!into || !event.target.files.length) return;
  const [file] = event.target.files, field = event.target.form.elements[into];
  event.target.value = ""; // so that the same file can be chosen again after it was mended
  field.value = await file.text();
  later();
});

document.addEventListener("click", async (event) => {
  const line = event.target.closest("[data-line]");
  if (line) goTo(Number(line.dataset.line));
  const start = event.target.closest("[data-start]");
  if (start) {
    event.preventDefault();
    const response = await fetch(start.href).catch(() => null);
    if (response?.ok) form().elements.text.value = await response.text();
    later();
  }
});

document.addEventListener("haechi:shown", arrange);
arrange();
