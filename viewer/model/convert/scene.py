"""The scene: what stands between a model and the formats of other programs.

Everything is in the model's own terms: Z up, vertices in the space of their node, times in frames, texture
coordinates with v downwards. A rotation is w, x, y, z of the active rotation of column vectors, the conjugate
of the stored key (spec/animation.md 5). Formats map axes, time and v; nobody else does.

A scene made from a model carries the rows that its parts came from (`Node.number`, `Mesh.slot`,
`Primitive.batch`, `Primitive.vertices`), and the fields that no other format has (`fields`, by the names of
their records). Read from a file they may be absent, and what could not be read is in `Scene.losses`.

Source: spec/msh.md 13, spec/animation.md 4, 5, 7.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field

from viewer.geometry.transforms import Floats, Indices
from viewer.model.clips.started_effects import StartedEffect
from viewer.model.convert.options import Cell, Options
from viewer.model.convert.scene_images import SceneImage
from viewer.translation import _

Fields = Mapping[str, Any]
"""Values by the names of the fields of a record, as plain data."""
Vector = tuple[float, float, float]
Rotation = tuple[float, float, float, float]
Color = tuple[float, float, float, float]

NO_FIELDS: Final[Fields] = MappingProxyType({})
IDENTITY: Final[Rotation] = (1.0, 0.0, 0.0, 0.0)
ZERO: Final[Vector] = (0.0, 0.0, 0.0)
ONE: Final[Vector] = (1.0, 1.0, 1.0)
WHOLE: Final = (0.0, 0.0, 1.0, 1.0)
"""A whole image, as a part of it."""
NEW: Final = -1
"""The row of a vertex that no model has yet."""


class Primitive(Struct, frozen=True, eq=False):
    """A batch: vertices of its own, and triangles over them.

    Attributes
    ----------
    positions
        (n, 3) float32, node space.
    triangles
        (t, 3) int64, rows of `positions`, in winding order.
    normals
        (n, 3) float32, unit length except where none is known; None without normals.
    uvs, lightmap_uvs
        (n, 2) float32; None without them.
    material
        Index in `Scene.materials`; None without one.
    vertices
        (n,) int64, rows in the vertex tables of the model, `NEW` for others; None if unknown.
    batch
        Row of the batch in the model.
    fields
        Other fields of the batch's record.
    has_own_normals
        Whether its normals are those of the file, if any; else of a file without normals they are computed.
    """

    positions: Floats
    triangles: Indices
    normals: Floats | None = None
    uvs: Floats | None = None
    lightmap_uvs: Floats | None = None
    material: int | None = None
    vertices: Indices | None = None
    batch: int | None = None
    fields: Fields = field(default_factory=lambda: NO_FIELDS)
    has_own_normals: bool = True


class Mesh(Struct, frozen=True, eq=False):
    """A slot: geometry that a node shows in a cell, or that several share.

    Attributes
    ----------
    slot
        Row of the slot in the model.
    fields
        Other fields of the slot's record.
    rounding
        How far the file may have rounded a coordinate of a position; 0 if it holds floats.
    """

    name: str
    primitives: tuple[Primitive, ...] = ()
    slot: int | None = None
    fields: Fields = field(default_factory=lambda: NO_FIELDS)
    rounding: float = 0.0


class Track(Struct, frozen=True, eq=False):
    """The movement of a node, linear in position and spherical in rotation between its keys.

    Attributes
    ----------
    times
        (k,) float64, frames, strictly increasing.
    positions
        (k, 3) float32, in the parent's space.
    rotations
        (k, 4) float32, w, x, y, z, unit length.
    """

    times: npt.NDArray[np.float64]
    positions: Floats
    rotations: Floats

    @classmethod
    def joined(cls, tracks: Sequence[Track]) -> Track:
        """Tracks that follow one another as one."""
        columns = zip(*((it.times, it.positions, it.rotations) for it in tracks), strict=True)
        return cls(*map(np.concatenate, columns))

    def with_points(self, other: Track, rows: Any) -> Track:
        """The track with some points of another one of the same times, by their rows or by a mask."""
        positions, rotations = self.positions.copy(), self.rotations.copy()
        positions[rows], rotations[rows] = other.positions[rows], other.rotations[rows]
        return Track(self.times, positions, rotations)

    def some(self, rows: Any) -> Track:
        """The track with some of its points, by their rows or by a mask."""
        return Track(self.times[rows], self.positions[rows], self.rotations[rows])


class Node(Struct, frozen=True, eq=False):
    """A rigid part.

    Attributes
    ----------
    name
        As stored; several may have the same, and none.
    parent
        Index in `Scene.nodes`, in any order; None for a root.
    cells
        Index in `Scene.meshes` of what it shows, by cell.
    position, rotation, scale
        The rest pose in the parent's space. A scale is from other programs only.
    track
        Its movement; None for a still node.
    socket_tag
        Label of a socket: what it takes.
    is_socket
        Whether other models are mounted on it.
    number
        Row of the node in the model.
    fields
        Other fields of the node's record.
    """

    name: str
    parent: int | None = None
    cells: Mapping[Cell, int] = field(default_factory=dict)
    position: Vector = ZERO
    rotation: Rotation = IDENTITY
    scale: Vector = ONE
    track: Track | None = None
    socket_tag: str = ""
    is_socket: bool = False
    number: int | None = None
    fields: Fields = field(default_factory=lambda: NO_FIELDS)


class AlphaMode(StrEnum):
    """The effect of alpha on a pixel."""

    OPAQUE = "OPAQUE"
    CUTOUT = "MASK"
    BLENDED = "BLEND"
    ADDED = "ADD"
    """The color times alpha is added to what is behind."""

    @property
    def is_see_through(self) -> bool:
        """Whether what is behind shows through, as it does where a wear flag says so."""
        return self in {AlphaMode.BLENDED, AlphaMode.ADDED}


class SceneMaterial(Struct, frozen=True, eq=False):
    """Material of batches of a wear row at rest.

    Attributes
    ----------
    name
        As in the wear table.
    row
        Row of the wear table.
    color
        Multiplied with the texture: red, green, blue, opacity, 0 to 1.
    emissive
        Light of its own, red, green, blue.
    image, lightmap
        Index in `Scene.images`.
    is_unlit
        Whether it shows without any light.
    is_two_sided
        Whether back faces show.
    sub_image
        The part of the image that coordinates from 0 to 1 show: start and size in coordinates of the whole
        image, which repeats.
    fields
        What the game knows of it beyond that.
    """

    name: str
    row: int | None = None
    color: Color = (1.0, 1.0, 1.0, 1.0)
    emissive: Vector = ZERO
    image: int | None = None
    lightmap: int | None = None
    alpha: AlphaMode = AlphaMode.OPAQUE
    is_unlit: bool = False
    is_two_sided: bool = False
    sub_image: tuple[float, float, float, float] = WHOLE
    applied: tuple[float, float, float, float] = WHOLE
    fields: Fields = field(default_factory=lambda: NO_FIELDS)


class SceneClip(Struct, frozen=True):
    """A named part of the animation: its first and last frame, and its own duration if it has one.

    Attributes
    ----------
    tracks
        How nodes move in it, by index in `Scene.nodes`; times are seconds here. Empty if it is only named.
    fields
        What the controller says of it.
    is_apart
        Whether its movement is in `tracks` alone, not in the tracks of the nodes.
    """

    name: str
    first: float
    last: float
    seconds: float | None = None
    tracks: Mapping[int, Track] = field(default_factory=dict)
    fields: Fields = field(default_factory=lambda: NO_FIELDS)
    is_apart: bool = False


class ClipRange(Struct, frozen=True):
    """The frames of a clip.

    Attributes
    ----------
    first, last
        Frames of the strip.
    rate
        How many of them a second are played.
    """

    name: str
    first: float
    last: float
    rate: float


class View(Struct, frozen=True):
    """The cell that each node shows for a requested one.

    Attributes
    ----------
    cell
        The requested cell.
    shown
        The cell that each node of the scene shows then, a key of its `cells`; None for nothing.
    """

    cell: Cell
    shown: tuple[Cell | None, ...]


class Origin(Struct, frozen=True):
    """The model that a scene was made from.

    Attributes
    ----------
    name
        Name of the entry or file.
    size, sha256
        Of its bytes.
    quaternion_order, material_field, has_name_records
        The reading (`viewer.model.mesh.reading.Reading`).
    """

    name: str
    size: int
    sha256: str
    quaternion_order: str
    material_field: str
    has_name_records: bool

    @property
    def reading(self) -> tuple[str, str, bool]:
        """The choices of the reading."""
        return self.quaternion_order, self.material_field, self.has_name_records


class Scene(Struct, frozen=True, eq=False):
    """A whole model.

    Attributes
    ----------
    frame_count
        Frames of the animation; 1 without one.
    views
        What the nodes show, first for the cell of the options, then for others. If there are none a node
        shows the cell of the options.
    fields
        The header of the model: its stored bounds.
    origin
        The model it was made from; None if there is none.
    options
        How it was made.
    tables
        Payloads of tables that have no other place, by type: path graph, light probes, unknown streams.
    attributes
        attr1, attr2, attr3 of those of them that need their own, by type.
    notes
        What the user should know of how a file was read.
    losses
        What a file said that the game's format cannot hold, or what a model has that a scene cannot, as
        sentences.
    is_by_objects
        Whether the file has only what nodes show, so that a node that shows nothing may be none of it.
    program
        The program that wrote the file, as it says; empty if it does not.
    effects
        What the model's controller starts, and the explosions of its nodes; not read from files.
    """

    name: str
    nodes: tuple[Node, ...] = ()
    meshes: tuple[Mesh, ...] = ()
    materials: tuple[SceneMaterial, ...] = ()
    images: tuple[SceneImage, ...] = ()
    clips: tuple[SceneClip, ...] = ()
    frame_count: int = 1
    views: tuple[View, ...] = ()
    fields: Fields = field(default_factory=lambda: NO_FIELDS)
    origin: Origin | None = None
    options: Options = field(default_factory=Options)
    tables: Mapping[int, bytes] = field(default_factory=dict)
    attributes: Mapping[int, tuple[int, int, int]] = field(default_factory=dict)
    losses: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    is_by_objects: bool = False
    program: str = ""
    effects: tuple[StartedEffect, ...] = ()

    @property
    def chosen(self) -> View:
        """The view of the cell of the options."""
        if self.views:
            return self.views[0]
        cell = self.options.cell
        return View(cell, tuple(cell if cell in node.cells else None for node in self.nodes))

    @property
    def is_in_a_row(self) -> bool:
        """Whether the clips are movements of another program that follow one another."""
        return self.origin is None and len(self.clips) > 1 and self.clips[-1].first > 0

    @property
    def clip_ranges(self) -> tuple[ClipRange, ...]:
        """The frames of the clips of a scene, with their rates."""
        fps = self.options.fps
        rates = (abs(it.last - it.first) / it.seconds if it.seconds else fps for it in self.clips)
        return tuple(
            ClipRange(it.name, it.first, it.last, rate) for it, rate in zip(self.clips, rates, strict=True)
        )

    def clip_words(self) -> tuple[str, ...]:
        """The names and frames of several clips, a sentence each."""
        words = "clip {name}: frames {first} to {last}"
        return tuple(
            _(words, name=it.name, first=f"{it.first:g}", last=f"{it.last:g}")
            for it in (self.clips if len(self.clips) > 1 else ())
        )
