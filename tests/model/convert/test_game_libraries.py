"""Libraries of scenes, as the game looks names up in them."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from tests.model.convert.scenes import square, still
from viewer.formats import mat0, wear
from viewer.formats.archive import nres
from viewer.formats.texture import texm
from viewer.model.convert.building.tables import tables_of
from viewer.model.convert.building.wear_rows import attr1_of, libraries_of, texture_of, wear_rows
from viewer.model.convert.from_model import scene_of
from viewer.model.convert.scene import AlphaMode, Scene, SceneMaterial
from viewer.model.convert.scene_images import SceneImage
from viewer.model.convert.source import ModelSource, shown_light
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.opening import Source
from viewer.operations.reading_options import ReadingOptions
from viewer.session.opened.document import Document

HALF = 128 / 255
MATERIALS = (
    SceneMaterial("HULL", color=(HALF, 0.2, 1.0, 1.0), emissive=(0.0, 0.4, 0.0), image=0),
    SceneMaterial("hull", color=(1.0, 1.0, 1.0, 0.5), image=1, alpha=AlphaMode.BLENDED),
    SceneMaterial(
        "Lamp light", color=(1.0, HALF, 0.0, 1.0), is_unlit=True, image=0, sub_image=(0.5, 0, 0.5, 1)
    ),
    SceneMaterial("Leaves", image=2, alpha=AlphaMode.CUTOUT),
)


def _picture(name: str, *alphas: int) -> SceneImage:
    pixels = np.arange(8 * 8 * 4, dtype=np.uint8).reshape(8, 8, 4)
    pixels[:, :, 3] = np.resize(alphas, (8, 8))
    return SceneImage(name, pixels)


PICTURES = (
    _picture("Panel number one.png", 255),
    _picture("PANEL NUMBER TWO.png", 255),
    _picture("Leaf.0", 0, 255),
)


@pytest.fixture
def shown(tmp_path: Path) -> Scene:
    """A scene that was written as a small game folder, and is read again."""
    primitives = [replace(square(), material=number) for number in range(len(MATERIALS))]
    given = replace(still(*primitives), materials=MATERIALS, images=PICTURES)
    tables = tables_of(given)
    made = libraries_of(given, tables.wear)
    assert not made.losses
    for name, library in (("Textures.lib", made.textures), *made.others.items()):
        (tmp_path / name).write_bytes(library)
    (tmp_path / "m.wea").write_bytes(wear_rows(given).text)
    path = tmp_path / "m.msh"
    path.write_bytes(tables.build())
    document = Document.open(
        FileStore(), Source(Address(path), ReadingOptions(wear=Address(tmp_path / "m.wea"), game=tmp_path))
    )
    return scene_of(ModelSource("m", document.model, document.choice, document.materials))


def test_materials_look_as_they_did(shown: Scene) -> None:
    assert [it.name for it in shown.materials] == ["HULL", "hull_2", "Lamp_light", "Leaves"]
    for before, after in zip(MATERIALS, shown.materials, strict=True):
        light = shown_light(before.color[:3]) if before.is_unlit else before.color[:3]
        np.testing.assert_allclose(after.color, (*light, before.color[3]), atol=0.5 / 255)
        np.testing.assert_allclose(after.emissive, before.emissive, atol=0.5 / 255)
        assert (after.alpha, after.is_unlit, after.sub_image) == (
            before.alpha,
            before.is_unlit,
            before.sub_image,
        )


def test_pictures_are_the_same(shown: Scene) -> None:
    assert [it.name for it in shown.images] == ["Panel_number_.0", "PANEL_NUMBE_2.0", "Leaf.0"]
    for before, after in zip(PICTURES, shown.images, strict=True):
        assert (after.pixels == before.pixels).all()


def test_blended_batches_are_drawn_after_the_others() -> None:
    given = replace(still(*(replace(square(), material=row) for row in range(4))), materials=MATERIALS)
    assert tables_of(given).batches["flags"].tolist() == [0, 0x100, 0, 0]


def test_lightmaps_are_named_in_the_wear_table_and_have_their_own_library() -> None:
    room = SceneMaterial("ROOM", image=0, lightmap=1)
    given = Scene("m", materials=(room,), images=PICTURES[:2])
    table = wear.decode(wear_rows(given).text)
    assert [row.name for row in table.lightmaps] == [b"PANEL_NUMBE_2.0"]
    made = libraries_of(given, tables_of(given).wear)
    names = [
        [entry.name for entry in nres.Archive.read(it).entries]
        for it in (made.textures, made.others["LightMap.lib"])
    ]
    assert names == [[b"Panel_number_.0"], [b"PANEL_NUMBE_2.0"]]


def test_an_empty_scene_has_the_substitute_of_the_game() -> None:
    empty = Scene("m")
    made = libraries_of(empty, tables_of(empty).wear)
    assert [entry.name for entry in nres.Archive.read(made.others["Material.lib"]).entries] == [b"DEFAULT"]


def test_pictures_that_no_texture_can_hold_are_made_to_fit() -> None:
    wide = SceneImage("wide", np.zeros((1, texm.MAX_SIDE + 2, 4), np.uint8))
    empty = SceneImage("empty", np.zeros((0, 0, 4), np.uint8))
    given = Scene(
        "m", materials=(SceneMaterial("a", image=0), SceneMaterial("b", image=1)), images=(wide, empty)
    )
    made = libraries_of(given, tables_of(given).wear)
    archive = nres.Archive.read(made.textures)
    sizes = [texm.decode(archive.payload(number)).levels[0].width for number in range(2)]
    assert sizes == [texm.MAX_SIDE // 2 + 1, 1]
    assert len(made.losses) == 2
    assert "texture empty.0 is white, as its image is not in the file" in [*map(str, made.losses)]


def test_textures_are_made_one_by_one() -> None:
    clear = np.zeros((256, 256, 4), np.uint8)
    pictures = tuple(SceneImage(f"picture {number}", clear) for number in range(12))
    materials = tuple(SceneMaterial(it.name, image=number) for number, it in enumerate(pictures))
    given = Scene("m", materials=materials, images=pictures)
    wear = tables_of(given).wear
    tracemalloc.start()
    try:
        made = libraries_of(given, wear)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 1.6 * len(made.textures)


def test_light_of_the_game_comes_back_unless_it_was_edited() -> None:
    known = {"ambient": [0.8, 0.2, 0.0, 0.5], "attr1": 8}
    shown = (*shown_light((0.8, 0.2, 0.0)), 0.5)
    usual = SceneMaterial("halo", color=shown, is_unlit=True, alpha=AlphaMode.ADDED, fields=known)
    edited = replace(usual, name="edited", color=(0.0, 1.0, 0.0, 1.0))
    foreign = SceneMaterial("foreign", color=(0.0, 0.4, 0.0, 1.0), is_unlit=True, alpha=AlphaMode.ADDED)
    given = Scene("m", materials=(usual, edited, foreign))
    library = nres.Archive.read(libraries_of(given, tables_of(given).wear).others["Material.lib"])
    assert {entry.attr1 for entry in library.entries} == {8}
    light = {}
    for row, entry in enumerate(library.entries):
        phase = mat0.decode(library.payload(row)).phases[0]
        light[entry.name] = (*phase["ambient"].tolist(), int(phase["ambient_alpha"]))
    assert light == {b"halo": (204, 51, 0, 50), b"edited": (0, 255, 0, 100), b"foreign": (0, 102, 0, 100)}


def test_the_word_of_a_material_is_kept_also_if_it_is_0() -> None:
    assert attr1_of(SceneMaterial("a", fields={"attr1": 0})) == 0


@pytest.mark.parametrize(("sides", "levels"), [((3, 64), 1), ((4, 64), 1), ((8, 8), 2), ((64, 128), 5)])
def test_textures_are_halved_until_the_short_side_is_4(sides: tuple[int, int], levels: int) -> None:
    made = texture_of(SceneImage("a.0", np.zeros((*sides, 4), np.uint8)))
    assert len(texm.decode(made).levels) == levels


def test_a_self_lit_material_is_shown_no_darker_than_the_scene() -> None:
    """Other programs have no scene color: 0.2 is the least, and nothing is added to what is more."""
    assert shown_light((0.1, 0.2, 0.9)) == (0.2, 0.2, 0.9)
