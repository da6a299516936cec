"""Effects on a model: which its controller starts, explosions, which play, since when, driven by what."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from tests.assets.test_units import payload
from tests.game_folders import resource_at
from viewer.formats.archive import nres
from viewer.formats.neighbors import explosion
from viewer.model.edit.archive.entries import RemoveEntry, ReplaceEntry
from viewer.model.edit.draft import Draft
from viewer.model.edit.plan import plan
from viewer.model.effects.templates import new_block, new_effect
from viewer.model.kinds.registry import ARCHIVE
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.opening import Source
from viewer.resources import bundled_path
from viewer.session.opened.document import Document
from viewer.session.places import problems
from viewer.session.play import posing
from viewer.session.play.model_effects import (
    PlayedEffect,
    played,
    playing_rows,
    rows_of,
    toggled,
    with_effects,
)
from viewer.session.play.playing import axis_of, play_clip
from viewer.session.view.view_state import ViewState

GAME = bundled_path("assets/game")
MUZZLE, DUST, EXPLODING = 6, 4, 9
RUN = 2


@pytest.fixture(scope="module")
def walker() -> Document:
    return Document.open(
        FileStore(), Source(Address.parse(f"{GAME}/models.rlb::walker.msh")), has_effects=True
    )


def speeds(document: Document) -> tuple[float, ...]:
    assert document.effects is not None
    return document.effects.speeds


def playing(document: Document, view: ViewState) -> tuple[PlayedEffect, ...]:
    return played(document, view, posing.pose(document, view))


def test_the_walker_lists_what_its_controller_starts_and_its_explosions(walker: Document) -> None:
    rows = rows_of(walker)
    assert [it.name for it in rows] == [
        "step", "step", "exhaust", "exhaust", "dust", "dust", "muzzle", "muzzle", "smoke", *["blast.exp"] * 5
    ]  # fmt: skip
    assert not any(it.problem for it in rows)
    assert [walker.names[it.node] for it in rows if it.node is not None][:2] == ["central", "turret"]


def test_an_effect_begins_when_it_is_started_and_follows_its_node(walker: Document) -> None:
    view = play_clip(ViewState(), RUN)
    view = replace(view, playback=replace(view.playback, seconds=0.2))
    view = toggled(view, walker, MUZZLE)
    assert view.is_playing
    later = replace(view, playback=replace(view.playback, seconds=0.5))
    (first,), (second,) = playing(walker, view), playing(walker, later)
    assert first.inputs.seconds == pytest.approx(0.0)
    assert second.inputs.seconds == pytest.approx(0.3)
    assert first.program is second.program
    world = posing.pose(walker, later).world[walker.names.index("barrels_l")]
    np.testing.assert_allclose(second.inputs.origin, (world @ (0, 1.85, 0, 1))[:3], atol=1e-5)
    np.testing.assert_allclose(second.inputs.axes[0], world[:3, 1], atol=1e-5)
    assert first.inputs.origin != second.inputs.origin
    assert playing(walker, toggled(later, walker, MUZZLE)) == ()


def test_what_is_deleted_begins_anew_after_a_pause(walker: Document) -> None:
    view = toggled(play_clip(ViewState(), 0), walker, MUZZLE)
    view = replace(view, past=15 * 1.0)
    (found,) = playing(walker, view)
    assert found.inputs.seconds == pytest.approx(0.1)  # 0.4 s and half a second of pause


def test_a_clip_plays_with_its_effects_driven_by_its_speed(walker: Document) -> None:
    view = with_effects(ViewState(), is_with_clip=True)
    assert [*playing_rows(walker, view)] == [2, 3, 4, 5]
    view = play_clip(view, RUN)
    assert [*playing_rows(walker, view)] == [0, 1, 2, 3, 4, 5]
    dust = next(it for it in playing(walker, view) if it.program.effect.header["time_mode"] == 15)
    assert dust.inputs.strength == pytest.approx(speeds(walker)[RUN])
    assert 0.5 < dust.inputs.strength <= 1
    assert {it.inputs.strength for it in playing(walker, with_effects(view, strength=0.25))} == {0.25}
    assert speeds(walker)[0] == 0.0


def test_an_explosion_is_as_large_as_its_node_and_depends_on_the_surface(walker: Document) -> None:
    view = toggled(ViewState(), walker, EXPLODING)
    (found,) = playing(walker, view)
    stored = explosion.decode(payload(GAME, "weapon.rlb", "blast.exp"))
    parts = walker.draws.parts
    radius = float(parts.sphere_radius[np.flatnonzero(parts.node == rows_of(walker)[EXPLODING].node)[0]])
    assert found.inputs.size == pytest.approx(float(stored.header["radius"]) * radius)
    assert len(found.program.effect.opcodes) == 4
    (on_water,) = playing(walker, with_effects(view, surface=7))
    assert len(on_water.program.effect.opcodes) == 1


def test_time_moves_for_effects_on_a_model_that_does_not(walker: Document) -> None:
    still = replace(walker, last_frame=0.0, controller=replace(walker.controller, drives=()))
    assert not axis_of(still, ViewState()).moves
    assert axis_of(still, toggled(ViewState(), still, MUZZLE)).moves


def test_rows_that_do_not_exist_play_nothing(walker: Document) -> None:
    assert playing(walker, with_effects(ViewState(), started={99: 0.0, -1: 0.0})) == ()


def test_what_effects_of_a_model_miss_is_among_its_problems(tmp_path: Path) -> None:
    game = tmp_path / "game"
    shutil.copytree(GAME, game)
    library = (game / "effects.rlb").read_bytes()
    muzzle = bytes(nres.Archive.read(library).payload(6))
    lost = muzzle.replace(b"ENGINE_GLOW\0", b"ENGINE_GONE\0")
    noisy = new_effect(new_block(2, b"fortif_door_move.wav"), new_block(3, b"HALO"), new_block(3))
    changes = (ReplaceEntry("muzzle", lost), ReplaceEntry("step", noisy), RemoveEntry("dust"))
    after = plan(Draft(ARCHIVE, library), changes).after
    (game / "effects.rlb").write_bytes(after)
    (game / "sounds.lib").write_bytes(nres.build([]))
    store = FileStore()
    walker = Document.open(store, Source(Address.parse(f"{game}/models.rlb::walker.msh")), has_effects=True)
    found = {(str(it.place.address).partition("::")[2], it.finding.severity.value, it.place.row): it.finding
             for it in problems(walker)}  # fmt: skip
    assert found.keys() == {
        ("muzzle", "warning", 0), ("step", "info", 0), ("walker.ctl", "warning", None)
    }  # fmt: skip
    assert "effect muzzle: Material.lib::ENGINE_GONE" in found["muzzle", "warning", 0].message
    assert "fortif_door_move.wav" in found["step", "info", 0].message
    assert "dust" in found["walker.ctl", "warning", None].message
    opened = resource_at(Address.parse(f"{game}/effects.rlb::step"), game)
    assert {(it.severity.value, it.index) for it in opened.diagnostics} == {("info", 0), ("info", 2)}
    opened = resource_at(Address.parse(f"{game}/effects.rlb::muzzle"), game)
    assert [(it.rule, it.severity.value, it.index) for it in opened.diagnostics] == [("F04", "warning", 0)]
    (game / "Textures.lib").write_bytes(nres.build([]))
    opened = resource_at(Address.parse(f"{game}/effects.rlb::laser"), game)
    assert [(it.rule, it.index) for it in opened.diagnostics] == [("TEX01", 0), ("TEX01", 1)]
    alone = resource_at(Address.parse(f"{game}/effects.rlb::laser"))
    assert alone.notes == ("no game folder is set: materials are not shown",)
