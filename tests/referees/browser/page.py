"""``python -m tests.referees.browser.page JOB.json``: opens a site from the disk and uses it like a visitor.

JOB is ``{"site": folder, "out": folder, "models": [{"source", "times": [seconds]}]}``. Writes what is
wrong and the world matrices of all nodes to ``OUT/page.json``, and a picture of each model to ``OUT/N.png``.
"""

from __future__ import annotations

import base64
import json
import shutil
import sys
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Page, sync_playwright

SIZE: Final = (640, 480)
"""Of the pictures, which are compared with those of the site."""
FLAGS: Final = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
HALF_SECOND: Final = 0.5
PATIENCE: Final = 120_000
"""Milliseconds for a model, which is drawn without a graphics card."""
WORLDS: Final = """times => {
  const view = gallery.view, found = [];
  view.animate(0);
  for (const time of times) {
    view.seek(time);
    view.scene.updateMatrixWorld(true);
    const nodes = {};
    view.file.scene.traverse(part => {
      const known = JSON.parse(part.userData.mshview ?? "{}");
      if (known.number === undefined) return;
      const m = part.matrixWorld.elements;
      nodes[known.number] = [0, 1, 2, 3].flatMap(row => [0, 1, 2, 3].map(column => m[column * 4 + row]));
    });
    found.push(nodes);
  }
  view.seek(0);
  return found;
}"""
PICTURE: Final = """async ([width, height]) => {
  const { canvas } = gallery.view, frame = () => new Promise(requestAnimationFrame);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  for (let wait = 0; canvas.width !== width && wait < 100; wait++) await frame();
  gallery.view.look();
  for (let wait = 0; wait < 5; wait++) await frame();
  return canvas.toDataURL("image/png");
}"""


class Visitor:
    """A browser window with a site, and what was found wrong."""

    def __init__(self, page: Page, site: Path) -> None:
        self.page, self.wrong = page, list[str]()
        page.on("pageerror", lambda error: self.wrong.append(f"error: {error}"))
        page.on("console", lambda it: self.wrong.append(it.text) if it.type in ("error", "warning") else None)
        page.on("dialog", self._refuse)
        page.on("request", lambda it: self._check_address(it.url))
        page.goto((site / "index.html").as_uri())
        page.wait_for_selector(".card")

    def _refuse(self, dialog: Any) -> None:
        self.wrong.append(f"a name was run: {dialog.message}")
        dialog.dismiss()

    def _check_address(self, address: str) -> None:
        if not address.startswith(("file:", "data:", "blob:")):
            self.wrong.append(f"asks for {address}")

    def expect(self, what: str, expression: str, expected: object = True) -> None:
        """Note what is wrong if an expression has another value."""
        found = self.page.evaluate(expression)
        if found != expected:
            self.wrong.append(f"{what}: {found!r}, not {expected!r}")

    def press(self, *keys: str) -> None:
        """Press keys one after the other."""
        for key in keys:
            self.page.keyboard.press(key)

    def open(self, source: str) -> None:
        """Open a model in the canvas."""
        self.press("Escape")
        self.page.wait_for_function("!gallery.view && !location.hash.includes('model=')", timeout=PATIENCE)
        self.page.evaluate("source => { location.hash = new URLSearchParams({ model: source }); }", source)
        self.page.wait_for_function("gallery.view || document.querySelector('.note')", timeout=PATIENCE)
        if not self.page.evaluate("Boolean(gallery.view)"):
            raise RuntimeError(f"{source}: {self.page.inner_text('.note')}")


def use_page(visitor: Visitor, rows: list[dict[str, Any]]) -> None:
    """Search, filter, sort, and go through the page by keys."""
    page, count = visitor.page, len(rows)
    shown = "gallery.shown.length"
    visitor.expect("cards", "document.querySelectorAll('.card').length", count)
    visitor.press("/")
    first = rows[0]["name"]
    page.keyboard.type(f"{first} nodes>0")
    visitor.expect("search", f"gallery.shown.every(row => row.name === {json.dumps(first)})")
    page.fill("#query", "triangles>1000")
    over = sum(row["counts"]["triangles"] > 1000 for row in rows)
    visitor.expect("a search by counts", shown, over)
    page.fill("#query", "no model has this name")
    visitor.expect("nothing", "!document.getElementById('nothing').hidden")
    page.click("#nothing button")
    visitor.expect("a cleared search", shown, count)
    page.click("#ranges summary")
    page.fill("#ranges input[data-name=triangles][data-end='0']", "1001")
    visitor.expect("a range", shown, over)
    page.reload()
    visitor.expect("a range is kept in the address", shown, over)
    page.evaluate("location.hash = ''")
    page.select_option("#sort", "triangles")
    most = max(row["counts"]["triangles"] for row in rows)
    visitor.expect("the order", "gallery.shown[0].counts.triangles", most)
    page.click("h1")
    visitor.press("ArrowRight", "ArrowRight", "Enter")
    page.wait_for_function("gallery.view", timeout=PATIENCE)
    visitor.expect(
        "the opened model", "document.getElementById('name').textContent === gallery.shown[1].name"
    )
    visitor.press("1")
    visitor.expect("a picture", "document.querySelectorAll('#stage img').length", 1)
    visitor.expect("the model is freed", "gallery.view", None)
    visitor.press("Escape")
    visitor.expect("closed", "document.getElementById('detail').open", False)
    theme = "document.documentElement.dataset.theme"
    before = page.evaluate(theme)
    visitor.press("t")
    visitor.expect("the other theme", f"{theme} !== {json.dumps(before)}")
    for width in (360, 800, 1600):
        page.set_viewport_size({"width": width, "height": 900})
        visitor.expect(f"fits {width}", "document.documentElement.scrollWidth <= innerWidth")
    page.evaluate("location.hash = ''")


def play(visitor: Visitor) -> None:
    """Play the animation of the open model, and move its slider."""
    page = visitor.page
    visitor.expect("it plays at first", "gallery.view.isPlaying", expected=False)  # as motion is reduced
    visitor.press(" ")
    page.wait_for_function("gallery.view.time > 0.2", timeout=PATIENCE)
    visitor.press(" ")
    page.fill("#time", str(HALF_SECOND))
    visitor.expect("the slider", "gallery.view.time", HALF_SECOND)
    visitor.expect("the clock", "document.getElementById('clock').textContent.startsWith('frame 7.5 of')")
    visitor.press("w", "w", "r", "r")
    visitor.expect("it does not turn any more", "gallery.view.isTurning", expected=False)
    for index in range(page.evaluate("gallery.view.cells.length")):
        page.evaluate("index => gallery.view.choose(index)", index)
        visitor.expect("one cell", "gallery.view.cells.filter(it => it.scene.visible).length", 1)


def judge(visitor: Visitor, job: dict[str, Any]) -> list[dict[str, Any]]:
    """Open all models, and return their matrices at some times."""
    found, has_played = [], False
    for index, model in enumerate(job["models"]):
        visitor.open(model["source"])
        worlds = visitor.page.evaluate(WORLDS, model["times"])
        picture = visitor.page.evaluate(PICTURE, list(SIZE))
        (Path(job["out"]) / f"{index}.png").write_bytes(base64.b64decode(picture.partition(",")[2]))
        if len(model["times"]) > 1 and not has_played:
            play(visitor)
            has_played = True
        found.append({"source": model["source"], "worlds": worlds})
    return found


def main(job: dict[str, Any]) -> None:
    """Do a job."""
    program = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    site = Path(job["site"])
    rows = json.loads((site / "gallery.json").read_bytes())["models"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        size = {"width": 1280, "height": 900}
        visitor = Visitor(browser.new_page(viewport=size, reduced_motion="reduce"), site)
        use_page(visitor, rows)
        models = judge(visitor, job)
        browser.close()
    answer = {"wrong": visitor.wrong, "models": models}
    (Path(job["out"]) / "page.json").write_text(json.dumps(answer), encoding="utf-8")


if __name__ == "__main__":
    main(json.loads(Path(sys.argv[1]).read_text("utf-8")))
