// What every page has: the choice of light or dark. It runs in the head, so that nothing flashes.
"use strict";
(() => {
  const root = document.documentElement;
  const stored = () => {
    try {
      return localStorage.getItem("traincompute-theme") || "";
    } catch {
      return ""; // some browsers refuse storage to pages from disk
    }
  };
  if (["light", "dark"].includes(stored())) root.dataset.theme = stored();
})();
