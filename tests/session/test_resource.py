"""What can be said of something that is no model."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from viewer.formats import texm
from viewer.formats.pixels import PixelFormat
from viewer.model.library import Address, Library
from viewer.session import resource


def opened(path: Path, data: bytes) -> resource.Resource:
    path.write_bytes(data)
    return resource.read(Library(), Address(path))


def test_a_texture_comes_with_its_picture(tmp_path: Path) -> None:
    data = texm.build(np.zeros((4, 8, 4), np.uint8), PixelFormat.RGB565)
    found = opened(tmp_path / "a.0", data)
    assert found.kind == "texm"
    assert found.picture is not None
    assert found.picture.texture.levels[0].width == 8
    assert found.fields["pixel_format"] == 565


def test_a_texture_without_a_whole_level_has_none(tmp_path: Path) -> None:
    data = texm.build(np.zeros((4, 8, 4), np.uint8), PixelFormat.RGB565)
    found = opened(tmp_path / "a.0", data[:40])
    assert found.picture is None
    assert found.has_fields
    assert found.problem == ""


def test_what_cannot_be_read_says_why(tmp_path: Path) -> None:
    found = opened(tmp_path / "a.0", b"Texm" + bytes(8))
    assert found.kind == "texm"
    assert found.problem
    assert not found.has_fields
    assert bytes(found.data[:4]) == b"Texm"


def test_of_the_unknown_there_are_bytes_alone(tmp_path: Path) -> None:
    found = opened(tmp_path / "a.bin", b"\x01\x02\x03")
    assert not found.has_fields
    assert found.problem == ""
