// What axe calls serious, checked on the page as it stands: returns a list of sentences, empty where nothing is wrong.
// The argument of the script is a selector of the part to look at.
const root = document.querySelector(arguments[0]);
const faults = [];
const say = (element, what) => faults.push(`${element.tagName.toLowerCase()}${element.id ? `#${element.id}` : ""} "${(element.textContent || "").trim().slice(0, 40)}": ${what}`);
const visible = (e) => e.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && e.getClientRects().length > 0;
const all = (selector) => [...root.querySelectorAll(selector)].filter(visible);

if (!document.documentElement.lang) say(document.documentElement, "no lang");
if (!document.title) say(document.documentElement, "no title");
if (document.querySelectorAll("main").length !== 1) say(document.body, "needs one main");
if (document.querySelectorAll("h1").length !== 1) say(document.body, "needs one h1");

const ids = new Map();
for (const e of document.querySelectorAll("[id]")) ids.set(e.id, (ids.get(e.id) || 0) + 1);
for (const [id, times] of ids) if (times > 1) faults.push(`id ${id} stands ${times} times`);
for (const name of ["aria-labelledby", "aria-describedby", "aria-controls", "for"]) {
  for (const e of document.querySelectorAll(`[${name}]`)) for (const id of e.getAttribute(name).split(/\s+/)) if (!document.getElementById(id)) say(e, `${name} names ${id}, which is not there`);
}

const nameOf = (e) => {
  const by = (e.getAttribute("aria-labelledby") || "").split(/\s+/).filter(Boolean).map((id) => document.getElementById(id)?.textContent || "").join(" ");
  const labels = e.labels ? [...e.labels].map((label) => label.textContent).join(" ") : "";
  const own = e.matches("input, select, textarea") ? "" : e.textContent;
  return (by || e.getAttribute("aria-label") || labels || own || "").trim();
};
for (const e of all("button, a[href], input, select, textarea, summary, [tabindex='0'], dialog, table, [role='region'], [role='application']")) {
  if (e.matches("table") && e.caption) continue;
  if (e.matches("#table-box")) continue;
  if (!nameOf(e)) say(e, "has no name");
}
for (const e of all("fieldset")) if (!e.querySelector(":scope > legend")?.textContent.trim()) say(e, "has no legend");
for (const e of all("button button, button a, a button, a a, label label, summary button, summary a")) say(e, "stands inside another control");
for (const e of all("img")) if (!e.hasAttribute("alt")) say(e, "has no alt");
for (const e of all("canvas")) if (e.getAttribute("aria-hidden") !== "true" && !nameOf(e)) say(e, "has no name and is not hidden");
for (const e of root.querySelectorAll("[aria-hidden='true'] :is(a, button, input, [tabindex='0'])")) if (visible(e)) say(e, "takes the focus though it is hidden");
for (const e of all("[tabindex]")) if (e.tabIndex > 0) say(e, "puts itself before others in the order of Tab");

const roles = new Set(["application", "alert", "status", "search", "group", "region", "dialog", "navigation", "list", "listbox", "option", "img"]);
for (const e of document.querySelectorAll("[role]")) if (!roles.has(e.getAttribute("role"))) say(e, `role ${e.getAttribute("role")} is not known here`);
// HTML knows what the first cell of a row, and a row of headings alone, are the heads of
for (const e of all("th")) if (!["col", "row"].includes(e.scope) && e.cellIndex > 0 && e.parentElement.querySelector("td")) say(e, "th without scope");
for (const e of all("ul, ol")) for (const child of e.children) if (child.tagName !== "LI") say(e, "holds what is no li");
for (const e of all("dl > div")) if (!e.querySelector("dt") || !e.querySelector("dd")) say(e, "needs dt and dd");

let level = root.matches("dialog") ? 1 : 0;
for (const e of all("h1, h2, h3, h4, h5, h6").filter((e) => root.matches("dialog") || !e.closest("dialog"))) {
  const now = Number(e.tagName[1]);
  if (now > level + 1) say(e, `h${now} follows h${level}`);
  level = now;
}

for (const e of all("*")) {
  const style = getComputedStyle(e);
  const scrolls = /auto|scroll/.test(style.overflowY + style.overflowX) && (e.scrollHeight > e.clientHeight + 1 || e.scrollWidth > e.clientWidth + 1);
  if (scrolls && e.tabIndex < 0 && !e.querySelector("a[href], button, input, select, summary, [tabindex='0']")) say(e, "scrolls and cannot be reached by keyboard");
}

const box = (e) => (e.closest("label") && e.matches("[type=checkbox], [type=radio]") ? e.closest("label") : e).getBoundingClientRect();
for (const e of all("button, input, select, summary").filter((e) => !e.matches(".fields summary"))) {
  if (box(e).height < 23.5 || box(e).width < 23.5) say(e, `is ${Math.round(box(e).width)} × ${Math.round(box(e).height)} pixels, less than 24`);
}

const parse = (text) => {
  const [r, g, b, a = 1] = text.match(/[\d.]+/g).map(Number);
  return [r, g, b, a];
};
const over = ([r, g, b, a], [R, G, B]) => [r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a), 1];
function behind(e) {
  const layers = [];
  for (let at = e; at; at = at.parentElement) {
    const colour = parse(getComputedStyle(at).backgroundColor);
    layers.push(colour);
    if (colour[3] === 1 || at.matches("dialog")) break;
    if (at.matches(".segments input:checked + span")) break;
  }
  return layers.reverse().reduce((under, colour) => over(colour, under), [255, 255, 255, 1]);
}
const light = (c) => {
  const [r, g, b] = c.slice(0, 3).map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
let texts = 0;
while (walker.nextNode()) {
  const e = walker.currentNode.parentElement;
  if (!walker.currentNode.textContent.trim() || !visible(e) || e.matches("script, style, option, noscript") || e.closest(".sr-only, .skip")) continue;
  texts += 1;
  const style = getComputedStyle(e);
  const under = behind(e);
  const [a, b] = [light(over(parse(style.color), under)), light(under)];
  const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  const size = parseFloat(style.fontSize);
  const needed = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) ? 3 : 4.5;
  if (contrast < needed) say(e, `contrast ${contrast.toFixed(2)}, less than ${needed}`);
}
return { faults, texts };
