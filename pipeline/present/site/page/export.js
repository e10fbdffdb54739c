// The view to take along: picture, data, frame for another page, citation.
(function (t) {
  "use strict";
  const { chart } = t;
  const DPI = 300;
  const FOOT = 22; // pixels of a line below the chart

  // Paints the chart with its legend, and what it shows and where it is from below it. Gives the height.
  function paint(context, width, height, ratio) {
    t.paintChart(context, width, height, ratio);
    const { ink } = chart;
    let [x, y] = [12, height + 10];
    context.font = ink.small;
    context.textBaseline = "middle";
    context.textAlign = "left";
    for (const item of [...chart.legend, ...chart.words]) {
      const wide = context.measureText(item.text).width + 34;
      if (x + wide > width) [x, y] = [12, y + FOOT];
      if (item.group !== undefined) t.drawPoints(context, [{ px: x + 6, py: y, group: item.group, hollow: item.hollow }], { radius: 5, surface: ink.surface, dark: t.isDark(), alpha: 1, ratio });
      context.fillStyle = ink.ink;
      context.fillText(item.text, x + 16, y);
      x += wide;
    }
    context.fillStyle = ink.muted;
    context.fillText(sourceLine(), 12, y + FOOT);
    return y + 2 * FOOT;
  }

  const sourceLine = () => `${credit()} · ${t.many(chart.visible.length, "model")}${t.state().asof ? `, as of ${t.state().asof}` : ""}`;
  const credit = () => `traincompute, ${/^\d/.test(t.about.version) ? "version " : ""}${t.about.version}, ${t.about.licence}, with data of Epoch AI`;

  // The chart as an SVG document.
  t.chartSvg = function () {
    const { width, height } = chart;
    const tall = paint(t.svgContext(width, height, chart.ink.surface), width, height, 1);
    const context = t.svgContext(width, tall, chart.ink.surface);
    paint(context, width, height, 1);
    t.drawChart();
    return context.done();
  };

  // The chart as a PNG with 300 dots to the inch of 96 pixels.
  t.chartPng = function () {
    const { width, height } = chart;
    const ratio = DPI / 96;
    const tall = paint(t.svgContext(width, height, chart.ink.surface), width, height, 1);
    const canvas = document.createElement("canvas");
    Object.assign(canvas, { width: Math.round(width * ratio), height: Math.round(tall * ratio) });
    const context = canvas.getContext("2d");
    context.scale(ratio, ratio);
    context.fillStyle = chart.ink.surface;
    context.fillRect(0, 0, width, tall);
    paint(context, width, height, ratio);
    t.drawChart();
    return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  };

  // Version, licence and query, as lines of a file that begin with #.
  t.fileHead = function (sql) {
    const query = location.hash.slice(1) && t.writeState(t.state());
    return [`# ${credit()}`, `# view: ${query || "the first view"}`, `# query: ${sql}`].map((line) => line.replace(/[\r\n]+/g, " ")).join("\n");
  };

  // The data behind the chart: the models in view with what their points show.
  t.chartCsv = function () {
    const state = t.state();
    const { x, y } = chart.scales;
    const names = ["model_id", "name", x.axis.column, y.axis.column, y.axis.low, y.axis.high, y.axis.source, t.colourColumn(state), state.size];
    const columns = [...new Set(names)].map((name) => t.column[name]).filter(Boolean);
    const rows = chart.visible.map((point) => point.row).sort((a, b) => a - b);
    return t.csv(rows, columns, t.sqlOf(state, rows, columns.map((column) => column.name).join(", ")));
  };

  // The address of this view with nothing but the chart.
  t.embedAddress = () => `${location.href.split("#")[0]}#${t.writeState({ ...t.state(), embed: true, model: "" })}`;

  t.embedCode = function () {
    const address = t.embedAddress().replaceAll("&", "&amp;").replaceAll('"', "&quot;");
    return `<iframe src="${address}" title="traincompute" width="100%" height="520" loading="lazy" style="border:0"></iframe>`;
  };

  t.copy = async function (text, done) {
    try {
      await navigator.clipboard.writeText(text);
      t.toast(done);
    } catch (error) {
      const box = t.find("copy-text"); // pages from disk may not write to the clipboard
      box.value = text;
      t.find("copy-box").hidden = false;
      box.select();
    }
  };
})(window.traincompute);
