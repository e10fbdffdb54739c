// The panel of one model over the explorer: what `traincompute explain` shows.
(function (t) {
  "use strict";
  const { make, find } = t;
  let closed;
  let shown = -1;
  let before = null;

  t.buildModel = function (whenClosed) {
    closed = whenClosed;
    const dialog = find("model");
    dialog.addEventListener("close", () => {
      shown = -1;
      closed();
      if (before && before.isConnected) before.focus({ preventScroll: true });
    });
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  };

  // Opens the model of a row, or closes the page for null.
  t.showModel = async function (row) {
    const dialog = find("model");
    if (row === null) {
      if (dialog.open) dialog.close();
      return;
    }
    if (row === shown && dialog.open) return;
    shown = row;
    const start = performance.now();
    find("model-page").replaceChildren(...heading(row), make("p", { className: "muted", role: "status" }, "Reading the claims …"));
    dialog.setAttribute("aria-labelledby", "model-name");
    if (!dialog.open) {
      before = document.activeElement;
      dialog.showModal();
    }
    dialog.scrollTop = 0;
    find("model-close").focus();
    try {
      const known = await t.loadModel(row);
      if (shown !== row) return;
      find("model-page").lastChild.remove();
      find("model-page").append(...body(row, known));
      (window.traincomputeTimings.model ||= []).push(performance.now() - start);
    } catch (error) {
      find("model-page").lastChild.textContent = `${error.message}; is the folder complete?`;
    }
  };

  function heading(row) {
    const id = t.cell(t.column.model_id, row);
    return [
      make("div", { className: "model-head" },
        make("div", {}, make("h2", { id: "model-name" }, t.cell(t.column.name, row)), t.modelAbout(row)),
        make("a", { href: t.pageOf("model", id), className: "page-link" }, "Full page"),
        make("button", { type: "button", id: "model-close", "aria-label": "Close", onclick: () => find("model").close() }, "×")),
      t.modelTags(row),
      t.modelCards(row),
    ];
  }

  const body = (row, known) => [...t.modelSections(row, known, "h4").flatMap(([title, content]) => [make("h3", {}, title), content]), t.modelFoot(row)];
})(window.traincompute);
