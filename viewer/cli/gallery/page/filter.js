// Search, filters and order, kept in the address of the page.

const KINDS = [
  ["all", "All", () => true],
  ["changed", "Changed", row => row.change === "pictures"],
  ["new", "New", row => row.change === "new"],
  ["gone", "Gone", row => row.change === "gone"],
  ["bytes", "Other bytes, same pictures", row => row.change === "bytes"],
  ["unreadable", "Unreadable", row => Boolean(row.error)],
  ["errors", "With errors", row => row.errors > 0],
  ["warnings", "With warnings", row => row.warnings > 0],
  ["animated", "Animated", row => row.counts.frames > 0],
  ["effects", "Effects", row => row.kind === "fxid"],
  ["bare", "Without geometry", row => !row.error && row.kind !== "fxid" && !row.counts.triangles],
];
const SORTS = [["order", "In order"], ["name", "By name"], ...COUNTS.map(name => [name, `By ${name}`]), ["size", "By size"], ["problems", "By problems"]];
const state = { q: "", kind: "all", holder: "", sort: "order", reverse: "", model: "", ranges: {} };

function remembered() {
  const given = new URLSearchParams(location.hash.slice(1));
  for (const name of ["q", "kind", "holder", "sort", "reverse", "model"]) state[name] = given.get(name) ?? ({ kind: "all", sort: "order" }[name] ?? "");
  state.ranges = {};
  for (const name of COUNTS) {
    const range = given.get(name)?.split("-");
    if (range) state.ranges[name] = range;
  }
}

function remember() {
  const kept = new URLSearchParams();
  for (const name of ["q", "kind", "holder", "sort", "reverse", "model"]) {
    if (state[name] && !(name === "kind" && state.kind === "all") && !(name === "sort" && state.sort === "order")) kept.set(name, state[name]);
  }
  for (const [name, [low, high]] of Object.entries(state.ranges)) if (low || high) kept.set(name, `${low}-${high}`);
  const text = kept.toString();
  history.replaceState(null, "", text ? `#${text}` : location.pathname + location.search);
}

const CONDITION = /^(nodes|triangles|vertices|frames|textures|materials|size|errors|warnings)(<=|>=|<|>|=)(\d+(?:\.\d+)?)([km]?)$/;
const COMPARE = { "<": (a, b) => a < b, ">": (a, b) => a > b, "=": (a, b) => a === b, "<=": (a, b) => a <= b, ">=": (a, b) => a >= b };

/** What the text of the search asks of a row. */
function query(text) {
  const tests = text.toLowerCase().split(/\s+/).filter(Boolean).map(word => {
    const found = CONDITION.exec(word);
    if (!found) return row => row.words.includes(word);
    const value = Number(found[3]) * ({ k: 1e3, m: 1e6 }[found[4]] ?? 1);
    return row => COMPARE[found[2]](valueOf(row, found[1]), value);
  });
  return row => tests.every(test => test(row));
}

function isInRanges(row) {
  return Object.entries(state.ranges).every(([name, [low, high]]) => (!low || row.counts[name] >= Number(low)) && (!high || row.counts[name] <= Number(high)));
}

const names = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
function order(one, other) {
  const sign = state.reverse ? -1 : 1;
  if (state.sort === "order") return sign * (one.index - other.index);
  if (state.sort === "name") return sign * (names.compare(one.name, other.name) || one.index - other.index);
  const value = row => state.sort === "problems" ? row.errors * 1e6 + row.warnings + (row.error ? 1e12 : 0) : valueOf(row, state.sort);
  return sign * (value(other) - value(one)) || one.index - other.index;
}

let shown = [];
function refresh() {
  const matches = query(state.q), kind = KINDS.find(([id]) => id === state.kind) ?? KINDS[0];
  const found = rows.filter(row => matches(row) && isInRanges(row) && (!state.holder || row.holder === state.holder));
  shown = found.filter(kind[2]).sort(order);
  find("cards").replaceChildren(...shown.map(card));
  find("nothing").hidden = shown.length > 0;
  find("kinds").replaceChildren(...KINDS.filter(([id, , test]) => id === state.kind || id === "all" || rows.some(test)).map(([id, title, test]) => {
    const button = make("button", { type: "button" }, title, make("b", {}, numbers.format(found.filter(test).length)));
    button.setAttribute("aria-pressed", String(id === state.kind));
    button.onclick = () => { state.kind = id; change(); };
    return button;
  }));
  const present = shown.filter(row => row.change !== "gone"), total = present.reduce((sum, row) => sum + row.counts.triangles, 0);
  const effects = present.filter(row => row.kind === "fxid").length, sums = [counted(present.length - effects, "model")];
  if (effects) sums.push(counted(effects, "effect"));
  find("total").textContent = [...sums, counted(total, "triangle")].join(", ");
  find("ranges").classList.toggle("is-set", Object.values(state.ranges).some(([low, high]) => low || high));
  find("reverse").setAttribute("aria-pressed", String(Boolean(state.reverse)));
}

function change() { remember(); refresh(); }
