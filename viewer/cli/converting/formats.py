"""The formats that are exported and imported, by the suffix of their files.

A format is added with one module and its line in `FORMATS`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Final, Protocol, cast

from viewer.errors import UsageError, suggestion
from viewer.model.convert.exchange import JSON, SCENES

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from pathlib import Path

    from viewer.formats.record import Bytes
    from viewer.model.convert.scene import ClipRange
    from viewer.model.convert.text.reading import Resource
    from viewer.model.kinds.kind import Kind
    from viewer.model.store.file_store import FileStore, Item
    from viewer.operations.importing import ComparedModel

FORMATS: Final[Mapping[str, str]] = {
    **dict.fromkeys(SCENES, "viewer.cli.converting.scenes"),
    JSON: "viewer.cli.converting.canonical",
}
"""The module of each suffix, a `Format`."""


@dataclass(frozen=True, slots=True)
class Exported:
    """A resource in another format.

    Parameters
    ----------
    data
        The bytes of the file, which may come in parts.
    beside
        Further files, by their names, which go into the same folder.
    lossy
        What the format cannot hold, a sentence each.
    notes
        What the user should know of it.
    """

    data: Iterable[Bytes]
    beside: Mapping[str, Iterable[Bytes]] = field(default_factory=dict)
    lossy: Sequence[str] = ()
    notes: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Imported:
    """A resource that was read from another format.

    Parameters
    ----------
    resource
        What it is; the template if it was compared with one.
    lossy
        What could not be taken over as it is, a sentence each.
    compared
        What is changed in the template; None if it was not compared with one.
    left_out
        Indices of the changes that are not made.
    beside
        Resources that belong next to it, with names of the same stem, by suffix.
    files
        Further files to be written.
    notes
        What the user should know, a sentence each.
    origin
        The model that the file of a new model came from; empty if it does not say it.
    clips
        The clips of the file.
    """

    resource: Resource
    lossy: Sequence[str] = ()
    compared: ComparedModel | None = None
    left_out: frozenset[int] = frozenset()
    beside: Mapping[str, Resource] = field(default_factory=dict)
    files: Mapping[Path, Bytes] = field(default_factory=dict)
    notes: Sequence[str] = ()
    origin: str = ""
    clips: Sequence[ClipRange] = ()


class Format(Protocol):
    """The module of a format."""

    def declare_export(self, parser: ArgumentParser) -> None:
        """Add the options of ``export`` that only this format has."""

    def declare_import(self, parser: ArgumentParser) -> None:
        """Add the options of ``import`` that only this format has."""

    def holds(self, kind: Kind) -> bool:
        """Whether resources of a kind can be exported."""

    def exported(self, options: Namespace, store: FileStore, item: Item, name: str) -> Exported:
        """Return a resource in this format; raises `MshviewError`.

        `name` is that of the file that will be written, ``-`` for standard output: files beside it are
        called after it.
        """

    def imported(self, options: Namespace, store: FileStore, item: Item, template: Item | None) -> Imported:
        """Return the resource in a file of this format; raises `MshviewError`.

        Of a `template` only what differs is changed; without one everything comes from the file.
        """


def modules() -> list[Format]:
    """The modules of all formats, each once."""
    return [cast("Format", import_module(name)) for name in dict.fromkeys(FORMATS.values())]


def suffix_of(name: str, chosen: str | None, option: str) -> str:
    """Return the suffix of a file in a format, or the chosen one; raises `UsageError` for an unknown one.

    `option` is what named the file.
    """
    if chosen is not None:
        return chosen
    suffix = name.rpartition(".")[2].lower() if "." in name else ""
    if suffix in FORMATS:
        return suffix
    known = ", ".join(f".{it}" for it in FORMATS)
    hint = suggestion(suffix, FORMATS) if suffix else ""
    raise UsageError(
        f"{name!r} does not end in one of {known}{hint}; --format names the format", source=option
    )


def module_of(suffix: str) -> Format:
    """The module of a suffix in `FORMATS`."""
    return cast("Format", import_module(FORMATS[suffix]))
