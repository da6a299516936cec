"""The machinery of a document in a view: what turns by itself, and what its speed and its turn drive."""

from __future__ import annotations

from collections.abc import Iterable
from types import MappingProxyType
from typing import Final

import numpy as np
from msgspec.structs import replace

from viewer.formats.neighbors.component import BodyMotion, End
from viewer.model.clips import machinery
from viewer.model.clips.machinery import NO_VALUES, Values
from viewer.model.material.phases import PhaseState, duration, has_keys, moment_in, state_of
from viewer.session.opened.document import Document
from viewer.session.play.playback import Machinery, Playback
from viewer.session.play.timeline import material_time
from viewer.session.view.view_state import ViewState

MOST_SPEED: Final = 1.0
"""The largest speed, a share of the top speed."""
MOST_TURN: Final = 2.0
"""The largest turn, rad/s: our choice, files have up to 6.28, which is no limit."""


def values(document: Document, view: ViewState) -> Values:
    """The values of the channels that the machinery moves, on the clock of the materials."""
    drives, it = document.controller.drives, view.playback.machinery
    if not drives or not it.is_on:
        return NO_VALUES
    return machinery.values(drives, it.motion, material_time(view) / 1e3 - it.since, it.base)


def channel_values(document: Document, view: ViewState) -> dict[int, float]:
    """The values of channels as they are played: those of the machinery, and those that were set."""
    found = {index: machinery.shown(value) for index, value in values(document, view).items()}
    return {**found, **view.playback.channels}


def moves(document: Document, playback: Playback) -> bool:
    """Whether the machinery moves while time passes."""
    it = playback.machinery
    return it.is_on and machinery.moves(document.controller.drives, it.motion)


def drawn_states(document: Document, view: ViewState) -> tuple[PhaseState, ...]:
    """The states of the materials as they are drawn; those of belts by the values of their channels."""
    states = view.materials.states(document.materials.rows, material_time(view))
    drawn, drives = document.drawn_materials, document.controller.drives
    found = [states[row] for row in drawn.origin.tolist()]
    if not view.playback.machinery.is_on or not document.controller.belts:
        return tuple(found)
    node_of_draw, row_of_draw = document.draws.node, drawn.materials.of_draw
    for node, share in machinery.belts(drives, channel_values(document, view)):
        for row in np.unique(row_of_draw[node_of_draw == node]).tolist():
            material, origin = drawn.materials.rows[row], int(drawn.origin[row])
            variant = view.materials.variant(origin, material)
            if has_keys(material, variant) and origin not in view.materials.still:
                block = material.blocks[variant]
                found[row] = state_of(material, moment_in(block, share * duration(block)), variant)
    return tuple(found)


def material_states(document: Document, view: ViewState) -> tuple[PhaseState, ...]:
    """The states of the materials for the window, by their rows; of belts with one row the first."""
    return drawn_states(document, view)[: len(document.materials.rows)]


def driven(document: Document, view: ViewState, motion: BodyMotion) -> Machinery:
    """The machinery of a document that goes on from where it is, the object moving in another way."""
    found = MappingProxyType({**values(document, view)})
    return replace(view.playback.machinery, motion=motion, since=material_time(view) / 1e3, base=found)


def periods(document: Document, view: ViewState) -> Iterable[float]:
    """The seconds after which each channel of the machinery is where it was."""
    it = view.playback.machinery
    if it.is_on:
        for drive in document.controller.drives:
            rate = abs(drive.rate(it.motion))
            if rate:
                yield (2.0 if drive.component.end is End.TURNS_ROUND else 1.0) / rate
