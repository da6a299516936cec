"""Explanation of a pixel: from the triangle that it shows down to the bytes, for the window and the shell.

Source: spec/msh.md 2 to 8; spec/field-notes.md 3, 4; spec/animation.md 3.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field
from msgspec.structs import replace

from viewer.errors import MshviewError
from viewer.formats.msh.batches import BATCH
from viewer.formats.msh.keys import KEY, WORD
from viewer.formats.msh.nodes import GROUPS, NODE
from viewer.formats.msh.slots import SLOT
from viewer.formats.msh.tables import TABLES, Table
from viewer.formats.msh.terrain import FACE
from viewer.formats.msh.triangles import TRIANGLE
from viewer.formats.msh.vertices import INDEX, UV_SCALE, across_seam, decode_normals
from viewer.formats.record import Field
from viewer.formats.wear import MATERIALS as WEAR_ROWS
from viewer.model.material.alpha import ALPHA
from viewer.model.material.materials import Material, TextureRef
from viewer.model.material.phases import PhaseState
from viewer.model.mesh.model import Variant
from viewer.model.mesh.pose.animation import Pose
from viewer.model.mesh.pose.pose_trace import PoseTrace, traces
from viewer.model.mesh.shown import Cell
from viewer.model.references.offsets import FileRanges, StoredRange, start_in_file
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.session.opened.document import Document
from viewer.session.pixel.effect_lights import effect_lights
from viewer.session.pixel.shading import (
    GroundLayer,
    LightSum,
    LitSurface,
    Texel,
    Vector,
    game_light,
    texel_at,
)
from viewer.session.pixel.sprites import NO_SPRITES, PixelSprites, ranges_of, sprites_over
from viewer.session.places import CORNERS, STREAMS
from viewer.session.play import posing
from viewer.session.play.machinery import drawn_states, material_states
from viewer.session.play.model_effects import PlayedEffect, played
from viewer.session.selection import PickHit, Selection
from viewer.session.view.options.lighting import Look
from viewer.session.view.options.section import SectionAxis
from viewer.session.view.options.shading import Shading
from viewer.session.view.view_state import ViewState

WORD_SIZE: Final = 2
"""Bytes of a word of the slot matrix."""


class Corner(Struct, frozen=True):
    """A corner of the triangle.

    Attributes
    ----------
    vertex
        Row of the vertices.
    index
        What Res6 says, which counts from the base vertex; None in a terrain.
    weight
        Its share of the pixel: the three are 1 together.
    streams
        Name, table, field and stored numbers of each stream that has the vertex.
    """

    vertex: int
    index: int | None
    weight: float
    streams: tuple[tuple[str, str, Field, tuple[float, ...]], ...]


class PixelExplanation(Struct, frozen=True, eq=False):
    """The explanation of a pixel.

    Attributes
    ----------
    source
        Address of the model.
    x, y
        The pixel, counted from the top left.
    size
        Width and height of the image, pixels.
    hit
        The triangle; None for the background, for which nothing else is known.
    cell
        LOD and group that the node shows.
    corners
        The three corners.
    base_vertex
        The vertex that the indices count from; None in a terrain.
    order, drawn
        The number of its draw among those of the view, from 1, in the engine's order, and how many there are.
    material_row, material, state
        Row of the document's materials, the material, and its state now; None without one.
    ground, second_alpha
        The materials of a terrain, and how opaque the second is; none in the plain look and without light.
    texel, lightmap
        What it shows of its textures; None without one, or if no materials are shown.
    light
        What lights it; only in the game's look with materials.
    traces
        How the node's pose is found, each with its weight.
    ranges
        The bytes that decide it.
    sprites
        What effects draw over it.
    is_cut_open
        The section plane shows the back of the triangle.
    """

    source: Address
    x: int
    y: int
    size: tuple[int, int]
    hit: PickHit | None = None
    cell: Cell | None = None
    corners: tuple[Corner, ...] = ()
    base_vertex: int | None = None
    order: int = 0
    drawn: int = 0
    material_row: int | None = None
    material: Material | None = None
    state: PhaseState | None = None
    ground: tuple[GroundLayer, ...] = ()
    second_alpha: float = 0.0
    texel: Texel | None = None
    lightmap: Texel | None = None
    light: LightSum | None = None
    traces: tuple[tuple[PoseTrace, float], ...] = ()
    ranges: tuple[StoredRange, ...] = ()
    sprites: PixelSprites = NO_SPRITES
    is_cut_open: bool = False


class PointedTriangle(Struct, frozen=True, eq=False):
    """The triangle at a pixel, in the model that it is of.

    Attributes
    ----------
    view
        The view that the model is shown in.
    hit
        None for the background.
    selection
        What a click there selects: rows of the model, or the component of a unit.
    pose
        Where its nodes are in the image; None for where the view has them.
    effects
        What plays in the image; None for the effects on the model alone.
    """

    document: Document
    view: ViewState
    hit: PickHit | None = None
    selection: Selection = field(default_factory=Selection)
    pose: Pose | None = None
    effects: tuple[PlayedEffect, ...] | None = None


def explain(
    store: FileStore, at: PointedTriangle, size: tuple[int, int], pixel: tuple[int, int]
) -> PixelExplanation:
    """The explanation of a pixel of a view; raises `MshviewError` if the file cannot be read any more."""
    x, y = pixel
    document, view, hit = at.document, at.view, at.hit
    pose = at.pose or posing.pose(document, view)
    effects = played(document, view, pose) if at.effects is None else at.effects
    at, sprites = replace(at, pose=pose, effects=effects), sprites_over(effects, view, size, pixel, hit)
    if hit is None:
        ranges = tuple(ranges_of(store, sprites))
        return PixelExplanation(document.address, x, y, size, ranges=ranges, sprites=sprites)
    return _Explainer(store, at, hit).explained(x, y, size, sprites)


def _name_of(stream: Table) -> str:
    """The name of a stream: the field, or the table if the field has no meaning."""
    field = "" if stream.record is None else stream.record.fields[0].name
    return stream.name if field == "value" else field


class _Explainer:
    """Explanation of one triangle in one view, as it is worked out."""

    def __init__(self, store: FileStore, at: PointedTriangle, hit: PickHit) -> None:
        document, view = at.document, at.view
        self.store, self.document, self.view, self.hit = store, document, view, hit
        self.model, self.pose = document.model, at.pose or posing.pose(document, view)
        self.effects = played(document, view, self.pose) if at.effects is None else at.effects
        self.first_index = self._first_index()
        self.weights = self._weights()
        row = int(document.materials.of_draw[hit.draw]) if len(document.materials.of_draw) else None
        self.row = row if row is not None and 0 <= row < len(document.materials.rows) else None
        self.traces = tuple(traces(document.animation, hit.node, self.pose.moment))

    def explained(self, x: int, y: int, size: tuple[int, int], sprites: PixelSprites) -> PixelExplanation:
        document, view, hit = self.document, self.view, self.hit
        visible = np.flatnonzero(document.shown(view).visible(has_portals=view.shows_portals))
        batch = None if hit.batch is None else self.model.batches[hit.batch]
        material = None if self.row is None else document.materials.rows[self.row]
        state = None
        if self.row is not None:  # of several belts with one row each has a state of its own
            state = drawn_states(document, view)[document.drawn_materials.materials.of_draw[hit.draw]]
        texel, lightmap = self._texels(material, state)
        return PixelExplanation(
            source=document.address,
            x=x,
            y=y,
            size=size,
            hit=hit,
            cell=document.shown_cell(hit.node, view) if hit.slot is not None else None,
            corners=tuple(map(self._corner, range(CORNERS))),
            base_vertex=None if batch is None else int(batch["base_vertex"]),
            # `visible` ascends: the place of the draw among those that are drawn, counted from 1.
            order=int(np.searchsorted(visible, hit.draw)) + 1,
            drawn=len(visible),
            material_row=self.row,
            material=material,
            state=state,
            ground=tuple(self._ground(material)),
            second_alpha=self._second_alpha(material),
            texel=texel,
            lightmap=lightmap,
            light=self._light(material, state),
            traces=self.traces,
            ranges=tuple(
                it
                for it in (
                    *self._ranges(),
                    *self._texel_ranges(texel, lightmap),
                    *ranges_of(self.store, sprites),
                )
                if it
            ),
            sprites=sprites,
            is_cut_open=self._is_cut_open(),
        )

    def _is_cut_open(self) -> bool:
        """Whether a section plane cuts the model and the triangle is seen from behind."""
        if self.view.section is SectionAxis.OFF:
            return False
        corners, camera = self._corners(), self.view.camera
        towards = camera.axes[2] if camera.is_orthographic else np.array(camera.eye) - corners[0]
        return bool(np.cross(corners[1] - corners[0], corners[2] - corners[0]) @ towards < 0)

    def _first_index(self) -> int | None:
        """Row of Res6 of the first corner; None in a terrain."""
        if self.hit.batch is None:
            return None
        # Triangles are numbered by their first index / 3; those of a batch start at a multiple of 3 from its
        # start, which need not be one itself.
        return CORNERS * self.hit.triangle + int(self.model.batches[self.hit.batch]["index_start"]) % CORNERS

    def _corner(self, number: int) -> Corner:
        vertex, first = self.hit.vertices[number], self.first_index
        streams = []
        for type_id in STREAMS:
            table = TABLES[type_id]
            rows = self.model.rows(type_id)
            if table.record is not None and vertex < len(rows):
                stream = table.record.fields[0]
                values = np.atleast_1d(rows[vertex][stream.name]).tolist()
                streams.append((_name_of(table), table.name, stream, tuple(values)))
        index = None if first is None else int(self.model.indices[first + number])
        return Corner(vertex, index, float(self.weights[number]), tuple(streams))

    def _corners(self) -> Vector:
        """The corners of the triangle in world space, (3, 3)."""
        matrix = self.pose.world[self.hit.node].astype(np.float64)
        corners: Vector = self.model.positions[list(self.hit.vertices)] @ matrix[:3, :3].T + matrix[:3, 3]
        return corners

    def _weights(self) -> Vector:
        """The share of each corner at the position of the pixel, (3,)."""
        corners = self._corners()
        edges = (corners[1:] - corners[0]).T
        with np.errstate(all="ignore"):
            b, c = np.linalg.lstsq(edges, np.array(self.hit.position) - corners[0], rcond=None)[0]
        weights = np.array([1 - b - c, b, c])
        return weights if np.isfinite(weights).all() else np.full(3, 1 / 3)

    def _mixed(self, values: Any) -> Vector:
        """A stream (n, k) at the pixel, (k,)."""
        mixed: Vector = self.weights @ values[list(self.hit.vertices)].astype(np.float64)
        return mixed

    def _place(self, words: npt.NDArray[np.integer]) -> Vector:
        """The texture coordinate at the pixel, (2,), of words (n, 2); those of terrain start over."""
        corners = words[list(self.hit.vertices)]
        if self.model.variant is Variant.TERRAIN:
            corners = across_seam(corners)
        place: Vector = self.weights @ corners.astype(np.float64) / UV_SCALE
        return place

    def _texels(
        self, material: Material | None, state: PhaseState | None
    ) -> tuple[Texel | None, Texel | None]:
        uvs, model, switches = self.model.uvs_raw, self.model, self.view.textures
        if material is None or state is None:
            return None, None
        texture = material.textures[state.phase]
        texel = None
        if texture is not None and uvs is not None:
            texel = texel_at(texture, self._place(uvs), switches)
        second = model.lightmap_uvs_raw
        if material.lightmap is None or second is None:
            return texel, None
        at = self._mixed(second) / UV_SCALE
        return texel, texel_at(material.lightmap, at, switches, repeats=False)

    def _ground(self, material: Material | None) -> Iterator[GroundLayer]:
        """The materials of a terrain at the pixel, the second one last."""
        switches = self.view.textures
        if material is None or material.layer is None or self.row is None:
            return
        rows, states = self.document.materials.rows, material_states(self.document, self.view)
        for row in (self.row, material.second if switches.has_second_materials else None):
            light = None if row is None else self._light(rows[row], states[row])
            if row is not None and light is not None:
                texel, _none = self._texels(rows[row], states[row])
                fine = rows[row].microtexture if switches.has_microtextures else None
                picture = None if fine is None else rows[fine].textures[states[fine].phase]
                micro = None if picture is None else self._micro(picture)
                yield GroundLayer(row, texel, micro, light.times(texel, micro=micro))

    def _micro(self, picture: TextureRef) -> Texel | None:
        """The texel of a microtexture."""
        second = self.model.lightmap_uvs_raw
        if second is None:
            return None
        return texel_at(picture, self._place(second), self.view.textures)

    def _second_alpha(self, material: Material | None) -> float:
        """Opacity of the second material of a terrain at the pixel."""
        alphas = self.model.second_alphas
        if material is None or material.second is None or alphas is None:
            return 0.0
        state = material_states(self.document, self.view)[material.second]
        return min(float(self._mixed(alphas[:, None])[0]) * state.ambient[ALPHA], 1.0)

    def _light(self, material: Material | None, state: PhaseState | None) -> LightSum | None:
        view = self.view
        is_lit = view.lighting.look is Look.GAME and view.shading is Shading.TEXTURED
        if material is None or state is None or not is_lit:
            return None
        return game_light(material, state, view.lighting, self._surface())

    def _surface(self) -> LitSurface:
        """The geometry that the light at the pixel depends on: the vertices, or without normals the pixel."""
        matrix = self.pose.world[self.hit.node].astype(np.float64)
        places = self.model.positions[list(self.hit.vertices)] @ matrix[:3, :3].T + matrix[:3, 3]
        weights, raw = self.weights, self.model.normals_raw
        if raw is not None:
            normals = decode_normals(raw[[*self.hit.vertices]]) @ matrix[:3, :3].T
        else:
            a, b, c = places
            normal = np.cross(b - a, c - a)
            normals = (normal / (np.linalg.norm(normal) or 1.0))[None]
            weights, places = np.ones(1), np.array([self.hit.position])
        camera = self.view.camera
        ways = camera.eye - places
        lengths = np.linalg.norm(ways, axis=1, keepdims=True)
        backward = camera.axes[2]
        towards_eye = np.broadcast_to(backward, ways.shape) if camera.is_orthographic else ways / lengths
        points = effect_lights(self.effects, camera)
        distance = float(np.linalg.norm(camera.eye - np.array(self.hit.position)))
        directions = normals.astype(np.float64), towards_eye, backward
        return LitSurface(weights, *directions, distance, places, points)

    def _ranges(self) -> Iterator[StoredRange | None]:
        """The bytes in the file of the model, then the row of the wear table."""
        hit = self.hit
        own = FileRanges(self.store, self.document.address)
        yield own.find("node", NODE.name, hit.node)
        yield self._cell_range(own)
        rows = (
            ("slot", SLOT.name, hit.slot),
            ("batch", BATCH.name, hit.batch),
            ("face", FACE.name, hit.triangle if self.model.variant is Variant.TERRAIN else None),
            ("descriptor", TRIANGLE.name, hit.descriptor),
        )
        for what, table, row in rows:
            yield own.find(what, table, row) if row is not None else None
        if self.first_index is not None:
            yield own.find("indices", INDEX.name, self.first_index, count=CORNERS)
        for vertex in hit.vertices:
            for type_id in STREAMS:
                stream = TABLES[type_id]
                if stream.record is not None and self.model.has(type_id):
                    yield own.find(_name_of(stream), stream.name, vertex)
        for trace, _weight in self.traces:
            if trace.word_row is not None:
                yield own.find("frame map word", WORD.name, trace.word_row)
            for key in (trace.key, trace.following):
                yield own.find("key", KEY.name, key) if key is not None else None
        yield from self._wear_ranges()

    def _texel_ranges(self, *texels: Texel | None) -> Iterator[StoredRange]:
        """The bytes of what it shows of its textures."""
        for what, texel in zip(("texel", "lightmap texel"), texels, strict=True):
            if texel is not None:
                start, (at, size) = start_in_file(self.store, texel.texture.address), texel.span
                yield StoredRange(what, texel.place, None if start is None else start + at, size)

    def _cell_range(self, own: FileRanges) -> StoredRange | None:
        """The word of the slot matrix that names the slot."""
        cell = self.document.shown_cell(self.hit.node, self.view)
        found = None if cell is None else own.find("cell", NODE.name, self.hit.node, "slots")
        if found is None or cell is None:
            return None
        before = WORD_SIZE * (cell[0] * GROUPS + cell[1])
        offset = None if found.offset is None else found.offset + before
        return replace(found, offset=offset, size=WORD_SIZE)

    def _wear_ranges(self) -> Iterator[StoredRange | None]:
        """The row of the wear table, if it can be read."""
        if self.row is None:
            return
        material = self.document.materials.rows[self.row]
        source, row = material.wear, material.row
        if source is None:
            return
        try:
            yield FileRanges(self.store, source).find("wear row", WEAR_ROWS, row)
        except MshviewError:
            return
