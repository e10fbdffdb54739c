// What every page has: light or dark, and no header in a frame of the explorer. It runs in the head, so that nothing
// flashes; without it the pages lack nothing but these.
"use strict";
(() => {
  const KEY = "traincompute-theme";
  const THEMES = ["auto", "light", "dark"];
  const root = document.documentElement;
  let theme = "auto";
  try {
    theme = localStorage.getItem(KEY) ?? "auto";
  } catch {
    // some browsers refuse storage to pages from disk: the theme is kept for this visit
  }
  root.dataset.theme = theme;

  function buildThemeButton() {
    const button = Object.assign(document.createElement("button"), { type: "button", id: "theme" });
    const show = () => { button.textContent = `Theme: ${root.dataset.theme}`; };
    button.onclick = () => {
      root.dataset.theme = THEMES[(THEMES.indexOf(root.dataset.theme) + 1) % THEMES.length];
      show();
      try {
        localStorage.setItem(KEY, root.dataset.theme);
      } catch {
        // as above
      }
    };
    document.querySelector("body > header").append(button);
    show();
  }

  if (window.parent !== window) {
    root.dataset.framed = "";
    document.head.append(Object.assign(document.createElement("base"), { target: "_top" }));
  }
  document.addEventListener("DOMContentLoaded", buildThemeButton);
})();
