"""A new effect in an archive, from a template.

Source: spec/effects.md 6; spec/fxid.md.
"""

from __future__ import annotations

from contextlib import suppress
from itertools import islice
from typing import Final

from viewer.errors import EditError, FormatError, reason_of
from viewer.formats import fxid
from viewer.formats.archive import nres
from viewer.formats.objects import NAME_SIZE
from viewer.formats.text import encode
from viewer.model.edit.archive.entries import DIRECTORY, AddEntry, edited_archive, free_name
from viewer.model.edit.change import Change, change, refusal
from viewer.model.edit.draft import Draft
from viewer.model.edit.typed_words import NAME_WORD, Typed, Word
from viewer.model.effects.blocks import LIGHT, SOUND
from viewer.model.effects.templates import TEMPLATES, TemplateName
from viewer.model.material.lookup import DEFAULT

FXID: Final = int.from_bytes(b"FXID", "little")
MOST_READ: Final = 200
"""Effects of an archive in which materials are looked for."""


@change(
    "add-effect",
    "add effect {name}",
    typed=Typed(
        "add a new effect to an archive: glow, smoke, flash, explosion, dome, bolt or light",
        (Word("KIND", "kind"), NAME_WORD),
    ),
    name="add an effect: {kind}",
)
class AddEffect(Change, frozen=True):
    """Add an effect after all other entries.

    Parameters
    ----------
    kind
        What it shows.
    name
        Its name; None for that of the template, with a number if that is taken.
    material
        What it draws; None for what such blocks of the archive's effects draw, else ``DEFAULT``.
    """

    kind: TemplateName
    name: str | None = None
    material: str | None = None

    def apply(self, draft: Draft) -> None:
        """Add the effect; raises `EditError` like `AddEntry`, or if a block cannot hold the material."""
        archive = edited_archive(draft)
        template, given = TEMPLATES[self.kind], self._given_material()
        # A light names no material: it shows nothing itself.
        opcodes = {opcode for opcode, _ignored in template.blocks} - {LIGHT}
        found = drawn_by(archive)
        usual = next(iter(found.values()), DEFAULT)
        materials = {it: found.get(it, usual) if given is None else given for it in opcodes}
        name = self.name or free_name(archive, self.kind)
        # Attributes of effects are 0, 0, 1 (spec/fxid.md); an archive without effects has none to take them
        # from.
        attr3 = None if (archive.rows["type_id"] == FXID).any() else 1
        AddEntry(name, template.made(materials), FXID, attr3=attr3).apply(draft)

    def _given_material(self) -> bytes | None:
        if self.material is None:
            return None
        try:
            raw = encode(self.material)
        except ValueError as error:
            raise EditError(reason_of(error), table=DIRECTORY, field="material") from None
        if len(raw) >= NAME_SIZE or b"\0" in raw:
            words = "{name!r} has {size} bytes; a name has 1 to {limit}, none of them NUL"
            raise refusal(
                words, DIRECTORY, None, "material", name=self.material, size=len(raw), limit=NAME_SIZE - 1
            )
        return raw


def drawn_by(archive: nres.Archive) -> dict[int, bytes]:
    """The first material that blocks of each opcode draw in the effects of an archive."""
    found: dict[int, bytes] = {}
    for entry in islice((it for it in archive.entries if it.type_id == FXID), MOST_READ):
        with suppress(FormatError):
            effect = fxid.decode(archive.payload(entry.index))
            for index, _archive, name in effect.references():
                opcode = int(effect.opcodes[index])
                if 0 < len(name) < NAME_SIZE and opcode not in (LIGHT, SOUND):
                    found.setdefault(opcode, name)
    return found
