// Uploads with progress, and what stays in this browser: the key of pseudonyms, delete keys, names of files.
"use strict";

const token = document.querySelector("meta[name=form-token]").content;

function kept(name, value, place = "localStorage") {
  try {
    if (value === undefined) return JSON.parse(window[place].getItem(name));
    window[place].setItem(name, JSON.stringify(value));
  } catch { /* private windows keep nothing */ }
  return value ?? null;
}

function redactKey() {
  const known = kept("awrlens-redact-key");
  if (known) return known;
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return kept("awrlens-redact-key", Array.from(bytes, (each) => each.toString(16).padStart(2, "0")).join(""));
}

function made(tag, text, attributes = {}) {
  const found = document.createElement(tag);
  if (text) found.textContent = text;
  for (const [name, value] of Object.entries(attributes)) found.setAttribute(name, value);
  return found;
}

// paired backticks mark code
function coded(text) {
  const found = document.createDocumentFragment();
  text.split("`").forEach((piece, n, all) => {
    if (n % 2 && n < all.length - 1) found.append(made("code", piece));
    else found.append(n % 2 ? `\`${piece}` : piece);
  });
  return found;
}

function send(file, name, options, progress) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const query = new URLSearchParams({ name, redact: options.redact, project: options.project });
    request.open("POST", `/api/reports?${query}`);
    request.setRequestHeader("X-CSRF-Token", token);
    request.setRequestHeader("Content-Type", "application/octet-stream");
    if (options.redact) request.setRequestHeader("X-Redact-Key", redactKey());
    if (options.password) request.setRequestHeader("X-Report-Password", options.password);
    request.upload.onprogress = (event) => { if (event.lengthComputable) progress(event.loaded / event.total); };
    request.onerror = () => reject(new Error("The server cannot be reached."));
    request.onload = () => {
      let found = {};
      try { found = JSON.parse(request.responseText); } catch { /* not from our server */ }
      if (request.status === 201) resolve(found);
      else reject(new Error(found.detail || `The server answered ${request.status}.`));
    };
    request.send(file);
  });
}

async function watched(id, password) {
  const headers = password ? { "X-Report-Password": password } : {};
  for (let delay = 200; ; delay = Math.min(delay * 1.5, 3000)) {
    const response = await fetch(`/api/reports/${id}/status`, { headers });
    if (!response.ok && response.status !== 429 && response.status !== 503) throw new Error("The upload is gone.");
    const found = response.ok ? await response.json() : { status: "waiting" };
    if (found.status === "done" || found.status === "failed") return found;
    await new Promise((next) => setTimeout(next, delay));
  }
}

function saveNames(item, names, name) {
  const lines = names.map(([pseudonym, original]) => JSON.stringify({ pseudonym, original }));
  const blob = new Blob([lines.join("\n") + "\n"], { type: "application/x-ndjson" });
  const link = made("a", `Save the ${names.length} replaced names`, { download: `${name}.names.jsonl` });
  link.href = URL.createObjectURL(blob);
  item.append(link);
}

// why an upload was not read, without the name that its card has
function notRead(reason) {
  const why = reason.replace(/^.+?: (?=[A-Z])/, "");
  return coded(`Not read: ${why[0].toLowerCase()}${why.slice(1)}`);
}

async function upload(file, name, options, item) {
  const row = made("div", "", { class: "row" });
  const title = made("b", name), state = made("span", "uploading");
  const bar = made("progress", "", { max: "1", value: "0", "aria-label": `Upload of ${name}` });
  row.append(title, state);
  item.replaceChildren(row, bar);
  try {
    const sent = await send(file, name, options, (share) => {
      bar.value = share;
      if (share === 1) state.textContent = options.redact ? "names are being replaced" : "being stored";
    });
    kept("awrlens-mine", { ...kept("awrlens-mine"), [sent.id]: sent.delete_key });
    kept(`awrlens-names ${sent.id}`, sent.names, "sessionStorage");
    kept("awrlens-files", { ...kept("awrlens-files"), [sent.id]: name });
    bar.removeAttribute("value");
    state.textContent = "being analyzed";
    const found = await watched(sent.id, options.password);
    bar.remove();
    title.replaceChildren(made("a", name, { href: sent.url }));
    if (found.name !== name) row.append(made("span", `stored as ${found.name}`, { class: "small dim" }));
    if (found.status === "failed") {
      state.replaceChildren(notRead(found.reason));
      return sent.url;
    }
    const read = found.reports.filter((each) => !each.reason), first = read[0];
    item.className = ["critical", "warning", "unknown", "info"].find((name) => read.some((each) => each.severity === name)) || "ok";
    row.prepend(made("span", item.className === "unknown" ? "not judged" : item.className, { class: "badge" }));
    state.replaceChildren(found.reports.length > 1 ? `${found.reports.length} reports` : coded(first.headline));
    const links = made("div", "", { class: "row small" });
    links.append(made("a", "Open the analysis", { href: sent.url }), made("a", "Share, delete", { href: `${sent.url}/manage` }));
    if (sent.names.length) saveNames(links, sent.names, found.name);
    item.append(links);
    for (const reason of sent.dropped) item.append(made("span", `Not stored: ${reason}`, { class: "small" }));
    return sent.url;
  } catch (problem) {
    bar.remove();
    item.className = "unknown";
    state.replaceChildren(notRead(problem.message));
    return null;
  }
}

function prepare(form) {
  const drop = document.getElementById("drop"), files = document.getElementById("file");
  const text = document.getElementById("text"), button = form.querySelector("button.go");
  async function all(list) {
    const options = {
      redact: document.getElementById("redact").checked, project: document.getElementById("project").value,
      password: document.getElementById("password").value,
    };
    const uploads = document.getElementById("uploads"), said = document.getElementById("said");
    const items = list.map((file) => made("li", `${file.name || "pasted.txt"}: waiting`));
    uploads.prepend(...items);
    button.disabled = true;
    try {
      let last = null;
      for (const [n, file] of list.entries()) { // one after the other
        said.textContent = list.length > 1 ? `${n + 1} of ${list.length}` : "";
        last = await upload(file, file.name || "pasted.txt", options, items[n]);
      }
      said.textContent = "";
      if (list.length === 1 && last && items[0].className && !options.password) location.assign(last);
    } finally {
      button.disabled = false;
    }
  }
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const list = [...files.files];
    if (text.value.trim()) list.push(new File([text.value], "pasted.txt"));
    if (list.length) all(list).then(() => { form.reset(); });
    else {
      document.getElementById("said").textContent = "Select a report, or paste its text.";
      files.focus();
    }
  });
  files.addEventListener("change", () => {
    const names = [...files.files].map((file) => file.name);
    document.getElementById("said").textContent = names.length > 1 ? `${names.length} files: ${names.join(", ")}` : "";
  });
  for (const name of ["dragenter", "dragover"]) drop.addEventListener(name, (event) => { event.preventDefault(); drop.classList.add("over"); });
  for (const name of ["dragleave", "drop"]) drop.addEventListener(name, () => drop.classList.remove("over"));
  drop.addEventListener("drop", (event) => { event.preventDefault(); all([...event.dataTransfer.files]); });
}

const form = document.getElementById("upload");
if (form) prepare(form);

// one key for this browser and a shell: a report has the same pseudonyms from both
const ownKey = document.getElementById("own-key");
if (ownKey) {
  ownKey.querySelector("code").textContent = `-H 'X-Redact-Key: ${redactKey()}'`;
  ownKey.hidden = false;
}

// the user's own names of files, in the list of reports
for (const place of document.querySelectorAll("[data-file]")) {
  const name = (kept("awrlens-files") || {})[place.dataset.file];
  if (name && name !== place.textContent) place.textContent = `${name} (stored as ${place.textContent})`;
}

// a comparison needs two reports
const select = document.getElementById("select");
select?.addEventListener("submit", (event) => {
  const count = select.querySelectorAll("input:checked").length, two = !event.submitter.hasAttribute("formaction");
  if (two ? count === 2 : count > 0) return;
  event.preventDefault();
  document.getElementById("said").textContent = two ? `Select two reports to compare; ${count} selected.` : "Select the reports of the trend.";
});

// the delete key of an upload of this browser, and its replaced names until the window is closed
const removal = document.querySelector("form[data-id]");
const key = document.getElementById("key");
if (removal && key) key.value = (kept("awrlens-mine") || {})[removal.dataset.id] || "";
const names = removal && kept(`awrlens-names ${removal.dataset.id}`, undefined, "sessionStorage");
if (names?.length) saveNames(document.getElementById("names"), names, removal.dataset.id);
removal?.addEventListener("submit", () => {
  for (const name of ["awrlens-mine", "awrlens-files"]) {
    const rest = kept(name) || {};
    delete rest[removal.dataset.id];
    kept(name, rest);
  }
  kept(`awrlens-names ${removal.dataset.id}`, [], "sessionStorage");
});
