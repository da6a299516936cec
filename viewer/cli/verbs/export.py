"""``export``: resources as files of other programs, or as text."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from viewer.cli import output, target
from viewer.cli.arguments import ADDRESS, add_out, add_reading
from viewer.cli.converting import formats
from viewer.cli.converting.formats import Exported, Format
from viewer.cli.inputs import file_store, game_option, open_item
from viewer.cli.progress import Progress
from viewer.cli.usage.verbs import DONE, FAILED
from viewer.errors import (
    Diagnostic,
    FormatError,
    MshviewError,
    OutputError,
    Severity,
    UsageError,
    reading_from,
)
from viewer.model.kinds.registry import promised_kind
from viewer.model.store.address import SEPARATOR
from viewer.model.store.file_store import Container, FileStore, Item, entry_of
from viewer.model.write.file_names import FileNames

ENTRY: Final = "{entry}"
"""What stands in ``-o`` for the name of each resource."""


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    parser.add_argument("addresses", nargs="+", metavar="PATH[::ENTRY]", help=ADDRESS)
    add_out(
        parser,
        "OUT",
        f"the file to write, its suffix being the format; - is standard output; with {ENTRY} in its name one "
        "file for each PATH, and of an archive for each entry, in a folder that is made if it is missing",
    )
    parser.add_argument(
        "--format", choices=(*formats.FORMATS,), help="the format, if it is not the suffix of OUT"
    )
    add_reading(parser)
    for module in formats.modules():
        module.declare_export(parser)


def run(options: Namespace) -> int:
    """Write the files."""
    suffix = formats.suffix_of(options.out, options.format, "-o")
    chosen = formats.module_of(suffix)
    game_option(options)
    store = file_store(*options.addresses)
    if ENTRY in options.out:
        many = _Many(options, store, chosen)
        for address in options.addresses:
            many.add(address)
        return many.status
    if len(options.addresses) > 1:
        raise UsageError(f"several files need {ENTRY} in the name", source="-o")
    target.check(options)
    item = open_item(options, options.addresses[0], store)
    with reading_from(options.addresses[0]):
        if not chosen.holds(promised_kind(item)):
            raise FormatError(f"is no model, and .{suffix} holds models only{_hint(item)}")
        _write(options, chosen.exported(options, store, item, Path(options.out).name), Path(options.out))
    return DONE


def _hint(item: Item) -> str:
    """What to do with an archive."""
    is_archive = promised_kind(item).is_archive
    return f"; -o 'FOLDER/{ENTRY}.SUFFIX' exports the models of an archive" if is_archive else ""


class _Many:
    """Resources that are exported to a file each; one that fails is reported, and the next one follows."""

    def __init__(self, options: Namespace, store: FileStore, chosen: Format) -> None:
        self.status = DONE
        self._options = options
        self._store = store
        self._chosen = chosen
        self._names = FileNames()
        self._pattern = Path(options.out)
        if ENTRY in str(self._pattern.parent):
            raise UsageError(f"{ENTRY} stands in the name of the file, not of its folder", source="-o")
        _make_folder(self._pattern.parent)

    def add(self, address: str) -> None:
        """Export the resource at an address; of an archive its entries that the format can hold."""
        with self._failing(address):
            item = open_item(self._options, address, self._store)
            container = self._store.container(item) if promised_kind(item).is_archive else None
            if container is None:
                self._export(item, 0)
                return
            with Progress(len(container.entries), "entries") as progress:
                for index in range(len(container.entries)):
                    with self._failing(f"{address}{SEPARATOR}#{index}"):
                        self._export_entry(item, container, index)
                    progress.advance()

    def _export_entry(self, item: Item, container: Container, index: int) -> None:
        entry = entry_of(item, container, index)
        if self._chosen.holds(promised_kind(entry)):
            self._export(entry, index)

    def _export(self, item: Item, index: int) -> None:
        with reading_from(str(item.address)):
            name = self._names.add(self._name(item), index)
            path = self._pattern.with_name(self._pattern.name.replace(ENTRY, name))
            target.check(self._options, path)
            _write(self._options, self._chosen.exported(self._options, self._store, item, path.name), path)

    def _name(self, item: Item) -> str:
        return item.entry.text if item.entry else item.address.name

    @contextmanager
    def _failing(self, source: str) -> Iterator[None]:
        """Report an error as that of a source."""
        try:
            yield
        except OutputError:
            raise
        except MshviewError as error:
            error.source = error.source or source
            output.write_error(str(error))
            self.status = FAILED


def _make_folder(path: Path) -> None:
    """Make the folder of the files; raises `OutputError`."""
    try:
        path.mkdir(exist_ok=True)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise OutputError(f"cannot be made: {reason}", source=str(path)) from error


def _write(options: Namespace, found: Exported, path: Path) -> None:
    """Write the files beside the exported one, and then this one."""
    if target.is_standard(options) and found.beside:
        raise UsageError("the format has several files, which standard output cannot take", source="-o")
    beside = [(path.with_name(name), data) for name, data in found.beside.items()]
    target.write(options, found.data, path, beside)
    output.write_warnings(str(path), (Diagnostic("", Severity.WARNING, it) for it in found.lossy))
