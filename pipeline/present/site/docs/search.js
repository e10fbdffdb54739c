// The search box of the docs: every word must stand in a section; sections with a word in the heading come first.
(function (t) {
  "use strict";
  const MOST = 12, AROUND = 60;
  const form = document.getElementById("search");
  const box = form.querySelector("input");
  const list = document.getElementById("found");
  const said = document.getElementById("found-said");
  let sections = null;

  t.receiveSearch = (entries) => {
    sections = entries.map(([page, title, anchor, heading, text]) => ({
      page, title, anchor, heading, text,
      high: `${title} ${heading}`.toLowerCase(), low: text.toLowerCase(),
    }));
    show();
  };

  const load = () => {
    if (document.getElementById("search-index")) return;
    const script = document.createElement("script");
    script.id = "search-index";
    script.src = "search-index.js";
    document.head.append(script);
  };

  const wordsOf = (text) => text.toLowerCase().split(/\s+/).filter(Boolean);

  function matches(words) {
    const rank = (s) => words.reduce((sum, w) => sum + (s.high.includes(w) ? 4 : 0) + (s.heading.toLowerCase() === w ? 8 : 0), 0);
    const found = sections.filter((s) => words.every((w) => s.high.includes(w) || s.low.includes(w)));
    return found.map((s) => [rank(s), s]).sort((a, b) => b[0] - a[0]).map(([, s]) => s);
  }

  function excerpt(section, words) {
    const at = Math.max(0, ...words.slice(0, 1).map((w) => section.low.indexOf(w)));
    const from = Math.max(0, at - AROUND);
    return (from ? "… " : "") + section.text.slice(from, at + 2 * AROUND) + (at + 2 * AROUND < section.text.length ? " …" : "");
  }

  // the text with the words marked, as nodes: a page's text is never markup here
  function marked(text, words) {
    const parts = [];
    let rest = text;
    while (rest) {
      const places = words.map((w) => [rest.toLowerCase().indexOf(w), w.length]).filter(([at]) => at >= 0);
      if (!places.length) break;
      const [at, length] = places.sort((a, b) => a[0] - b[0] || b[1] - a[1])[0];
      const mark = document.createElement("mark");
      mark.textContent = rest.slice(at, at + length);
      parts.push(rest.slice(0, at), mark);
      rest = rest.slice(at + length);
    }
    return [...parts, rest];
  }

  function item(section, words) {
    const line = document.createElement("li"), link = document.createElement("a"), text = document.createElement("span");
    link.href = `${section.page}#${section.anchor}`;
    link.append(...marked(section.heading === section.title ? section.title : `${section.title}: ${section.heading}`, words));
    text.append(...marked(excerpt(section, words), words));
    link.addEventListener("click", () => { list.hidden = true; });
    line.append(link, text);
    return line;
  }

  function show() {
    const words = wordsOf(box.value);
    list.hidden = !sections || !words.length;
    said.textContent = "";
    if (list.hidden) return;
    const found = matches(words);
    list.replaceChildren(...found.slice(0, MOST).map((section) => item(section, words)));
    said.textContent = found.length ? `${found.length} ${found.length === 1 ? "section" : "sections"}` : "nothing found";
  }

  const step = (by) => {
    const links = [...list.querySelectorAll("a")];
    const next = links.indexOf(document.activeElement) + by;
    (next < 0 ? box : links[Math.min(next, links.length - 1)] ?? box).focus();
  };

  form.hidden = false;
  box.addEventListener("focus", load);
  box.addEventListener("input", show);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    list.querySelector("a")?.click();
  });
  form.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      step(event.key === "ArrowDown" ? 1 : -1);
    } else if (event.key === "Escape") {
      box.value = "";
      show();
      box.focus();
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !/^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName)) {
      event.preventDefault();
      box.focus();
    }
  });
})(window.traincompute);
