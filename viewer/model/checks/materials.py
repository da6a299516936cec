"""Rules V26, M07 and W08: wear rows of batches, entries of materials, names of textures.

W10 is V26 seen from the wear table; M01 to M06 and the other W rules are reported by the decoders.

Source: spec/msh.md 8.1, 11; spec/materials.md 4.
"""

from __future__ import annotations

from collections.abc import Iterator

from viewer.errors import Diagnostic, Severity, row_findings
from viewer.formats import mat0, wear
from viewer.formats.archive.nres import ENTRY, Entry
from viewer.formats.findings import findings
from viewer.formats.msh.batches import BATCH
from viewer.formats.record import Rows
from viewer.model.mesh.reading import MaterialField, wear_rows_of
from viewer.translation import _

KNOWN_FLAGS = 0x7F
"""Bits of attr1 whose meaning is known."""


def selected_rows(batches: Rows, field: MaterialField, wear_rows: int) -> list[Diagnostic]:
    """Batches that select a row which a wear table of `wear_rows` rows does not have (V26)."""
    row = wear_rows_of(batches, field)
    return findings(
        "V26",
        Severity.WARNING,
        BATCH.name,
        row >= wear_rows,
        lambda batch: _("row {row} of {count} in the wear table", row=row[batch], count=wear_rows),
        "material" if field is MaterialField.SEED else "opaque4",
    )


def texture_names(material: mat0.MaterialRecord) -> list[Diagnostic]:
    """Phases whose texture name the game rejects (W08)."""
    names = material.textures()
    dotless = [index for index, name in enumerate(names) if name and not wear.has_dot(name)]
    return row_findings(
        "W08",
        Severity.WARNING,
        mat0.PHASE.name,
        dotless,
        lambda index: wear.without_dot(names[index]),
        "texture",
    )


def attributes(entry: Entry) -> Iterator[Diagnostic]:
    """Unusual fields in the directory entry of a material (M07)."""
    unknown = entry.attr1 & ~KNOWN_FLAGS
    if unknown:
        message = _("bits {unknown:#x} of {all:#x} are unknown", unknown=unknown, all=entry.attr1)
        yield _unusual(entry, "attr1", message)
    if entry.attr2 != mat0.VERSION:
        message = _("version {version}, retail files have {usual}", version=entry.attr2, usual=mat0.VERSION)
        yield _unusual(entry, "attr2", message)
    if entry.attr3:
        yield _unusual(entry, "attr3", _("{value}, retail files have 0", value=entry.attr3))


def _unusual(entry: Entry, field: str, message: str) -> Diagnostic:
    return Diagnostic("M07", Severity.INFO, message, ENTRY.name, entry.index, field)
