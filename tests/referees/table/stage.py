"""The stage: every row in Blender with both settings, imported, and judged by the figures."""

from __future__ import annotations

import shutil
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import numpy as np

from tests.referees.programs import blender, checked, write_jobs
from tests.referees.subjects import ROOT
from tests.referees.table.comparison import Figures, compare, count_materials
from tests.referees.table.glb_reader import FPS, GlbReader
from tests.referees.table.model_reader import entry_of, read_model
from tests.referees.table.rows import ROWS, EditRow
from tests.referees.table.shapes import Numbers, Reading
from tests.referees.verbs import bytes_of, run_verb, unless_refused

SETTINGS: Final[dict[str, dict[str, Any]]] = {
    "keep": {"fps": FPS},
    "default": {"fps": 24, "by_default": True},
}
LISTED: Final = ("lossy", "changes")
"""Figures that are no errors."""
FAILURES: Final = (RuntimeError, ValueError, TypeError, LookupError, AttributeError)
"""Whatever an import ends in, its row is wrong and the others are judged."""
SAME: Final = 1e-4
"""Of elements of local matrices: nobody edited them."""


def judge(folder: Path) -> list[str]:
    """Run the table in a folder; what is worse than it says, a line each, and all figures in table.md."""
    file = folder / "walker.glb"
    game = ROOT / "assets" / "game"
    run_verb("export", f"{game / 'models.rlb'}::walker.msh", "-o", str(file))
    jobs = [
        {"file": str(file), "out": _out(folder, row, name), "edit": row.edit, **how, **row.arguments}
        for name, how in SETTINGS.items()
        for row in ROWS
    ]
    checked(blender("edits", write_jobs(folder / "table.json", jobs)), "Blender")
    template = _model(game)
    frames = len(template.locals["root"])
    wrong, lines = [], ["| row | setting | off | listed |", "|---|---|---|---|"]
    for name in SETTINGS:
        plain = GlbReader(Path(_out(folder, ROWS[0], name))).read(frames)
        for row in ROWS:
            figures, words = _judged(folder, row, Path(_out(folder, row, name)), plain, template)
            lines.append(f"| {row.name} | {name} | {figures.text()} | {words} |")
            if text := _verdict(row, figures, name):
                wrong.append(f"{row.name}, {name}: {text} ({words})")
    (folder / "table.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return wrong


def _out(folder: Path, row: EditRow, setting: str) -> str:
    return str(folder / f"{row.name.replace(' ', '_')}.{setting}.glb")


def _verdict(row: EditRow, figures: Figures, setting: str) -> str:
    """Why the figures of a row are wrong; empty if they are not."""
    if figures.is_right:
        return ""
    known = row.off.get(setting, {})
    worse = any(value > known.get(name, 0) for name, value in vars(figures).items() if name not in LISTED)
    is_silent = not figures.lossy
    return figures.text() + (", in silence" if is_silent else "") if worse or is_silent else ""


def _judged(folder: Path, row: EditRow, out: Path, plain: Reading, template: Reading) -> tuple[Figures, str]:
    """The figures of an edited file, and the first words of what the import says."""
    game = folder / "game"
    shutil.rmtree(game, ignore_errors=True)
    shutil.copytree(ROOT / "assets" / "game", game)
    given = ("import", str(out), "--into", f"{game / 'models.rlb'}::walker.msh", "--in-place", "--textures")
    try:
        exact = unless_refused(*given, "--exact", "--json")
        said = run_verb(*given, "--json") if exact is None else exact
    except FAILURES as error:
        return Figures(nodes=len(template.parents)), f"failed: {error!r}"
    reader = GlbReader(out, z_up=row.z_up)
    file = reader.read(None if row.edit.startswith("retime") else len(plain.locals["root"]))
    if row.only:  # their parents are not in the file: they stay where they hang
        file = replace(file, parents=template.parents, locals=template.locals)
        file.parts.update({it: part for it, part in template.parts.items() if it not in file.parts})
    before = {row.arguments["name"]: row.arguments["node"]} if row.edit == "rename" else {}
    expected = {
        name: _expected(before.get(name, name), it, plain, template) for name, it in file.locals.items()
    }
    model = _model(game)
    if row.is_keyed:
        expected |= GlbReader(Path(_out(folder, row, "keep"))).read(len(plain.locals["root"])).locals
    found = compare(file, model, expected)
    others = sum(reader.frames(it) for it in range(1, len(reader.animations)))  # new ranges of frames
    found.frames += max(others - len(model.locals["root"]) + len(template.locals["root"]), 0) if others else 0
    found.materials = count_materials(file, plain, model, template)
    found.lossy, found.changes = len(said["lossy"]), len(said["changes"]) + len(said["items"])
    words = [*said["lossy"][:2]]
    if (exact is None) != bool(said["lossy"]):
        words.append("--exact says otherwise")
    return found, "; ".join(words)


def _expected(name: str, local: Numbers, plain: Reading, template: Reading) -> Numbers:
    """Where the file is as one that nobody edited, what the template has: Blender samples between frames."""
    if name not in plain.locals:
        return local
    count = min(len(local), len(plain.locals[name]))
    same = np.abs(local[:count] - plain.locals[name][:count]).max(axis=(1, 2)) < SAME
    found = local.copy()
    found[:count][same] = template.locals[name][:count][same]
    return found


def _model(game: Path) -> Reading:
    """The walker of a game folder."""
    address = f"{game / 'models.rlb'}::walker.msh"
    data = entry_of(game / "models.rlb", "walker.msh")
    last = run_verb("inspect", address, "--json")["counts"]["frames"]
    poses = bytes_of("pose", address, "--times", f"0:{last}:1", "--format", "npz")
    with np.load(BytesIO(poses)) as loaded:
        worlds = loaded["world"].astype(np.float64)
    known = run_verb("materials", address, "--json")["batches"]
    materials = {}
    for it in known:
        phase = it["phase"]
        if phase is not None:
            materials[it["material"]] = {
                "color": phase["diffuse"][:3],
                "alpha": phase["ambient"][3],
                "image": phase["texture"],
            }
    return read_model(data, worlds, [it["material"] for it in known], materials)
