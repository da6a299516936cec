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
from viewer.formats.text import decode
from viewer.model.mesh.reading import MaterialField, wear_rows_of

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
        lambda batch: f"row {row[batch]} of {wear_rows} in the wear table",
        "material" if field is MaterialField.SEED else "opaque4",
    )


def texture_names(material: mat0.MaterialRecord) -> list[Diagnostic]:
    """Phases whose texture name the game rejects (W08)."""
    names = [material.texture(index) for index in range(len(material.phases))]
    dotless = [index for index, name in enumerate(names) if name and not wear.has_dot(name)]
    return row_findings(
        "W08",
        Severity.WARNING,
        mat0.PHASE.name,
        dotless,
        lambda index: f"{decode(names[index])!r} has no dot",
        "texture",
    )


def attributes(entry: Entry) -> Iterator[Diagnostic]:
    """Unusual fields in the directory entry of a material (M07)."""
    unknown = entry.attr1 & ~KNOWN_FLAGS
    for field, is_odd, message in (
        ("attr1", unknown != 0, f"bits {unknown:#x} of {entry.attr1:#x} are unknown"),
        ("attr2", entry.attr2 != mat0.VERSION, f"version {entry.attr2}, retail files have {mat0.VERSION}"),
        ("attr3", entry.attr3 != 0, f"{entry.attr3}, retail files have 0"),
    ):
        if is_odd:
            yield Diagnostic("M07", Severity.INFO, message, ENTRY.name, entry.index, field)
