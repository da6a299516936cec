"""Components of controllers: every field and rate against the truth, and files in which they are cut."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.formats.contract import check_places, check_tree, plain
from viewer.formats.archive.nres import Archive
from viewer.formats.neighbors import component, control
from viewer.formats.neighbors.component import BodyMotion
from viewer.model.convert.text.reading import bytes_of
from viewer.model.convert.text.writing import text_of
from viewer.model.kinds.registry import by_id

KEY = "game/made.rlb::rotor.ctl"


def rotor(samples: Path) -> tuple[control.Control, dict[str, Any], bytes]:
    """The controller of the rotors, its truth and its bytes."""
    root = samples / "field2"
    path, _, name = KEY.partition("::")
    archive = Archive.read((root / path).read_bytes())
    index = archive.find(name.encode())
    assert index is not None
    payload = bytes(archive.payload(index))
    return control.decode(payload), json.loads((root / "truth.json").read_text())["controls"][KEY], payload


def test_every_field_of_the_truth(samples: Path) -> None:
    decoded, truth, payload = rotor(samples)
    shown = plain(control.facts(decoded))
    assert len(shown["components"]) == len(truth["components"]) == 12
    for row, stated in zip(shown["components"], truth["components"], strict=True):
        del stated["note"]
        for name in ("power", "weights", "values"):
            assert np.array_equal(np.float32(row[name]), np.float32(stated.pop(name))), name
        assert {name: row[name] for name in stated} == stated
    assert decoded.diagnostics == ()
    assert control.encode(decoded) == payload
    check_tree(payload, control.parts(decoded))
    rest = truth["size"] - 128 - len(decoded.states) * 156 - 4 * len(decoded.states) ** 2 - 9 * 36
    assert shown["rest_size"] == rest


def test_classes_have_the_names_of_the_specification(samples: Path) -> None:
    decoded, _, _ = rotor(samples)
    names = [component.class_name(it.number) for it in decoded.components]
    expected = "device radar efficiency mast device device device"
    assert names == [*expected.split(), "main teleport", "turret", "door", "engine", "gun"]
    assert component.class_name(11) is None


def test_rates_of_what_turns_and_of_belts(samples: Path) -> None:
    decoded, truth, _ = rotor(samples)
    rates = [float(it) for it in decoded.channels["rate"]]

    def per_second(motion: BodyMotion, channels: set[int]) -> dict[str, object]:
        """Values per second of some channels while the object moves."""
        return {
            str(channel): pytest.approx(it.rate(motion) * rates[channel], rel=1e-6)
            for it in decoded.components
            for channel in channels & {*it.channels}
        }

    turning = {str(channel) for it in decoded.components if it.turns for channel in it.channels}
    assert turning == truth["turns_per_second"].keys()
    assert truth["turns_per_second"] == per_second(BodyMotion(), {0, 1, 2, 3, 4})
    assert truth["driven"]["half speed forward"] == per_second(BodyMotion(0.5), {5, 6})
    assert truth["driven"]["full speed, turning 0.4 rad/s"] == per_second(BodyMotion(1.0, 0.4), {5, 6})
    assert per_second(BodyMotion(), {5, 6}) == {"5": 0.0, "6": 0.0}


@pytest.mark.parametrize(
    ("word", "turns"),
    [(-1, 0.5), (5, 0.5), (9, 0.5), (6, -0.5), (1, 0.5), (0, None), (4, None), (3, None)],
)
def test_the_switch_word_gives_the_direction(word: int, turns: float | None) -> None:
    decoded = control.decode(with_component(switch=word))
    assert decoded.components[0].turns == turns


@pytest.mark.parametrize("number", range(1, 31))
def test_four_classes_turn_by_themselves(number: int) -> None:
    turns = control.decode(with_component(number=number)).components[0].turns
    assert turns == (0.5 if number in (3, 8, 26, 29) else None)


def test_what_drives_no_channel_turns_nothing() -> None:
    assert control.decode(with_component(channels=())).components[0].turns is None


@pytest.mark.parametrize("cut", [1, 4, 5, 12, 16, 180, 190])
def test_components_that_cannot_be_walked_stay_bytes(cut: int) -> None:
    payload = with_component(end=b"")[:-cut]
    decoded = control.decode(payload)
    assert (decoded.components, decoded.diagnostics) == ((), ())
    assert "components" not in plain(control.facts(decoded))
    assert control.facts(decoded).rest_size == len(decoded.rest) == len(payload) - 128
    assert control.encode(decoded) == payload
    check_tree(payload, control.parts(decoded))


def test_a_controller_without_components_has_an_empty_list() -> None:
    payload = struct.pack("<5i", 0, 0, 0, 0, 0) + bytes(108 + 84)
    assert plain(control.facts(control.decode(payload))) == {"components": [], "rest_size": 84}


def test_a_channel_that_does_not_exist_is_found_at_its_component() -> None:
    decoded = control.decode(with_component(channels=(0, 1)))
    found = [(it.rule, it.where, it.text) for it in decoded.diagnostics]
    assert [(rule, where) for rule, where, _ in found] == [
        ("CTL02", f"components[0].driven[{row}].channel") for row in (0, 1)
    ]
    check_places(control.parts(decoded), decoded.diagnostics)


def test_json_gives_every_byte_back(samples: Path) -> None:
    for payload in (
        rotor(samples)[2],
        with_component(),
        with_component(label=b""),
        with_component(end=b"")[:-5],
    ):
        text = "".join(text_of(by_id("control"), payload))
        assert bytes_of(text.encode()) == payload
    found = json.loads("".join(text_of(by_id("control"), with_component())))
    assert found["components"][0]["label"] == "i_rdr"
    found["components"] *= 2
    twice = control.decode(bytes_of(json.dumps(found).encode()))
    assert [it.label for it in twice.components] == [b"i_rdr", b"i_rdr"]


def with_component(
    *,
    number: int = 3,
    switch: int = -1,
    channels: tuple[int, ...] = (0,),
    label: bytes = b"i_rdr",
    end: bytes = bytes(84),
) -> bytes:
    """A controller with one component, whose rate is 0.5."""
    data = struct.pack("<2iI6if2f", number, 1, 0, -1, -1, -1, switch, 0, 0, 0.0, 0.5, 1.0)
    data = data[:0x20] + struct.pack("<3f", 0.0, 0.5, 1.0) + bytes(64 + 64)
    data += struct.pack(f"<i{len(channels)}i", len(channels), *channels)
    data += struct.pack("<i", len(label)) + (label + b"\0" if label else b"")
    return struct.pack("<5i", 0, 0, 0, 1, 0) + bytes(108) + data + end
