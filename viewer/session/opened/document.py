"""The open document: one model with everything that is derived when it is read."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import count
from math import inf
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field
from msgspec.structs import replace

from viewer.diagnostics import Diagnostic, refuse_errors
from viewer.errors import reading_from
from viewer.formats.msh.nodes import GROUPS
from viewer.geometry.bounds import Bounds
from viewer.model.clips.controller import NO_CONTROLLER, Controller
from viewer.model.game.game_folder import NO_GAME, GameSource
from viewer.model.material import selectors
from viewer.model.material.belts import DrawnMaterials, drawn_materials
from viewer.model.material.lookup import MaterialLookup
from viewer.model.material.materials import Materials
from viewer.model.material.selectors import WearTable
from viewer.model.mesh.cell_names import CellNames
from viewer.model.mesh.draws import Draws, PosedVertices, part_bounds
from viewer.model.mesh.model import Model, Variant
from viewer.model.mesh.portals import KINDS, WORDS
from viewer.model.mesh.pose.animation import Animation, Pose
from viewer.model.mesh.pose.skeleton import Skeleton, sockets
from viewer.model.mesh.reading import ResolvedReading
from viewer.model.mesh.reading_choices import ReadingChoice
from viewer.model.mesh.row_tables import NamedRows
from viewer.model.mesh.shown import (
    NO_CELL,
    NO_ROOM,
    Cell,
    CellRule,
    Cutaway,
    PartChoice,
    PartChooser,
    ShownParts,
    group_at,
)
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.tables.neighbors import ModelNeighbors, neighbors_of
from viewer.model.tables.row_labels import RowLabels
from viewer.model.tables.source import TableSource
from viewer.operations.opening import ModelFiles, OpenedModel, Source
from viewer.operations.reading_options import ReadingOptions
from viewer.session.play.material_play import longest_period
from viewer.session.selection import Selection
from viewer.translation import _

if TYPE_CHECKING:
    from viewer.model.convert.source import ModelSource
    from viewer.operations.effects.model_effects import ModelEffects
    from viewer.session.view.camera import Camera
    from viewer.session.view.view_state import ViewState


class Document(Struct, frozen=True, eq=False):
    """A model as read, for the window. It needs no OpenGL, so a worker thread can make it.

    Attributes
    ----------
    opened
        The model in its reading, with its materials and what is wrong with it.
    size
        Size of the model, bytes.
    sockets
        Nodes that other models are mounted on.
    chooser
        Chooses the parts that a view shows.
    extent
        The box around what the game draws first, at time 0; None if that is nothing.
    last_frame
        End of the nodes' animation, in frames. For a model without one, the end of the longest material
        cycle, which need not be a whole frame. 0 if nothing moves.
    source
        The request.
    labels
        What the rows of its tables are called.
    controller
        The clips and channels of its controller.
    effects
        The effects that its controller starts, and the explosions of its nodes; None if not looked up.
    neighbors
        Its control points, damage and ground plan; empty if not looked up.
    identity
        The same for all revisions: kept over reloads, changes of choices and edits, and never used
        for a document of another address. The user's settings for a document are stored under it.
    revision
        Increases whenever the bytes or the choices of the document change.
    """

    opened: OpenedModel
    size: int
    sockets: frozenset[int]
    chooser: PartChooser
    extent: Bounds | None
    last_frame: float
    source: Source
    labels: RowLabels
    controller: Controller = NO_CONTROLLER
    effects: ModelEffects | None = None
    neighbors: ModelNeighbors = field(default_factory=ModelNeighbors)
    identity: int = field(default_factory=count(1).__next__)
    revision: int = 0

    @classmethod
    def open(
        cls,
        library: FileStore,
        source: Source,
        before: Document | None = None,
        *,
        has_effects: bool = False,
    ) -> Document:
        """Read a model and resolve its materials; raises `MshviewError` if there is no model.

        Parameters
        ----------
        before
            The open document. If it has the same address the result is a later revision of it, or the
            same object if nothing has changed.
        has_effects
            Whether to look up its effects and what is around it.
        """
        address, files = source.address, ModelFiles.read(library, source)
        before = before if before and before.source.address == address else None
        with reading_from(address):
            found = cls.of(
                address, files.model, source.options.reading, files.wears, files.libraries, files.game, before
            )
        if source.options.is_strict:
            refuse_errors(found.address, found.diagnostics)
        opened = replace(found.opened, called=files.called)
        found = replace(found, opened=opened, source=source, controller=files.moving(found.animation))
        if has_effects:
            around, effects = neighbors_of(library, files.item), _effects_of(library, files, found)
            found = replace(found, effects=effects, neighbors=around)
        return found if before is None else found.following(before)

    def following(self, before: Document) -> Document:
        """The next revision of a document; the document itself if nothing has changed."""
        if self._made_of() == before._made_of():
            return before
        return replace(self, identity=before.identity, revision=before.revision + 1)

    def _made_of(self) -> tuple[object, ...]:
        """The inputs of all other fields; models are compared by identity, as the file store caches them."""
        made_of = self.source, id(self.model), self.game, self.controller, self.opened.is_checked, self.called
        around = self.neighbors.made_of, self.effects and self.effects.made_of
        return *made_of, *around, *_appearance(self.materials)

    @classmethod
    def of(
        cls,
        address: Address,
        model: Model,
        requested: ReadingChoice = ReadingChoice.AUTO,
        wears: Sequence[WearTable] = (selectors.NOWHERE,),
        libraries: MaterialLookup | None = None,
        game: GameSource = NO_GAME,
        before: Document | None = None,
    ) -> Document:
        """The document of a model with its wear tables and its game's libraries.

        Parameters
        ----------
        before
            Another document; if it has the same model, fields derived from the model alone are shared.
        """
        earlier = None if before is None else before.opened
        opened = OpenedModel.made_of(address, model, requested, wears, libraries, game, earlier)
        if before is not None and before.model is model:
            chooser = before.chooser
        else:
            chooser = PartChooser(model, opened.draws)
        animation, draws, materials = opened.animation, opened.draws, opened.materials
        return cls(
            opened=opened,
            size=len(model.archive.data),
            sockets=sockets(model, opened.names),
            chooser=chooser,
            extent=part_bounds(draws, animation.pose(0.0).world, chooser.shown(PartChoice()).parts),
            last_frame=last_frame(animation, materials),
            source=Source(address, ReadingOptions(requested)),
            labels=RowLabels(opened),
        )

    def to_convert(self, name: str) -> ModelSource:
        """The model under a name as it is exported, or compared with what is imported."""
        return self.opened.to_convert(name, self.controller)

    @property
    def address(self) -> Address:
        """The address of the model."""
        return self.opened.address

    @property
    def model(self) -> Model:
        """The tables of the model."""
        return self.opened.model

    @property
    def choice(self) -> ResolvedReading:
        """The reading of the disputed fields."""
        return self.opened.choice

    @property
    def skeleton(self) -> Skeleton:
        """The hierarchy of the nodes."""
        return self.opened.skeleton

    @property
    def animation(self) -> Animation:
        """The animation of the nodes."""
        return self.opened.animation

    @property
    def draws(self) -> Draws:
        """The draws of the model: batches with their nodes and triangles."""
        return self.opened.draws

    @property
    def names(self) -> tuple[str, ...]:
        """The name of each node, empty if absent."""
        return self.opened.names

    @property
    def socket_tags(self) -> tuple[str, ...]:
        """The socket tag of each node, empty if absent."""
        return self.opened.socket_tags

    @property
    def triangle_counts(self) -> npt.NDArray[np.int64]:
        """Triangles stored for each cell, (3, 5)."""
        return self.opened.triangle_counts

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """The diagnostics of the model itself; `findings` are all."""
        return self.opened.diagnostics

    @property
    def materials(self) -> Materials:
        """The materials of the batches."""
        return self.opened.materials

    @property
    def game(self) -> GameSource:
        """The game folder that names were looked up in."""
        return self.opened.game

    @property
    def called(self) -> str:
        """The game's own name of the part with this model; empty if unknown."""
        return self.opened.called

    @property
    def cell_names(self) -> CellNames:
        """The names of LODs and groups."""
        return self.opened.cell_names

    @property
    def findings(self) -> tuple[Diagnostic, ...]:
        """The diagnostics, what is wrong with its controller, and the missing resources of its materials."""
        unread = () if self.controller.problem is None else (self.controller.problem,)
        return (*self.diagnostics, *unread, *(step.finding for step in self.materials.problems))

    @property
    def tables(self) -> TableSource:
        """The source of the computed columns of all tables."""
        return TableSource(self.opened, self.labels, self.neighbors)

    def table(self, name: str) -> NamedRows | None:
        """A table of the model or of its neighbors; None if it has no rows."""
        return self.model.tables.get(name) or self.neighbors.tables.get(name)

    def row_count(self, name: str) -> int:
        """The number of rows of a table."""
        found = self.table(name)
        return 0 if found is None else len(found.rows)

    @property
    def is_terrain(self) -> bool:
        """Whether the model is a terrain: a grid of tiles, each with a fine and a coarse level of detail."""
        return self.model.variant is Variant.TERRAIN

    @property
    def is_in_seed_reading(self) -> bool:
        """Whether the user requested the seed reading, which states no meaning of LODs and groups."""
        return self.choice.requested is ReadingChoice.SEED

    @property
    def has_only_materials_moving(self) -> bool:
        """Whether only materials are animated."""
        return self.last_frame > 0 and not self.animation.is_animated

    @property
    def drawn_materials(self) -> DrawnMaterials:
        """The materials as they are drawn: belts that share a row have rows of their own."""
        return drawn_materials(self.materials, self.draws, self.controller.belts)

    def label(self, node: int) -> str:
        """The name of a node, or its number if it has none."""
        return self.names[node] or f"node {node}"

    def portal_label(self, draw: int) -> str:
        """The kind of the portal that a draw is, and the name of the room behind it."""
        kind, room = WORDS[KINDS[self.chooser.portal[draw]]], int(self.chooser.room[draw])
        if room == NO_ROOM:
            return _("{kind} without a room", kind=kind)
        return _("{kind} to {room}", kind=kind, room=self.label(room))

    def shown(self, view: ViewState) -> ShownParts:
        """The parts and draws that a view shows."""
        return self.chooser.shown(view.parts)

    def shown_cell(self, node: int, view: ViewState) -> Cell | None:
        """The cell of the slot matrix that a node shows in a view; None if it shows nothing."""
        cell = int(self.shown(view).cell[node])
        return None if cell == NO_CELL else divmod(cell, GROUPS)

    def with_slot_shown(self, before: ViewState, view: ViewState) -> ViewState:
        """The view after another one, with the slot that its node shows now, if that of before was selected.

        Rows of the slot that is not shown any more are not selected either.
        """
        chosen, node = view.selection, view.selection.node
        is_unchanged = chosen == before.selection and view.parts != before.parts
        if node is None or chosen.slot is None or not is_unchanged or node >= len(self.model.nodes):
            return view
        slots = self.model.nodes["slots"][node]
        was, cell = self.shown_cell(node, before), self.shown_cell(node, view)
        if was is None or cell is None or int(slots[was]) != chosen.slot:
            return view
        slot = int(slots[cell])
        return view if slot == chosen.slot else replace(view, selection=Selection(chosen.nodes, slot))

    def bounds(self, pose: Pose, view: ViewState, nodes: Collection[int] = ()) -> Bounds | None:
        """The box of what a view shows, of all nodes or of some; None if that is nothing."""
        return self.posed(pose, view, nodes).bounds

    def posed(self, pose: Pose, view: ViewState, nodes: Collection[int] = ()) -> PosedVertices:
        """The vertices of what a view shows, of all nodes or of some."""
        chosen = self.shown(view).visible(has_portals=view.shows_portals)
        if nodes:
            chosen = chosen & np.isin(self.draws.node, list(nodes))
        return self.draws.posed(self.model, pose.world, chosen)

    def first_view(self, view: ViewState) -> ViewState:
        """A view of this document with another view's settings, in the nearest cell that shows anything.

        It ends the own view and the cutaway if they show nothing of it.
        """
        from viewer.session.view.view_state import (  # noqa: PLC0415
            for_document,
            with_cell_here,
            with_drawn,
        )

        first = for_document(view)
        if first.drawn.cutaway is Cutaway.INSIDE and not self.chooser.has_internal:
            first = with_drawn(first, cutaway=Cutaway.ALL)
        if first.drawn.is_own_view and not self.shown(first).triangle_count:
            first = with_drawn(first, is_own_view=False)
        cell = self.chooser.nearest_cell(first.parts)
        if cell is None:
            return first
        return with_cell_here(first, cell[0], first.group if first.drawn.is_own_view else cell[1])

    def detail(self, camera: Camera) -> int:
        """The group that the size of the model in the image of a camera chooses."""
        if self.extent is None:
            return 0
        height = camera.height_at(self.extent.center)
        return group_at(self.extent.diagonal / height if height > 0 else inf)

    def with_detail(self, view: ViewState, finest: int = 0) -> ViewState:
        """The view with the group that its camera chooses, if it leaves the choice to that.

        Instead of a group that the model does not have it is the nearest finer one, not below `finest`. The
        seed reading knows no choice by size: the engine's current LOD is the row of the view. Nor has a
        terrain one: the game chooses the level of each tile by its distance.
        """
        if not view.drawn.has_auto_detail or self.is_in_seed_reading or self.is_terrain:
            return view
        is_exact = view.drawn.cells is CellRule.EXACT
        lods = self.triangle_counts[view.lod : view.lod + 1] if is_exact else self.triangle_counts
        filled = np.flatnonzero(lods[:, : 1 + self.detail(view.camera)].any(axis=0))
        group = max(int(filled[-1]) if len(filled) else 0, finest)
        return view if group == view.group else replace(view, group=group)


def _appearance(materials: Materials) -> tuple[object, ...]:
    """The compared content of materials; stored entries by identity, as the file store caches them."""
    all_rows = (*materials.rows, *materials.unused)
    stored = tuple(id(row.stored) for row in all_rows)
    return all_rows, stored, materials.wear_source, materials.wear_names, materials.problems


def last_frame(animation: Animation, materials: Materials) -> float:
    """The end of the nodes' animation in frames, else that of the longest material cycle."""
    if animation.is_animated:
        return animation.frame_count - 1
    from viewer.session.play.timeline import FRAME  # noqa: PLC0415

    return max(map(longest_period, materials.rows), default=0) / FRAME


def _effects_of(library: FileStore, files: ModelFiles, document: Document) -> ModelEffects:
    from viewer.operations.effects.model_effects import effects_of  # noqa: PLC0415 only needed for the window

    controller, game = files.found.address, files.game.folder
    return effects_of(library, files.item, controller, game, files.model, document.draws.parts)
