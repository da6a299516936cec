"""Images of other programs: as many as sound files have are decoded, and of small files no more than fit.

Pictures of every kind that PNG has, and files that only look like one.

Models at the limits of the format go through files of other programs without a change.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import numpy as np
import PIL.Image
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from tests.builders import Key, ModelBuilder, Node, box
from tests.fuzz import bombs
from tests.model.convert.scenes import resolver_of
from viewer.errors import FormatError
from viewer.formats.msh.nodes import NONE
from viewer.formats.texture.pixels import Image as Pixels
from viewer.model.convert import exchange
from viewer.model.convert.from_model import scene_of
from viewer.model.convert.gltf.document import BYTES_PER_VALUE, MOST_VALUES
from viewer.model.convert.importing.importer import changes_of
from viewer.model.convert.options import Options
from viewer.model.convert.pictures import images, png
from viewer.model.convert.pictures.images import MOST_TOGETHER, PixelBudget
from viewer.model.convert.scene_file import GLB, OBJ, SceneFile
from viewer.model.store.address import Address
from viewer.model.store.disk import SIZE_LIMIT
from viewer.model.store.file_store import FileStore
from viewer.operations.opening import Source, model_of


def texture(side: int) -> bytes:
    """A JPEG file of a surface with some grain."""
    grain = np.random.default_rng(1).normal(128, 12, (side, side)).clip(0, 255).astype(np.uint8)
    file = BytesIO()
    PIL.Image.fromarray(grain).save(file, "JPEG", quality=75)
    return file.getvalue()


def test_the_textures_of_a_sound_model_are_decoded() -> None:
    data, budget = texture(1024), PixelBudget()
    for _ in range(MOST_TOGETHER >> 20):
        assert budget.read(data, ("JPEG",)).shape == (1024, 1024, 4)
    with pytest.raises(FormatError, match=r"1024 x 1024 pixels; all images together .* 0 of them are left"):
        budget.read(data, ("JPEG",))


@pytest.mark.parametrize("mode", ["L", "RGB"])
def test_an_image_is_known_again_in_its_jpeg_file(mode: str) -> None:
    grain = np.random.default_rng(2).normal(128, 12, (32, 48, 3)).clip(0, 255).astype(np.uint8)
    picture = PIL.Image.fromarray(grain).convert(mode)
    written = BytesIO()
    picture.save(written, "JPEG", quality=60)
    data = written.getvalue()
    how = images.compression_of(data)
    assert how is not None
    assert how.mode == mode
    known, given = np.asarray(picture.convert("RGBA")), PixelBudget().read(data, ("JPEG",))
    assert images.is_compressed(known, given, how)
    assert not images.is_compressed(known[::-1], given, how)


def test_the_textures_of_any_file_fit_into_a_library_that_is_read() -> None:
    all_levels = MOST_TOGETHER * 4 * 4 // 3
    assert all_levels < SIZE_LIMIT - (1 << 20)


def test_of_small_files_fewer_pixels_are_decoded() -> None:
    data, budget = bombs.png(4096, 4096), PixelBudget()
    for _ in range(4):
        budget.read(data, ("PNG",))
    with pytest.raises(FormatError, match="4096 x 4096 pixels; all images together"):
        budget.read(data, ("PNG",))


RGBA = np.arange(4 * 5 * 4, dtype=np.uint8).reshape(4, 5, 4) * 3

WIDE = RGBA[..., 0].astype(np.uint16) * 257


def file(picture: Image.Image, **options: object) -> bytes:
    buffer = BytesIO()
    picture.save(buffer, "PNG", **options)
    return buffer.getvalue()


def chunk(kind: bytes, data: bytes) -> bytes:
    return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")


def header(width: int, height: int, *rest: bytes) -> bytes:
    size = width.to_bytes(4, "big") + height.to_bytes(4, "big")
    return png.SIGNATURE + chunk(b"IHDR", size + b"\x08\x06\0\0\0") + b"".join(rest)


@pytest.mark.parametrize("write", [images.write_png, png.picture_png])
@pytest.mark.parametrize("shape", [(4, 4, 4), (1, 7, 4), (9, 1, 4)])
def test_what_is_written_is_read_again(write: Callable[[Pixels], bytes], shape: tuple[int, int, int]) -> None:
    noise = np.random.default_rng(1).integers(0, 256, shape, np.uint8)
    assert (images.read_image(write(noise)) == noise).all()
    assert (images.read_image(write(np.ascontiguousarray(noise[::-1])[::-1])) == noise).all()


def test_pixels_are_those_of_the_file() -> None:
    assert (images.read_image(file(Image.fromarray(RGBA))) == RGBA).all()


@pytest.mark.parametrize(
    ("convert", "expected"),
    [
        (lambda: Image.fromarray(RGBA[..., :3]), np.dstack([RGBA[..., :3], np.full((4, 5), 255)])),
        (lambda: Image.fromarray(RGBA[..., 0]), np.dstack([RGBA[..., [0, 0, 0]], np.full((4, 5), 255)])),
        (lambda: Image.fromarray(WIDE), np.dstack([RGBA[..., [0, 0, 0]], np.full((4, 5), 255)])),
        (lambda: Image.new("1", (2, 1), 1), np.full((1, 2, 4), 255)),
        (lambda: Image.new("LA", (2, 1), (9, 8)), np.full((1, 2, 4), (9, 9, 9, 8))),
    ],
)  # fmt: skip
def test_every_kind_of_pixel(convert: Callable[[], Image.Image], expected: np.ndarray) -> None:
    assert images.read_image(file(convert())).tolist() == expected.tolist()


def test_palettes_and_their_transparency() -> None:
    picture = Image.new("P", (2, 1))
    picture.putpalette([10, 20, 30, 40, 50, 60])
    picture.putpixel((1, 0), 1)
    assert images.read_image(file(picture, transparency=1)).tolist() == [[[10, 20, 30, 255], [40, 50, 60, 0]]]


@pytest.mark.parametrize("side", [4097, 20_000, 100_000, 0x7FFFFFFF])
def test_too_many_pixels_are_refused_before_they_are_unpacked(
    side: int, monkeypatch: pytest.MonkeyPatch, recwarn: pytest.WarningsRecorder
) -> None:
    monkeypatch.setattr(images, "_pixels", lambda _: pytest.fail("the pixels were unpacked"))
    with pytest.raises(FormatError, match="picture: "):
        images.read_image(header(side, side, chunk(b"IDAT", zlib.compress(bytes(1000))), chunk(b"IEND", b"")))
    assert not recwarn.list


@pytest.mark.parametrize(
    "data",
    [
        png.SIGNATURE,
        header(4, 4),
        header(0, 4, chunk(b"IEND", b"")),
        header(4, 4, chunk(b"IDAT", b"rubbish"), chunk(b"IEND", b"")),
        header(4, 4, chunk(b"IDAT", zlib.compress(b"short")), chunk(b"IEND", b"")),
        header(4, 4)[:-2] + b"xx" + chunk(b"IEND", b""),
        b"",
        b"GIF89a",
    ],
)
def test_broken_files_are_one_error(data: bytes) -> None:
    with pytest.raises(FormatError, match="picture: "):
        images.read_image(data)


def test_a_text_of_64_megabytes_is_one_error() -> None:
    text = b"key\0\0" + zlib.compress(bytes(1 << 26), 1)
    with pytest.raises(FormatError, match="picture: "):
        images.read_image(header(4, 4, chunk(b"zTXt", text), chunk(b"IEND", b"")))


@given(st.integers(0, 200), st.binary(min_size=1, max_size=8))
def test_damage_is_an_error_or_a_picture(place: int, change: bytes) -> None:
    data = bytearray(file(Image.fromarray(RGBA)))
    data[place : place + len(change)] = change
    try:
        assert images.read_image(bytes(data)).shape[2] == 4
    except FormatError:
        return


@pytest.mark.parametrize("suffix", [GLB, OBJ])
@pytest.mark.parametrize("frame_count", [65_535, 2_000_000])
def test_a_long_animation_keeps_its_end(frame_count: int, suffix: str, tmp_path: Path) -> None:
    keys = [Key(0), Key(100, (1, 2, 3)), Key(frame_count - 1, (4, 5, 6))]
    builder = ModelBuilder.of([Node("door", shapes={(0, 0): [box()]}, keys=keys)])
    path = tmp_path / "long.msh"
    path.write_bytes(builder.build())
    model = model_of(FileStore(), Source(Address(path)))
    scene = scene_of(model, Options(has_textures=False))
    assert scene.frame_count == frame_count
    files = exchange.files_of(scene, suffix, "long")
    name = f"long.{suffix}"
    file = SceneFile(Path(name), files[name], suffix, resolver_of(files))
    found = changes_of(model, exchange.read(file, model))
    assert (found.changes, found.losses) == ((), ())


def test_the_values_of_the_largest_number_of_nodes_are_below_the_limit(tmp_path: Path) -> None:
    """Counted on the export of some nodes with a slot each; that of all has as many times more."""
    count = 60
    path = tmp_path / "many.msh"
    path.write_bytes(
        ModelBuilder.of([Node(f"part{at}", None, {(0, 0): [box()]}) for at in range(count)]).build()
    )
    scene = scene_of(model_of(FileStore(), Source(Address(path))), Options(has_textures=False))
    data = exchange.files_of(scene, GLB, "many")["many.glb"]
    text = data[20 : 20 + int.from_bytes(data[12:16], "little")]
    values = sum(map(text.count, (b",", b":", b"[", b"{"))) * NONE / count
    assert values > MOST_VALUES
    assert values < MOST_VALUES + len(text) * NONE / count / BYTES_PER_VALUE
