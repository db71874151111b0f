// Files are dropped in, sent one by one, and shown as they would be read.

import { base } from "./dom.js";

const place = document.querySelector("[data-upload]");
const state = document.querySelector("[data-state]");

function say(words, values = {}) {
  state.textContent = words.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
}

async function upload(files) {
  const what = place.querySelector("input[name=what]:checked")?.value ?? "";
  const proof = document.querySelector("main[data-csrf]").dataset.csrf;
  let tray = "", next = "";
  for (const file of files) {
    say(state.dataset.sending, { name: file.name });
    const query = new URLSearchParams({ what, name: file.name, ...(tray && { tray }) });
    const headers = { "X-Haechi-Form": proof, "Content-Type": "application/octet-stream" };
    const response = await fetch(`${place.dataset.upload}?${query}`, { method: "POST", headers, body: file }).catch(() => null);
    if (!response?.ok) {
      const said = await response?.json().catch(() => null);
      const why = Array.isArray(said?.error) ? said.error.map((one) => `${one.found} — ${one.next}`).join(" ") : response?.status;
      const shut = [401, 403].includes(response?.status) && document.querySelector("main[data-closed]").dataset.closed;
      say(shut || (response ? state.dataset.failed : state.dataset.lost), { why });
      return;
    }
    ({ tray = "", next = "" } = await response.json());
  }
  location.assign(next || `${base}/owner/files/${encodeURIComponent(tray)}`);
}

if (place) {
  const drop = place.querySelector(".drop");
  drop.querySelector("input").addEventListener("change", (event) => {
    const files = [...event.target.files];
    event.target.value = ""; // so that the same file can be chosen again after it was mended, or did not arrive
    if (files.length) upload(files);
  });
  // A file that misses the place would be opened in place of this page.
  for (const kind of ["dragover", "drop"]) document.addEventListener(kind, (event) => { if (event.dataTransfer?.types.includes("Files")) event.preventDefault(); });
  for (const kind of ["dragover", "dragenter"]) drop.addEventListener(kind, (event) => { event.preventDefault(); drop.classList.add("over"); });
  for (const kind of ["dragleave", "drop"]) drop.addEventListener(kind, () => drop.classList.remove("over"));
  drop.addEventListener("drop", (event) => { event.preventDefault(); if (event.dataTransfer.files.length) upload([...event.dataTransfer.files]); });
}

// Another choice is read at once.
document.addEventListener("change", (event) => {
  const form = event.target.closest("form[data-again]");
  if (form && event.target.matches("select, [type=checkbox]")) form.requestSubmit();
});
