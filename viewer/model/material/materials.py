"""The material of a batch: phases, textures and lightmap, and the trace of how each was found.

`resolver` makes these values; nothing here reads a file.

Source: spec/materials.md 4, 5; spec/field-notes.md 4; spec/texm.md 4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import IntEnum, IntFlag, StrEnum
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from viewer.diagnostics import Diagnostic
from viewer.errors import Severity
from viewer.formats import mat0
from viewer.formats.part import pieces
from viewer.formats.record import Bytes
from viewer.formats.texture.texm import Texture, parts
from viewer.geometry.transforms import Indices
from viewer.model.store.address import Address
from viewer.model.store.place import Place
from viewer.translation import _, translated

MATERIALS: Final = "materials"
"""Table name of `Place` for the rows of `Materials`."""

Color = tuple[float, float, float, float]
"""Red, green, blue and alpha, 0 to 1."""


class Blend(IntEnum):
    """Blend modes. All but `OPAQUE` also test alpha."""

    OPAQUE = 0
    ADD = 2
    """Source times its alpha, plus destination."""
    MULTIPLY = 3
    """Destination times the source's color."""
    ALPHA = 4
    """Source over destination, by its alpha."""
    MULTIPLY2 = 5
    """Destination times the source's color, times 2."""

    @property
    def label(self) -> str:
        """The name in lower case."""
        return self.name.lower()


class FoundIn(StrEnum):
    """The step of the fallback chain that found a material."""

    NAME = "name"
    DEFAULT = "default"
    FIRST = "first"
    MISSING = "missing"


class Layer(IntEnum):
    """The use of a material in a terrain."""

    FIRST = 0
    """The first material of its faces, opaque."""
    SECOND = 1
    """The second material of its faces, over the first by the opacity of the vertices."""
    MICROTEXTURE = 2
    """The fine texture of a material: the double of its color is multiplied with that of the material."""


class AlphaKind(StrEnum):
    """The use of a texture's alpha in a material; the values are those of the JSON output."""

    NONE = "none"
    GLOSS = "gloss"
    """Strength of the gloss, which only the plain look shows; drawn opaque."""
    CUTOUT = "silhouette"
    """Holes; drawn with an alpha test, writing depth."""
    TRANSLUCENT = "graded"
    """Opacity; blended, drawn from back to front."""


class Mode(IntEnum):
    """Mode in which an animation block plays its keys."""

    LOOP = 0
    PING_PONG = 1
    ONCE = 2
    RANDOM = 3


class BlendMask(IntFlag):
    """Fields that an animation block blends; the others keep the value of the previous key."""

    AMBIENT = 0x01
    DIFFUSE = 0x02
    SPECULAR = 0x04
    EMISSIVE = 0x08
    AMBIENT_ALPHA = 0x10


TextureKey = bytes
"""A digest of everything that determines the pixels of a texture: equal keys mean equal pixels."""


class MissingResource(NamedTuple):
    """A missing or damaged resource: its kind, and the name that could not be resolved."""

    what: str
    name: str

    def __str__(self) -> str:
        return f"{translated(self.what)} {self.name}"


class TraceStep(NamedTuple):
    """A step in the trace of a material.

    `is_problem` if something is missing or damaged, `is_missing` if it was not found. `place` is
    the place of what was found, or of the table that was searched.
    """

    text: str
    is_problem: bool = False
    place: Place | None = None
    is_missing: bool = False

    @classmethod
    def info(cls, words: str, place: Place | None = None, /, **values: object) -> TraceStep:
        """A step in words with values."""
        return cls(_(words, **values), place=place)

    @classmethod
    def problem(cls, words: str, place: Place | None = None, /, **values: object) -> TraceStep:
        """A step that reports something missing or damaged."""
        return cls(_(words, **values), is_problem=True, place=place)

    @property
    def finding(self) -> Diagnostic:
        """The problem as a `Diagnostic` of the model."""
        return Diagnostic("", Severity.WARNING, self.text, MATERIALS)


def without_repeats(steps: Iterable[TraceStep]) -> tuple[TraceStep, ...]:
    """The steps, each sentence once."""
    first: dict[str, TraceStep] = {}
    for step in steps:
        first.setdefault(step.text, step)
    return tuple(first.values())


class Rectangle(NamedTuple):
    """A part of level 0 of a texture, in pixels, inside it."""

    x: int
    y: int
    w: int
    h: int


class TextureRef(Struct, frozen=True, eq=False, dict=True):
    """A texture with its header read and its pixels not yet decoded; equal to others with equal pixels.

    Attributes
    ----------
    address
        Its address.
    name
        As stored in the library.
    texture
        The decoded texture; has at least one complete level.
    page
        The sub-image to show, or None for all of it.
    digest
        Gives the SHA-256 of its payload; without it that is computed anew.
    """

    address: Address
    name: str
    texture: Texture
    page: Rectangle | None = None
    digest: Callable[[], bytes] | None = None

    @cached_property
    def key(self) -> TextureKey:
        """Key for caches: textures with equal pixels have the same, wherever they are stored."""
        return digest_of(self.texture, self.digest and self.digest())

    def __eq__(self, other: object) -> bool:
        # Neither name nor address count: two libraries with the same pixels share one upload to the graphics
        # card.
        return isinstance(other, TextureRef) and (self.key, self.page) == (other.key, other.page)

    def __hash__(self) -> int:
        return hash((self.key, self.page))


WHOLE: Final = (0.0, 0.0, 1.0, 1.0)
"""The whole texture as a rectangle of itself."""


def sub_image(picture: TextureRef | None) -> tuple[float, float, float, float]:
    """The start and size of the shown part of a texture, in texture coordinates."""
    if picture is None or picture.page is None:
        return WHOLE
    level, (x, y, w, h) = picture.texture.levels[0], picture.page
    return x / level.width, y / level.height, w / level.width, h / level.height


class Phase(Struct, frozen=True):
    """A phase of a material: colors, and the name of its texture.

    `page` is the index of a rectangle of the texture, None for all of it. `is_lit` is False for a phase
    with a black diffuse and a white ambient: no light changes it.
    """

    ambient: Color
    diffuse: Color
    specular: Color
    emissive: Color
    power: int = 0
    texture: str | None = None
    page: int | None = None
    is_lit: bool = True


PLAIN_PHASE: Final = Phase(
    ambient=(0.5, 0.5, 0.5, 1.0),
    diffuse=(1.0, 1.0, 1.0, 1.0),
    specular=(0.0, 0.0, 0.0, 1.0),
    emissive=(0.0, 0.0, 0.0, 1.0),
)
"""The phase of a material that has none, or that cannot be read: it can be read from any side."""


class BlockKey(NamedTuple):
    """A key of an animation block: the phase it shows, and the end of its segment, milliseconds."""

    phase: int
    time: int


class Block(Struct, frozen=True):
    """A variant of the animation: a `Mode`, the fields that are blended (`BlendMask`), and the keys."""

    mode: int
    mask: int
    keys: tuple[BlockKey, ...]


class Material(Struct, frozen=True):
    """The material of some batches of a model.

    Attributes
    ----------
    row
        Row of the wear table.
    name
        The name in the wear table, or None if it has no such row.
    found, entry
        The step of the fallback chain that found the material, and the address of its entry, or None.
    attr1
        The flags of the entry, 0 if there is none.
    opacity
        Factor of the ambient alphas of all phases in the plain look if it blends, 0 to 1.
    has_see_through_flag
        Whether flags of the batches put them in the see-through layer.
    phases
        At least one; `PLAIN_PHASE` if none can be read.
    blocks
        The animation; the game plays the block `usual_block`.
    textures, alphas
        The texture of each phase, None if it has no name or is missing, and the use of its alpha.
    missing
        Per phase, the missing or damaged resource, or None. Empty if nothing is missing.
    lightmap, missing_lightmap
        The second texture, or the missing resource; both None for batches without a lightmap.
    layer
        What a terrain uses it as; None elsewhere.
    second, microtexture
        In a terrain the indices in `Materials.rows` of the second material over it, and of the material that
        has its microtexture; None without one.
    wear
        Address of its wear table.
    steps
        The trace of the lookups.
    stored
        The entry as stored, or None if there is no readable one.
    """

    row: int
    name: str | None = None
    found: FoundIn = FoundIn.MISSING
    entry: Address | None = None
    attr1: int = 0
    opacity: float = 1.0
    has_see_through_flag: bool = False
    phases: tuple[Phase, ...] = (PLAIN_PHASE,)
    blocks: tuple[Block, ...] = ()
    textures: tuple[TextureRef | None, ...] = (None,)
    alphas: tuple[AlphaKind, ...] = (AlphaKind.NONE,)
    missing: tuple[MissingResource | None, ...] = ()
    lightmap: TextureRef | None = None
    missing_lightmap: MissingResource | None = None
    layer: Layer | None = None
    second: int | None = None
    microtexture: int | None = None
    wear: Address | None = None
    steps: tuple[TraceStep, ...] = ()
    stored: mat0.MaterialRecord | None = None

    @property
    def trace(self) -> tuple[str, ...]:
        """The texts of all steps."""
        return tuple(step.text for step in self.steps)

    @property
    def problems(self) -> tuple[str, ...]:
        """The texts of the steps that report something missing or damaged."""
        return tuple(step.text for step in self.steps if step.is_problem)

    @property
    def blend(self) -> Blend:
        """The blend mode; opaque if attr1 has an unknown index."""
        return blend_of(self.attr1)

    @property
    def usual_block(self) -> int:
        """The block that the game plays: 0, of a microtexture 1 if there is one."""
        return int(self.layer is Layer.MICROTEXTURE and len(self.blocks) > 1)

    @property
    def is_skin(self) -> bool:
        """Whether the material is an ordinary skin: opaque, and the alpha of its textures is not opacity."""
        return self.attr1 & mat0.LIT_SKIN != 0 and self.blend is Blend.OPAQUE

    @property
    def is_lightmapped(self) -> bool:
        """Whether a lightmap lights it instead of the lights; the game draws it opaque."""
        return self.lightmap is not None

    def is_see_through(self, opacity: float) -> bool:
        """Whether the game draws it after the rest, without writing depth; `opacity` is its ambient alpha."""
        return not self.is_solid and (self.has_see_through_flag or opacity < 1)

    @property
    def is_solid(self) -> bool:
        """Whether the game draws it opaque whatever its flags say: with a lightmap, or as ground."""
        return self.is_lightmapped or self.layer is not None

    @property
    def is_missing(self) -> bool:
        """Whether nothing was found, so that a placeholder is drawn."""
        return self.found is FoundIn.MISSING

    def missing_of(self, phase: int) -> MissingResource | None:
        """The missing or damaged resource of a phase, or None."""
        return self.missing[phase] if phase < len(self.missing) else None


class Materials(Struct, frozen=True, eq=False):
    """The materials of one model.

    Attributes
    ----------
    rows
        One per distinct combination of wear row, lightmap and see-through flag that the batches use; in a
        terrain one per combination of materials, then the second materials and the microtextures.
    of_batch
        Index in `rows` of each batch, (b,) int64; empty in terrain.
    of_draw
        Index in `rows` of each draw, (d,) int64.
    wear_source
        Address of the wear table, or None if there is no readable one.
    wear_names
        The names in its rows, including unused ones.
    problems
        The steps that report something missing or damaged for any of them, each text once.
    unused, unused_count
        The materials of the first unused rows, and the number of unused rows.
    packed
        The step about packed libraries, in which no name was looked up, or None.
    """

    rows: tuple[Material, ...]
    of_batch: Indices
    of_draw: Indices
    wear_source: Address | None = None
    wear_names: tuple[str, ...] = ()
    problems: tuple[TraceStep, ...] = ()
    unused: tuple[Material, ...] = ()
    unused_count: int = 0
    packed: TraceStep | None = None

    @property
    def wear_row_of_draw(self) -> Indices:
        """The row of the wear table of each draw, (d,) int64."""
        return np.array([row.row for row in self.rows], np.int64)[self.of_draw]

    def batches(self, row: int) -> npt.NDArray[np.int64]:
        """The batches that use a row."""
        return np.flatnonzero(self.of_batch == row).astype(np.int64)


NO_MATERIALS: Final = Materials((), np.zeros(0, np.int64), np.zeros(0, np.int64))


def digest_of(texture: Texture, digest: bytes | None = None) -> TextureKey:
    """The identity of a texture: the SHA-256 of its payload, with any external palette."""
    digest = digest or _sha256(*pieces(parts(texture)))
    return digest if texture.external is None else _sha256(digest, texture.external.tobytes())


def _sha256(*parts: Bytes) -> bytes:
    from hashlib import sha256  # noqa: PLC0415 loads OpenSSL, only needed for textures

    digest = sha256()
    for part in parts:
        digest.update(part)
    return digest.digest()


def blend_index(attr1: int) -> int:
    """The index of a material's blend mode."""
    # Bits 2 to 5: 0x0C is mode 3.
    return attr1 >> 2 & 15


_BLENDS: Final = tuple(map(Blend, mat0.BLENDS))


def blend_of(attr1: int) -> Blend:
    """The blend mode of a material with these flags."""
    index = blend_index(attr1)
    # Index 5 and above are no modes of the game.
    return _BLENDS[index] if index < len(_BLENDS) else Blend.OPAQUE
