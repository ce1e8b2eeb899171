"use strict";
// The uploader's own names on an analysis whose names were replaced: only this browser has them.
(() => {
  const own = new Map();
  try {
    for (const [name, value] of Object.entries(sessionStorage)) {
      if (!name.startsWith("awrlens-names ")) continue;
      for (const [pseudonym, original] of JSON.parse(value) ?? []) own.set(pseudonym.toLowerCase(), [pseudonym, original]);
    }
  } catch { /* private windows keep nothing */ }
  const button = document.getElementById("own-names");
  if (!own.size || !button) return;
  const one = (word) => {
    const [pseudonym, original] = own.get(word.toLowerCase()) ?? [word, word];
    if (pseudonym === word) return original;
    return word === word.toUpperCase() ? original.toUpperCase() : original.toLowerCase();
  };
  // the name of a file has its ending; a host may have a dash
  const file = (word) => own.get(word.replace(/\.\w+$/, ""))?.[1].split(/[\\/]/).pop() ?? word;
  const named = (text) => text.replace(/report-[a-z0-9]+\.\w+|[\w$#]+(?:-[\w$#]+)*/gi, (word) =>
    word.startsWith("report-") ? file(word) : own.has(word.toLowerCase()) ? one(word) : word.split("-").map(one).join("-"));
  const before = new Map();
  button.hidden = false;
  button.addEventListener("click", () => {
    const shown = before.size > 0;
    for (const [node, text] of before) node.data = text;
    before.clear();
    const nodes = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
    while (!shown && nodes.nextNode()) {
      const node = nodes.currentNode, text = named(node.data);
      if (text === node.data || node.parentElement.closest("script, style")) continue;
      before.set(node, node.data);
      node.data = text;
    }
    button.setAttribute("aria-pressed", String(!shown));
  });
})();
