"""Rules V26, L09, M07 and W08: wear rows of batches and faces, entries of materials, names of textures.

W10 is V26 seen from the wear table; M01 to M06 and the other W rules are reported by the decoders.

Source: spec/msh.md 8.1, 11; spec/land.md 6; spec/materials.md 4.
"""

from __future__ import annotations

from collections.abc import Iterator

from viewer.diagnostics import Diagnostic
from viewer.errors import Severity
from viewer.formats import mat0, wear
from viewer.formats.archive.nres import ENTRY, Entry
from viewer.formats.findings import Rule
from viewer.formats.msh.batches import BATCH
from viewer.formats.msh.terrain import FACE, NO_LAYER
from viewer.formats.record import Rows
from viewer.model.mesh.reading import MaterialField, wear_rows_of

TERRAIN_WEAR = (b"Land1.wea", b"Land2.wea")
# 0x01, 0x02, the four bits of the blend index, and 0x40 (spec/materials.md 4).
KNOWN_FLAGS = 0x7F
"""Bits of attr1 whose meaning is known."""


def selected_rows(batches: Rows, field: MaterialField, wear_rows: int) -> list[Diagnostic]:
    """Batches that select a row which a wear table of `wear_rows` rows does not have (V26)."""
    row = wear_rows_of(batches, field)
    selector = "material" if field is MaterialField.SEED else "opaque4"
    rule = Rule("V26", BATCH.name, selector, Severity.WARNING)
    return rule.in_rows(row >= wear_rows, "row {row} of {count} in the wear table", row=row, count=wear_rows)


def selected_by_faces(faces: Rows, first_rows: int | None, second_rows: int | None) -> list[Diagnostic]:
    """Faces of a terrain that select a row which Land1.wea does not have, and a Land2.wea of another length.

    Parameters
    ----------
    first_rows, second_rows
        Rows of Land1.wea and Land2.wea; None if it cannot be read (L09).
    """
    if first_rows is None:
        return []
    found: list[Diagnostic] = []
    for field, is_used in (("material_a", True), ("material_b", faces["material_b"] != NO_LAYER)):
        row, rule = faces[field], Rule("L09", FACE.name, field, Severity.WARNING)
        words = "row {row} of {count} in Land1.wea"
        found += rule.in_rows((row >= first_rows) & is_used, words, row=row, count=first_rows)
    # Row i of Land2.wea has the microtexture of row i of Land1.wea, and no face names a row of it by itself
    # (spec/field-notes.md 7).
    if second_rows not in (None, first_rows):
        rule = Rule("L09", FACE.name, severity=Severity.WARNING)
        words = "Land2.wea has {second} rows, Land1.wea {first}: rows of the same number belong together"
        found.append(rule.finding(words, second=second_rows, first=first_rows))
    return found


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
