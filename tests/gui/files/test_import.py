"""Import in the window: what a file changes is listed, chosen, made as one step, and undone."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.corpora import GAME
from tests.gui.editing.test_editing import edit, flags
from tests.gui.hand import click
from tests.gui.harness import GuiTester, current, exists
from tests.model.convert.importing.scenes import without_node
from tests.model.convert.importing.test_new_clips import with_wave
from tests.operations.test_import_materials import edited as with_edits
from tests.operations.test_import_materials import tank_in, with_dome
from tests.operations.test_importing import write
from viewer.formats.archive import nres
from viewer.model.convert.from_model import scene_of
from viewer.model.convert.importing.findings import Missing
from viewer.model.convert.scene import Scene
from viewer.model.convert.scene_file import JSON, OBJ
from viewer.model.convert.text.writing import text_of
from viewer.model.edit.nodes.node_count import RemoveNode
from viewer.model.edit.set_field import SetField
from viewer.model.edit.values import RowChoice
from viewer.model.kinds.registry import MODEL
from viewer.model.material.materials import FoundIn
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.imports.plan import ImportPlan
from viewer.operations.opening import Source, model_of
from viewer.session.importing import ChangeGroup, groups_of
from viewer.ui.converting.import_window import lines_of, why_whole

pytestmark = pytest.mark.closed("browser", "outline", "inspector")


def exported(gui: GuiTester) -> Scene:
    """The open model as a scene."""
    return scene_of(gui.document.to_convert("crane.msh"))


def edited(scene: Scene) -> Scene:
    """Another name, a vertex moved, and another material."""
    nodes, materials, meshes = [*scene.nodes], [*scene.materials], [*scene.meshes]
    nodes[3] = replace(nodes[3], name="claw")
    materials[1] = replace(materials[1], name="BRASS")
    (shape,) = meshes[0].primitives
    moved = shape.positions.copy()
    moved[:, 2] += moved[:, 2] > 0
    meshes[0] = replace(meshes[0], primitives=(replace(shape, positions=moved),))
    return replace(scene, nodes=tuple(nodes), materials=tuple(materials), meshes=tuple(meshes))


def sheet_of(gui: GuiTester) -> ImportPlan:
    """What the import changes, once it is known."""
    gui.settle()
    assert gui.state.converting.sheet is not None, gui.state.message
    return gui.state.converting.sheet


def test_an_import_is_listed_chosen_made_and_undone(gui: GuiTester, archive: Path, tmp_path: Path) -> None:
    gui.open(archive)
    edit(gui, flags(0x1234))
    before = current(gui, archive)
    scene = exported(gui)

    gui.commands.importing.read(write(scene, tmp_path / "same.glb"))
    sheet = sheet_of(gui)
    assert (sheet.changes, sheet.byte_count, sheet.is_ready) == ((), 0, False), "also with unsaved changes"
    click(gui, "//import_sheet/###cancel")
    assert gui.state.converting.sheet is None

    path = write(edited(scene), tmp_path / "crane.glb")
    gui.commands.importing.drop((str(path),))
    click(gui, "//scene/**/###into")
    sheet = sheet_of(gui)
    groups = {(str(it.title), it.name): len(it.indices) for it in groups_of(sheet)}
    assert groups == {("Wear table", ""): 1, ("Part", "hook"): 1, ("Part", "base"): 1}
    assert "node base: 12 vertices moved" in [it.words for it in sheet.changes]
    assert any("node base: 12 vertices moved" in it for it in sheet.summary)
    assert sheet.is_ready
    assert sheet.value_count
    assert [str(topic) for topic in sheet.topics][:1] == ["slot bounds"]
    assert current(gui, archive) == before, "nothing is made before it is wanted"
    click(gui, "//import_sheet/###cancel")
    gui.settle()
    assert current(gui, archive) == before

    gui.commands.importing.read(path)
    whole = sheet_of(gui)
    renaming = next(
        index for index, it in enumerate(whole.changes) if "hook" in it.words or "claw" in it.words
    )
    gui.commands.importing.leave_out(frozenset({renaming}))
    part = sheet_of(gui)
    assert 0 < part.byte_count < whole.byte_count
    click(gui, "//import_sheet/###apply")
    gui.settle()
    (_, step) = gui.state.edits.of(archive).done
    assert step.words == "import crane.glb: node base: 12 vertices moved"
    assert [it.name for it in step.payloads] == ["crane.msh", "crane.wea"]
    assert gui.document.names[3] == "hook", "its change was left out"
    assert gui.document.materials.wear_names == ("YELLOW", "BRASS")
    again = exported(gui).meshes[0].primitives[0].positions
    assert again[:, 2].max() == edited(scene).meshes[0].primitives[0].positions[:, 2].max()
    gui.commands.edits.step(-1)
    gui.settle()
    assert current(gui, archive) == before, "one step, for the model and its wear table"


def test_many_changes_are_folded_by_node(gui: GuiTester, archive: Path, tmp_path: Path) -> None:
    """Each node has one line, with its changes below it; few are open at once."""
    gui.open(archive)
    gui.commands.importing.read(write(edited(exported(gui)), tmp_path / "crane.glb"))
    sheet = sheet_of(gui)
    groups = groups_of(sheet)
    number = next(index for index, it in enumerate(groups) if it.name == "base")
    whole, *opened = lines_of(sheet, groups)
    assert isinstance(whole, ChangeGroup)
    assert whole.indices == tuple(range(len(sheet.changes)))
    assert opened == [line for group in groups for line in (group, *group.indices)]
    (index,) = groups[number].indices
    assert [*lines_of(sheet, groups, {number})] == [whole, *(it for it in opened if it != index)]
    counts = {f"{it.table}.{it.field}": it.count for _ignored, it in sheet.differences}
    assert counts["positions.position"] == 12
    assert sum(counts.values()) == sheet.value_count


def test_what_is_not_in_the_file_is_left_or_removed(gui: GuiTester, archive: Path, tmp_path: Path) -> None:
    gui.open(archive)
    scene = exported(gui)
    last = len(scene.nodes) - 1
    gui.commands.importing.read(write(without_node(scene, last), tmp_path / "part.glb"))
    assert sheet_of(gui).found.missing is Missing.REMOVE
    assert [it.change for it in sheet_of(gui).changes] == [RemoveNode(last)]
    click(gui, "//import_sheet/###missing_keep")
    kept = sheet_of(gui)
    assert (kept.found.missing, kept.changes, kept.losses) == (Missing.KEEP, (), ())
    click(gui, "//import_sheet/###cancel")


def test_the_axis_that_is_up_can_be_chosen(gui: GuiTester, archive: Path, tmp_path: Path) -> None:
    gui.open(archive)
    scene = exported(gui)
    # A file that says Y is up, and whose vectors have Z up, as Blender writes it without +Y Up.
    path = write(replace(scene, options=replace(scene.options, is_y_up=False)), tmp_path / "crane.glb")
    path.write_bytes(path.read_bytes().replace(b'\\"is_y_up\\":false', b'\\"is_y_up\\":true '))
    gui.commands.importing.read(path)
    assert (sheet_of(gui).changes, sheet_of(gui).found.is_turned) == ((), True)
    click(gui, "//import_sheet/###is_y_up_True")
    assert sheet_of(gui).changes
    click(gui, "//import_sheet/###is_y_up_False")
    assert not sheet_of(gui).changes
    click(gui, "//import_sheet/###cancel")


def test_json_is_taken_over_and_other_files_are_refused(
    gui: GuiTester, archive: Path, tmp_path: Path
) -> None:
    gui.open(archive)
    stored = bytes(gui.document.model.archive.data)
    text = "".join(text_of(MODEL, stored)).replace('"hook"', '"claw"')
    (tmp_path / f"crane.{JSON}").write_text(text, "utf-8")
    gui.commands.importing.read(tmp_path / f"crane.{JSON}")
    sheet = sheet_of(gui)
    assert sheet.is_ready
    assert not sheet.changes, "all of it or nothing"
    assert why_whole(sheet).startswith("The text holds every byte")
    gui.commands.importing.answer(is_wanted=True)
    gui.settle()
    assert gui.document.names[3] == "claw"
    gui.commands.edits.step(-1)
    gui.settle()
    assert bytes(gui.document.model.archive.data) == stored
    (tmp_path / "bad.gltf").write_bytes(b'{"asset": ')
    gui.commands.importing.read(tmp_path / "bad.gltf")
    gui.settle()
    assert "bad.gltf" in gui.state.message
    assert gui.state.converting.sheet is None


def test_a_file_becomes_a_model_of_its_own(gui: GuiTester, archive: Path, tmp_path: Path) -> None:
    gui.open(archive)
    path = write(exported(gui), tmp_path / f"crane.{OBJ}")
    gui.commands.importing.drop((str(path),))
    assert exists(gui, "//scene/**/###new")
    gui.commands.importing.make_new(path, tmp_path / "made.msh")
    gui.settle()
    gui.until(lambda: str(gui.document.address).endswith("made.msh"))
    gui.settle()
    assert gui.document.names == ("base", "mast", "arm", "hook")
    assert gui.document.materials.wear_names[:2] == ("YELLOW", "STEEL")


def test_problems_of_a_new_model_are_in_the_log(gui: GuiTester, tmp_path: Path) -> None:
    tank = tank_in(tmp_path)
    gui.open(str(tank))
    path = write(edited(exported(gui)), tmp_path / "new.glb")
    gui.commands.importing.make_new(path, tank.path.with_name("new.msh"))
    gui.settle()
    said = [it for it in gui.state.log if it.startswith("new.wea: materials[") and "Material.lib" in it]
    assert any("BRASS" in it for it in said), gui.state.log
    assert any("found, listed in the log" in it for it in gui.state.log)


def test_materials_change_the_game_folder_in_the_same_step(gui: GuiTester, tmp_path: Path) -> None:
    tank = tank_in(tmp_path)
    paths = [tank.path, *(tank.path.with_name(name) for name in ("Material.lib", "Textures.lib"))]
    saved = [it.read_bytes() for it in paths]
    gui.open(str(tank))
    scene = with_dome(with_edits(scene_of(model_of(FileStore(), Source(tank)))))
    gui.commands.importing.read(write(scene, tmp_path / "tank.glb"))
    sheet = sheet_of(gui)
    groups = {it.name for it in groups_of(sheet) if str(it.title) == "Library"}
    expected = {"Material.lib::STEEL", "Material.lib::DOME", "Textures.lib::GRADED.0", "Textures.lib::dome.0"}
    assert groups == expected
    assert not sheet.added, "nothing is missing then"
    gui.settle()
    painted = next(at for at, it in enumerate(sheet.changes) if "replace the picture" in it.words)
    gui.commands.importing.leave_out(frozenset({painted}))
    sheet_of(gui)
    click(gui, "//import_sheet/###apply")
    gui.settle()
    assert [len(gui.state.edits.of(it).done) for it in paths] == [1, 1, 1]
    assert "DOME" in {it.name for it in gui.document.materials.rows}
    assert not [
        it for it in gui.document.materials.rows if it.found is not FoundIn.NAME and it.name != "LOST"
    ]
    textures = nres.Archive.read(current(gui, paths[2]))
    assert [it.text for it in textures.entries][-1] == "dome.0"
    graded = nres.Archive.read(saved[2]).find(b"GRADED.0")
    assert graded is not None
    assert textures.payload(graded) == nres.Archive.read(saved[2]).payload(graded), "its change was left out"

    made = [current(gui, it) for it in paths]
    gui.commands.edits.step(-1)
    gui.settle()
    assert [current(gui, it) for it in paths] == saved
    gui.commands.edits.step(1)
    gui.settle()
    assert [current(gui, it) for it in paths] == made

    gui.commands.edits.edit(
        Address.parse(f"{paths[1]}::DEFAULT"), (SetField("phases", RowChoice.of(0), "power", 3),)
    )
    gui.settle()
    later = current(gui, paths[1])
    gui.commands.edits.go_to(paths[0], 0)
    gui.settle()
    assert [current(gui, it) for it in paths] == [saved[0], later, saved[2]]
    assert "Material.lib was changed later" in gui.state.notice


def test_new_clips_become_states_if_that_is_chosen(gui: GuiTester, tmp_path: Path) -> None:
    models = tmp_path / "models.rlb"
    models.write_bytes((GAME / "models.rlb").read_bytes())
    gui.open(Address(models, ("walker.msh",)))
    path = write(scene_of(gui.document.to_convert("walker.msh")), tmp_path / "walker.glb")
    path.write_bytes(with_wave(path.read_bytes(), [0, 20], [0, 40]))
    gui.commands.importing.read(path)
    sheet = sheet_of(gui)
    assert not [it for it in groups_of(sheet) if it.name == "walker.ctl"]
    click(gui, "//import_sheet/###states")
    (group,) = (it for it in groups_of(sheet_of(gui)) if it.name == "walker.ctl")
    assert len(group.indices) == 3
    click(gui, "//import_sheet/###apply")
    gui.settle()
    clips = gui.document.controller.clips
    assert (clips[-1].frames_a, len(clips)) == ((101, 121), 8)
    gui.commands.edits.step(-1)
    gui.settle()
    assert len(gui.document.controller.clips) == 7
