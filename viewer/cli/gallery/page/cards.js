// A card for each model.

function marks(row) {
  const found = [];
  const mark = (kind, text) => found.push(make("span", { className: `mark ${kind}` }, text));
  if (row.change === "pictures") mark("pictures", "changed");
  if (row.change === "new") mark("new", "new");
  if (row.change === "gone") mark("gone", "gone");
  if (row.change === "bytes") mark("bytes", "other bytes");
  if (row.error) mark("error", "unreadable");
  if (row.errors) mark("error", counted(row.errors, "error"));
  if (row.warnings && !row.errors) mark("warning", counted(row.warnings, "warning"));
  return found;
}

/** A name with its suffix dimmed. */
function named(name) {
  const dot = name.toLowerCase().endsWith(".msh") ? name.length - 4 : name.length;
  return [name.slice(0, dot), make("i", {}, name.slice(dot))];
}

/** What the game calls the part, and the archive that it is in. */
function place(row) {
  return [row.called, row.holder].filter(Boolean).join(" · ");
}

function summary(row) {
  if (row.kind === "fxid" && !row.error) return `effect · ${counted(row.counts.materials, "material")}`;
  if (!row.counts.nodes) return row.error ?? "";
  const parts = [`${numbers.format(row.counts.triangles)} tris`, counted(row.counts.nodes, "node")];
  if (row.counts.frames) parts.push(counted(row.counts.frames, "frame"));
  return parts.join(" · ");
}

function card(row) {
  if (cards[row.index]) return cards[row.index];
  const item = find("card").content.firstElementChild.cloneNode(true), link = item.firstElementChild;
  const image = item.querySelector("img"), picture = item.querySelector(".picture");
  link.href = `#${new URLSearchParams({ model: row.source })}`;
  link.title = row.source;
  link.classList.toggle("is-gone", row.change === "gone");
  link.onclick = event => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    open(row);
  };
  item.querySelector("strong").append(...named(row.name));
  item.querySelector(".holder").textContent = place(row) || "\u00a0";
  item.querySelector(".counts").textContent = summary(row);
  item.querySelector(".marks").append(...marks(row));
  if (still(row)) {
    image.src = address(still(row));
    if (row.turntable) turning(link, image, row);
  } else {
    image.replaceWith(make("span", { className: "still" }, row.error ? "Cannot be read" : "No geometry"));
  }
  picture.dataset.index = row.index;
  return cards[row.index] = item;
}

/** Turn the picture of a model, or play that of an effect, while the mouse is on its card. */
function turning(link, image, row) {
  const begin = () => {
    if (calm.matches) return;
    const ready = new Image();
    ready.onload = () => { if (link.matches(":hover, :focus-visible")) image.src = ready.src; };
    ready.src = address(row.turntable);
  };
  const end = () => { image.src = address(still(row)); };
  link.addEventListener("mouseenter", begin);
  link.addEventListener("focus", begin);
  link.addEventListener("mouseleave", end);
  link.addEventListener("blur", end);
}
