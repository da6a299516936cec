"""An animation that the model does not have is a new range of frames after the others."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from tests.model.convert.importing.test_clips import WALKER
from tests.model.convert.importing.test_defaults import changed_json, without_extras
from viewer.model.convert.building.tables import made_of
from viewer.model.convert.from_model import scene_of
from viewer.model.convert.gltf.read import read
from viewer.model.convert.gltf.write import glb_of
from viewer.model.convert.importing.check.deviations import deviations
from viewer.model.convert.importing.importer import changes_of
from viewer.model.convert.options import Clips, Options
from viewer.model.convert.source import ModelSource
from viewer.model.edit.draft import Draft
from viewer.model.edit.plan import plan
from viewer.model.kinds.registry import MODEL

FRAMES = WALKER.model.frame_count
GUN = WALKER.names.index("gun_l")
TURNS = {0.0: 0.0, 10.5: 20.0, 20.0: 40.0}
"""Degrees of the wave about its own axis by frame."""


def with_wave(data: bytes, frames: Sequence[float], turns: Sequence[float]) -> bytes:
    """A GLB file with one more animation, before its own: a part is turned about its axis, Y there."""
    return changed_json(data, lambda document: _with_wave(document, frames, turns))


def _with_wave(document: dict[str, Any], frames: Sequence[float], turns: Sequence[float]) -> dict[str, Any]:
    node = next(at for at, it in enumerate(document["nodes"]) if it.get("name") == "gun_l")
    x, y, z, w = document["nodes"][node].get("rotation", (0, 0, 0, 1))
    half = np.radians(np.array(turns)) / 2
    sine, cosine = np.sin(half), np.cos(half)
    # the product of the rotation at rest with one about Y
    values = np.stack(
        [x * cosine - z * sine, y * cosine + w * sine, z * cosine + x * sine, w * cosine - y * sine], axis=1
    )
    for kind, array in (("SCALAR", np.array(frames) / 15), ("VEC4", values)):
        raw = array.astype("<f4").tobytes()
        uri = f"data:application/octet-stream;base64,{b64encode(raw).decode()}"
        document["buffers"].append({"byteLength": len(raw), "uri": uri})
        document["bufferViews"].append({"buffer": len(document["buffers"]) - 1, "byteLength": len(raw)})
        accessor = {"bufferView": len(document["bufferViews"]) - 1, "componentType": 5126}
        document["accessors"].append(accessor | {"type": kind, "count": len(array)})
    last = len(document["accessors"]) - 1
    wave = {
        "name": "wave",
        "channels": [{"sampler": 0, "target": {"node": node, "path": "rotation"}}],
        "samplers": [{"input": last - 1, "output": last, "interpolation": "LINEAR"}],
    }
    document["animations"].insert(0, wave)
    return document


def sampled() -> bytes:
    """The strip and the wave as Blender writes them unless told otherwise: sampled, without ids."""
    data = without_extras(glb_of(scene_of(WALKER, Options(has_textures=False))))
    frames = np.arange(33) / 24 * 15
    return with_wave(data, frames.tolist(), np.interp(frames, [*TURNS], [*TURNS.values()]).tolist())


def keyed(clips: Clips = Clips.STRIP) -> bytes:
    """The same with the keys and ids as they are."""
    data = glb_of(scene_of(WALKER, Options(has_textures=False, clips=clips)))
    return with_wave(data, [*TURNS], [*TURNS.values()])


def check_wave(after: ModelSource, start: int) -> None:
    """Compare the frames of the wave with the file: the part turns, and all others are at rest."""
    rest = WALKER.animation.pose(0.0).local
    others = np.arange(WALKER.model.node_count) != GUN
    for frame in range(21):
        local = after.animation.pose(float(start + frame)).local
        assert np.abs(local[others] - rest[others]).max() < 2e-4, frame
        turned = np.linalg.inv(rest[GUN]) @ local[GUN]
        degrees = np.degrees(np.arctan2(turned[1, 0], turned[0, 0]))
        # sampled 24 times a second the corner at 10.5 frames is cut off
        wanted = np.interp(frame, [*TURNS], [*TURNS.values()])
        assert degrees == pytest.approx(wanted, abs=0.05 if frame in (10, 11) else 0.02), frame
        assert np.abs(turned[:3, 3]).max() < 1e-5


@pytest.mark.parametrize("data", [keyed(), keyed(Clips.CLIPS), sampled()], ids=["strip", "clips", "default"])
def test_a_new_animation_is_a_new_range_of_frames(data: bytes) -> None:
    """The movement of the model stays, whatever else is there, and in whatever order."""
    found = changes_of(WALKER, read(data))
    made = plan(Draft(MODEL, WALKER.data, resolved=WALKER.choice), found.changes)
    after = WALKER.edited(made.after)
    assert after.model.frame_count == FRAMES + 21
    for frame in range(FRAMES):
        was, now = (it.animation.pose(float(frame)).world for it in (WALKER, after))
        assert np.abs(was - now).max() < 2e-4, frame
    check_wave(after, FRAMES)
    assert [(it.name, it.first, it.last) for it in found.clips][-1] == ("wave", FRAMES, FRAMES + 20)
    (new,) = found.new_clips
    assert (new.name, new.seconds) == ("wave", 20 / 15)
    assert [it for it in found.notes if "wave" in it and "101 to 121" in it]
    assert deviations(found, after, made.moves) == ()


def test_a_new_animation_of_a_new_model_follows_the_strip() -> None:
    made = made_of(read(keyed()))
    after = WALKER.edited(made.data)
    assert after.model.frame_count == FRAMES + 21
    check_wave(after, FRAMES)
    assert [it for it in made.notes if "wave" in it and "101 to 121" in it]


def test_a_new_model_of_a_file_with_clips_moves() -> None:
    """Each clip has frames of its own there: walk, frames 16 to 40 of the strip, comes second."""
    data = glb_of(scene_of(WALKER, Options(has_textures=False, clips=Clips.CLIPS)))
    made = made_of(read(data))
    after = WALKER.edited(made.data)
    (line,) = (it for it in made.notes if it.startswith("clip walk:"))
    first = int(line.split("frames ")[1].split()[0])
    stored: npt.NDArray[Any] = WALKER.animation.pose(16.0).local
    assert first > 0
    pelvis = WALKER.names.index("pelvis")
    assert np.abs(after.animation.pose(float(first)).local[pelvis] - stored[pelvis]).max() < 2e-4
