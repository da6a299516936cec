"""The manifest of a mod, ``mod.json``: its name, what it needs, what it does to which address of the game.

Addresses are relative to the game folder, paths to the mod; neither leaves its folder. An unknown member and
a member that is there twice are refused, as a program that reads another one of them would do something else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import Annotated, Any, Final, Literal

from msgspec import Struct

from viewer import typed_json
from viewer.errors import FormatError, UsageError, shown
from viewer.formats.text import fold
from viewer.model.kinds import json_text
from viewer.model.store.address import SEPARATOR, Address
from viewer.translation import _
from viewer.typed_json import SHA256, Pattern

MANIFEST: Final = "mod.json"
SCHEMA: Final = "mshview-mod-1"
LARGEST: Final = 64 << 20
"""Bytes of a manifest that is read."""
OWN: Final = ".mshview-"
"""The begin of names that the program keeps for itself in a game: no mod changes them."""
_DRIVE: Final = re.compile("[A-Za-z]:")
_PLAIN: Final = r"[^\x00-\x1f\x7f]{1,200}"
Name = Annotated[str, Pattern(_PLAIN, _("is not 1 to 200 characters on one line"))]


def inside(text: str) -> PurePosixPath:
    """A path that stays inside a folder, its parts divided by ``/``; raises `FormatError` for another one."""
    path = PurePosixPath(text)
    is_odd = not text or "\0" in text or "\\" in text or _DRIVE.match(text) or path.is_absolute()
    # What `PurePosixPath` leaves out, ``a/./b`` and ``a//b``, would be a second spelling of one path.
    if is_odd or not path.parts or ".." in path.parts or path.as_posix() != text:
        raise FormatError(_("{value} is not a path inside", value=shown(text)))
    return path


class InnerPath(str):
    """The path of a file in a mod."""

    __slots__ = ()

    @classmethod
    def from_json(cls, value: object) -> InnerPath:
        """The path of a text in JSON; raises `FormatError` for one that leaves the mod."""
        return cls(inside(value if isinstance(value, str) else ""))

    def to_json(self) -> str:
        """The path as JSON has it."""
        return str(self)


class GameAddress(Struct, frozen=True):
    """A file of a game, or an entry of one, relative to the game folder.

    Attributes
    ----------
    path
        Its path, with ``/``.
    entries
        The entries on the way to the payload.
    """

    path: str
    entries: tuple[str, ...] = ()

    @classmethod
    def from_json(cls, value: object) -> GameAddress:
        """The address of a text in JSON; raises `FormatError` for one that leaves the game."""
        text = value if isinstance(value, str) else ""
        try:
            found = Address.parse(text)
        except UsageError as error:
            raise FormatError(error.message) from None
        # As it is written: Windows would take a backslash for the end of a folder, and others would not.
        path = inside(text.partition(SEPARATOR)[0])
        if any(fold(part.encode("utf-8", "surrogatepass")).startswith(OWN.encode()) for part in path.parts):
            raise FormatError(_("{value} is kept by this program itself", value=shown(value)))
        return cls(path.as_posix(), found.entries)

    def to_json(self) -> str:
        """The text of the address in JSON."""
        return str(self)

    def __str__(self) -> str:
        # As in an `Address`, of which only the spelling of the path may be another one on Windows.
        return str(Address(PurePosixPath(self.path), self.entries))  # type: ignore[arg-type]

    @property
    def key(self) -> tuple[bytes, ...]:
        """The address as the game finds it, whose names ignore case."""
        return tuple(fold(it.encode("utf-8", "surrogatepass")) for it in (self.path, *self.entries))

    def child(self, *entries: str) -> GameAddress:
        """The address of an entry in it."""
        return GameAddress(self.path, (*self.entries, *entries))


class BaseStamp(Struct, frozen=True):
    """A payload that a mod was made of: its address and the SHA-256 of its bytes in hexadecimal."""

    address: GameAddress
    sha256: Annotated[str, SHA256]


class PatchedAddress(Struct, frozen=True):
    """A payload that is changed by a patch, a file of the mod."""

    address: GameAddress
    patch: InnerPath


class AddedAddress(Struct, frozen=True):
    """A payload that is new, or another one as a whole: the bytes of a file of the mod."""

    address: GameAddress
    add: InnerPath


class CopiedAddress(Struct, frozen=True):
    """A payload that is new, with the bytes of one that the game has: renamed, moved or doubled."""

    address: GameAddress
    copy: GameAddress


class EditedCopy(CopiedAddress, frozen=True):
    """A payload that is new and made of one that the game has, which a patch changes, a file of the mod."""

    patch: InnerPath


class RemovedAddress(Struct, frozen=True):
    """A payload that is removed."""

    address: GameAddress
    remove: Literal[True]


ModChange = PatchedAddress | AddedAddress | CopiedAddress | EditedCopy | RemovedAddress


class ModManifest(Struct, frozen=True):
    """A mod: its name, its requirements and its changes.

    Parameters
    ----------
    name, version, author
        What it is called; `name` is that by which others need it.
    needs
        The names of mods that have to be applied too.
    base
        The payloads that it was made of.
    changes
        What it does. A file that is an archive is patched after what is done to its entries.
    """

    name: Name
    version: str = ""
    author: str = ""
    needs: tuple[Name, ...] = ()
    base: tuple[BaseStamp, ...] = ()
    changes: tuple[ModChange, ...] = ()

    @classmethod
    def parse(cls, data: bytes) -> ModManifest:
        """The manifest of a JSON text; raises `FormatError` with the member."""
        form = typed_json.document(data)
        if form.pop("schema", None) != SCHEMA:
            raise FormatError(_("is not {schema}", schema=SCHEMA), field="schema")
        found = typed_json.made(cls, form, is_strict=True)
        _refuse_repeated("base", (it.address for it in found.base))
        _refuse_repeated("changes", (it.address for it in found.changes), _patches_of_files(found))
        return found

    @property
    def document(self) -> dict[str, Any]:
        """The manifest as JSON."""
        return {"schema": SCHEMA, **typed_json.plain_fields(self, has_defaults=True)}

    def encode(self) -> bytes:
        """The JSON text, a payload a line."""
        head = self.document
        lists = {name: ",\n".join(map(json_text.encode, head.pop(name))) for name in ("base", "changes")}
        text = json_text.encode(head)[:-1] + "".join(
            f', "{name}": [\n{rows}\n]' if rows else f', "{name}": []' for name, rows in lists.items()
        )
        return f"{text}}}\n".encode()

    @property
    def stamps(self) -> dict[tuple[bytes, ...], str]:
        """The SHA-256 of the payloads that it was made of, by the keys of their addresses."""
        return {it.address.key: it.sha256 for it in self.base}

    def in_words(self) -> Iterator[str]:
        """Each change in words: what is done, and where."""
        stamps = self.stamps
        for it in self.changes:
            address = str(it.address)
            if isinstance(it, RemovedAddress):
                yield _("removed: {address}", address=address)
            elif isinstance(it, CopiedAddress):
                yield _("added: {address}, a copy of {other}", address=address, other=str(it.copy))
            elif isinstance(it, PatchedAddress) or it.address.key in stamps:
                yield _("changed: {address}", address=address)
            else:
                yield _("added: {address}", address=address)


def _patches_of_files(manifest: ModManifest) -> frozenset[tuple[bytes, ...]]:
    """The keys of archives, which may have several patches, one after the other."""
    patched = (it.address for it in manifest.changes if isinstance(it, PatchedAddress))
    return frozenset(it.key for it in patched if not it.entries and it.key not in manifest.stamps)


def _refuse_repeated(
    table: str, addresses: Iterable[GameAddress], allowed: frozenset[tuple[bytes, ...]] = frozenset()
) -> None:
    """Raise `FormatError` for an address that is there twice: which of them counts is not said."""
    seen: dict[tuple[bytes, ...], int] = {}
    for row, address in enumerate(addresses):
        if address.key in seen and address.key not in allowed:
            words = _("{address} is in row {row} too", address=str(address), row=seen[address.key])
            raise FormatError(words, table=table, index=row, field="address")
        seen[address.key] = row
