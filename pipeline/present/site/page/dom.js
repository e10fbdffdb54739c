// Elements without markup in strings: texts of sources may hold anything, so every text goes in as text.
(function (t) {
  "use strict";
  const properties = new Set(["className", "hidden", "tabIndex", "type", "value", "checked", "disabled", "id", "href", "title", "open"]);

  // make("a", {href, className, "aria-label": …, onclick}, child, "text", …); null children are left out.
  t.make = function (tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (value === undefined || value === null) continue;
      if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else if (properties.has(name)) element[name] = value;
      else element.setAttribute(name, value);
    }
    element.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
    return element;
  };

  t.find = (id) => document.getElementById(id);

  // Where a reference of a source leads, or null: only web addresses become links.
  t.address = function (reference) {
    const text = String(reference || "");
    if (/^https?:\/\//i.test(text)) return text;
    if (/^arxiv:/i.test(text)) return `https://arxiv.org/abs/${encodeURI(text.slice(6))}`;
    if (/^doi:/i.test(text)) return `https://doi.org/${encodeURI(text.slice(4))}`;
    return null;
  };

  t.link = function (text, reference) {
    const address = t.address(reference);
    return address ? t.make("a", { href: address, rel: "noopener noreferrer", target: "_blank" }, text) : document.createTextNode(text);
  };

  t.toast = function (text) {
    const box = t.find("toast");
    box.textContent = text;
    box.classList.add("shown");
    clearTimeout(t.toast.timer);
    t.toast.timer = setTimeout(() => box.classList.remove("shown"), 2500);
  };

  // Runs work and keeps how long it took where tests and the benchmark find it.
  t.timed = function (name, work) {
    const start = performance.now();
    const result = work();
    const measure = performance.measure(`traincompute ${name}`, { start, end: performance.now() });
    (window.traincomputeTimings[name] ||= []).push(measure.duration);
    return result;
  };
})(window.traincompute);
