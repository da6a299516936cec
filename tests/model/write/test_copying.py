"""Copies: the same bytes for whatever decodes, and repacking that loses nothing unsaid."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.builders import Key, ModelBuilder, Node, archive_of, box, legacy24
from viewer.errors import FormatError
from viewer.formats import mat0
from viewer.formats.archive import nres
from viewer.formats.msh.keys import QuaternionOrder
from viewer.formats.msh.nodes import NONE
from viewer.formats.msh.tables import FRAME_MAP, NAME_RECORDS, NODES, POSITIONS, TABLES
from viewer.model.kinds import registry
from viewer.model.kinds.registry import by_id, promised_kind
from viewer.model.mesh.model import Model
from viewer.model.mesh.pose.animation import Animation
from viewer.model.mesh.pose.skeleton import Skeleton
from viewer.model.store.address import Address
from viewer.model.store.item import Item
from viewer.model.write import copying
from viewer.model.write.copying import copied, entries_of, repacked

MODEL = ModelBuilder.of([Node("hull", shapes={(0, 0): [box()]})]).build()
ARCHIVE = archive_of(
    {"hull.msh": MODEL, "hull.wea": b"1\r\n0 M\r\n", "more.rlb": archive_of({"a.msh": MODEL})}
)
KINDS = (
    *("msh", "nres", "rsli", "wear", "mat0", "texm", "fxid", "objects", "control_points", "damage"),
    *("ground_plan", "units", "palette", "0", "ABCD"),
    *(table.name for table in TABLES.values()),
)


@given(st.sampled_from(KINDS), st.binary(max_size=400))
def test_any_bytes_come_back_or_are_refused(kind: str, data: bytes) -> None:
    try:
        assert copied(by_id(kind), memoryview(data)) == data
    except FormatError:
        return


@given(
    st.lists(st.tuples(st.integers(0, len(ARCHIVE) - 1), st.binary(min_size=1, max_size=4)), max_size=6),
    st.integers(0, 3) | st.integers(0, len(ARCHIVE)),
)
def test_damaged_archives_come_back_or_are_refused(changes: list[tuple[int, bytes]], cut: int) -> None:
    data = bytearray(ARCHIVE)
    for place, change in changes:
        data[place : place + len(change)] = change
    broken = bytes(data[: len(data) - cut])
    try:
        assert copied(registry.ARCHIVE, memoryview(broken)) == broken
        again = repacked(registry.ARCHIVE, memoryview(broken))
    except FormatError:
        return
    assert repacked(registry.ARCHIVE, memoryview(again)) == again


def test_materials_need_their_entry() -> None:
    data = bytes(4)
    entry = nres.Archive.read(nres.build([nres.NewEntry(0, data, b"m", attr2=1)])).entries[0]
    assert copied(by_id("mat0"), memoryview(data), entry) == data
    with pytest.raises(FormatError):
        copied(by_id("mat0"), memoryview(data))
    assert mat0.VERSION == 6


def test_files_are_read_as_their_names_promise() -> None:
    def kind(name: str, data: bytes) -> str:
        return promised_kind(Item(Address(Path(name)), memoryview(data))).id

    assert kind("x.bin", MODEL) == kind("x.msh", MODEL) == "msh"
    assert kind("x.rlb", b"") == "nres"
    assert kind("x.lib", b"NL??") == "rsli"
    assert kind("x.bin", b"") == "0"


def test_a_repacked_archive_has_repacked_models() -> None:
    archive = nres.Archive.read(MODEL)
    start = archive.directory_offset
    loose = bytearray(MODEL[:start] + bytes(8) + MODEL[start:])
    loose[12:16] = len(loose).to_bytes(4, "little")
    inner = archive_of({"a.msh": bytes(loose)})
    outer = archive_of({"hull.msh": bytes(loose), "more.rlb": inner})
    assert repacked(registry.ARCHIVE, memoryview(outer)) == archive_of(
        {"hull.msh": MODEL, "more.rlb": archive_of({"a.msh": MODEL})}
    )
    deep, expected = (archive_of({"a.msh": it}) for it in (bytes(loose), MODEL))
    for _ in range(copying.MAX_DEPTH - 2):
        deep, expected = (archive_of({"more.rlb": it}) for it in (deep, expected))
    assert repacked(registry.ARCHIVE, memoryview(deep)) == expected


def test_entries_that_share_bytes_are_not_multiplied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copying, "SIZE_LIMIT", len(ARCHIVE))
    assert repacked(registry.ARCHIVE, memoryview(ARCHIVE)) == ARCHIVE
    data = bytearray(ARCHIVE)
    archive = nres.Archive.read(ARCHIVE)
    rows = nres.ENTRY.view(data, offset=archive.directory_offset, count=3)
    rows["data_offset"], rows["size"] = 16, archive.directory_offset - 16
    with pytest.raises(FormatError, match="at most"):
        repacked(registry.ARCHIVE, memoryview(bytes(data)))
    assert copied(registry.ARCHIVE, memoryview(bytes(data))) == data


SCENE = [
    Node("hull", shapes={(0, 0): [box()]}),
    Node("left", 0, keys=(Key(), Key(time=2.0, position=(1, 0, 0)), Key(time=5.0))),
    Node("right", 0, keys=(Key(), Key(time=5.0, position=(0, 2, 0)))),
]


def canonical(model: Model) -> Model:
    return Model.read(nres.build(entries_of(model)))


def poses(model: Model) -> np.ndarray:
    animation = Animation(model, Skeleton(model), QuaternionOrder.XYZW)
    return np.array([animation.pose(time).local for time in np.arange(-1, 9, 0.37)])


def test_a_canonical_model_stays() -> None:
    data = ModelBuilder.of(SCENE).build()
    assert canonical(Model.read(data)).archive.data == data


def test_wrong_attributes_follow_from_the_sizes() -> None:
    builder = ModelBuilder.of(SCENE)
    right = builder.build()
    builder.attributes |= {POSITIONS: (1, 2, 3), FRAME_MAP: (9, 6, 9)}
    assert canonical(builder.model()).archive.data == right


def test_attributes_without_a_rule_stay() -> None:
    builder = ModelBuilder.of(SCENE)
    builder.attributes |= {NAME_RECORDS: (7, 8, 9), NODES: (3, 55, 38), 99: (1, 2, 3)}
    builder.tables[99] = b"unknown"
    data = builder.build()
    assert canonical(Model.read(data)).archive.data == data


def scattered() -> ModelBuilder:
    """Blocks in the wrong order with a gap between them, and words above the fallback key."""
    builder = ModelBuilder.of(SCENE)
    frames = builder.frame_count
    left, right = builder.frame_map[:frames], builder.frame_map[frames:]
    left = np.where(left == builder.nodes["fallback_key"][1], 0xFFFE, left)
    builder.frame_map = np.concatenate([right, np.full(5, 0xABCD), left]).astype("<u2")
    builder.nodes["map_start"] = [NONE, frames + 5, 0]
    builder.attributes[FRAME_MAP] = (len(builder.frame_map), frames, 2)
    return builder


def test_a_scattered_map_is_put_in_order() -> None:
    assert canonical(scattered().model()).archive.data == ModelBuilder.of(SCENE).build()


def test_it_plays_as_before(files: Path) -> None:
    for path in sorted((files).glob("*/odd/*.msh")):
        model = Model.read(path.read_bytes())
        assert np.array_equal(poses(model), poses(canonical(model))), path.name
    assert np.array_equal(poses(scattered().model()), poses(canonical(scattered().model())))


@pytest.mark.parametrize("start", [0xFFFE, 12])
def test_a_block_that_is_not_whole_is_left_alone(start: int) -> None:
    builder = scattered()
    builder.nodes["map_start"][2] = start
    model = builder.model()
    again = canonical(model)
    assert again.payload(FRAME_MAP) == model.payload(FRAME_MAP)
    assert again.payload(NODES) == model.payload(NODES)


def test_bytes_behind_the_last_node_stay() -> None:
    builder = scattered()
    builder.tables[NODES] = builder.nodes.tobytes() + b"odd"
    builder.attributes[NODES] = (3, 0, 38)
    assert bytes(canonical(builder.model()).payload(NODES)).endswith(b"odd")


def test_legacy_nodes_are_copied() -> None:
    data = legacy24([box()])
    assert canonical(Model.read(data)).archive.data == data
