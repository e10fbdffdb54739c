// A drawing context that writes SVG: as much of a canvas as the chart uses.
(function (t) {
  "use strict";
  const escaped = (text) => String(text).replace(/[&<>"]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[sign]);
  const short = (number) => String(Math.round(number * 100) / 100);
  const anchors = { left: "start", center: "middle", right: "end" };
  const shifts = { top: 0.8, middle: 0.35, bottom: -0.2, alphabetic: 0 }; // of the size of the letters

  class Path {
    constructor() { this.d = ""; }
    moveTo(x, y) { this.d += `M${short(x)} ${short(y)}`; }
    lineTo(x, y) { this.d += `L${short(x)} ${short(y)}`; }
    rect(x, y, w, h) { this.d += `M${short(x)} ${short(y)}h${short(w)}v${short(h)}h${short(-w)}Z`; }
    arc(x, y, r) { this.d += `M${short(x - r)} ${short(y)}a${short(r)} ${short(r)} 0 1 0 ${short(2 * r)} 0a${short(r)} ${short(r)} 0 1 0 ${short(-2 * r)} 0Z`; }
    closePath() { this.d += "Z"; }
  }

  // The context; done() gives the document.
  t.svgContext = function (width, height, ground) {
    const ruler = document.createElement("canvas").getContext("2d");
    const path = new Path();
    const parts = [];
    let [clips, open, dash, shift] = [0, [], "", ""];
    const base = { font: "12px sans-serif", fillStyle: "#000", strokeStyle: "#000", lineWidth: 1, globalAlpha: 1, textAlign: "left", textBaseline: "alphabetic" };
    const fade = (it) => (it.globalAlpha < 1 ? ` opacity="${it.globalAlpha}"` : "");
    const put = (it, shape, paint) => parts.push(`<path d="${shape.d}"${shift} ${paint}${fade(it)}/>`);
    const write = (it, text, x, y, paint) => {
      const size = Number(/([\d.]+)px/.exec(it.font)[1]);
      const weight = /^(\d{3}) /.exec(it.font);
      parts.push(`<text x="${short(x)}" y="${short(y + shifts[it.textBaseline] * size)}" font-size="${size}"${weight ? ` font-weight="${weight[1]}"` : ""} text-anchor="${anchors[it.textAlign]}" ${paint}${fade(it)}>${escaped(text)}</text>`);
    };
    return Object.assign(base, {
      newPath: () => new Path(),
      beginPath() { path.d = ""; },
      moveTo: (x, y) => path.moveTo(x, y), lineTo: (x, y) => path.lineTo(x, y), closePath: () => path.closePath(),
      rect: (x, y, w, h) => path.rect(x, y, w, h), arc: (x, y, r) => path.arc(x, y, r),
      fill(shape = path) { put(this, shape, `fill="${this.fillStyle}"`); },
      stroke(shape = path) { put(this, shape, `fill="none" stroke="${this.strokeStyle}" stroke-width="${this.lineWidth}"${dash}`); },
      fillRect(x, y, w, h) { parts.push(`<rect x="${short(x)}" y="${short(y)}" width="${short(w)}" height="${short(h)}" fill="${this.fillStyle}"/>`); },
      setLineDash(lengths) { dash = lengths.length ? ` stroke-dasharray="${lengths.join(" ")}"` : ""; },
      setTransform(a, b, c, d, e, f) { shift = e || f ? ` transform="translate(${short(e)} ${short(f)})"` : ""; },
      save() { open.push(0); },
      restore() { parts.push("</g>".repeat(open.pop())); },
      clip() {
        clips += 1;
        parts.push(`<clipPath id="clip${clips}"><path d="${path.d}"/></clipPath><g clip-path="url(#clip${clips})">`);
        open[open.length - 1] += 1;
      },
      measureText(text) { ruler.font = this.font; return ruler.measureText(text); },
      fillText(text, x, y) { write(this, text, x, y, `fill="${this.fillStyle}"`); },
      strokeText(text, x, y) { write(this, text, x, y, `fill="none" stroke="${this.strokeStyle}" stroke-width="${this.lineWidth}" stroke-linejoin="round"`); },
      done: () => `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="system-ui, 'Liberation Sans', Arial, sans-serif"><rect width="100%" height="100%" fill="${ground}"/>${parts.join("")}</svg>\n`,
    });
  };
})(window.traincompute);
