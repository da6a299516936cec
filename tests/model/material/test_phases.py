"""Materials in time, against values worked out by hand.

What batches and faces ask for, by what they are drawn with.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests import game_folders
from tests.builders import ModelBuilder, Node, box, quad
from tests.game_folders import materials_of, wear_of
from tests.messages import states
from tests.terrains import terrain
from viewer.formats import wear
from viewer.formats.archive import nres
from viewer.formats.archive.nres_edit import rewrite
from viewer.formats.msh.tables import FACES
from viewer.formats.msh.terrain import FACE
from viewer.model.material.materials import (
    PLAIN_PHASE,
    BlendMask,
    Block,
    BlockKey,
    FoundIn,
    Layer,
    Material,
    Materials,
    Mode,
    Phase,
)
from viewer.model.material.phases import (
    UNDEFINED_SHARE,
    WORD,
    PhaseMoment,
    Segment,
    changes,
    duration,
    moment_at,
    moment_in,
    period,
    segments,
    shown_keys,
    state_at,
    state_of,
    time_of,
)
from viewer.model.mesh.reading import FIELD, SEED
from viewer.model.mesh.reading_choices import GroundReading, ReadingChoice
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.place import Place
from viewer.operations.opening import Source
from viewer.operations.reading_options import ReadingOptions
from viewer.session.opened.document import Document

DARK = Phase(
    (0.0, 0.0, 0.0, 0.0), (0.0, 0.2, 0.4, 0.1), (0.0, 0.0, 0.0, 0.2), (0.0, 0.0, 0.0, 0.3), 10, "A.0"
)
BRIGHT = Phase(
    (1.0, 0.5, 0.0, 1.0), (1.0, 1.0, 1.0, 1.0), (0.4, 0.4, 0.4, 1.0), (0.8, 0.0, 0.0, 1.0), 20, "B.0"
)
KEYS = (BlockKey(0, 100), BlockKey(1, 400), BlockKey(2, 500))


def block(mode: int, keys: tuple[BlockKey, ...] = KEYS, mask: int = 0) -> Block:
    return Block(mode, mask, keys)


def material(mask: int) -> Material:
    keys = (BlockKey(0, 100), BlockKey(1, 200))
    return Material(0, phases=(DARK, BRIGHT), blocks=(block(Mode.LOOP, keys, mask),))


@pytest.mark.parametrize(
    ("time", "expected"),
    [
        (0, (0, 0.0)),
        (25, (0, 0.25)),
        (99.9, (0, 0.99)),
        (100, (1, 0.0)),
        (250, (1, 0.5)),
        (400, (2, 0.0)),
        (450, (2, 0.5)),
        (500, (0, 0.0)),
        (625, (1, 25 / 300)),
    ],
)
def test_a_loop_starts_over(time: float, expected: tuple[int, float]) -> None:
    assert moment_at(block(Mode.LOOP), time) == expected


@pytest.mark.parametrize(
    ("time", "expected"),
    [(25, (0, 0.25)), (500, (2, 1.0)), (550, (2, 0.5)), (750, (1, 0.5)), (975, (0, 0.25)), (1025, (0, 0.25))],
)
def test_ping_pong_goes_back_in_every_other_cycle(time: float, expected: tuple[int, float]) -> None:
    assert moment_at(block(Mode.PING_PONG), time) == expected


@pytest.mark.parametrize(("time", "expected"), [(450, (2, 0.5)), (500, (2, 0.0)), (10**7, (2, 0.0))])
def test_once_holds_the_last_key(time: float, expected: tuple[int, float]) -> None:
    assert moment_at(block(Mode.ONCE), time) == expected


def test_chance_repeats_itself_and_depends_on_the_seed() -> None:
    times = range(0, 5000, 50)
    first = [moment_at(block(Mode.RANDOM), time, seed=1) for time in times]
    assert first == [moment_at(block(Mode.RANDOM), time, seed=1) for time in times]
    assert first != [moment_at(block(Mode.RANDOM), time, seed=2) for time in times]
    assert {key for key, _ in first} == {0, 1, 2}


def test_chance_runs_on_within_a_cycle() -> None:
    (key, share), (later_key, later_share) = (moment_at(block(Mode.RANDOM), time, 7) for time in (0, 5))
    assert (key, share) != (later_key, later_share)
    assert later_share > share or later_key != key


@pytest.mark.parametrize("mode", [4, 5, 6, 7])
def test_modes_that_nobody_knows_loop(mode: int) -> None:
    for time in (0, 250, 625, 10_050):
        assert moment_at(block(mode), time) == moment_at(block(Mode.LOOP), time)


def test_time_wraps_as_a_word_does() -> None:
    assert moment_at(block(Mode.LOOP), WORD + 250) == moment_at(block(Mode.LOOP), 250)
    before = moment_at(block(Mode.LOOP), -1)
    assert before == moment_at(block(Mode.LOOP), WORD - 1) == (1, (295 - 100) / 300)


def test_a_cycle_of_no_length_stands_still() -> None:
    still = (BlockKey(0, 0), BlockKey(1, 0))
    assert moment_at(block(Mode.LOOP, still), 70) == (0, 0.0)
    assert moment_at(block(Mode.ONCE, still), 70) == (1, 0.0)


def test_a_key_whose_time_has_passed_already_is_left_out() -> None:
    keys = (BlockKey(0, 50), BlockKey(1, 40), BlockKey(2, 200))
    assert moment_at(block(Mode.LOOP, keys), 49) == (0, 49 / 50)
    assert moment_at(block(Mode.LOOP, keys), 50) == (2, 10 / 160)
    assert duration(block(Mode.LOOP, (BlockKey(0, 300), BlockKey(1, 100)))) == 100


def test_a_segment_of_no_length_blends_by_half() -> None:
    assert moment_at(block(Mode.PING_PONG, (BlockKey(0, 100), BlockKey(1, 100))), 100) == (1, UNDEFINED_SHARE)


def test_segments_start_where_the_key_before_ends() -> None:
    assert segments(block(Mode.LOOP)) == (Segment(0, 0, 100), Segment(1, 100, 400), Segment(2, 400, 500))
    assert segments(block(Mode.LOOP, ())) == ()
    assert duration(block(Mode.LOOP, ())) == 0


def test_keys_that_no_time_is_left_for_never_show() -> None:
    keys = (BlockKey(0, 0), BlockKey(1, 250), BlockKey(2, 250), BlockKey(1, 200), BlockKey(0, 300))
    assert segments(block(Mode.LOOP, keys)) == (Segment(1, 0, 250), Segment(4, 250, 300))
    seen = {moment_at(block(Mode.LOOP, keys), time).key for time in range(300)}
    assert shown_keys(block(Mode.LOOP, keys)) == tuple(sorted(seen))


def test_what_is_held_shows_though_it_takes_no_time() -> None:
    still = (BlockKey(0, 0), BlockKey(1, 0))
    assert shown_keys(block(Mode.LOOP, still)) == (0,)
    assert shown_keys(block(Mode.ONCE, still)) == (1,)
    assert shown_keys(block(Mode.ONCE, (BlockKey(0, 100), BlockKey(1, 100)))) == (0, 1)
    assert shown_keys(block(Mode.LOOP, ())) == ()


@pytest.mark.parametrize("time", [0, 50, 100, 399, 450])
def test_a_place_in_the_cycle_and_its_time_are_the_same(time: int) -> None:
    assert time_of(block(Mode.RANDOM), moment_in(block(Mode.RANDOM), time)) == pytest.approx(time)
    assert moment_in(block(Mode.RANDOM), time) == moment_at(block(Mode.LOOP), time)


@pytest.mark.parametrize(
    ("mode", "expected"), [(Mode.LOOP, 200), (Mode.PING_PONG, 400), (Mode.ONCE, 200), (Mode.RANDOM, 200)]
)
def test_a_period_shows_everything_once(mode: int, expected: int) -> None:
    two = replace(material(0), blocks=(block(mode, (BlockKey(0, 100), BlockKey(1, 200))),))
    assert period(two, 0) == expected


@pytest.mark.parametrize(
    "still",
    [
        block(Mode.LOOP, ()),
        block(Mode.LOOP, (BlockKey(1, 500),)),
        block(Mode.LOOP, (BlockKey(1, 0), BlockKey(1, 500)), BlendMask.DIFFUSE),
        block(Mode.LOOP, (BlockKey(0, 0), BlockKey(1, 500))),
        block(Mode.LOOP, (BlockKey(0, 0), BlockKey(1, 0))),
        block(Mode.LOOP, (BlockKey(1, 100), BlockKey(8, 200)), 0),
    ],
)
def test_what_always_looks_the_same_has_no_period(still: Block) -> None:
    shown = replace(material(0), blocks=(still,))
    assert period(shown, 0) == 0
    assert len({state_at(shown, time).phase for time in range(0, 600, 50)}) == 1
    assert period(shown, 1) == 0


def test_a_key_that_never_shows_counts_where_it_is_blended_with() -> None:
    assert period(replace(material(0), blocks=(block(0, (BlockKey(0, 0), BlockKey(1, 500)), 8),)), 0) == 500


def test_changes_are_where_another_key_begins_to_show() -> None:
    assert changes(block(Mode.LOOP)) == changes(block(Mode.ONCE)) == (0, 100, 400)
    assert changes(block(Mode.PING_PONG)) == (0, 100, 400, 600, 900)
    assert changes(block(Mode.RANDOM)) == ()
    there_and_back = block(Mode.PING_PONG)
    keys = [moment_at(there_and_back, time).key for time in (*changes(there_and_back), 1000)]
    assert keys == [0, 1, 2, 2, 1, 0]


def test_without_a_mask_everything_jumps() -> None:
    state = state_at(material(0), 75)
    assert (state.ambient, state.diffuse, state.phase) == (DARK.ambient, DARK.diffuse, 0)
    assert state_at(material(0), 150).diffuse == BRIGHT.diffuse


@pytest.mark.parametrize(
    ("mask", "field", "expected"),
    [
        (BlendMask.AMBIENT, "ambient", (0.25, 0.125, 0.0, 0.0)),
        (BlendMask.DIFFUSE, "diffuse", (0.25, 0.4, 0.55, 0.1)),
        (BlendMask.SPECULAR, "specular", (0.1, 0.1, 0.1, 0.2)),
        (BlendMask.EMISSIVE, "emissive", (0.2, 0.0, 0.0, 0.3)),
        (BlendMask.AMBIENT_ALPHA, "ambient", (0.0, 0.0, 0.0, 0.25)),
    ],
)
def test_each_bit_of_the_mask_blends_one_field(mask: int, field: str, expected: tuple[float, ...]) -> None:
    state = state_at(material(mask), 25)
    assert getattr(state, field) == pytest.approx(expected)
    others = {"ambient", "diffuse", "specular", "emissive"} - {field}
    assert all(getattr(state, other) == getattr(DARK, other) for other in others)
    assert (state.power, state.phase, state.moment) == (10, 0, (0, 0.25))


def test_the_last_key_leads_back_to_the_first() -> None:
    state = state_at(material(BlendMask.EMISSIVE), 150)
    assert state.emissive == pytest.approx((0.4, 0.0, 0.0, 1.0))
    assert (state.phase, state.power) == (1, 20)


def test_a_phase_that_does_not_exist_is_the_last() -> None:
    keys = (BlockKey(9, 100),)
    shown = replace(material(0), blocks=(block(Mode.LOOP, keys),))
    assert state_at(shown, 0).phase == 1


def test_variants_are_chosen_by_block_and_a_missing_one_stands_still() -> None:
    shown = replace(material(0), blocks=(block(Mode.LOOP), block(Mode.LOOP, (BlockKey(1, 100),))))
    assert state_at(shown, 0, block=1).phase == 1
    assert state_at(shown, 450, block=2).phase == 0
    assert state_at(Material(0), 450).diffuse == PLAIN_PHASE.diffuse


def test_a_material_stands_still_at_a_place() -> None:
    assert state_of(material(BlendMask.DIFFUSE), PhaseMoment(0, 0.25)) == state_at(
        material(BlendMask.DIFFUSE), 25
    )
    assert state_of(material(0), PhaseMoment(7)).phase == 0
    assert state_of(material(0), PhaseMoment(1), block=3).phase == 0


@given(
    mode=st.integers(0, 7),
    times=st.lists(st.integers(0, 0xFFFF), min_size=1, max_size=5),
    time=st.integers(-(2**33), 2**33),
    seed=st.integers(0, 2**40),
)
def test_any_block_gives_a_key_and_a_share(mode: int, times: list[int], time: int, seed: int) -> None:
    any_block = block(mode, tuple(BlockKey(0, end) for end in times))
    key, share = moment_at(any_block, time, seed)
    assert 0 <= key < len(times)
    assert 0.0 <= share <= 1.0
    assert 0 <= time_of(any_block, PhaseMoment(key, share)) <= max(times)


@pytest.mark.parametrize(
    ("mode", "time", "expected"),
    [
        (Mode.LOOP, 499, (2, 0.99)),
        (Mode.LOOP, 1000, (0, 0.0)),
        (Mode.PING_PONG, 499, (2, 0.99)),
        (Mode.PING_PONG, 501, (2, 0.99)),
        (Mode.PING_PONG, 600, (2, 0.0)),
        (Mode.PING_PONG, 601, (1, 299 / 300)),
        (Mode.PING_PONG, 999, (0, 0.01)),
        (Mode.PING_PONG, 1000, (0, 0.0)),
        (Mode.ONCE, 0, (0, 0.0)),
        (Mode.ONCE, 499, (2, 0.99)),
        (Mode.ONCE, 500, (2, 0.0)),
        # The start of turn 0 under seed 0 is crc32(8 zero bytes) % 500 = 1696784233 % 500 = 233.
        (Mode.RANDOM, 233, (0, 0.0)),
        (Mode.RANDOM, 250, (0, 0.17)),
        (Mode.RANDOM, 332, (0, 0.99)),
        (Mode.RANDOM, 333, (1, 0.0)),
        # Before it: 100 - 233 is 2^32 - 133 = 4294967163, which is 163 in its cycle.
        (Mode.RANDOM, 100, (1, 63 / 300)),
    ],
)
def test_each_mode_at_the_ends_of_its_segments(mode: int, time: float, expected: tuple[int, float]) -> None:
    assert moment_at(block(mode), time) == pytest.approx(expected)


def test_batches_with_the_same_row_share_a_material(tmp_path: Path) -> None:
    shapes = [box(material=2), box(), box(material=2, flags=0x108), box(material=2)]
    model = ModelBuilder.of([Node("a", shapes={(0, 0): shapes})]).model()
    found = materials_of(model, wear_of([b"SKIN", b"GLASS", b"leaves"]), game_folders.write(tmp_path))
    assert [(m.row, m.name, m.has_see_through_flag) for m in found.rows] == [
        (0, "SKIN", False),
        (2, "leaves", False),
        (2, "leaves", True),
    ]
    assert found.of_batch.tolist() == found.of_draw.tolist() == [1, 0, 2, 1]
    assert found.batches(1).tolist() == [0, 3]
    assert found.wear_names == ("SKIN", "GLASS", "leaves")
    assert found.problems == ()
    assert [any("see-through" in step for step in row.trace) for row in found.rows] == [False, False, True]


def test_the_high_byte_asks_for_the_lightmap_in_the_field_reading(tmp_path: Path) -> None:
    shapes = [quad(material=1, has_lightmap=True), quad(material=1), quad(material=1)]
    builder = ModelBuilder.of([Node("a", shapes={(0, 0): shapes})], FIELD)
    builder.batches["opaque4"][2] = 0x0101
    table = wear_of([b"FIRST", b"SKIN"], [b"HALL.0"])
    found = materials_of(builder.model(), table, game_folders.write(tmp_path), ReadingChoice.FIELD)
    names = [found.rows[row].lightmap for row in found.of_batch]
    assert [picture and picture.name for picture in names] == ["HALL.0", None, None]
    assert states(found.rows[found.of_batch[2]].problems[0], "lightmap 1 1")


def test_a_flag_asks_for_the_lightmap_in_the_seed_reading(tmp_path: Path) -> None:
    shapes = [quad(material=1, flags=0x2000), quad(material=1)]
    model = ModelBuilder.of([Node("a", shapes={(0, 0): shapes})], SEED).model()
    found = materials_of(model, wear_of([b"FIRST", b"SKIN"], [b"HALL.0"]), game_folders.write(tmp_path))
    assert [found.rows[row].lightmap is not None for row in found.of_batch] == [True, False]
    without = materials_of(model, wear_of([b"FIRST", b"SKIN"]), tmp_path)
    assert not any(material.lightmap or material.missing_lightmap for material in without.rows)


def test_where_both_readings_agree_the_high_byte_asks(tmp_path: Path) -> None:
    shapes = [quad(has_lightmap=True), quad()]
    model = ModelBuilder.of([Node("a", shapes={(0, 0): shapes})], FIELD).model()
    table, folder = wear_of([b"SKIN"], [b"HALL.0"]), game_folders.write(tmp_path)
    found = materials_of(model, table, folder)
    assert [found.rows[row].lightmap is not None for row in found.of_batch] == [True, False]
    forced = materials_of(model, table, folder, ReadingChoice.SEED)
    assert all(material.lightmap is None for material in forced.rows)


MICRO, BARE, WATER = 0x600, 0x200, 0x608
"""Flags of faces with a microtexture, without one, and of water."""


def land(
    folder: Path,
    layers: Sequence[tuple[int, int]],
    *,
    flags: Sequence[int] = (MICRO,) * 4,
    has_second_table: bool = True,
    ground: GroundReading = GroundReading.LAND1,
) -> Materials:
    """The materials of a terrain of one tile in two levels whose faces have these pairs of materials."""
    game_folders.write(folder)
    container = nres.Archive.read(terrain(1, 1))
    index = container.find_type(FACES)
    assert index is not None
    faces = FACE.view(container.payload(index)).copy()
    faces["material_a"], faces["material_b"] = np.array(layers).T
    faces["flags"] = flags
    (folder / "Land.msh").write_bytes(rewrite(container, {index: faces.tobytes()}))
    (folder / "Land1.wea").write_bytes(wear.build([b"SKIN", b"GLASS"]))
    if has_second_table:
        (folder / "LAND2.WEA").write_bytes(wear.build([b"leaves", b"GONE"]))
    return Document.open(
        FileStore(), Source(Address(folder / "Land.msh"), ReadingOptions(ground=ground))
    ).materials


def used(found: Materials) -> list[tuple[str | None, ...]]:
    """The first, the second material and the material of the microtexture of each draw."""
    rows = found.rows
    return [
        tuple(None if it is None else rows[it].name for it in (row, rows[row].second, rows[row].microtexture))
        for row in found.of_draw.tolist()
    ]


def test_both_bytes_of_a_face_are_rows_of_the_first_table(tmp_path: Path) -> None:
    found = land(tmp_path, [(0, 0xFF), (1, 0), (0, 0xFF), (1, 0)])
    assert used(found) == [("SKIN", None, "leaves"), ("GLASS", "SKIN", "GONE")] * 2
    second = next(row for row in found.rows if row.layer is Layer.SECOND)
    assert (second.name, second.wear) == ("SKIN", Address(tmp_path / "Land1.wea"))
    fine = found.rows[second.microtexture or 0]
    assert (fine.name, fine.layer, fine.wear) == (
        "leaves",
        Layer.MICROTEXTURE,
        Address(tmp_path / "LAND2.WEA"),
    )
    assert len(found.of_batch) == 0


@pytest.mark.parametrize("flags", [BARE, WATER, MICRO | 0x20000])
def test_water_and_faces_without_the_flag_have_no_microtexture(tmp_path: Path, flags: int) -> None:
    found = land(tmp_path, [(0, 1), (0, 1), (0, 1), (0, 1)], flags=[flags, MICRO] * 2)
    assert used(found) == [("SKIN", "GLASS", None), ("SKIN", "GLASS", "leaves")] * 2
    bare, fine = (found.rows[found.rows[row].second or 0] for row in found.of_draw[:2])
    assert (bare.microtexture, fine.microtexture is not None) == (None, True)


def test_rows_that_do_not_exist_are_named(tmp_path: Path) -> None:
    found = land(tmp_path, [(0, 1), (0, 0xFF), (0, 7), (0, 0xFF)])
    glass, outside = (row for row in found.rows if row.layer is Layer.SECOND)
    assert (glass.name, glass.found, outside.name) == ("GLASS", FoundIn.NAME, None)
    assert glass.steps[0].place == Place(Address(tmp_path / "Land.msh"), FACE.name, 0, "material_b")
    assert states(outside.problems[0], "Land1.wea no row 7 2")
    assert outside.microtexture is None


def test_without_the_second_table_there_are_no_microtextures(tmp_path: Path) -> None:
    found = land(tmp_path, [(0, 0), (0, 0), (0, 0), (0, 0)], has_second_table=False)
    assert used(found) == [("SKIN", "SKIN", None)] * 2
    assert any("Land2.wea" in problem for row in found.rows for problem in row.problems)


def test_the_other_readings_look_elsewhere(tmp_path: Path) -> None:
    """land.md 4: the table of the level of detail; first materials in Land2.wea, second ones in Land1.wea."""
    pairs = [(0, 1), (0, 1), (0, 1), (0, 1)]
    by_level = land(tmp_path, pairs, ground=GroundReading.LEVELS)
    assert used(by_level) == [("SKIN", "GLASS", None), ("leaves", "GONE", None)]
    crossed = land(tmp_path, pairs, ground=GroundReading.CROSSED)
    assert used(crossed) == [("leaves", "GLASS", None)] * 2


def test_the_segments_of_equal_blocks_are_found_once() -> None:
    """The window asks for them in every frame, and a block may have 65,535 keys."""
    one, other = (Block(0, 0, (BlockKey(0, 100), BlockKey(1, 250))) for _ in range(2))
    assert segments(one) is segments(other)
    assert shown_keys(one) is shown_keys(other)
