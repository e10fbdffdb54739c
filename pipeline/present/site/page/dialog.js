// The panel of one model over the explorer: what `traincompute explain` shows.
import { cellOf, loadModel } from "./dataset.js";
import { find, make } from "./dom.js";
import { loadLikely } from "./likely.js";
import { modelAbout, modelCards, modelFoot, modelSections, modelTags, pageOf } from "./model.js";

/** @type {() => void} */
let closed;
let shown = -1;
/** @type {HTMLElement | null} */
let before = null;

/** @param {() => void} whenClosed */
export function buildModel(whenClosed) {
  closed = whenClosed;
  const dialog = find("model");
  dialog.addEventListener("close", () => {
    shown = -1;
    closed();
    if (before?.isConnected) before.focus({ preventScroll: true });
  });
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
}

/** Opens the model of a row, or closes the page for null. @param {Row | null} row */
export async function showModel(row) {
  const dialog = find("model");
  if (row === null) {
    if (dialog.open) dialog.close();
    return;
  }
  if (row === shown && dialog.open) return;
  shown = row;
  const start = performance.now();
  const waiting = make("p", { className: "muted", role: "status" }, "Reading the claims …");
  find("model-page").replaceChildren(...heading(row), waiting);
  dialog.setAttribute("aria-labelledby", "model-name");
  if (!dialog.open) {
    before = /** @type {HTMLElement | null} */ (document.activeElement);
    dialog.showModal();
  }
  dialog.scrollTop = 0;
  find("model-close").focus();
  try {
    const [known] = await Promise.all([loadModel(row), loadLikely()]);
    if (shown !== row) return;
    waiting.replaceWith(...body(row, known));
    (window.traincomputeTimings.model ||= []).push(performance.now() - start);
  } catch (error) {
    waiting.textContent = String(error instanceof Error ? error.message : error);
  }
}

/** @param {Row} row */
function heading(row) {
  const id = cellOf("model_id", row);
  return [
    make("div", { className: "model-head" },
      make("div", {}, make("h2", { id: "model-name" }, cellOf("name", row)), modelAbout(row)),
      make("a", { href: pageOf("model", id), className: "page-link" }, "Full page"),
      make("button", { type: "button", id: "model-close", "aria-label": "Close", onclick: () => find("model").close() },
        "×")),
    modelTags(row),
  ];
}

/** @param {Row} row @param {Known} known */
const body = (row,
  known) => [modelCards(row),
  ...modelSections(row, known, "h4").flatMap(([title, content]) => [make("h3", {}, title), content]), modelFoot(row)];
