// Light, dark or as the system has it; remembered where the browser lets a page remember. Loaded first, so that nothing
// flashes.
window.traincomputeTimings = {};

const root = document.documentElement;
const order = ["auto", "light", "dark"];

function remembered() {
  try {
    return localStorage.getItem("traincompute-theme") || "auto";
  } catch {
    return "auto"; // some browsers refuse storage to pages from disk
  }
}

let chosen = order.includes(remembered()) ? remembered() : "auto";

export const themeName = () => chosen;

/** @param {string} theme */
export function setTheme(theme) {
  chosen = theme;
  if (theme === "auto") delete root.dataset.theme;
  else root.dataset.theme = theme;
  try {
    localStorage.setItem("traincompute-theme", theme);
  } catch {
    return; // kept for this visit
  }
}

export const nextTheme = () => setTheme(order[(order.indexOf(chosen) + 1) % order.length]);

setTheme(chosen);
