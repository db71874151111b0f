// The running scores of a checklist, by the rubric's own arithmetic.

function compute(tree, values) {
  if (typeof tree === "number") return tree;
  if (typeof tree === "string") return values[tree];
  const [sign, left, right] = tree;
  const a = compute(left, values), b = compute(right, values);
  return sign === "+" ? a + b : sign === "-" ? a - b : sign === "*" ? a * b : a / b;
}

// Every score as { value, open }: `open` counts the elements that have no answer yet.
export function runningScores(form, valueOf) {
  const scores = {};
  for (const group of form.groups) {
    if (!group.formula) continue;
    const given = group.fields.map((field) => valueOf(field.name));
    const numbers = Object.fromEntries(group.fields.map((field, i) => [field.name.split(".").pop(), Number(given[i] ?? 0)]));
    const met = Object.values(numbers).reduce((sum, number) => sum + number, 0);
    const open = given.filter((value) => value === null).length;
    scores[group.score] = { value: compute(group.formula, { ...numbers, met, count: given.length }), open };
  }
  for (const score of form.scores) {
    const parts = score.parts.map((part) => scores[part]);
    if (parts.some((part) => !part)) continue;
    const open = parts.reduce((sum, part) => sum + part.open, 0);
    const weighted = parts.reduce((sum, part, i) => sum + part.value * score.weights[i], 0);
    const whole = score.weights.reduce((sum, weight) => sum + weight, 0);
    scores[score.key] = { value: score.by === "sum" ? weighted : weighted / whole, open };
  }
  return scores;
}
