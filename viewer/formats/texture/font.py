"""Tfnt, a font: a header, a record for each of 256 letters, and a texture with their glyphs.

Source: spec/field-notes.md 4.5.
Status: inferred (header, sizes); the words of the letters are open. Eleven retail files are known.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec import Struct

from viewer.diagnostics import Diagnostic
from viewer.formats.layout.layout import Layout
from viewer.formats.layout.lists import Nested
from viewer.formats.layout.members import Array, Single
from viewer.formats.record import ASCII, Field, Record, Rows, Status
from viewer.formats.texture import texm
from viewer.formats.texture.texm import Texture

MAGIC = b"Tfnt"
GLYPH_COUNT = 256
TEXTURE = "texture"

HEADER = Record(
    "header",
    20,
    Field("magic", "V4", 'Always "Tfnt".', encoding=ASCII, allowed=(MAGIC,)),
    Field("cell_width", "<i4", "Width of a letter in a font of fixed width.", unit="pixels"),
    Field("glyph_height", "<i4", "Height of a glyph; one pixel is between rows.", unit="pixels"),
    Field("row_share", "<f4", "Glyph height + 1 as a share of the height of the texture."),
    Field("pen_extra", "<i4", "Pixels between two letters; 1 in known files.", unit="pixels"),
    doc="Sizes of a font.",
    status=Status.INFERRED,
)

GLYPH = Record(
    "glyphs",
    16,
    Field(
        "unknown_0x00",
        "<u4",
        "Place of its glyph, and its advance: the width less 1. Which word says what is unknown.",
        shape=(4,),
        status=Status.OPEN,
    ),
    doc="A letter; its index is its byte.",
)

# 20 + 256 * 16: 4116 in all eleven files.
TEXTURE_START = HEADER.size + GLYPH_COUNT * GLYPH.size


class Font(Struct, frozen=True, eq=False):
    """A decoded font; `stored` is the texture, or its bytes if it cannot be read."""

    header: np.void
    glyphs: Rows
    stored: Texture | memoryview
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def texture(self) -> Texture | None:
        """The texture if it can be read."""
        return self.stored if isinstance(self.stored, Texture) else None

    @property
    def row_pitch(self) -> int:
        """Pixels from one row of glyphs in the texture to the next: the height of a glyph + 1."""
        return int(self.header["glyph_height"]) + 1


LAYOUT = Layout(
    Font,
    header=Single(HEADER, "FNT01"),
    glyphs=Array(GLYPH, lambda _: GLYPH_COUNT, "FNT01"),
    stored=Nested(TEXTURE, texm.LAYOUT, "A texture with the glyphs.", is_payload=True),
)
decode, encode, parts = LAYOUT.decode, LAYOUT.encode, LAYOUT.parts


class FontFacts(Struct, frozen=True):
    """Values that follow from the glyphs."""

    row_pitch: Any


def facts(font: Font, _ignored: object = None) -> FontFacts:
    """The pitch of the rows of glyphs; which word of a glyph its width follows from is unknown."""
    return FontFacts(font.row_pitch)
