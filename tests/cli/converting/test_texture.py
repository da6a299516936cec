"""``texture``: textures to pictures and back."""

from __future__ import annotations

import json
import zlib
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image, features

from tests import game_folders
from tests.cli.console import Capture, failure, success
from tests.game_folders import TEXM
from tests.messages import states
from viewer.formats.texture import texm
from viewer.formats.texture.pixels import WRITTEN, PixelFormat
from viewer.model.convert.pictures import images
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore

Pixels = npt.NDArray[np.uint8]
ROUNDED = {565, 556}
"""Formats whose truth is rounded where the decoder repeats bits: they may differ by one."""
CONTESTED = 88
"""Its two bytes are alpha and luminance here, the other way round in the truth."""
RANDOM = np.random.default_rng(7)


def pixels(path: Path) -> Pixels:
    with Image.open(path) as picture:
        assert picture.mode == "RGBA"
        return np.array(picture)


def save(path: Path, rgba: Pixels) -> Path:
    Image.fromarray(rgba).save(path, "PNG")
    return path


def noise(height: int, width: int) -> Pixels:
    return RANDOM.integers(0, 256, (height, width, 4), np.uint8)


def textures(samples: Path, corpus: str) -> list[tuple[str, dict[str, Any]]]:
    """Addresses of the textures of a corpus and the truth about them."""
    truth = json.loads((samples / corpus / "truth.json").read_text("utf-8"))
    found = []
    for name, known in (truth["textures"] | truth["textures_odd"]).items():
        archive, _, entry = name.rpartition("::")
        folder = "game/" if not archive.startswith("odd/") else ""
        found.append((f"{samples / corpus}/{folder}{archive or 'Textures.lib'}::{entry}", known))
    return found


def stored(address: str) -> bytes:
    return bytes(FileStore().open(Address.parse(address)).data)


def test_every_level_of_the_corpora(samples: Path, tmp_path: Path, capsys: Capture) -> None:
    for corpus in ["seed", "field"]:
        out = tmp_path / "out.png"
        formats = set()
        for address, known in textures(samples, corpus):
            formats.add(known["format"])
            for mip, level in enumerate(known["levels"]):
                success(capsys, "texture", address, "-o", out, "--mip", mip)
                rgba = pixels(out)
                assert rgba.shape == (level["h"], level["w"], 4)
                if known["format"] == CONTESTED:
                    continue
                allowed = 1 if known["format"] in ROUNDED else 0
                for place, corner in (("px0", (0, 0)), ("px_last", (-1, -1))):
                    assert np.abs(rgba[corner].astype(int) - level[place]).max() <= allowed, address
                if known["format"] not in ROUNDED:
                    assert zlib.crc32(rgba.tobytes()) == level["crc_rgba"], address
        assert formats >= {0, 565, 4444, 88, 888, 8888}


def test_pictures_of_the_corpora_become_the_same_texture_again(
    samples: Path, tmp_path: Path, capsys: Capture
) -> None:
    for corpus in ["seed", "field"]:
        picture, out = tmp_path / "picture.png", tmp_path / "out.texm"
        for address, known in textures(samples, corpus):
            success(capsys, "texture", address, "-o", picture)
            success(capsys, "texture", picture, "-o", out, "--like", address)
            original, again = stored(address), out.read_bytes()
            level = texm.decode(original).levels[0]
            assert again[: level.end] == original[: level.end], address
            assert zlib.crc32(again[level.offset : level.end]) == known["levels"][0]["crc_raw"]
            if len(known["levels"]) == 1 and "tail" not in address:
                assert again == original


def test_pixels_come_back_without_a_reference(samples: Path, tmp_path: Path, capsys: Capture) -> None:
    for corpus in ["seed", "field"]:
        picture, out = tmp_path / "picture.png", tmp_path / "out.texm"
        for address, known in textures(samples, corpus):
            success(capsys, "texture", address, "-o", picture)
            success(capsys, "texture", picture, "-o", out, "--format", known["format"])
            again = texm.decode(out.read_bytes())
            assert (again.level(0) == pixels(picture)).all(), address
            level = again.levels[0]
            if known["format"] not in {0, 888}:
                assert zlib.crc32(out.read_bytes()[level.offset : level.end]) == known["levels"][0]["crc_raw"]


@pytest.mark.parametrize("pixel_format", [0, 565, 556, 4444, 88, 888, 8888])
def test_a_picture_in_any_format(tmp_path: Path, capsys: Capture, pixel_format: int) -> None:
    rgba = noise(6, 9)
    picture, out = save(tmp_path / "in.png", rgba), tmp_path / "out.texm"
    success(capsys, "texture", picture, "-o", out, "--format", pixel_format, "--mips", 4)
    texture = texm.decode(out.read_bytes())
    assert texture.format == pixel_format
    assert texture.diagnostics == ()
    assert [(level.width, level.height) for level in texture.levels] == [(9, 6), (4, 3), (2, 1), (1, 1)]
    shown = texture.level(0).astype(int)
    step = {565: 5, 556: 5, 4444: 9}.get(pixel_format, 0)
    if pixel_format != CONTESTED:
        assert np.abs(shown - rgba)[..., :3].max() <= step
    assert np.abs(shown[..., 3] - (rgba[..., 3] if texture.format.has_alpha else 255)).max() <= step
    for mip in range(4):
        success(capsys, "texture", out, "-o", tmp_path / "back.png", "--mip", mip)
        assert (pixels(tmp_path / "back.png") == texture.level(mip)).all()


def reference(tmp_path: Path, pixel_format: PixelFormat, rgba: Pixels) -> tuple[Path, bytes]:
    """A texture with every header word set, three levels and two rectangles."""
    data = bytearray(
        texm.build(
            rgba, pixel_format, mip_count=3, pages=[(0, 0, 4, 4), (4, 0, 4, 8)], flags4=32, flags5=0x4000000
        )
    )
    data[0x18:0x1C] = (77).to_bytes(4, "little")
    path = tmp_path / "ref.texm"
    path.write_bytes(data)
    return path, bytes(data)


@pytest.mark.parametrize("pixel_format", WRITTEN)
def test_like_keeps_what_the_image_does_not_say(
    tmp_path: Path, capsys: Capture, pixel_format: PixelFormat
) -> None:
    path, data = reference(tmp_path, pixel_format, noise(8, 8))
    out = tmp_path / "out.texm"
    _, err = success(capsys, "texture", save(tmp_path / "in.png", noise(8, 8)), "-o", out, "--like", path)
    before, after = texm.decode(data), texm.decode(out.read_bytes())
    assert err == ""
    assert after.header == before.header
    assert after.pages.tolist() == before.pages.tolist()
    assert len(out.read_bytes()) == len(data)
    assert after.colors.tobytes() == before.colors.tobytes()


def test_like_of_another_size_leaves_the_rectangles_out(tmp_path: Path, capsys: Capture) -> None:
    path, _ = reference(tmp_path, PixelFormat.RGB565, noise(8, 8))
    out = tmp_path / "out.texm"
    picture = save(tmp_path / "in.png", noise(4, 16))
    _, err = success(capsys, "texture", picture, "-o", out, "--like", path)
    texture = texm.decode(out.read_bytes())
    assert states(err, "rectangles 8 8")
    assert len(texture.pages) == 0
    assert texture.diagnostics == ()
    assert [texture.header[name] for name in ("width", "height", "mip_count", "mean_color")] == [16, 4, 3, 77]


def test_format_and_mips_go_before_those_of_the_reference(tmp_path: Path, capsys: Capture) -> None:
    path, _ = reference(tmp_path, PixelFormat.RGB565, noise(8, 8))
    out = tmp_path / "out.texm"
    picture = save(tmp_path / "in.png", noise(8, 8))
    success(capsys, "texture", picture, "-o", out, "--like", path, "--format", 0, "--mips", 2)
    texture = texm.decode(out.read_bytes())
    assert (texture.format, len(texture.levels), len(texture.pages)) == (PixelFormat.INDEXED, 2, 2)
    assert (texture.level(0)[..., :3] == pixels(picture)[..., :3]).all()


@pytest.mark.parametrize(
    "arguments",
    [
        ("in.png", "-o", "x.texm"),
        ("in.png", "-o", "x.texm", "--format", 123),
        ("in.png", "-o", "x.texm", "--format", 565, "--mip", 0),
        ("in.png", "-o", "x.texm", "--format", 565, "--mips", 0),
        ("in.png", "-o", "x.texm", "--format", 565, "--mips", 16),
        ("in.png", "-o", "x.texm", "--like", "none.texm"),
        ("in.png", "-o", "x.texm", "--like", "in.png"),
        ("ref.texm", "-o", "x.png", "--mip", 3),
        ("ref.texm", "-o", "x.png", "--mip", -1),
        ("ref.texm", "-o", "x.png", "--format", 565),
        ("ref.texm", "-o", "x.png", "--like", "ref.texm"),
        ("ref.texm", "-o", "x.texm"),
        ("ref.texm",),
        ("none.texm", "-o", "x.png"),
    ],
)
def test_wrong_usage_writes_nothing(
    tmp_path: Path,
    capsys: Capture,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[object, ...],
) -> None:
    monkeypatch.chdir(tmp_path)
    reference(tmp_path, PixelFormat.RGB565, noise(8, 8))
    save(tmp_path / "in.png", noise(2, 2))
    failure(capsys, "texture", *arguments)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.png", "ref.texm"]


def test_damaged_textures(files: Path, tmp_path: Path, capsys: Capture) -> None:
    folder = files / "damaged"
    mutants = json.loads((folder / "manifest.json").read_text("utf-8"))["mutants"]
    for mutant in (mutant for mutant in mutants if mutant["kind"] == "texm"):
        out = tmp_path / "out.png"
        arguments = ("texture", folder / mutant["file"], "-o", out)
        if mutant["tolerant"] == "shows":
            success(capsys, *arguments)
            out.unlink()
        if mutant["tolerant"] == "error":
            failure(capsys, *arguments)
        if mutant["strict"] == "error":
            failure(capsys, *arguments, "--strict")
        assert not out.exists()


def test_a_cut_level_is_named(tmp_path: Path, capsys: Capture) -> None:
    path, data = reference(tmp_path, PixelFormat.RGB565, noise(8, 8))
    path.write_bytes(data[: texm.decode(data).levels[1].end + 1])
    success(capsys, "texture", path, "-o", tmp_path / "out.png", "--mip", 1)
    line = failure(capsys, "texture", path, "-o", tmp_path / "out.png", "--mip", 2)
    assert line.startswith(f"mshview: error: {path}: levels[2]: ")


def test_a_picture_out_of_an_archive(tmp_path: Path, capsys: Capture) -> None:
    address = f"{game_folders.write(tmp_path / 'game')}/Textures.lib::plain.0"
    success(capsys, "texture", address, "-o", tmp_path / "out.png")
    assert pixels(tmp_path / "out.png").shape == (8, 8, 4)
    assert BytesIO((tmp_path / "out.png").read_bytes()).read(4) == b"\x89PNG"


def test_indices_without_their_palette_are_grey_and_that_is_said(tmp_path: Path, capsys: Capture) -> None:
    path, data = reference(tmp_path, PixelFormat.INDEXED, noise(8, 8))
    bare = data[:0x1C] + int(PixelFormat.EXTERNAL).to_bytes(4, "little") + data[0x420:]
    path.write_bytes(bare)
    _, err = success(capsys, "texture", path, "-o", tmp_path / "out.png")
    assert states(err, "gray")
    assert (pixels(tmp_path / "out.png")[0, 0] == [bare[0x20]] * 3 + [255]).all()
    failure(capsys, "texture", tmp_path / "out.png", "-o", tmp_path / "out.texm", "--like", path)


PAL = int.from_bytes(b"PAL\0", "little")


def game_with_palette(folder: Path, blue: int = 5) -> Path:
    """A game folder with a texture of two pixels, 7 and 9, whose name selects the palette B2."""
    stored = bytearray(1024)
    stored[7 * 4 : 7 * 4 + 4] = blue, 6, 8, 0
    header = texm.HEADER.new()
    header[0] = (texm.MAGIC, 2, 1, 1, 0, 0, 0, PixelFormat.EXTERNAL)
    bare = game_folders.archive(TEXM, {"A.B2": header.tobytes() + bytes([7, 9])})
    game = game_folders.write(folder, Textures=bare)
    (game / "palettes.lib").write_bytes(game_folders.archive(PAL, {"B2.PAL": bytes(stored)}))
    return game


def decoded_colors(capsys: Capture, texture: object, out: Path, *options: object) -> tuple[Any, str]:
    _, err = success(capsys, "texture", texture, "-o", out, *options)
    return images.read_image(out.read_bytes())[0, :, :3].tolist(), err


def test_a_palette_is_looked_up_in_the_game(tmp_path: Path, capsys: Capture) -> None:
    game, out = game_with_palette(tmp_path / "game"), tmp_path / "out.png"
    other = game_with_palette(tmp_path / "other", blue=200)
    texture = f"{game / 'Textures.lib'}::A.B2"
    assert decoded_colors(capsys, texture, out) == ([[8, 6, 5], [0, 0, 0]], "")
    assert decoded_colors(capsys, texture, out, "--game", other) == ([[8, 6, 200], [0, 0, 0]], "")
    loose = tmp_path / "loose.b2.texm"
    success(capsys, "copy", texture, "-o", loose)
    assert decoded_colors(capsys, loose, out, "--game", game) == ([[8, 6, 5], [0, 0, 0]], "")


def test_a_palette_is_given(tmp_path: Path, capsys: Capture) -> None:
    game, out = game_with_palette(tmp_path / "game"), tmp_path / "out.png"
    other = game_with_palette(tmp_path / "other", blue=200)
    texture, given = f"{game / 'Textures.lib'}::A.B2", f"{other / 'palettes.lib'}::B2.PAL"
    assert decoded_colors(capsys, texture, out, "--palette", given) == ([[8, 6, 200], [0, 0, 0]], "")
    assert given in failure(capsys, "texture", texture, "-o", out, "--palette", f"{given}::x")


def test_without_a_palette_the_image_is_gray_and_that_is_said(tmp_path: Path, capsys: Capture) -> None:
    game, out = game_with_palette(tmp_path / "game"), tmp_path / "out.png"
    (game / "palettes.lib").unlink()
    pixels, err = decoded_colors(capsys, f"{game / 'Textures.lib'}::A.B2", out)
    assert pixels == [[7, 7, 7], [9, 9, 9]]
    assert states(err, "palettes.lib")
    assert all(line.startswith("mshview: warning: ") for line in err.splitlines())


@pytest.mark.parametrize("option", ["--game", "--palette"])
def test_palettes_do_not_apply_to_what_needs_none(tmp_path: Path, capsys: Capture, option: str) -> None:
    image = tmp_path / "image.png"
    image.write_bytes(images.write_png(np.zeros((2, 2, 4), np.uint8)))
    failure(capsys, "texture", image, "-o", tmp_path / "x.texm", "--format", "565", option, tmp_path)
    texture = tmp_path / "plain.texm"
    texture.write_bytes(texm.build(np.zeros((2, 2, 4), np.uint8), PixelFormat.ARGB8888))
    if option == "--palette":
        failure(capsys, "texture", texture, "-o", tmp_path / "x.png", option, image)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.png", "PNG"),
        ("a.tga", "TGA"),
        ("a.bmp", "BMP"),
        ("a.webp", "WEBP"),
        ("a.JPG", "JPEG"),
        ("a", "JPEG"),
    ],
)
def test_images_of_every_format_become_textures(
    tmp_path: Path, capsys: Capture, name: str, kind: str
) -> None:
    """As `import` reads them, whatever their name: every pixel, in a format of 8 bits a channel."""
    if kind == "WEBP" and not features.check("webp"):
        pytest.skip("Pillow without WebP")
    path = tmp_path / name
    Image.fromarray(noise(8, 16)[..., :3]).save(path, kind)
    with Image.open(path) as opened:
        expected = np.asarray(opened.convert("RGB"))
    success(capsys, "texture", str(path), "--format", "888", "-o", str(tmp_path / "a.texm"))
    made = texm.decode((tmp_path / "a.texm").read_bytes())
    assert (made.level(0)[..., :3] == expected).all()


def test_all_images_of_a_folder_become_textures(tmp_path: Path, capsys: Capture) -> None:
    for name, kind in (("a.png", "PNG"), ("b.tga", "TGA"), ("c.jpg", "JPEG"), ("d.bmp", "BMP")):
        Image.new("RGB", (4, 4), (9, 8, 7)).save(tmp_path / name, kind)
    (tmp_path / "notes.txt").write_text("none of them")
    success(capsys, "texture", str(tmp_path), "--format", "565", "-o", str(tmp_path / "out" / "{stem}.texm"))
    assert sorted(it.name for it in (tmp_path / "out").iterdir()) == ["a.texm", "b.texm", "c.texm", "d.texm"]


def test_a_texture_whose_name_ends_like_an_image_is_a_texture(tmp_path: Path, capsys: Capture) -> None:
    rgba = save(tmp_path / "a.png", noise(4, 4))
    success(capsys, "texture", str(rgba), "--format", "8888", "-o", str(tmp_path / "b.texm"))
    (tmp_path / "b.tga").write_bytes((tmp_path / "b.texm").read_bytes())
    success(capsys, "texture", str(tmp_path / "b.tga"), "-o", str(tmp_path / "c.png"))
    assert (pixels(tmp_path / "c.png") == pixels(rgba)).all()


def test_an_image_that_is_none_is_refused(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "a.tga").write_bytes(b"no image at all")
    out = str(tmp_path / "b.texm")
    words = failure(capsys, "texture", str(tmp_path / "a.tga"), "--format", "565", "-o", out)
    assert "a.tga: picture: " in words
    assert not (tmp_path / "b.texm").exists()
