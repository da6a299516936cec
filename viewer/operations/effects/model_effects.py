"""The effects that a model plays: those that its controller starts, and the explosions of its nodes.

Source: spec/effects.md 8, 10.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

import numpy as np
from msgspec import Struct

from viewer.errors import MshviewError
from viewer.formats import fxid
from viewer.formats.neighbors import control, control_points, explosion
from viewer.formats.neighbors.explosion import Explosion
from viewer.formats.record import ENTRY, Rows
from viewer.formats.text import decode
from viewer.geometry.transforms import point_of
from viewer.model.clips.attachment import Anchor, at_explosion, on_points, on_sphere
from viewer.model.clips.started_effects import (
    EXPLODE,
    ON_NODE,
    ON_POINTS,
    ON_SPHERE,
    StartedEffect,
    started_effects,
)
from viewer.model.kinds.kind import Kind
from viewer.model.kinds.registry import EFFECT, EXPLOSION, kind_of
from viewer.model.material.lookup import MaterialLookup
from viewer.model.mesh.draws import Parts
from viewer.model.mesh.model import Model
from viewer.model.references.targets import ResourceName, Targets
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import Item
from viewer.operations.effects.effects import LoadedEffect, lost_names, materials_of
from viewer.operations.effects.explosions import explosions_of, neighbor_rows
from viewer.progress import checkpoint
from viewer.translation import _

MOST: Final = 500
"""Effects of a model that are listed."""
FIRST_CELL: Final = np.uint16(1)
"""The bit of `Parts.cells` of what the game draws at first."""
MOST_LOADED: Final = 64
"""Different effects that are read."""
Decoded = TypeVar("Decoded")
_Name = tuple[bytes, bytes]
"""Archive and entry."""


class ModelEffect(Struct, frozen=True, eq=False):
    """An effect of a model.

    Attributes
    ----------
    name
        Its name, or that of the explosion, as stored.
    address
        Where that is; None if it does not exist.
    started
        The record of the controller that starts it; None for the explosion of a node by its damage.
    node
        The node that explodes, else None.
    anchor
        Where it is; None if that does not exist.
    variants
        One effect, or that of each slot of an explosion; None for those that do not exist.
    problem
        Why it cannot be played; empty if it can.
    """

    name: str
    address: Address | None
    started: StartedEffect | None
    node: int | None
    anchor: Anchor | None
    variants: tuple[LoadedEffect | None, ...]
    problem: str = ""

    @property
    def is_explosion(self) -> bool:
        """Whether the effect of the row depends on the surface."""
        return len(self.variants) > 1

    def variant(self, surface: int) -> LoadedEffect | None:
        """The effect on a surface, counted from 0: its own, else the default."""
        if not self.is_explosion:
            return self.variants[0] if self.variants else None
        own = self.variants[surface + 1] if 0 <= surface < len(self.variants) - 1 else None
        return own or self.variants[0]


class ModelEffects(Struct, frozen=True, eq=False):
    """The effects of a model, and what drives them.

    Attributes
    ----------
    rows
        In the order of the controller, then by node.
    speeds
        Speed of each clip as a share of the top speed, 0 to 1.
    """

    rows: tuple[ModelEffect, ...] = ()
    speeds: tuple[float, ...] = ()

    @property
    def made_of(self) -> tuple[object, ...]:
        """The key that tells two revisions apart."""
        effects = (it.effect for row in self.rows for it in row.variants if it is not None)
        return tuple(row.address for row in self.rows), self.speeds, tuple(map(id, effects))


class _Resolved(NamedTuple):
    """The target of a name: an effect, or an explosion's effects with the header; else the reason."""

    address: Address | None
    variants: tuple[LoadedEffect | None, ...]
    header: np.void | None
    problem: str


def effects_of(
    library: FileStore,
    item: Item,
    controller: Address | None,
    game: Path | None,
    model: Model,
    parts: Parts,
) -> ModelEffects:
    """The effects of a model; what cannot be read has none.

    Parameters
    ----------
    controller
        Address of its controller, or None.
    parts
        Those of its draws, whose spheres are those of its nodes.
    """
    if game is None:
        return ModelEffects()
    return _Finder(library, item, controller, game, model, parts).found()


def slot_effects(library: FileStore, game: Path, exploding: Explosion) -> tuple[LoadedEffect | None, ...]:
    """The effect of each slot of an explosion; None for those that name none, or one that cannot be read."""
    loader = _Loader(library, game)
    return tuple(loader.named(it) for it in exploding.names)


class _Loader:
    """Reads effects by their names, each once."""

    def __init__(self, library: FileStore, game: Path) -> None:
        self._library, self._game = library, game
        self.targets = Targets(library, game)
        self._loaded: dict[Address, LoadedEffect | None] = {}

    @cached_property
    def _materials(self) -> MaterialLookup:
        return MaterialLookup.of(self._library, self._game)

    def named(self, named: _Name) -> LoadedEffect | None:
        """The effect of a name."""
        place = self.targets.find(ResourceName(ENTRY, named[1], named[0])).place if named[1] else None
        return None if place is None else self.at(place.address)

    def at(self, address: Address) -> LoadedEffect | None:
        """The effect at an address; None for anything else."""
        if address not in self._loaded and len(self._loaded) < MOST_LOADED:
            checkpoint()
            found, effect = None, _decoded(self._library, address, fxid.decode, EFFECT)
            if effect is not None:
                materials, game = materials_of(effect, self._materials), self.targets.game
                lost = lost_names(effect, materials, game) if game is not None else ()
                found = LoadedEffect(address, effect, materials, lost)
            self._loaded[address] = found
        return self._loaded.get(address)


class _Finder:
    """Finds the effects of one model."""

    def __init__(
        self,
        library: FileStore,
        item: Item,
        controller: Address | None,
        game: Path,
        model: Model,
        parts: Parts,
    ) -> None:
        self._library, self._item, self._model, self._parts = library, item, model, parts
        self._controller = controller
        self._loader = _Loader(library, game)
        self._resolved: dict[_Name, _Resolved] = {}

    def found(self) -> ModelEffects:
        """All effects."""
        decoded = _decoded(self._library, self._controller, control.decode)
        started = () if decoded is None else started_effects(decoded)
        rows = [
            self._effect((it.archive, it.name), it, it.values[0] if it.action == EXPLODE else None)
            for it in started[:MOST]
        ]
        rows += [*self._exploding()][: MOST - len(rows)]
        return ModelEffects(tuple(rows), () if decoded is None else _speeds(decoded))

    def _exploding(self) -> Iterator[ModelEffect]:
        """The explosion of each node with one."""
        for it in explosions_of(self._library, self._item):
            if it.values[0] < self._model.node_count:
                yield self._effect((it.archive, it.name), None, it.values[0])

    def _effect(self, named: _Name, started: StartedEffect | None, node: int | None) -> ModelEffect:
        """The effect, or the explosion, of a name."""
        if named not in self._resolved:
            self._resolved[named] = self._resolve(named)
        found = self._resolved[named]
        if started is not None and node is None:
            anchor = self._anchor(started)
        elif found.header is None:
            anchor = self._at_node(node, 1.0, 0)
        else:
            anchor = self._at_node(node, float(found.header["radius"]), int(found.header["placement"]))
        problem = found.problem or ("" if anchor else _("its place does not exist"))
        return ModelEffect(decode(named[1]), found.address, started, node, anchor, found.variants, problem)

    def _resolve(self, named: _Name) -> _Resolved:
        target = self._loader.targets.find(ResourceName(ENTRY, named[1], named[0]))
        address = target.place.address if target.place else None
        exploding = _decoded(self._library, address, explosion.decode, EXPLOSION)
        if exploding is None:
            variants: tuple[LoadedEffect | None, ...] = (
                None if address is None else self._loader.at(address),
            )
        else:
            variants = tuple(self._loader.named(it) for it in exploding.names)
        problem = target.problem or ("" if any(variants) else _("is not an effect"))
        return _Resolved(address, variants, None if exploding is None else exploding.header, problem)

    @cached_property
    def _points(self) -> Rows:
        return neighbor_rows(
            self._library, self._item, ".cpt", control_points.decode, "points", control_points.POINT.new(0)
        )

    def _anchor(self, started: StartedEffect) -> Anchor | None:
        if started.action == ON_NODE:
            node = started.values[0]
            return Anchor((node,)) if 0 <= node < self._model.node_count else None
        if started.action == ON_POINTS:
            return on_points(self._points, started.values[:3])
        header = self._model.header
        if started.action != ON_SPHERE or header is None:
            return None
        return on_sphere(point_of(header["sphere_center"]), float(header["sphere_radius"]))

    def _at_node(self, node: int | None, radius: float, placement: int) -> Anchor | None:
        """The middle of the bounding sphere of what a node shows at first; its origin if that is nothing."""
        if node is None or not 0 <= node < self._model.node_count:
            return None
        shown = np.flatnonzero(self._parts.node == node)
        shown = shown[np.argsort(~self._parts.cells[shown] & FIRST_CELL, kind="stable")]
        if not len(shown):
            return at_explosion(node, (0.0, 0.0, 0.0), radius, placement)
        center = point_of(self._parts.sphere_center[:, shown[0]])
        return at_explosion(node, center, radius * float(self._parts.sphere_radius[shown[0]]), placement)


def _decoded(
    library: FileStore,
    address: Address | None,
    decode: Callable[[memoryview], Decoded],
    kind: Kind | None = None,
) -> Decoded | None:
    """The decoded value at an address; None for a missing, unreadable or other kind of payload."""
    with suppress(MshviewError):
        item = None if address is None else library.open(address)
        if item is not None and (kind is None or kind_of(item) is kind):
            return item.decoded(decode)
    return None


def _speeds(decoded: control.Control) -> tuple[float, ...]:
    """The speed in the middle of the box of each state, as a share of the top speed."""
    top = float(np.linalg.norm(decoded.parameters["top_speed"]))
    if not 0 < top < np.inf:
        return (0.0,) * len(decoded.states)
    low, high = (decoded.states[name].astype(np.float64) for name in ("velocity_min", "velocity_max"))
    speeds = np.linalg.norm(np.nan_to_num((low + high) / 2), axis=1) / top
    return tuple(np.clip(speeds, 0, 1).tolist())
