// The item browser's keys, and the way from a piece of evidence to its words.

const detail = document.querySelector(".detail");
const form = document.querySelector(".wanted");

document.querySelector(".list .current")?.scrollIntoView({ block: "nearest" });

// An address that says only what was asked for can be read and sent to somebody.
form.addEventListener("submit", () => {
  for (const field of form.elements) if (!field.value) field.disabled = true;
});
window.addEventListener("pageshow", () => {
  for (const field of form.elements) field.disabled = false;
});
form.addEventListener("change", (event) => {
  if (event.target.matches("select")) form.requestSubmit();
});

function show(name) {
  const marks = [...detail.querySelectorAll("mark")].filter((mark) => mark.dataset.marks.split(" ").includes(name));
  for (const mark of detail.querySelectorAll("mark.found")) mark.classList.remove("found");
  for (const mark of marks) mark.classList.add("found");
  marks[0]?.scrollIntoView({ block: "center" });
}

detail?.addEventListener("click", (event) => {
  if (event.target.matches(".find")) show(event.target.closest("[data-quote]").dataset.quote);
});

// By their place on the keyboard, so that they also work in Hangul mode.
const KEYS = {
  KeyJ: () => document.querySelector("a[rel=next]")?.click(),
  KeyK: () => document.querySelector("a[rel=prev]")?.click(),
  KeyR: () => detail?.querySelector(".as-written").click(),
  Slash: () => form.elements.q.focus(),
};
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && event.target === form.elements.q) event.target.blur();
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.target.matches("input, select, textarea")) return;
  if (!KEYS[event.code]) return;
  event.preventDefault();
  KEYS[event.code]();
});
