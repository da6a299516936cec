"""``export``: resources as files of other programs, or as text; many of them in one process or in several.

One that fails is reported, and the next one follows; what each of them prints is printed in their order.
"""

from __future__ import annotations

import io
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from viewer.cli import output, processes, target
from viewer.cli.converting import scenes
from viewer.cli.converting.scenes import FORMATS, Exported, suffix_of
from viewer.cli.inputs import file_store, game_option, is_standard, open_item
from viewer.cli.output import ProgressLine
from viewer.cli.processes import count_option
from viewer.cli.usage.arguments import ADDRESS, add_out, add_reading
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
from viewer.model.convert.exchange import JSON
from viewer.model.convert.text.writing import text_of
from viewer.model.kinds.registry import MODEL, promised_kind
from viewer.model.store.address import SEPARATOR, Address
from viewer.model.store.file_store import FileStore, Item, entry_of
from viewer.model.write.saving import FileNames

ENTRY: Final = "{entry}"
"""What stands in ``-o`` for the name of each resource."""
PORTIONS: Final = 8
"""Portions of the work per process."""
WORTH_SHARING: Final = 1 << 20
"""Total bytes from which several processes are used by default."""


@dataclass(frozen=True, slots=True)
class ExportTask:
    """A resource, its size in bytes, and the file that it is written to."""

    address: Address
    size: int
    path: Path


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    parser.add_argument("addresses", nargs="+", metavar="PATH[::ENTRY]", help=ADDRESS)
    add_out(
        parser,
        "OUT",
        f"the file to write, its suffix being the format; - is standard output; with {ENTRY} in its name one "
        "file for each PATH, and of an archive for each entry, in a folder that is made if it is missing",
    )
    parser.add_argument("--format", choices=FORMATS, help="the format, if it is not the suffix of OUT")
    parser.add_argument(
        "--jobs",
        type=count_option,
        metavar="N",
        help="number of processes for many files; by default the number of cores for large ones",
    )
    add_reading(parser)
    scenes.declare(parser)


def run(options: Namespace) -> int:
    """Write the files."""
    suffix = suffix_of(options.out, options.format, "-o")
    game_option(options)
    store = file_store(*options.addresses)
    if ENTRY in options.out:
        return FAILED if _export_many(options, store, suffix) else DONE
    if len(options.addresses) > 1:
        raise UsageError(f"several files need {ENTRY} in the name", source="-o")
    target.check(options)
    item = open_item(options, options.addresses[0], store)
    with reading_from(options.addresses[0]):
        if not _holds(suffix, item):
            is_archive = promised_kind(item).is_archive
            hint = f"; -o 'FOLDER/{ENTRY}.SUFFIX' exports the models of an archive" if is_archive else ""
            raise FormatError(f"is no model, and .{suffix} holds models only{hint}")
        _export(options, store, item, suffix, Path(options.out))
    return DONE


def _holds(suffix: str, item: Item) -> bool:
    """Whether files of a format can hold a resource: text any, the others models alone."""
    return suffix == JSON or promised_kind(item) is MODEL


def _export(options: Namespace, store: FileStore, item: Item, suffix: str, path: Path) -> None:
    """Write a resource in a format, with the files next to it, and say what was lost."""
    if suffix == JSON:
        found = Exported(text.encode() for text in text_of(promised_kind(item), item.data, item.entry))
    else:
        found = scenes.exported(options, store, item, path.name)
    if target.is_standard(options) and found.beside:
        raise UsageError("the format has several files, which standard output cannot take", source="-o")
    beside = [(path.with_name(name), data) for name, data in found.beside.items()]
    target.write(options, found.data, path, beside)
    output.write_warnings(str(path), (Diagnostic("", Severity.WARNING, it) for it in found.lossy))
    for words in found.notes:
        output.write_hint(f"{path}: {words}")


def _export_many(options: Namespace, store: FileStore, suffix: str) -> bool:
    """Export what the options name to a file each; whether anything failed."""
    plan = _Plan(options, store, suffix)
    for address in options.addresses:
        plan.add(address)
    has_failed = plan.has_failed
    jobs = _job_count(options, plan.tasks)
    exporting = _Exporting(options, suffix, output.verbosity())
    begin = partial(exporting.begin, store) if jobs == 1 else exporting.begin  # it has standard input
    step = max(1, len(plan.tasks) // (jobs * PORTIONS))
    portions = [range(it, min(it + step, len(plan.tasks))) for it in range(0, len(plan.tasks), step)]
    results = processes.results(begin, plan.tasks, jobs, portions, verb="export")
    with ProgressLine(len(plan.tasks), "files") as progress, closing(results):
        for printed in results:
            output.relay(printed.out, printed.err)
            has_failed |= printed.has_failed
            progress.advance()
    return has_failed


def _job_count(options: Namespace, tasks: Sequence[ExportTask]) -> int:
    """Number of processes; other processes do not have standard input."""
    if any(is_standard(address) for address in options.addresses):
        return 1
    usual = processes.cores() if sum(task.size for task in tasks) >= WORTH_SHARING else 1
    return max(1, min(options.jobs or usual, len(tasks)))


@dataclass(frozen=True, slots=True)
class _Printed:
    """What one export printed to either stream, and whether it failed."""

    out: str
    err: str
    has_failed: bool


class _Plan:
    """Finds the resources at some addresses: an archive stands for its entries.

    Attributes
    ----------
    tasks
        What was found.
    has_failed
        Whether something could not be read; it has been reported.
    """

    def __init__(self, options: Namespace, store: FileStore, suffix: str) -> None:
        self.tasks: list[ExportTask] = []
        self.has_failed = False
        self._options, self._store, self._suffix = options, store, suffix
        self._names = FileNames()
        self._pattern = Path(options.out)
        if ENTRY in str(self._pattern.parent):
            raise UsageError(f"{ENTRY} stands in the name of the file, not of its folder", source="-o")

    def add(self, address: str) -> None:
        """Add the resource at an address; of an archive its entries that the format can hold."""
        with self._failing(address):
            item = open_item(self._options, address, self._store)
            container = self._store.container(item) if promised_kind(item).is_archive else None
            if container is None:
                self._add(item, 0)
                return
            for index in range(len(container.entries)):
                with self._failing(f"{address}{SEPARATOR}#{index}"):
                    entry = entry_of(item, container, index)
                    if _holds(self._suffix, entry):
                        self._add(entry, index)

    def _add(self, item: Item, index: int) -> None:
        name = self._names.add(item.entry.text if item.entry else item.address.name, index)
        path = self._pattern.with_name(self._pattern.name.replace(ENTRY, name))
        self.tasks.append(ExportTask(item.address, len(item.data), path))

    @contextmanager
    def _failing(self, source: str) -> Iterator[None]:
        """Report an error as that of a source."""
        try:
            yield
        except MshviewError as error:
            error.source = error.source or source
            output.write_error(str(error))
            self.has_failed = True


@dataclass(frozen=True, slots=True)
class _Exporting:
    """How resources are exported: the options of the verb, and the format."""

    options: Namespace
    suffix: str
    verbosity: output.Verbosity

    def begin(self, store: FileStore | None = None) -> Callable[[ExportTask], _Printed]:
        """Make what exports one task after the other, from a store of its own if none is given."""
        output.choose(self.verbosity)
        store = store or FileStore()
        return lambda task: self._printed(store, task)

    def _printed(self, store: FileStore, task: ExportTask) -> _Printed:
        out, err = io.StringIO(), io.StringIO()
        has_failed = False
        with redirect_stdout(out), redirect_stderr(err):
            try:
                self._write(store, task)
            except OutputError:
                raise
            except MshviewError as error:
                error.source = error.source or str(task.address)
                output.write_error(str(error))
                has_failed = True
        return _Printed(out.getvalue(), err.getvalue(), has_failed)

    def _write(self, store: FileStore, task: ExportTask) -> None:
        item = store.open(task.address)
        with reading_from(str(task.address)):
            target.check(self.options, task.path)
            _export(self.options, store, item, self.suffix, task.path)
