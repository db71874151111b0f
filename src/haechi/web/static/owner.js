// The dashboard stays current by itself; the page comes from the server as it is, already escaped.

const EVERY = 10_000;
const main = document.querySelector("main[data-live]");

async function bring() {
  try {
    const response = await fetch(main.dataset.live, { headers: { Accept: "text/html" } });
    const fresh = response.ok && new DOMParser().parseFromString(await response.text(), "text/html").querySelector("main[data-live]");
    if (fresh) main.replaceChildren(...fresh.childNodes);
  } catch {
    // the connection is gone: the next round tries again
  }
}

async function refresh() {
  const written = [...main.querySelectorAll("form.reply input")].some((field) => field.value);
  if (document.visibilityState === "visible" && !written && !main.contains(document.activeElement)) await bring();
  setTimeout(refresh, EVERY);
}

// An answer to a rater; what could not be sent stays in its field.
main.addEventListener("submit", async (event) => {
  event.preventDefault();
  const form = event.target.closest("form.reply");
  const field = form?.querySelector("input");
  if (!field?.value.trim()) return;
  const body = JSON.stringify({ item: form.dataset.item, rater: form.dataset.rater, replicate: Number(form.dataset.replicate), text: field.value.trim() });
  const headers = { "Content-Type": "application/json", "X-Haechi-Form": main.dataset.csrf };
  const response = await fetch(`${main.dataset.live}/notes`, { method: "POST", headers, body }).catch(() => null);
  field.setAttribute("aria-invalid", String(!response?.ok));
  if (response?.ok) await bring();
});

setTimeout(refresh, EVERY);
