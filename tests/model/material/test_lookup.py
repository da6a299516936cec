"""Names in the libraries of a game folder, with what is tried and what is said about it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tests import game_folders
from tests.game_folders import MAT0, TEXM
from tests.messages import states
from viewer.formats import mat0
from viewer.formats.archive import nres
from viewer.formats.archive.nres import NewEntry
from viewer.formats.mat0 import PhaseRecord
from viewer.formats.texture import texm
from viewer.formats.texture.pixels import PixelFormat
from viewer.model.material.lookup import PAL, MaterialLookup, palette_name
from viewer.model.material.materials import AlphaKind, FoundIn
from viewer.model.store.file_store import FileStore
from viewer.model.store.place import Place


def libraries(folder: Path, **changed: bytes | None) -> MaterialLookup:
    return MaterialLookup(game_folders.write(folder, **changed), FileStore())


def test_a_material_is_found_whatever_its_case(tmp_path: Path) -> None:
    answer = libraries(tmp_path).material(b"leaves")
    assert (answer.found, answer.attr1, answer.address) == (
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
    assert answer.address == f"{tmp_path / 'Material.lib'}::#1"


def test_unknown_names_fall_back_to_default_and_then_to_the_first(tmp_path: Path) -> None:
    answer = libraries(tmp_path / "a").material(b"STONE")
    assert (answer.found, answer.address) == (FoundIn.DEFAULT, f"{tmp_path / 'a' / 'Material.lib'}::DEFAULT")
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
    assert picture.address == f"{tmp_path / 'Textures.lib'}::PLAIN.0"
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
    assert (copy.name, copy.address) == ("COPY.0", f"{tmp_path / 'other' / 'Textures.lib'}::COPY.0")


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
    assert step.place == Place(f"{folder / 'palettes.lib'}::b2.pal")


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
