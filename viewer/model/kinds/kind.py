"""A kind of payload: one object that says how it is recognised, decoded, encoded, taken apart and checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, cast

if TYPE_CHECKING:
    from viewer.errors import Diagnostic
    from viewer.formats.archive.nres import Entry
    from viewer.formats.part import Part
    from viewer.model.checks.payload import Payload
    from viewer.model.store.file_store import Container


class Codec(Protocol):
    """The module of a format; the arguments after the bytes are what the directory entry states.

    It may have ``facts(value, entry)`` too: what follows from a value, as plain data.
    """

    def decode(self, data: memoryview, *stated: int) -> Any:
        """Return the value in the bytes; raises `FormatError` if they cannot be read."""

    def encode(self, value: Any) -> bytes:
        """Return the bytes of a value, built from its fields."""

    def parts(self, value: Any) -> Part:
        """Return what the bytes are made of; the spans tile them."""


@dataclass(frozen=True, slots=True)
class Kind:
    """Everything that is known of one kind of payload.

    Modules are named and loaded when they are used, so that listing an archive does not load every format.

    Parameters
    ----------
    id
        The word for it that ``ls`` prints and that is stored.
    title
        What it is called on screen.
    icon
        Name of the icon.
    module
        The `Codec`.
    rules
        ``module:function`` that yields all findings in a `Payload`; the decoder's own if empty.
    letters
        The four letters of its type id in a directory.
    type_id
        Its type id inside models, 0 if it has none.
    magic
        The first bytes.
    suffixes
        Ends of names. If the bytes do not say what they are, such a name does.
    has_ambiguous_suffix
        Other payloads have such names too, so the bytes must decode as well.
    content
        Tells whether bytes that start with the magic, or without a magic any bytes, are of this kind.
        Gets the type id, the bytes, and what opens them as a container that is shared.
    stated
        What the directory entry states that the decoder needs; None stands for a file without an entry.
    is_archive
        Has entries of its own.
    """

    id: str
    title: str
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

    @property
    def type_ids(self) -> frozenset[int]:
        """Type ids that it has in directories."""
        ids = {self.type_id, int.from_bytes(self.letters.encode(), "little")}
        return frozenset(ids - {0})

    @property
    def is_known(self) -> bool:
        """Whether more is known of it than its name."""
        return bool(self.module)

    @property
    def is_checked(self) -> bool:
        """Whether it stands on its own, so that a report says something of it."""
        return self.is_known and not self.type_id

    @property
    def codec(self) -> Codec:
        """The module of the format."""
        return cast(Codec, import_module(self.module))

    def decode(self, data: memoryview, entry: Entry | None = None) -> Any:
        """Return the value in the bytes; raises `FormatError` if they cannot be read."""
        return self.codec.decode(data, *self.stated(entry))

    def encode(self, value: Any) -> bytes:
        """Return the bytes of a value, built from its fields."""
        return self.codec.encode(value)

    def parts(self, value: Any) -> Part:
        """Return what the bytes of a value are made of."""
        return self.codec.parts(value)

    def facts(self, value: Any, entry: Entry | None = None) -> dict[str, Any]:
        """Return what follows from a value and its directory entry, as plain data beside its parts."""
        made = getattr(self.codec, "facts", None)
        return made(value, entry) if made else {}

    def check(self, payload: Payload) -> list[Diagnostic]:
        """Return all findings in a payload; raises `FormatError` if it cannot be read at all."""
        if not self.rules:
            value = self.decode(payload.data, payload.entry)
            return list(dict.fromkeys(getattr(value, "diagnostics", ())))
        module, _, name = self.rules.partition(":")
        rules = cast("Callable[[Payload], Iterable[Diagnostic]]", getattr(import_module(module), name))
        return list(dict.fromkeys(rules(payload)))
