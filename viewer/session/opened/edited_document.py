"""The document right after an edit of its model: made within a frame, checked a moment later.

What does not depend on the changed tables is shared with the document before.
"""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from viewer.errors import reading_from
from viewer.formats.msh.tables import FRAME_MAP, KEYS, NODES
from viewer.model.clips.controller import Controller
from viewer.model.clips.guesses import with_movements
from viewer.model.material.lookup import MaterialLookup
from viewer.model.material.materials import Materials
from viewer.model.material.resolver import resolve
from viewer.model.material.selectors import wears_of
from viewer.model.mesh.draws import Draws, part_bounds
from viewer.model.mesh.model import Model
from viewer.model.mesh.pose.animation import Animation
from viewer.model.mesh.pose.skeleton import Skeleton, sockets
from viewer.model.mesh.shown import PartChoice, PartChooser
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import Item
from viewer.model.tables.row_labels import RowLabels
from viewer.session.opened.document import Document, last_frame

_SELECTORS = "flags", "material", "opaque4"
"""The fields of batches that choose materials and portals."""


def edited(before: Document, library: FileStore) -> Document:
    """The next revision after an edit of the bytes of a model; raises `MshviewError` if it is none any more.

    Its reading and its diagnostics are those from before the edit.
    """
    item = library.open(before.source.address)
    if item.read_model() is before.model:
        return before
    with reading_from(before.address):
        return _made(before, item, library)


def _made(before: Document, item: Item, library: FileStore) -> Document:
    model = item.read_model()
    draws = before.opened.draws_of(model)
    has_same_nodes = _is_same(model, before.model, NODES)
    has_same_users = draws.has_same_triangles(before.draws) and _selects_the_same(model, before.model)
    skeleton = before.skeleton if has_same_nodes else Skeleton(model)
    is_chosen_alike = has_same_nodes and has_same_users and draws is before.draws
    chooser = before.chooser if is_chosen_alike else PartChooser(model, draws)
    animation = _animation(before, model, skeleton)
    materials = before.materials if has_same_users else _materials(before, item, model, draws, library)
    has_records = before.choice.reading.has_name_records
    names = model.node_names(from_records=has_records)
    extent = before.extent
    if not (is_chosen_alike and animation is before.animation):
        extent = part_bounds(draws, animation.pose(0.0).world, chooser.shown(PartChoice()).parts)
    opened = replace(
        before.opened,
        model=model,
        skeleton=skeleton,
        draws=draws,
        animation=animation,
        materials=materials,
        names=names,
        socket_tags=model.node_socket_tags(from_records=has_records),
        triangle_counts=draws.triangle_counts(),
        is_checked=False,
    )
    return replace(
        before,
        opened=opened,
        size=len(model.archive.data),
        sockets=sockets(model, names),
        chooser=chooser,
        extent=extent,
        last_frame=last_frame(animation, materials),
        labels=RowLabels(opened),
        controller=_controller(before, animation),
        revision=before.revision + 1,
    )


def _animation(before: Document, model: Model, skeleton: Skeleton) -> Animation:
    has_same_frames = model.frame_count == before.model.frame_count
    if has_same_frames and _is_same(model, before.model, NODES, KEYS, FRAME_MAP):
        return before.animation
    return Animation(model, skeleton, before.choice.reading.quaternion_order)


def _materials(before: Document, item: Item, model: Model, draws: Draws, library: FileStore) -> Materials:
    """The materials of a model whose batches may select others, in the game folder of before."""
    game = before.game
    libraries = None if game.folder is None else MaterialLookup.of(library, game.folder)
    wears = wears_of(library, item, model.variant, before.source.options.wear, before.source.options.ground)
    return resolve(model, draws, before.choice, wears, libraries, game.problem, before.address)


def _controller(before: Document, animation: Animation) -> Controller:
    controller = before.controller
    if animation is before.animation:
        return controller
    return replace(controller, channels=with_movements(controller.channels, animation))


def _selects_the_same(model: Model, before: Model) -> bool:
    """Whether the batches of two models select the same materials."""
    one, other = model.batches, before.batches
    return len(one) == len(other) and all(np.array_equal(one[name], other[name]) for name in _SELECTORS)


def _is_same(one: Model, other: Model, *tables: int) -> bool:
    """Whether two models have the same bytes in some tables."""
    return all(bytes(one.payload(table)) == bytes(other.payload(table)) for table in tables)
