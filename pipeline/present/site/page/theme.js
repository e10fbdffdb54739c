// Light, dark or as the system has it; remembered where the browser lets a page remember. Loaded first, so that nothing flashes.
window.traincompute = {};
window.traincomputeTimings = {};
(function (t) {
  "use strict";
  const root = document.documentElement;
  const order = ["auto", "light", "dark"];

  function remembered() {
    try {
      return localStorage.getItem("traincompute-theme") || "auto";
    } catch (error) {
      return "auto"; // some browsers refuse storage to pages from disk
    }
  }

  t.theme = order.includes(remembered()) ? remembered() : "auto";

  t.setTheme = function (theme) {
    t.theme = theme;
    if (theme === "auto") delete root.dataset.theme;
    else root.dataset.theme = theme;
    try {
      localStorage.setItem("traincompute-theme", theme);
    } catch (error) {
      return; // kept for this visit
    }
  };

  t.nextTheme = () => t.setTheme(order[(order.indexOf(t.theme) + 1) % order.length]);

  t.setTheme(t.theme);
})(window.traincompute);
