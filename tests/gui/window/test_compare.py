"""The comparison window: two models under one camera or one over the other, and what differs as a tree."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from imgui_bundle import imgui

from tests.gui.hand import click, drag
from tests.gui.harness import Context, GuiTester, exists
from viewer.app.dialogs.dialogs import Dialogs
from viewer.cli.main import main
from viewer.model.edit.set_field import SetField
from viewer.model.edit.values import RowChoice
from viewer.model.store.address import Address
from viewer.resources import bundled_path
from viewer.session.opened.comparison import ComparedSide, OpenedComparison

pytestmark = pytest.mark.closed("outline", "inspector")

SAMPLE = bundled_path("assets/game/models.rlb")


@pytest.fixture
def edited(tmp_path: Path) -> tuple[str, str]:
    """A model, and the same with one key inserted; the second file has the first one as its backup."""
    assert main(["extract", str(SAMPLE), "walker.msh", "-o", str(tmp_path), "-q"]) == 0
    first, second = tmp_path / "walker.msh", tmp_path / "later.msh"
    second.write_bytes(first.read_bytes())
    assert main(["edit", str(second), "--add-key", "turret", "40", "-o", str(second), "-q"]) == 0
    return str(first), str(second)


def found(gui: GuiTester) -> OpenedComparison:
    gui.until(lambda: gui.state.comparison.shown is not None)
    gui.settle()
    shown = gui.state.comparison.shown
    assert shown is not None
    assert not shown.problem
    return shown


def test_one_inserted_key_shifts_no_other_row(gui: GuiTester, edited: tuple[str, str]) -> None:
    gui.commands.comparing.compare(*(ComparedSide(Address.parse(it)) for it in edited))
    shown = found(gui)
    assert shown.found is not None
    assert str(shown.found.summary[0]).startswith("one key inserted")
    keys = next(it for it in shown.found.tables if it.table == "keys")
    assert [(it.what, it.row, it.count) for it in keys.values] == [("added", 115, 1)]  # 114 is at frame 0
    together = gui.shown()
    click(gui, "//compare/###over")
    gui.settle()
    assert (gui.shown() != together).any()
    before = gui.shown()

    drag(gui, "//compare/###share", by=(120, 0))
    gui.settle()
    assert (gui.shown() != before).any()
    gui.commands.comparing.close()
    assert not exists(gui, "//compare/###over")


def test_a_file_is_compared_with_its_backup_and_with_what_is_unsaved(
    gui: GuiTester, edited: tuple[str, str]
) -> None:
    first, second = edited
    gui.commands.comparing.compare(
        ComparedSide(Address.parse(second), is_backup=True), ComparedSide(Address.parse(second))
    )
    shown = found(gui)
    assert shown.found is not None
    assert str(shown.found.summary[0]).startswith("one key inserted")
    # The first file has no backup.
    gui.commands.comparing.compare(
        ComparedSide(Address.parse(first), is_backup=True), ComparedSide(Address.parse(first))
    )
    gui.until(lambda: gui.state.comparison.shown is not None)
    broken = gui.state.comparison.shown
    assert broken is not None
    assert broken.found is None
    assert broken.problem


def test_a_copy_looks_like_its_original_also_after_an_exchange(gui: GuiTester, tmp_path: Path) -> None:
    copy = tmp_path / "models.rlb"
    copy.write_bytes(SAMPLE.read_bytes())
    sides = [ComparedSide(Address(it, ("walker.msh",))) for it in (SAMPLE, copy)]
    for first, second in (sides, sides[::-1]):
        gui.commands.comparing.compare(first, second)
        found(gui)
        gui.frames(1, is_seen=True)
        drawn = [gui.app.images.pictures.units._slot(slot)[0]._target.pixels() for slot in (1, 2)]
        np.testing.assert_array_equal(drawn[0], drawn[1])
        # Without its textures a model has the few colors of the light on its materials.
        camouflage = (np.ptp(drawn[0][..., :3].astype(int), axis=2) > 40).mean()
        assert camouflage > 0.02


def test_an_entry_is_compared_with_the_one_that_is_open(gui: GuiTester) -> None:
    gui.open(str(SAMPLE))

    def script(context: Context) -> None:
        context.item_click("//browser/**/###entry3", imgui.MouseButton_.right)
        context.menu_click("//$FOCUSED/###compare/###compare_open")

    gui.run(script)
    gui.until(lambda: gui.state.comparison.shown is not None)
    shown = gui.state.comparison.shown
    assert shown is not None
    assert shown.sides[0] == ComparedSide(gui.document.address)
    assert str(shown.sides[1].address).startswith(f"{SAMPLE}::")
    assert shown.sides[1] != shown.sides[0]
    gui.commands.comparing.close()

    def shift_click(context: Context) -> None:
        context.key_down(imgui.Key.mod_shift)
        context.item_click("//browser/**/###entry3")
        context.key_up(imgui.Key.mod_shift)

    gui.run(shift_click)
    assert gui.state.comparison.sides == shown.sides


def test_what_is_open_is_compared_with_what_the_dialog_gives(
    gui: GuiTester, monkeypatch: pytest.MonkeyPatch
) -> None:
    gui.open(str(SAMPLE))
    opened, other = gui.document.address, Address(SAMPLE, ("walker.cpt",))
    monkeypatch.setattr(Dialogs, "choose_entry", lambda _dialogs, _title, then: then(other))
    gui.run(lambda context: context.menu_click("//##MainMenuBar/file/file.compare"))
    assert gui.state.comparison.sides == (ComparedSide(other), ComparedSide(opened))


def test_two_entries_are_compared_that_alt_has_chosen(gui: GuiTester) -> None:
    gui.open(str(SAMPLE))
    address = gui.document.address

    def alt_click(row: int) -> None:
        def script(context: Context) -> None:
            context.key_down(imgui.Key.mod_alt)
            context.item_click(f"//browser/**/###entry{row}")
            context.key_up(imgui.Key.mod_alt)

        gui.run(script)

    alt_click(3)
    first = gui.state.comparison.first
    assert first == Address(SAMPLE, ("walker.cpt",))
    alt_click(3)
    assert gui.state.comparison.first is None
    alt_click(3)
    alt_click(4)
    assert gui.state.comparison.sides == (ComparedSide(first), ComparedSide(Address(SAMPLE, ("walker.ndp",))))
    assert gui.document.address == address


@pytest.mark.parametrize(
    "name", ["trunc_0.msh", "res13_attr3.msh", "res3_huge_values.msh", "res1_parent_cycle2.msh"]
)
def test_damaged_models_are_compared_too(gui: GuiTester, samples: Path, name: str) -> None:
    sides = [str(samples / "damaged" / it) for it in ("base/base.msh", f"msh/{name}.msh")]
    gui.commands.comparing.compare(*(ComparedSide(Address.parse(it)) for it in sides))
    gui.until(lambda: gui.state.comparison.shown is not None)
    gui.settle()
    shown = gui.state.comparison.shown
    assert shown is not None
    assert shown.problem or (shown.found is not None and shown.found.changes)


def test_it_is_compared_again_after_an_edit_and_what_another_program_writes(
    gui: GuiTester, edited: tuple[str, str]
) -> None:
    first, second = (Address.parse(it) for it in edited)
    gui.commands.comparing.compare(ComparedSide(first), ComparedSide(second))
    before = found(gui)
    assert before.found is not None
    tables = {it.table for it in before.found.tables}
    assert "keys" in tables
    assert "batches" not in tables
    gui.commands.edits.edit(first, (SetField("batches", RowChoice.of(0), "flags", 0x1234),))
    gui.settle()
    after = found(gui)
    assert after.found is not None
    assert {it.table for it in after.found.tables} == {*tables, "batches"}
    gui.app.editing.edits.drop(first.path)
    second.path.write_bytes(first.path.read_bytes())
    for _ in range(2):
        gui.app.editing.watch.look()
    gui.settle()
    again = found(gui)
    assert again.found is not None
    assert again.found.tables == ()
