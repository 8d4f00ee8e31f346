"use strict";
// The page is whole without this script: it adds cards, sorting, search, the map's hover and the dark side.
(() => {
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const one = (selector, within = document) => within.querySelector(selector);
  const make = (name, attributes = {}, ...children) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  };
  const store = {
    read: () => { try { return localStorage.getItem("scholium-theme"); } catch { return null; } },
    write: (value) => { try { localStorage.setItem("scholium-theme", value); } catch { /* a file without storage */ } },
  };

  // Dark and light.
  const root = document.documentElement;
  const theme = one(".theme");
  const dark = () => (root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const nameTheme = () => { theme.textContent = dark() ? "Light" : "Dark"; };
  if (["dark", "light"].includes(store.read())) root.dataset.theme = store.read();
  theme.addEventListener("click", () => { root.dataset.theme = dark() ? "light" : "dark"; store.write(root.dataset.theme); nameTheme(); });
  theme.hidden = false;
  nameTheme();

  // Contents that follow the reader.
  const entries = new Map(all("#contents a").map((link) => [link.hash.slice(1), link]));
  const headings = [...entries.keys()].map((id) => document.getElementById(id)).filter(Boolean);
  let current = null;
  const follow = () => {
    const line = 120;
    let here = headings[0];
    for (const heading of headings) if (heading.getBoundingClientRect().top <= line) here = heading;
    if (!here || here === current) return;
    if (current) entries.get(current.id).removeAttribute("aria-current");
    current = here;
    const link = entries.get(here.id);
    link.setAttribute("aria-current", "true");
    const nav = one("#contents");
    if (nav.scrollHeight > nav.clientHeight) nav.scrollTop = link.offsetTop - nav.clientHeight / 2;
  };
  let waiting = false;
  addEventListener("scroll", () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; follow(); });
  }, { passive: true });
  follow();
  if (matchMedia("(max-width: 62rem)").matches) one("#contents details").open = false;

  // A citation opens the paper's card.
  const card = one("#card");
  const openCard = (id) => {
    const entry = document.getElementById(id);
    if (!entry) return false;
    one("#card-title").textContent = one(".r-title", entry).textContent;
    const who = [one(".r-authors", entry).textContent, one(".r-where", entry).textContent].filter((t) => t.trim()).join(". ");
    const body = one(".card-body", card);
    body.replaceChildren(make("p", { class: "who" }, `[${entry.value}] ${who}`), one(".card", entry).cloneNode(true));
    const link = one(".r-link", entry);
    if (link) body.append(link.cloneNode(true));
    all("details", body).forEach((part) => { part.open = true; });
    if (!card.open) card.showModal();
    card.scrollTop = 0;
    return true;
  };
  document.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
    const link = event.target.closest("a");
    const target = link && (link.getAttribute("href") || "");
    if (!target || !target.startsWith("#")) return;
    if (card.open && !target.startsWith("#ref-")) { card.close(); return; }
    if (target.startsWith("#ref-") && openCard(target.slice(1))) event.preventDefault();
  });
  card.addEventListener("click", (event) => { if (event.target === card || event.target.closest(".close")) card.close(); });

  // Tables: a filter, and sorting by each column.
  const valueOf = (row, column) => {
    const text = row.cells[column].textContent.trim();
    const number = Number(text.replace(/,/g, ""));
    return text !== "" && Number.isFinite(number) ? number : text.toLowerCase();
  };
  const compare = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b)));
  for (const figure of all("figure[data-sortable]")) {
    const table = one("table", figure);
    const body = table.tBodies[0];
    const rows = [...body.rows];
    const heads = [...table.tHead.rows[0].cells];
    const names = heads.map((head) => head.textContent);
    const told = make("span", { role: "status" });
    const filter = make("input", { type: "search", placeholder: "Filter rows", autocomplete: "off" });
    const select = make("select", {}, make("option", { value: "" }, "as written"), ...names.map((name, i) => make("option", { value: i }, name)));
    const sortBy = (column, downwards) => {
      heads.forEach((head, i) => { if (i === column) head.setAttribute("aria-sort", downwards ? "descending" : "ascending"); else head.removeAttribute("aria-sort"); });
      const sorted = column < 0 ? rows : [...rows].sort((a, b) => compare(valueOf(a, column), valueOf(b, column)) * (downwards ? -1 : 1));
      body.append(...sorted);
      select.value = column < 0 ? "" : String(column);
    };
    heads.forEach((head, column) => {
      const button = make("button", { type: "button", title: `Sort by ${names[column]}` }, names[column]);
      button.addEventListener("click", () => sortBy(column, head.getAttribute("aria-sort") === "ascending"));
      head.replaceChildren(button);
    });
    select.addEventListener("change", () => sortBy(select.value === "" ? -1 : Number(select.value), false));
    filter.addEventListener("input", () => {
      const wanted = filter.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const row of rows) {
        const text = row.textContent.toLowerCase();
        row.hidden = !wanted.every((word) => text.includes(word));
        shown += row.hidden ? 0 : 1;
      }
      told.textContent = wanted.length ? `${shown} of ${rows.length} rows` : "";
    });
    const filterLabel = make("label", {}, "Filter", filter);
    const sortLabel = make("label", { class: "sort" }, "Sort by", select);
    table.before(make("div", { class: "tools" }, filterLabel, sortLabel, told));
  }

  // Map and time line: names on hover, groups by themselves, arrow keys from paper to paper.
  const tip = one("#tip");
  const showTip = (text, x, y) => {
    tip.textContent = text;
    tip.hidden = false;
    const box = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(8, Math.min(x + 14, innerWidth - box.width - 8))}px`;
    tip.style.top = `${Math.max(8, y + 18 + box.height > innerHeight ? y - box.height - 12 : y + 18)}px`;
  };
  for (const canvas of all(".canvas")) {
    const links = all("a.to-paper", canvas);
    const nameOf = (link) => link.getAttribute("aria-label");
    all("title", canvas).forEach((title) => { if (title.closest("a")) title.remove(); });
    links.forEach((link) => {
      link.addEventListener("pointermove", (event) => showTip(nameOf(link), event.clientX, event.clientY));
      link.addEventListener("pointerleave", () => { tip.hidden = true; });
      link.addEventListener("focus", () => { const box = link.getBoundingClientRect(); showTip(nameOf(link), box.right, box.bottom); });
      link.addEventListener("blur", () => { tip.hidden = true; });
    });
    canvas.addEventListener("keydown", (event) => {
      const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
      const from = event.target.closest && event.target.closest("a.to-paper");
      if (!way || !from) return;
      event.preventDefault();
      const middle = (link) => { const box = link.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; };
      const [x, y] = middle(from);
      let best = null;
      let least = Infinity;
      for (const link of links) {
        const [dx, dy] = middle(link).map((value, i) => value - [x, y][i]);
        const along = dx * way[0] + dy * way[1];
        const cost = along + 2 * Math.abs(dx * way[1] + dy * way[0]);
        if (link !== from && along > 0.5 && cost < least) { best = link; least = cost; }
      }
      if (best) best.focus();
    });
    const papers = all("g.paper", canvas);
    const groups = JSON.parse(one("svg", canvas).dataset.groups || "[]");
    if (!papers.length || groups.length < 2) continue;
    const legend = make("div", { class: "legend", role: "group", "aria-label": "Show one group" });
    groups.forEach((name, i) => {
      const button = make("button", { type: "button", "aria-pressed": "false" }, make("span", { class: `swatch g${i % 10}` }), name);
      button.addEventListener("click", () => {
        const on = button.getAttribute("aria-pressed") !== "true";
        all("button", legend).forEach((other) => other.setAttribute("aria-pressed", String(on && other === button)));
        papers.forEach((paper) => paper.classList.toggle("dim", on && paper.dataset.group !== String(i)));
        all(".group-name", canvas).forEach((label) => label.classList.toggle("dim", on && !label.classList.contains(`t${i % 10}`)));
      });
      legend.append(button);
    });
    canvas.after(legend);
  }

  // Search within.
  const form = one(".search");
  const input = one("#search");
  const found = one("#found");
  const list = one("ol", found);
  let places = null;
  const gather = () => {
    let heading = "";
    const result = [];
    for (const element of all("main h1, main h2, main h3, main h4, main h5, main h6, main p, main li, main tr, main dd, main figcaption")) {
      if (/^H[1-6]$/.test(element.tagName)) heading = element.textContent.trim();
      if (element.tagName === "LI" && one("p", element) && !element.closest(".references")) continue;
      if (element.closest(".card") || element.closest("thead")) continue;
      const text = element.textContent.replace(/\s+/g, " ").trim();
      if (text) result.push({ element, heading, text, low: text.toLowerCase() });
    }
    return result;
  };
  const highlight = (words) => {
    if (!window.CSS || !CSS.highlights || typeof Highlight === "undefined") return;
    CSS.highlights.delete("found");
    if (!words.length) return;
    const ranges = [];
    const walker = document.createTreeWalker(one("main"), NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node && ranges.length < 2000; node = walker.nextNode()) {
      const text = node.data.toLowerCase();
      for (const word of words) {
        for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
          const range = new Range();
          range.setStart(node, at);
          range.setEnd(node, Math.min(at + word.length, node.length));
          ranges.push(range);
        }
      }
    }
    CSS.highlights.set("found", new Highlight(...ranges));
  };
  const excerpt = (place, words) => {
    const at = Math.max(0, Math.min(...words.map((word) => place.low.indexOf(word)).filter((i) => i >= 0)) - 40);
    const piece = (at ? "…" : "") + place.text.slice(at, at + 160) + (place.text.length > at + 160 ? "…" : "");
    const parts = [];
    let rest = piece;
    while (rest) {
      const low = rest.toLowerCase();
      const next = words.map((word) => [low.indexOf(word), word.length]).filter(([i]) => i >= 0).sort((a, b) => a[0] - b[0])[0];
      if (!next) { parts.push(rest); break; }
      parts.push(rest.slice(0, next[0]), make("mark", {}, rest.slice(next[0], next[0] + next[1])));
      rest = rest.slice(next[0] + next[1]);
    }
    return parts;
  };
  const look = () => {
    places = places || gather();
    const words = input.value.trim().toLowerCase().split(/\s+/).filter((word) => word.length > 1);
    found.hidden = !words.length;
    highlight(words);
    if (!words.length) return;
    const hits = places.filter((place) => words.every((word) => place.low.includes(word)));
    one("p", found).textContent = hits.length === 1 ? "1 place" : `${hits.length} places${hits.length > 60 ? ", the first 60 shown" : ""}`;
    list.replaceChildren(...hits.slice(0, 60).map((place) => {
      const link = make("a", { href: "#" }, make("b", {}, place.heading), ...excerpt(place, words));
      link.addEventListener("click", (event) => {
        event.preventDefault();
        found.hidden = true;
        for (let part = place.element.parentElement; part; part = part.parentElement) if (part.tagName === "DETAILS") part.open = true;
        place.element.scrollIntoView({ block: "center" });
        place.element.classList.add("flash");
        setTimeout(() => place.element.classList.remove("flash"), 2500);
      });
      return make("li", {}, link);
    }));
  };
  form.hidden = false;
  form.addEventListener("submit", (event) => { event.preventDefault(); const first = one("a", list); if (first && !found.hidden) first.click(); });
  input.addEventListener("input", look);
  input.addEventListener("focus", () => { if (input.value.trim()) look(); });
  addEventListener("keydown", (event) => {
    if (event.key === "/" && !event.ctrlKey && !event.metaKey && !/^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName)) { event.preventDefault(); input.focus(); }
    if (event.key === "Escape" && !card.open && (!found.hidden || input.value)) { found.hidden = true; input.value = ""; highlight([]); }
  });
  document.addEventListener("click", (event) => { if (!found.hidden && !event.target.closest(".found, .search")) found.hidden = true; });
})();
