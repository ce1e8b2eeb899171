"use strict";
const root = document.documentElement;
// A page in a file may have no local storage.
const remembered = (theme) => {
  try { return theme ? localStorage.setItem("awrlens-theme", theme) : localStorage.getItem("awrlens-theme"); }
  catch { return null; }
};
if (["light", "dark"].includes(remembered())) root.dataset.theme = remembered();
document.getElementById("theme").addEventListener("click", () => {
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  remembered(root.dataset.theme);
});
