"""What several entries of an overview have in common: their menu, and the files written of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from imgui_bundle import imgui

from tests.corpora import GAME
from tests.gui.hand import click
from tests.gui.harness import Context, GuiTester
from tests.gui.window.test_overview_window import FOLDER, filtered, shown
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.session.exporting import EntryFile
from viewer.session.jobs import CorpusScope

pytestmark = pytest.mark.closed("browser", "outline", "inspector")
WALKER = Address(GAME / "models.rlb", ("walker.msh",))
WEAR = Address(GAME / "models.rlb", ("walker.wea",))


def test_selected_entries_are_exported_and_what_cannot_be_is_said_before(
    crane: GuiTester, tmp_path: Path
) -> None:
    crane.commands.exporting.show_entries((WALKER, WEAR))
    out = tmp_path / "out"
    out.mkdir()
    crane.commands.exporting.place(out)
    crane.settle()
    question = crane.state.converting.export
    assert question is not None
    assert question.preview is not None
    assert [name for name, _size in question.preview.files] == ["walker.msh.glb"]
    assert [(it.name, it.reason) for it in question.preview.refused] == [("walker.wea", "is not a model")]
    click(crane, "//export/###run")
    crane.settle()
    assert [it.name for it in out.iterdir()] == ["walker.msh.glb"]
    assert crane.state.converting.written is None


def test_selected_entries_are_extracted_byte_for_byte(crane: GuiTester, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "walker.wea").write_bytes(b"old")
    crane.commands.entry_files.show(EntryFile.PAYLOAD, (WALKER, WEAR, Address(GAME / "models.rlb")))
    crane.commands.entry_files.place(out)
    crane.settle()
    question = crane.state.converting.files
    assert question is not None
    assert question.preview is not None
    assert question.preview.replaced == ("walker.wea",)
    assert [it.name for it in question.preview.refused] == ["models.rlb"]
    click(crane, "//entry_files/###run")
    crane.settle()
    store = FileStore()
    written = {it.name: it.read_bytes() for it in out.iterdir()}
    assert written.pop("walker.wea.bak") == b"old"
    assert written == {it.name: bytes(store.open(it).data) for it in (WALKER, WEAR)}


def test_entries_of_the_same_name_are_named_after_their_archives(crane: GuiTester, tmp_path: Path) -> None:
    """Neither overwrites the other."""
    _state, found = shown(crane)
    names = [str(it.name).casefold() for it in found.addresses]
    several = sorted(it for it in {*names} if names.count(it) > 1)
    assert several, "the game has no name twice"
    entries = [it for it in found.addresses if it.name.casefold() == several[0]]
    crane.commands.entry_files.show(EntryFile.PAYLOAD, entries)
    crane.commands.entry_files.place(tmp_path)
    crane.settle()
    question = crane.state.converting.files
    assert question is not None
    assert question.preview is not None
    assert {name for name, _size in question.preview.files} == {f"{it.path.name}_{it.name}" for it in entries}


def test_an_entry_that_fails_is_reported_and_the_others_are_written(crane: GuiTester, tmp_path: Path) -> None:
    missing = Address(GAME / "models.rlb", ("nobody.msh",))
    crane.commands.entry_files.show(EntryFile.PAYLOAD, (missing, WALKER))
    crane.commands.entry_files.place(tmp_path)
    crane.settle()
    crane.commands.entry_files.run(is_wanted=True)
    crane.settle()
    report = crane.state.converting.written
    assert report is not None
    assert (report.written, [it.name for it in report.failures]) == (1, ["nobody.msh"])


def test_statistics_are_those_of_the_selected_entries_alone(crane: GuiTester) -> None:
    crane.commands.statistics.count_entries((WALKER,))
    crane.settle()
    corpus = crane.state.corpus
    assert corpus.request is not None
    assert corpus.request.scope is CorpusScope.ENTRIES
    assert {it.models for it in corpus.found} == {1}


def test_the_menu_of_several_rows_offers_what_all_can(crane: GuiTester) -> None:
    _state, found = shown(crane)
    crane.run(lambda context: context.item_input_value("//overview/**/##overview_filter", "walker"))
    crane.until(lambda: crane.state.overviews[FOLDER].arranged is not None)
    crane.until(lambda: filtered(crane).query.filter == "walker")
    crane.frames(2)
    rows = filtered(crane).rows[:3].tolist()
    first, second, third = (f"//overview/**/###row{row}" for row in rows)

    def select(context: Context) -> None:
        context.item_click(first)
        context.key_down(imgui.Key.mod_shift.value)
        context.item_click(third)
        context.key_up(imgui.Key.mod_shift.value)
        context.item_click(second, imgui.MouseButton_.right)
        context.item_click("//$FOCUSED/###export_entries")

    crane.run(select)
    question = crane.state.converting.export
    assert question is not None
    assert question.entries == tuple(found.addresses[row] for row in rows)
