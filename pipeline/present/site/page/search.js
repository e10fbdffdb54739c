// Search: what is searched, which rows match, and which letters of a text are to be marked.
(function (t) {
  "use strict";
  const fold = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const searched = ["name", "model_id", "organizations", "arxiv_id", "doi", "huggingface_id", "reference_url"];
  let haystacks = null;

  // Of each row: names, organisations and those they belong to, ids and links, aliases, and the references of its values.
  function prepare() {
    if (haystacks && haystacks.length === t.rows) return haystacks;
    const columns = searched.map((name) => t.column[name]).filter(Boolean);
    const said = Object.values(t.said);
    haystacks = Array.from({ length: t.rows }, (_, row) => {
      const owners = ((t.column.organizations && t.cell(t.column.organizations, row)) || []).map((name) => t.parents[name] || "");
      const references = said.map(({ words, values }) => (values[row] >= 0 ? words[values[row]] : ""));
      return fold([...columns.map((column) => t.cell(column, row) || ""), owners, t.aliases[row] || "", references].flat().join(" "));
    });
    return haystacks;
  }
  t.prepareSearch = prepare;
  t.forgetSearch = () => { haystacks = null; };

  const terms = (query) => fold(query).split(/\s+/).filter(Boolean);

  // row → whether all words of the query occur; null for an empty query.
  t.matcher = function (query) {
    const wanted = terms(query);
    if (!wanted.length) return null;
    const texts = prepare();
    return (row) => wanted.every((part) => texts[row].includes(part));
  };

  // The text in pieces, those that match in <mark>.
  t.marked = function (text, query) {
    const wanted = terms(query || "");
    if (!wanted.length) return [text];
    const letters = [...text];
    const folded = letters.map(fold);
    const starts = folded.reduce((all, part) => [...all, all[all.length - 1] + part.length], [0]);
    const whole = folded.join("");
    const hit = letters.map(() => false);
    for (const part of wanted) {
      for (let at = whole.indexOf(part); at >= 0; at = whole.indexOf(part, at + 1)) {
        letters.forEach((_, i) => { if (starts[i] < at + part.length && starts[i + 1] > at) hit[i] = true; });
      }
    }
    const pieces = [];
    letters.forEach((letter, i) => {
      if (i && hit[i] === hit[i - 1]) pieces[pieces.length - 1].text += letter;
      else pieces.push({ text: letter, hit: hit[i] });
    });
    return pieces.map((piece) => (piece.hit ? t.make("mark", {}, piece.text) : piece.text));
  };
})(window.traincompute);
