"""A kind of payload: how it is recognised, decoded, encoded, split into parts and checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, cast

from msgspec import Struct

from viewer.json_types import members

if TYPE_CHECKING:
    from viewer.diagnostics import Diagnostic
    from viewer.formats.archive.nres import Entry
    from viewer.formats.layout.layout import Layout
    from viewer.formats.part import Part
    from viewer.model.checks.payload import Payload
    from viewer.model.store.item import Container, Item
    from viewer.translation import Text


class Codec(Protocol):
    """The module of a format; arguments after the bytes come from the directory entry.

    Its ``LAYOUT`` declares the parts for JSON and the reference; archives have none. It may have
    ``facts(value, entry)`` too, which returns a class of what follows from a decoded value; a member that is
    a class itself has more columns of the table of its name.
    """

    def decode(self, data: memoryview, *stated: int) -> Any:
        """The value in the bytes; raises `FormatError` if they cannot be read."""

    def encode(self, value: Any) -> bytes:
        """The bytes of a value, built from its fields."""

    def parts(self, value: Any) -> Part:
        """The tree of parts; their spans tile the bytes."""


class Kind(Struct, frozen=True):
    """A kind of payload.

    Modules are named and loaded when they are used, so that listing an archive does not load every format.

    Parameters
    ----------
    id
        The name that ``ls`` prints and that is stored.
    title
        The name on screen.
    icon
        Name of the icon.
    module
        The `Codec`.
    rules
        ``module:function`` that yields the diagnostics of a `Payload`; those of the decoder if empty.
    letters
        The four letters of its type id in a directory.
    type_id
        Its type id if that is a small number, as inside models and maps; 0 if it has none.
    magic
        The first bytes.
    suffixes
        Suffixes of names, which decide if the bytes do not.
    has_ambiguous_suffix
        Other kinds have such names too, so the bytes must also decode.
    content
        Whether bytes that start with the magic (without a magic, any bytes) are of this kind.
        Arguments: the type id, the bytes, and a function that opens them as a shared container.
    stated
        The values of the directory entry that the decoder needs; called with None for a file.
    is_archive
        Whether it has entries.
    is_table
        Whether it is a table of models, checked with them.
    reading_rules
        ``module:function`` that gives the diagnostics of reading a value; those that it has if empty.
    """

    id: str
    title: Text
    icon: str
    module: str = ""
    rules: str = ""
    letters: str = ""
    type_id: int = 0
    magic: bytes = b""
    suffixes: tuple[bytes, ...] = ()
    has_ambiguous_suffix: bool = False
    content: Callable[[int, memoryview, Callable[[], Container | None] | None], bool] | None = None
    stated: Callable[[Entry | None], tuple[int, ...]] = lambda _: ()
    is_archive: bool = False
    is_table: bool = False
    reading_rules: str = ""

    @property
    def type_ids(self) -> frozenset[int]:
        """The type ids of the kind in directories."""
        # MESH is 0x4853454D: the first letter is the low byte (spec/nres.md 1.2). Without letters that is 0,
        # which is no type.
        ids = {self.type_id, int.from_bytes(self.letters.encode(), "little")}
        return frozenset(ids - {0})

    @property
    def is_known(self) -> bool:
        """Whether the format of the kind is known."""
        return bool(self.module)

    @property
    def is_checked(self) -> bool:
        """Whether payloads of the kind are checked and reported on their own."""
        return self.is_known and not self.is_table

    @property
    def codec(self) -> Codec:
        """The module of the format."""
        return cast(Codec, import_module(self.module))

    def decode(self, data: memoryview, entry: Entry | None = None) -> Any:
        """The value in the bytes; raises `FormatError` if they cannot be read."""
        return self.codec.decode(data, *self.stated(entry))

    def read(self, item: Item) -> Any:
        """The value in the bytes of an item; raises `FormatError` if they cannot be read."""
        return self.decode(item.data, item.nres_entry)

    def parts_in(self, item: Item) -> Part:
        """The tree of parts of an item; raises `FormatError` if it cannot be read."""
        return self.parts(self.read(item))

    def encode(self, value: Any) -> bytes:
        """The bytes of a value, built from its fields."""
        return self.codec.encode(value)

    def layout(self, entry: Entry | None = None) -> Layout[Any] | None:
        """The layout of the payloads; None if they are archives, or not known."""
        if not self.is_known:
            return None
        if self.is_table:
            return cast("Callable[..., Layout[Any]]", vars(self.codec)["layout_of"])(*self.stated(entry))
        return getattr(self.codec, "LAYOUT", None)

    def parts(self, value: Any) -> Part:
        """The tree of parts of a value."""
        return self.codec.parts(value)

    def facts(self, value: Any, entry: Entry | None = None) -> Mapping[str, Any]:
        """The values that follow from a decoded value and its directory entry, by name."""
        made = getattr(self.codec, "facts", None)
        return members(made(value, entry)) if made else {}

    def findings(self, value: Any) -> list[Diagnostic]:
        """The diagnostics of reading a decoded value."""
        rules = self.reading_rules
        return list(dict.fromkeys(_named(rules)(value) if rules else getattr(value, "diagnostics", ())))

    def check(self, payload: Payload) -> list[Diagnostic]:
        """The diagnostics of a payload; raises `FormatError` if it cannot be read at all."""
        if not self.rules:
            return self.findings(self.decode(payload.data, payload.entry))
        return list(dict.fromkeys(_named(self.rules)(payload)))


def _named(function: str) -> Callable[[Any], Iterable[Diagnostic]]:
    """The function called ``module:function``."""
    module, _, name = function.partition(":")
    return cast("Callable[[Any], Iterable[Diagnostic]]", getattr(import_module(module), name))
