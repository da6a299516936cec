"""The materials of a model on the GPU: current colors, and requested textures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import moderngl
import numpy as np

from viewer.geometry.transforms import Indices, Mask
from viewer.model.material.alpha import ALPHA, alpha_in, alpha_of
from viewer.model.material.materials import (
    AlphaKind,
    Blend,
    Material,
    Materials,
    MissingResource,
    sub_image,
)
from viewer.model.material.phases import PhaseState, state_at
from viewer.render.programs import MATERIAL_UNIT
from viewer.render.targets import new_texture
from viewer.render.textures.label import ANY
from viewer.render.textures.texels import MaterialTexture, TexelKey, key_of, mean_color
from viewer.render.textures.texture_store import TextureStore
from viewer.session.view.options.lighting import Look
from viewer.session.view.options.textures import TextureSwitches, other_alpha

# Seven texels of four floats are the 28 numbers of `_parameters`. 64 materials are 448 texels, less than the
# 1,024 that GL 3.3 guarantees; row 70 is at texel (70 & 63) * 7 = 42 of line 70 >> 6 = 1.
TEXELS: Final = 7
ROWS_ABREAST: Final = 64
"""Materials side by side in the parameter texture; shaders/include/materials.glsl relies on both."""
# Between the bytes 0 and 1: the game tests GREATEREQUAL with reference 1 (spec/field-notes.md 4.4), and byte
# 1 passes whatever the rounding of a filtered alpha.
GAME_REFERENCE: Final = 0.5 / 255
"""Alpha below which pixels are discarded: the game keeps 1 of 255 and more."""
# As the C# viewer (spec/materials.md 5).
PLAIN_REFERENCE: Final = 0.05
CUTOUT_REFERENCE: Final = 0.5
"""Alpha below which pixels of a cut-out texture are discarded in the plain look."""
GroundRows = tuple[int, int, int]
"""The other materials that a terrain draws with one: its second material, and the microtextures of both."""
NO_ROW: Final = -1
MOST_NAMED: Final = 64
"""Missing resources of a model that get a text of their own."""

PLAIN: Final = Materials((Material(row=0),), np.zeros(0, np.int64), np.zeros(0, np.int64))
"""The material of a model without materials."""


class MaterialBindings:
    """Materials, their current phases and their parameters; owner: the renderer, lifetime: one model.

    Attributes
    ----------
    is_known
        Whether the model has materials.
    rows
        The materials.
    states
        The current phase of each row.
    row_of_draw
        The row of each merged draw, (m,) int64, ascending.
    draw_start
        First merged draw of each row and the end of the last, (r + 1,) int64.
    layers
        The rows whose draws are solid, those that are blended and write depth, and the see-through ones, (r,)
        bool each; both of the latter are sorted by depth. The same tuple while they are the same.
    """

    def __init__(
        self, ctx: moderngl.Context, store: TextureStore, materials: Materials, row_of_draw: Indices
    ) -> None:
        self.is_known = bool(materials.rows)
        self.rows: tuple[Material, ...] = materials.rows or PLAIN.rows
        self.row_of_draw = row_of_draw
        # Draws are in the order of their rows: those of row r are draw_start[r] to draw_start[r + 1].
        self.draw_start = np.searchsorted(row_of_draw, np.arange(len(self.rows) + 1))
        self.states: tuple[PhaseState, ...] = ()
        self._store = store
        self._switches = TextureSwitches()
        self._look = Look.GAME
        self._shown = _shown(self.rows)
        # Keyed by row and phase; the phase after the last is the lightmap. `_first` names one of them for
        # each key, as phases and materials may share a texture.
        self._keys: dict[tuple[int, int], TexelKey | None] = {}
        self._first: dict[TexelKey, tuple[int, int]] = {}
        self._means: dict[TexelKey, bytes] = {}
        self._textures: list[tuple[moderngl.Texture, moderngl.Texture]] = []
        self._made_of: tuple[object, ...] = ()
        self._kinds = np.zeros((2, len(self.rows)), np.bool_)
        self.layers: tuple[Mask, Mask, Mask] = ~self._kinds[0], self._kinds[0], self._kinds[1]
        self._complete: tuple[object, ...] = ()
        self._ground_of: tuple[bool, ...] = ()
        self._ground: list[GroundRows] = []
        lines = -(-len(self.rows) // ROWS_ABREAST)  # rounded up
        self._data = np.zeros((lines * ROWS_ABREAST, TEXELS, 4), np.float32)
        self._texture = new_texture(ctx, (ROWS_ABREAST * TEXELS, lines), 4, dtype="f4")
        self._texture.filter = (moderngl.NEAREST, moderngl.NEAREST)
        self._alphas = tuple(material.alphas for material in self.rows)
        self.take([state_at(material, 0.0) for material in self.rows])

    def take(self, states: Sequence[PhaseState]) -> None:
        """Set the phases, one per row; changed ones are uploaded."""
        chosen = tuple(states)
        if chosen == self.states or len(chosen) != len(self.rows):
            return
        before, self.states = self.states, chosen
        self._write(row for row, state in enumerate(chosen) if not before or state != before[row])

    def draw_as(self, look: Look) -> None:
        """Draw the materials by the rules of a look."""
        if look is not self._look:
            self._look = look
            self._write()

    def _write(self, rows: Iterable[int] | None = None) -> None:
        """Write the parameters of some rows, by default of all."""
        kinds = self._kinds.copy()
        for row in range(len(self.rows)) if rows is None else rows:
            self._data[row].flat = self._parameters(row)
            # A phase may make a material see-through, so the layers follow the animation; a new tuple is made
            # only then, as `MaterialSteps` compares by identity.
            kinds[:, row] = self.blend(row) is not Blend.OPAQUE, self.is_see_through(row)
        self._texture.write(self._data)
        if not np.array_equal(kinds, self._kinds):
            self._kinds, (is_blended, is_see_through) = kinds, kinds
            self.layers = ~(is_blended | is_see_through), is_blended & ~is_see_through, is_see_through

    def _parameters(self, row: int) -> tuple[float, ...]:
        """The parameters of one material, 28 numbers, in the order of shaders/include/materials.glsl."""
        material, state, is_cut_out = self.rows[row], self.states[row], self.is_cut_out(row)
        red, green, blue, opacity = state.ambient
        if self._look is Look.PLAIN:  # the game takes opacity from the phase alone
            opacity *= material.opacity
        is_gloss = self.alpha(row) is AlphaKind.GLOSS
        return (
            *(red, green, blue, opacity),
            *state.diffuse,
            *state.specular,
            *state.emissive,
            *(state.power, state.is_lit, self.is_tested(row), is_gloss),
            *(self._reference(row), material.is_lightmapped, is_cut_out, 0.0),
            *self._sub_image(row),
        )

    def _reference(self, row: int) -> float:
        if not self.is_tested(row):
            return 0.0
        if self._look is Look.GAME:
            return GAME_REFERENCE
        return CUTOUT_REFERENCE if self.is_cut_out(row) else PLAIN_REFERENCE

    def use(self, switches: TextureSwitches) -> None:
        """Look up the textures for the switches, and keep those in the texture store."""
        if switches == self._switches and self._keys:
            return
        is_read_otherwise = switches.byte_orders != self._switches.byte_orders
        self._switches = switches
        self._keys = {at: None if it is None else key_of(it, switches) for at, it in self._shown.items()}
        self._first = {}
        for at, key in self._keys.items():
            if key:
                self._first.setdefault(key, at)
        self._store.keep(self._first)
        if is_read_otherwise:
            self._alphas = tuple(tuple(_alphas(material, switches)) for material in self.rows)
            self._write()

    def requested(self) -> Iterator[MaterialTexture]:
        """The textures that are not on the GPU yet, those in current use first."""
        # The store counts uploads and evictions: while both are the same, nothing new can be missing.
        looked_at = self._switches, self._store.version
        if looked_at == self._complete:
            return
        # What is on screen comes first, then lightmaps, then the phases that an animation shows later.
        shown = [(row, state.phase) for row, state in enumerate(self.states)]
        shown += [(row, len(material.textures)) for row, material in enumerate(self.rows)]
        found: set[TexelKey] = set()
        for at in dict.fromkeys((*shown, *self._first.values())):
            key, texture = self._keys[at], self._shown[at]
            if key is None or texture is None or key in self._store or key in found:
                continue
            found.add(key)
            yield texture
        if not found:
            self._complete = looked_at

    def bind_parameters(self) -> None:
        """Bind the parameters for all shaders."""
        self._texture.use(MATERIAL_UNIT)

    def textures(self) -> list[tuple[moderngl.Texture, moderngl.Texture]]:
        """Current texture and lightmap of each row; the same list while they are the same."""
        # The phase alone: colors change with every frame of an animation, textures only with the phase.
        made_of = [state.phase for state in self.states], self._switches, self._store.version
        if made_of != self._made_of:
            self._made_of = made_of
            found = []
            for row, material in enumerate(self.rows):
                texture, lightmap = self.texture((row, self.states[row].phase)), self._store.white
                if self._switches.has_lightmaps:
                    lightmap = self.texture((row, len(material.textures)))
                found.append((texture, lightmap))
            if found != self._textures:
                self._textures = found
        return self._textures

    def texture(self, at: tuple[int, int]) -> moderngl.Texture:
        """The texture of a row and phase; until it is uploaded its mean color, or the checkerboard.

        White if the material has none.
        """
        key, shown = self._keys[at], self._shown[at]
        if key is None or shown is None:
            return self._store.white
        found = self._store.find(key)
        if found is not None:
            return found
        if isinstance(shown, MissingResource):
            return self._store.missing
        made_of = key_of(shown, self._switches)
        if made_of not in self._means:
            self._means[made_of] = mean_color(shown, self._switches)
        return self._store.plain(self._means[made_of])

    def ground(self) -> list[GroundRows]:
        """The other materials of each row under the switches; the same list while they are the same."""
        made_of = self._switches.has_second_materials, self._switches.has_microtextures
        if made_of != self._ground_of:
            self._ground_of, self._ground = made_of, [self._ground_rows(it) for it in self.rows]
        return self._ground

    def _ground_rows(self, material: Material) -> GroundRows:
        second = material.second if self._switches.has_second_materials else None
        micro, second_micro = (
            material.microtexture,
            None if second is None else self.rows[second].microtexture,
        )
        if not self._switches.has_microtextures:
            micro = second_micro = None
        first, middle, last = (NO_ROW if it is None else it for it in (second, micro, second_micro))
        return first, middle, last

    @property
    def none(self) -> moderngl.Texture:
        """The texture in the place of one that a row has not."""
        return self._store.white

    @property
    def is_fading(self) -> bool:
        """Whether any texture fades in."""
        return self._store.is_fading

    def _sub_image(self, row: int) -> tuple[float, float, float, float]:
        """The start and size of the shown part of a texture, in texture coordinates."""
        return sub_image(self.rows[row].textures[self.states[row].phase])

    def presence(self, row: int) -> float:
        """Degree to which the current texture of a row has faded in, from 0, its mean color, to 1."""
        key = self._keys[row, self.states[row].phase]
        return 1.0 if key is None else self._store.presence(key)

    def blend(self, row: int) -> Blend:
        """The current blend mode of a row; cut-out rows, and in the game lightmaps and ground, are opaque."""
        is_opaque = self.rows[row].is_solid if self._look is Look.GAME else self.is_cut_out(row)
        return Blend.OPAQUE if is_opaque else self.rows[row].blend

    def is_see_through(self, row: int) -> bool:
        """Whether a row is drawn after the rest now, without writing depth."""
        if self._look is Look.PLAIN:
            return self.blend(row) is not Blend.OPAQUE
        return self.rows[row].is_see_through(self.states[row].ambient[ALPHA])

    def is_tested(self, row: int) -> bool:
        """Whether the alpha of a row is tested now."""
        return self.is_cut_out(row) or self.blend(row) is not Blend.OPAQUE

    def is_cut_out(self, row: int) -> bool:
        """Whether a row is drawn opaque with holes, like foliage in the plain look."""
        is_outline = self.rows[row].blend is Blend.ALPHA and self.alpha(row) is AlphaKind.CUTOUT
        return self._look is Look.PLAIN and is_outline

    def alpha(self, row: int) -> AlphaKind:
        """The use of the alpha of a row's current texture."""
        return self._alphas[row][self.states[row].phase]


def _alphas(material: Material, switches: TextureSwitches) -> Iterator[AlphaKind]:
    """The use of the alpha of each texture, found anew if its byte order is not the usual one."""
    for texture, usual in zip(material.textures, material.alphas, strict=True):
        if texture is None or not switches.reorders(texture.texture.format):
            yield usual
        else:
            kind = alpha_of(texture.texture, other_alpha(texture.texture.format))
            yield alpha_in(kind, is_skin=material.is_skin)


def _shown(rows: Sequence[Material]) -> dict[tuple[int, int], MaterialTexture | None]:
    """The texture of each row and phase; the index after the last phase is the lightmap.

    If very many resources are missing only the first ones are named.
    """
    named: set[MissingResource] = set()
    shown: dict[tuple[int, int], MaterialTexture | None] = {}
    for row, material in enumerate(rows):
        for phase, texture in enumerate(material.textures):
            missing = material.missing_of(phase)
            if missing is not None and missing not in named and len(named) >= MOST_NAMED:
                missing = ANY
            named |= {missing} if missing else set()
            shown[row, phase] = missing or texture
        shown[row, len(material.textures)] = material.lightmap
    return shown
