"""Every name in the sample leads somewhere: wear tables, materials, textures, the registry, the map."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.assets.conftest import BundledModel
from viewer.formats import mat0, objects, wear
from viewer.formats.archive.nres import Archive
from viewer.formats.msh import tables, triangles
from viewer.formats.msh.terrain import NO_LAYER
from viewer.formats.texture import texm
from viewer.formats.texture.pixels import WRITTEN, PixelFormat
from viewer.model.convert.from_model import scene_of
from viewer.model.convert.scene import AlphaMode
from viewer.model.material.materials import Layer, Material, Mode
from viewer.model.mesh import draw_builder
from viewer.model.mesh.model import Model, Variant
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.opening import Source
from viewer.session.opened.document import Document


def _library(game: Path, name: str) -> Archive:
    return Archive.read((game / name).read_bytes())


@pytest.fixture(scope="module")
def land(game: Path) -> Model:
    return Model.read((game / "DATA/MAPS/SAMPLE/Land.msh").read_bytes())


def test_every_material_of_a_wear_table_exists(any_model: BundledModel, game: Path) -> None:
    library = _library(game, "Material.lib")
    assert [row.name for row in any_model.wear.materials if library.find(row.name) is None] == []


def test_every_texture_of_a_material_exists(game: Path) -> None:
    materials, textures = _library(game, "Material.lib"), _library(game, "Textures.lib")
    assert materials.entries[0].name == b"DEFAULT"
    for entry in materials.entries:
        material = mat0.decode(materials.payload(entry.index), entry.attr2)
        assert material.diagnostics == ()
        names = [material.texture(phase) for phase in range(len(material.phases))]
        assert [name for name in names if name and textures.find(name) is None] == []


def test_every_texture_is_used(game: Path) -> None:
    materials, textures = _library(game, "Material.lib"), _library(game, "Textures.lib")
    used = set()
    for entry in materials.entries:
        material = mat0.decode(materials.payload(entry.index), entry.attr2)
        used |= {material.texture(phase) for phase in range(len(material.phases))}
    assert {entry.name for entry in textures.entries} <= used


def test_textures_come_in_every_format_of_retail_files(game: Path) -> None:
    library = _library(game, "Textures.lib")
    found = [texm.decode(library.payload(entry.index)) for entry in library.entries]
    assert [texture.diagnostics for texture in found if texture.diagnostics] == []
    assert {texture.format for texture in found} == set(WRITTEN) - {PixelFormat.LA88, PixelFormat.RGB556}
    assert any(len(texture.pages) for texture in found)


def test_material_kinds_are_those_in_use(game: Path) -> None:
    entries = _library(game, "Material.lib").entries
    assert {entry.attr1 for entry in entries} == {0, 2, 4, 8}
    assert {(entry.attr2, entry.attr3) for entry in entries} == {(6, 0)}


def _material(game: Path, name: bytes) -> mat0.MaterialRecord:
    library = _library(game, "Material.lib")
    return mat0.decode(library.payload(library.find(name) or 0))


def test_the_sign_has_three_variants_over_the_pictures_of_one_texture(game: Path) -> None:
    sign, textures = _material(game, b"SIGN"), _library(game, "Textures.lib")
    assert [block.mode for block in sign.blocks] == [Mode.LOOP, Mode.PING_PONG, Mode.ONCE]
    shown = [set(block.keys["phase"].tolist()) for block in sign.blocks]
    assert set().union(*shown) == set(range(len(sign.phases)))
    assert not shown[1] & shown[0]
    pages = texm.decode(textures.payload(textures.find(b"SIGN.0") or 0)).pages
    assert set(sign.phases["page"].tolist()) == set(range(len(pages)))


def test_materials_play_in_every_mode(game: Path) -> None:
    library = _library(game, "Material.lib")
    found = [mat0.decode(library.payload(entry.index), entry.attr2) for entry in library.entries]
    assert {block.mode for material in found for block in material.blocks} == set(Mode)


def test_headers_hold_the_defaults(game: Path) -> None:
    """No ground surface, 255, speed factor 1, no hit points lost."""
    library = _library(game, "Material.lib")
    found = {bytes(library.payload(entry.index)[4:14]) for entry in library.entries}
    assert found == {bytes.fromhex("FF FF 0000803F 00000000")}


def test_every_reference_of_the_registry_leads_somewhere(game: Path) -> None:
    registry = _library(game, "objects.rlb")
    assert len(registry.entries) == 11
    for entry in registry.entries:
        for archive, resource in objects.decode(registry.payload(entry.index)).pairs:
            assert _library(game, archive.decode()).find(resource) is not None


def test_everything_in_the_archives_belongs_to_an_object(game: Path) -> None:
    registry = _library(game, "objects.rlb")
    named = {
        pair for entry in registry.entries for pair in objects.decode(registry.payload(entry.index)).pairs
    }
    for archive in ("models.rlb", "seed.rlb", "turrets.rlb", "guns.rlb", "machines.rlb", "intsys.rlb"):
        stored = {(archive.encode(), entry.name) for entry in _library(game, archive).entries}
        assert stored <= named


@pytest.mark.parametrize("archive", ["models.rlb", "seed.rlb", "turrets.rlb", "guns.rlb", "machines.rlb"])
def test_models_and_wear_tables_have_the_types_of_retail_archives(game: Path, archive: str) -> None:
    letters = {b".msh": b"MESH", b".wea": b"WEAR", b".ctl": b"CTLD"}
    for entry in _library(game, archive).entries:
        kind = letters.get(entry.name[-4:])
        if kind is not None:
            assert entry.type_id.to_bytes(4, "little") == kind
            assert (entry.attr1, entry.attr2, entry.attr3) == (0, 0, 1 if kind == b"WEAR" else 0)


def test_the_map_is_terrain_in_two_levels_of_detail(land: Model) -> None:
    assert land.variant is Variant.TERRAIN
    assert [entry.type_id for entry in land.archive.entries] == [1, 2, 3, 4, 5, 18, 14, 11, 21]
    assert land.archive.entries[0].attr2 == 4
    counts = draw_builder.build(land).triangle_counts()[0]
    assert counts[0] > 4 * counts[1] > 0


def test_the_map_is_closed_within_a_level(land: Model) -> None:
    faces = land.rows(tables.FACES)
    for number, (links, corners) in enumerate(zip(faces["neighbours"], faces["vertices"], strict=True)):
        for other in links[links != 0xFFFF]:
            assert number in faces["neighbours"][other]
            assert len(set(corners.tolist()) & set(faces["vertices"][other].tolist())) == 2


def test_the_map_faces_up(land: Model) -> None:
    faces = land.rows(tables.FACES)
    corners = land.positions[faces["vertices"]].astype(np.float64)
    cross = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    unit = cross / np.linalg.norm(cross, axis=1, keepdims=True)
    assert np.abs(triangles.decode_normal(faces["normal"]) - unit).max() < 1e-4
    assert unit[:, 2].min() > 0.3


def test_the_map_uses_all_its_materials(land: Model, game: Path) -> None:
    table = wear.decode((game / "DATA/MAPS/SAMPLE/Land1.wea").read_bytes())
    faces = land.rows(tables.FACES)
    used = np.union1d(faces["material_a"], faces["material_b"][faces["material_b"] != NO_LAYER])
    assert used.tolist() == [*range(len(table.materials))]


def test_second_materials_of_the_map_fade_from_nothing_to_opaque(land: Model) -> None:
    """Where a face of two materials meets one of one, its opacity is 0 or 1, as on the maps of the game."""
    faces, alphas = land.rows(tables.FACES), land.rows(tables.STREAM14)["value"]
    is_mixed = faces["material_b"] != NO_LAYER
    of_corners = alphas[faces["vertices"]]
    assert is_mixed.any()
    assert (of_corners.min(), of_corners.max()) == (0, 1)
    for face in np.flatnonzero(is_mixed).tolist():
        for other in faces["neighbours"][face].tolist():
            if other == 0xFFFF or is_mixed[other]:
                continue
            shared = [*{*faces["vertices"][face].tolist()} & {*faces["vertices"][other].tolist()}]
            expected = float(faces["material_a"][other] == faces["material_b"][face])
            assert alphas[shared].tolist() == [expected, expected]


def test_water_of_the_map_has_its_bits_and_a_bed_below(land: Model) -> None:
    faces = land.rows(tables.FACES)
    is_water = faces["material_a"] == 3
    assert (faces["flags"][is_water] == 0x120608).all()
    assert (faces["flags"][~is_water] & 0x20008 == 0).all()
    assert np.ptp(land.positions[faces["vertices"][is_water], 2]) == 0
    is_bed = faces["flags"] & 0x2000 != 0
    assert is_bed.any()
    level = land.positions[faces["vertices"][is_water], 2].max()
    assert (land.positions[faces["vertices"][is_bed], 2] < level).all()
    assert ((faces["flags"] & 0x4 != 0) == (faces["material_b"] != NO_LAYER)).all()


def test_the_materials_of_the_map_have_microtextures_of_the_same_row(game: Path) -> None:
    found = Document.open(FileStore(), Source(Address(game / "DATA/MAPS/SAMPLE/Land.msh"))).materials
    fine = {
        row.name: None if row.microtexture is None else shown(found.rows[row.microtexture])
        for row in found.rows
        if row.layer is not Layer.MICROTEXTURE
    }
    assert fine == {"GRASS": "GRAINM.0", "ROCK": "GRAVELM.0", "BED": "GRAINM.0", "WATER": None}
    assert [step.text for step in found.problems] == []


def test_the_map_is_exported_with_what_lies_over_each_material(game: Path) -> None:
    """Ground is opaque whatever its materials say: the water is see-through elsewhere."""
    document = Document.open(FileStore(), Source(Address(game / "DATA/MAPS/SAMPLE/Land.msh")))
    made = scene_of(document.to_convert("map")).materials
    found = {(it.name, it.fields.get("second_material")): it for it in made}
    assert {*found} == {
        *(("GRASS", over) for over in (None, "ROCK.0", "BED.0")),
        *((name, None) for name in ("ROCK", "BED", "WATER")),
    }
    assert found["GRASS", "ROCK.0"].fields["microtexture"] == "GRAINM.0"
    assert "microtexture" not in found["WATER", None].fields
    assert {it.alpha for it in found.values()} == {AlphaMode.OPAQUE}


def shown(material: Material) -> str | None:
    """The texture that a material shows first in the game."""
    return material.phases[material.blocks[material.usual_block].keys[0].phase].texture


def test_the_draw_list_has_the_fewest_batches(land: Model) -> None:
    """A permutation of the faces in each slot; bit 0x10 begins each batch of equal materials."""
    faces, listed = land.rows(tables.FACES), land.rows(tables.DRAW_LIST)
    assert sorted(listed["face"].tolist()) == [*range(len(faces))]
    for slot in land.slots:
        part = listed[slot["tri_start"] :][: slot["tri_count"]]
        words = faces["material_a"][part["face"]].astype(int) << 8 | faces["material_b"][part["face"]]
        assert (part["flags"] & 0x10 != 0).tolist() == (np.diff(words, prepend=-1) != 0).tolist()
        assert len(set(words.tolist())) == int((part["flags"] & 0x10 != 0).sum())
