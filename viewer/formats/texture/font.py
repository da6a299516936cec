"""Tfnt, a font: a header, a record for each of 256 letters, and a texture with their glyphs.

Source: spec/field-notes.md 4.
Status: inferred (sizes); the meaning of header and letters is open. One retail file is known.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from viewer.errors import Diagnostic, FormatError
from viewer.formats.part import ROOT, Part, group, raw, single, table
from viewer.formats.record import ASCII, Bytes, Field, Record, Rows, Status
from viewer.formats.texture import texm
from viewer.formats.texture.texm import Texture
from viewer.translation import Sentence

MAGIC = b"Tfnt"
GLYPH_COUNT = 256
TEXTURE = "texture"

HEADER = Record(
    "header",
    20,
    Field("magic", "V4", 'Always "Tfnt".', encoding=ASCII),
    Field("unknown_0x04", "<u4", "Unknown.", shape=(4,), status=Status.OPEN),
    doc="Start of a font.",
)

GLYPH = Record(
    "glyphs",
    16,
    Field("unknown_0x00", "<u4", "Unknown; one record per letter.", shape=(4,), status=Status.OPEN),
    doc="A letter; its index is its code.",
)

TEXTURE_START = HEADER.size + GLYPH_COUNT * GLYPH.size


@dataclass(frozen=True, slots=True, eq=False)
class Font:
    """A decoded font; if `texture` is None, `tail` is the unreadable texture."""

    header: np.void
    glyphs: Rows
    texture: Texture | None
    tail: Bytes
    diagnostics: tuple[Diagnostic, ...]


def decode(data: Bytes) -> Font:
    """Read a font; raises `FormatError` if header or letters are invalid (FNT01)."""
    data = memoryview(data).cast("B")
    header = HEADER.read(data, rule="FNT01")
    if bytes(data[: len(MAGIC)]) != MAGIC:
        message = Sentence("{found!r} is not {expected!r}", found=bytes(data[:4]), expected=MAGIC)
        raise FormatError(message, table=HEADER.name, field="magic", rule="FNT01")
    available = (len(data) - HEADER.size) // GLYPH.size
    if available < GLYPH_COUNT:
        message = Sentence(
            "{available} letters, {needed} are required", available=available, needed=GLYPH_COUNT
        )
        raise FormatError(message, table=GLYPH.name, index=available, rule="FNT01")
    glyphs = GLYPH.view(data, offset=HEADER.size, count=GLYPH_COUNT)
    rest = data[TEXTURE_START:]
    try:
        texture = texm.decode(rest)
    except FormatError as error:
        path = TEXTURE if rest else ROOT
        finding = replace(error.finding, table=path, index=None, field=None)
        return Font(header, glyphs, None, rest, (finding,))
    return Font(header, glyphs, texture, b"", tuple(_inside(texture)))


def encode(font: Font) -> bytes:
    """The payload, built from header, letters and texture."""
    texture = b"" if font.texture is None else texm.encode(font.texture)
    return b"".join((font.header.tobytes(), font.glyphs.tobytes(), texture, font.tail))


def parts(font: Font) -> Part:
    """Return the tree of parts; the texture's parts are in a group."""
    header = single(HEADER, font.header)
    glyphs = table(GLYPH, font.glyphs, header.end)
    text = "A texture with the glyphs."
    if font.texture is None:
        return group((header, glyphs, raw(TEXTURE, font.tail, glyphs.end, f"{text} It cannot be read.")))
    children = texm.parts(font.texture, glyphs.end).children
    return group((header, glyphs, group(children, TEXTURE, glyphs.end, text)))


def _inside(texture: Texture) -> Iterator[Diagnostic]:
    """Diagnostics of the texture, with paths that start at the font."""
    for finding in texture.diagnostics:
        yield replace(finding, table=f"{TEXTURE}.{finding.table}")
