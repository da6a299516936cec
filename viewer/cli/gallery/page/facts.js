// What is said of a model.

function table(pairs) {
  return make("table", {}, make("tbody", {}, ...pairs.map(([name, value, kind = ""]) => make("tr", {}, make("td", {}, name), make("td", { className: kind }, value)))));
}

function facts(row) {
  const found = [];
  if (row.change) {
    const said = { none: "The same as in the earlier gallery", new: "Not in the earlier gallery", gone: "Only in the earlier gallery", bytes: "Other bytes, but the same pictures", pictures: `Other pictures: ${row.changed.join(", ")}` };
    found.push(make("h3", {}, "Comparison"), make("p", {}, said[row.change] ?? row.change));
  }
  if (row.counts.nodes || !row.error) {
    found.push(make("h3", {}, "Counts"), table(COUNTS.filter(name => row.kind !== "fxid" || row.counts[name]).map(name => [name, numbers.format(row.counts[name])])));
  }
  const file = [["size", `${numbers.format(row.size)} bytes`]];
  if (row.extent) file.unshift(["extent", row.extent.map(side => Number(side).toFixed(2)).join(" × ")]);
  if (row.sha256) file.push(["SHA-256", row.sha256, "hash"]);
  if (row.size) found.push(make("h3", {}, row.kind === "fxid" ? "Effect" : "Model"), table(file));
  if (row.change !== "gone") found.push(...problems(row));
  return found;
}

function problems(row) {
  const list = make("ul", { className: "problems" });
  const isListed = row.error && row.diagnostics.some(it => it.severity === "error" && row.error.endsWith(it.message));
  if (row.error && !isListed) list.append(make("li", { className: "error" }, make("b", {}, "unreadable"), row.error));
  for (const { rule, severity, table: name, index, field, message } of row.diagnostics) {
    const place = [name + (index === null ? "" : `[${index}]`), field].filter(Boolean).join(".");
    const item = make("li", { className: severity }, make("b", {}, rule || severity), message);
    if (place) item.append(" ", make("code", {}, place));
    list.append(item);
  }
  const more = row.errors + row.warnings - row.diagnostics.length;
  if (more > 0) list.append(make("li", {}, `and ${counted(more, "more problem", "more problems")}`));
  const title = make("h3", {}, "Problems");
  return list.childElementCount ? [title, list] : [title, make("p", { className: "fine" }, "None found")];
}
