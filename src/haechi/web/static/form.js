// The form that was compiled from the rubric: choices with all their words, evidence, "cannot judge", floors.

import { el } from "./dom.js";
import { runningScores } from "./scores.js";

const TYPING_PAUSE = 700;

// Many points with few words, such as 0–10: they stand in one row, the words of the ends below it.
const numbered = (field) => field.choices.length > 7 && field.choices.every((choice) => (choice.text ?? "").length <= 12);

export class Form {
  // `keep(field, answer, before)` takes an answer, `draft(field, text)` evidence without one; `answers` maps field names to
  // { value, status, reason, evidence }.
  constructor(form, words, item, answers, { keep, draft }) {
    Object.assign(this, { form, words, item, answers, keep, draft });
    this.fields = form.groups.flatMap((group) => group.fields.map((field) => ({ ...field, group })));
    this.boxes = new Map();
    this.typing = new Map();
    this.current = null;
    this.element = this.#render();
    this.refresh();
  }

  // --- what holds -------------------------------------------------------------------------------------------

  statedFloors() {
    return this.form.floors.filter((floor) => this.item.floors.includes(floor.name) || this.answers[floor.name]?.value === "1");
  }

  fixed(name) {
    if (name in this.item.ruled) return this.item.ruled[name];
    return this.statedFloors().some((floor) => floor.fields.includes(name)) ? "0" : null;
  }

  valueOf(name) {
    const fixed = this.fixed(name);
    if (fixed !== null) return fixed;
    const answer = this.answers[name];
    return answer?.status === "ok" && !this.refused(name) ? answer.value : null;
  }

  // What the server did not want, with the reason; a rule makes it irrelevant.
  refused(name) {
    return this.fixed(name) === null ? this.item.refused[name] ?? null : null;
  }

  isAnswered(field) {
    return this.fixed(field.name) !== null || (Boolean(this.answers[field.name]) && !this.refused(field.name));
  }

  open() {
    return this.fields.filter((field) => (field.required ? !this.isAnswered(field) : this.refused(field.name)));
  }

  // --- answering --------------------------------------------------------------------------------------------

  answer(field, change) {
    if (this.fixed(field.name) !== null) return;
    const before = this.answers[field.name] ?? null;
    const evidence = this.boxes.get(field.name)?.evidence?.value.trim() || before?.evidence || null;
    this.keep(field.name, { status: "ok", value: null, reason: null, evidence, ...change }, before);
    this.refresh();
  }

  choose(field, value) {
    this.boxes.get(field.name).cannot.hidden = true;
    this.answer(field, { status: "ok", value });
  }

  chooseByKey(key) {
    const field = this.current;
    const choice = field?.choices.find((one) => one.key === key);
    if (!choice || this.fixed(field.name) !== null) return false;
    this.choose(field, choice.value);
    return true;
  }

  toggleFloor(floor) {
    if (this.item.floors.includes(floor.name)) return;
    const before = this.answers[floor.name] ?? null;
    const value = before?.value === "1" ? "0" : "1";
    this.keep(floor.name, { status: "ok", value, reason: null, evidence: null }, before);
    this.refresh();
  }

  cite(text) {
    const field = this.current ?? this.fields[0];
    const box = this.boxes.get(field.name);
    if (!box?.evidence || this.fixed(field.name) !== null) return;
    box.evidenceBox.open = true;
    const old = box.evidence.value.trim();
    box.evidence.value = old ? `${old} ${text}` : text;
    this.#evidenceChanged(field);
    box.element.scrollIntoView({ block: "nearest" });
  }

  #evidenceChanged(field) {
    const box = this.boxes.get(field.name);
    const answer = this.refused(field.name) ? null : this.answers[field.name];
    box.hint.textContent = answer ? this.words.evidence_hint : this.words.evidence_first;
    if (!answer) {
      this.draft(field.name, box.evidence.value.trim());
      box.element.classList.toggle("drafted", Boolean(box.evidence.value.trim()));
      return;
    }
    if ((answer.evidence ?? "") === box.evidence.value.trim()) return;
    this.keep(field.name, { ...answer, evidence: box.evidence.value.trim() || null }, answer);
  }

  #whileTyping(name, act) {
    clearTimeout(this.typing.get(name)?.timer);
    this.typing.set(name, { act, timer: setTimeout(() => this.#typed(name), TYPING_PAUSE) });
  }

  #typed(name) {
    const waiting = this.typing.get(name);
    if (!waiting) return;
    clearTimeout(waiting.timer);
    this.typing.delete(name);
    waiting.act();
  }

  // Before the item is left: nothing that was typed may wait any longer.
  settle() {
    for (const name of [...this.typing.keys()]) this.#typed(name);
  }

  // --- moving -----------------------------------------------------------------------------------------------

  focus(field, scroll = "center") {
    this.current = field;
    for (const [name, box] of this.boxes) box.element.classList.toggle("current", name === field.name);
    const box = this.boxes.get(field.name);
    // The first choice is not focused: it would look as if it had been made. Digits answer the row, Tab leads to its choices.
    const target = box.element.querySelector("input:checked:enabled, .words") ?? box.element;
    target.focus({ preventScroll: true });
    if (scroll) box.element.scrollIntoView({ block: scroll });
  }

  move(step) {
    const at = this.fields.findIndex((field) => field.name === this.current?.name);
    const next = this.fields[Math.max(0, Math.min(this.fields.length - 1, at + step))];
    if (next) this.focus(next);
  }

  // The next field without an answer after the current one, else the first one there is.
  nextOpen() {
    const open = this.open();
    const at = this.fields.findIndex((field) => field.name === this.current?.name);
    return open.find((field) => this.fields.findIndex((one) => one.name === field.name) > at) ?? open[0] ?? null;
  }

  // --- drawing ----------------------------------------------------------------------------------------------

  #render() {
    const root = el("div", { class: "form" });
    let area = null, place = root;
    for (const group of this.form.groups) {
      if (group.area !== area) {
        area = group.area;
        place = area ? el("section", { class: "area" }, this.#areaHead(area)) : root;
        if (place !== root) root.append(place);
      }
      for (const floor of this.form.floors) {
        if (group.fields[0].name === floor.fields[0]) place.append(this.#floor(floor));
      }
      place.append(this.#group(group));
    }
    const totals = this.form.scores.filter((score) => !score.area);
    if (totals.length) {
      root.append(el("dl", { class: "totals" }, totals.map((score) =>
        el("div", {}, el("dt", {}, score.name), el("dd", { data: { score: score.key } })))));
    }
    return root;
  }

  #areaHead(key) {
    const score = this.form.scores.find((one) => one.key === key);
    return el("h2", {}, el("span", {}, `${key}. ${score?.name ?? ""}`), el("output", { data: { score: key } }));
  }

  #group(group) {
    const several = group.fields.some((field) => field.name !== group.key); // its parts are asked one by one
    const number = this.form.groups.length > 1 ? this.form.groups.indexOf(group) + 1 : null;
    const mark = group.score !== group.key ? group.score : number;
    const title = mark ? `${mark}. ${group.name}` : group.name;
    const heading = el("h3", { id: `name-${group.key}` }, el("span", {}, title),
      group.formula ? el("output", { data: { score: group.score } }) : null);
    return el("section", { class: `criterion ${several ? "checklist" : ""} ${group.question ? "asked" : ""}` },
      heading,
      group.question ? el("p", { class: "question", id: `question-${group.key}` }, group.question) : null,
      group.explanation ? el("p", { class: "explanation" }, group.explanation) : null,
      group.standards.length ? el("ul", { class: "standards" }, group.standards.map((line) => el("li", {}, line))) : null,
      group.instruction && !several ? el("p", { class: "instruction" }, group.instruction) : null,
      group.examples.length ? this.#examples(group) : null,
      group.fields.map((field) => this.#field(field, group, several)));
  }

  #examples(group) {
    const { words } = this;
    return el("details", { class: "examples" }, el("summary", {}, `${words.examples} ${group.examples.length}`),
      group.examples.map((example) => el("div", { class: "example" },
        el("blockquote", {}, example.context),
        example.met.map((text) => el("p", { class: "met" }, el("strong", {}, words.met), ` ${text}`)),
        example.unmet.map((one) => el("p", { class: "unmet" }, el("strong", {}, words.unmet), ` ${one.text}`,
          one.reason ? el("em", {}, `${words.reason}: ${one.reason}`) : null)))));
  }

  #field(field, group, several) {
    const { words } = this;
    const legend = several
      ? el("legend", {}, el("strong", {}, field.question), el("span", { class: "label" }, field.label))
      : el("legend", { class: "unseen" }, field.question || field.label);
    const note = el("p", { class: "note", hidden: true });
    const refusal = el("p", { class: "refusal", id: `refusal-${field.name}`, role: "alert", hidden: true });
    const cannot = this.#cannot(field);
    const tools = el("div", { class: "tools" });
    const evidenceBox = field.kind === "text" ? null : this.#evidence(field);
    if (field.kind !== "text") tools.append(evidenceBox.element, cannot.button);
    const element = el("fieldset", {
      class: `field kind-${field.kind} ${numbered(field) ? "numbered" : field.choices.some((c) => c.text) ? "worded" : "plain"}`,
      data: { field: field.name }, tabindex: "-1",
      on: { focusin: () => this.#entered(field) },
    }, legend, this.#input(field), refusal, note, field.kind === "text" ? null : [tools, cannot.panel]);
    this.boxes.set(field.name, { element, note, refusal, cannot: cannot.panel, cannotInput: cannot.input, cannotButton: cannot.button,
      evidence: evidenceBox?.input, evidenceBox: evidenceBox?.element, hint: evidenceBox?.hint });
    return element;
  }

  #entered(field) {
    if (this.current?.name === field.name) return;
    this.current = this.fields.find((one) => one.name === field.name);
    for (const [name, box] of this.boxes) box.element.classList.toggle("current", name === field.name);
  }

  // What a field shows: a refused answer stays in sight until there is another one.
  #given(field) {
    return this.refused(field.name) ?? this.answers[field.name];
  }

  #input(field) {
    const saved = this.#given(field);
    if (field.kind === "choice") {
      const oneRow = numbered(field);
      const choices = el("div", { class: "choices" }, field.choices.map((choice) =>
        el("label", { class: "choice", data: { value: choice.value }, title: oneRow ? choice.text : null },
          el("input", { type: "radio", name: field.name, value: choice.value, on: { change: () => this.choose(field, choice.value) } }),
          el("span", { class: "mark" }, choice.label),
          choice.text ? el("span", { class: oneRow ? "unseen" : "anchor" }, choice.text) : null,
          choice.key && choice.key !== choice.label ? el("kbd", { "aria-hidden": "true" }, choice.key) : null)));
      const ends = [field.choices[0], field.choices.at(-1)].map((choice) => el("span", {}, choice.text === choice.label ? "" : choice.text ?? ""));
      return oneRow ? [choices, el("p", { class: "ends", "aria-hidden": "true" }, ends)] : choices;
    }
    const listen = { input: (event) => this.#whileTyping(field.name, () => this.#wrote(field, event.target.value)),
      blur: () => this.#typed(field.name) };
    if (field.kind === "number") {
      return el("input", { type: "text", inputmode: "decimal", class: "words", "aria-label": field.label, value: saved?.value ?? "", on: listen });
    }
    const box = el("textarea", { class: "words", rows: "3", maxlength: "20000", "aria-label": field.label, on: listen });
    box.value = saved?.value ?? "";
    return box;
  }

  #wrote(field, text) {
    if (text.trim() || this.answers[field.name] || this.refused(field.name)) this.answer(field, { status: text.trim() ? "ok" : "cleared", value: text.trim() || null });
  }

  #evidence(field) {
    const { words } = this;
    const drafted = this.item.drafts?.[field.name];
    const saved = this.#given(field)?.evidence ?? drafted ?? "";
    const hint = el("span", { class: "hint" }, drafted ? words.evidence_first : words.evidence_hint);
    const input = el("textarea", { rows: "2", maxlength: "20000", "aria-label": `${words.evidence}: ${field.question || field.label}`, on: {
      input: () => this.#whileTyping(`${field.name} evidence`, () => this.#evidenceChanged(field)),
      blur: () => this.#typed(`${field.name} evidence`),
    } });
    input.value = saved;
    const element = el("details", { class: "evidence", open: Boolean(saved) }, el("summary", {}, words.evidence), input, hint);
    return { element, input, hint };
  }

  #cannot(field) {
    const { words } = this;
    const saved = this.#given(field);
    const say = (reason) => { if (reason.trim()) this.answer(field, { status: "missing", reason: reason.trim() }); };
    const input = el("input", { type: "text", maxlength: "2000", placeholder: words.cannot_need, "aria-label": words.cannot_why, on: {
      input: (event) => this.#whileTyping(`${field.name} cannot`, () => say(event.target.value)),
      blur: () => this.#typed(`${field.name} cannot`),
    } });
    input.value = saved?.status === "missing" ? saved.reason ?? "" : "";
    const chips = [words.cannot_a, words.cannot_b, words.cannot_c].map((reason) =>
      el("button", { type: "button", class: "chip", on: { click: () => { input.value = reason; say(reason); } } }, reason));
    const panel = el("div", { class: "cannot", hidden: saved?.status !== "missing" }, el("span", { class: "hint" }, words.cannot_why), input, el("div", { class: "chips" }, chips));
    const button = el("button", { type: "button", class: "quiet", "aria-expanded": String(!panel.hidden), on: { click: () => this.toggleCannot(field) } }, words.cannot);
    return { panel, button, input };
  }

  toggleCannot(field) {
    const box = this.boxes.get(field.name);
    if (!box?.cannot || field.kind === "text" || this.fixed(field.name) !== null) return;
    box.cannot.hidden = !box.cannot.hidden;
    box.cannotButton.setAttribute("aria-expanded", String(!box.cannot.hidden));
    if (!box.cannot.hidden) box.cannotInput.focus();
  }

  #floor(floor) {
    const byRule = this.item.floors.includes(floor.name);
    const box = el("input", { type: "checkbox", disabled: byRule, on: { change: () => this.toggleFloor(floor) } });
    return el("section", { class: "floor", data: { floor: floor.name } },
      el("label", {}, box, el("strong", {}, floor.label), byRule ? el("span", { class: "hint" }, this.words.by_rule) : el("kbd", { "aria-hidden": "true" }, "F")),
      el("p", {}, floor.text));
  }

  refresh() {
    for (const field of this.fields) this.#refreshField(field);
    for (const floor of this.form.floors) {
      const box = this.element.querySelector(`[data-floor="${floor.name}"] input`);
      if (box) box.checked = this.statedFloors().includes(floor);
    }
    const scores = runningScores(this.form, (name) => this.valueOf(name));
    for (const place of this.element.querySelectorAll("[data-score]")) {
      const score = scores[place.dataset.score];
      const highest = this.#highest(place.dataset.score);
      place.textContent = score ? `${Math.round(score.value * 100) / 100} / ${highest}` : "";
      place.classList.toggle("open", Boolean(score?.open));
    }
  }

  // Another device gave a newer answer than the one in sight.
  overtaken(name) {
    const box = this.boxes.get(name), answer = this.answers[name];
    const words = box?.element.querySelector(".words");
    if (words) words.value = answer?.value ?? "";
    if (box?.evidence) {
      box.evidence.value = answer?.evidence ?? "";
      box.evidenceBox.open = Boolean(box.evidence.value);
    }
    this.refresh();
  }

  #highest(key) {
    return this.form.groups.find((group) => group.score === key)?.highest ?? this.form.scores.find((score) => score.key === key)?.highest;
  }

  #refreshField(field) {
    const box = this.boxes.get(field.name);
    const fixed = this.fixed(field.name);
    const value = this.valueOf(field.name);
    const answer = this.answers[field.name];
    box.element.classList.toggle("answered", this.isAnswered(field));
    box.element.classList.toggle("fixed", fixed !== null);
    box.element.classList.toggle("unjudged", answer?.status === "missing");
    box.element.classList.toggle("drafted", Boolean(box.evidence?.value.trim()));
    const refused = this.refused(field.name);
    box.element.classList.toggle("refused", Boolean(refused));
    box.refusal.hidden = !refused;
    box.refusal.textContent = refused ? `${this.words.refused}: ${refused.why}` : "";
    const words = box.element.querySelector(".words");
    words?.setAttribute("aria-invalid", String(Boolean(refused)));
    if (refused) words?.setAttribute("aria-describedby", box.refusal.id);
    else words?.removeAttribute("aria-describedby");
    const newer = fixed === null && this.item.newer[field.name];
    box.note.hidden = fixed === null && !newer;
    box.note.textContent = newer ? this.words.newer_elsewhere : field.name in this.item.ruled ? this.words.by_rule : this.words.by_floor;
    for (const radio of box.element.querySelectorAll("input[type=radio]")) {
      radio.checked = radio.value === (refused ? refused.value : value);
      radio.disabled = fixed !== null;
    }
    if (answer?.status !== "missing" && box.cannotInput && document.activeElement !== box.cannotInput) box.cannotInput.value = "";
  }
}
