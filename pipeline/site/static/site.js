// What every page has: light or dark, and no header in a frame of the explorer. It runs in the head, so that nothing
// flashes; without it the pages lack nothing but these.
"use strict";
(() => {
  const KEY = "traincompute-theme";
  const THEMES = ["auto", "light", "dark"];
  const root = document.documentElement;
  /** The theme that was chosen; stores another one. Some browsers refuse storage to pages from disk. */
  function stored(theme) {
    try {
      if (theme) localStorage.setItem(KEY, theme);
      return localStorage.getItem(KEY);
    } catch {
      return theme;
    }
  }

  function buildThemeButton() {
    const button = Object.assign(document.createElement("button"), { type: "button", id: "theme" });
    const show = () => { button.textContent = `Theme: ${root.dataset.theme}`; };
    button.onclick = () => {
      root.dataset.theme = THEMES[(THEMES.indexOf(root.dataset.theme) + 1) % THEMES.length];
      stored(root.dataset.theme);
      show();
    };
    document.querySelector("body > header").append(button);
    show();
  }

  root.dataset.theme = stored() ?? "auto";
  if (window.parent !== window) {
    root.dataset.framed = "";
    document.head.append(Object.assign(document.createElement("base"), { target: "_top" }));
  }
  document.addEventListener("DOMContentLoaded", buildThemeButton);
})();
