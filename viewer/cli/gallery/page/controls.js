// The controls of the page, keys, and how it begins.

  // --- controls of the page ----------------------------------------------------------------------------------

  const themes = matchMedia("(prefers-color-scheme: dark)");
  function theme(name) { document.documentElement.dataset.theme = name; }
  function stored() { try { return localStorage.getItem("mshview-gallery-theme"); } catch { return null; } }
  function switchTheme() {
    const next = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    theme(next);
    try { localStorage.setItem("mshview-gallery-theme", next); } catch { /* a page from the disk may not store */ }
  }
  theme(stored() ?? (themes.matches ? "dark" : "light"));
  themes.addEventListener("change", event => { if (!stored()) theme(event.matches ? "dark" : "light"); });

  function options(select, pairs) { select.replaceChildren(...pairs.map(([value, text]) => make("option", { value }, text))); }

  function fill() {
    find("query").value = state.q;
    find("holder").value = state.holder;
    find("sort").value = state.sort;
    for (const input of find("ranges").querySelectorAll("input")) input.value = state.ranges[input.dataset.name]?.[input.dataset.end] ?? "";
  }

  function controlsOfPage() {
  find("credit").hidden = !rows.some(row => row.model);
    const holders = [...new Set(rows.map(row => row.holder))].sort(names.compare);
    options(find("holder"), [["", "All archives"], ...holders.filter(Boolean).map(name => [name, name])]);
    find("holder").hidden = holders.length < 2;
    options(find("sort"), SORTS);
    const sheet = find("ranges").querySelector(".sheet");
    for (const name of COUNTS) {
      const ends = [0, 1].map(end => make("input", { type: "number", min: 0, placeholder: end ? "any" : "0", "aria-label": `${end ? "at most" : "at least"}, ${name}`, oninput: event => {
        state.ranges[name] ??= ["", ""];
        state.ranges[name][end] = event.target.value;
        change();
      } }));
      ends.forEach((input, end) => { input.dataset.name = name; input.dataset.end = end; });
      sheet.append(make("span", {}, name), ends[0], make("span", {}, "to"), ends[1]);
    }
    find("query").oninput = () => { state.q = find("query").value; change(); };
    find("holder").onchange = () => { state.holder = find("holder").value; change(); };
    find("sort").onchange = () => { state.sort = find("sort").value; change(); };
    find("reverse").onclick = () => { state.reverse = state.reverse ? "" : "1"; change(); };
    find("nothing").querySelector("button").onclick = () => { Object.assign(state, { q: "", kind: "all", holder: "", ranges: {} }); fill(); change(); };
    find("theme").onclick = switchTheme;
    find("help").onclick = () => find("keys").showModal();
    find("close").onclick = () => detail.close();
    find("previous").onclick = () => step(-1);
    find("next").onclick = () => step(1);
    detail.addEventListener("click", event => { if (event.target === detail) detail.close(); });
    document.addEventListener("click", event => { if (!find("ranges").contains(event.target)) find("ranges").open = false; });
  }

  /** Move the focus among the cards as they lie on the page. */
  function walk(key) {
    const links = [...find("cards").querySelectorAll("a")], place = links.indexOf(document.activeElement);
    if (!links.length) return;
    const columns = links.findIndex(link => link.offsetTop > links[0].offsetTop);
    const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -(columns < 0 ? 0 : columns), ArrowDown: columns < 0 ? 0 : columns }[key];
    const target = links[place < 0 ? 0 : Math.min(Math.max(place + by, 0), links.length - 1)];
    target.focus();
    target.scrollIntoView({ block: "nearest" });
  }

  const DETAIL_KEYS = {
    ArrowLeft: () => step(-1), ArrowRight: () => step(1), " ": () => view?.play(!view.isPlaying),
    ",": () => { view?.play(false); view?.seek(view.time - 1 / data.rate); }, ".": () => { view?.play(false); view?.seek(view.time + 1 / data.rate); },
    r: () => view?.turn(!view.isTurning), w: () => view?.wires(!view.hasWires), f: () => view?.look(),
    ...Object.fromEntries([0, 1, 2, 3, 4].map(index => [String(index), () => select(index)])),
  };

  document.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey || find("keys").open) return;
    const target = event.target, isTyping = target.matches("input[type=search], input[type=number], select");
    const isSliding = target.matches("input[type=range]") && event.key.startsWith("Arrow"), isButton = target.matches("button, summary") && event.key === " ";
    if (event.key === "Escape" && target === find("query")) { target.blur(); return; }
    if (isTyping || isSliding || isButton) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    let act = null;
    if (detail.open) act = DETAIL_KEYS[key];
    else if (key === "/") act = () => { find("query").focus(); find("query").select(); };
    else if (key.startsWith("Arrow")) act = () => walk(key);
    if (key === "t") act = switchTheme;
    if (key === "?") act = () => find("keys").showModal();
    if (act) { event.preventDefault(); act(); }
  });

  function begin() {
    remembered();
    fill();
    refresh();
    const inAddress = text => new URLSearchParams({ text }).get("text"); // where no half of a surrogate pair lasts
    const row = state.model && rows.find(it => inAddress(it.source) === inAddress(state.model));
    if (row) open(row); else if (detail.open) detail.close();
  }

  controlsOfPage();
  begin();
  addEventListener("hashchange", begin);

  // Called by the script of a model; the rest is for tests.
window.gallery = {
  take(stem, text, names) { taken.set(stem, { text, names }); },
  get view() { return view; },
  get shown() { return shown; },
};
