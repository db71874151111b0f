// The page of a closed link: what was answered with it and never reached the server is still in this browser, and said.

import { waitingAnswers } from "./closed.js";
import { ID, stored } from "./queue.js";

const place = document.querySelector("[data-kept]");
const { under, labels, words } = JSON.parse(place.dataset.kept);
const keys = Object.keys(localStorage).filter((key) => key.startsWith(under) && ID.test(key.slice(under.length)));
const found = new Map(keys.flatMap((key) => stored(key) ?? []).filter((entry) => entry.answer.field).map((entry) => [entry.answer.id, entry]));
if (found.size) {
  const waiting = [...found.values()].sort((a, b) => a.at - b.at);
  place.append(...waitingAnswers(waiting, words, (field) => labels[field] ?? field).flat());
  place.hidden = false;
}
