"""Names of the rows and columns of the slot matrix, with what the retail files show of them.

LOD is the row 0 to 2 and group the column 0 to 4, in addresses, JSON, options and on screen. The measured
meaning follows the number: ``LOD 1 - damaged, group 2 - far``. The seeds state none, so it is left out in
their reading. In a terrain LOD is the level of detail, and there is one group.

Source: spec/field-notes.md 3; spec/msh.md 2; spec/land.md 3.
Status: inferred (the meanings).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from viewer.translation import Sentence


@dataclass(frozen=True, slots=True)
class CellNames:
    """The names of rows, columns and cells in one reading.

    Attributes
    ----------
    lods, groups
        The meaning of each row and column from 0; of further ones it is unknown.
    has_groups
        Whether the group tells cells apart.
    """

    lods: tuple[Sentence, ...] = ()
    groups: tuple[Sentence, ...] = ()
    has_groups: bool = True

    def lod(self, lod: int) -> Sentence:
        """The name of a row: ``LOD 1 - damaged``."""
        return _with_meaning(Sentence("LOD {lod}", lod=lod), self.lods[lod : lod + 1])

    def group(self, group: int) -> Sentence:
        """The name of a column: ``group 2 - far``."""
        return _with_meaning(Sentence("group {group}", group=group), self.groups[group : group + 1])

    def cell(self, lod: int, group: int) -> Sentence:
        """The name of a cell: ``LOD 1 - damaged, group 2 - far``."""
        if not self.has_groups:
            return self.lod(lod)
        return Sentence("{lod}, {group}", lod=self.lod(lod), group=self.group(group))


def _with_meaning(name: Sentence, meaning: tuple[Sentence, ...]) -> Sentence:
    return Sentence("{name} - {meaning}", name=name, meaning=meaning[0]) if meaning else name


FIELD: Final = CellNames(
    (Sentence("intact"), Sentence("damaged"), Sentence("heavily damaged")),
    (Sentence("near"), Sentence("middle"), Sentence("far"), Sentence("farthest"), Sentence("own view")),
)
SEED: Final = CellNames()
TERRAIN: Final = CellNames((Sentence("fine"), Sentence("coarse")), has_groups=False)
