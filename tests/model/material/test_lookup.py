"""Names in the libraries of a game folder, with what is tried and what is said about it.

What a wear table leads to besides what is drawn.

What the alpha of a texture is for.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests import game_folders
from tests.builders import ModelBuilder, Node, box
from tests.game_folders import MAT0, TEXM, drawn_with, materials_of, wear_of
from tests.messages import states
from viewer.formats import mat0
from viewer.formats.archive import nres
from viewer.formats.archive.nres import NewEntry
from viewer.formats.mat0 import PhaseRecord
from viewer.formats.msh.tables import UVS
from viewer.formats.texture import texm
from viewer.formats.texture.pixels import PixelFormat
from viewer.model.material.alpha import alpha_in, alpha_of
from viewer.model.material.lookup import PAL, MaterialLookup, palette_name
from viewer.model.material.materials import AlphaKind, FoundIn
from viewer.model.material.resolver import MOST_UNUSED
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.place import Place


def libraries(folder: Path, **changed: bytes | None) -> MaterialLookup:
    return MaterialLookup(game_folders.write(folder, **changed), FileStore())


def test_a_material_is_found_whatever_its_case(tmp_path: Path) -> None:
    answer = libraries(tmp_path).material(b"leaves")
    assert (answer.found, answer.attr1, str(answer.address)) == (
        FoundIn.NAME,
        4,
        f"{tmp_path / 'Material.lib'}::LEAVES",
    )
    assert answer.stored is not None
    assert answer.stored.texture(0) == b"CUT.0"
    assert not any(step.is_problem for step in answer.steps)


def test_a_step_names_the_file_that_was_looked_in(tmp_path: Path) -> None:
    game_folders.write(tmp_path)
    (tmp_path / "Material.lib").rename(tmp_path / "MATERIAL.LIB0")
    (step,) = MaterialLookup(tmp_path, FileStore()).material(b"leaves").steps
    assert states(step.text, "MATERIAL.LIB0")


def test_what_is_no_material_is_passed_over(tmp_path: Path) -> None:
    library = nres.build(
        [
            NewEntry(TEXM, game_folders.texture(), b"STONE"),
            NewEntry(MAT0, mat0.build([PhaseRecord(b"A.0")]), b"stone", attr2=6),
        ]
    )
    answer = libraries(tmp_path, Material=library).material(b"STONE")
    assert str(answer.address) == f"{tmp_path / 'Material.lib'}::#1"


def test_unknown_names_fall_back_to_default_and_then_to_the_first(tmp_path: Path) -> None:
    answer = libraries(tmp_path / "a").material(b"STONE")
    assert (answer.found, str(answer.address)) == (
        FoundIn.DEFAULT,
        f"{tmp_path / 'a' / 'Material.lib'}::DEFAULT",
    )
    missing, taken = (step.text for step in answer.steps)
    assert states(missing, "Material.lib STONE")
    assert states(taken, "Material.lib 1 DEFAULT")
    only = game_folders.archive(MAT0, {"SAND": mat0.build([PhaseRecord()])})
    answer = libraries(tmp_path / "b", Material=only).material(b"STONE")
    assert answer.found is FoundIn.FIRST
    assert states(answer.steps[-1].text, "0 SAND")


@pytest.mark.parametrize("content", [None, b"no archive", nres.build([])])
def test_a_library_that_is_missing_broken_or_empty_says_so(tmp_path: Path, content: bytes | None) -> None:
    answer = libraries(tmp_path, Material=content).material(b"STONE")
    assert (answer.found, answer.stored, answer.address) == (FoundIn.MISSING, None, None)
    assert "Material.lib" in answer.steps[-1].text
    assert answer.steps[-1].is_problem


def test_a_material_that_cannot_be_read_is_still_found(tmp_path: Path) -> None:
    answer = libraries(tmp_path).material(b"CUT")
    assert (answer.found, answer.stored) == (FoundIn.NAME, None)
    assert states(answer.steps[-1].text, "read")


def test_a_texture_is_known_by_its_content_wherever_it_lies(tmp_path: Path) -> None:
    known = libraries(tmp_path)
    picture = known.texture(b"plain.0").texture
    assert picture is not None
    assert str(picture.address) == f"{tmp_path / 'Textures.lib'}::PLAIN.0"
    assert picture.name == "PLAIN.0"
    assert known.texture(b"PLAIN.0").texture is picture
    other = known.texture(b"CUT.0").texture
    assert other is not None
    assert other != picture
    same = libraries(
        tmp_path / "other", Textures=game_folders.archive(TEXM, {"COPY.0": game_folders.texture()})
    )
    copy = same.texture(b"COPY.0").texture
    assert copy == picture
    assert copy is not None
    assert (copy.name, str(copy.address)) == ("COPY.0", f"{tmp_path / 'other' / 'Textures.lib'}::COPY.0")


@pytest.mark.parametrize(
    ("name", "kind"),
    [(b"PLAIN.0", AlphaKind.NONE), (b"CUT.0", AlphaKind.CUTOUT), (b"GRADED.0", AlphaKind.TRANSLUCENT)],
)
def test_the_alpha_of_a_texture_is_judged_by_its_pixels(tmp_path: Path, name: bytes, kind: AlphaKind) -> None:
    assert libraries(tmp_path).texture(name).alpha is kind


@pytest.mark.parametrize(
    ("name", "said", "missing"),
    [
        (b"NONE.0", "Textures.lib NONE.0", "texture NONE.0"),
        (b"BROKEN.0", "read", "damaged texture BROKEN.0"),
        (b"SHORT.0", "level", "damaged texture SHORT.0"),
    ],
)
def test_textures_that_cannot_be_shown_say_why(tmp_path: Path, name: bytes, said: str, missing: str) -> None:
    answer = libraries(tmp_path).texture(name)
    assert answer.texture is None
    assert states(str(answer.missing), missing)
    assert states(answer.steps[-1].text, said)
    assert answer.steps[-1].is_problem


def test_a_name_without_a_dot_is_looked_up_anyway(tmp_path: Path) -> None:
    library = game_folders.archive(TEXM, {"STONE": game_folders.texture()})
    answer = libraries(tmp_path, Textures=library).texture(b"STONE")
    assert answer.texture is not None
    assert answer.steps[0].text == "the game rejects this name: STONE has no dot"


def test_lightmaps_have_their_own_library(tmp_path: Path) -> None:
    known = libraries(tmp_path)
    assert known.lightmap(b"hall.0").texture is not None
    assert known.texture(b"hall.0").texture is None


def test_a_texture_with_its_own_palette_needs_no_other(tmp_path: Path) -> None:
    known = libraries(tmp_path)
    assert [states(step.text, "B2.PAL own") for step in known.texture(b"INDEXED.B2").steps[1:]] == [True]
    assert len(known.texture(b"PLAIN.0").steps) == 1


def bare(name: str) -> bytes:
    """A library with one texture of two pixels, 7 and 9, and no palette."""
    header = texm.HEADER.new()
    header[0] = (texm.MAGIC, 2, 1, 1, 0, 0, 0, PixelFormat.EXTERNAL)
    return game_folders.archive(TEXM, {name: header.tobytes() + bytes([7, 9])})


def colors(known: MaterialLookup, name: bytes) -> Any:
    picture = known.texture(name).texture
    assert picture is not None
    return picture.texture.level(0)[0, :, :3].tolist()


def test_a_texture_without_a_palette_takes_the_one_that_its_name_asks_for(tmp_path: Path) -> None:
    stored = bytearray(1024)
    stored[7 * 4 : 7 * 4 + 3] = 1, 2, 3
    folder = game_folders.write(tmp_path, Textures=bare("A.B2"))
    (folder / "palettes.lib").write_bytes(game_folders.archive(PAL, {"b2.pal": bytes(stored)}))
    known = MaterialLookup(folder, FileStore())
    assert colors(known, b"A.B2") == [[3, 2, 1], [0, 0, 0]]
    step = known.texture(b"A.B2").steps[-1]
    assert states(step.text, "B2.PAL palettes.lib")
    assert not step.is_problem
    assert step.place == Place(Address.parse(f"{folder / 'palettes.lib'}::b2.pal"))


@pytest.mark.parametrize(("name", "said"), [("A.B2", "palettes.lib"), ("A.0", "grayscale")])
def test_a_palette_that_is_not_there_leaves_greys(tmp_path: Path, name: str, said: str) -> None:
    known = libraries(tmp_path, Textures=bare(name))
    assert colors(known, name.encode()) == [[7, 7, 7], [9, 9, 9]]
    assert said in known.texture(name.encode()).steps[1].text
    assert known.texture(name.encode()).steps[-1].is_problem


def test_a_palette_that_is_cut_leaves_greys(tmp_path: Path) -> None:
    folder = game_folders.write(tmp_path, Textures=bare("A.B2"))
    (folder / "palettes.lib").write_bytes(game_folders.archive(PAL, {"B2.PAL": b"cut"}))
    known = MaterialLookup(folder, FileStore())
    assert colors(known, b"A.B2") == [[7, 7, 7], [9, 9, 9]]
    assert states(known.texture(b"A.B2").steps[1].text, "read")


@pytest.mark.parametrize(
    ("number", "name"), [(0, b"A.PAL"), (1, b"A0.PAL"), (14, b"B2.PAL"), (285, b"Z9.PAL")]
)
def test_palettes_are_named_by_letter_and_digit(number: int, name: bytes) -> None:
    assert palette_name(number) == name


def test_models_of_a_folder_share_what_is_open_until_it_changes(tmp_path: Path) -> None:
    library = FileStore()
    game_folders.write(tmp_path)
    first = MaterialLookup.of(library, tmp_path)
    assert MaterialLookup.of(library, tmp_path) is first
    assert MaterialLookup.of(FileStore(), tmp_path) is not first
    os.utime(tmp_path / "Textures.lib", ns=(1, 1))
    changed = MaterialLookup.of(library, tmp_path)
    assert changed is not first
    assert MaterialLookup.of(library, tmp_path) is changed


def test_a_palette_makes_another_picture_of_equal_bytes(tmp_path: Path) -> None:
    pictures = []
    for red in (1, 2):
        folder = game_folders.write(tmp_path / str(red), Textures=bare("A.B2"))
        palette = bytes([0, 0, red, 0]) * 256
        (folder / "palettes.lib").write_bytes(game_folders.archive(PAL, {"B2.PAL": palette}))
        pictures.append(MaterialLookup(folder, FileStore()).texture(b"A.B2").texture)
    assert pictures[0] != pictures[1]


def test_rows_that_no_batch_uses_are_followed_too(tmp_path: Path) -> None:
    model = ModelBuilder.of([Node("a", shapes={(0, 0): [box(material=1)]})]).model()
    table = wear_of([b"GLASS", b"SKIN", b"NOWHERE", b"LOST"], [b"HALL.0"])
    found = materials_of(model, table, game_folders.write(tmp_path))
    assert [(m.row, m.name, m.found) for m in found.unused] == [
        (0, "GLASS", FoundIn.NAME),
        (2, "NOWHERE", FoundIn.DEFAULT),
        (3, "LOST", FoundIn.NAME),
    ]
    assert (len(found.rows), found.unused_count) == (1, 3)
    assert found.unused[0].textures[0] is not None
    assert found.unused[0].trace[:2] == ("no batch selects row 0", "a.wea: row 0 names 'GLASS'")
    assert not any("lightmap" in step for step in found.unused[0].trace)
    assert found.unused[2].problems != ()
    assert found.problems == (), "nothing is drawn with them"


def test_a_long_wear_table_is_followed_for_a_while_and_counted(tmp_path: Path) -> None:
    model = ModelBuilder.of([Node("a", shapes={(0, 0): [box()]})]).model()
    found = materials_of(model, wear_of([b"SKIN"] * 5000), game_folders.write(tmp_path))
    assert (len(found.unused), found.unused_count) == (MOST_UNUSED, 4999)


def test_textures_without_coordinates_are_a_problem_of_the_materials_that_have_any(tmp_path: Path) -> None:
    builder = ModelBuilder.of([Node("a", shapes={(0, 0): [box(), box(material=1)]})])
    builder.missing.add(UVS)
    folder = game_folders.write(tmp_path)
    skin, glow = materials_of(builder.model(), wear_of([b"SKIN", b"GLOW"]), folder).rows
    assert [states(problem, "Res5") for problem in skin.problems] == [True]
    assert glow.problems == ()


def test_a_material_keeps_the_bytes_it_was_read_from(tmp_path: Path) -> None:
    stored = drawn_with(b"DUO", tmp_path).stored
    assert stored is not None
    assert mat0.encode(stored) == game_folders.MATERIALS["DUO"]
    assert drawn_with(b"CUT", tmp_path).stored is None


def test_rows_that_lead_to_the_same_entry_share_what_it_holds(tmp_path: Path) -> None:
    model = ModelBuilder.of([Node("a", shapes={(0, 0): [box(), box(flags=8), box(material=1)]})]).model()
    table = wear_of([b"DUO", b"duo", b"DUO", b"NOWHERE", b"LOST"])
    found = materials_of(model, table, game_folders.write(tmp_path))
    first, *others = found.rows
    assert [row.has_see_through_flag for row in (first, *others)] == [False, True, False]
    assert all(row.phases is first.phases and row.blocks is first.blocks for row in others)
    assert found.unused[0].textures is first.textures
    assert found.unused[1].found is FoundIn.DEFAULT
    assert any(states(step, "a.wea 1 duo") for step in others[1].trace)


@pytest.mark.parametrize(
    ("alpha", "kind"),
    [
        ((255,), AlphaKind.NONE),
        ((255, 240), AlphaKind.NONE),
        ((0, 255), AlphaKind.CUTOUT),
        ((0, 0, 0, 128, 255, 255, 255, 255), AlphaKind.CUTOUT),
        ((0, 100, 200, 255), AlphaKind.TRANSLUCENT),
        ((128,), AlphaKind.TRANSLUCENT),
    ],
)
def test_the_pixels_tell_holes_from_opacity(alpha: tuple[int, ...], kind: AlphaKind) -> None:
    assert alpha_of(texm.decode(game_folders.texture(alpha))) is kind


def test_another_channel_may_be_the_alpha() -> None:
    """Half of the blues are 0, and all of the alphas 255."""
    rgba = np.full((2, 2, 4), 255, np.uint8)
    rgba[0, :, 2] = 0
    texture = texm.decode(texm.build(rgba, PixelFormat.ARGB8888))
    assert [alpha_of(texture, channel) for channel in (2, 3)] == [AlphaKind.CUTOUT, AlphaKind.NONE]


def test_a_format_without_alpha_and_a_cut_texture_have_none() -> None:
    assert alpha_of(texm.decode(game_folders.texture((0,), PixelFormat.RGB888))) is AlphaKind.NONE
    assert alpha_of(texm.decode(game_folders.texture((0,))[:60])) is AlphaKind.NONE


def test_of_a_large_texture_a_part_is_enough() -> None:
    rgba = np.zeros((2048, 1024, 4), np.uint8)
    rgba[:, 512:] = 255
    large = texm.decode(texm.build(rgba, PixelFormat.ARGB4444))
    assert alpha_of(large) is AlphaKind.CUTOUT


def test_on_a_skin_whatever_alpha_there_is_is_gloss() -> None:
    assert alpha_in(AlphaKind.TRANSLUCENT, is_skin=True) is AlphaKind.GLOSS
    assert alpha_in(AlphaKind.CUTOUT, is_skin=False) is AlphaKind.CUTOUT
    assert alpha_in(AlphaKind.NONE, is_skin=True) is AlphaKind.NONE
