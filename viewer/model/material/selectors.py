"""Selectors of batches: a row of the wear table, a lightmap, the see-through layer; and the wear table.

Source: spec/materials.md 1, 5; spec/field-notes.md 1, 4; spec/msh.md 8.1; spec/land.md 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from viewer.errors import FormatError, MshviewError
from viewer.formats import wear
from viewer.formats.msh.batches import BATCH, FLAG_PORTAL, FLAG_SEE_THROUGH
from viewer.formats.msh.terrain import FACE, NO_LAYER, has_microtexture
from viewer.formats.record import Rows
from viewer.geometry.transforms import Indices
from viewer.model.material.materials import Layer
from viewer.model.mesh.draws import Draws
from viewer.model.mesh.model import Model, Variant
from viewer.model.mesh.reading import MaterialField, ResolvedReading, wear_rows_of
from viewer.model.mesh.reading_choices import GroundReading, ReadingChoice
from viewer.model.store.address import CURRENT, STANDARD_INPUT, Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import Item
from viewer.model.store.place import Place
from viewer.translation import _

# Both put a batch in layer 5, without writing depth (spec/field-notes.md 4.4).
SEE_THROUGH: Final = FLAG_PORTAL | FLAG_SEE_THROUGH
"""Flags of a batch: a portal, and the see-through layer."""
SEE_THROUGH_FIELD: Final = "flags"
HAS_LIGHTMAP: Final = 0x2000
"""Flag of a batch."""
NO_LIGHTMAP: Final = 0xFF
MATERIALS_TABLE: Final = 0
MICROTEXTURES: Final = 1
"""Wear tables of a terrain."""


class Selector(NamedTuple):
    """The key of a material in a model.

    Wear table and row, row of the lightmap or -1, whether flags of the batch put it in the see-through layer;
    in a terrain also what it is used as, whether it has a microtexture, and table and row of the second
    material, or -1.
    """

    table: int
    row: int
    lightmap: int = -1
    has_see_through_flag: bool = False
    layer: Layer | None = None
    has_microtexture: bool = False
    second_table: int = MATERIALS_TABLE
    second_row: int = -1

    @property
    def second(self) -> Selector | None:
        """The selector of the second material, or None."""
        if self.second_row < 0:
            return None
        return Selector(
            self.second_table, self.second_row, layer=Layer.SECOND, has_microtexture=self.has_microtexture
        )

    @property
    def microtexture(self) -> Selector | None:
        """The selector of the material that has the microtexture, or None."""
        return Selector(MICROTEXTURES, self.row, layer=Layer.MICROTEXTURE) if self.has_microtexture else None


class SelectorTable(NamedTuple):
    """The rows that select materials: their name and table, their fields, and the names of these in a trace.

    Those of the lightmap, of the second material and of the microtexture are empty if none is selected.
    """

    name: str
    table: str
    row_field: str
    row_words: str
    lightmap_field: str = ""
    lightmap_words: str = ""
    second_field: str = ""
    second_words: str = ""
    microtexture_words: str = ""

    def field_of(self, selector: Selector) -> str:
        """The field with the wear row of a selector; of a microtexture the first of two that may have it."""
        return self.second_field if selector.layer is Layer.SECOND else self.row_field

    def words_of(self, selector: Selector) -> str:
        """The name of that field."""
        if selector.layer is Layer.MICROTEXTURE:
            return self.microtexture_words
        return self.second_words if selector.layer is Layer.SECOND else self.row_words


FACES: Final = SelectorTable(
    "face",
    FACE.name,
    "material_a",
    _("the first material of the faces"),
    second_field="material_b",
    second_words=_("the second material of the faces"),
    microtexture_words=_("the microtexture of the material in the same row of Land1.wea"),
)
"""The rows that select materials in a terrain: faces."""


class Selectors(Struct, frozen=True, eq=False):
    """The selectors of one model.

    Attributes
    ----------
    distinct
        The distinct selectors in order; in a terrain those of second materials and microtextures come last.
    of_batch
        Index in `distinct` of each batch, (b,) int64; empty in terrain.
    of_draw
        Index in `distinct` of each draw, (d,) int64.
    users
        What selects: batches, or the faces of a terrain.
    first
        The first batch or face with each of `distinct`.
    """

    distinct: tuple[Selector, ...]
    of_batch: Indices
    of_draw: Indices
    users: SelectorTable
    first: tuple[int, ...]


def selectors(model: Model, draws: Draws, choice: ResolvedReading, wears: Sequence[WearTable]) -> Selectors:
    """The selectors of a model, legacy model or terrain.

    Parameters
    ----------
    wears
        Its wear tables; a terrain has two.
    """
    is_terrain = model.variant is Variant.TERRAIN
    return _of_faces(model, draws, wears) if is_terrain else _of_batches(model, draws, choice)


def _of_faces(model: Model, draws: Draws, wears: Sequence[WearTable]) -> Selectors:
    """The selectors of a terrain, at both levels of detail: all faces of a draw have the same materials."""
    # The first face of each draw speaks for it: faces of one draw have the same two material bytes.
    first = draws.triangle[draws.triangle_start[:-1]]
    faces, none = model.faces[first], np.zeros(len(first), np.int64)
    second = faces["material_b"].astype(np.int64)
    second[second == NO_LAYER] = -1
    # The fine level is in the first cell, bit 0 of the cells of a part.
    # In Python & binds before ==: bit 0 is clear.
    is_coarse = (draws.parts.cells[draws.part] & 1 == 0).astype(np.int64)
    table, second_table, has_micro = {
        GroundReading.LAND1: (none, none, has_microtexture(faces).astype(np.int64)),
        GroundReading.LEVELS: (is_coarse, is_coarse, none),
        GroundReading.CROSSED: (none + 1, none, none),
    }[wears[0].ground]
    if len(wears) <= MICROTEXTURES:
        table, second_table, has_micro = none, none, none
    keys = np.stack([table, faces["material_a"], has_micro, second_table, second], axis=1).astype(np.int64)
    found, user, index = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    tops = [
        Selector(table, row, -1, False, Layer.FIRST, bool(has_micro), second_table, second)
        for table, row, has_micro, second_table, second in found.tolist()
    ]
    users = dict(zip(tops, first[user].tolist(), strict=True))
    for below in (attrgetter("second"), attrgetter("microtexture")):
        # Sorted, so that of several faces with one second material the lowest is kept. The second turn also
        # sees what the first one added, as second materials have microtextures too.
        for selector, face in sorted((below(it), face) for it, face in users.items() if below(it)):
            users.setdefault(selector, face)
    return Selectors(
        tuple(users), np.zeros(0, np.int64), index.astype(np.int64).reshape(-1), FACES, tuple(users.values())
    )


def _of_batches(model: Model, draws: Draws, choice: ResolvedReading) -> Selectors:
    """The selectors of a model with batches, in the chosen reading."""
    batches, field = model.batches, choice.reading.material_field
    has_flags = _has_lightmap_flags(batches, choice)
    if has_flags:
        high = (batches["opaque4"] >> 8).astype(np.int64)
        # The high byte of the word is the row of the lightmap, 0xFF none: 0x0003 is lightmap 0 and wear row 3
        # (spec/msh.md 8.1).
        lightmap = np.where(high == NO_LIGHTMAP, -1, high)
    else:
        lightmap = np.where(batches["flags"] & HAS_LIGHTMAP, 0, -1).astype(np.int64)
    is_see_through = (batches["flags"] & SEE_THROUGH) != 0
    table = np.zeros(len(batches), np.int64)
    distinct, index, user = _distinct(table, wear_rows_of(batches, field), lightmap, is_see_through)
    users = SelectorTable("batch", BATCH.name, *_row_field(field), *_lightmap_field(has_flags=has_flags))
    return Selectors(distinct, index, index[draws.batch], users, tuple(user.tolist()))


def _distinct(
    table: Indices, row: Indices, lightmap: Indices, is_see_through: npt.NDArray[np.bool_]
) -> tuple[tuple[Selector, ...], Indices, Indices]:
    """Distinct combinations in order, the index of each element among them, the first element of each."""
    # From the top: table, 16 bits row, 9 bits lightmap + 1 (-1 is none), 1 bit see-through. Row 2 is 0x800.
    packed = ((table << 16 | row) << 9 | lightmap + 1) << 1 | is_see_through
    keys, first, index = np.unique(packed, return_index=True, return_inverse=True)
    found = (
        # 1 bit and 9 bits below the row, 16 bits of row: the table begins at bit 26.
        Selector(key >> 26, key >> 10 & 0xFFFF, (key >> 1 & 0x1FF) - 1, bool(key & 1))
        for key in keys.tolist()
    )
    return tuple(found), index.astype(np.int64).reshape(-1), first


def _has_lightmap_flags(batches: Rows, choice: ResolvedReading) -> bool:
    """Whether the high bytes at +0x04 select the lightmap, as in the field reading.

    If both readings give the same rows, they do if all of these bytes are 0x00 or 0xFF.
    """
    if choice.reading.material_field is MaterialField.FIELD or choice.requested is ReadingChoice.SEED:
        return choice.reading.material_field is MaterialField.FIELD
    high, low = batches["opaque4"] >> 8, batches["opaque4"] & 0xFF
    return bool((((high == 0) | (high == NO_LIGHTMAP)) & (low == batches["material"])).all())


def _row_field(field: MaterialField) -> tuple[str, str]:
    """The field of a batch with its wear row, and the name of that field."""
    if field is MaterialField.SEED:
        return "material", _("the word at +0x02 of the batch (seed reading)")
    return "opaque4", _("the low byte of +0x04 of the batch (field reading)")


def _lightmap_field(*, has_flags: bool) -> tuple[str, str]:
    """The field of a batch that selects a lightmap, and the name of that field."""
    if has_flags:
        return "opaque4", _("the high byte of +0x04")
    return "flags", _("the flag 0x2000 of the batch")


SUFFIX: Final = ".wea"
TERRAIN: Final = ("Land1.wea", "Land2.wea")
"""The wear tables of a terrain: its materials, and their microtextures row by row."""


class WearTable(Struct, frozen=True):
    """A wear table; if there is none, `table` is None and `problem` says why.

    `place` is the place of the error in a table that cannot be read, otherwise None. `ground` is how the
    tables of a terrain are read.
    """

    source: Address
    table: wear.Wear | None = None
    problem: str = ""
    place: Place | None = None
    ground: GroundReading = GroundReading.LAND1

    @property
    def row_count(self) -> int | None:
        """The number of rows in the table, or None if there is no table."""
        return None if self.table is None else len(self.table.materials)


NOWHERE: Final = WearTable(CURRENT, problem=_("no wear table is known"))


def wears_of(
    library: FileStore,
    model: Item,
    variant: Variant,
    chosen: Address | None = None,
    ground: GroundReading = GroundReading.LAND1,
) -> tuple[WearTable, ...]:
    """The chosen wear table, or those next to a model: one, or the two of a terrain."""
    if chosen is not None:
        return (at(library, chosen),)
    if variant is not Variant.TERRAIN:
        return (of_model(library, model),)
    return tuple(replace(it, ground=ground) for it in of_terrain(library, model))


def of_model(library: FileStore, model: Item) -> WearTable:
    """The wear table with the stem of a model in the same archive or folder."""
    return _next_to(library, model, model.sibling_name(SUFFIX))


def of_terrain(library: FileStore, terrain: Item) -> tuple[WearTable, ...]:
    """The wear tables of a terrain, its materials first."""
    return tuple(_next_to(library, terrain, name) for name in TERRAIN)


def _next_to(library: FileStore, model: Item, name: str) -> WearTable:
    source = model.address
    try:
        item = library.neighbor(model, name)
    except MshviewError as error:
        return WearTable(source, problem=_("the wear table cannot be read: {error}", error=error.text))
    if source == Address(STANDARD_INPUT):
        problem = _("standard input has no wear table next to it; --wear names one")
        return WearTable(source, problem=problem)
    if item is None:
        container = source.parent if source.entries else source.path.parent
        problem = _("there is no wear table {name} in {container}", name=name, container=container)
        return WearTable(source, problem=problem)
    return _read(item)


def at(library: FileStore, address: Address) -> WearTable:
    """The wear table at an address; raises `MshviewError` if there is none."""
    return _read(library.open(address))


def _read(item: Item) -> WearTable:
    source = item.address
    try:
        return WearTable(source, item.decoded(wear.decode))
    except FormatError as error:
        return WearTable(
            source,
            problem=_("{source} cannot be read: {error}", source=source, error=error.text),
            place=Place.of(source, error),
        )
