"""What several entries of an overview have in common: their menu, and the files written of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import PIL.Image
import pytest
from imgui_bundle import imgui
from msgspec.structs import replace

from tests.corpora import GAME
from tests.gui.hand import click
from tests.gui.harness import Context, GuiTester
from tests.gui.window.test_overview_window import FOLDER, filtered, shown
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.session.exporting import EntryFile
from viewer.session.jobs import CorpusScope

pytestmark = pytest.mark.closed("browser", "outline", "inspector", "tables")
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


def test_further_entries_are_added_to_the_statistics(crane: GuiTester) -> None:
    drone = Address(WALKER.path, ("drone.msh",))
    crane.commands.statistics.count_entries((WALKER,))
    crane.commands.statistics.count_field("nodes.parent")
    crane.commands.statistics.add_entries((drone, WALKER))
    crane.settle()
    corpus = crane.state.corpus
    assert corpus.request is not None
    assert corpus.request.entries == (WALKER, drone)
    assert [(it.field, it.models) for it in corpus.found] == [("nodes.parent", 2)]


def test_the_menu_of_several_rows_offers_what_all_can(crane: GuiTester) -> None:
    _state, found = shown(crane)
    crane.run(lambda context: context.item_input_value("**/##overview_filter", "walker"))
    crane.until(lambda: crane.state.overviews[FOLDER].arranged is not None)
    crane.until(lambda: filtered(crane).query.filter == "walker")
    crane.frames(2)
    rows = filtered(crane).rows[:3].tolist()
    first, second, third = (f"**/###row{row}" for row in rows)

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


def test_selected_models_and_textures_become_pictures(crane: GuiTester, tmp_path: Path) -> None:
    """The models are drawn as the view is set: from its direction, here in a silhouette of their own."""
    out, armour = tmp_path / "out", Address(GAME / "Textures.lib", ("ARMOUR.0",))
    out.mkdir()
    crane.commands.entry_files.show(EntryFile.PICTURE, (WALKER, WEAR, armour))
    question = crane.state.converting.files
    assert question is not None
    crane.commands.entry_files.ask(replace(question, folder=out, size=(80, 60), is_transparent=True))
    crane.settle()
    question = crane.state.converting.files
    assert question is not None
    assert question.preview is not None
    assert [it.name for it in question.preview.refused] == ["walker.wea"]
    before = crane.picture()
    click(crane, "//entry_files/###run")
    crane.until(lambda: not crane.app.jobs.is_busy)
    drawn = {it.name: np.asarray(PIL.Image.open(it).convert("RGBA")) for it in out.iterdir()}
    assert {*drawn} == {"walker.msh.png", "ARMOUR.0.png"}
    walker = drawn["walker.msh.png"]
    assert walker.shape == (60, 80, 4)
    assert 300 < np.count_nonzero(walker[..., 3]) < walker[..., 3].size // 2
    assert not walker[0, 0].any()
    assert crane.state.converting.written is None
    np.testing.assert_array_equal(crane.picture(), before)


def test_pictures_end_when_they_are_cancelled(crane: GuiTester, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    crane.commands.entry_files.show(EntryFile.PICTURE, (WALKER,))
    crane.commands.entry_files.place(out)
    crane.settle()
    crane.app.images.ordered.update = lambda: None  # type: ignore[method-assign]  # a card that is never done
    crane.commands.entry_files.run(is_wanted=True)
    crane.frames(3)
    (job,) = crane.app.jobs.writing
    crane.commands.window.cancel_job(job.lane)
    del crane.app.images.ordered.update
    crane.until(lambda: not crane.app.jobs.is_busy)
    crane.frames(2)
    assert not [*out.iterdir()]
    assert not crane.app.images.ordered.has_work
    assert "cancelled" in crane.state.notice


def test_what_is_written_next_to_the_same_folder_ends_nothing(crane: GuiTester, tmp_path: Path) -> None:
    """The folder is proposed again, while the pictures before are still drawn."""
    out = tmp_path / "out"
    out.mkdir()
    crane.app.images.ordered.update = lambda: None  # type: ignore[method-assign]  # a card that is slow
    for what, entry in ((EntryFile.PICTURE, WALKER), (EntryFile.PAYLOAD, WEAR)):
        crane.commands.entry_files.show(what, (entry,))
        crane.commands.entry_files.place(out)
        crane.until(lambda: (it := crane.state.converting.files) is not None and it.preview is not None)
        crane.commands.entry_files.run(is_wanted=True)
        crane.frames(3)
    crane.until(lambda: len(crane.app.jobs.writing) == 1)
    del crane.app.images.ordered.update
    crane.until(lambda: not crane.app.jobs.is_busy)
    assert {it.name for it in out.iterdir()} == {"walker.msh.png", "walker.wea"}
