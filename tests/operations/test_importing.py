"""Import by the window and by the shell: the same changes, the same bytes."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from tests.cli.console import Capture, failure, success
from tests.corpora import GAME, folders
from tests.model.convert.importing.scenes import without_node
from tests.model.convert.importing.test_new_clips import with_wave
from tests.share import IS_WHOLE, some
from viewer.control.converting.importing import write_new
from viewer.errors import MshviewError, OutputError
from viewer.formats.msh.nodes import NONE
from viewer.json_types import members
from viewer.model.compare.edit_report import FoundDiagnostic
from viewer.model.convert import exchange
from viewer.model.convert.from_model import scene_of
from viewer.model.convert.importing.findings import ImportChoices, OtherLevels
from viewer.model.convert.options import Options
from viewer.model.convert.scene import Node, Scene
from viewer.model.convert.scene_file import JSON, SUFFIXES
from viewer.model.edit.nodes.node_count import RemoveNode
from viewer.model.kinds.registry import MODEL, promised_kind
from viewer.model.mesh.reading_choices import ReadingChoice
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import entry_of
from viewer.operations.imports.plan import ImportPlan, plan_import
from viewer.operations.opening import Source, model_of
from viewer.operations.reading_options import ReadingOptions

SHORT: dict[str, object] = {"before": None, "after": None}
"""The values, which are compared as bytes; printed ones have fewer digits."""
OPTIONS = Options(has_textures=False)
LARGE = 200_000
"""Bytes of a model from which on only a whole run has it: it shows the same as a small one, but longer."""


@pytest.fixture
def models(folder: Path) -> list[Address]:
    """Models of the sample or of a corpus; of those that have the same bytes one."""
    return different(FileStore(), folder, models_in(folder))


def different(library: FileStore, folder: Path, models: Iterable[Address]) -> list[Address]:
    """The models of a folder that are tried: of those with equal bytes one."""
    found = {bytes(library.open(it).data): it for it in models}
    return some((it for data, it in found.items() if len(data) < LARGE or IS_WHOLE), folder)


def models_in(folder: Path) -> Iterator[Address]:
    """Yield every model in the archives and the files of a folder."""
    library = FileStore()
    for path in sorted(it for it in folder.rglob("*") if it.suffix.lower() in (".rlb", ".msh")):
        item = library.open(Address(path))
        if promised_kind(item) is MODEL:
            yield item.address
        container = item.container if promised_kind(item).is_archive else None
        if container is None:
            continue
        for row in range(len(container.entries)):
            entry = entry_of(item, container, row)
            if promised_kind(entry) is MODEL:
                yield entry.address


def write(scene: Scene, path: Path) -> Path:
    """Write a scene as a file in the format of its suffix."""
    for name, data in exchange.files_of(scene, path.suffix[1:], path.stem).items():
        path.with_name(name).write_bytes(data)
    return path


def edited(scene: Scene) -> Scene:
    """A scene with other names, positions and materials, as far as it has them."""
    nodes = tuple(
        replace(it, name="claw" if at == len(scene.nodes) - 1 else it.name)
        for at, it in enumerate(scene.nodes)
    )
    meshes = tuple(
        replace(
            mesh,
            primitives=tuple(
                replace(it, positions=it.positions * np.float32(1.25)) for it in mesh.primitives
            ),
        )
        for mesh in scene.meshes[:1]
    )
    materials = tuple(
        replace(it, name="BRASS" if at == 0 else it.name) for at, it in enumerate(scene.materials)
    )
    return replace(scene, nodes=nodes, meshes=(*meshes, *scene.meshes[1:]), materials=materials)


def bytes_after(planned: ImportPlan, path: Path) -> bytes:
    """The bytes of a file after the import."""
    return next(bytes(it.after) for it in planned.files or () if it.path == path)


def arguments(path: Path, address: Address, out: Path) -> tuple[object, ...]:
    """The verb that imports a file."""
    into = "--into" if address.entries else "--template"
    return "import", path, into, address, "-o", out, "--force", "--json"


@folders("seed", "field")
def test_an_unedited_file_changes_nothing_in_another_reading(
    folder: Path, models: list[Address], tmp_path: Path
) -> None:
    readings = [it for it in (ReadingChoice.SEED, ReadingChoice.FIELD) if str(it) != folder.name]
    for address, reading in product(models, readings):
        library = FileStore()
        try:
            model = model_of(library, Source(address, ReadingOptions(reading)))
        except MshviewError:
            continue
        path = write(scene_of(model, OPTIONS), tmp_path / "same.glb")
        planned = plan_import(library, path, Source(address))
        assert (planned.changes, planned.byte_count) == ((), 0), address


@folders("seed", "field")
def test_the_window_and_the_shell_change_the_same(
    models: list[Address], tmp_path: Path, capsys: Capture
) -> None:
    for address in models:
        library = FileStore()
        try:
            model = model_of(library, Source(address, ReadingOptions(ReadingChoice.SEED)))
        except MshviewError:
            continue
        path, out = write(edited(scene_of(model, OPTIONS)), tmp_path / "edited.glb"), tmp_path / "out"
        planned = plan_import(library, path, Source(address))
        if planned.problem:
            assert failure(capsys, *arguments(path, address, out)).endswith(planned.problem)
            continue
        told = json.loads(success(capsys, *arguments(path, address, out))[0])
        assert out.read_bytes() == bytes_after(planned, address.path), address
        own = [it for file in planned.files or () if file.path == address.path for it in file.report.rows]
        assert [{**it, **SHORT} for it in own] == [it | SHORT for it in told["changes"]], address
        declined = planned.without(planned.library_indices)
        assert [*map(str, declined.losses)] == told["lossy"], address


WALKER = Address(GAME / "models.rlb", ("walker.msh",))


def walker_without(name: str, path: Path, *, stretch: float = 1.0) -> Path:
    """An export of the sample's robot without a part, with another shape of its pelvis."""
    scene = scene_of(model_of(FileStore(), Source(WALKER)), OPTIONS)
    gone = [node.name for node in scene.nodes].index(name)
    nodes = [
        replace(it, parent=it.parent - 1 if it.parent is not None and it.parent > gone else it.parent)
        for it in scene.nodes
        if it.name != name
    ]
    views = tuple(replace(it, shown=(*it.shown[:gone], *it.shown[gone + 1 :])) for it in scene.views)
    first = scene.meshes[0]
    wide = replace(
        first,
        primitives=tuple(
            replace(it, positions=it.positions * np.float32(stretch)) for it in first.primitives
        ),
    )
    return write(replace(scene, nodes=tuple(nodes), views=views, meshes=(wide, *scene.meshes[1:])), path)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_new_model_is_made_and_judged_alike_in_window_and_shell(
    suffix: str, tmp_path: Path, capsys: Capture
) -> None:
    for name in ("shell", "window"):
        shutil.copytree(GAME, tmp_path / name)
    path = tmp_path / f"new.{suffix}"
    if suffix == JSON:
        success(capsys, "export", WALKER, "-o", path)
    else:
        write(edited(scene_of(model_of(FileStore(), Source(WALKER)), OPTIONS)), path)
    shell, window = (tmp_path / name / "new.msh" for name in ("shell", "window"))
    told = json.loads(success(capsys, "import", path, "-o", shell, "--json")[0])
    planned = write_new(FileStore(), path, Source(Address(window)))
    names = ("new.msh",) if suffix == JSON else ("new.msh", "new.wea")
    assert tuple(it.name for it in sorted(window.parent.glob("new.*"))) == names
    for name in names:
        assert window.with_name(name).read_bytes() == shell.with_name(name).read_bytes()
    assert [*map(str, planned.losses)] == told["lossy"]
    assert [*map(str, planned.notes)] == told["notes"]
    problems = [members(FoundDiagnostic.found(it)) for it in planned.added]
    assert problems == [
        it | {"source": str(window.parent / Path(it["source"]).name)} for it in told["diagnostics"]
    ]
    is_said = ("W06", "'BRASS' is not in Material.lib; DEFAULT is shown") in [
        (it["rule"], it["message"]) for it in problems
    ]
    assert is_said == (suffix != JSON)
    if suffix != JSON:
        with pytest.raises(OutputError, match="exists already"):
            write_new(FileStore(), path, Source(Address(window)))
        assert "exists already" in failure(capsys, "import", path, "-o", shell)


def test_a_dropped_empty_node_stays_in_window_and_shell(tmp_path: Path, capsys: Capture) -> None:
    path, out = walker_without("CP_walker", tmp_path / "w.glb"), tmp_path / "out.msh"
    planned = plan_import(FileStore(), path, Source(WALKER))
    assert (planned.changes, planned.found.has_referenced) == ((), True)
    template = "--template", f"{WALKER}"
    told = json.loads(success(capsys, "import", path, *template, "-o", out, "--json")[0])
    assert told["changes"] == []
    assert any("CP_walker (walker.cpt points[3].nodes (CameraCenter)" in it for it in told["notes"])
    cleared = plan_import(FileStore(), path, Source(WALKER), ImportChoices(clears_references=True))
    assert cleared.found.changes == (RemoveNode(36, clears_references=True),)
    told = json.loads(
        success(capsys, "import", path, *template, "-o", out, "--clear-references", "--json")[0]
    )
    needed = "walker.cpt, walker.ndp would have to change too; --into"
    assert any(it.startswith(needed) for it in told["notes"]), told["notes"]


@pytest.mark.parametrize(("socket", "number"), [("Base_cargo", 37), ("Base_TM", 38)])
def test_a_socket_that_a_program_dropped_as_empty_stays(
    socket: str, number: int, tmp_path: Path, capsys: Capture
) -> None:
    """As gltf-transform prune does; nothing in the archive refers to it, but units mount parts on it."""
    path = walker_without(socket, tmp_path / "w.glb")
    planned = plan_import(FileStore(), path, Source(WALKER))
    assert (planned.changes, planned.found.has_referenced) == ((), True)
    arguments = ("import", path, "--template", WALKER, "-o", tmp_path / "out.msh", "--json")
    told = json.loads(success(capsys, *arguments)[0])
    assert told["changes"] == []
    assert any(f"{socket} (units, whose parts are mounted on it)" in it for it in told["notes"])
    assert (tmp_path / "out.msh").read_bytes() == bytes(FileStore().open(WALKER).data)
    told = json.loads(success(capsys, *arguments, "--clear-references")[0])
    removed = [it["row"] for it in told["changes"] if (it["table"], it["what"]) == ("nodes", "removed")]
    assert removed == [number], "the option removes it all the same"


def test_other_levels_are_chosen_in_window_and_shell(tmp_path: Path, capsys: Capture) -> None:
    path, out = walker_without("CP_walker", tmp_path / "w.glb", stretch=1.5), tmp_path / "out.rlb"
    for levels in OtherLevels:
        planned = plan_import(FileStore(), path, Source(WALKER), ImportChoices(other_levels=levels))
        assert planned.found.has_outdated
        into = "--into", f"{WALKER}", "--other-levels", str(levels)
        success(capsys, "import", path, *into, "-o", out)
        assert out.read_bytes() == bytes_after(planned, WALKER.path)
        slots = FileStore().open(Address(out, ("walker.msh",))).read_model().nodes["slots"][1, 0]
        assert (
            slots.tolist()[:3] == {"leave": [0, 1, 2], "clear": [0, NONE, NONE], "reuse": [0, 0, 0]}[levels]
        )


def test_a_new_root_is_a_node_inserted_and_the_rest_renumbered(tmp_path: Path, capsys: Capture) -> None:
    scene = scene_of(model_of(FileStore(), Source(WALKER)), OPTIONS)
    nodes = (replace(scene.nodes[0], parent=len(scene.nodes)), *scene.nodes[1:], Node("top"))
    path = write(replace(scene, nodes=nodes, views=()), tmp_path / "w.glb")
    out = success(capsys, "import", path, "--into", f"{WALKER}", "-o", tmp_path / "out.rlb")[0]
    assert len(out.splitlines()) < 200
    assert "39 renumbered" in out


def test_what_is_left_out_is_no_fault_of_the_import_but_said(tmp_path: Path) -> None:
    library, source = FileStore(), Source(Address(GAME / "models.rlb", ("walker.msh",)))
    scene = scene_of(model_of(library, source), OPTIONS)
    at = next(index for index, node in enumerate(scene.nodes) if node.track is None and not node.cells)
    x, y, z = scene.nodes[at].position
    moved = replace(scene.nodes[at], position=(x, y, z + 2))
    path = write(replace(scene, nodes=(*scene.nodes[:at], moved, *scene.nodes[at + 1 :])), tmp_path / "a.glb")
    planned = plan_import(library, path, source)
    assert (len(planned.changes), planned.losses, planned.notes) == (1, (), ())
    declined = planned.without(frozenset([0])).worked_out(library)
    words = f"left out: {moved.name}: up to 2 units from where the file has it"
    assert (declined.losses, declined.notes) == ((), (words,))


def test_a_new_clip_is_offered_as_a_state_of_the_controller(tmp_path: Path, capsys: Capture) -> None:
    """Also while a node is removed, whose number the channels of the controller follow."""
    scene = replace(without_node(scene_of(model_of(FileStore(), Source(WALKER)), OPTIONS), 3), views=())
    path, out = tmp_path / "w.glb", tmp_path / "out.rlb"
    path.write_bytes(with_wave(write(scene, path).read_bytes(), [0, 20], [0, 40]))
    planned = plan_import(FileStore(), path, Source(WALKER))
    assert planned.controller == Address(WALKER.path, ("walker.ctl",))
    assert any("a new clip can be a state of walker.ctl" in it for it in planned.notes)
    before = model_of(FileStore(), Source(WALKER)).controller
    arguments = ("import", path, "--into", f"{WALKER}", "-o", out, "--game", GAME)
    success(capsys, *arguments)
    assert len(model_of(FileStore(), Source(Address(out, ("walker.msh",)))).controller.clips) == 7
    success(capsys, *arguments, "--states", "--force")
    asked = plan_import(FileStore(), path, Source(WALKER), ImportChoices(adds_states=True))
    assert out.read_bytes() == bytes_after(asked, WALKER.path)
    after = model_of(FileStore(), Source(Address(out, ("walker.msh",)))).controller
    assert [it.frames_a for it in after.clips] == [*(it.frames_a for it in before.clips), (101, 121)]
    assert after.clips[-1].frames_b is None
    assert after.clips[-1].seconds == pytest.approx(20 / 15)
    assert [it.node for it in after.channels] == [it.node - (it.node > 3) for it in before.channels]
