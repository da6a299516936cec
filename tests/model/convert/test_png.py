"""Pictures of every kind that PNG has, and files that only look like one."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from io import BytesIO

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from viewer.errors import FormatError
from viewer.model.convert import images

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
    return images.SIGNATURE + chunk(b"IHDR", size + b"\x08\x06\0\0\0") + b"".join(rest)


def test_what_is_written_is_read_again() -> None:
    assert (images.read_png(images.write_png(RGBA)) == RGBA).all()


def test_pixels_are_those_of_the_file() -> None:
    assert (images.read_png(file(Image.fromarray(RGBA))) == RGBA).all()


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
    assert images.read_png(file(convert())).tolist() == expected.tolist()


def test_palettes_and_their_transparency() -> None:
    picture = Image.new("P", (2, 1))
    picture.putpalette([10, 20, 30, 40, 50, 60])
    picture.putpixel((1, 0), 1)
    assert images.read_png(file(picture, transparency=1)).tolist() == [[[10, 20, 30, 255], [40, 50, 60, 0]]]


@pytest.mark.parametrize("side", [4097, 20_000, 100_000, 0x7FFFFFFF])
def test_too_many_pixels_are_refused_before_they_are_unpacked(
    side: int, monkeypatch: pytest.MonkeyPatch, recwarn: pytest.WarningsRecorder
) -> None:
    monkeypatch.setattr(images, "_pixels", lambda _: pytest.fail("the pixels were unpacked"))
    with pytest.raises(FormatError, match="PNG: "):
        images.read_png(header(side, side, chunk(b"IDAT", zlib.compress(bytes(1000))), chunk(b"IEND", b"")))
    assert not recwarn.list


@pytest.mark.parametrize(
    "data",
    [
        images.SIGNATURE,
        header(4, 4),
        header(0, 4, chunk(b"IEND", b"")),
        header(4, 4, chunk(b"IDAT", b"rubbish"), chunk(b"IEND", b"")),
        header(4, 4, chunk(b"IDAT", zlib.compress(b"short")), chunk(b"IEND", b"")),
        header(4, 4, chunk(b"zTXt", b"key\0\0" + zlib.compress(bytes(1 << 26))), chunk(b"IEND", b"")),
        header(4, 4)[:-2] + b"xx" + chunk(b"IEND", b""),
        b"",
        b"GIF89a",
    ],
)
def test_broken_files_are_one_error(data: bytes) -> None:
    with pytest.raises(FormatError, match="PNG: "):
        images.read_png(data)


@given(st.integers(0, 200), st.binary(min_size=1, max_size=8))
def test_damage_is_an_error_or_a_picture(place: int, change: bytes) -> None:
    data = bytearray(file(Image.fromarray(RGBA)))
    data[place : place + len(change)] = change
    try:
        assert images.read_png(bytes(data)).shape[2] == 4
    except FormatError:
        return
