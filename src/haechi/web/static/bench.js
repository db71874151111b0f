// The workbench's pages: forms are sent with the proof of where they come from, and texts are copied.

const SHUT = [401, 403];

function proof() {
  return document.querySelector("main[data-csrf]").dataset.csrf;
}

// The page that came back takes the place of this one, or the browser goes where it leads.
async function show(response) {
  if (response.redirected) {
    location.assign(response.url);
    return;
  }
  if (SHUT.includes(response.status)) return sayLost("closed");
  const text = await response.text();
  const main = new DOMParser().parseFromString(text, "text/html").querySelector("main");
  if (!main) throw new Error(String(response.status));
  document.querySelector("main").replaceWith(document.adoptNode(main));
  const said = document.querySelector("[role=alert], h1");
  said?.setAttribute("tabindex", "-1");
  said?.focus();
  document.dispatchEvent(new Event("haechi:shown"));
}

// The server cannot be reached, or does not know this page any more: what was typed stays where it is.
function sayLost(why = "lost") {
  const main = document.querySelector("main[data-lost]");
  let said = main.querySelector(".lost");
  if (!said) {
    said = document.createElement("p");
    said.className = "warn lost";
    said.setAttribute("role", "alert");
    main.prepend(said);
  }
  said.textContent = main.dataset[why];
  said.scrollIntoView({ block: "nearest" });
}

export async function send(address, body, type = "application/x-www-form-urlencoded") {
  const post = () => fetch(address, { method: "POST", headers: { "X-Haechi-Form": proof(), "Content-Type": type, Accept: "text/html" }, body });
  const response = await post();
  return SHUT.includes(response.status) && (await renewed()) ? post() : response;
}

// A server that was started anew has a new owner's link: whoever has opened it in another tab goes on in this one.
async function renewed() {
  const response = await fetch(location.href, { headers: { Accept: "text/html" } });
  const page = response.ok ? new DOMParser().parseFromString(await response.text(), "text/html") : null;
  const fresh = page?.querySelector("main[data-csrf]")?.dataset.csrf;
  if (!fresh || fresh === proof()) return false;
  document.querySelector("main[data-csrf]").dataset.csrf = fresh;
  return true;
}

document.addEventListener("submit", async (event) => {
  const form = event.target;
  const method = event.submitter?.getAttribute("formmethod") ?? form.method;
  if (method !== "post") return;
  event.preventDefault();
  const fields = new FormData(form, event.submitter);
  for (const [name, value] of [...fields]) if (typeof value !== "string") fields.delete(name);
  const buttons = form.querySelectorAll("button");
  for (const button of buttons) button.disabled = true;
  try {
    await show(await send(event.submitter?.getAttribute("formaction") ?? form.action, new URLSearchParams(fields)));
  } catch {
    sayLost();
  } finally {
    for (const button of buttons) button.disabled = false;
  }
});

// Over plain HTTP a browser gives no clipboard; selecting and copying works everywhere.
async function copy(element) {
  try {
    await navigator.clipboard.writeText(element.textContent);
  } catch {
    getSelection().selectAllChildren(element);
    document.execCommand("copy");
  }
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  await copy(button.parentElement.querySelector("code"));
  const before = button.textContent;
  button.textContent = button.dataset.copied;
  setTimeout(() => { button.textContent = before; }, 1500);
});

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-print]")) print();
});

// What is at work behind a part of the page is looked at again as long as it is.
async function refresh() {
  const part = document.querySelector("[data-refresh][data-every]");
  if (part && document.visibilityState === "visible") {
    const response = await fetch(part.dataset.refresh, { headers: { Accept: "text/html" } }).catch(() => null);
    const fresh = response?.ok && new DOMParser().parseFromString(await response.text(), "text/html").getElementById(part.id);
    if (fresh) part.replaceWith(document.adoptNode(fresh));
  }
  setTimeout(refresh, Number(part?.dataset.every ?? 2000));
}

if (document.querySelector("[data-refresh]")) setTimeout(refresh, 1000);

document.querySelector(".sections [aria-current]")?.scrollIntoView({ inline: "center", block: "nearest" });
