"""Replacing members of a library: the new one is read back, everything else stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from viewer.errors import FormatError
from viewer.formats import splice
from viewer.formats.archive import rsli, rsli_edit
from viewer.formats.archive.rsli_edit import pack, renamed, rewrite
from viewer.formats.archive.xor_stream import transform

TEXT = b"some text, some text, and some more text to be stored"
WRITTEN = [0x000, 0x020, 0x040, 0x060, 0x100]


def library(methods: list[int], *, gap: bytes = b"gap", tail: bytes = b"") -> rsli.PackedLibrary:
    """A presorted library of one text per method, with bytes between the payloads and behind them."""
    count = len(methods)
    rows = rsli.ENTRY.new(count)
    out = bytearray(rsli.HEADER.size + rows.nbytes)
    for index, method in enumerate(methods):
        out += gap
        stored = pack(TEXT, method, index)
        rows[index] = (
            f"NAME{index}".encode(),
            b"\1\2\3\4",
            method | 0x200,
            index,
            len(TEXT),
            len(out),
            len(stored),
        )
        out += stored
    out += tail
    header = rsli.HEADER.new()
    header["magic"], header["version"], header["entry_count"] = rsli.MAGIC, 1, count
    header["presorted"], header["xor_seed"], header["unknown_0x06"] = rsli.PRESORTED, 0x1234, b"untouched"[:8]
    out[: rsli.HEADER.size] = header.tobytes()
    out[rsli.HEADER.size : rsli.HEADER.size + rows.nbytes] = transform(rows.tobytes(), 0x1234)
    return rsli.PackedLibrary.read(bytes(out))


def test_nothing_replaced_is_the_same_bytes() -> None:
    archive = library(WRITTEN)
    assert rewrite(archive, {}) == archive.data
    assert rewrite(archive, dict.fromkeys(range(len(WRITTEN)), TEXT)) == archive.data


@pytest.mark.parametrize("index", range(len(WRITTEN)))
@pytest.mark.parametrize("payload", [b"", b"short", TEXT * 40])
def test_a_member_is_replaced_in_its_own_method(index: int, payload: bytes) -> None:
    archive = library(WRITTEN, tail=b"behind the last payload")
    result = rsli.PackedLibrary.read(rewrite(archive, {index: payload}))
    assert not result.diagnostics
    assert [bytes(result.payload(i)) for i in range(len(WRITTEN))] == [
        payload if i == index else TEXT for i in range(len(WRITTEN))
    ]
    assert [entry.flags for entry in result.entries] == [entry.flags for entry in archive.entries]
    before, after = archive.rows, result.rows
    assert (before["service"] == after["service"]).all()
    assert result.data[: rsli.HEADER.size] == archive.data[: rsli.HEADER.size]
    assert bytes(result.data).count(b"gap") == len(WRITTEN)
    assert bytes(result.data).endswith(b"behind the last payload")


@pytest.mark.parametrize("method", WRITTEN)
def test_a_member_is_stored_in_another_method(method: int) -> None:
    result = rsli.PackedLibrary.read(rewrite(library(WRITTEN), {1: b"other" * 9}, method))
    assert result.entries[1].method == method
    assert result.entries[1].flags & ~rsli.METHOD_MASK == 0x200
    assert result.payload(1) == b"other" * 9


def test_the_trailer_and_its_overlay_stay() -> None:
    data = bytearray(library([0x000, 0x040], tail=b"AO" + (7).to_bytes(4, "little")).data)
    start = rsli.HEADER.size
    rows = rsli.PackedLibrary.read(data).rows.copy()
    rows["data_offset"] -= 7
    data[start : start + rows.nbytes] = transform(rows.tobytes(), 0x1234)
    archive = rsli.PackedLibrary.read(bytes(data))
    assert archive.overlay == 7
    result = rsli.PackedLibrary.read(rewrite(archive, {0: b"longer than it was, by far, one hopes" * 3}))
    assert result.overlay == 7
    assert result.payload(1) == TEXT
    assert result.payload(0) == b"longer than it was, by far, one hopes" * 3


@pytest.mark.parametrize(("requested", "written"), [(0x080, 0x000), (0x0A0, 0x020), (0x1E0, 0x000)])
def test_adaptive_huffman_and_unknown_methods_are_never_written(requested: int, written: int) -> None:
    """What they would have packed is stored raw, under the XOR of the method if it has one."""
    result = rsli.PackedLibrary.read(rewrite(library([0x000]), {0: b"new"}, requested))
    assert (result.entries[0].method, bytes(result.payload(0))) == (written, b"new")


def test_a_library_is_as_large_as_fits_and_no_larger(monkeypatch: pytest.MonkeyPatch) -> None:
    archive = library([0x000])
    expected = rewrite(archive, {0: TEXT * 2})
    monkeypatch.setattr(rsli_edit, "MOST_BYTES", len(expected))
    assert rewrite(archive, {0: TEXT * 2}) == expected
    with pytest.raises(FormatError, match=f"{len(expected) + 1} bytes, at most {len(expected)} fit"):
        rewrite(archive, {0: TEXT * 2 + b"!"})


def test_overlapping_payloads_are_not_moved() -> None:
    data = bytearray(library([0x000, 0x000]).data)
    rows = rsli.PackedLibrary.read(data).rows.copy()
    rows["data_offset"][1] = rows["data_offset"][0] + 3
    start = rsli.HEADER.size
    data[start : start + rows.nbytes] = transform(rows.tobytes(), 0x1234)
    with pytest.raises(FormatError, match=r"directory\[1\].data_offset: .*\b0\b"):
        rewrite(rsli.PackedLibrary.read(bytes(data)), {0: b"new"})


def cut(archive: rsli.PackedLibrary, size: int) -> rsli.PackedLibrary:
    """The library without its last bytes."""
    return rsli.PackedLibrary.read(bytes(archive.data[: len(archive.data) - size]))


@pytest.mark.parametrize("missing", [1, 20, len(TEXT), len(TEXT) + 2, len(TEXT) + 40])
@pytest.mark.parametrize("payload", [b"", b"short", TEXT * 40])
def test_a_cut_member_stays_cut_by_as_many_bytes(missing: int, payload: bytes) -> None:
    archive = cut(library([0, 0, 0]), missing)
    result = rsli.PackedLibrary.read(rewrite(archive, {0: payload}))
    assert result.payload(0) == payload
    for before, after in zip(archive.entries[1:], result.entries[1:], strict=True):
        assert after.available == before.available
        assert len(result.data) - after.offset == len(archive.data) - before.offset
        assert result.data[after.offset :] == archive.data[before.offset :]


def test_a_cut_member_before_others_is_not_filled_by_them() -> None:
    data = bytearray(library([0, 0]).data)
    rows = rsli.PackedLibrary.read(bytes(data)).rows.copy()
    rows[0]["packed_size"] = len(data)
    data[rsli.HEADER.size : rsli.HEADER.size + rows.nbytes] = transform(rows.tobytes(), 0x1234)
    archive = rsli.PackedLibrary.read(bytes(data))
    assert not rsli.PackedLibrary.read(rewrite(archive, {1: b"short"})).entries[0].available
    with pytest.raises(FormatError, match=r"directory\[0\]\.packed_size: is cut off, but would have bytes"):
        rewrite(archive, {1: TEXT * 40})


def test_a_payload_that_would_be_read_as_a_trailer_is_refused() -> None:
    archive = library([0, 0])
    harmless, overlay = TEXT + b"AO" + bytes(4), TEXT + b"AO\1\0\0\0"
    assert rsli.PackedLibrary.read(rewrite(archive, {1: harmless})).payload(1) == harmless
    with pytest.raises(FormatError, match=r"trailer\.overlay: would be 1 after this change, not 0"):
        rewrite(archive, {1: overlay})


def test_a_wrong_overlay_does_not_become_valid() -> None:
    whole = library([0, 0])
    archive = library([0, 0], tail=b"AO" + (len(whole.data) + 60).to_bytes(4, "little"))
    assert archive.overlay == 0
    with pytest.raises(FormatError, match=r"trailer\.overlay"):
        rewrite(archive, {0: TEXT * 40})


def test_a_cut_member_is_not_left_with_a_key_that_does_not_fit() -> None:
    archive = cut(library([0, 0, 0x020]), 1)
    same = rsli.PackedLibrary.read(splice.applied(archive.data, renamed(archive, 0, b"NAME00")))
    assert bytes(same.data[same.entries[2].offset :]) == archive.data[archive.entries[2].offset :]
    with pytest.raises(FormatError, match=r"directory\[2\]\.sort_to_original: is damaged"):
        renamed(archive, 0, b"ZED")


def test_the_libraries_of_the_corpora_stay_but_for_one_member(files: Path) -> None:
    for reading in ["seed", "field"]:
        game = files / reading / "game"
        for path in (game / "sprites.lib", *game.glob("gamefont.rlb")):
            archive = rsli.PackedLibrary.read(path.read_bytes())
            payloads = [bytes(archive.payload(entry.index)) for entry in archive.entries]
            assert rewrite(archive, dict(enumerate(payloads))) == archive.data
            result = rsli.PackedLibrary.read(rewrite(archive, {0: b"replaced"}))
            assert [bytes(result.payload(entry.index)) for entry in result.entries] == [
                b"replaced",
                *payloads[1:],
            ]


@pytest.mark.parametrize("name", [b"", b"THIRTEEN-LONG", b"A\0B"])
def test_a_name_that_does_not_fit_is_refused(name: bytes) -> None:
    with pytest.raises(ValueError, match="does not fit a name of 12 bytes"):
        renamed(library([0]), 0, name)
