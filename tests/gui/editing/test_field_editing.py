"""Values edited where they are shown, undone, and refused.

A second model of the same folder: what is loaded already is read, decoded and uploaded no more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from imgui_bundle import imgui

from tests.gui.hand import click, drag, type_into
from tests.gui.harness import (
    BOTTOM,
    LEFT,
    Context,
    GuiTester,
    bring_to_front,
    current,
    exists,
    in_stage,
    steps,
)
from viewer.control.opening import loading
from viewer.formats import mat0, units
from viewer.formats.msh.nodes import NODE
from viewer.formats.msh.slots import SLOT
from viewer.formats.part import find as part_of
from viewer.formats.texture import texm
from viewer.model.kinds.registry import MODEL
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.render.textures import texels
from viewer.session.opened.document import Document
from viewer.session.view.options.textures import TextureSwitches
from viewer.ui.widgets import theme

pytestmark = pytest.mark.closed(*BOTTOM, *LEFT)

ARM = 2
TYPED = "//inspector/**/##typed"


@pytest.fixture
def crane(crane: GuiTester) -> GuiTester:
    """The crane of an archive with its arm selected, and the Inspector in front."""
    crane.select(ARM)
    bring_to_front(crane, "inspector")
    return crane


def test_a_typed_number_changes_its_bytes_alone_and_is_undone(crane: GuiTester, archive: Path) -> None:
    before = archive.read_bytes()
    slot = int(crane.document.model.nodes["slots"][ARM, 0, 0])
    type_into(crane, "//inspector/**/###value_sphere_radius", "1/4")
    assert crane.document.model.slots["sphere_radius"][slot] == 0.25
    after = current(crane, archive)
    changed = [at for at, (one, other) in enumerate(zip(before, after, strict=True)) if one != other]
    start = steps(crane)[0].splices[0].offset
    assert len(steps(crane)) == 1
    assert {*changed} <= {*range(start, start + SLOT.field("sphere_radius").size)}
    crane.commands.edits.step(-1)
    crane.settle()
    assert current(crane, archive) == before == archive.read_bytes()


def test_a_bad_value_is_refused_at_the_field(crane: GuiTester, archive: Path) -> None:
    before = crane.document

    def script(context: Context) -> None:
        context.item_click("//inspector/**/###value_batch_count")
        context.key_chars_replace("70000")
        context.key_press(int(imgui.Key.enter))
        assert context.item_exists(TYPED), "it stays open with what was typed"
        context.key_press(int(imgui.Key.escape))
        assert not context.item_exists(TYPED)

    crane.run(script)
    assert not crane.state.message
    assert (crane.document, steps(crane)) == (before, ())
    assert crane.state.view.selection.node == ARM, "Esc went to the field alone"
    assert current(crane, archive) == archive.read_bytes()


def test_one_drag_is_one_step(crane: GuiTester) -> None:
    slot = int(crane.document.model.nodes["slots"][ARM, 0, 0])
    before = float(crane.document.model.slots["sphere_radius"][slot])

    drag(crane, "//inspector/**/###value_sphere_radius", by=(40, 0))
    crane.settle()
    assert crane.document.model.slots["sphere_radius"][slot] > before
    assert len(steps(crane)) == 1
    assert not exists(crane, TYPED)


def test_the_parent_is_chosen_by_its_name(crane: GuiTester) -> None:
    def script(context: Context) -> None:
        context.item_click("//inspector/**/###choose_parent")
        context.key_chars("base")
        context.key_press(int(imgui.Key.enter))

    crane.run(script)
    crane.settle()
    assert crane.document.model.nodes["parent"][ARM] == 0
    assert [step.words for step in steps(crane)] == [f"set {NODE.name}[{ARM}].parent to 0"]


def test_flags_are_ticked(crane: GuiTester) -> None:
    click(crane, "//inspector/**/###value_flags", "//$FOCUSED/###bit40")
    crane.settle()
    assert crane.document.model.nodes["flags"][ARM] == 0x40
    assert [step.words for step in steps(crane)] == [f"set {NODE.name}[{ARM}].flags to 0x0040"]


def test_what_differs_from_the_file_is_marked_until_it_is_undone(crane: GuiTester, archive: Path) -> None:
    address = f"{archive}::crane.msh"
    find = crane.app.editing.changed.find
    assert not find(Address.parse(address))
    slot = int(crane.document.model.nodes["slots"][ARM, 0, 0])
    type_into(crane, "//inspector/**/###value_sphere_radius", "1/4")
    table = part_of(MODEL.parts(crane.document.model), "slots")
    assert table is not None
    start, size = table.span(slot, "sphere_radius")
    assert find(Address.parse(address)).touches(start, size)
    assert not find(Address.parse(address)).touches(start - size, size)
    assert not any(
        find(Address.parse(address)).touches(*table.span(row)) for row in range(table.count) if row != slot
    )
    assert theme_color(theme.UNSAVED) in crane.colors()
    crane.commands.edits.step(-1)
    crane.settle()
    assert not find(Address.parse(address))
    assert find(Address.parse(f"{archive}::rock.msh")) is find(Address.parse(address))


def theme_color(color: theme.Color) -> tuple[int, ...]:
    return tuple(round(255 * part) for part in color[:3])


@pytest.fixture
def unit(tmp_path: Path) -> Path:
    """A chassis with a turret and a gun on it, and one more box."""
    rows = units.COMPONENT.new(4)
    for row, name, attachment, kind, children in zip(
        rows, ("Hull", "Turret", "Gun", "Box"), (-1, 2, 3, 4), (0, 1, 4, 5), (2, 1, 0, 0), strict=True
    ):
        row["name"], row["attachment"] = name.encode().ljust(32, b"\0"), attachment
        row["archive"], row["key"] = b"objects.rlb".ljust(32, b"\0"), b"x".ljust(32, b"\0")
        row["class_id"], row["child_count"] = kind, children
    path = tmp_path / "tank.dat"
    path.write_bytes(np.array([units.MAGIC, 2], "<u4").tobytes() + rows.tobytes())
    return path


@pytest.mark.parametrize(
    ("item", "typed", "field", "value"),
    [
        ("value_name", "Cannon", "name", b"Cannon"),
        ("value_attachment", "7", "attachment", 7),
        ("choose_key", "u_gun", "key", b"u_gun"),
    ],
)
def test_a_column_is_typed(
    gui: GuiTester, unit: Path, item: str, typed: str, field: str, value: object
) -> None:
    gui.open(unit)
    before = unit.read_bytes()
    type_into(gui, in_stage(f"**/###{item}"), typed)
    start = 8 + 0 * units.COMPONENT.size + units.COMPONENT.field(field).offset
    end = start + units.COMPONENT.field(field).size
    after = current(gui, unit)
    assert (after[:start], after[end:]) == (before[:start], before[end:])
    found = units.COMPONENT.view(after, offset=8, count=1)[field][0]
    shown = found.tobytes().rstrip(b"\0") if isinstance(value, bytes) else int(found)
    assert shown == value
    gui.commands.edits.step(-1)
    gui.settle()
    assert current(gui, unit) == before


GAME = loading.sample_address().path.parent


class Tally:
    """Counts calls of functions by what they were asked for."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.counts: dict[str, Counter[Hashable]] = {}
        self._patch = monkeypatch
        self.count("files", FileStore, "_read", lambda _, path, __: path.name)
        self.count("materials", mat0, "decode", lambda data, *_: bytes(data))
        self.count("textures", texm, "decode", bytes)
        self.count("texels", texels, "decode", lambda picture, switches, _: texels.key_of(picture, switches))
        self.count("uploads", texels.Texels, "within", lambda ready, _: ready.key)

    def count(self, name: str, owner: Any, function: str, key: Callable[..., Hashable]) -> None:
        """Count the calls of one function under a name."""
        original, counts = getattr(owner, function), self.counts.setdefault(name, Counter())

        def counted(*arguments: Any) -> Any:
            counts[key(*arguments)] += 1
            return original(*arguments)

        self._patch.setattr(owner, function, counted)

    def clear(self) -> None:
        """Begin anew."""
        for counts in self.counts.values():
            counts.clear()

    def totals(self) -> dict[str, int]:
        """The calls of each function."""
        return {name: counts.total() for name, counts in self.counts.items()}


@pytest.fixture
def tally(monkeypatch: pytest.MonkeyPatch) -> Tally:
    """What is read, decoded and uploaded in this test."""
    return Tally(monkeypatch)


def show(gui: GuiTester, address: str) -> Document:
    """Open a model of the sample and wait for its textures."""
    gui.open(f"{GAME}/{address}")
    gui.pause()
    gui.until(lambda: not gui.app.images.scene.renderer.requested_textures(gui.state.view.textures))
    return gui.document


def keys_of(document: Document) -> set[texels.TexelKey]:
    """The textures of a model."""
    shown = [picture for row in document.materials.rows for picture in (*row.textures, row.lightmap)]
    switches = TextureSwitches()
    return {texels.key_of(picture, switches) for picture in shown if picture}


def test_a_second_model_reads_decodes_and_uploads_only_what_is_new(gui: GuiTester, tally: Tally) -> None:
    walker = keys_of(show(gui, "models.rlb::walker.msh"))
    drone = keys_of(show(gui, "models.rlb::drone.msh"))
    assert walker & drone
    assert drone - walker
    for name in ("files", "materials", "textures", "texels", "uploads"):
        assert max(tally.counts[name].values()) == 1, name
    assert set(tally.counts["uploads"]) == set(tally.counts["texels"]) == walker | drone


def test_a_model_in_another_archive_of_the_folder_shares_too(gui: GuiTester, tally: Tally) -> None:
    show(gui, "models.rlb::drone.msh")
    tally.clear()
    others = keys_of(show(gui, "seed.rlb::drone_seed.msh"))
    assert tally.counts["files"] == {"seed.rlb": 1}
    assert (tally.totals()["texels"], tally.totals()["uploads"]) == (0, 0)
    assert all(key in gui.app.images.scene.renderer._store for key in others)


def test_the_same_model_again_costs_nothing_but_its_own_tables(gui: GuiTester, tally: Tally) -> None:
    before = show(gui, "models.rlb::walker.msh")
    show(gui, "models.rlb::drone.msh")
    tally.clear()
    assert show(gui, "models.rlb::walker.msh") is not before
    assert set(tally.totals().values()) == {0}


def test_a_library_that_has_changed_is_read_again(gui: GuiTester, tally: Tally, tmp_path: Path) -> None:
    for path in GAME.iterdir():
        if path.is_file():
            (tmp_path / path.name).write_bytes(path.read_bytes())
    gui.open(f"{tmp_path}/models.rlb::walker.msh")
    tally.clear()
    (tmp_path / "Material.lib").write_bytes(b"")
    gui.open(f"{tmp_path}/models.rlb::drone.msh")
    assert tally.counts["files"] == {"Material.lib": 1}
    assert gui.document.materials.rows[0].is_missing
