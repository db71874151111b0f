// The dashboard stays current by itself; the page comes from the server as it is, already escaped.

const EVERY = 10_000;
const main = document.querySelector("main[data-live]");

async function refresh() {
  if (document.visibilityState === "visible" && !main.contains(document.activeElement)) {
    try {
      const response = await fetch(main.dataset.live, { headers: { Accept: "text/html" } });
      const fresh = response.ok && new DOMParser().parseFromString(await response.text(), "text/html").querySelector("main[data-live]");
      if (fresh) main.replaceChildren(...fresh.childNodes);
    } catch {
      // the connection is gone: the next round tries again
    }
  }
  setTimeout(refresh, EVERY);
}

setTimeout(refresh, EVERY);
