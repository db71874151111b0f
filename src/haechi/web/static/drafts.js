// Evidence that was written before a value was given: no rating yet, and nothing that may be lost. It waits in this browser, by
// study, link and item, until the value comes.

export class Drafts {
  constructor(marks) {
    this.prefix = `haechi drafts ${marks.study} ${marks.link} `;
  }

  of(item) {
    try {
      return JSON.parse(localStorage.getItem(this.prefix + item)) ?? {};
    } catch {
      return {};
    }
  }

  keep(item, field, text) {
    if (text) item.drafts[field] = text;
    else if (field in item.drafts) delete item.drafts[field];
    else return;
    try {
      if (Object.keys(item.drafts).length) localStorage.setItem(this.prefix + item.item, JSON.stringify(item.drafts));
      else localStorage.removeItem(this.prefix + item.item);
    } catch {
      // storage is full or forbidden: the draft stays with the item as long as the page is open
    }
  }
}
