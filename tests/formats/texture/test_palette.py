"""External palettes by name, and palettes made from images."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.formats.contract import check_field_change, check_payload
from tests.formats.payloads import payloads
from viewer.errors import FormatError
from viewer.formats.texture import palette


@pytest.mark.parametrize(
    ("name", "index"),
    [
        (b"GRASS.0", None), (b"SKY.A", 0), (b"SKY.A0", 1), (b"LM.B2", 14), (b"X.Z9", 285), (b"lm.b2", 14),
        (b"NO_DOT", None), (b"END.", None), (b"X.[", None), (b"A.B.Z9", 11),
    ],
)  # fmt: skip
def test_the_palette_that_a_name_asks_for(name: bytes, index: int | None) -> None:
    assert palette.external_palette(name) == index


def test_few_colors_are_kept_as_they_are() -> None:
    image = np.zeros((2, 128, 4), np.uint8)
    image[..., 0] = np.arange(256).reshape(2, 128)
    colors = palette.palette_of(image)
    assert {tuple(color) for color in colors.tolist()} == {(red, 0, 0, 255) for red in range(256)}


def test_many_colors_are_reduced_to_near_ones() -> None:
    image = np.random.default_rng(1).integers(0, 256, (64, 64, 4), np.uint8)
    colors = palette.palette_of(image)[:, :3].astype(int)
    pixels = image.reshape(-1, 1, 4)[..., :3].astype(int)
    distance = np.sqrt(((pixels - colors) ** 2).sum(axis=2)).min(axis=1)
    assert distance.mean() < 25


def test_very_many_colors_are_thinned_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(palette, "MANY", 1000)
    test_many_colors_are_reduced_to_near_ones()
    test_few_colors_are_kept_as_they_are()


def test_what_follows_the_colors_is_kept() -> None:
    data = bytes(range(256)) * 4 + b"Ipol" + bytes(65536)
    stored = palette.decode(data)
    assert stored.colors[1].tolist() == [6, 5, 4, 255]
    check_payload(data, palette.encode(stored), palette.parts(stored), ())
    sizes = [(part.name, part.size) for part in palette.parts(stored).children]
    assert sizes == [("colors", 1024), ("blend_header", 4), ("blend_table", 65536)]


@given(st.binary(max_size=8), st.sampled_from([0, 1024, 1028, 66564]))
def test_any_bytes_are_read_or_refused(more: bytes, size: int) -> None:
    data = (bytes(1024) + b"Ipol" + bytes(65536))[:size] + more
    if len(data) < 1024:
        with pytest.raises(FormatError) as caught:
            palette.decode(data)
        assert caught.value.where == f"colors[{len(data) // 4}]"
        return
    stored = palette.decode(data)
    check_payload(data, palette.encode(stored), palette.parts(stored), ())


@given(st.data())
def test_a_changed_field_changes_its_bytes_alone(data: st.DataObject) -> None:
    stored = palette.decode(bytes(range(256)) * 4 + b"Ipol" + bytes(65536) + b"rest")
    check_field_change(stored, palette.encode, palette.parts(stored), data)


def test_every_palette_that_there_is_is_built_from_its_fields() -> None:
    found = payloads("palette")
    assert found
    for it in found:
        stored = palette.decode(it.data)
        check_payload(bytes(it.data), palette.encode(stored), palette.parts(stored), ())


def test_colors_make_a_palette() -> None:
    colors = palette.decode(bytes(range(256)) * 4).colors
    assert np.array_equal(palette.decode(palette.build(colors)).colors, colors)
    with pytest.raises(ValueError, match="shape"):
        palette.build(colors[:9])


def test_a_cut_palette_is_refused() -> None:
    with pytest.raises(FormatError, match="1023 bytes"):
        palette.decode(bytes(1023))
