// Practice before rating: one question about one item, and at once whether the answer fits, and why. The key is with the server, and
// so is the count: nobody comes on without an answer.

import { place, el, fill } from "./dom.js";
import { renderItem } from "./item.js";

export function train(desk) {
  const { words, practice } = desk;
  return new Promise((resolve) => {
    const dialog = el("dialog", { class: "sheet training", "aria-labelledby": "training-title" });
    dialog.addEventListener("cancel", (event) => event.preventDefault());
    document.body.append(dialog);
    const answered = new Set(practice.answered);

    const finish = () => {
      dialog.close();
      dialog.remove();
      resolve();
    };

    const goOn = (said) => {
      if (said.passed) return summary(said);
      if (!said.done) return show();
      answered.clear();
      return summary(said);
    };

    function summary(said) {
      const total = practice.steps.length;
      const act = said.passed ? finish : show;
      dialog.replaceChildren(
        el("h2", { id: "training-title" }, said.passed ? words.training_passed : words.training_again),
        el("p", {}, fill(words.training_result, { n: said.right, total, needed: said.needed })),
        el("button", { type: "button", class: "primary", on: { click: act } }, said.passed ? words.training_done : words.training_retry));
      dialog.querySelector("button").focus();
    }

    function show() {
      const index = practice.steps.findIndex((_, at) => !answered.has(at));
      const step = practice.steps[index];
      const feedback = el("p", { class: "feedback", role: "status" });
      const onward = el("div", { class: "onward" });
      const judge = async (choice) => {
        for (const button of buttons) button.disabled = true;
        const response = await fetch(`${place}/practice`, {
          method: "POST", headers: { "Content-Type": "application/json", "X-Haechi-Form": desk.csrf },
          body: JSON.stringify({ step: index, value: choice.value }),
        }).catch(() => null);
        const said = response?.ok ? await response.json() : null;
        if (!said) {
          feedback.className = "feedback wrong";
          feedback.textContent = words.training_offline;
          for (const button of buttons) button.disabled = false;
          return;
        }
        answered.add(index);
        buttons[step.choices.indexOf(choice)].setAttribute("aria-pressed", "true");
        feedback.className = `feedback ${said.fits ? "right" : "wrong"}`;
        feedback.textContent = [said.fits ? words.training_right : fill(words.training_wrong, { answer: said.answer }), said.why].filter(Boolean).join(" ");
        const next = el("button", { type: "button", class: "primary", on: { click: () => goOn(said) } }, words.training_next);
        onward.append(next);
        next.focus();
      };
      const buttons = step.choices.map((choice) =>
        el("button", { type: "button", data: { value: choice.value }, on: { click: () => judge(choice) } },
          el("strong", {}, choice.label), choice.text ? ` ${choice.text}` : null));
      dialog.replaceChildren(
        el("h2", { id: "training-title" }, `${words.training} ${answered.size + 1} ${words.of} ${practice.steps.length}`),
        el("p", { class: "hint" }, words.training_intro),
        el("div", { class: "training-item", tabindex: "0", role: "group", "aria-label": words.item_pane }, renderItem(step.view, words, () => {})),
        el("h3", {}, step.name),
        ...(step.question ? [el("p", { class: "question" }, step.question)] : []),
        ...(step.standards.length ? [el("ul", {}, step.standards.map((line) => el("li", {}, line)))] : []),
        el("div", { class: step.choices.some((choice) => choice.text) ? "chips worded" : "chips" }, buttons), feedback, onward);
      dialog.scrollTop = 0;
    }

    show();
    dialog.showModal();
  });
}
