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
  // Paper has what is folded, but for hundreds of single ratings, which are in the files beside the report.
  addEventListener("beforeprint", () => document.querySelectorAll("details:not(.rated, .leads)").forEach((one) => { one.open = true; }));
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

  // A head with buttons in it is not printed again on the next page: on paper it is words alone.
  const sorters = [];
  addEventListener("beforeprint", () => sorters.forEach(([head, button]) => { head.append(...button.childNodes); button.remove(); }));
  addEventListener("afterprint", () => sorters.forEach(([head, button]) => { button.append(...head.childNodes); head.append(button); }));

  const sortable = (table) => {
    const body = table.tBodies[0];
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.append(...head.childNodes);
      head.append(button);
      sorters.push([head, button]);
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

  // A bar or point of a chart leads to its items: by a click, a tap nearby, or with the arrow keys.
  const main = document.querySelector("main");
  const names = JSON.parse(main.dataset.items || "[]");
  const shown = new Map([...document.querySelectorAll("details.passage")].map((one) => [one.querySelector("summary b").textContent, one.id]));
  const served = /^(.*\/owner)\/report\/read$/.exec(location.protocol.startsWith("http") ? location.pathname : "");
  const MOST = 200;
  const NEAR = 18; // pixels: a finger is wider than a dot
  const element = (name, text, more = {}) => Object.assign(document.createElement(name), { textContent: text }, more);
  const item = (place) => {
    const name = names[Number(place)];
    return element(shown.has(name) ? "a" : "span", name, shown.has(name) ? { href: `#${shown.get(name)}`, className: "item" } : { className: "item" });
  };
  const browser = (query) => {
    if (served) return [element("a", say("항목 브라우저에서 열기", "Open in the item browser"), { href: `${served[1]}/browse?${query}` })];
    if (!main.dataset.serve) return [];
    const words = say("항목이 많아 항목 브라우저에서 봅니다. 명령을 실행한 뒤 주소 끝에 붙이세요: ", "Too many for this page: run the command, then open this address below the one that it prints: ");
    return [words, element("code", main.dataset.serve), " → ", element("code", `/owner/browse?${query}`)];
  };
  const pick = (figure, mark) => {
    const panel = element("div", "", { className: "picked" });
    panel.setAttribute("role", "status");
    const close = element("button", "×", { type: "button" });
    close.setAttribute("aria-label", say("닫기", "close"));
    const away = () => { panel.remove(); if (figure.tabIndex === 0) figure.focus({ preventScroll: true }); };
    close.addEventListener("click", away);
    panel.addEventListener("keydown", (event) => { if (event.key === "Escape") away(); });
    const places = (mark.dataset.items || "").split(" ").filter(Boolean);
    const told = mark.querySelector("title").textContent;
    const links = places.slice(0, MOST).map(item);
    panel.append(close, element("p", places.length ? told.split(" — ")[0] : told), ...links.flatMap((link) => [link, " "]));
    const more = Number(mark.dataset.n || places.length) - links.length;
    if (more > 0) panel.append(say(`외 ${more}개`, `and ${more} more`));
    if (mark.dataset.query) panel.append(...browser(mark.dataset.query));
    document.querySelectorAll(".picked").forEach((one) => one.remove());
    figure.after(panel);
    figure.querySelectorAll(".at").forEach((one) => one.classList.remove("at"));
    mark.classList.add("at");
    return panel;
  };
  const away = (mark, x, y) => {
    const box = mark.getBoundingClientRect();
    return Math.hypot(Math.max(box.left - x, 0, x - box.right), Math.max(box.top - y, 0, y - box.bottom));
  };
  for (const figure of document.querySelectorAll("figure")) {
    const marks = () => [...figure.querySelectorAll(".mark")].filter((one) => one.getClientRects().length);
    figure.addEventListener("click", (event) => {
      let mark = event.target.closest(".mark");
      if (!mark && event.target.closest("svg")) {
        const near = marks().map((one) => [away(one, event.clientX, event.clientY), one]).sort(([a], [b]) => a - b)[0];
        if (near && near[0] <= NEAR) mark = near[1];
      }
      if (mark) pick(figure, mark);
    });
    figure.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      const all = marks();
      const at = all.findIndex((one) => one.classList.contains("at"));
      if (step && all.length) {
        event.preventDefault();
        pick(figure, all[(at < 0 ? (step > 0 ? 0 : all.length - 1) : at + step + all.length) % all.length]);
      } else if (event.key === "Enter" && at >= 0) {
        const link = pick(figure, all[at]).querySelector("a");
        if (link) link.focus();
      } else if (event.key === "Escape") {
        document.querySelectorAll(".picked").forEach((one) => one.remove());
      }
    });
  }
  const first = document.querySelector("figure:has([data-items], [data-query]) figcaption");
  if (first) first.append(element("span", say("점이나 막대를 누르면 그 항목이 나옵니다. 키보드로는 화살표 키와 Enter", "Click a point or bar for its items; by keyboard, the arrow keys and Enter"), { className: "hint" }));

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
