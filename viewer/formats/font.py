"""Tfnt, a font: a header, a record for each of 256 letters, and a texture with their pictures.

Source: spec/field-notes.md 4.
Status: inferred (sizes); what header and letters hold is open. Read-only: one retail file is known.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from viewer.errors import Diagnostic, FormatError
from viewer.formats import texm
from viewer.formats.record import Bytes, Field, Record, Rows, Status
from viewer.formats.texm import Texture

MAGIC = b"Tfnt"
GLYPH_COUNT = 256

HEADER = Record(
    "Tfnt.header",
    20,
    Field("magic", "V4", 'Always "Tfnt".'),
    Field("unknown_0x04", "<u4", "Unknown.", shape=(4,), status=Status.OPEN),
)

GLYPH = Record(
    "Tfnt.glyph",
    16,
    Field("unknown_0x00", "<u4", "Unknown; one record per letter.", shape=(4,), status=Status.OPEN),
)

TEXTURE_START = HEADER.size + GLYPH_COUNT * GLYPH.size


@dataclass(frozen=True, slots=True)
class Font:
    """A decoded font over its own payload; `texture` is None where it cannot be read."""

    data: memoryview
    header: np.void
    glyphs: Rows
    texture: Texture | None
    diagnostics: tuple[Diagnostic, ...]


def decode(data: Bytes) -> Font:
    """Read a font; raises `FormatError` where header or letters are not those of one (FNT01)."""
    data = memoryview(data).cast("B")
    header = HEADER.read(data, rule="FNT01")
    if bytes(data[: len(MAGIC)]) != MAGIC:
        message = f"{bytes(data[:4])!r} is not {MAGIC!r}"
        raise FormatError(message, table=HEADER.name, field="magic", rule="FNT01")
    available = (len(data) - HEADER.size) // GLYPH.size
    if available < GLYPH_COUNT:
        message = f"{available} letters, {GLYPH_COUNT} are needed"
        raise FormatError(message, table=GLYPH.name, index=available, rule="FNT01")
    glyphs = GLYPH.view(data, offset=HEADER.size, count=GLYPH_COUNT)
    try:
        texture = texm.decode(data[TEXTURE_START:])
    except FormatError as error:
        return Font(data, header, glyphs, None, (error.finding,))
    return Font(data, header, glyphs, texture, texture.diagnostics)


def encode(font: Font) -> bytes:
    """The payload, exactly as it was read."""
    return bytes(font.data)
