"""The part of a view that stays when a document is replaced by another revision, or opened again."""

from __future__ import annotations

from collections import Counter
from types import MappingProxyType

from msgspec.structs import replace

from viewer.model.material.materials import Material
from viewer.session.opened.document import Document
from viewer.session.opened.surroundings import SELECTED
from viewer.session.play import timeline
from viewer.session.play.material_play import MaterialPlay
from viewer.session.play.playback import Playback
from viewer.session.play.playing import axis_of
from viewer.session.selection import Selection
from viewer.session.view.view_state import ViewState


def kept(view: ViewState, before: Document | None, after: Document) -> ViewState:
    """`view` without rows that no longer exist, with its time clamped to the document.

    Without the document `before`, whose materials the view is about, nothing is set for single materials.
    """
    nodes = range(after.model.node_count)
    view = replace(
        view,
        overrides=MappingProxyType({node: cell for node, cell in view.overrides.items() if node in nodes}),
        hidden=view.hidden & frozenset(nodes),
        isolated=None if view.isolated is None else view.isolated & frozenset(nodes) or None,
        selection=existing(view.selection, after),
        flash=frozenset(),
        followed=view.followed if (view.followed or 0) < after.model.node_count else None,
        frames=view.frames if view.frames and view.frames.first <= after.last_frame else None,
        materials=MaterialPlay()
        if before is None
        else _play(view.materials, before.materials.rows, after.materials.rows),
    )
    view = replace(view, playback=_playback(view.playback, after))
    return timeline.seek(view, timeline.now(view), axis_of(after, view))


def _playback(playback: Playback, document: Document) -> Playback:
    """The playback without a clip and channels that no longer exist."""
    channels = range(len(document.controller.channels))
    kept = {index: value for index, value in playback.channels.items() if index in channels}
    turning = {index: it for index, it in playback.turning.items() if index in channels}
    playback = replace(playback, channels=MappingProxyType(kept), turning=MappingProxyType(turning))
    own = {node: it for node, it in playback.own.items() if node < document.model.node_count}
    playback = replace(playback, own=MappingProxyType(own))
    if playback.fade is not None and document.controller.clip(playback.fade.clip) is None:
        playback = replace(playback, fade=None)
    is_there = document.controller.clip(playback.clip) is not None
    return playback if is_there else replace(playback, clip=None, seconds=0.0, part=None)


def existing(selection: Selection, document: Document) -> Selection:
    """The existing nodes of a selection; with the rows picked in the last one, if all of them exist."""
    nodes = tuple(node for node in selection.nodes if node < document.model.node_count)
    model = document.model
    rows = (
        (selection.slot, len(model.slots)),
        (selection.batch, len(model.batches)),
        (selection.triangle, max(len(model.indices) // 3, len(model.faces))),
        (selection.descriptor, len(model.tri_descriptors)),
        (selection.vertex, model.vertex_count),
        (selection.key, len(model.keys)),
        *((getattr(selection, name), document.row_count(table)) for table, name in SELECTED.items()),
    )
    is_there = all(row is None or row < count for row, count in rows)
    return replace(selection, nodes=nodes) if is_there and nodes == selection.nodes else Selection(nodes)


def _play(play: MaterialPlay, before: tuple[Material, ...], after: tuple[Material, ...]) -> MaterialPlay:
    """The settings of each material, moved to its new index."""
    index = {key: number for number, key in enumerate(_keys(after))}
    moved = {number: index[key] for number, key in enumerate(_keys(before)) if key in index}
    variants = {moved[old]: variant for old, variant in play.variants.items() if old in moved}
    still = {moved[old]: moment for old, moment in play.still.items() if old in moved}
    return MaterialPlay(MappingProxyType(variants), MappingProxyType(still), play.clan)


def _keys(rows: tuple[Material, ...]) -> list[tuple[object, ...]]:
    """Keys of materials: name and layer, and a count among materials that are equal in both."""
    seen: Counter[tuple[object, ...]] = Counter()
    keys: list[tuple[object, ...]] = []
    for row in rows:
        alike = row.name, row.has_see_through_flag
        keys.append((*alike, seen[alike]))
        seen[alike] += 1
    return keys
