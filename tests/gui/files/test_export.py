"""Export in the window: what is asked, what is written, and that models come back as they were."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import pytest
from imgui_bundle import imgui
from msgspec.structs import replace

from tests.gui.browser.test_trees import row_of
from tests.gui.editing.test_editing import edit, flags
from tests.gui.hand import choose, click, press, type_into
from tests.gui.harness import BOTTOM, Context, GuiTester, exists
from viewer.cli.main import main
from viewer.model.convert.gltf.read import read
from viewer.model.convert.options import Options
from viewer.model.convert.scene_file import GLB, JSON, OBJ
from viewer.model.convert.text.reading import bytes_of
from viewer.model.store.address import Address
from viewer.options import Declared, Option, option_at
from viewer.resources import bundled_path
from viewer.session.exporting import ExportChoices, ExportQuestion, ExportScope
from viewer.translation import _
from viewer.typed_json import Limits, made
from viewer.ui.converting import export_window
from viewer.ui.widgets.input.number_field import entered

pytestmark = pytest.mark.closed("outline", "inspector", *BOTTOM)


def asked(gui: GuiTester) -> ExportQuestion:
    """What the window asks."""
    assert gui.state.converting.export is not None
    return gui.state.converting.export


def ask(gui: GuiTester, **fields: object) -> ExportQuestion:
    """Ask with other choices, and wait until it is known what will be written."""
    question = asked(gui)
    choices = {name: it for name, it in fields.items() if hasattr(question.choices, name) and name != "scope"}
    others = {name: it for name, it in fields.items() if name not in choices}
    gui.commands.exporting.ask(replace(question, choices=replace(question.choices, **choices), **others))
    gui.settle()
    return asked(gui)


def test_what_a_file_does_not_hold_is_said_before_it_is_written_as_in_the_shell(
    gui: GuiTester, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    walker = f"{bundled_path('assets/game/models.rlb')}::walker.msh"
    gui.open(walker)
    gui.commands.exporting.show()
    gui.settle()
    found = ask(gui, suffix=GLB).preview
    assert found is not None
    assert main(["export", walker, "-o", str(tmp_path / "w.glb")]) == 0
    said = capsys.readouterr().err.splitlines()
    assert found.notes
    assert [line.split(".glb: ")[1] for line in said] == [*found.losses, *found.notes]


def test_what_is_open_is_exported_as_the_window_says(gui: GuiTester, archive: Path, tmp_path: Path) -> None:
    gui.open(archive)
    edit(gui, flags(0x1234))
    folder = tmp_path / "out"
    folder.mkdir()
    gui.commands.exporting.show()
    gui.commands.exporting.place(folder / "lifted.glb")
    gui.settle()
    found = asked(gui).preview
    assert found is not None
    assert (found.nodes, found.materials, found.frames) == (4, 2, 21)
    assert not [*folder.iterdir()], "nothing is written before it is wanted"
    click(gui, "//export/###run")
    gui.settle()
    assert gui.state.converting.export is None
    data = (folder / "lifted.glb").read_bytes()
    assert found.files == (("lifted.glb", len(data)),)
    fields = [it.fields for mesh in read(data).meshes for it in mesh.primitives if it.batch == 0]
    assert fields[0]["flags"] == 0x1234, "with what is not saved yet"

    gui.select(2)
    gui.commands.exporting.show(scope=ExportScope.SELECTION)
    gui.settle()
    chosen = ask(gui, suffix=OBJ)
    assert chosen.preview is not None
    assert chosen.preview.nodes == 3, "the arm with the mast and the base below it"
    assert {name for name, _ in chosen.preview.files} == {"crane.obj", "crane.mtl", "crane.obj.json"}
    ask(gui, scope=ExportScope.MODEL, suffix=JSON, stem="lifted", folder=folder)
    click(gui, "//export/###run")
    gui.settle()
    text = (folder / "lifted.json").read_bytes()
    assert bytes_of(text) == bytes(gui.document.model.archive.data)
    gui.app.save_settings()
    stored = json.loads((tmp_path / "settings.json").read_bytes())
    assert stored["export"]["suffix"] == JSON
    assert made(ExportChoices, stored["export"]) == gui.state.settings.export


def test_numbers_and_switches_are_drawn_as_they_are_declared(
    gui: GuiTester, archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rest = Declared(("rest",), Annotated[float, Limits(9), Option(_("Speed"))], Option(_("Speed")))
    keys = option_at(Options, "has_frame_keys")
    monkeypatch.setattr(export_window, "_OPTIONS", (keys, rest))
    gui.open(archive)
    gui.commands.exporting.show()
    gui.settle()
    for typed, number in (("2.5", 2.5), ("12", 9.0), ("x", 9.0)):
        type_into(gui, "//export/##rest", typed)
        gui.settle()
        assert asked(gui).choices.scene.rest == number
    click(gui, "//export/###has_frame_keys")
    gui.settle()
    assert not asked(gui).choices.scene.has_frame_keys
    ask(gui, suffix=OBJ)
    click(gui, "//export/###has_frame_keys")
    gui.settle()
    assert not asked(gui).choices.scene.has_frame_keys, "OBJ cannot hold it"
    optional = rest._replace(kind=Annotated[Annotated[float, Limits(9)] | None, Option(_("Speed"))])
    assert entered(optional, "", 2.0) is None
    assert entered(rest, "", 2.0) == 2.0
    assert entered(rest, "nan", 2.0) == entered(rest, "-", 2.0) == 2.0
    whole = entered(rest._replace(kind=Annotated[int | None, Limits(9)]), "12", None)
    assert (type(whole), whole) == (int, 9)


def pressing(key: imgui.Key) -> Callable[[Context], None]:
    """A script that presses a key."""
    return lambda context: context.key_press(int(key))


def test_enter_exports_and_esc_closes(gui: GuiTester, archive: Path, tmp_path: Path) -> None:
    gui.open(archive)
    path = tmp_path / "crane.glb"
    for key, is_written in ((imgui.Key.escape, False), (imgui.Key.enter, True)):
        gui.commands.exporting.show()
        gui.commands.exporting.place(path)
        gui.settle()
        gui.run(pressing(key))
        gui.settle()
        assert gui.state.converting.export is None
        assert path.exists() is is_written


def test_enter_right_after_a_name_was_typed_replaces_nothing_unasked(
    gui: GuiTester, archive: Path, tmp_path: Path
) -> None:
    gui.open(archive)
    taken, free = tmp_path / "taken.glb", tmp_path / "free.glb"
    taken.write_bytes(b"old")
    gui.commands.exporting.show()
    gui.commands.exporting.place(tmp_path / "first.glb")
    gui.settle()
    type_into(gui, "//export/##stem", "taken")
    assert taken.read_bytes() == b"old"
    assert asked(gui).path == taken
    type_into(gui, "//export/##stem", "free")
    assert gui.state.converting.export is None
    assert free.read_bytes()[:4] == b"glTF"
    gui.commands.exporting.show()
    gui.commands.exporting.place(taken)
    gui.settle()
    press(gui, imgui.Key.enter)
    gui.settle()
    assert taken.read_bytes()[:4] == b"glTF", "the button said Replace"


def test_enter_with_another_window_in_front_exports_nothing(
    gui: GuiTester, archive: Path, tmp_path: Path
) -> None:
    gui.open(archive)
    gui.commands.exporting.show()
    gui.commands.exporting.place(tmp_path / "crane.glb")
    gui.settle()

    def enter_there(context: Context) -> None:
        context.window_focus("//browser")
        context.key_press(int(imgui.Key.enter))

    gui.run(enter_there)
    gui.settle()
    assert gui.state.converting.export is not None


def test_an_archive_is_exported_and_what_fails_is_named(
    gui: GuiTester, archive: Path, tmp_path: Path
) -> None:
    gui.open(archive)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "rock.msh.glb").write_bytes(b"old")
    choose(gui, "//browser/**/###entry0", "export")
    gui.settle()
    assert asked(gui).scope is ExportScope.ARCHIVE
    gui.commands.exporting.place(tmp_path / "out")
    gui.settle()
    found = asked(gui).preview
    assert found is not None
    assert found.replaced == ("rock.msh.glb",)
    gui.commands.exporting.run(is_wanted=True)
    gui.settle()
    report = gui.state.converting.written
    assert report is not None
    assert report.written == 2
    assert [it.name for it in report.failures] == ["broken.msh"]
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {"crane.msh.glb", "rock.msh.glb"}
    assert exists(gui, "//export_report")
    click(gui, "//export_report/###close")
    assert gui.state.converting.written is None


def test_models_come_back_from_every_format(gui: GuiTester, archive: Path) -> None:
    gui.open(archive)
    choose(gui, row_of(gui, "rock.msh"), "round_trip")
    gui.settle()
    report = gui.state.converting.trips
    assert report is not None
    (model,) = report.models
    assert {trip.suffix: trip.is_identical for trip in model.trips} == dict.fromkeys(
        ("glb", "gltf", "obj", "json"), True
    )
    gui.commands.round_trips.check(Address(archive))
    gui.settle()
    report = gui.state.converting.trips
    assert report is not None
    by_name = {model.name: [it.is_identical for it in model.trips] for model in report.models}
    assert by_name["crane.msh"] == [True] * 4
    assert by_name["broken.msh"] == [False] * 4
    click(gui, "//round_trip/###close")
    assert gui.state.converting.trips is None
