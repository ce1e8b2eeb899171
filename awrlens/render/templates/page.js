"use strict";
// The page is self-contained, and text of a report is never markup.
const make = (tag, text, kind) => {
  const node = document.createElement(tag);
  if (text !== undefined) node.textContent = text;
  if (kind) node.className = kind;
  return node;
};

document.addEventListener("click", async (event) => {
  const button = event.target.closest("button.copy");
  if (!button) return;
  const text = (button.nextElementSibling ?? button.parentElement.nextElementSibling).textContent;
  try { await navigator.clipboard.writeText(text); }
  catch {
    const area = make("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  button.dataset.label ||= button.textContent;
  button.textContent = "Copied";
  setTimeout(() => { button.textContent = button.dataset.label; }, 1500);
});

// Values of charts under the pointer, and by keyboard: a stop for each chart, arrow keys inside.
const tip = make("div");
tip.id = "tip";
tip.hidden = true;
tip.setAttribute("aria-hidden", "true");
document.body.append(tip);
const tell = (node, x, y) => {
  tip.hidden = !node;
  if (!node) return;
  tip.textContent = node.dataset.tip;
  const right = root.clientWidth - tip.offsetWidth - 8;
  tip.style.left = `${Math.max(8, Math.min(x + 12, right))}px`;
  tip.style.top = `${y + 16}px`;
};
document.addEventListener("pointerover", (event) => tell(event.target.closest?.("[data-tip]"), event.pageX, event.pageY));
document.addEventListener("focusin", ({ target }) => {
  const box = target.getBoundingClientRect();
  tell(target.closest("[data-tip]"), box.right + scrollX, Math.min(box.bottom, innerHeight - 60) + scrollY - 12);
});
document.addEventListener("keydown", (event) => { if (event.key === "Escape") tip.hidden = true; });
for (const group of document.querySelectorAll(".area, .bar")) {
  const values = [...group.querySelectorAll("[data-tip]")];
  values.forEach((node, n) => {
    node.tabIndex = n ? -1 : 0;
    node.setAttribute("role", "img");
    node.setAttribute("aria-label", node.dataset.tip);
  });
  group.addEventListener("keydown", (event) => {
    const next = values[values.indexOf(event.target) + ({ ArrowRight: 1, ArrowLeft: -1 }[event.key] ?? NaN)];
    if (!next) return;
    event.preventDefault();
    event.target.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  });
}

// Labels of a chart: ticks that would overlap are hidden, and names of lines share rows where they fit.
const GAP = 6;
const fit = (area, wide = area.clientWidth) => {
  if (!wide) return;
  const ticks = [...area.querySelectorAll(".xtick")];
  const sides = ticks.map((node) => [-0.5, 0.5].map((side) => parseFloat(node.style.left) * wide / 100 + side * node.offsetWidth));
  const clear = (kept) => kept.every((n, i) => !i || sides[n][0] >= sides[kept[i - 1]][1] + GAP);
  const every = (step) => ticks.map((_, n) => n).filter((n) => n % step === 0);
  let step = 1;
  while (!clear(every(step))) step += 1;
  ticks.forEach((node, n) => node.classList.toggle("over", n % step !== 0));
  const names = [...area.querySelectorAll(".mark em")].map((node) => {
    const mark = node.parentElement, at = parseFloat(mark.style.left), begin = (wide - node.offsetWidth) * at / 100;
    return { mark, begin, end: begin + node.offsetWidth, order: mark.classList.contains("device") * 100 + Math.abs(at - 50) };
  });
  const rows = [];
  let own = 0;
  for (const each of names.sort((a, b) => a.order - b.order)) {
    if (each.order < 100) own = rows.length;
    const free = rows.findIndex((row, n) => (each.order < 100 || n > own) && row.every((other) => each.begin > other.end + GAP || each.end < other.begin - GAP));
    const row = free < 0 ? rows.push([]) - 1 : free;
    rows[row].push(each);
    each.mark.style.setProperty("--row", row);
  }
  if (rows.length) area.parentElement.style.setProperty("--rows", rows.length);
};
const areas = document.querySelectorAll(".plot .area");
const watch = new ResizeObserver((entries) => entries.forEach(({ target }) => fit(target)));
areas.forEach((area) => watch.observe(area));

const words = (input) => input.value.toLowerCase().split(/\s+/).filter(Boolean);
const filter = (rows, input, group = "") => {
  const wanted = words(input);
  for (const row of rows) row.hidden = (group && row.dataset.group !== group) || !wanted.every((word) => row.textContent.toLowerCase().includes(word));
};
for (const input of document.querySelectorAll("input.filter")) {
  const rows = input.closest("details").querySelectorAll("tbody tr");
  input.addEventListener("input", () => filter(rows, input));
}

// Figures in Oracle's formats: 1,234.5, 12K, 3.4ms; anything else is not a number.
const SCALE = { k: 1e3, m: 1e6, g: 1e9, t: 1e12, us: 1e-6, ms: 1e-3, s: 1, ns: 1e-9, "": 1, "%": 1 };
const figure = (text) => {
  const found = /^(-?[\d,]*\.?\d+(?:E[+-]?\d+)?)\s*([a-z%]*)$/i.exec(text.trim());
  const scale = found && SCALE[found[2].toLowerCase()];
  return scale === undefined || !found ? NaN : Number(found[1].replaceAll(",", "")) * scale;
};
const order = (a, b) => {
  const x = figure(a), y = figure(b);
  return isNaN(x) || isNaN(y) ? a.localeCompare(b) : x - y;
};
const sortable = (table) => {
  table.querySelectorAll("th").forEach((head, column) => {
    head.querySelector("button")?.addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") !== "ascending";
      const key = (row) => row.cells[column]?.dataset.sort ?? row.cells[column]?.textContent ?? "";
      const rows = [...table.tBodies[0].rows];
      rows.sort((a, b) => (key(a) === "") - (key(b) === "") || (up ? 1 : -1) * order(key(a), key(b)));
      table.tBodies[0].append(...rows);
      for (const other of table.querySelectorAll("th")) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
    });
  });
};
document.querySelectorAll("table.sortable").forEach(sortable);
for (const bar of document.querySelectorAll("p.filter")) {
  const rows = bar.nextElementSibling.querySelectorAll("tbody tr"), input = bar.querySelector("input");
  const apply = () => filter(rows, input, bar.querySelector("[aria-pressed=true]").dataset.group);
  input.addEventListener("input", apply);
  bar.addEventListener("click", ({ target }) => {
    if (target.dataset.group === undefined) return;
    for (const button of bar.querySelectorAll("button")) button.setAttribute("aria-pressed", button === target);
    apply();
  });
}

// The compressed sections of the report; drawn when they are opened.
const PAGE = 200;
const unpack = async (node) => {
  const bytes = Uint8Array.from(atob(node.textContent.trim()), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
};
const fill = (place, [, , , headings, rows], wanted, key) => {
  const table = make("table");
  const head = make("tr"), body = make("tbody");
  const width = Math.max(headings.length, ...rows.slice(0, PAGE).map((row) => row.length));
  for (let n = 0; n < width; n += 1) {
    const cell = make("th");
    cell.scope = "col";
    const button = make("button", headings[n] || `column ${n + 1}`);
    button.type = "button";
    cell.append(button);
    head.append(cell);
  }
  const hit = (row) => wanted.every((word) => row.join(" ").toLowerCase().includes(word));
  const shown = wanted.length && rows.some(hit) ? rows.filter(hit) : rows;
  const asked = key ? shown.findIndex((row) => row.includes(key)) : -1;
  const first = Math.max(PAGE, asked + 1);
  const draw = (from, to) => {
    for (const row of shown.slice(from, to)) {
      const line = make("tr");
      for (const text of row) line.append(make("td", text, isNaN(figure(text)) ? "" : "n"));
      if ((wanted.length && hit(row)) || (asked >= 0 && row === shown[asked])) line.className = "hit";
      body.append(line);
    }
  };
  draw(0, first);
  table.append(make("thead"), body);
  table.tHead.append(head);
  sortable(table);
  const scroll = make("div", undefined, "scroll");
  scroll.tabIndex = 0;
  scroll.append(table);
  place.append(scroll);
  if (shown.length > first) {
    const more = make("button", `Show all ${shown.length} rows`, "plain");
    more.type = "button";
    more.addEventListener("click", () => { draw(first); more.remove(); });
    place.append(more);
  }
};
const browse = async (outer) => {
  if (outer.ready) return outer.ready;
  outer.ready = (async () => {
    const list = outer.querySelector(".list"), input = outer.querySelector("input"), hits = outer.querySelector(".hits");
    const [tables, places] = await unpack(outer.querySelector(".packed"));
    const texts = tables.map(([title, name, , headings, rows]) => [title, name, ...headings, ...rows.map((row) => row.join(" "))].join("\n").toLowerCase());
    const nodes = tables.map((table) => {
      const node = make("details");
      const rows = table[4].length;
      node.append(make("summary", `${table[0]} · ${rows} ${rows === 1 ? "row" : "rows"} · line ${table[2]}`));
      node.addEventListener("toggle", () => {
        if (node.open && node.children.length === 1) fill(node, table, words(input));
      });
      list.append(node);
      return node;
    });
    const search = () => {
      const wanted = words(input);
      let count = 0;
      nodes.forEach((node, n) => {
        node.hidden = !wanted.every((word) => texts[n].includes(word));
        count += !node.hidden;
        node.open = false;
        while (node.children.length > 1) node.lastChild.remove();
      });
      hits.textContent = wanted.length ? `${count} of ${nodes.length} tables` : "";
    };
    let waiting;
    input.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(search, 150); });
    return { tables, nodes, places };
  })();
  return outer.ready;
};
for (const outer of document.querySelectorAll("details.sections")) {
  outer.addEventListener("toggle", () => { if (outer.open) browse(outer); });
}
// Lines of the report are links to their row: #r1-line-412-redo.write_ms
for (const where of document.querySelectorAll(".where")) {
  const article = where.closest("article");
  if (!article.querySelector(".packed")) continue;
  const fact = where.dataset.fact ?? where.closest("tr").querySelector("code").textContent;
  where.replaceChildren(...where.textContent.split(/(\d+)/).map((text, n) => {
    if (n % 2 === 0) return text;
    const link = make("a", text);
    link.href = `#${article.id}-line-${text}-${fact}`;
    return link;
  }));
}
const show = async (id, line, fact) => {
  const outer = document.getElementById(id)?.querySelector("details.sections");
  if (!outer) return;
  outer.open = true;
  const { tables, nodes, places } = await browse(outer);
  const [, section, row] = places[fact]?.find((place) => place[0] === line) ?? [];
  let best = -1;
  tables.forEach((table, n) => {
    if (table[0] === section && (best < 0 || table[2] <= line)) best = n;
  });
  if (best < 0) { outer.scrollIntoView(); return; }
  const node = nodes[best];
  while (node.children.length > 1) node.lastChild.remove();
  fill(node, tables[best], [], row);
  node.hidden = false;
  node.open = true;
  node.querySelector("summary").focus();
  (node.querySelector("tr.hit") ?? node).scrollIntoView({ block: "center" });
};

// A link into a folded element unfolds it.
const reveal = () => {
  const asked = decodeURIComponent(location.hash.slice(1));
  const line = /^(r\d+)-line-(\d+)-(.+)$/.exec(asked);
  if (line) { show(line[1], Number(line[2]), line[3]); return; }
  const node = document.getElementById(asked);
  for (let outer = node; outer; outer = outer.parentElement) if (outer.tagName === "DETAILS") outer.open = true;
  const below = node && (node.tagName === "ARTICLE" ? node.firstElementChild : node.tagName === "H2" && node.nextElementSibling);
  if (below && below.tagName === "DETAILS") below.open = true;
  node?.scrollIntoView();
};
addEventListener("hashchange", reveal);
document.addEventListener("click", (event) => {
  if (event.target.closest("a")?.hash === location.hash && location.hash) reveal();
});
// For printing, the details of findings are open; everything else keeps its state.
const PAPER = 560;
let folded = [];
addEventListener("beforeprint", () => {
  areas.forEach((area) => fit(area, Math.min(area.clientWidth, PAPER)));
  folded = [...document.querySelectorAll("details.proof:not([open])")];
  for (const node of folded) node.open = true;
});
addEventListener("afterprint", () => { areas.forEach((area) => fit(area)); for (const node of folded) node.open = false; });
reveal();
