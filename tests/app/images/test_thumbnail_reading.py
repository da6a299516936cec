"""What a thumbnail shows of textures, materials and models."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests import game_folders
from tests.builders import ModelBuilder, Node, archive_of, box
from tests.share import some
from viewer.app.images import thumbnail_reading
from viewer.app.images.thumbnail_reading import Reader, ThumbnailContent, reduced
from viewer.control.opening.loading import NO_OPEN_OPTIONS, OpenOptions
from viewer.formats import mat0
from viewer.formats.archive import nres
from viewer.formats.texture import font, texm
from viewer.formats.texture.pixels import Image, PixelFormat
from viewer.model.material.lookup import PAL
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.reading_options import ReadingOptions
from viewer.session.jobs import KINDS
from viewer.session.opened import listing
from viewer.session.opened.entry_list import BrowserEntry
from viewer.session.view.options.shading import Shading

SIDE = 64


def read(
    entry: BrowserEntry, lookup: OpenOptions = NO_OPEN_OPTIONS, library: FileStore | None = None
) -> ThumbnailContent:
    return Reader(library or FileStore(), SIDE, lambda _: False).read(entry, lookup)


def read_file(path: Path, data: bytes, kind: str) -> ThumbnailContent:
    path.write_bytes(data)
    return read(BrowserEntry(Address(path), path.name, kind, len(data)))


def entry_of(archive: Path, name: str) -> BrowserEntry:
    rows = listing.entries_below(FileStore(), Address(archive))
    return next(row for row in rows if row.name == name)


def noise(side: int, alpha: int = 255) -> Image:
    image = np.random.default_rng(side).integers(0, 256, (side, side, 4), np.uint8)
    image[..., 3] = alpha
    return image


def shown(content: ThumbnailContent) -> Image:
    assert content.image is not None
    return content.image


def test_of_a_large_texture_the_level_is_taken_that_fits(tmp_path: Path) -> None:
    texture = texm.build(noise(256), PixelFormat.ARGB8888, mip_count=4)
    content = read_file(tmp_path / "a.texm", texture, "texm")
    assert content.facts == ("256 x 256", "format 8888")
    np.testing.assert_array_equal(shown(content), texm.decode(texture).level(2))


def test_without_such_a_level_the_smallest_is_made_smaller(tmp_path: Path) -> None:
    content = read_file(tmp_path / "a.texm", texm.build(noise(256), PixelFormat.RGB565), "texm")
    assert shown(content).shape == (SIDE, SIDE, 4)


def test_every_pixel_of_a_small_texture_is_a_square(tmp_path: Path) -> None:
    image = noise(16)
    content = read_file(tmp_path / "a.texm", texm.build(image, PixelFormat.ARGB8888), "texm")
    np.testing.assert_array_equal(shown(content)[::4, ::4], image)
    np.testing.assert_array_equal(shown(content)[3::4, 3::4], image)


def test_gloss_leaves_no_holes_but_an_outline_is_cut_out(tmp_path: Path) -> None:
    gloss = texm.build(noise(8, alpha=100), PixelFormat.ARGB8888)
    assert (shown(read_file(tmp_path / "a.texm", gloss, "texm"))[..., 3] == 255).all()
    leaf = noise(8)
    leaf[:4, :, 3] = 0
    outline = shown(read_file(tmp_path / "b.texm", texm.build(leaf, PixelFormat.ARGB8888), "texm"))
    assert (outline[: SIDE // 2, :, 3] == 0).all()
    assert (outline[SIDE // 2 :, :, 3] == 255).all()


def test_what_is_left_of_a_cut_texture_is_shown_with_its_problem(tmp_path: Path) -> None:
    whole = texm.build(noise(8), PixelFormat.ARGB8888, mip_count=3)
    content = read_file(tmp_path / "a.texm", whole[:-10], "texm")
    assert content.image is not None
    assert "do not fit" in content.problem


def test_a_texture_is_shown_in_the_palette_that_its_name_asks_for(tmp_path: Path) -> None:
    colors = np.zeros((256, 4), np.uint8)
    colors[7] = (200, 100, 50, 0)
    palettes = nres.build([nres.NewEntry(PAL, colors.tobytes(), b"A0.PAL")])
    (tmp_path / "palettes.lib").write_bytes(palettes)
    header = texm.HEADER.new()
    header[0] = (texm.MAGIC, 1, 1, 1, 0, 0, 0, PixelFormat.EXTERNAL)
    content = read_file(tmp_path / "x.A0.texm", header.tobytes() + b"\7", "texm")
    assert shown(content)[0, 0, :3].tolist() == [50, 100, 200]
    assert tmp_path / "palettes.lib" in content.files
    missing = read_file(tmp_path / "x.B0.texm", header.tobytes() + b"\7", "texm")
    assert tmp_path / "palettes.lib" in missing.files


def test_a_font_shows_its_texture(tmp_path: Path) -> None:
    letters = texm.build(noise(SIDE), PixelFormat.RGB888)
    data = font.MAGIC + bytes(font.TEXTURE_START - 4) + letters
    content = read_file(tmp_path / "a.tft", data, "font")
    np.testing.assert_array_equal(shown(content), texm.decode(letters).level(0))


def test_a_level_that_is_too_large_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thumbnail_reading, "MOST_BYTES", 4 * 128 * 128 - 1)
    single = texm.build(noise(128), PixelFormat.ARGB8888)
    content = read_file(tmp_path / "a.texm", single, "texm")
    assert (content.key, content.image, content.problem) == (None, None, "")
    assert read_file(tmp_path / "b.texm", texm.build(noise(128), PixelFormat.RGB565), "texm").key


def test_a_material_shows_the_texture_of_its_first_phase(tmp_path: Path) -> None:
    game = game_folders.write(tmp_path / "game")
    material = read(entry_of(game / "Material.lib", "SKIN"))
    texture = read(entry_of(game / "Textures.lib", "GRADED.0"))
    assert material.key == texture.key is not None
    assert material.facts == ("GRADED.0", "1 phase")
    assert {game / "Material.lib", game / "Textures.lib"} <= material.files.keys()


def test_a_material_without_a_texture_is_a_field_of_its_color(tmp_path: Path) -> None:
    game = game_folders.write(tmp_path / "game")
    content = read(entry_of(game / "Material.lib", "BLINK"))
    assert content.facts == ("no texture", "2 phases")
    assert (shown(content) == (255, 0, 0, 255)).all()
    assert read(entry_of(game / "Material.lib", "EMPTY")).key is None
    assert read(entry_of(game / "Material.lib", "CUT")).problem


def test_a_material_outside_a_game_takes_the_folder_that_is_set(tmp_path: Path) -> None:
    game = game_folders.write(tmp_path / "game")
    path = tmp_path / "alone" / "own.mat0"
    path.parent.mkdir()
    path.write_bytes(mat0.build([mat0.PhaseRecord(b"PLAIN.0")]))
    entry = BrowserEntry(Address(path), path.name, "mat0")
    plain = read(entry_of(game / "Textures.lib", "PLAIN.0"))
    assert read(entry, OpenOptions(ReadingOptions(set_game=game))).key == plain.key
    assert read(entry).key != plain.key


def models(path: Path, wear: bytes, size: float = 1) -> BrowserEntry:
    """Write an archive with a box and its wear table; return the row of the box."""
    model = ModelBuilder.of([Node("box", shapes={(0, 0): [box((size, 1, 1))]})]).build()
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(archive_of({"box.msh": model, "box.wea": wear}))
    return entry_of(path, "box.msh")


def test_a_model_comes_with_the_textures_that_it_shows(tmp_path: Path) -> None:
    game = game_folders.write(tmp_path / "game")
    content = read(models(game / "a.rlb", b"1\r\n0 LEAVES\r\n"))
    assert content.facts == ("12 triangles", "1 node")
    assert content.preview is not None
    assert [it.levels[0].shape for it in content.preview.texels] == [(8, 8, 4)]
    assert {game / "a.rlb", game / "Material.lib", game / "Textures.lib"} <= content.files.keys()


def test_equal_models_share_a_picture_unless_they_wear_something_else(tmp_path: Path) -> None:
    game = game_folders.write(tmp_path / "game")
    first = read(models(game / "a.rlb", b"1\r\n0 LEAVES\r\n"))
    same = read(models(game / "b.rlb", b"1\r\n0 LEAVES\r\n"))
    assert first.key == same.key is not None
    assert read(models(game / "c.rlb", b"1\r\n0 GLASS\r\n")).key != first.key
    assert read(models(game / "d.rlb", b"1\r\n0 LEAVES\r\n", size=2)).key != first.key
    assert read(models(tmp_path / "outside" / "a.rlb", b"1\r\n0 LEAVES\r\n")).key != first.key


def test_a_model_without_any_material_is_lit(tmp_path: Path) -> None:
    game = game_folders.write(tmp_path / "game")
    lost, dressed = (read(models(folder / "a.rlb", b"1\r\n0 SKIN\r\n")) for folder in (tmp_path, game))
    assert lost.preview is not None
    assert dressed.preview is not None
    assert lost.preview.view.shading is Shading.LIT
    assert dressed.preview.view.shading is Shading.TEXTURED


def test_what_is_known_is_not_made_again(tmp_path: Path) -> None:
    entry = models(tmp_path / "a.rlb", b"1\r\n0 LEAVES\r\n")
    key = read(entry).key
    assert key is not None
    reader = Reader(FileStore(), SIDE, {key}.__contains__)
    assert reader.read(entry, NO_OPEN_OPTIONS).preview is None


def test_a_model_of_nothing_has_no_picture(tmp_path: Path) -> None:
    model = ModelBuilder.of([Node("nothing")]).build()
    content = read_file(tmp_path / "a.msh", model, "msh")
    assert (content.key, content.preview, content.problem) == (None, None, "")
    assert content.facts[0] == "0 triangles"


def test_a_huge_model_is_counted_and_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thumbnail_reading, "MOST_TRIANGLES", 11)
    content = read(models(tmp_path / "a.rlb", b""))
    assert (content.key, content.preview) == (None, None)
    assert content.facts[0] == "12 triangles"


def test_a_file_of_its_own_is_not_kept_in_memory(tmp_path: Path) -> None:
    path, library = tmp_path / "box.msh", FileStore()
    path.write_bytes(ModelBuilder.of([Node("box", shapes={(0, 0): [box()]})]).build())
    assert read(BrowserEntry(Address(path), path.name, "msh"), library=library).preview is not None
    assert path not in library._files


def test_damaged_files_of_every_kind_are_read_without_an_error(files: Path) -> None:
    paths = sorted(path for path in (files / "damaged").rglob("*.*") if path.suffix[1:] in KINDS)
    assert len(paths) > 20
    contents = {
        path: read(BrowserEntry(Address(path), path.name, path.suffix[1:])) for path in some(paths, files)
    }
    for path, content in contents.items():
        assert content.problem or content.facts, path
        if content.image is not None:
            assert max(content.image.shape[:2]) <= SIDE, path


def test_a_picture_is_halved_until_it_is_hardly_larger_than_it_is_shown() -> None:
    assert reduced(noise(160), 40).shape == (40, 40, 4)
    assert reduced(noise(128), 40).shape == (64, 64, 4)
    assert reduced(noise(8), 40).shape == (8, 8, 4)


def test_unsaved_bytes_are_what_a_thumbnail_shows(tmp_path: Path) -> None:
    folder, library = game_folders.write(tmp_path / "game"), FileStore()
    path = folder / "a.texm"
    path.write_bytes(texm.build(noise(8), PixelFormat.ARGB8888))
    entry = BrowserEntry(Address(path), path.name, "texm")
    saved = read(entry, library=library)
    library.unsaved.overlay(path, texm.build(noise(16), PixelFormat.ARGB8888))
    unsaved = read(entry, library=library)
    assert (saved.facts[0], unsaved.facts[0]) == ("8 x 8", "16 x 16")
    assert saved.files[path] != unsaved.files[path] == library.revision(path)
    library.unsaved.revert(path)
    assert read(entry, library=library).key == saved.key


def test_a_thumbnail_is_read_from_the_files_that_decide_it(tmp_path: Path) -> None:
    folder = game_folders.write(tmp_path / "game")
    archive = folder / "a.rlb"
    model = ModelBuilder.of([Node("a", shapes={(0, 0): [box()]})]).build()
    archive.write_bytes(archive_of({"a.msh": model}))
    lone = folder / "b.msh"
    lone.write_bytes(model)
    (folder / "B.wea").write_bytes(b"1\r\n0 SKIN\r\n")
    files = read(BrowserEntry(Address(lone), lone.name, "msh")).files
    assert {path.name for path in files} == {"b.msh", "B.wea", *game_folders.files()}
    assert archive not in files
