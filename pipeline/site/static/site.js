// What every page has: light or dark, and buttons that copy. It runs in the head, so that nothing flashes; without it the
// pages lack nothing but these.
"use strict";
(() => {
  const KEY = "traincompute-theme";
  const THEMES = ["auto", "light", "dark"];
  const root = document.documentElement;
  const traincompute = (window.traincompute ??= {});

  const stored = () => {
    try {
      return localStorage.getItem(KEY) || "auto";
    } catch {
      return "auto"; // some browsers refuse storage to pages from disk
    }
  };

  function setTheme(theme) {
    if (theme === "auto") delete root.dataset.theme;
    else root.dataset.theme = theme;
    try {
      localStorage.setItem(KEY, theme);
    } catch {
      // kept for this visit
    }
    document.dispatchEvent(new CustomEvent("traincompute-theme", { detail: theme }));
  }

  function buildThemeButton() {
    const button = Object.assign(document.createElement("button"), { type: "button", id: "theme" });
    const show = () => {
      button.textContent = `Theme: ${root.dataset.theme || "auto"}`;
    };
    button.addEventListener("click", () => {
      const now = THEMES.indexOf(root.dataset.theme || "auto");
      setTheme(THEMES[(now + 1) % THEMES.length]);
      show();
    });
    document.querySelector("body > header").append(button);
    show();
  }

  /** Copies a text. Resolves to whether it was copied: pages without https may not. */
  traincompute.copy = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      return false;
    }
  };

  function buildCopyButtons() {
    for (const code of document.querySelectorAll("[data-copy]")) {
      const button = Object.assign(document.createElement("button"), { type: "button", textContent: "Copy" });
      button.addEventListener("click", async () => {
        button.textContent = (await traincompute.copy(code.textContent)) ? "Copied" : "Select it and copy";
      });
      code.after(" ", button);
    }
  }

  if (["light", "dark"].includes(stored())) root.dataset.theme = stored();
  document.addEventListener("DOMContentLoaded", () => {
    buildThemeButton();
    buildCopyButtons();
  });
})();
