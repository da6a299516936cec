"""Rules V26, M07 and W08: wear rows of batches, entries of materials, names of textures.

W10 is V26 seen from the wear table; M01 to M06 and the other W rules are reported by the decoders.

Source: spec/msh.md 8.1, 11; spec/materials.md 4.
"""

from __future__ import annotations

from collections.abc import Iterator

from viewer.errors import Diagnostic, Severity
from viewer.formats import mat0, wear
from viewer.formats.archive.nres import ENTRY, Entry
from viewer.formats.findings import Rule
from viewer.formats.msh.batches import BATCH
from viewer.formats.record import Rows
from viewer.model.mesh.reading import MaterialField, wear_rows_of

KNOWN_FLAGS = 0x7F
"""Bits of attr1 whose meaning is known."""


def selected_rows(batches: Rows, field: MaterialField, wear_rows: int) -> list[Diagnostic]:
    """Batches that select a row which a wear table of `wear_rows` rows does not have (V26)."""
    row = wear_rows_of(batches, field)
    selector = "material" if field is MaterialField.SEED else "opaque4"
    rule = Rule("V26", BATCH.name, selector, Severity.WARNING)
    return rule.in_rows(row >= wear_rows, "row {row} of {count} in the wear table", row=row, count=wear_rows)


def texture_names(material: mat0.MaterialRecord) -> list[Diagnostic]:
    """Phases whose texture name the game rejects (W08)."""
    rule = Rule("W08", mat0.PHASE.name, "texture", Severity.WARNING)
    return rule.of_problems(wear.without_dots(material.textures(), wear.TEXTURE_DOT))


def attributes(entry: Entry) -> Iterator[Diagnostic]:
    """Unusual fields in the directory entry of a material (M07)."""
    attr1, attr2, attr3 = (Rule("M07", ENTRY.name, f"attr{it}", Severity.INFO) for it in (1, 2, 3))
    unknown = entry.attr1 & ~KNOWN_FLAGS
    if unknown:
        words = "bits {unknown:#x} of {all:#x} are unknown"
        yield attr1.finding(words, entry.index, unknown=unknown, all=entry.attr1)
    if entry.attr2 != mat0.VERSION:
        words = "version {version}, retail files have {usual}"
        yield attr2.finding(words, entry.index, version=entry.attr2, usual=mat0.VERSION)
    if entry.attr3:
        yield attr3.finding("{value}, retail files have 0", entry.index, value=entry.attr3)
