"""``texture --all``: a library as pictures and back; only what another program changed comes back changed."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Mapping
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from shutil import which
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.cli.console import Capture, failure, success
from tests.formats.archive.test_rsli import library as packed_library
from tests.game_folders import TEXM
from tests.messages import states
from viewer.formats.archive import nres, nres_edit, rsli
from viewer.formats.archive.nres import NewEntry
from viewer.formats.texture import texm
from viewer.formats.texture.pixels import WRITTEN, PixelFormat
from viewer.formats.texture.texm import Texture
from viewer.operations.textures.picture_folder import SCHEMA
from viewer.translation import count_text

RANDOM = np.random.default_rng(11)
FORMATS = {f"F{int(it)}.0": it for it in WRITTEN}
"""A texture of each format that is written, by its name."""
PAGES = ((0, 0, 8, 4), (8, 4, 8, 4))


def noise(width: int = 16, height: int = 8) -> np.ndarray[Any, np.dtype[np.uint8]]:
    return RANDOM.integers(0, 256, (height, width, 4), np.uint8)


def texture(pixel_format: PixelFormat) -> bytes:
    """A texture of noise whose levels, palette and unused bytes are not such as the writer makes them."""
    data = bytearray(
        texm.build(noise(), pixel_format, mip_count=4, pages=PAGES, flags4=32, flags5=0x04000000)
    )
    for level in texm.decode(bytes(data)).levels:
        data[level.offset : level.end] = RANDOM.bytes(level.size)
    return bytes(data)


def library_of(payloads: Mapping[str, bytes]) -> bytes:
    """An archive of textures by their names, and of texts."""
    return nres.build(
        NewEntry(0 if name == "note.txt" else TEXM, data, name.encode()) for name, data in payloads.items()
    )


def every_format() -> dict[str, bytes]:
    return {name: texture(it) for name, it in FORMATS.items()}


class PictureFolderCase:
    """A library in a folder, its pictures, and what comes of them."""

    def __init__(self, folder: Path, data: bytes, capsys: Capture) -> None:
        self.folder, self.capsys = folder, capsys
        self.library, self.pictures, self.out = folder / "t.lib", folder / "pictures", folder / "out.lib"
        self.library.write_bytes(data)
        success(capsys, "texture", self.library, "--all", "-o", self.pictures)

    @property
    def index(self) -> dict[str, Any]:
        """The index."""
        found: dict[str, Any] = json.loads((self.pictures / "index.json").read_text("utf-8"))
        return found

    def write_index(self, change: Callable[[dict[str, Any]], None]) -> None:
        """Change the index."""
        index = self.index
        change(index)
        (self.pictures / "index.json").write_text(json.dumps(index), "utf-8")

    def back(self) -> tuple[str, str]:
        """What is printed while the pictures are put back."""
        return success(self.capsys, "texture", "--all", self.pictures, "--into", self.library, "-o", self.out)

    def refusal(self) -> str:
        """The error if they cannot; nothing is written then."""
        found = failure(
            self.capsys, "texture", "--all", self.pictures, "--into", self.library, "-o", self.out
        )
        assert not self.out.exists()
        return found

    def payload(self, name: str) -> bytes:
        """The bytes of a texture that was written."""
        archive = nres.Archive.read(self.out.read_bytes())
        row = archive.find(name.encode())
        assert row is not None
        return bytes(archive.payload(row))

    def texture(self, name: str) -> Texture:
        """A texture that was written."""
        return texm.decode(self.payload(name))

    def save(self, name: str, rgba: np.ndarray[Any, Any]) -> None:
        """Write another picture of a texture."""
        Image.fromarray(rgba).save(self.pictures / f"{name}.png")


def test_an_unchanged_folder_gives_the_same_bytes(tmp_path: Path, capsys: Capture) -> None:
    case = PictureFolderCase(tmp_path, library_of({**every_format(), "note.txt": b"no texture"}), capsys)
    out, err = case.back()
    assert case.out.read_bytes() == case.library.read_bytes()
    assert states(out, f"0 of {len(FORMATS)} textures changed")
    assert not err
    assert f"{count_text(case.library.stat().st_size)} bytes" in out


def test_the_index_says_what_each_texture_is(tmp_path: Path, capsys: Capture) -> None:
    payloads = every_format()
    case = PictureFolderCase(tmp_path, library_of({"note.txt": b"no texture", **payloads}), capsys)
    assert case.index["schema"] == SCHEMA == "mshview-textures-1"
    rows = {it["name"]: it for it in case.index["textures"]}
    assert [*rows] == [*payloads]
    for at, (name, data) in enumerate(payloads.items(), 1):
        row, known = rows[name], texm.decode(data)
        picture = (case.pictures / row["picture"]).read_bytes()
        assert row["sha256"] == sha256(picture).hexdigest()
        assert (row["index"], row["format"], row["mips"]) == (at, int(FORMATS[name]), 4)
        assert (row["width"], row["height"]) == (16, 8)
        assert row["rectangles"] == [dict(zip("xywh", page, strict=True)) for page in PAGES]
        palette = None if not len(known.colors) else known.palette
        assert row["palette"] == (None if palette is None else palette[:, :3].tolist())
        with Image.open(BytesIO(picture)) as shown:
            assert np.array_equal(np.array(shown), known.level(0))


@pytest.mark.parametrize(
    "how",
    [{"compress_level": 9}, {"format": "TGA"}, {"format": "WEBP", "lossless": True, "exact": True}],
)
def test_a_picture_that_was_only_saved_again_changes_nothing(
    tmp_path: Path, capsys: Capture, how: dict[str, Any]
) -> None:
    case = PictureFolderCase(tmp_path, library_of(every_format()), capsys)
    for path in case.pictures.glob("*.png"):
        with Image.open(path) as shown:
            pixels = np.array(shown)
        before = path.read_bytes()
        Image.fromarray(pixels).save(path, **({"format": "PNG"} | how))
        assert path.read_bytes() != before
    out, _err = case.back()
    assert case.out.read_bytes() == case.library.read_bytes()
    assert states(out, "0 of 7 textures changed")


@pytest.mark.skipif(which("convert") is None, reason="ImageMagick is not installed")
def test_every_texture_through_imagemagick(tmp_path: Path, capsys: Capture) -> None:
    case = PictureFolderCase(tmp_path, library_of(every_format()), capsys)
    for path in [*case.pictures.glob("*.png")]:
        before = path.read_bytes()
        subprocess.run(["convert", path.name, "png:again"], cwd=case.pictures, check=True)
        (case.pictures / "again").replace(path)
        assert path.read_bytes() != before
    case.back()
    assert case.out.read_bytes() == case.library.read_bytes()


def test_a_changed_picture_keeps_everything_else(tmp_path: Path, capsys: Capture) -> None:
    payloads = every_format()
    case = PictureFolderCase(tmp_path, library_of(payloads), capsys)
    for name in FORMATS:
        rgba = texm.decode(payloads[name]).level(0).copy()
        rgba[0, 0] = (255, 0, 0, 255)
        case.save(name, rgba)
    out, _err = case.back()
    assert states(out, "7 of 7 textures changed")
    for name, data in payloads.items():
        before, after = texm.decode(data), case.texture(name)
        assert after.header.tobytes() == before.header.tobytes()
        assert after.pages.tobytes() == before.pages.tobytes()
        assert after.colors.tobytes() == before.colors.tobytes()
        assert len(data) == len(case.payload(name))
        # The last pixels of the two largest levels are far from what was changed.
        for old, new in zip(before.levels[:2], after.levels[:2], strict=True):
            assert bytes(old.data[-4:]) == bytes(new.data[-4:])
        assert bytes(before.levels[0].data) != bytes(after.levels[0].data)


def test_a_resized_picture_is_a_texture_of_that_size(tmp_path: Path, capsys: Capture) -> None:
    payloads = every_format()
    case = PictureFolderCase(tmp_path, library_of(payloads), capsys)
    case.save("F565.0", noise(64, 32))
    out, _err = case.back()
    after = case.texture("F565.0")
    assert (after.header["width"], after.header["height"], len(after.levels)) == (64, 32, 4)
    assert after.format is PixelFormat.RGB565
    assert not len(after.pages)
    assert states(out, "rectangles 2")
    assert states(out, "1 of 7 textures changed")
    assert states(
        out, f"F565.0 {count_text(len(case.payload('F565.0')))} {count_text(len(payloads['F565.0']))}"
    )
    others = {name: data for name, data in payloads.items() if name != "F565.0"}
    assert all(case.payload(name) == data for name, data in others.items())


def test_missing_and_unknown_pictures_are_said(tmp_path: Path, capsys: Capture) -> None:
    case = PictureFolderCase(tmp_path, library_of(every_format()), capsys)
    (case.pictures / "F0.0.png").unlink()
    case.save("new", noise())
    case.save("F8888.0", noise())
    (case.pictures / "F8888.0.png~").write_bytes(b"what ImageMagick has kept")
    out, err = case.back()
    assert states(err, "F0.0.png missing F0.0")
    assert states(err, "new.png index")
    assert "~" not in err
    assert states(out, "1 of 7 textures changed")
    assert (case.pictures / "new.png").exists()


def test_names_that_are_equal_or_devices(tmp_path: Path, capsys: Capture) -> None:
    names = ["SAME.0", "same.0", "con.0", "a:b?", "SAME.0", "index.json"]
    data = [texture(PixelFormat.RGB565) for _name in names]
    entries = [NewEntry(TEXM, it, name.encode()) for name, it in zip(names, data, strict=True)]
    case = PictureFolderCase(tmp_path, nres.build(entries), capsys)
    pictures = [it["picture"] for it in case.index["textures"]]
    assert len({it.lower() for it in pictures}) == len(names)
    assert not any(it.lower().startswith("con.") or ":" in it for it in pictures)
    Image.fromarray(noise()).save(case.pictures / pictures[4])
    case.back()
    after = nres.Archive.read(case.out.read_bytes())
    changed = [row for row in range(len(names)) if bytes(after.payload(row)) != data[row]]
    assert changed == [4]


def test_a_name_that_leads_out_has_no_picture(tmp_path: Path, capsys: Capture) -> None:
    library = tmp_path / "t.lib"
    library.write_bytes(library_of({"../up": texture(PixelFormat.RGB565), "in": texture(PixelFormat.RGB565)}))
    _out, err = success(capsys, "texture", library, "--all", "-o", tmp_path / "p", status=1)
    assert states(err, "directory[0].name ../up")
    assert sorted(it.name for it in (tmp_path / "p").iterdir()) == ["in.png", "index.json"]
    assert not (tmp_path.parent / "up.png").exists()


def test_a_damaged_texture_is_said_and_the_others_are_written(tmp_path: Path, capsys: Capture) -> None:
    whole = texture(PixelFormat.RGB565)
    library = tmp_path / "t.lib"
    library.write_bytes(library_of({"cut.0": whole[:100], "whole.0": whole, "none.0": whole[:9]}))
    _out, err = success(capsys, "texture", library, "--all", "-o", tmp_path / "p", status=1)
    assert states(err, "directory[0] cut.0 levels[0]")
    assert states(err, "directory[2] none.0")
    assert sorted(it.name for it in (tmp_path / "p").iterdir()) == ["index.json", "whole.0.png"]


def test_spelling_of_pictures_may_change(tmp_path: Path, capsys: Capture) -> None:
    case = PictureFolderCase(tmp_path, library_of({"Hull.0": texture(PixelFormat.ARGB8888)}), capsys)
    (case.pictures / "Hull.0.png").unlink()
    case.save("HULL.0", noise())
    out, err = case.back()
    assert states(out, "1 of 1 texture changed")
    assert not err


def test_a_texture_is_found_by_its_name_in_another_library(tmp_path: Path, capsys: Capture) -> None:
    payloads = every_format()
    case = PictureFolderCase(tmp_path, library_of(payloads), capsys)
    case.library.write_bytes(library_of(dict(reversed(payloads.items()))))
    rgba = noise()
    case.save("F8888.0", rgba)
    case.back()
    assert np.array_equal(case.texture("F8888.0").level(0), rgba)
    assert case.payload("F565.0") == payloads["F565.0"]


def test_a_packed_library(tmp_path: Path, capsys: Capture) -> None:
    data = [texture(PixelFormat.RGB565), texture(PixelFormat.ARGB8888)]
    packed = packed_library((b"ONE", 0, len(data[0]), data[0]), (b"TWO", 0, len(data[1]), data[1]))
    case = PictureFolderCase(tmp_path, packed, capsys)
    rgba = noise()
    for name in ("ONE", "TWO"):
        case.save(name, rgba)
    case.back()
    library = rsli.PackedLibrary.read(case.out.read_bytes())
    assert np.array_equal(texm.decode(library.payload(1)).level(0), rgba)
    assert bytes(library.payload(0)) != data[0]


def test_a_library_in_an_archive(tmp_path: Path, capsys: Capture) -> None:
    inner = library_of({"A.0": texture(PixelFormat.ARGB8888)})
    outer = library_of({"note.txt": b"text", "inner.lib": inner})
    library = tmp_path / "outer.lib"
    library.write_bytes(outer)
    address, pictures, out = f"{library}::inner.lib", tmp_path / "p", tmp_path / "out.lib"
    success(capsys, "texture", address, "--all", "-o", pictures)
    success(capsys, "texture", "--all", pictures, "--into", address, "-o", out)
    assert out.read_bytes() == outer
    rgba = noise()
    Image.fromarray(rgba).save(pictures / "A.0.png")
    success(capsys, "texture", "--all", pictures, "--into", address, "-o", out)
    found = nres.Archive.read(nres.Archive.read(out.read_bytes()).payload(1))
    assert np.array_equal(texm.decode(found.payload(0)).level(0), rgba)


def test_over_the_library_itself(tmp_path: Path, capsys: Capture) -> None:
    case = PictureFolderCase(tmp_path, library_of(every_format()), capsys)
    before = case.library.read_bytes()
    case.out = case.library
    case.back()
    assert not (tmp_path / "t.lib.bak").exists()
    case.save("F8888.0", noise())
    case.back()
    assert (tmp_path / "t.lib.bak").read_bytes() == before != case.library.read_bytes()


def test_pixels_whose_color_a_program_dropped_are_said(tmp_path: Path, capsys: Capture) -> None:
    rgba = noise()
    rgba[..., 3] = 0
    data = texm.build(rgba, PixelFormat.ARGB8888)
    case = PictureFolderCase(tmp_path, library_of({"A.0": data}), capsys)
    rgba[:2, :, :3] = 0
    case.save("A.0", rgba)
    out, _err = case.back()
    assert states(out, "32 clear pixels")


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("picture", "../../etc/passwd", "textures[0].picture"),
        ("picture", "/etc/passwd", "textures[0].picture"),
        ("picture", "F565.0.png", "textures[3].picture"),
        ("index", 3, "textures[3].index"),
        ("index", -1, "textures[0].index"),
        ("width", 0, "textures[0].width"),
        ("width", 10**30, "textures[0].width"),
        ("sha256", "x", "textures[0].sha256"),
        ("palette", [[1, 2]], "textures[0].palette"),
        ("rectangles", [{"x": 1}], "textures[0].rectangles"),
        ("name", None, "textures[0].name"),
    ],
)
def test_a_hostile_index_is_one_error(
    tmp_path: Path, capsys: Capture, field: str, value: object, said: str
) -> None:
    case = PictureFolderCase(tmp_path, library_of(every_format()), capsys)
    case.write_index(lambda index: index["textures"][0].update({field: value}))
    assert states(case.refusal(), f"index.json {said}")


def test_texts_that_are_no_index(tmp_path: Path, capsys: Capture) -> None:
    case = PictureFolderCase(tmp_path, library_of(every_format()), capsys)
    for text in (b"", b"[]", b"{}", b'{"schema": "mshview-extract-1"}', b'{"a": 1, "a": 2}', b"[" * 100_000):
        (case.pictures / "index.json").write_bytes(text)
        assert "index.json" in case.refusal()


def test_pictures_that_cannot_be_textures(tmp_path: Path, capsys: Capture) -> None:
    case = PictureFolderCase(tmp_path, library_of(every_format()), capsys)
    path = case.pictures / "F565.0.png"
    good = path.read_bytes()
    wide = BytesIO()
    Image.new("L", (20_000, 1)).save(wide, "PNG")
    many = BytesIO()
    Image.new("1", (16_000, 16_000)).save(many, "PNG")
    for data, values in [
        (b"", ""),
        (b"text", ""),
        (good[:-30], ""),
        (wide.getvalue(), "20000 16384"),
        (many.getvalue(), "16000"),
    ]:
        path.write_bytes(data)
        assert states(case.refusal(), f"F565.0.png texture F565.0 {values}")


def test_a_texture_that_the_library_does_not_have(tmp_path: Path, capsys: Capture) -> None:
    case = PictureFolderCase(tmp_path, library_of(every_format()), capsys)
    case.save("F565.0", noise())
    case.write_index(lambda index: index["textures"][3].update(name="Gone.0"))
    assert states(case.refusal(), "F565.0.png texture Gone.0 t.lib has no entry")


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        (["t.lib", "--all", "-o", "out"], "t.lib no textures"),
        (["t.lib", "--all", "-o", "out", "--mip", "1"], "--mip"),
        (["t.lib", "--into", "t.lib", "-o", "out"], "--all"),
        (["t.lib", "t.lib", "--all", "-o", "out"], ""),
        (["t.lib", "--all", "-o", "-"], ""),
    ],
)
def test_what_is_refused(
    arguments: list[str], answer: str, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.lib").write_bytes(library_of({"note.txt": b"no texture"}))
    assert states(failure(capsys, "texture", *arguments), answer)
    assert [it.name for it in tmp_path.iterdir()] == ["t.lib"]


def test_an_archive_that_was_damaged_meanwhile_stays(tmp_path: Path, capsys: Capture) -> None:
    case = PictureFolderCase(tmp_path, library_of({"A.0": texture(PixelFormat.ARGB8888)}), capsys)
    archive = nres.Archive.read(case.library.read_bytes())
    case.library.write_bytes(nres_edit.rewrite(archive, {0: b"Texm"}))
    case.save("A.0", noise())
    assert states(case.refusal(), "A.0.png texture A.0")
