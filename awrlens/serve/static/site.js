// Uploads with progress, and what stays in this browser: the key of pseudonyms, and delete keys.
"use strict";

const token = document.querySelector("meta[name=form-token]").content;

function kept(name, value) {
  try {
    if (value === undefined) return JSON.parse(localStorage.getItem(name));
    localStorage.setItem(name, JSON.stringify(value));
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

function saveNames(item, sent, name) {
  const lines = sent.names.map(([pseudonym, original]) => JSON.stringify({ pseudonym, original }));
  const blob = new Blob([lines.join("\n") + "\n"], { type: "application/x-ndjson" });
  const link = made("a", `Save the ${sent.names.length} replaced names`, { download: `${name}.names.jsonl` });
  link.href = URL.createObjectURL(blob);
  item.append(link);
}

async function upload(file, name, options) {
  const item = made("li"), row = made("div", "", { class: "row" });
  const title = made("b", name), state = made("span", "uploading");
  const bar = made("progress", "", { max: "1", value: "0", "aria-label": `Upload of ${name}` });
  row.append(title, state);
  item.append(row, bar);
  document.getElementById("uploads").prepend(item);
  try {
    const sent = await send(file, name, options, (share) => { bar.value = share; });
    kept("awrlens-mine", { ...kept("awrlens-mine"), [sent.id]: sent.delete_key });
    bar.removeAttribute("value");
    state.textContent = "being analyzed";
    const found = await watched(sent.id, options.password);
    bar.remove();
    const link = made("a", found.name, { href: sent.url });
    title.replaceChildren(link);
    if (found.status === "failed") {
      state.textContent = found.reason;
      return sent.url;
    }
    const first = found.reports.find((each) => !each.reason);
    item.className = first.severity;
    state.textContent = found.reports.length > 1 ? `${found.reports.length} reports` : first.headline;
    const links = made("div", "", { class: "row small" });
    links.append(made("a", "Open the analysis", { href: sent.url }), made("a", "Share, delete", { href: `${sent.url}/manage` }));
    if (sent.names.length) saveNames(links, sent, found.name);
    item.append(links);
    for (const reason of sent.dropped) item.append(made("span", `Not stored: ${reason}`, { class: "small" }));
    return sent.url;
  } catch (problem) {
    bar.remove();
    item.className = "critical";
    state.textContent = problem.message;
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
    button.disabled = true;
    try {
      for (const file of list) await upload(file, file.name || "pasted.txt", options); // one after the other
    } finally {
      button.disabled = false;
    }
  }
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const list = [...files.files];
    if (text.value.trim()) list.push(new File([text.value], "pasted.txt"));
    if (list.length) all(list).then(() => { form.reset(); });
    else files.focus();
  });
  for (const name of ["dragenter", "dragover"]) drop.addEventListener(name, (event) => { event.preventDefault(); drop.classList.add("over"); });
  for (const name of ["dragleave", "drop"]) drop.addEventListener(name, () => drop.classList.remove("over"));
  drop.addEventListener("drop", (event) => { event.preventDefault(); all([...event.dataTransfer.files]); });
}

const form = document.getElementById("upload");
if (form) prepare(form);

// the delete key of an upload of this browser
const removal = document.querySelector("form[data-id]");
const key = document.getElementById("key");
if (removal && key) key.value = (kept("awrlens-mine") || {})[removal.dataset.id] || "";
removal?.addEventListener("submit", () => {
  const mine = kept("awrlens-mine") || {};
  delete mine[removal.dataset.id];
  kept("awrlens-mine", mine);
});
