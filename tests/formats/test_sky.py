"""Skies: each field where the specification has it, damage, the round trip."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import skies
from tests.formats.contract import check_field_change, check_payload, check_tree, plain
from viewer.errors import FormatError
from viewer.formats import sky
from viewer.formats.part import find


def findings(data: bytes) -> list[tuple[str, str]]:
    decoded = sky.decode(data)
    check_payload(data, sky.encode(decoded), sky.parts(decoded), decoded.diagnostics)
    return [(finding.rule, finding.where) for finding in decoded.diagnostics]


@pytest.mark.parametrize(
    ("field", "offset"),
    [
        ("hour", 16), ("minute", 20), ("event", 36), ("slot_0", 40), ("horizon_180", 44), ("horizon_0", 48),
        ("horizon_90", 52), ("horizon_270", 56), ("fog_start", 60), ("fog_end", 64), ("ring2_0", 68),
        ("ring2_180", 72), ("ring2_270", 76), ("ring2_90", 80), ("ring3_0", 84), ("ring3_180", 88),
        ("ring3_270", 92), ("ring3_90", 96), ("apex", 100), ("slot_16", 104), ("sun_glare", 108),
        ("clouds", 112), ("main_light", 116), ("scene", 120), ("counter_light", 124),
    ],
)  # fmt: skip
def test_fields_lie_where_the_specification_says(field: str, offset: int) -> None:
    assert sky.KEYFRAME.field(field).offset == offset


def test_what_a_sky_says() -> None:
    facts = plain(sky.facts(sky.decode(skies.SKY)))
    (day,) = facts["sections"]
    dawn, dusk = day["keyframes"]
    assert (facts["start"], day["day_seconds"]) == ({"section": 0, "hour": 6, "minute": 30}, 900)
    assert (dawn["hour"], dawn["minute"], dawn["event"], dawn["fog"]) == (6, 0, 0, [0.0, 350.0])
    assert (dawn["names"], dawn["floats"]) == (["sun", "", "", "", "", ""], [2.0, 1.5, 1.0, 0.0])
    assert (dawn["slots"][20], dawn["slots"][6], len(dawn["slots"])) == ("785028ff", "0000003f", 22)
    assert (dusk["hour"], dusk["minute"], dusk["event"]) == (18, 30, 1)
    assert (dawn["effects"], dusk["effects"]) == ([], ["wind.wav", "fly"])


def test_a_sound_sky_tiles_and_comes_back() -> None:
    for data in (skies.SKY, skies.sky(skies.section(hours=24), skies.section(skies.DAWN))):
        assert findings(data) == []


@given(st.data())
def test_a_changed_field_changes_its_bytes_alone(data: st.DataObject) -> None:
    decoded = sky.decode(skies.SKY)
    check_field_change(decoded, sky.encode, sky.parts(decoded), data)


@given(st.integers(0, len(skies.SKY) - 1))
def test_a_cut_sky_keeps_its_whole_keyframes(size: int) -> None:
    data = skies.SKY[:size]
    if size < sky.HEADER.size:
        with pytest.raises(FormatError):
            sky.decode(data)
        return
    assert findings(data)
    ends = [12 + 72, 12 + 72 + len(skies.DAWN), 12 + 72 + len(skies.DAWN) + len(skies.DUSK)]
    sections = sky.decode(data).sections
    assert sum(len(it.keyframes) for it in sections) == sum(size >= end for end in ends[1:])


@given(st.integers(0, len(skies.SKY) - 1), st.binary(min_size=1, max_size=4))
def test_any_bytes_are_refused_or_kept(place: int, new: bytes) -> None:
    data = (skies.SKY[:place] + new + skies.SKY[place + len(new) :])[: len(skies.SKY)]
    try:
        decoded = sky.decode(data)
    except FormatError:
        assert place < sky.HEADER.size
        return
    assert sky.encode(decoded) == data
    check_tree(data, sky.parts(decoded))


LATE = skies.keyframe((25, 0))
PAST = skies.keyframe((12, 60))


@pytest.mark.parametrize(
    ("data", "rule", "where"),
    [
        (skies.SKY[:-41], "SKY01", "sections[0].keyframes[1]"),
        (skies.SKY[:-1], "SKY01", "tail"),
        (skies.SKY + b"?", "SKY01", "tail"),
        (skies.sky(skies.section(skies.DAWN, b"\1" + skies.DUSK[1:])), "SKY01", "sections[0].keyframes[1]"),
        (skies.sky(skies.section(skies.DAWN, count=-1)), "SKY01", "sections[0].keyframes[0]"),
        (skies.sky(b"\2" + skies.section()[1:]), "SKY01", "sections[0]"),
        (skies.sky(skies.section(skies.DUSK, skies.DAWN)), "SKY02", "sections[0].keyframes[1].keyframe.hour"),
        (skies.sky(skies.section(LATE)), "SKY03", "sections[0].keyframes[0].keyframe.hour"),
        (skies.sky(skies.section(PAST)), "SKY03", "sections[0].keyframes[0].keyframe.minute"),
        (skies.sky(skies.section(skies.DAWN), start=1), "SKY03", "start.section"),
        (skies.sky(skies.section(skies.DAWN), hour=24, minute=1), "SKY03", "start.hour"),
        (
            skies.sky(skies.section(skies.keyframe((1, 0), strength=float("inf")))),
            "SKY04",
            "sections[0].keyframes[0].measures.strength",
        ),
    ],
)
def test_what_is_wrong_is_named_at_its_place(data: bytes, rule: str, where: str) -> None:
    assert findings(data) == [(rule, where)]


def test_a_keyframe_of_version_2_ends_with_its_measures() -> None:
    """It has no list of effects, not even an empty one; the next keyframe follows at once."""
    plain = skies.keyframe((7, 0), name=b"moon", strength=0.5)
    second = b"\2" + plain[1:-4]
    data = skies.sky(skies.section(second, skies.DUSK))
    decoded = sky.decode(data)
    first, dusk = decoded.sections[0].keyframes
    assert (first.header["version"], first.hours, first.floats["strength"]) == (2, 7, 0.5)
    assert (first.effect_count, first.effects, dusk.effects) == (None, (), (b"wind.wav", b"fly"))
    assert decoded.diagnostics == ()
    assert sky.encode(decoded) == data
    check_tree(data, sky.parts(decoded))


@pytest.mark.parametrize(("place", "value"), [(0, 5), (4, 4)])
def test_another_version_is_refused(place: int, value: int) -> None:
    data = skies.SKY[:place] + struct.pack("<i", value) + skies.SKY[place + 4 :]
    with pytest.raises(FormatError) as caught:
        sky.decode(data)
    assert caught.value.where == f"header.{'version' if place else 'mark'}"


def test_the_length_of_a_text_is_not_believed() -> None:
    place = skies.SKY.index(skies.text(b"sun"))
    data = skies.SKY[:place] + struct.pack("<i", -1) + skies.SKY[place + 4 :]
    decoded = sky.decode(data)
    (finding,) = decoded.diagnostics
    assert (finding.where, decoded.sections[0].keyframes) == ("sections[0].keyframes[0]", ())
    assert "4294967295" in finding.message
    assert find(sky.parts(decoded), "tail") is not None
