// The selection as a query in SQL that gives the same models, for the head of what is exported.
import { data, dayNumber } from "./dataset.js";
import { NONE, parseNumber } from "./select.js";

const quoted = (/** @type {string | number} */ text) => `'${String(text).replaceAll("'", "''")}'`;

/** "select … from models where …"; `rows` are named one by one where a search or a colour chose them.
 * @param {State} state @param {Row[]} rows @param {string} [columns] @param {string[]} [more] further conditions */
export function sqlOf(state, rows, columns = "*", more = []) {
  if (state.asof) return `-- models as of ${state.asof}: traincompute build --as-of ${state.asof}`;
  const conditions = state.q.trim() || state.group
    ? [`model_id in (${rows.map((row) => quoted(data.column.model_id.values[row])).join(", ") || "null"})`]
    : [...plain(state), ...more];
  return `select ${columns} from models${conditions.length ? ` where ${conditions.join(" and ")}` : ""}`;
}

/** That a value lies between the ends of an axis. @param {Scale} scale @param {number[]} ends */
export function between({ column, kind, value }, [low, high]) {
  const day = (/** @type {number} */ number) => quoted(new Date(number * 864e5).toISOString().slice(0, 10));
  const ends = kind === "date" ? [day(Math.ceil(low)), day(Math.floor(high))] : [value(low), value(high)];
  return `${column.name} between ${ends.join(" and ")}`;
}

/** @param {State} state */
function plain(state) {
  const flop = data.settings.axes[0].column;
  const [least, most] = [parseNumber(state.least), parseNumber(state.most)];
  return [
    Number.isFinite(dayNumber(state.from)) && `publication_date >= ${quoted(state.from)}`,
    Number.isFinite(dayNumber(state.to)) && `publication_date <= ${quoted(state.to)}`,
    least !== null && `${flop} >= ${least}::double`,
    most !== null && `${flop} < ${most}::double`,
    ...Object.entries(state.flags).map(flag),
    ...Object.entries(state.facets).filter(([, chosen]) => chosen.length).map(facet),
  ].filter(Boolean);
}

/** @param {[string, string]} given */
function flag([name, value]) {
  if (value === "any") return null;
  const most = data.settings.flags.find((one) => one.column === name)?.most;
  const test = most === undefined ? name : `${name} <= ${most}`;
  return value === "yes" ? test : `coalesce(not (${test}), true)`;
}

/** @param {[string, string[]]} given */
function facet([name, chosen]) {
  const owners = name === "organizations" ? data.parents : {};
  const named = chosen.filter((item) => item !== NONE);
  const all = [...named, ...Object.keys(owners).filter((lab) => named.includes(owners[lab]))].map(quoted).join(", ");
  const test = data.column[name].kind === "list" ? `list_has_any(${name}, [${all}])` : `${name} in (${all})`;
  const parts = [named.length ? test : null, chosen.includes(NONE) ? `${name} is null` : null].filter(Boolean);
  return parts.length > 1 ? `(${parts.join(" or ")})` : parts[0];
}
