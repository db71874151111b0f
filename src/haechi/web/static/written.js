// The owner's switch between texts as their author saw them and as they are written; the same choice as in the rating desk.

const RAW = "haechi raw";
const button = document.querySelector(".as-written");

function show(raw) {
  button.setAttribute("aria-pressed", String(raw));
  for (const set of document.querySelectorAll("[data-source]")) {
    set.hidden = raw;
    set.nextElementSibling.hidden = !raw;
  }
}

if (button) {
  show(localStorage.getItem(RAW) === "yes");
  button.addEventListener("click", () => {
    const raw = button.getAttribute("aria-pressed") !== "true";
    localStorage.setItem(RAW, raw ? "yes" : "no");
    show(raw);
  });
}
