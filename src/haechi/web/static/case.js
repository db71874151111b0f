// A decision is kept as soon as it has a value and a reason.

import { base } from "./dom.js";

const main = document.querySelector("main.case");
const state = document.querySelector(".save");

async function keep(row) {
  const value = row.querySelector("select").value;
  const reason = row.querySelector("textarea").value.trim();
  if (!value) return;
  if (!reason) {
    state.textContent = main.dataset.reason;
    return;
  }
  const body = JSON.stringify({ item: Number(main.dataset.item), field: row.dataset.field, value, reason });
  const headers = { "Content-Type": "application/json", "X-Haechi-Form": main.dataset.csrf };
  const response = await fetch(`${base}/owner/decisions`, { method: "POST", headers, body }).catch(() => null);
  state.classList.toggle("failed", !response?.ok);
  state.textContent = response?.ok ? main.dataset.saved : main.dataset.failed;
}

main.addEventListener("change", (event) => {
  const row = event.target.closest("tr[data-field]");
  if (row) keep(row);
});
