// The selection as a query in SQL that gives the same models, for the head of what is exported.
(function (t) {
  "use strict";
  const quoted = (text) => `'${String(text).replaceAll("'", "''")}'`;

  // "select … from models where …"; `rows` are named one by one where a search chose them.
  t.sqlOf = function (state, rows, columns = "*") {
    if (state.asof) return `-- models as of ${state.asof}: traincompute build --as-of ${state.asof}`;
    const conditions = state.q.trim() ? [`model_id in (${rows.map((row) => quoted(t.column.model_id.values[row])).join(", ") || "null"})`] : plain(state);
    return `select ${columns} from models${conditions.length ? ` where ${conditions.join(" and ")}` : ""}`;
  };

  function plain(state) {
    const flop = t.settings.axes[0].column;
    const [least, most] = [t.number(state.least), t.number(state.most)];
    return [
      Number.isFinite(t.days(state.from)) && `publication_date >= ${quoted(state.from)}`,
      Number.isFinite(t.days(state.to)) && `publication_date <= ${quoted(state.to)}`,
      least !== null && `${flop} >= ${least}::double`,
      most !== null && `${flop} < ${most}::double`,
      ...Object.entries(state.flags).map(flag),
      ...Object.entries(state.facets).filter(([, chosen]) => chosen.length).map(facet),
    ].filter(Boolean);
  }

  function flag([name, value]) {
    if (value === "any") return null;
    const { most } = t.settings.flags.find((one) => one.column === name);
    const test = most === undefined ? name : `${name} <= ${most}`;
    return value === "yes" ? test : `coalesce(not (${test}), true)`;
  }

  function facet([name, chosen]) {
    const owners = name === "organizations" ? t.parents : {};
    const named = chosen.filter((item) => item !== t.NONE);
    const all = [...named, ...Object.keys(owners).filter((lab) => named.includes(owners[lab]))].map(quoted).join(", ");
    const test = t.column[name].kind === "list" ? `list_has_any(${name}, [${all}])` : `${name} in (${all})`;
    const parts = [named.length ? test : null, chosen.includes(t.NONE) ? `${name} is null` : null].filter(Boolean);
    return parts.length > 1 ? `(${parts.join(" or ")})` : parts[0];
  }
})(window.traincompute);
