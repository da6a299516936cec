"""What a batch is drawn with: material, phases, textures and lightmap, and how each of them was found.

`material_resolver` makes these values; nothing in here reads a file.

Source: spec/materials.md 4, 5; spec/field-notes.md 4; spec/texm.md 4.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import IntEnum, IntFlag, StrEnum
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from viewer.errors import Diagnostic, Severity
from viewer.formats import mat0
from viewer.formats.record import Bytes
from viewer.formats.texture.texm import Texture, pieces
from viewer.model.mesh.ranges import Indices
from viewer.model.store.place import Place

MATERIALS: Final = "materials"
"""The table of a model's `Place` whose rows are those of its `Materials`."""

Color = tuple[float, float, float, float]
"""Red, green, blue and alpha, 0 to 1."""


class Blend(IntEnum):
    """How a material joins what is behind it. All but `OPAQUE` test alpha as well."""

    OPAQUE = 0
    ADD = 2
    """Source times its alpha, plus what is there."""
    MULTIPLY = 3
    """What is there times the source's colour."""
    ALPHA = 4
    """Source over what is there, by its alpha."""
    MULTIPLY2 = 5
    """What is there times the source's colour, twice."""

    @property
    def label(self) -> str:
        """The name in lower case."""
        return self.name.lower()


class Found(StrEnum):
    """Which link of the fallback chain gave a material."""

    NAME = "name"
    DEFAULT = "default"
    FIRST = "first"
    MISSING = "missing"


class AlphaKind(StrEnum):
    """What the alpha of a texture is for in a material."""

    NONE = "none"
    GLOSS = "gloss"
    """How much it shines; draw it opaque."""
    SILHOUETTE = "silhouette"
    """Holes; cut out and write depth."""
    GRADED = "graded"
    """Opacity; blend, and draw from back to front."""


class Mode(IntEnum):
    """How an animation block goes through its keys."""

    LOOP = 0
    PING_PONG = 1
    ONCE = 2
    RANDOM = 3


class BlendMask(IntFlag):
    """Fields that an animation block blends; the others are those of the key before."""

    AMBIENT = 0x01
    DIFFUSE = 0x02
    SPECULAR = 0x04
    EMISSIVE = 0x08
    AMBIENT_ALPHA = 0x10


TextureKey = bytes
"""A digest of everything that decides the pixels of a texture; equal keys are equal pixels."""


class MissingResource(NamedTuple):
    """What keeps a phase from being shown as it should be, and the name that did not lead further."""

    what: str
    name: str

    def __str__(self) -> str:
        return f"{self.what} {self.name}"


class Step(NamedTuple):
    """One sentence about how a material was found.

    `is_problem` if something is missing or damaged, `is_missing` if it was looked for in vain. `place` is
    what the sentence is about: what was found, or where it was looked for.
    """

    text: str
    is_problem: bool = False
    place: Place | None = None
    is_missing: bool = False

    @property
    def finding(self) -> Diagnostic:
        """The same as one of the findings in a model."""
        return Diagnostic("", Severity.WARNING, self.text, MATERIALS)


def without_repeats(steps: Iterable[Step]) -> tuple[Step, ...]:
    """Return the steps, each sentence once."""
    first: dict[str, Step] = {}
    for step in steps:
        first.setdefault(step.text, step)
    return tuple(first.values())


class Rectangle(NamedTuple):
    """A part of level 0 of a texture, in pixels, inside it."""

    x: int
    y: int
    w: int
    h: int


@dataclass(frozen=True, slots=True)
class TextureRef:
    """A texture with its header read and its pixels not yet decoded.

    Attributes
    ----------
    key
        For caches: pictures with the same pixels share it, and are equal, wherever they lie.
    address
        Where it lies.
    name
        As it is stored in the library.
    texture
        The decoded header over the payload; has at least one whole level.
    page
        The sub-image to show, None for all of it.
    """

    key: TextureKey
    address: str = field(compare=False)
    name: str = field(compare=False)
    texture: Texture = field(compare=False, repr=False)
    page: Rectangle | None = None

    @classmethod
    def of(
        cls,
        address: str,
        name: str,
        texture: Texture,
        page: Rectangle | None = None,
        digest: bytes | None = None,
    ) -> TextureRef:
        """The picture that a texture is; `digest` is the SHA-256 of its payload if that is known already."""
        return cls(digest_of(texture, digest), address, name, texture, page)


@dataclass(frozen=True, slots=True)
class Phase:
    """One phase of a material: colours, and the texture that it names.

    `page` numbers the rectangles of the texture, None for all of it. `is_lit` is off for a phase that
    is drawn at full brightness whatever the light.
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
    ambient=(0.6, 0.6, 0.6, 1.0),
    diffuse=(1.0, 1.0, 1.0, 1.0),
    specular=(0.0, 0.0, 0.0, 1.0),
    emissive=(0.0, 0.0, 0.0, 1.0),
)
"""What is drawn where a material has no phase, or cannot be read."""


class BlockKey(NamedTuple):
    """A key of an animation block: the phase it shows, and when its segment ends, in milliseconds."""

    phase: int
    time: int


@dataclass(frozen=True, slots=True)
class Block:
    """One variant of the animation: a `Mode`, the fields that are blended (`BlendMask`), and the keys."""

    mode: int
    mask: int
    keys: tuple[BlockKey, ...]


@dataclass(frozen=True, slots=True)
class Material:
    """What some batches of a model are drawn with.

    Attributes
    ----------
    row
        Row of the wear table.
    name
        The name that the wear table gives, None where it has no such row.
    found, entry
        Which link of the chain gave the material, and the address of its entry, None where none did.
    attr1
        The flags of the entry, 0 where there is none.
    opacity
        What the ambient alphas of all phases are multiplied by where it blends, 0 to 1.
    phases
        At least one; `PLAIN_PHASE` where there is none to be read.
    blocks
        The animation; the game plays block 0.
    pictures, alphas
        The texture of each phase, None where it names none or there is none, and what its alpha is for.
    lacks
        What stands in the way of each phase, None where nothing does; none for a material without any.
    lightmap, lightmap_lack
        The second texture, or what stands in its way; both None for batches that do not take it.
    steps
        Every step of the way: what was looked for where, and what was found.
    stored
        The entry as it lies in the file, None where there is none that can be read.
    """

    row: int
    name: str | None = None
    found: Found = Found.MISSING
    entry: str | None = None
    attr1: int = 0
    opacity: float = 1.0
    is_two_sided: bool = False
    phases: tuple[Phase, ...] = (PLAIN_PHASE,)
    blocks: tuple[Block, ...] = ()
    pictures: tuple[TextureRef | None, ...] = (None,)
    alphas: tuple[AlphaKind, ...] = (AlphaKind.NONE,)
    missing: tuple[MissingResource | None, ...] = ()
    lightmap: TextureRef | None = None
    missing_lightmap: MissingResource | None = None
    steps: tuple[Step, ...] = ()
    stored: mat0.MaterialRecord | None = field(default=None, compare=False, repr=False)

    @property
    def trace(self) -> tuple[str, ...]:
        """The sentences of all steps."""
        return tuple(step.text for step in self.steps)

    @property
    def problems(self) -> tuple[str, ...]:
        """The sentences of those steps that found something missing or damaged."""
        return tuple(step.text for step in self.steps if step.is_problem)

    @property
    def blend(self) -> Blend:
        """How it blends; opaque where attr1 holds an index that no known material has."""
        return blend_of(self.attr1)

    @property
    def is_skin(self) -> bool:
        """Whether it is an ordinary skin: opaque, and what alpha its textures have is gloss."""
        return self.attr1 & mat0.LIT_SKIN != 0 and self.blend is Blend.OPAQUE

    @property
    def is_missing(self) -> bool:
        """Whether nothing at all was found, so that a placeholder stands in."""
        return self.found is Found.MISSING

    def lack(self, phase: int) -> MissingResource | None:
        """What a phase cannot be shown without, None where it has all that it names."""
        return self.missing[phase] if phase < len(self.missing) else None


@dataclass(frozen=True, slots=True, eq=False)
class Materials:
    """The materials of one model.

    Attributes
    ----------
    rows
        One for each different combination of wear row, lightmap and sides that the batches use.
    of_batch
        Place in `rows` for each batch, (b,) int64; empty in terrain.
    of_draw
        Place in `rows` for each draw, (d,) int64.
    wear_source
        Address of the wear table, None where there is none that can be read.
    wear_names
        The names in its rows, used or not.
    problems
        The steps that found something missing or damaged for any of them, each sentence once.
    unused, unused_count
        What the first rows that nothing is drawn with lead to, and how many such rows there are.
    """

    rows: tuple[Material, ...]
    of_batch: Indices
    of_draw: Indices
    wear_source: str | None = None
    wear_names: tuple[str, ...] = ()
    problems: tuple[Step, ...] = ()
    unused: tuple[Material, ...] = ()
    unused_count: int = 0

    def batches(self, row: int) -> npt.NDArray[np.int64]:
        """The batches that use a row."""
        return np.flatnonzero(self.of_batch == row).astype(np.int64)


NO_MATERIALS: Final = Materials((), np.zeros(0, np.int64), np.zeros(0, np.int64))


def digest_of(texture: Texture, digest: bytes | None = None) -> TextureKey:
    """What tells a texture from others: the SHA-256 of its payload, with any external palette."""
    digest = digest or _sha256(*pieces(texture))
    return digest if texture.external is None else _sha256(digest, texture.external.tobytes())


def _sha256(*parts: Bytes) -> bytes:
    from hashlib import sha256  # noqa: PLC0415 loads OpenSSL, of no use where there is no texture

    digest = sha256()
    for part in parts:
        digest.update(part)
    return digest.digest()


def blend_index(attr1: int) -> int:
    """The number of a material's blend mode."""
    return attr1 >> 2 & 15


def blend_of(attr1: int) -> Blend:
    """How a material with these flags blends."""
    index = blend_index(attr1)
    return Blend(mat0.BLENDS[index]) if index < len(mat0.BLENDS) else Blend.OPAQUE
