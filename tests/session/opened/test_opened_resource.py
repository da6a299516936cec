"""What can be said of something that is no model.

A document right after an edit is the one that is opened from the same bytes, but for its checks.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import game_folders
from tests.broken import games, sound_game
from tests.builders import archive_of
from tests.corpora import ROOT
from tests.game_folders import resource_at
from tests.messages import states
from tests.systems import below
from tests.ui.scenes import tank
from viewer.errors import MshviewError
from viewer.formats import wear
from viewer.formats.msh.tables import TABLES
from viewer.formats.texture import font, texm
from viewer.formats.texture.pixels import PixelFormat
from viewer.model.material.lookup import PAL
from viewer.model.material.materials import MissingResource
from viewer.model.mesh.draws import Draws
from viewer.model.mesh.pose.animation import Animation
from viewer.model.mesh.pose.skeleton import Skeleton
from viewer.model.mesh.reading_choices import ReadingChoice
from viewer.model.mesh.shown import PartChooser
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.place import Place
from viewer.operations.opening import Source
from viewer.operations.reading_options import ReadingOptions
from viewer.render.buffers.merge import merge, merge_again
from viewer.session.opened import opened_resource
from viewer.session.opened.document import Document
from viewer.session.opened.edited_document import edited
from viewer.ui.fields.part_rows import children_of, field_of, roots_of
from viewer.ui.fields.resource_links import ResourceLinks


def opened(path: Path, data: bytes) -> opened_resource.OpenedResource:
    path.write_bytes(data)
    return resource_at(Address(path))


def test_a_texture_comes_with_its_picture(tmp_path: Path) -> None:
    data = texm.build(np.zeros((4, 8, 4), np.uint8), PixelFormat.RGB565)
    found = opened(tmp_path / "a.0", data)
    assert found.kind == "texm"
    assert found.texture is not None
    assert found.texture.texture.levels[0].width == 8
    assert found.parts is not None
    assert [part.name for part in found.parts.children] == ["header", "levels", "pages"]


def test_rows_of_the_damage_of_nodes_are_called_as_the_nodes() -> None:
    found = resource_at(Address(ROOT / "assets" / "game" / "models.rlb", ("walker.ndp",)))
    assert found.row_names["nodes"][:3] == ("root", "pelvis", "central")
    assert found.parts is not None
    nodes = next(it for it in roots_of(found.parts) if it.name == "nodes")
    links = ResourceLinks(None, found.links, row_names=found.row_names)  # type: ignore[arg-type]
    rows = children_of(nodes)
    assert [links.name_of(it) for it in rows[:3]] == ["0  root", "1  pelvis", "2  central"]
    assert links.name_of(field_of(rows[2], "archive")) == "archive"


def test_a_texture_without_a_whole_level_has_none(tmp_path: Path) -> None:
    data = texm.build(np.zeros((4, 8, 4), np.uint8), PixelFormat.RGB565)
    found = opened(tmp_path / "a.0", data[:40])
    assert found.texture is None
    assert found.parts is not None
    assert found.problem == ""


def test_what_cannot_be_read_says_why(tmp_path: Path) -> None:
    found = opened(tmp_path / "a.0", b"Texm" + bytes(8))
    assert found.kind == "texm"
    assert found.problem
    assert found.parts is None
    assert bytes(found.data[:4]) == b"Texm"


def test_of_the_unknown_there_are_bytes_alone(tmp_path: Path) -> None:
    found = opened(tmp_path / "a.bin", b"\x01\x02\x03")
    assert found.parts is None
    assert found.problem == ""


def test_what_is_wrong_with_a_texture_is_told_beside_its_picture(tmp_path: Path) -> None:
    data = texm.build(np.zeros((4, 8, 4), np.uint8), PixelFormat.RGB565, pages=[(0, 0, 9, 9)] * 9)
    found = opened(tmp_path / "a.0", data)
    assert len(found.notes) == opened_resource.MOST_FINDINGS
    assert states(found.notes[0], "9 9 0 0 8 4")


def external(name: str, folder: Path, game: Path | None) -> opened_resource.OpenedResource:
    """A texture in a file of its own whose one pixel is number 7 of a palette that it does not have."""
    header = texm.HEADER.new()
    header[0] = (texm.MAGIC, 1, 1, 1, 0, 0, 0, PixelFormat.EXTERNAL)
    (folder / name).write_bytes(header.tobytes() + b"\x07")
    return resource_at(Address(folder / name), game)


def color(found: opened_resource.OpenedResource) -> list[int]:
    assert found.texture is not None
    pixel: list[int] = found.texture.texture.level(0)[0, 0, :3].tolist()
    return pixel


@pytest.mark.parametrize("name", ["SKY.A0", "SKY.A0.texm", "sky.a0.TEXM"])
def test_a_texture_on_its_own_takes_its_palette_from_the_game(tmp_path: Path, name: str) -> None:
    library = game_folders.archive(PAL, {"A0.PAL": bytes([3, 2, 1, 0]) * 256})
    (tmp_path / "palettes.lib").write_bytes(library)
    assert color(external(name, tmp_path, tmp_path)) == [1, 2, 3]


def test_a_palette_that_is_not_there_is_told_of(tmp_path: Path) -> None:
    alone = external("SKY.A0", tmp_path, None)
    assert color(alone) == [7, 7, 7]
    assert states(alone.notes[0], "game folder")
    assert "A0.PAL" in external("SKY.A0", tmp_path, tmp_path).notes[0]
    assert [states(note, "grayscale") for note in external("SKY.texm", tmp_path, tmp_path).notes] == [True]


def test_a_palette_of_its_own_goes_before_the_one_that_the_name_asks_for(tmp_path: Path) -> None:
    data = texm.build(np.zeros((1, 1, 4), np.uint8), PixelFormat.INDEXED)
    (tmp_path / "SKY.A0").write_bytes(data)
    found = resource_at(Address(tmp_path / "SKY.A0"), tmp_path)
    assert [states(note, "A0.PAL own") for note in found.notes] == [True]
    assert color(found) == [0, 0, 0]


def test_a_font_shows_its_texture(tmp_path: Path) -> None:
    letters = texm.build(np.full((4, 8, 4), 255, np.uint8), PixelFormat.RGB565)
    header = font.HEADER.new()
    header["magic"], header["glyph_height"] = font.MAGIC, 15
    stored = header.tobytes() + bytes(font.TEXTURE_START - font.HEADER.size) + letters
    found = opened(tmp_path / "a.tft", stored)
    assert color(found) == [255, 255, 255]
    assert "0x1014" in found.notes[0]
    assert states(found.notes[1], "row pitch 16 pixels")
    assert states(found.notes[2], "advance + 1 unknown")


@pytest.fixture
def game(tmp_path: Path) -> Path:
    return sound_game.write(tmp_path)


def in_game(game: Path, address: str) -> opened_resource.OpenedResource:
    return resource_at(Address.parse(f"{game}/{address}"), game)


def test_a_material_is_resolved_with_its_textures(game: Path) -> None:
    material = in_game(game, "Material.lib::DEFAULT").material
    assert material is not None
    assert material.textures[0] is not None
    assert below(game, material.textures[0].address) == "Textures.lib::STONE.0"
    assert material.name == "DEFAULT"
    assert material.problems == ()


def test_a_material_without_a_game_says_that_its_texture_is_missing(game: Path) -> None:
    found = resource_at(Address.parse(f"{game}/Material.lib::DEFAULT"))
    assert found.material is not None
    assert found.material.missing == (MissingResource("no texture", "STONE.0"),)
    assert found.material.problems == ("no game folder is set, so no texture",)


def test_a_material_that_cannot_be_read_has_a_problem_and_no_material(tmp_path: Path) -> None:
    found = opened(tmp_path / "a.mat0", b"\1\0")
    assert found.problem
    assert found.material is None


def test_the_components_of_a_unit_come_with_their_models(game: Path) -> None:
    found = in_game(game, "UNITS/tree.dat")
    assert [it.place for it in found.models] == [Place(Address.parse(f"{game}/static.rlb::tree.msh"))]
    (game / "UNITS" / "lost.dat").write_bytes(games.unit(b"ghost"))
    assert [it.problem for it in in_game(game, "UNITS/lost.dat").models] == ["the registry has no such key"]


def test_names_come_with_their_targets(game: Path) -> None:
    targets = in_game(game, "objects.rlb::oak").links.targets
    assert {str(it.place.address) for it in targets.values() if it.place} == {
        str(game / "objects.rlb"),
        f"{game / 'objects.rlb'}::tree",
    }


def test_what_is_text_is_decoded(tmp_path: Path) -> None:
    assert opened(tmp_path / "readme.txt", "Дым,\r\nлёд\x1a".encode("cp1251")).text == "Дым,\r\nлёд\x1a"
    assert opened(tmp_path / "a.wea", b"1\r\n0 STEEL\r\n").text == "1\r\n0 STEEL\r\n"


@pytest.mark.parametrize("data", [b"", b" \n", b"text\0", b"\x01\x02", b"x" * ((1 << 20) + 1)])
def test_other_bytes_are_not_text(tmp_path: Path, data: bytes) -> None:
    assert opened(tmp_path / "a.bin", data).text is None


def test_what_the_rules_find_comes_with_it(tmp_path: Path) -> None:
    (finding,) = opened(tmp_path / "a.wea", b"3\r\n0 A\r\n").diagnostics
    assert (finding.rule, finding.table, finding.index) == ("W03", "materials", 1)
    assert opened(tmp_path / "b.wea", b"1\r\n0 A\r\n").diagnostics == ()


def test_the_rules_look_names_up_in_the_game(game: Path) -> None:
    (game / "UNITS" / "lost.dat").write_bytes(games.unit(b"ghost"))
    assert [it.rule for it in in_game(game, "UNITS/lost.dat").diagnostics] == ["UNIT02"]
    assert in_game(game, "UNITS/tree.dat").diagnostics == ()


def test_of_an_archive_only_its_own_problems_are_listed(tmp_path: Path) -> None:
    path = tmp_path / "a.rlb"
    path.write_bytes(archive_of({"broken.wea": b"3\r\n0 A\r\n"}))
    assert resource_at(Address(path)).diagnostics == ()
    assert resource_at(Address(path, ("broken.wea",))).diagnostics != ()


def test_of_a_unit_of_countless_components_the_first_are_looked_up(
    game: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opened_resource, "MOST_COMPONENTS", 2)
    data = games.unit(b"Oak")
    (game / "UNITS" / "many.dat").write_bytes(data + data[8:] * 4)
    assert len(in_game(game, "UNITS/many.dat").models) == 2


def test_an_archive_is_not_searched_for_names(game: Path) -> None:
    found = in_game(game, "objects.rlb")
    assert found.kind == "nres"
    assert found.links.targets == {}


DATA = tank().build()
KEPT = {"diagnostics", "choice", "identity", "revision", "is_checked", "labels", "source", "model", "opened"}
"""Fields that an edit keeps, or that are compared otherwise."""


def library_of(path: Path, data: bytes) -> FileStore:
    """A store with unsaved bytes in place of a file."""
    library = FileStore()
    library.unsaved.overlay(path, data)
    return library


def opened_beside(library: FileStore, path: Path, before: Document | None = None) -> Document:
    """The model in the seed reading, which no edit changes."""
    return Document.open(library, Source(Address(path), ReadingOptions(ReadingChoice.SEED)), before)


def same(one: Any, other: Any) -> bool:
    """Compare values of documents; objects by what they hold."""
    if isinstance(one, np.ndarray):
        return np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
    if isinstance(one, Draws):
        names = [name for name in one.__struct_fields__ if name != "parts"]
        return all(same(getattr(one, name), getattr(other, name)) for name in names) and all(
            same(getattr(one.parts, name), getattr(other.parts, name)) for name in one.parts.__struct_fields__
        )
    if isinstance(one, PartChooser):
        return same(one.is_portal, other.is_portal) and one.cockpits == other.cockpits
    if isinstance(one, Skeleton):
        return same(one.parents, other.parents)
    if isinstance(one, Animation):
        return all(same(one.pose(time).world, other.pose(time).world) for time in (0.0, 3.5))
    return repr(one) == repr(other)


@st.composite
def edits(draw: st.DrawFn) -> bytes:
    """The tank with some bytes of one table changed."""
    model = tank().model()
    names = sorted(type_id for type_id in TABLES if model.has(type_id) and len(model.payload(type_id)))
    entry = model.archive.entries[model.archive.find_type(draw(st.sampled_from(names))) or 0]
    data = bytearray(DATA)
    for _ in range(draw(st.integers(1, 4))):
        data[entry.offset + draw(st.integers(0, entry.size - 1))] = draw(st.integers(0, 255))
    return bytes(data)


@given(edits())
def test_it_is_what_opening_gives(data: bytes) -> None:
    path = Path("/nowhere/tank.msh")
    library = library_of(path, DATA)
    before = opened_beside(library, path)
    library.unsaved.overlay(path, data)
    quick, whole = edited(before, library), opened_beside(library_of(path, data), path)
    wrong = [
        name
        for one, other in ((quick, whole), (quick.opened, whole.opened))
        for name in one.__struct_fields__
        if name not in KEPT and not same(getattr(one, name), getattr(other, name))
    ]
    assert not wrong


@given(edits())
def test_checking_it_gives_what_opening_gives(data: bytes) -> None:
    path = Path("/nowhere/tank.msh")
    library = library_of(path, DATA)
    before = opened_beside(library, path)
    library.unsaved.overlay(path, data)
    quick = edited(before, library)
    checked, whole = (
        opened_beside(library, path, quick),
        opened_beside(library_of(path, data), path),
    )
    assert checked.opened.is_checked
    assert checked.diagnostics == whole.diagnostics
    assert same(checked.draws, whole.draws)


@given(edits())
def test_its_vertices_are_merged_alike(data: bytes) -> None:
    path = Path("/nowhere/tank.msh")
    library = library_of(path, DATA)
    before = opened_beside(library, path)
    library.unsaved.overlay(path, data)
    after = edited(before, library)
    if not after.draws.has_same_triangles(before.draws):
        return
    again = merge_again(merge(before.model, before.draws), before.model, after.model)
    whole = merge(after.model, after.draws)
    assert not [it for it in whole.__struct_fields__ if not same(getattr(again, it), getattr(whole, it))]


def test_tables_that_are_not_changed_are_shared() -> None:
    path = Path("/nowhere/tank.msh")
    library = library_of(path, DATA)
    before = opened_beside(library, path)
    entry = before.model.archive.entries[before.model.archive.find_type(3) or 0]
    data = bytearray(DATA)
    data[entry.offset + 2] ^= 1
    library.unsaved.overlay(path, data)
    after = edited(before, library)
    assert after.draws is before.draws
    assert after.animation is before.animation
    merged = merge(before.model, before.draws)
    again = merge_again(merged, before.model, after.model)
    assert again.positions is not merged.positions
    assert again.corners is merged.corners
    assert again.normals is merged.normals


@pytest.mark.parametrize("size", [0, 16, 200])
def test_bytes_that_are_no_model_any_more_are_refused(size: int) -> None:
    path = Path("/nowhere/tank.msh")
    library = library_of(path, DATA)
    before = opened_beside(library, path)
    library.unsaved.overlay(path, DATA[:size])
    with pytest.raises(MshviewError):
        edited(before, library)


def test_the_rows_of_a_sky_have_roles(tmp_path: Path) -> None:
    """Rows past the ninth have none; a table of another name has none at all."""
    table = wear.build([b"A"] * 10)
    sky, hull = (opened(tmp_path / name, table) for name in ("Sky.WEA", "hull.wea"))
    assert (len(sky.roles), sky.roles[3], hull.roles) == (9, "sun", ())
    assert sky.row_names == {"materials": sky.roles}
