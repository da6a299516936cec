"""The materials of a model on the GPU: current colors, and requested textures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import moderngl
import numpy as np
import numpy.typing as npt

from viewer.model.material.alpha import alpha_in, alpha_of
from viewer.model.material.materials import AlphaKind, Blend, Material, Materials, MissingResource
from viewer.model.material.phases import PhaseState, state_at
from viewer.model.mesh.ranges import Indices
from viewer.render.textures.label import ANY
from viewer.render.textures.texels import Shown, TexelKey, key_of, mean_color
from viewer.render.textures.texture_store import TextureStore
from viewer.session.view.texture_switches import TextureSwitches, other_alpha

MATERIAL_UNIT, BASE_UNIT, LIGHTMAP_UNIT = 2, 3, 4
"""Texture units of the material parameters, the texture and the lightmap."""
TEXELS: Final = 6
ROWS_ABREAST: Final = 64
"""Materials side by side in the parameter texture; shaders/include/materials.glsl relies on both."""
BLENDED_REFERENCE: Final = 0.05
"""Alpha below which blended pixels are discarded; the reference value of the game is unknown."""
CUTOUT_REFERENCE: Final = 0.5
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
    """

    def __init__(
        self, ctx: moderngl.Context, store: TextureStore, materials: Materials, row_of_draw: Indices
    ) -> None:
        self.is_known = bool(materials.rows)
        self.rows: tuple[Material, ...] = materials.rows or PLAIN.rows
        self.row_of_draw = row_of_draw
        self.draw_start = np.searchsorted(row_of_draw, np.arange(len(self.rows) + 1))
        self.states: tuple[PhaseState, ...] = ()
        self._store = store
        self._switches = TextureSwitches()
        self._shown = _shown(self.rows)
        self._keys: dict[tuple[int, int], TexelKey | None] = {}
        self._means: dict[TexelKey, bytes] = {}
        self._textures: list[tuple[moderngl.Texture, moderngl.Texture]] = []
        self._made_of: tuple[object, ...] = ()
        self._is_blended: npt.NDArray[np.bool_] | None = None
        self._complete: tuple[object, ...] = ()
        lines = -(-len(self.rows) // ROWS_ABREAST)
        self._data = np.zeros((lines * ROWS_ABREAST, TEXELS, 4), np.float32)
        self._texture: moderngl.Texture = ctx.texture((ROWS_ABREAST * TEXELS, lines), 4, dtype="f4")
        self._texture.filter = (moderngl.NEAREST, moderngl.NEAREST)
        self._alphas = tuple(material.alphas for material in self.rows)
        self.take([state_at(material, 0.0) for material in self.rows])

    def take(self, states: Sequence[PhaseState]) -> None:
        """Set the phases, one per row; changed ones are uploaded."""
        chosen = tuple(states)
        if chosen == self.states or len(chosen) != len(self.rows):
            return
        self.states = chosen
        self._write()

    def _write(self) -> None:
        self._is_blended = None
        for row, (material, state) in enumerate(zip(self.rows, self.states, strict=True)):
            self._data[row] = _parameters(material, state, self.alpha(row))
        self._texture.write(self._data)

    def use(self, switches: TextureSwitches) -> None:
        """Look up the textures for the switches, and keep those in the texture store."""
        if switches == self._switches and self._keys:
            return
        is_read_otherwise = switches.byte_orders != self._switches.byte_orders
        self._switches = switches
        self._keys = {
            at: None if shown is None else key_of(shown, switches) for at, shown in self._shown.items()
        }
        self._store.keep(key for key in self._keys.values() if key)
        if is_read_otherwise:
            self._alphas = tuple(tuple(_alphas(material, switches)) for material in self.rows)
            self._write()

    def requested(self) -> Iterator[Shown]:
        """The textures that are not on the GPU yet, those in current use first."""
        looked_at = self._switches, self._store.version
        if looked_at == self._complete:
            return
        shown = [(row, state.phase) for row, state in enumerate(self.states)]
        shown += [(row, len(material.textures)) for row, material in enumerate(self.rows)]
        found: set[TexelKey] = set()
        for at in dict.fromkeys((*shown, *self._keys)):
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
        """Current texture and lightmap of each row."""
        made_of = self.states, self._switches, self._store.version
        if made_of != self._made_of:
            self._made_of = made_of
            self._textures = [self._pair(row) for row in range(len(self.rows))]
        return self._textures

    def _pair(self, row: int) -> tuple[moderngl.Texture, moderngl.Texture]:
        material, state = self.rows[row], self.states[row]
        lightmap = (row, len(material.textures)) if self._switches.has_lightmaps else None
        return self._found((row, state.phase)), self._found(lightmap) if lightmap else self._store.white

    def _found(self, at: tuple[int, int]) -> moderngl.Texture:
        """The texture of a row and phase; until it is uploaded its mean color, or the checkerboard.

        White if the material has none.
        """
        key, shown = self._keys[at], self._shown[at]
        if key is None or shown is None:
            return self._store.white
        return self._store.find(key) or self._waiting(shown)

    def _waiting(self, shown: Shown) -> moderngl.Texture:
        if isinstance(shown, MissingResource):
            return self._store.missing
        made_of = key_of(shown, self._switches)
        if made_of not in self._means:
            self._means[made_of] = mean_color(shown, self._switches)
        return self._store.plain(self._means[made_of])

    def presence(self, row: int) -> float:
        """How far the current texture of a row has faded in, from 0, its mean color, to 1."""
        key = self._keys[row, self.states[row].phase]
        return 1.0 if key is None else self._store.presence(key)

    def blend(self, row: int) -> Blend:
        """The current blend mode of a row; a cut-out material is opaque."""
        return Blend.OPAQUE if self.is_cut_out(row) else self.rows[row].blend

    @property
    def is_blended(self) -> npt.NDArray[np.bool_]:
        """Whether each row is blended now, (r,)."""
        if self._is_blended is None:
            blends = [self.blend(row) is not Blend.OPAQUE for row in range(len(self.rows))]
            self._is_blended = np.array(blends, np.bool_)
        return self._is_blended

    def is_cut_out(self, row: int) -> bool:
        """Whether a row is alpha-tested, like foliage; it is then drawn two-sided."""
        return self.rows[row].blend is Blend.ALPHA and self.alpha(row) is AlphaKind.CUTOUT

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


def _shown(rows: Sequence[Material]) -> dict[tuple[int, int], Shown | None]:
    """The texture of each row and phase; the index after the last phase is the lightmap.

    If very many resources are missing only the first ones are named.
    """
    named: set[MissingResource] = set()
    shown: dict[tuple[int, int], Shown | None] = {}
    for row, material in enumerate(rows):
        for phase, texture in enumerate(material.textures):
            missing = material.missing_of(phase)
            if missing is not None and missing not in named and len(named) >= MOST_NAMED:
                missing = ANY
            named |= {missing} if missing else set()
            shown[row, phase] = missing or texture
        shown[row, len(material.textures)] = material.lightmap
    return shown


def _parameters(material: Material, state: PhaseState, alpha: AlphaKind) -> npt.NDArray[np.float32]:
    """The parameter texels of one material, (6, 4), in the order of shaders/include/materials.glsl."""
    is_cutout = material.blend is Blend.ALPHA and alpha is AlphaKind.CUTOUT
    reference = CUTOUT_REFERENCE if is_cutout else BLENDED_REFERENCE
    is_opaque = material.blend is Blend.OPAQUE
    return np.array(
        [
            (*state.ambient[:3], state.ambient[3] * material.opacity),
            state.diffuse,
            state.specular,
            state.emissive,
            (state.power, state.is_lit, not is_opaque, alpha is AlphaKind.GLOSS),
            (0.0 if is_opaque else reference, material.lightmap is not None, is_cutout, 0.0),
        ],
        np.float32,
    )
