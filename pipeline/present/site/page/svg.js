// A drawing context that writes SVG: as much of a canvas as the chart uses.

const signs = { "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;" };
const anchors = { left: "start", center: "middle", right: "end", start: "start", end: "end" };
/** Where the base of a line of words lies below its place, in sizes of the letters. @type {Record<string, number>} */
const shifts = { top: 0.8, middle: 0.35, bottom: -0.2, alphabetic: 0 };

/** Numbers with two decimals, with blanks between. @param {number[]} numbers */
const short = (...numbers) => numbers.map((number) => Math.round(number * 100) / 100).join(" ");

/** @param {string} text */
const escaped = (text) => text.replace(/[&<>"]/g, (sign) => signs[/** @type {keyof typeof signs} */ (sign)]);

/** An element with its attributes; those of no value are left out.
 * @param {string} tag @param {object} attributes @param {string} content */
const element = (tag, attributes, content = "") =>
  `<${tag}${
    Object.entries(attributes).map(([name, value]) => value === undefined ? "" : ` ${name}="${escaped(String(value))}"`)
      .join("")
  }>${content}</${tag}>`;

class Path {
  d = "";

  /** @param {number} x @param {number} y */
  moveTo(x, y) {
    this.d += `M${short(x, y)}`;
  }

  /** @param {number} x @param {number} y */
  lineTo(x, y) {
    this.d += `L${short(x, y)}`;
  }

  /** @param {number} x @param {number} y @param {number} width @param {number} height */
  rect(x, y, width, height) {
    this.d += `M${short(x, y)}h${short(width)}v${short(height)}h${short(-width)}Z`;
  }

  /** A whole circle. @param {number} x @param {number} y @param {number} r */
  arc(x, y, r) {
    this.d += `M${short(x - r, y)}a${short(r, r)} 0 1 0 ${short(2 * r, 0)}a${short(r, r)} 0 1 0 ${short(-2 * r, 0)}Z`;
  }

  closePath() {
    this.d += "Z";
  }
}

class SvgContext extends Path {
  font = "12px sans-serif";
  fillStyle = "#000";
  strokeStyle = "#000";
  lineWidth = 1;
  lineJoin = "round";
  globalAlpha = 1;
  /** @type {keyof typeof anchors} */
  textAlign = "left";
  textBaseline = "alphabetic";
  #ruler = /** @type {CanvasRenderingContext2D} */ (document.createElement("canvas").getContext("2d"));
  /** @type {string[]} */
  #parts = [];
  /** How many groups each save() has opened. @type {number[]} */
  #open = [];
  #clips = 0;
  /** @type {Record<string, string | undefined>} */
  #moved = {};
  /** @type {Record<string, string | undefined>} */
  #dash = {};

  newPath() {
    return new Path();
  }

  beginPath() {
    this.d = "";
  }

  fill(shape = /** @type {Path} */ (this)) {
    this.#put("path", { d: shape.d, ...this.#moved, fill: this.fillStyle });
  }

  stroke(shape = /** @type {Path} */ (this)) {
    this.#put("path", { d: shape.d, ...this.#moved, fill: "none", ...this.#pen(), ...this.#dash });
  }

  /** @param {number} x @param {number} y @param {number} width @param {number} height */
  fillRect(x, y, width, height) {
    this.#put("rect", { x: short(x), y: short(y), width: short(width), height: short(height), fill: this.fillStyle });
  }

  /** @param {string} text @param {number} x @param {number} y */
  fillText(text, x, y) {
    this.#write(text, x, y, { fill: this.fillStyle });
  }

  /** @param {string} text @param {number} x @param {number} y */
  strokeText(text, x, y) {
    this.#write(text, x, y, { fill: "none", ...this.#pen(), "stroke-linejoin": "round" });
  }

  /** @param {string} text */
  measureText(text) {
    this.#ruler.font = this.font;
    return this.#ruler.measureText(text);
  }

  /** @param {number[]} lengths */
  setLineDash(lengths) {
    this.#dash = { "stroke-dasharray": lengths.length ? lengths.join(" ") : undefined };
  }

  /** Only the place: the last two numbers. @param {number[]} matrix */
  setTransform(...matrix) {
    const place = matrix.slice(4);
    this.#moved = { transform: place.some(Boolean) ? `translate(${short(...place)})` : undefined };
  }

  save() {
    this.#open.push(0);
  }

  restore() {
    this.#parts.push("</g>".repeat(this.#open.pop() ?? 0));
  }

  clip() {
    this.#clips += 1;
    const id = `clip${this.#clips}`;
    this.#parts.push(element("clipPath", { id }, element("path", { d: this.d })), `<g clip-path="url(#${id})">`);
    this.#open.push((this.#open.pop() ?? 0) + 1);
  }

  /** The document. @param {number} width @param {number} height @param {string} ground */
  done(width, height, ground) {
    const box = { width, height, viewBox: `0 0 ${width} ${height}` };
    const family = { xmlns: "http://www.w3.org/2000/svg",
      "font-family": "system-ui, 'Liberation Sans', Arial, sans-serif" };
    const paper = element("rect", { width: "100%", height: "100%", fill: ground });
    return `${element("svg", { ...family, ...box }, paper + this.#parts.join(""))}\n`;
  }

  #pen() {
    return { stroke: this.strokeStyle, "stroke-width": this.lineWidth };
  }

  /** @param {string} tag @param {object} attributes @param {string} [content] */
  #put(tag, attributes, content) {
    const opacity = this.globalAlpha < 1 ? this.globalAlpha : undefined;
    this.#parts.push(element(tag, { ...attributes, opacity }, content));
  }

  /** @param {string} text @param {number} x @param {number} y @param {object} paint */
  #write(text, x, y, paint) {
    const size = Number(/([\d.]+)px/.exec(this.font)?.[1]);
    const weight = /^(\d{3}) /.exec(this.font)?.[1];
    const place = { x: short(x), y: short(y + shifts[this.textBaseline] * size) };
    const letters = { "font-size": size, "font-weight": weight, "text-anchor": anchors[this.textAlign] };
    this.#put("text", { ...place, ...letters, ...paint }, escaped(text));
  }
}

export const svgContext = () => new SvgContext();
