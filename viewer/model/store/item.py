"""The bytes at an address, with everything derived from them; entries of archives by name and index.

Source: spec/nres.md 6.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Final, TypeVar, cast

from msgspec import Struct, field
from msgspec.structs import replace

from viewer.errors import AddressError, FormatError, reading_from, suggestion
from viewer.formats.archive import nres, rsli
from viewer.formats.text import encode
from viewer.model.store.address import SEPARATOR, Address
from viewer.translation import _

if TYPE_CHECKING:
    from viewer.model.mesh.model import Model

_LONGEST_INDEX: Final = 20
"""Length of an index with its ``#`` from which on no directory has such an entry, characters."""
Container = nres.Archive | rsli.PackedLibrary
Made = dict[Hashable, object]
"""Values derived from the same bytes; those of the entries of an archive are dictionaries in its own."""
_Value = TypeVar("_Value")
BYTES: Final = "bytes"
"""The key of the payload of an entry."""
UNSAVED: Final = "unsaved"
"""The key of unsaved bytes: their entries own a copy, so that they do not keep the whole file in memory."""


class Item(Struct, frozen=True, eq=False):
    """The bytes at an address, and their directory entry (None for a file).

    Attributes
    ----------
    made
        Values derived from these bytes; shared by all items of these bytes while the file has the
        same revision, whatever the spelling of the address.
    holder
        The archive that it is an entry of (None for a file).
    """

    address: Address
    data: memoryview
    entry: nres.Entry | rsli.PackedEntry | None = None
    made: Made = field(default_factory=dict)
    holder: Item | None = None

    @property
    def name(self) -> bytes:
        """The name of the directory entry, or of the file."""
        return self.entry.name if self.entry else os.fsencode(self.address.name)

    @property
    def type_id(self) -> int:
        """Type of the directory entry, 0 if there is none."""
        return self.nres_entry.type_id if self.nres_entry else 0

    @property
    def nres_entry(self) -> nres.Entry | None:
        """The directory entry, None for a file and for a member of a packed library."""
        return self.entry if isinstance(self.entry, nres.Entry) else None

    def once(self, key: Hashable, make: Callable[[], _Value]) -> _Value:
        """The value cached for these bytes under `key`, made if absent; errors are not cached.

        Two threads may make it at the same time; then both get the same one of them.
        """
        if key not in self.made:
            self.made.setdefault(key, make())
        return cast(_Value, self.made[key])

    def decoded(self, reader: Callable[[memoryview], _Value]) -> _Value:
        """Value that a format reads from the bytes, once for all callers; raises `FormatError`."""
        return self.once(reader, lambda: reader(self.data))

    @property
    def container(self) -> Container | None:
        """The bytes as an archive, or None if they are something else; read once for all its entries.

        Raises `FormatError` for a broken one.
        """
        with reading_from(self.address):
            return self.once(Container, lambda: container_of(self.data))

    @property
    def archive(self) -> nres.Archive | None:
        """The bytes as an NRes archive; None if they are something else, and for a broken one."""
        with contextlib.suppress(FormatError):
            return self.container if isinstance(self.container, nres.Archive) else None
        return None

    def read_model(self) -> Model:
        """The bytes as a model, read once; raises `FormatError` if they are not one."""
        from viewer.model.mesh.model import Model  # noqa: PLC0415 not needed for a directory

        with reading_from(self.address):
            container = self.container
            # What is not an archive of models is refused by its reader.
            archive = container if isinstance(container, nres.Archive) else nres.Archive.read(self.data)
            return self.once(Model, lambda: Model.of(archive))

    @property
    def holders(self) -> tuple[Item, ...]:
        """The archives that it is in, the outermost first."""
        return () if self.holder is None else (*self.holder.holders, self.holder)

    def follow(self, entry: str) -> Item:
        """The entry that an address names; raises `MshviewError` if there is none or it is damaged."""
        container = self.container
        if container is None:
            message = _("is not an archive, so it has no entry {entry!r}", entry=entry)
            raise AddressError(message, source=self.address)
        index = index_of(container, entry)
        if index is None:
            raise AddressError(missing_entry(container, entry), source=self.address)
        with reading_from(self.address.child(entry)):
            return entry_of(self, container, index, entry)

    def find(self, entry: str) -> Item | None:
        """The entry of a name, ignoring case, under the name that the archive gives it; None without one."""
        container = self.container
        index = index_of(container, entry) if container else None
        return None if container is None or index is None else self.follow(spelling(container, index))

    def sibling_name(self, suffix: str) -> str:
        """The name with the same stem and another suffix."""
        # ``#3`` has no stem; the name in the directory has.
        is_numbered = self.entry is not None and self.address.name.startswith("#")
        name = self.entry.text if self.entry and is_numbered else self.address.name
        return (name.rpartition(".")[0] or name) + suffix

    @property
    def alone(self) -> Item:
        """The item without the archive that it is in, which it would keep in memory."""
        return replace(self, holder=None)

    @property
    def digest(self) -> bytes:
        """SHA-256 of the bytes."""
        from hashlib import sha256  # noqa: PLC0415 not needed for a directory

        return self.once(sha256, lambda: sha256(self.data).digest())


def container_of(data: memoryview) -> Container | None:
    """The archive in `data`, or None if it is not an archive; raises `FormatError` for a broken one."""
    if data[:4] == nres.MAGIC:
        return nres.Archive.read(data)
    if data[:4] == rsli.SIGNATURE:
        return rsli.PackedLibrary.read(data)
    return None


def container_in(item: Item) -> Container:
    """The archive that an item is; raises `AddressError` if it is something else."""
    container = item.container
    if container is None:
        raise AddressError("is not an archive", source=item.address)
    return container


def read_archive(data: memoryview) -> nres.Archive | None:
    """The NRes archive in `data`; None for anything else and for a broken one."""
    try:
        return nres.Archive.read(data) if data[:4] == nres.MAGIC else None
    except FormatError:
        return None


def entry_of(item: Item, container: Container, index: int, name: str = "") -> Item:
    """An entry of an item that is an archive; raises `FormatError`.

    Parameters
    ----------
    name
        The entry in its address; by default that of `spelling`.
    """
    made: Made = item.once((Item, index), dict)
    data = _payload(item, container, index, made)
    address = item.address.child(name or spelling(container, index))
    return Item(address, data, container.entry(index), made, item)


def _payload(item: Item, container: Container, index: int, made: Made) -> memoryview:
    """The bytes of an entry; the same object for all items of an unpacked one."""
    if isinstance(container, rsli.PackedLibrary):
        return container.payload(index)
    known = made.get(BYTES)
    if not isinstance(known, memoryview):
        data = container.payload(index)
        if UNSAVED in item.made:
            made[UNSAVED] = True
            data = memoryview(bytes(data))
        known = cast(memoryview, made.setdefault(BYTES, data))
    return known


def index_of(container: Container, entry: str) -> int | None:
    """The directory index of an entry in an address, or None."""
    if entry.startswith("#") and entry[1:].isdecimal():
        # `int` refuses a text of thousands of digits with a `ValueError`.
        index = int(entry[1:]) if len(entry) <= _LONGEST_INDEX else None
        return index if index is not None and index < len(container.rows) else None
    with contextlib.suppress(ValueError):
        return container.find(encode(entry))
    return None


def missing_entry(container: Container, entry: str) -> str:
    """The message about an entry that an address names and that does not exist."""
    if entry.startswith("#"):
        return _("has no entry {entry!r}, it has {count}", entry=entry, count=len(container.rows))
    hint = suggestion(entry, (it.text for it in container.entries))
    return _("has no entry {entry!r}{hint}", entry=entry, hint=hint)


def spelling(container: Container, index: int) -> str:
    """The text of an entry in an address: its name if that finds this entry, else its directory index."""
    text = container.entry(index).text
    # An address with such a name would be read as one of another entry: ``a::b`` as `b` in `a`, ``#3`` as row
    # 3.
    is_plain = bool(text) and SEPARATOR not in text and not text.startswith("#")
    return text if is_plain and index_of(container, text) == index else f"#{index}"
