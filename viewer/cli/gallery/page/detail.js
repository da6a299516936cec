// One model: its pictures, compared with earlier ones, and the model itself.

const detail = find("detail"), stage = find("stage");
let current = null, view = null, part = 0, comparison = "pair", bytes = null, opening = 0;

function open(row) {
  current = row;
  state.model = row.source;
  remember();
  find("name").replaceChildren(...named(row.name));
  find("where").textContent = place(row);
  find("facts").replaceChildren(...facts(row));
  find("facts").scrollTop = 0;
  const at = shown.indexOf(row);
  find("previous").disabled = at <= 0;
  find("next").disabled = at < 0 || at + 1 >= shown.length;
  if (!detail.open) detail.showModal();
  document.title = `${row.name} - ${data.title}`;
  const changed = CAMERAS.indexOf(row.changed.find(camera => row.earlier[camera] && row.pictures[camera]));
  select(changed >= 0 ? changed + 1 : row.model || film(row) ? 0 : 1);
}

function step(by) {
  const row = shown[shown.indexOf(current) + by];
  if (row) open(row);
}

detail.addEventListener("close", () => {
  leave();
  state.model = "";
  remember();
  document.title = data.title;
  const link = current && cards[current.index]?.firstElementChild;
  current = null;
  link?.focus({ preventScroll: true });
  link?.scrollIntoView({ block: "nearest" });
});

/** Free what the last model has used. */
function leave() {
  opening++;
  view?.close();
  view = bytes = null;
  find("play").hidden = find("save").hidden = true;
  stage.replaceChildren();
}

/** The film of an effect. */
const film = row => row.kind === "fxid" && row.turntable;

/** Show the model or the film of an effect (0), or one of the pictures (1 to 4). */
function select(index) {
  const row = current, camera = CAMERAS[index - 1];
  if (!row || (index === 0 && !row.model && !film(row))) return;
  leave();
  part = index;
  strip(row);
  if (index === 0 && film(row)) { stage.append(make("img", { src: address(film(row)), alt: `${row.name}, playing` })); return; }
  if (index === 0) { show(row); return; }
  const now = row.pictures[camera], before = row.earlier[camera];
  if (now && before) compare(now, before);
  else if (now || before) stage.append(make("img", { src: address(now || before), alt: `${row.name}, ${camera}` }));
  else note(row.error ? "Cannot be read" : "No geometry", row.error ?? "No cell of this model has triangles.");
}

function note(title, text) {
  stage.append(make("p", { className: "note" }, make("strong", {}, title), text));
}

function strip(row) {
  const tabs = [];
  const tab = (index, title, ...children) => {
    const button = make("button", { type: "button", title: `${title} (${index})` }, ...children, make("span", {}, title));
    button.setAttribute("role", "tab");
    button.setAttribute("aria-selected", String(index === part));
    button.classList.toggle("is-changed", index > 0 && row.changed.includes(CAMERAS[index - 1]));
    button.onclick = () => select(index);
    tabs.push(button);
  };
  if (row.model) tab(0, "model", cube());
  if (film(row)) tab(0, "film", make("img", { src: address(film(row)), alt: "" }));
  CAMERAS.forEach((camera, index) => {
    const name = row.pictures[camera] || row.earlier[camera];
    if (name) tab(index + 1, camera, make("img", { src: address(name), alt: "" }));
  });
  find("strip").replaceChildren(...tabs);
  find("strip").hidden = !tabs.length;
}

function cube() {
  const shape = document.createElementNS("http://www.w3.org/2000/svg", "svg"), path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  shape.setAttribute("viewBox", "0 0 24 24");
  path.setAttribute("d", "M12 2.8 20 7.4v9.2L12 21.2 4 16.6V7.4zM12 12l8-4.6M12 12v9.2M12 12 4 7.4");
  path.setAttribute("style", "fill:none;stroke:currentColor;stroke-width:1.5;stroke-linejoin:round");
  shape.append(path);
  return shape;
}

function compare(now, before) {
  const figure = (name, caption) => make("figure", {}, make("img", { src: address(name), alt: caption }), make("figcaption", {}, caption));
  const image = name => make("img", { src: address(name), alt: "" });
  const shows = {
    pair: () => make("div", { className: "pair" }, figure(before, "before"), figure(now, "now")),
    before: () => image(before),
    now: () => image(now),
    difference: () => make("div", { className: "difference" }, image(before), image(now)),
  };
  const titles = { pair: "Side by side", before: "Before", now: "Now", difference: "Difference" };
  const redraw = () => {
    const buttons = Object.entries(titles).map(([id, title]) => {
      const button = make("button", { type: "button", onclick: () => { comparison = id; redraw(); } }, title);
      button.setAttribute("aria-pressed", String(id === comparison));
      return button;
    });
    stage.replaceChildren(shows[comparison](), make("div", { className: "switches" }, ...buttons));
  };
  redraw();
}


async function show(row) {
  const mine = opening, canvas = make("canvas", { tabIndex: 0 }), waiting = make("img", { className: "waiting", src: address(still(row)), alt: "" });
  canvas.setAttribute("aria-label", `${row.name}, drag to turn`);
  stage.append(waiting, canvas);
  try {
    const loaded = await load(row.model);
    if (mine !== opening) return;
    bytes = loaded.bytes.slice(0);
    const made = await modelView.show(canvas, loaded.bytes, data.light, loaded.names);
    if (mine !== opening) { made.close(); return; }
    view = made;
    waiting.remove();
    controls(row);
  } catch (error) {
    if (mine !== opening) return;
    stage.replaceChildren(make("img", { className: "waiting", src: address(still(row)), alt: "" }));
    note("The model cannot be shown here", String(error.message ?? error));
  }
}

async function load(name) {
  const stem = name.replace(/^models\//, "").replace(/\.js$/, "");
  await modelView.script(address(name));
  const found = taken.get(stem);
  taken.delete(stem);
  if (found === undefined) throw new Error(`${name} does not hold the model`);
  return { bytes: await modelView.unpacked(found.text), names: found.names };
}

function controls(row) {
  const toggles = [["Turn", "R", () => view.isTurning, () => view.turn(!view.isTurning)], ["Wires", "W", () => Boolean(view.hasWires), () => view.wires(!view.hasWires)]];
  const buttons = toggles.map(([title, key, , act]) => make("button", { type: "button", title: `${title} (${key})`, onclick: act }, title));
  buttons.push(make("button", { type: "button", title: "The whole model (F)", onclick: () => view.look() }, "Reset"));
  const extra = [];
  if (view.cells.length > 1) {
    const cells = make("select", { title: "LOD and group" }, ...view.cells.map((cell, index) => make("option", { value: index }, cell.name)));
    cells.setAttribute("aria-label", "Cell");
    cells.value = view.cell;
    cells.onchange = () => view.choose(Number(cells.value));
    extra.push(cells);
  }
  stage.append(make("div", { className: "switches" }, ...extra, ...buttons));
  view.changed = () => {
    toggles.forEach(([, , isOn], index) => buttons[index].setAttribute("aria-pressed", String(isOn())));
    moved();
  };
  find("save").hidden = false;
  find("play").hidden = !view.duration;
  find("clip").replaceChildren(...view.clips.map((name, index) => make("option", { value: index }, name)));
  find("clip").hidden = view.clips.length < 2;
  view.play(view.duration > 0 && !calm.matches);
  view.turn(!calm.matches);
}

function moved() {
  const rate = data.rate;
  find("play").classList.toggle("is-running", view.isPlaying);
  find("time").max = view.duration || 1;
  find("time").value = view.time;
  const isWhole = view.clips[view.clip] === data.whole; // a clip has its own time
  find("clock").textContent = isWhole ? `frame ${(view.time * rate).toFixed(1)} of ${Math.round(view.duration * rate)}` : `${view.time.toFixed(2)} of ${view.duration.toFixed(2)} s`;
}

find("run").onclick = () => view?.play(!view.isPlaying);
find("time").oninput = event => {
  const seconds = Number(event.target.value); // read before the slider follows the model
  view?.play(false);
  view?.seek(seconds);
};
find("clip").onchange = () => { view?.animate(Number(find("clip").value)); };
find("save").onclick = () => {
  if (!bytes) return;
  const link = make("a", { href: URL.createObjectURL(new Blob([bytes], { type: "model/gltf-binary" })), download: `${current.name.replace(/\.msh$/i, "")}.glb` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
};
