// Practice on the rubric's own examples: one comment, one criterion, and at once whether the example agrees.

import { place, el, fill } from "./dom.js";

function casesOf(form) {
  const cases = [];
  for (const group of form.groups) {
    for (const example of group.examples) {
      for (const text of example.met) cases.push({ group, example, text, right: "1", reason: null });
      for (const one of example.unmet) cases.push({ group, example, text: one.text, right: "0", reason: one.reason });
    }
  }
  // Met and unmet must not simply alternate: order by the text itself, the same for everyone.
  return cases.sort((a, b) => a.text.localeCompare(b.text));
}

export function train(desk) {
  const cases = casesOf(desk.form);
  if (!desk.training || !cases.length) return Promise.resolve();
  const { words } = desk;
  return new Promise((resolve) => {
    const dialog = el("dialog", { class: "sheet training", "aria-labelledby": "training-title" });
    dialog.addEventListener("cancel", (event) => event.preventDefault());
    document.body.append(dialog);

    const finish = async () => {
      await fetch(`${place}/trained`, { method: "POST", headers: { "X-Haechi-Form": desk.csrf } }).catch(() => {});
      dialog.close();
      dialog.remove();
      resolve();
    };

    const show = (index) => {
      const one = cases[index];
      const feedback = el("p", { class: "feedback", role: "status" });
      const next = el("button", { type: "button", class: "primary", hidden: true, on: { click: () => (index + 1 < cases.length ? show(index + 1) : finish()) } },
        index + 1 < cases.length ? words.next : words.training_done);
      const judge = (choice) => {
        const right = one.group.fields[0].choices.find((candidate) => candidate.value === one.right);
        feedback.className = `feedback ${choice.value === one.right ? "right" : "wrong"}`;
        feedback.textContent = (choice.value === one.right ? words.training_right : fill(words.training_wrong, { answer: right.label })) + (one.reason ? ` ${one.reason}` : "");
        next.hidden = false;
        next.focus();
      };
      const buttons = one.group.fields[0].choices.map((choice) =>
        el("button", { type: "button", data: { value: choice.value }, on: { click: () => judge(choice) } }, choice.label));
      dialog.replaceChildren(
        el("h2", { id: "training-title" }, `${words.training} ${index + 1} ${words.of} ${cases.length}`),
        el("p", { class: "hint" }, words.training_intro),
        el("blockquote", { class: "part" }, one.example.context),
        el("p", { class: "part answer" }, one.text),
        el("h3", {}, one.group.name),
        el("ul", {}, one.group.standards.map((line) => el("li", {}, line))),
        el("div", { class: "chips" }, buttons), feedback, next);
      buttons[0].focus();
    };

    show(0);
    dialog.showModal();
  });
}
