// The outline of a page as text: blocks in their order, columns, stacked rows; what overlaps, and
// what is wider than the screen.
() => {
  const visible = (node) =>
    node.checkVisibility() && getComputedStyle(node).visibility === "visible";
  const columns = (node) => {
    const lefts = [...node.children].filter(visible).map((each) => each.getBoundingClientRect().left);
    return new Set(lefts.map(Math.round)).size;
  };
  const title = (node) => node.querySelector("h3, h4").textContent;
  const stacked = (table) => getComputedStyle(table.rows[1]).display !== "table-row";
  const NAMES = {
    H2: (node) => `\n${node.textContent}`,
    SECTION: (node) => {
      const charts = node.querySelector(":scope > .pictures");
      return `  ${node.id}${charts ? `, charts in ${columns(charts)} columns` : ""}`;
    },
    FIGURE: (node) => {
      const table = node.querySelector(":scope > .scroll table.stacked");
      return `    ${title(node)}${table && stacked(table) ? ", stacked rows" : ""}`;
    },
    DETAILS: (node) => `    numbers and source lines${node.open ? ", open" : ""}`,
    TABLE: (node) => `actions${stacked(node) ? ", stacked rows" : ""}`,
    UL: (node) => `tiles in ${columns(node)} columns`,
    DIV: () => "bar of DB time",
    H1: () => "headline, h1",
    P: () => "who",
  };
  const blocks = ".who, .dbtime, .headline, .todo, .strip, h2, section.card, figure, details.proof";
  const lines = [...document.querySelectorAll(blocks)]
    .filter(visible)
    .map((node) => NAMES[node.tagName](node));

  const apart = (a, b) =>
    a.right <= b.left || b.right <= a.left || a.bottom <= b.top + 1 || b.bottom <= a.top + 1;
  for (const area of document.querySelectorAll(".area")) {
    for (const kind of [".xtick", ".ytick", "em"]) {
      const boxes = [...area.querySelectorAll(kind)]
        .filter(visible)
        .map((node) => node.getBoundingClientRect());
      if (boxes.some((a, i) => boxes.slice(i + 1).some((b) => !apart(a, b)))) {
        lines.push(`OVERLAP of ${kind} in ${title(area.closest("figure"))}`);
      }
    }
  }
  const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  if (wide > 0) lines.push(`WIDER than the screen by ${wide}`);
  return lines.join("\n");
}
