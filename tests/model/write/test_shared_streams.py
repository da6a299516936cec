"""Members of a packed library that share one stream: it is unpacked once, whoever reads them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.broken import libraries
from viewer.formats.archive import deflate, rsli
from viewer.formats.archive.rsli import ENTRY, HEADER
from viewer.formats.archive.xor_stream import transform
from viewer.formats.record import Bytes
from viewer.model.store.address import Address
from viewer.model.store.file_store import Item
from viewer.model.validation.validate import check_item
from viewer.model.write.unpacked_folder import Unpacking

TEXT = b"PARKAN " * 3000
MEMBERS = 30


@pytest.fixture
def unpackings(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The sizes of the streams that have been unpacked whole."""
    sizes: list[int] = []
    decode = deflate.decode

    def counted(packed: bytes, size: int) -> Bytes:
        if size > rsli.HEAD_SIZE:
            sizes.append(size)
        return decode(packed, size)

    monkeypatch.setattr(deflate, "decode", counted)
    return sizes


def shared(*, streams: int = 1) -> bytes:
    """A library whose members in turn use one of some streams."""
    packed = libraries.deflated(TEXT)
    data = libraries.library([(b"M%03d" % row, rsli.DEFLATE, len(TEXT), packed) for row in range(MEMBERS)])
    archive = rsli.PackedLibrary.read(bytes(data))
    rows = archive.rows.copy()
    for row in range(MEMBERS):
        rows[row]["data_offset"] = rows[row % streams]["data_offset"]
    stored = transform(rows.tobytes(), int(archive.header["xor_seed"]))
    data[HEADER.size : HEADER.size + MEMBERS * ENTRY.size] = stored
    return bytes(data)


@pytest.mark.parametrize("streams", [1, 3])
def test_extracting_unpacks_each_stream_once(unpackings: list[int], streams: int) -> None:
    files = dict(Unpacking(rsli.PackedLibrary.read(shared(streams=streams))))
    assert [data for name, data in files.items() if name.startswith("M")] == [TEXT] * MEMBERS
    assert unpackings == [len(TEXT)] * streams


def test_checking_unpacks_each_stream_once(unpackings: list[int]) -> None:
    check_item(Item(Address(Path("shared.lib")), memoryview(shared())))
    assert unpackings == [len(TEXT)]


def test_few_unpacked_streams_are_kept(unpackings: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rsli, "MAX_UNPACKED", 2 * len(TEXT))
    archive = rsli.PackedLibrary.read(shared(streams=3))
    for index in range(MEMBERS):
        archive.unpack(index)
        assert sum(map(len, archive._decoded_streams.values())) <= 2 * len(TEXT)
    assert len(unpackings) == MEMBERS


def test_a_stream_of_one_member_is_not_kept() -> None:
    archive = rsli.PackedLibrary.read(bytes(libraries.library()))
    archive.unpack(2)
    assert not archive._decoded_streams
