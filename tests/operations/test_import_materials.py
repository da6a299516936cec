"""Materials of an imported file: what differs changes the libraries of the game folder, nothing else does."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from tests.builders import ModelBuilder, Node, archive_of, box
from tests.corpora import GAME
from tests.game_folders import MAT0, SEE_THROUGH, SKIN, archive, texture, write
from tests.operations.test_importing import models_in
from tests.share import some
from viewer.formats import mat0, wear
from viewer.formats.archive import nres
from viewer.formats.mat0 import PhaseRecord
from viewer.formats.texture import texm
from viewer.formats.texture.pixels import PixelFormat
from viewer.model.compare.file_plan import FilePlan
from viewer.model.convert import exchange
from viewer.model.convert.from_model import scene_of
from viewer.model.convert.importing.check.deviation import DeviationKind
from viewer.model.convert.scene import AlphaMode, Scene, SceneMaterial
from viewer.model.convert.scene_file import SceneFile, nothing
from viewer.model.convert.scene_images import SceneImage
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.imports.plan import ImportPlan, compare
from viewer.operations.imports.steps import planned_files
from viewer.operations.opening import Source, model_of

NAMES = (b"STEEL", b"LAMP", b"GLASS", b"HALO", b"BLOCK", b"LOST")
MATERIALS: Mapping[str, bytes | tuple[int, bytes]] = {
    "DEFAULT": mat0.build([PhaseRecord(b"PLAIN.0")]),
    "STEEL": (SKIN, mat0.build([PhaseRecord(b"STEEL.0", (60, 20, 5), diffuse=(200, 128, 33))])),
    "LAMP": mat0.build([PhaseRecord(b"PLAIN.0", (101, 50, 7), diffuse=(0, 0, 0))]),
    "GLASS": (SEE_THROUGH, mat0.build([PhaseRecord(b"GRADED.0", (3, 2, 1), 37, (101, 50, 7))])),
    "HALO": (8, mat0.build([PhaseRecord(b"LIGHT.0", (20, 10, 3), diffuse=(0, 0, 0))])),
    "BLOCK": mat0.build([PhaseRecord(b"STEEL.0", (1, 2, 3)), PhaseRecord(b"PLAIN.0")]),
}


def pixels(*size: int, seed: int = 0, alpha: int | None = 255) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """An image of so many rows and columns; alpha is random for None."""
    image = np.random.default_rng(seed).integers(0, 256, (*size, 4), np.uint8)
    image[..., 3] = image[..., 3] if alpha is None else alpha
    return image


TEXTURES = {
    "PLAIN.0": texture(),
    "STEEL.0": texm.build(pixels(8, 16), PixelFormat.RGB888),
    "GRADED.0": texm.build(pixels(8, 8, seed=1, alpha=None), PixelFormat.ARGB8888),
    "LIGHT.0": texm.build(pixels(8, 8, seed=2), PixelFormat.RGB888),
}


@pytest.fixture
def tank(tmp_path: Path) -> Address:
    """A model in a game folder."""
    return tank_in(tmp_path)


def tank_in(tmp_path: Path) -> Address:
    """A model with a box of each material, in a game folder that is written here."""
    write(tmp_path, Material=archive(MAT0, MATERIALS), Textures=archive(texm_type(), TEXTURES))
    nodes = [Node(f"n{row}", shapes={(0, 0): [box(material=row)]}) for row in range(len(NAMES))]
    files = {"tank.msh": ModelBuilder.of(nodes).build(), "tank.wea": wear.build(NAMES)}
    (tmp_path / "models.rlb").write_bytes(archive_of(files))
    return Address(tmp_path / "models.rlb", ("tank.msh",))


def texm_type() -> int:
    return int.from_bytes(b"Texm", "little")


def exported(address: Address, library: FileStore | None = None) -> Scene:
    return scene_of(model_of(library or FileStore(), Source(address)))


def with_material(scene: Scene, name: str, change: Callable[[Scene, SceneMaterial], SceneMaterial]) -> Scene:
    """The scene with another material in place of one."""
    made = tuple(change(scene, it) if it.name == name else it for it in scene.materials)
    return replace(scene, materials=made)


def painted(name: str, image: np.ndarray[Any, np.dtype[np.uint8]]) -> Callable[[Scene], Scene]:
    """Give a picture other pixels."""
    return lambda scene: replace(
        scene,
        images=tuple(SceneImage(name, image) if it.name == name else it for it in scene.images),
    )


def imported(address: Address, scene: Scene, *, is_foreign: bool = False) -> ImportPlan:
    """What a scene changes that went through a file, or through a program that drops what is not glTF's."""
    ((name, data),) = exchange.files_of(scene, "glb", "tank").items()
    data = without_extras(data) if is_foreign else data
    return compare(FileStore(), SceneFile(Path(name), data, "glb", nothing), Source(address))


def without_extras(glb: bytes) -> bytes:
    """A file as Blender writes it by default: no custom properties, images under names without suffix."""
    size = int.from_bytes(glb[12:16], "little")
    root, rest = json.loads(glb[20 : 20 + size]), glb[20 + size :]

    def plain(value: Any) -> Any:
        if isinstance(value, list):
            return [plain(it) for it in value]
        if isinstance(value, dict):
            return {key: plain(it) for key, it in value.items() if key != "extras"}
        return value

    root = plain(root)
    for image in root["images"]:
        image["name"] = image["name"].removesuffix(".0")
    text = json.dumps(root).encode()
    text += b" " * (-len(text) % 4)
    head = glb[:8] + (20 + len(text) + len(rest)).to_bytes(4, "little")
    return head + len(text).to_bytes(4, "little") + b"JSON" + text + rest


def made(compared: ImportPlan, left_out: range = range(0)) -> tuple[FileStore, tuple[FilePlan, ...]]:
    """The files after the import."""
    files = planned_files(FileStore(), compared.without(frozenset(left_out)))
    store = FileStore()
    for file in files:
        store.unsaved.overlay(file.path, file.after)
    return store, files


def words(compared: ImportPlan) -> list[str]:
    return [f"{it.address.name}: {it.change.words}" for it in compared.found.libraries]


def edited(scene: Scene) -> Scene:
    """A color changed and a picture painted."""
    scene = painted("GRADED.0", pixels(8, 8, seed=7, alpha=None))(scene)
    return with_material(scene, "STEEL", lambda _, it: replace(it, color=(1.0, 0.0, 0.0, 1.0)))


def with_dome(scene: Scene) -> Scene:
    """The scene with a new part, of a new material with a new picture."""
    image = SceneImage("dome.png", pixels(16, 32, seed=9))
    dome = SceneMaterial("DOME", color=(0.5, 1.0, 1.0, 1.0), image=len(scene.images))
    shape = replace(scene.meshes[0].primitives[0], material=len(scene.materials), batch=None, vertices=None)
    mesh = replace(scene.meshes[0], primitives=(shape,), slot=None)
    node = replace(scene.nodes[0], name="dome", number=None, cells={(0, 0): len(scene.meshes)})
    return replace(
        scene,
        nodes=(*scene.nodes, node),
        meshes=(*scene.meshes, mesh),
        materials=(*scene.materials, dome),
        images=(*scene.images, image),
        views=(),
    )


def glb(scene: Scene, folder: Path) -> str:
    """The path of a file of a scene."""
    path = folder / "edited.glb"
    ((_, data),) = exchange.files_of(scene, "glb", "edited").items()
    path.write_bytes(data)
    return str(path)


@pytest.mark.parametrize("is_foreign", [False, True])
def test_what_nobody_edited_changes_nothing(tank: Address, *, is_foreign: bool) -> None:
    found = imported(tank, exported(tank), is_foreign=is_foreign).found
    assert (found.libraries, found.changes, found.wear, found.losses) == ((), (), (), ())


@pytest.mark.parametrize("suffix", ["glb", "obj"])
def test_no_material_of_the_sample_changes_by_a_trip(suffix: str) -> None:
    """Its models, terrain among them, with their textures."""
    found = [*models_in(GAME)]
    assert found
    for address in some(found):
        *beside, (name, data) = exchange.files_of(exported(address), suffix, "model").items()
        variants = [data, without_extras(data)] if suffix == "glb" else [data]
        for variant in variants:
            file = SceneFile(Path(name), variant, suffix, dict(beside).__getitem__)
            compared = compare(FileStore(), file, Source(address))
            assert compared.found.libraries == (), address
            assert all(file.before == file.after for file in planned_files(FileStore(), compared)), address


def test_what_was_exported_without_the_game_folder_is_no_edit(
    tank: Address, tmp_path_factory: pytest.TempPathFactory
) -> None:
    alone = tmp_path_factory.mktemp("alone")
    (alone / "models.rlb").write_bytes(tank.path.read_bytes())
    scene = exported(Address(alone / "models.rlb", tank.entries))
    assert {it.fields["found"] for it in scene.materials} == {"missing"}
    assert words(imported(tank, scene)) == []
    red = with_material(scene, "STEEL", lambda _, it: replace(it, color=(1.0, 0.0, 0.0, 1.0)))
    assert words(imported(tank, red)) == ["STEEL: set phases[0].diffuse to [255, 0, 0]"]


def test_a_picture_that_was_encoded_again_is_the_same(tank: Address) -> None:
    """Rounding may move each channel by one; where nothing shows colors may be anything."""
    scene = exported(tank)

    def encoded(picture: SceneImage) -> SceneImage:
        image = picture.pixels.astype(np.int16)
        image[..., :3] += np.random.default_rng(5).integers(-1, 2, image[..., :3].shape, np.int16)
        if (image[..., 3] != 255).any():
            image[picture.pixels[..., 3] == 0] = (9, 9, 9, 0)
        return SceneImage(picture.name, image.clip(0, 255).astype(np.uint8))

    again = replace(scene, images=tuple(encoded(it) if it.name != "LIGHT.0" else it for it in scene.images))
    assert words(imported(tank, again)) == []


@pytest.mark.parametrize("is_foreign", [False, True])
@pytest.mark.parametrize(
    ("name", "values", "changes"),
    [
        ("STEEL", {"color": (1.0, 0.4, 0.0, 1.0)}, {"diffuse": (255, 102, 0)}),
        ("STEEL", {"emissive": (1.0, 0.0, 0.2)}, {"ambient": (255, 0, 51)}),
        ("LAMP", {"color": (1.0, 0.6, 0.8, 1.0)}, {"ambient": (255, 153, 204)}),
        ("GLASS", {"color": (0.0, 0.0, 1.0, 0.5)}, {"diffuse": (0, 0, 255), "ambient_alpha": 50}),
        ("HALO", {"color": (0.4, 0.6, 0.8, 1.0)}, {"ambient": (102, 153, 204)}),
        ("BLOCK", {"emissive": (1 / 255, 2 / 255, 1.0)}, {"ambient": (1, 2, 255)}),
    ],
)
def test_an_edited_color_changes_the_material(
    tank: Address, name: str, values: dict[str, Any], changes: dict[str, Any], *, is_foreign: bool
) -> None:
    scene = with_material(exported(tank), name, lambda _, it: replace(it, **values))
    compared = imported(tank, scene, is_foreign=is_foreign)
    expected = {f"{name}: set phases[0].{field} to {shown(it)}" for field, it in changes.items()}
    assert {*words(compared)} == expected
    store, _ = made(compared)
    after = {it.name: it for it in exported(tank, store).materials}[name]
    for field, value in values.items():
        assert np.allclose(getattr(after, field), value, atol=0.5 / 255 + 1e-6), field
    assert not imported(tank, exported(tank)).found.libraries, "nothing was written"


def shown(value: Any) -> str:
    return str(list(value)) if isinstance(value, tuple) else str(value)


@pytest.mark.parametrize("is_foreign", [False, True])
def test_a_painted_picture_replaces_its_texture(tank: Address, *, is_foreign: bool) -> None:
    scene = painted("GRADED.0", pixels(8, 8, seed=7, alpha=None))(exported(tank))
    compared = imported(tank, scene, is_foreign=is_foreign)
    assert words(compared) == ["GRADED.0: replace the picture by one of 8 x 8 pixels"]
    store, (model, textures) = made(compared)
    assert model.before == model.after
    assert textures.path.name == "Textures.lib"
    picture = next(it for it in exported(tank, store).images if it.name == "GRADED.0")
    assert np.array_equal(picture.pixels, pixels(8, 8, seed=7, alpha=None))


def test_the_picture_of_one_of_two_materials_is_another_texture(tank: Address) -> None:
    """STEEL.0 stays as it is for BLOCK, whose picture nobody touched."""
    scene, image = exported(tank), SceneImage("STEEL.0", pixels(4, 4, seed=8))
    scene = with_material(
        replace(scene, images=(*scene.images, image)),
        "STEEL",
        lambda scene, it: replace(it, image=len(scene.images) - 1),
    )
    compared = imported(tank, scene)
    assert words(compared) == [
        "Textures.lib: add entry STEEL_2.0",
        "STEEL: set phases[0].texture to STEEL_2.0",
    ]
    store, _ = made(compared)
    lookup = {it.name: it for it in exported(tank, store).images}
    assert lookup["STEEL.0"].pixels.shape == (8, 16, 4)
    assert np.array_equal(lookup["STEEL_2.0"].pixels, image.pixels)


def test_a_picture_that_the_library_has_is_only_named(tank: Address) -> None:
    def other(scene: Scene, material: SceneMaterial) -> SceneMaterial:
        return replace(material, image=next(it.image for it in scene.materials if it.name == "LAMP"))

    compared = imported(tank, with_material(exported(tank), "STEEL", other), is_foreign=True)
    assert words(compared) == ["STEEL: set phases[0].texture to PLAIN.0"]


def test_a_missing_material_is_created_and_the_default_stays(tank: Address) -> None:
    scene = with_material(exported(tank), "LOST", lambda _, it: replace(it, color=(1.0, 0.0, 0.0, 1.0)))
    compared = imported(tank, scene)
    assert words(compared) == ["Material.lib: add entry LOST"]
    _, (_, materials) = made(compared)
    assert materials.before is not None
    before, after = nres.Archive.read(materials.before), nres.Archive.read(materials.after)
    assert [it.text for it in after.entries] == [*(it.text for it in before.entries), "LOST"]
    for entry in before.entries:
        assert before.payload(entry.index) == after.payload(entry.index)
    lost = mat0.decode(after.payload(len(before.entries)))
    assert lost.phases["diffuse"].tolist() == [[255, 0, 0]]
    assert lost.texture(0) == b"PLAIN.0"


@pytest.mark.parametrize("is_foreign", [False, True])
def test_a_new_textured_part_brings_material_texture_and_row(tank: Address, *, is_foreign: bool) -> None:
    scene = with_dome(exported(tank))
    dome, image = scene.materials[-1], scene.images[-1]
    compared = imported(tank, scene, is_foreign=is_foreign)
    assert words(compared) == ["Textures.lib: add entry dome.0", "Material.lib: add entry DOME"]
    assert [str(it.words) for it in compared.found.wear] == [
        "add a row to materials",
        f"set materials[{len(NAMES)}].name to DOME",
    ]
    store, files = made(compared)
    assert {it.path.name for it in files} == {"models.rlb", "Textures.lib", "Material.lib"}
    assert not [it for file in files for it in file.report.added], "nothing is missing"
    after = exported(tank, store)
    found = next(it for it in after.materials if it.name == "DOME")
    assert np.allclose(found.color, dome.color, atol=0.5 / 255)
    assert found.image is not None
    assert np.array_equal(after.images[found.image].pixels, image.pixels)


def test_what_a_material_entry_does_not_decide_is_named_as_lost(tank: Address) -> None:
    def changed(_: Scene, it: SceneMaterial) -> SceneMaterial:
        return replace(it, alpha=AlphaMode.BLENDED)

    found = imported(tank, with_material(exported(tank), "STEEL", changed)).found
    assert [*map(str, found.losses)] == ["material STEEL: its alpha mode is left out"]


@pytest.mark.parametrize("is_foreign", [False, True])
def test_a_material_becomes_unlit_and_lit_again(tank: Address, *, is_foreign: bool) -> None:
    def unlit(_: Scene, it: SceneMaterial) -> SceneMaterial:
        return replace(it, is_unlit=True, color=(1.0, 0.6, 0.6, 1.0), emissive=(0.0, 0.0, 0.0))

    before = exported(tank)
    compared = imported(tank, with_material(before, "STEEL", unlit), is_foreign=is_foreign)
    assert words(compared) == [
        "STEEL: set phases[0].diffuse to [0, 0, 0]",
        "STEEL: set phases[0].ambient to [255, 153, 153]",
    ]
    assert compared.found.losses == ()
    _, files = made(compared)
    for file in files:
        file.path.write_bytes(file.after)
    after = {it.name: it for it in exported(tank).materials}["STEEL"]
    assert (after.is_unlit, after.emissive) == (True, (0.0, 0.0, 0.0))
    assert np.allclose(after.color, (1.0, 0.6, 0.6, 1.0), atol=0.5 / 255 + 1e-6)
    assert words(imported(tank, before, is_foreign=is_foreign)) == [
        "STEEL: set phases[0].diffuse to [200, 128, 33]",
        "STEEL: set phases[0].ambient to [60, 20, 5]",
    ]


def test_a_copy_with_another_look_is_named(tank: Address) -> None:
    """STEEL.001 goes to the row of STEEL, which looks as before."""
    scene = exported(tank)
    copy = replace(scene.materials[0], name="STEEL.001", row=None, color=(1.0, 0.0, 0.0, 1.0), fields={})
    found = imported(tank, replace(scene, materials=(*scene.materials, copy))).found
    assert found.libraries == ()
    assert "STEEL.001 looks unlike STEEL" in str(found.losses[0])


def test_a_copy_with_another_value_of_the_same_kind_is_named(tank: Address) -> None:
    """Both are edited, in color; the original counts."""
    red = with_material(exported(tank), "STEEL", lambda _, it: replace(it, color=(1.0, 0.0, 0.0, 1.0)))
    copy = replace(red.materials[0], name="STEEL.001", row=None, color=(0.0, 0.0, 1.0, 1.0), fields={})
    found = imported(tank, replace(red, materials=(*red.materials, copy)))
    assert words(found) == ["STEEL: set phases[0].diffuse to [255, 0, 0]"]
    assert "STEEL.001 looks unlike STEEL" in str(found.found.losses)


def test_without_a_game_folder_edits_are_lost_and_said(tank: Address) -> None:
    scene = exported(tank)
    for name in ("Material.lib", "Textures.lib", "LightMap.lib"):
        tank.path.with_name(name).unlink()
    found = imported(tank, scene).found
    assert (found.libraries, found.losses) == ((), ()), "it was exported with a game folder, and not edited"
    assert ["no game folder is known" in str(it) for it in found.notes] == [True]
    plain = exported(tank)
    assert (imported(tank, plain).found.losses, imported(tank, plain).found.notes) == ((), ())
    red = with_material(plain, "STEEL", lambda _, it: replace(it, color=(1.0, 0.0, 0.0, 1.0)))
    assert [*map(str, imported(tank, red).found.losses)] == ["material STEEL: its color is left out"]


def test_a_picture_that_its_texture_holds_with_fewer_bits_is_a_loss(tmp_path: Path) -> None:
    """Five and six bits a channel: what is read again is up to 4 of 255 from what was painted."""
    tank = tank_in(tmp_path)
    stored = {**TEXTURES, "STEEL.0": texm.build(pixels(8, 16), PixelFormat.RGB565)}
    write(tmp_path, Material=archive(MAT0, MATERIALS), Textures=archive(texm_type(), stored))
    image = pixels(8, 16, seed=7)
    planned = imported(tank, painted("STEEL.0", image)(exported(tank))).worked_out(FileStore())
    store, _files = made(planned)
    after = next(it for it in exported(tank, store).images if it.name == "STEEL.0").pixels
    away = np.abs(after.astype(int) - image.astype(int)).max(axis=2)
    assert 2 < away.max() <= 4
    found = [*(planned.deviations or ())]
    assert {it.name for it in found} == {"STEEL", "BLOCK"}
    for said in found:
        assert (said.kind, said.count, said.size) == (DeviationKind.IMAGE, (away > 0).sum(), away.max())
        assert said.words in planned.losses


def test_materials_that_are_taken_over_are_as_the_file_has_them(tank: Address) -> None:
    planned = imported(tank, with_dome(edited(exported(tank)))).worked_out(FileStore())
    assert planned.deviations == ()
    assert planned.losses == ()
