"""Clips of a file: what is not edited changes nothing, and what is goes into the frames of the clip."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from tests.builders import ModelBuilder
from tests.model.convert.importing.scenes import added
from tests.model.convert.importing.test_defaults import without_extras
from tests.model.convert.test_from_model import MOVING, clip, source_of
from viewer.formats import splice
from viewer.model.clips.controller import NO_CONTROLLER, Controller
from viewer.model.convert.from_model import scene_of
from viewer.model.convert.gltf.read import read
from viewer.model.convert.gltf.write import glb_of
from viewer.model.convert.importing.importer import Import, changes_of
from viewer.model.convert.importing.motion.clips import _with_range
from viewer.model.convert.motion.curve import Curve
from viewer.model.convert.options import Clips, Options
from viewer.model.convert.scene import Node, Scene, SceneClip, Track
from viewer.model.edit.draft import Draft
from viewer.model.edit.nodes.node_count import AddNode
from viewer.model.edit.nodes.set_key import SetKey
from viewer.model.edit.plan import plan
from viewer.model.kinds.registry import MODEL
from viewer.model.mesh.model import Model
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.opening import Source, model_of

SAMPLE = Path(__file__).parents[4] / "assets" / "game" / "models.rlb"
WALKER = model_of(FileStore(), Source(Address(SAMPLE, ("walker.msh",))))
DIVIDED = scene_of(WALKER, Options(clips=Clips.CLIPS, has_textures=False))
RATE = 24
"""Frames per second in Blender unless told otherwise."""

PELVIS = next(at for at, it in enumerate(DIVIDED.nodes) if it.name == "pelvis")

Edit = Callable[[Scene], Scene]


def as_by_default(scene: Scene) -> Scene:
    """A scene whose clips are sampled at whole frames of Blender."""
    clips = (
        replace(it, tracks={node: sampled(one) for node, one in it.tracks.items()}) for it in scene.clips
    )
    return replace(scene, clips=tuple(clips))


def sampled(track: Track) -> Track:
    """A track sampled as Blender does it, whose last frame may be left out."""
    times = np.arange(np.floor(track.times[-1] * RATE + 1e-4) + 1) / RATE
    return Curve(track).at(times, is_mixed=True)


def through(edit: Edit, *, by_default: bool) -> Import:
    """What an edited file changes in the walker."""
    scene = edit(DIVIDED)
    found = read(without_extras(glb_of(as_by_default(scene)))) if by_default else read(glb_of(scene))
    return changes_of(WALKER, found)


def with_clip(scene: Scene, name: str, **values: object) -> Scene:
    """A scene with other values of a clip."""
    clips = tuple(replace(it, **values) if it.name == name else it for it in scene.clips)
    return replace(scene, clips=clips)


def clip_of(scene: Scene, name: str) -> SceneClip:
    """A clip by its name."""
    return next(it for it in scene.clips if it.name == name)


def moved(name: str, key: int, by: float = 0.5) -> Edit:
    """A key of the pelvis is raised in a clip."""

    def edit(scene: Scene) -> Scene:
        clip, node = clip_of(scene, name), PELVIS
        track = clip.tracks[node]
        positions = track.positions.copy()
        positions[key, 2] += by
        return with_clip(scene, name, tracks={**clip.tracks, node: replace(track, positions=positions)})

    return edit


def unedited(scene: Scene) -> Scene:
    """Nothing."""
    return scene


each_way = pytest.mark.parametrize("by_default", [False, True])


@each_way
def test_unedited_clips_change_nothing(by_default: bool) -> None:
    assert [it.name for it in DIVIDED.clips][:2] == ["stand", "walk"]
    found = through(unedited, by_default=by_default)
    assert (found.changes, found.losses) == ((), ())
    assert not [it for it in found.notes if "animation" in it]


@each_way
def test_a_key_of_a_clip_is_the_key_of_its_frame(by_default: bool) -> None:
    """Key 12 of `walk`, frames 16 to 40, is that of frame 28."""
    found = through(moved("walk", 12), by_default=by_default)
    (change,) = found.changes
    assert isinstance(change, SetKey)
    assert WALKER.model.keys[WALKER.animation.track(PELVIS).start + change.index]["time"] == 28
    known = DIVIDED.nodes[PELVIS].track
    assert known is not None
    expected = known.positions[known.times == 28][0] + (0, 0, 0.5)
    assert change.position is not None
    assert np.allclose(change.position, expected, atol=1e-4)
    assert found.losses == ()
    assert [it for it in found.notes if "walk" in it and "backward" in it], "it plays the same frames"


def test_a_clip_that_is_played_backwards_changes_the_same_frames() -> None:
    (change,) = through(moved("backward", 4), by_default=False).changes
    assert isinstance(change, SetKey)
    assert WALKER.model.keys[WALKER.animation.track(PELVIS).start + change.index]["time"] == 36


def test_movement_with_other_keys_stays_within_its_frames() -> None:
    """A key between two of the strip gives a track of its own, which is as before outside the clip."""

    def edit(scene: Scene) -> Scene:
        clip = clip_of(scene, "run")
        raised = Track(
            np.array([0.0, 0.34, 0.68]),
            np.array([[0, 0, 5], [0, 0, 9], [0, 0, 5]], np.float32),
            np.tile(np.array([1, 0, 0, 0], np.float32), (3, 1)),
        )
        return with_clip(scene, "run", tracks={**clip.tracks, PELVIS: raised})

    found = through(edit, by_default=False)
    assert found.losses == ()
    made = plan(Draft(MODEL, WALKER.data, resolved=WALKER.choice), found.changes)
    data = splice.applied(made.before, made.splices)
    moving = replace(WALKER, model=Model.read(data))
    for frame in (*range(44), *range(62, 101)):
        was, now = (it.animation.pose(float(frame)).position[PELVIS] for it in (WALKER, moving))
        assert np.allclose(was, now, atol=1e-4), frame
    assert np.allclose(moving.animation.pose(52.0).position[PELVIS], (0, 0, 9))


@each_way
@pytest.mark.parametrize(
    ("name", "edit", "words"),
    [
        ("walk 2", moved("walk 2", 40), "blends"),
        ("run", lambda it: stretched(moved("run", 5)(it), "run", 2), "seconds"),
        ("backward", lambda it: moved("backward", 12, -0.5)(moved("walk", 12)(it)), "otherwise"),
    ],
)
def test_a_clip_that_does_not_fit_is_left_out_by_name(
    name: str, edit: Edit, words: str, by_default: bool
) -> None:
    found = through(edit, by_default=by_default)
    (loss,) = found.losses
    assert name in loss
    assert words in loss
    assert len(found.changes) == (name == "backward"), "the clip before it fits"


@pytest.mark.parametrize("order", [1, -1])
def test_clips_that_follow_each_other_are_edited_both(order: int) -> None:
    """Each changes its own frames alone, also if the strip has no key where they meet."""
    both = (clip((0, 4)), replace(clip((4, 8)), index=1))
    source = source_of(ModelBuilder.of(MOVING).model(), Controller(clips=both))
    scene = scene_of(source, Options(clips=Clips.CLIPS, has_textures=False))
    clips = []
    for it in scene.clips:
        ends = it.tracks[0]
        middle = Curve(ends).at(np.array([0.0, 1.0, 2.0]))
        middle.positions[1] += np.float32(3)
        clips.append(replace(it, tracks={**it.tracks, 0: middle}))
    for edited, heights in (((0,), {2: 3.0}), ((1,), {6: 3.0}), ((0, 1), {2: 3.0, 6: 3.0})):
        given = [clips[index] if index in edited else it for index, it in enumerate(scene.clips)][::order]
        found = changes_of(source, read(glb_of(replace(scene, clips=tuple(given)))))
        assert found.losses == ()
        made = plan(Draft(MODEL, source.data, resolved=source.choice), found.changes)
        moving = replace(source, model=Model.read(splice.applied(made.before, made.splices)))
        for frame in range(0, 9, 2):
            was, now = (it.animation.pose(float(frame)).position[0] for it in (source, moving))
            assert np.allclose(now - was, heights.get(frame, 0.0), atol=1e-4), (edited, frame)


def test_a_new_part_may_move_in_a_clip() -> None:
    walk = clip_of(DIVIDED, "walk")
    times = np.array([0.0, 0.5, 1.0]) * walk.tracks[PELVIS].times[-1]
    raised = np.array([(0, 0, 0), (0, 0, 3), (0, 0, 0)], np.float32)
    track = Track(times, raised, np.tile(np.array([1, 0, 0, 0], np.float32), (3, 1)))
    given = added(replace(DIVIDED, views=()), Node("drum", 0))
    given = with_clip(given, "walk", tracks={**walk.tracks, len(DIVIDED.nodes): track})
    found = changes_of(WALKER, read(glb_of(given)))
    assert found.losses == ()
    assert any(isinstance(it, AddNode) for it in found.changes)


def test_what_a_clip_moves_is_as_before_in_the_frames_after_it() -> None:
    """Also if the strip has no key there, but frames."""
    still = Track(np.zeros(1), np.zeros((1, 3), np.float32), np.array([[1, 0, 0, 0]], np.float32))
    raised = Curve(still).at(np.array([4.0, 6.0, 8.0]))
    raised.positions[:] = 3
    made = _with_range(still, raised, (4.0, 8.0), 20)
    assert made.times.tolist() == [0, 3, 4, 6, 8, 9]
    assert made.positions[:, 0].tolist() == [0, 0, 3, 3, 3, 0]


def test_the_frames_of_clips_of_another_program_are_named() -> None:
    clips = tuple(replace(it, name=f"dance {index}") for index, it in enumerate(DIVIDED.clips))
    found = read(without_extras(glb_of(as_by_default(replace(DIVIDED, clips=clips)))))
    assert found.clips
    notes = [*map(str, changes_of(WALKER, found).notes)]
    assert [it for it in notes if it.startswith("clip dance 0: frames 0 to ")]


def stretched(scene: Scene, name: str, factor: float) -> Scene:
    """A scene with a clip that takes longer."""
    tracks = clip_of(scene, name).tracks
    slow = {node: replace(it, times=it.times * factor) for node, it in tracks.items()}
    return with_clip(scene, name, tracks=slow)


def test_what_a_channel_moves_is_left_out_by_name() -> None:
    turret = next(at for at, it in enumerate(DIVIDED.nodes) if it.name == "turret")
    clip = clip_of(DIVIDED, "walk")
    raised = replace(clip.tracks[turret], positions=clip.tracks[turret].positions + np.float32(1))
    scene = with_clip(DIVIDED, "walk", tracks={**clip.tracks, turret: raised})
    found = changes_of(WALKER, read(glb_of(scene)))
    assert found.changes == ()
    (loss,) = found.losses
    assert "walk" in loss
    assert "turret" in loss


@each_way
def test_a_clip_that_the_file_does_not_have_is_kept(by_default: bool) -> None:
    found = through(lambda it: replace(it, clips=it.clips[:3]), by_default=by_default)
    assert (found.changes, found.losses) == ((), ())
    assert [it for it in found.notes if "turn 2" in it] or not by_default


def test_a_model_without_its_controller_takes_the_clips_that_the_file_lists() -> None:
    alone = replace(WALKER, controller=NO_CONTROLLER)
    assert changes_of(alone, read(glb_of(DIVIDED))).changes == ()
    (change,) = changes_of(alone, read(glb_of(moved("walk", 12)(DIVIDED)))).changes
    assert isinstance(change, SetKey)
