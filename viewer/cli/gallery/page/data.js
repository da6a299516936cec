// What the page shows, and how its elements are made.

const find = id => document.getElementById(id);
const data = JSON.parse(find("data").textContent);
const CAMERAS = ["three-quarter", "front", "side", "top"], COUNTS = ["nodes", "triangles", "vertices", "frames", "textures", "materials"];
const numbers = new Intl.NumberFormat("en"), rows = data.models, cards = [], taken = new Map();
const calm = matchMedia("(prefers-reduced-motion: reduce)");
rows.forEach((row, index) => {
  row.index = index;
  row.words = [row.name, row.called ?? "", row.holder, ...row.diagnostics.map(it => it.rule)].join(" ").toLowerCase();
});

function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name in element) element[name] = value; else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}
const address = path => path.split("/").map(encodeURIComponent).join("/");
const counted = (count, one, many = `${one}s`) => `${numbers.format(count)} ${count === 1 ? one : many}`;
const valueOf = (row, name) => name in row.counts ? row.counts[name] : row[name];
const still = row => row.pictures["three-quarter"] || row.earlier["three-quarter"] || "";
