"""Whatever the bytes: a result or an error of ours, and no more work than the file is worth.

Every format, damaged at random and on purpose: the same bytes back or a refusal, in little memory.

Every numbered rule: a file that breaks it, and nothing but it, is told so at its row.
"""

from __future__ import annotations

import struct
import tracemalloc
import zlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.broken import archives, games, libraries, models, neighbours, resources, terrains
from tests.broken.case import Case, findings
from tests.builders import Key, ModelBuilder, Node, archive_of, box, container, legacy24, parts_in, quad, turn
from tests.messages import states
from tests.model.effects.effects import SPRITE, block
from tests.model.viewing import look_at
from tests.share import examples
from tests.terrains import terrain
from viewer.diagnostics import Diagnostic
from viewer.errors import FormatError, Severity
from viewer.formats import mat0, objects, wear
from viewer.formats.archive import nres, rsli
from viewer.formats.archive.xor_stream import transform
from viewer.formats.msh.tables import TABLES
from viewer.formats.texture import texm
from viewer.formats.texture.pixels import PixelFormat
from viewer.geometry import frustum
from viewer.geometry.transforms import perspective
from viewer.model.checks.models import check_model
from viewer.model.kinds.plain import describe
from viewer.model.kinds.registry import by_id
from viewer.model.mesh import draw_builder, reading
from viewer.model.mesh.draws import visible_parts
from viewer.model.mesh.model import Model, encode
from viewer.model.mesh.pose.animation import Animation
from viewer.model.mesh.pose.skeleton import Skeleton
from viewer.model.write.copying import copied

PLANES = frustum.planes(perspective(1.0, 1.0, 0.1, 100.0) @ look_at((9, 9, 9), (0, 0, 0), (0, 0, 1)))
SHARED = [quad(material=2)]
SCENE = [
    Node("hull", shapes={(0, 0): [box(), quad()], (1, 0): SHARED}),
    Node("gun", 0, shapes={(0, 0): SHARED}, keys=[Key(0), Key(4, (1, 2, 3), turn((0, 0, 1), 90)), Key(7)]),
    Node("tip", 1, shapes={(0, 4): [box()], (2, 2): SHARED}, keys=[Key(0, (0, 0, 1)), Key(7)]),
]
SOURCES = {
    "model": ModelBuilder.of(SCENE).build(),
    "legacy24": legacy24([box(), quad()]),
    "terrain": terrain(3, 2),
}
TYPES = [type_id for type_id, table in TABLES.items() if table.record or type_id == 10]


def inspect(data: bytes) -> None:
    """Everything that is done to a model on the way to the screen."""
    try:
        model = Model.read(data)
    except FormatError:
        return
    skeleton = Skeleton(model)
    draws = draw_builder.build(model)
    choice = reading.choose(model, skeleton, draws, wear_rows=3)
    animation = Animation(model, skeleton, choice.reading.quaternion_order)
    for time in (0.0, 3.3, -1.0, 1e9):
        pose = animation.pose(time)
        assert pose.world.shape == (model.node_count, 4, 4)
        parts = parts_in(model, draws)
        visible_parts(draws, pose.world, PLANES, parts)
        draws.posed_bounds(model, pose.world, draws.draws_of(parts))
    animation.pose(0.0, 3.3, 0.5)
    assert len(model.node_names(from_records=True)) == model.node_count
    assert len(model.node_names(from_records=False)) == model.node_count
    reading.wear_rows_of(model.batches, choice.reading.material_field)
    assert (draws.corners < model.vertex_count).all()
    assert (draws.descriptor < len(model.tri_descriptors)).all()
    assert draws.triangle_start[-1] == len(draws.corners) == len(draws.triangle) == len(draws.descriptor)
    found = check_model(model)
    assert len({finding.rule for finding in found}) * 300 >= len(found)
    assert all(str(finding) for finding in found)
    assert encode(model) == data


@given(st.binary(max_size=300))
def test_arbitrary_bytes(data: bytes) -> None:
    inspect(data)


@given(st.dictionaries(st.sampled_from(TYPES), st.binary(max_size=200)))
def test_arbitrary_tables(tables: dict[int, bytes]) -> None:
    required = dict.fromkeys((1, 2, 3, 6, 13), b"")
    inspect(container({**required, **tables}, frame_count=3))
    inspect(container({3: b"", 21: b"", **{t: data for t, data in tables.items() if t != 6}}))


@st.composite
def structured(draw: st.DrawFn) -> bytes:
    """A model whose tables hold small numbers, so that most references lead somewhere."""
    small = st.integers(0, 6)
    words = st.one_of(small, st.sampled_from([0x10, 0x7FFF, 0x8000, 0xFFFE, 0xFFFF]))
    tables = {}
    for type_id in TYPES:
        record = TABLES[type_id].record
        count = draw(st.integers(0, 4)) * (record.size if record else 6) + TABLES[type_id].header_size
        values = draw(st.lists(words, min_size=count // 2, max_size=count // 2))
        tables[type_id] = np.array(values, "<u2").tobytes()
    return container(tables, frame_count=draw(st.integers(0, 3)))


@given(structured())
def test_tables_of_small_numbers(data: bytes) -> None:
    inspect(data)


@pytest.mark.parametrize("source", SOURCES)
@settings(max_examples=examples(200))
@given(data=st.data())
def test_one_wrong_byte(source: str, data: st.DataObject) -> None:
    broken = bytearray(SOURCES[source])
    broken[data.draw(st.integers(0, len(broken) - 1))] = data.draw(st.integers(0, 255))
    inspect(bytes(broken))


@pytest.mark.parametrize("source", SOURCES)
@settings(max_examples=examples(200))
@given(data=st.data())
def test_wrong_words(source: str, data: st.DataObject) -> None:
    broken = bytearray(SOURCES[source])
    for _ in range(data.draw(st.integers(1, 4))):
        start = 2 * data.draw(st.integers(0, len(broken) // 2 - 2))
        word = data.draw(
            st.sampled_from([0, 1, 2, 0x7F, 0x7F80, 0x7FC0, 0x7FFF, 0x8000, 0xFF80, 0xFFFE, 0xFFFF])
        )
        broken[start : start + 2] = word.to_bytes(2, "little")
    inspect(bytes(broken))


@pytest.mark.parametrize("source", SOURCES)
@given(data=st.data())
def test_a_table_cut_short(source: str, data: st.DataObject) -> None:
    archive = nres.Archive.read(SOURCES[source])
    cut = data.draw(st.sampled_from(archive.entries)).index
    length = data.draw(st.integers(0, archive.entries[cut].size))
    entries = [
        nres.NewEntry(
            entry.type_id,
            archive.payload(entry.index)[: length if entry.index == cut else entry.size],
            entry.name,
            entry.attr1,
            entry.attr2,
            entry.attr3,
        )
        for entry in archive.entries
    ]
    inspect(nres.build(entries))


@pytest.mark.parametrize("source", SOURCES)
@given(size=st.integers(0, 4000))
def test_a_file_cut_short(source: str, size: int) -> None:
    inspect(SOURCES[source][:size])


HUGE = st.sampled_from([0.0, 1e-45, 1e20, 3e38, -3e38, np.inf, -np.inf, np.nan])


@given(st.lists(HUGE, min_size=40, max_size=40), st.integers(-32768, 32767))
def test_numbers_too_large_for_single_precision(numbers: list[float], component: int) -> None:
    builder = ModelBuilder.of(SCENE)
    values = np.array(numbers, np.float32)
    builder.positions[:8] = values[:24].reshape(8, 3)
    builder.slots["aabb_min"][0], builder.slots["aabb_max"][0] = values[24:27], values[27:30]
    builder.slots["sphere_radius"][:2] = values[30:32]
    builder.keys["position"][1] = values[32:35]
    builder.keys["time"][1] = values[35]
    builder.keys["quaternion"][:3] = component
    builder.header["hull"][0, 0] = values[36:39]
    inspect(builder.build())


@pytest.mark.long("thousands of damaged files")
@settings(max_examples=5000)
@given(structured())
def test_many_tables_of_small_numbers(data: bytes) -> None:
    inspect(data)


@pytest.mark.long("thousands of damaged files")
@pytest.mark.parametrize("source", SOURCES)
def test_every_byte_wrong_in_turn(source: str) -> None:
    for position in range(len(SOURCES[source])):
        for value in (0, 0x7F, 0x80, 0xFF):
            broken = bytearray(SOURCES[source])
            broken[position] = value
            inspect(bytes(broken))


MODEL = ModelBuilder.of([Node("hull", shapes={(0, 0): [box()]})]).build()
PICTURE = np.arange(96, dtype=np.uint8).reshape(4, 6, 4)
SOUND = struct.pack("<I80x32s32s", 0x102, b"sounds.lib", b"boom.wav")
COMPONENT = struct.pack("<32s32sIi32sIi", b"objects.rlb", b"key", 1, -1, b"x", 0, 0)


def deflated(data: bytes) -> bytes:
    return zlib.compress(data)[2:-4]


def library(packed: bytes, unpacked_size: int) -> bytes:
    """A packed library with one member."""
    entry = b"MEMBER.TXT".ljust(16, b"\0") + struct.pack("<HHIII", 0x100, 0, unpacked_size, 64, len(packed))
    return b"NL\0\1" + struct.pack("<h8xH4xI8x", 1, 0, 7) + transform(entry, 7) + packed


MUTATED = {
    "nres": archive_of({"hull.msh": MODEL, "hull.wea": b"1\r\n0 M\r\n"}),
    "msh": MODEL,
    "rsli": library(deflated(b"text " * 12), 60),
    "wear": wear.build([b"A", b"B"], [b"L.0"]),
    "mat0": mat0.build([mat0.PhaseRecord(b"STEEL.0")] * 2, [mat0.block(1, 2, [(0, 500), (1, 9)])]),
    "texm": texm.build(PICTURE, PixelFormat.INDEXED, mip_count=3, pages=[(0, 1, 2, 3)]),
    "font": b"Tfnt" + bytes(4112) + texm.build(PICTURE, PixelFormat.RGB565),
    "fxid": struct.pack("<IIf48x", 3, 4, 2.5) + b"\6\1\0\0" + SOUND + b"\6\0\0\0",
    "objects": objects.build([(b"a.rlb", b"b.msh"), (b"objects.rlb", b"c")]),
    "control_points": struct.pack("<II2i6f32s", 1, 0, 1, 18, 1, 2, 3, 4, 5, 6, b"Center"),
    "damage": struct.pack("<iIff32s32s", 1, 0x20, 100, 0.5, b"effects.rlb", b"fx_02"),
    "explosion": struct.pack("<iffffi", 3, 40, 1.5, 1, 1, 0) + 12 * struct.pack("<32s32s", b"a.rlb", b"fx"),
    "ground_plan": struct.pack("<Ii6f2iIi3f", 1, 1, 0, 0, 0, 3, 4, 0, 77, 2, 1, 0, 5, 6, 7),
    "units": struct.pack("<II", 0xF0F1, 2) + COMPONENT * 2,
    "palette": bytes(range(256)) * 4 + b"Ipol" + bytes(64),
    "strings": b"\4\0\0\0hull\0" + bytes(4),
    "path_graph": struct.pack("<3f2I2I8I", 1, 2, 3, 0, 0, 0, 0, *[0xFFFFFFFF] * 8),
}
COUNTED = frozenset({"strings", "path_graph"})
"""Tables that need the counts of their entry."""

words = st.sampled_from([0, 1, 0x7FFF, 0xFFFF, 0x10000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF])
pieces = st.binary(max_size=6) | words.map(lambda word: struct.pack("<I", word))
changes = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 6), pieces), min_size=1, max_size=5)


def mutated(kind: str, steps: list[tuple[float, int, bytes]]) -> bytes:
    """A source with some stretches taken out and others put in their place."""
    data = bytearray(MUTATED[kind])
    for where, count, piece in steps:
        place = int(where * len(data))
        data[place : place + count] = piece
    return bytes(data)


def check(kind: str, data: bytes) -> None:
    payload = memoryview(data)
    with suppress(FormatError):
        assert copied(by_id(kind), payload) == data
    with suppress(FormatError):
        assert describe(by_id(kind), payload)["format"] == kind


@pytest.mark.parametrize("kind", MUTATED)
def test_the_sources_are_sound(kind: str) -> None:
    data = MUTATED[kind]
    assert copied(by_id(kind), memoryview(data)) == data
    found = describe(by_id(kind), memoryview(data))
    assert kind in COUNTED or found.get("diagnostics", []) == []


@given(st.sampled_from([*MUTATED]), changes)
def test_mutants_come_back_or_are_refused(kind: str, steps: list[tuple[float, int, bytes]]) -> None:
    check(kind, mutated(kind, steps))


@pytest.mark.long("thousands of damaged files")
@pytest.mark.parametrize("kind", MUTATED)
@settings(max_examples=10_000)
@given(steps=changes)
def test_many_mutants_come_back_or_are_refused(kind: str, steps: list[tuple[float, int, bytes]]) -> None:
    check(kind, mutated(kind, steps))


@cache
def bomb() -> bytes:
    """A library whose only member claims 4 GB and would unpack to 64 MB."""
    return library(deflated(bytes(64 << 20)), 0xFFFFFFFF)


CLAIMS: Mapping[str, tuple[str, bytes | Callable[[], bytes]]] = {
    "2^28 pixels": ("texm", struct.pack("<4s7I", b"Texm", 16384, 16384, 15, 0, 0, 0, 8888) + bytes(28)),
    "2^31 pixels": ("texm", struct.pack("<4s7I", b"Texm", 1 << 16, 1 << 15, 1, 0, 0, 0, 8888) + bytes(28)),
    "4 billion rectangles": (
        "texm",
        struct.pack("<4s7I2s4sI", b"Texm", 1, 1, 1, 0, 0, 0, 565, b"", b"Page", 0xFFFFFFFF),
    ),
    "4 billion commands": ("fxid", struct.pack("<I56x", 0xFFFFFFFF)),
    "65535 phases": ("mat0", struct.pack("<HH56x", 0xFFFF, 19)),
    "2 billion points": ("ground_plan", struct.pack("<Ii52x", 1, 0x7FFFFFFF)),
    "4 billion control points": ("control_points", struct.pack("<I56x", 0xFFFFFFFF)),
    "2 billion records": ("damage", struct.pack("<I56x", 0x7FFFFFFF)),
    "2 billion children": ("units", MUTATED["units"][:-4] + struct.pack("<I", 0x7FFFFFFF)),
    "2 billion entries": ("nres", struct.pack("<4sIII44x", b"NRes", 0x100, 0x7FFFFFFF, 60)),
    "32767 members": ("rsli", struct.pack("<4sh54x", b"NL\0\1", 0x7FFF)),
    "18 digits of rows": ("wear", b"9" * 18 + b"\n" + b"0 a\n" * 10),
    "a bomb": ("rsli", bomb),
}


@pytest.mark.parametrize("claim", CLAIMS)
def test_claims_are_checked_before_room_is_made(claim: str) -> None:
    kind, found = CLAIMS[claim]
    data = found if isinstance(found, bytes) else found()
    assert _peak(lambda: check(kind, data)) < 1_000_000 + 8 * len(data)


def test_a_member_is_not_unpacked_beyond_what_is_sane() -> None:
    archive = rsli.PackedLibrary.read(bomb())

    def unpack() -> None:
        with pytest.raises(FormatError, match="at most"):
            archive.unpack(0)

    assert _peak(unpack) < 1_000_000


def _peak(work: Callable[[], None]) -> int:
    """Bytes that a piece of work holds at most."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


CASES = (
    *archives.CASES,
    *libraries.CASES,
    *models.CASES,
    *terrains.CASES,
    *resources.CASES,
    *games.CASES,
    *neighbours.CASES,
)

NUMBERED = {"N": 14, "R": 8, "V": 27, "A": 13, "W": 10, "M": 7, "T": 8, "F": 5, "L": 10, "O": 5}
"""How many rules each page of the specification numbers."""

SAME_AS = {"A01": "V04", "V23": "A02", "V24": "A03", "V25": "A05", "W10": "V26"}
"""Rules that the specification numbers twice, and the number that they are reported by."""


@pytest.mark.parametrize("case", CASES, ids=str)
def test_broken_rule_is_found_at_its_row(case: Case) -> None:
    found = list(case.find())
    hits = [item for item in found if item.rule == case.rule and item.where == case.where]
    assert [item.severity for item in hits] == [case.severity], [str(item) for item in found]
    assert states(hits[0].message, case.says), hits[0].message
    others = {item.rule for item in found if item.severity is Severity.ERROR} - {case.rule}
    assert others == case.also
    assert sum(item.rule == case.rule for item in found) == case.count


def test_every_rule_of_the_specification_has_a_case() -> None:
    numbered = {f"{letter}{n:02}" for letter, count in NUMBERED.items() for n in range(1, count + 1)}
    assert numbered - {case.rule for case in CASES} == set(SAME_AS)
    assert set(SAME_AS.values()) <= {case.rule for case in CASES}


@pytest.mark.parametrize(
    "find",
    [
        lambda: archives.check(archives.sound()),
        lambda: libraries.check(libraries.library()),
        lambda: findings("msh", models.sound().build()),
        lambda: findings("msh", models.still().build()),
        lambda: terrains.check(terrains.sound()),
        lambda: findings("wear", resources.WEAR),
        lambda: resources.check_material(resources.material()),
        lambda: findings("texm", resources.texture()),
        lambda: findings("fxid", resources.effect(resources.POINT, resources.sound_command())),
        lambda: findings("objects", resources.REFERENCES),
    ],
)
def test_nothing_is_found_in_what_is_sound(find: Callable[[], list[Diagnostic]]) -> None:
    assert find() == []


@pytest.mark.parametrize(("kind", "data"), neighbours.SOUND)
def test_nothing_is_found_in_sound_neighbours(kind: str, data: bytes) -> None:
    assert findings(kind, data) == []


def test_nothing_is_found_in_a_sound_game() -> None:
    assert games.check(games.sound()) == {}


def test_names_that_lead_nowhere_are_told_in_the_order_of_the_commands() -> None:
    """A sound is only information, a material a warning; neither goes before the other."""
    lost, gone = resources.sound_command(resource=b"bang.wav"), block(3, b"GONE", **SPRITE)
    broken = resources.effect(lost, gone, lost)
    found = games.check(games.sound() | {"effects.rlb": games.archive(games.FXID, {"blast": broken})})
    assert [(it.index, it.severity) for it in found["effects.rlb::blast"] if it.field == "resource"] == [
        (0, Severity.INFO),
        (1, Severity.WARNING),
        (2, Severity.INFO),
    ]
