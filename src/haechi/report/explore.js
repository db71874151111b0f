"use strict";
// What the report can do beyond being read: everything on the page is there without this script.
(() => {
  const ko = document.documentElement.lang === "ko";
  const say = (korean, english) => (ko ? korean : english);

  // A link opens what is folded around its target.
  const open = (hash) => {
    const target = hash.length > 1 && document.getElementById(decodeURIComponent(hash.slice(1)));
    if (!target) return;
    for (let place = target; place; place = place.parentElement) if (place.tagName === "DETAILS") place.open = true;
    target.scrollIntoView({ block: "start" });
  };
  addEventListener("hashchange", () => open(location.hash));
  addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((one) => { one.open = true; }));
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#'], a[*|href^='#']");
    const href = link && (link.getAttribute("href") || "");
    if (href && href === location.hash) open(href); // the address does not change, so nobody else would notice
  });
  open(location.hash);

  // "3.69 [2.96, 4.26]", "−.12", "62 %", "< .001", "1,204" → a number; words stay words, nothing comes last.
  const valueOf = (cell) => {
    const text = (cell ? cell.textContent : "").trim();
    if (text === "" || text === "–") return null;
    const found = /^([<>]?)\s*([−-]?)([\d,]*\.?\d+)/.exec(text);
    if (!found) return text;
    const size = Number(found[3].replaceAll(",", ""));
    return (found[2] ? -size : size) - (found[1] === "<" ? 1e-9 : 0);
  };
  const compare = (a, b) => {
    if (a === null || b === null) return (a === null) - (b === null);
    if (typeof a === typeof b && typeof a === "number") return a - b;
    return String(a).localeCompare(String(b), document.documentElement.lang, { numeric: true });
  };

  const sortable = (table) => {
    const body = table.tBodies[0];
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") !== "descending";
        const rows = [...body.rows].map((row) => [valueOf(row.cells[column]), row]);
        rows.sort(([a], [b]) => (a === null || b === null || !down ? compare(a, b) : compare(b, a)));
        heads.forEach((one) => one.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        body.append(...rows.map(([, row]) => row));
      });
    });
  };

  const filterable = (table, place) => {
    const rows = [...table.tBodies[0].rows];
    const field = document.createElement("input");
    field.type = "search";
    field.className = "filter";
    field.placeholder = say("이 표에서 찾기", "find in this table");
    field.setAttribute("aria-label", field.placeholder);
    const count = document.createElement("output");
    count.className = "note";
    field.addEventListener("input", () => {
      const words = field.value.toLocaleLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const row of rows) {
        const text = row.textContent.toLocaleLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
        shown += row.hidden ? 0 : 1;
      }
      count.textContent = words.length ? say(`${rows.length}줄 중 ${shown}줄`, `${shown} of ${rows.length} rows`) : "";
    });
    place.before(field, count);
  };

  for (const place of document.querySelectorAll(".wide")) {
    const table = place.querySelector("table");
    if (!table || !table.tHead || !table.tBodies.length) continue;
    const rows = table.tBodies[0].rows.length;
    if (rows > 2) sortable(table);
    if (rows > 12) filterable(table, place);
  }

  // A bar or point of a chart leads to its items: by a click, or with the arrow keys.
  const listed = document.querySelector("main[data-items]");
  const names = listed ? JSON.parse(listed.dataset.items) : [];
  const shown = new Map([...document.querySelectorAll("details.passage")].map((one) => [one.querySelector("summary b").textContent, one.id]));
  const MOST = 200;
  const pick = (figure, mark) => {
    const panel = document.createElement("div");
    panel.className = "picked";
    panel.setAttribute("role", "status");
    const close = document.createElement("button");
    close.type = "button";
    close.textContent = "×";
    close.setAttribute("aria-label", say("닫기", "close"));
    close.addEventListener("click", () => panel.remove());
    const title = document.createElement("p");
    title.textContent = mark.querySelector("title").textContent.split(" — ")[0];
    const places = (mark.dataset.items || "").split(" ").filter(Boolean);
    const links = places.slice(0, MOST).map((place) => {
      const name = names[Number(place)];
      const link = document.createElement(shown.has(name) ? "a" : "span");
      if (shown.has(name)) link.href = `#${shown.get(name)}`;
      link.className = "item";
      link.textContent = name;
      return link;
    });
    panel.append(close, title, ...links.flatMap((link) => [link, " "]));
    if (places.length > MOST) panel.append(say(`외 ${places.length - MOST}개`, `and ${places.length - MOST} more`));
    figure.parentElement.querySelectorAll(":scope > .picked").forEach((one) => one.remove());
    figure.after(panel);
  };
  for (const figure of document.querySelectorAll("figure")) {
    const marks = () => [...figure.querySelectorAll(".mark")].filter((one) => one.getClientRects().length);
    figure.addEventListener("click", (event) => {
      const mark = event.target.closest(".mark");
      if (mark) pick(figure, mark);
    });
    figure.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      const all = marks();
      const at = all.findIndex((one) => one.classList.contains("at"));
      if (step && all.length) {
        event.preventDefault();
        const next = all[(at < 0 ? (step > 0 ? 0 : all.length - 1) : at + step + all.length) % all.length];
        if (at >= 0) all[at].classList.remove("at");
        next.classList.add("at");
        pick(figure, next);
      }
    });
  }

  // The long list of items: found by a word of their name, their text, or what was said about them.
  const items = [...document.querySelectorAll("details.passage")];
  const section = items.length > 12 ? items[0].parentElement : null;
  if (section) {
    const field = document.createElement("input");
    field.type = "search";
    field.className = "filter";
    field.placeholder = say("항목에서 찾기", "find in the items");
    field.setAttribute("aria-label", field.placeholder);
    field.addEventListener("input", () => {
      const words = field.value.toLocaleLowerCase().split(/\s+/).filter(Boolean);
      for (const item of items) {
        const text = item.textContent.toLocaleLowerCase();
        item.hidden = !words.every((word) => text.includes(word));
      }
    });
    items[0].before(field);
  }
})();
