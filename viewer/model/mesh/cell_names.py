"""Names of the rows and columns of the slot matrix, with what the retail files show of them.

LOD is the row 0 to 2 and group the column 0 to 4, in addresses, JSON, options and on screen. The measured
meaning follows the number: ``LOD 1 - damaged, group 2 - far``. The seeds state none, so it is left out in
their reading. A terrain has two levels of detail, fine in LOD 0, group 0 and coarse in LOD 0, group 1, or in
LOD 1 if no tile fills that group: each file shows by its slot matrix which it is.

Source: spec/field-notes.md 3; spec/msh.md 2; spec/land.md 3.
Status: inferred (the meanings).
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from viewer.formats.msh.nodes import NONE
from viewer.formats.record import Rows
from viewer.model.mesh.model import Model, Variant
from viewer.model.mesh.reading_choices import ReadingChoice
from viewer.translation import Text, _


class CellNames(Struct, frozen=True):
    """The names of rows, columns and cells in one reading.

    Attributes
    ----------
    lods, groups
        The meaning of each row and column from 0; of further ones it is unknown.
    """

    lods: tuple[Text, ...] = ()
    groups: tuple[Text, ...] = ()

    def lod(self, lod: int) -> Text:
        """The name of a row: ``LOD 1 - damaged``."""
        return _with_meaning(_("LOD {lod}", lod=lod), self.lods[lod : lod + 1])

    def group(self, group: int) -> Text:
        """The name of a column: ``group 2 - far``."""
        return _with_meaning(_("group {group}", group=group), self.groups[group : group + 1])

    def cell(self, lod: int, group: int) -> Text:
        """The name of a cell: ``LOD 1 - damaged, group 2 - far``."""
        return _("{lod}, {group}", lod=self.lod(lod), group=self.group(group))


def _with_meaning(name: Text, meaning: tuple[Text, ...]) -> Text:
    return _("{name} - {meaning}", name=name, meaning=meaning[0]) if meaning else name


FIELD: Final = CellNames(
    (_("intact"), _("damaged"), _("heavily damaged")),
    (_("near"), _("middle"), _("far"), _("farthest"), _("own view")),
)
SEED: Final = CellNames()
TERRAIN: Final = CellNames(groups=(_("fine"), _("coarse")))
TERRAIN_BY_LOD: Final = CellNames(lods=(_("fine"), _("coarse")))


def of_model(model: Model, requested: ReadingChoice) -> CellNames:
    """The names in the requested reading; the seeds state no meaning."""
    if model.variant is Variant.TERRAIN:
        return of_terrain(model.nodes)
    return SEED if requested is ReadingChoice.SEED else FIELD


def of_terrain(nodes: Rows) -> CellNames:
    """The names of a terrain by the slot matrices of its nodes; those of land.md if in doubt."""
    filled = (nodes["slots"] != NONE).any(axis=0)
    # The coarse tiles are in the second word that is filled, wherever that is (spec/land.md 3).
    return TERRAIN_BY_LOD if filled[1, 0] and not filled[0, 1] else TERRAIN
