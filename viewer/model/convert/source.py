"""A model with everything that is needed to convert it, and its materials as other programs show them.

Those have the game's look at the start of their animation. The game multiplies the texture with the sum of
the material's own light (ambient) and the light of the lamps times its diffuse, so the diffuse is the color
and the ambient the emissive color.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from math import isnan
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from msgspec import Struct

from viewer.formats.record import Bytes
from viewer.formats.splice import same_bytes
from viewer.geometry.transforms import Indices, Mask
from viewer.model.clips.controller import NO_CONTROLLER, Controller
from viewer.model.clips.started_effects import StartedEffect
from viewer.model.convert.labels import numbered
from viewer.model.convert.scene import (
    AlphaMode,
    Color,
    Origin,
    SceneMaterial,
    Vector,
)
from viewer.model.convert.scene_images import SceneImage
from viewer.model.material.lookup import MaterialLookup
from viewer.model.material.materials import (
    AlphaKind,
    Blend,
    Materials,
    TextureKey,
    TextureRef,
    sub_image,
)
from viewer.model.material.materials import Material as GameMaterial
from viewer.model.material.phases import PhaseState, state_at
from viewer.model.mesh import draw_builder, redraw
from viewer.model.mesh.draws import Draws
from viewer.model.mesh.model import Model, Variant
from viewer.model.mesh.pose.animation import Animation
from viewer.model.mesh.pose.skeleton import Skeleton, sockets
from viewer.model.mesh.reading import ResolvedReading, wear_rows_of
from viewer.model.mesh.shown import PartChooser
from viewer.model.sky.light import SCENE
from viewer.model.store.address import Address

if TYPE_CHECKING:  # models that are only opened do without the changes of models
    from viewer.model.edit.nodes.node_edit import NodeReference


class ModelSource(Struct, frozen=True, dict=True):
    """A model, its reading and what is around it.

    Attributes
    ----------
    name
        Name of its file or entry.
    model, choice
        Its tables, and their meaning.
    materials
        The materials of its batches; None where they were not looked up.
    controller
        Its clips.
    libraries
        The libraries of its game folder, in which the materials were found; None if none is known.
    references
        What refers to its nodes next to it.
    explosions
        Those of its nodes by their damage.
    before
        Another state of it, whose draws are shared where they are the same.
    """

    name: str
    model: Model
    choice: ResolvedReading
    materials: Materials | None = None
    controller: Controller = NO_CONTROLLER
    libraries: MaterialLookup | None = None
    references: tuple[NodeReference, ...] = ()
    explosions: tuple[StartedEffect, ...] = ()
    before: ModelSource | None = None

    def edited(self, data: Bytes) -> ModelSource:
        """The model after an edit; without materials."""
        if same_bytes(data, self.data):
            return self
        return ModelSource(self.name, Model.read(data), self.choice, before=self)

    @property
    def text_name(self) -> str:
        """The name with a question mark for every byte that is not text, as the names of files may have."""
        return self.name.encode(errors="replace").decode()

    @property
    def wear(self) -> Address | None:
        """The wear table in which its materials were found; None if there is no readable one."""
        return None if self.materials is None else self.materials.wear_source

    @property
    def wear_names(self) -> tuple[str, ...] | None:
        """The materials of the model's wear table; None if it is not known."""
        return None if self.materials is None or self.wear is None else self.materials.wear_names

    @cached_property
    def data(self) -> memoryview:
        """The bytes of the model."""
        return memoryview(self.model.archive.data)

    @cached_property
    def origin(self) -> Origin:
        """The identity of the model and its reading."""
        from hashlib import sha256  # noqa: PLC0415 not needed to open a model

        reading = self.choice.reading
        return Origin(
            name=self.text_name,
            size=len(self.data),
            sha256=sha256(self.data).hexdigest(),
            quaternion_order=str(reading.quaternion_order),
            material_field=str(reading.material_field),
            has_name_records=reading.has_name_records,
        )

    @cached_property
    def skeleton(self) -> Skeleton:
        """The hierarchy of the model's nodes."""
        return Skeleton(self.model)

    @cached_property
    def draws(self) -> Draws:
        """The draws of the model."""
        if self.before is None:
            return draw_builder.build(self.model)
        return redraw.rebuild(self.model, self.before.model, self.before.draws)

    @cached_property
    def animation(self) -> Animation:
        """The movement of the model's nodes."""
        return Animation(self.model, self.skeleton, self.choice.reading.quaternion_order)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of its nodes, empty where they have none."""
        return self.model.node_names(from_records=self.choice.reading.has_name_records)

    @cached_property
    def socket_tag(self) -> tuple[str, ...]:
        """Labels of its nodes."""
        return self.model.node_socket_tags(from_records=self.choice.reading.has_name_records)

    @cached_property
    def sockets(self) -> frozenset[int]:
        """Nodes that other models are mounted on."""
        return sockets(self.model, self.names)


CLEAR: Final[Color] = (1.0, 1.0, 1.0, 0.0)
"""The color of a doorway or an open portal, of which nothing shows."""


class SceneAppearance(Struct, frozen=True, eq=False):
    """The materials and images of a scene, and the material of each of its draws, (d,) int64.

    `sources` are the materials of the game that `materials` show.
    """

    materials: tuple[SceneMaterial, ...]
    images: tuple[SceneImage, ...]
    of_draw: Indices
    sources: tuple[GameMaterial, ...]


def appearance_of(source: ModelSource, draws: Mask, *, has_images: bool) -> SceneAppearance:
    """The materials that some draws (d,) of a model use; without images their colors alone."""
    is_hidden = PartChooser(source.model, source.draws).is_hidden
    row, rows = _rows(source)
    # Row 3 is 6, its doorways are 7: sorting keeps rows in order, and the last bit tells the two apart.
    wanted = row * 2 + is_hidden
    keys = np.array(sorted({*wanted[draws].tolist()}), np.int64)
    images = _Images() if has_images else None
    made, sources = [], []
    for key in keys.tolist():
        material = rows[key >> 1]
        made.append(_portal(material) if key & 1 else _material(material, rows, images))
        sources.append(material)
    found = tuple(images.found) if images else ()
    # Draws that are not wanted find a neighbor of their key, or the end: nothing reads theirs.
    return SceneAppearance(tuple(made), found, np.searchsorted(keys, wanted).astype(np.int64), tuple(sources))


def lightmaps_of(source: ModelSource) -> tuple[SceneImage, ...]:
    """The images of the lightmaps of a model."""
    images = _Images()
    for material in () if source.materials is None else source.materials.rows:
        images.add(material.lightmap)
    return tuple(images.found)


def _rows(source: ModelSource) -> tuple[Indices, Sequence[GameMaterial]]:
    """The material of each draw as a row, and the rows."""
    if source.materials is not None and source.materials.rows:
        return source.materials.of_draw, source.materials.rows
    used, index = np.unique(wear_rows_of_draws(source), return_inverse=True)
    return index.reshape(-1).astype(np.int64), [GameMaterial(row) for row in used.tolist()]


def wear_rows_of_draws(source: ModelSource) -> Indices:
    """The wear row of each draw of a model, as it is stored, (d,)."""
    model, draws = source.model, source.draws
    if model.variant is not Variant.TERRAIN:
        return wear_rows_of(model.batches, source.choice.reading.material_field)[draws.batch]
    # A draw without triangles at the end would look one past the last one.
    faces = draws.triangle[np.minimum(draws.triangle_start[:-1], max(0, len(draws.triangle) - 1))]
    return np.asarray(model.faces["material_a"].astype(np.int64)[faces])


class _Images:
    """The images of textures, each once."""

    def __init__(self) -> None:
        self.found: list[SceneImage] = []
        self._index: dict[TextureKey, int] = {}

    def add(self, texture: TextureRef | None) -> int | None:
        """The index of a texture's image; None without a texture."""
        if texture is None or not texture.texture.levels:
            return None
        if texture.key not in self._index:
            self._index[texture.key] = len(self.found)
            self.found.append(SceneImage(texture.name, texture.texture.level(0)))
        return self._index[texture.key]


def _portal(material: GameMaterial) -> SceneMaterial:
    """A doorway or an open portal, which shows nothing."""
    return SceneMaterial(
        name=material.name or numbered("material", material.row),
        row=material.row,
        color=CLEAR,
        alpha=AlphaMode.CUTOUT,
        is_two_sided=True,
        fields={"portal": True},
    )


def _material(material: GameMaterial, rows: Sequence[GameMaterial], images: _Images | None) -> SceneMaterial:
    state = state_at(material, 0.0)
    texture = material.textures[state.phase]
    # The engine has no flag for it: without diffuse light only the material's own is left.
    is_unlit = not any(_channels(state.diffuse)) and not material.is_lightmapped
    ambient = _channels(state.ambient)
    alpha = alpha_of(material, state)
    color = shown_light(ambient) if is_unlit else _channels(state.diffuse)
    opacity = _clamped(state.ambient[3]) if alpha is not AlphaMode.OPAQUE else 1.0
    image = images.add(texture) if images else None
    return SceneMaterial(
        name=material.name or numbered("material", material.row),
        row=material.row,
        color=(*color, opacity),
        # With a lightmap the diffuse takes the place of the material's own light (spec/field-notes.md 4.1).
        emissive=(0.0, 0.0, 0.0) if is_unlit or material.is_lightmapped else ambient,
        image=image,
        lightmap=images.add(material.lightmap) if images else None,
        alpha=alpha,
        is_unlit=is_unlit,
        # The game draws all batches from both sides (spec/field-notes.md 2, winding).
        is_two_sided=True,
        sub_image=sub_image(texture),
        fields=dict(_fields(material, rows, state, has_image=image is not None)),
    )


def shown_alone(material: GameMaterial) -> tuple[SceneMaterial, tuple[SceneImage, ...]]:
    """A material that no model uses, and its images."""
    images = _Images()
    return _material(material, (), images), tuple(images.found)


def unresolved(row: int) -> SceneMaterial:
    """The material of a wear row that was not found, as without a game folder."""
    return _material(GameMaterial(row), (), None)


def shown_light(ambient: Vector) -> Vector:
    """The light of a self-lit material, where other programs add none: not darker than the scene."""
    # In the game the scene color is a floor under the light of a surface (spec/field-notes.md 4.1), which no
    # other program knows: it goes into the color.
    red, green, blue = (max(value, SCENE) for value in ambient)
    return red, green, blue


def alpha_of(material: GameMaterial, state: PhaseState) -> AlphaMode:
    """The alpha mode of a material in the game's look."""
    if material.blend is Blend.OPAQUE or material.is_solid:
        return AlphaMode.OPAQUE
    if material.blend is Blend.ADD:
        return AlphaMode.ADDED
    is_blended = material.blend is not Blend.ALPHA or material.is_see_through(state.ambient[3])
    kind = material.alphas[state.phase]
    if is_blended or kind is AlphaKind.TRANSLUCENT:
        return AlphaMode.BLENDED
    return AlphaMode.CUTOUT if kind is AlphaKind.CUTOUT else AlphaMode.OPAQUE


def _fields(
    material: GameMaterial, rows: Sequence[GameMaterial], state: PhaseState, *, has_image: bool
) -> Iterator[tuple[str, Any]]:
    """The fields of a material that the game knows beyond its look, without those that do not apply."""
    yield "found", str(material.found)
    yield "attr1", material.attr1
    yield "blend", material.blend.label
    yield "see_through", material.is_see_through(state.ambient[3])
    for name in ("ambient", "diffuse", "specular", "emissive"):
        yield name, list(getattr(state, name))
    yield "power", state.power
    yield "phases", len(material.phases)
    phase = material.phases[state.phase]
    if phase.texture:
        yield "texture", phase.texture
    for name, texture in (
        ("lightmap", material.lightmap),
        ("second_material", _texture_at(material.second, rows)),
        ("microtexture", _texture_at(material.microtexture, rows)),
    ):
        if texture is not None:
            yield name, texture.name
    if has_image:
        yield "image", True
    if phase.page is not None:
        yield "page", phase.page


def _texture_at(row: int | None, rows: Sequence[GameMaterial]) -> TextureRef | None:
    """The texture of another material of a terrain."""
    if row is None:
        return None
    other = rows[row]
    return other.textures[state_at(other, 0.0, other.usual_block).phase]


def _channels(color: Color) -> Vector:
    red, green, blue = map(_clamped, color[:3])
    return red, green, blue


def _clamped(value: float) -> float:
    """A value from 0 to 1; 0 for one that is not a number."""
    return 0.0 if isnan(value) else min(max(value, 0.0), 1.0)
