"""The wear table of a scene: a row for each material, and one for batches without any.

Source: spec/materials.md 2.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

from viewer.formats import mat0, text, wear
from viewer.formats.archive.nres import NAME_SIZE
from viewer.model.convert.building.values import Losses, Spot, game_text
from viewer.model.convert.scene import Scene, SceneMaterial
from viewer.model.material.lookup import DEFAULT

NO_ROW = -1
MOST_LETTERS = NAME_SIZE - 1
"""Letters of the name of a library's entry."""
TEXTURE_LETTERS = mat0.NAME_SIZE - 1
"""Letters of the name of a texture in a material."""
MOST_END = 3
"""Letters after its dot that are kept."""
_COPY_NUMBER = re.compile(r"(\.\d{3}|~\d+)$")
"""What Blender and export append to a name that is taken."""
_IMAGE_SUFFIX = re.compile(r"\.(png|jpe?g|bmp|tga|webp|dds|tiff?)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class WearRows:
    """The rows of a wear table.

    Attributes
    ----------
    names
        Name of the material of each row.
    rows
        Row of each material of the scene.
    default
        Row of batches without a material.
    lightmaps
        Names of the lightmaps.
    losses
        What the table cannot hold.
    """

    names: Sequence[bytes]
    rows: Sequence[int]
    default: int
    lightmaps: Sequence[bytes]
    losses: tuple[str, ...] = ()

    @property
    def text(self) -> bytes:
        """The table as the game reads it."""
        return wear.build(self.names, self.lightmaps)


def wear_rows(scene: Scene) -> WearRows:
    """The rows of a scene's materials: the known ones where they were, then the others in order.

    A row that no material has gets the name of the game's substitute. Raises `FormatError` for a row that
    no table has.
    """
    named: dict[int, bytes] = {}
    rows = [_kept_row(material, named) for material in scene.materials]
    taken = {text.fold(name) for name in named.values()}
    free = (row for row in count() if row not in named)
    for number, material in enumerate(scene.materials):
        if rows[number] == NO_ROW:
            rows[number] = row = next(free)
            named[row] = _unlike(taken, entry_word(material))
            taken.add(text.fold(named[row]))
    default = _default_row(scene, named)
    size = max(named, default=0) + 1
    Spot(wear.MATERIALS).limited("number", size - 1, wear.MAX_ROWS - 1)
    names = [named.get(row, DEFAULT) for row in range(size)]
    renamed = (
        it.name and names[row] != game_text(it.name) for it, row in zip(scene.materials, rows, strict=True)
    )
    losses = Losses()
    losses.add("materials whose names the wear table cannot hold: {count}", sum(map(bool, renamed)))
    return WearRows(names, rows, default, _lightmaps(scene), tuple(losses.sentences))


def _kept_row(material: SceneMaterial, named: dict[int, bytes]) -> int:
    """The row that a material had, unless another one has it already."""
    row, name = material.row, entry_word(material)
    is_kept = row is not None and row >= 0 and named.setdefault(row, name) == name
    return row if row is not None and is_kept else NO_ROW


def _default_row(scene: Scene, named: dict[int, bytes]) -> int:
    """The row of batches without a material; it is added if there are some."""
    if all(primitive.material is not None for mesh in scene.meshes for primitive in mesh.primitives):
        return 0
    row = next((row for row, name in named.items() if name == DEFAULT), max(named, default=-1) + 1)
    named[row] = DEFAULT
    return row


def entry_word(material: SceneMaterial) -> bytes:
    """The name of a material as one word of a wear table."""
    return b"_".join(game_text(material.name).split())[:MOST_LETTERS] or DEFAULT


def _unlike(taken: set[bytes], name: bytes, most: int = MOST_LETTERS) -> bytes:
    """A name of so many letters, with a number at its end if it is taken."""
    found, number = name, 1
    while text.fold(found) in taken:
        number += 1
        end = b"_%d" % number
        found = name[: most - len(end)] + end
    return found


def _lightmaps(scene: Scene) -> list[bytes]:
    used = {it.lightmap for it in scene.materials}
    return [name for number, name in enumerate(texture_names(scene)) if number in used]


def texture_names(scene: Scene) -> list[bytes]:
    """The names of the pictures as textures: each one word with a dot, no two alike."""
    names: list[bytes] = []
    taken: set[bytes] = set()
    for picture in scene.pictures:
        number = 1
        while text.fold(texture_name(picture.name, number).rpartition(b".")[0]) in taken:
            number += 1
        names.append(texture_name(picture.name, number))
        taken.add(text.fold(names[-1].rpartition(b".")[0]))
    return names


def texture_name(name: str, number: int = 1) -> bytes:
    """The name of a picture as that of a texture: one word with a dot, ``DOME.0`` for ``dome.png``."""
    word = _IMAGE_SUFFIX.sub("", _COPY_NUMBER.sub("", name))
    stem, dot, end = (b"_".join(game_text(word).split()) or b"PICTURE").rpartition(b".")
    stem, end = (stem, end[:MOST_END]) if dot and stem else (end, b"0")
    tail = b"_%d" % number if number > 1 else b""
    return stem[: TEXTURE_LETTERS - len(end) - 1 - len(tail)] + tail + b"." + end
