// What every page has: light or dark, copy buttons, and a dialog that shows the top of another page. It runs in the head,
// so that nothing flashes; without it the pages lack nothing but these.
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
    const button = document.getElementById("theme");
    if (!button) return;
    const show = () => {
      button.textContent = `Theme: ${root.dataset.theme || "auto"}`;
    };
    button.addEventListener("click", () => {
      const now = THEMES.indexOf(root.dataset.theme || "auto");
      setTheme(THEMES[(now + 1) % THEMES.length]);
      show();
    });
    button.hidden = false;
    show();
  }

  /** Copies a text, with a way that works on pages from disk. Resolves to whether it was copied. */
  traincompute.copy = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      const box = Object.assign(document.createElement("textarea"), { value: text });
      document.body.append(box);
      box.select();
      const done = document.execCommand("copy");
      box.remove();
      return done;
    }
  };

  function buildCopyButtons() {
    for (const button of document.querySelectorAll("[data-copy]")) {
      button.hidden = false;
      button.addEventListener("click", async () => {
        const text = document.getElementById(button.dataset.copy).textContent.trim();
        button.textContent = (await traincompute.copy(text)) ? "Copied" : "Select it and copy";
      });
    }
  }

  /** Shows the top of a page of the site, such as model/gpt-4.html, over this one. `closed` is called at the end. */
  traincompute.openPage = (path, title, closed = () => {}) => {
    const dialog = Object.assign(document.createElement("dialog"), { className: "page-dialog" });
    const frame = Object.assign(document.createElement("iframe"), { src: path, title });
    const close = Object.assign(document.createElement("button"), { type: "button", textContent: "×" });
    const whole = Object.assign(document.createElement("a"), { href: path, textContent: "Whole page" });
    dialog.setAttribute("aria-label", title);
    close.setAttribute("aria-label", "Close");
    close.addEventListener("click", () => dialog.close());
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
    dialog.addEventListener("close", () => {
      dialog.remove();
      closed();
    });
    dialog.append(whole, close, frame);
    document.body.append(dialog);
    dialog.showModal(); // the browser gives the focus back to what had it
    return dialog;
  };

  function openInDialog(event) {
    const link = event.target.closest?.("a[data-dialog]");
    if (!link || event.metaKey || event.ctrlKey || event.shiftKey || event.button) return;
    event.preventDefault();
    traincompute.openPage(link.getAttribute("href"), link.textContent);
  }

  if (["light", "dark"].includes(stored())) root.dataset.theme = stored();
  if (window.top !== window) {
    root.dataset.framed = ""; // in the dialog: no header, and only the top of the page
    document.head.append(Object.assign(document.createElement("base"), { target: "_top" }));
  }
  document.addEventListener("click", openInDialog);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && window.top !== window) window.parent.postMessage("traincompute-close", "*");
  });
  window.addEventListener("message", (event) => {
    if (event.data === "traincompute-close") document.querySelector(".page-dialog")?.close();
  });
  document.addEventListener("DOMContentLoaded", () => {
    buildThemeButton();
    buildCopyButtons();
  });
})();
