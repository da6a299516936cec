"""Files that are written of many inputs: one that fails is reported, and the next one follows.

What is printed about each of them is printed in their order, whichever process has written it.
"""

from __future__ import annotations

import io
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from pathlib import Path

from msgspec import Struct

from viewer.cli import output, target
from viewer.cli.inputs import expand, file_store, is_standard
from viewer.cli.processes import SharedWork, job_count, one_by_one
from viewer.cli.usage.arguments import ADDRESS, add_paths
from viewer.cli.usage.verbs import DONE, FAILED
from viewer.errors import MshviewError, OutputError, UsageError, reading_from
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.corpus.many import (
    ENTRY,
    HOLDER,
    INDEX,
    STEM,
    ItemFinder,
    OutputTask,
    fill,
    is_pattern,
    output_tasks,
)
from viewer.translation import _

PATTERN_HELP = _(
    "with {entry} in its name one file for each PATH, and of archives and folders for everything in "
    "them, in a folder that is made if it is missing; {stem} is the name without its suffix, {index} "
    "its index in the directory, {archive} the name of the archive or folder",
)
LOD, GROUP, FRAME = "{lod}", "{group}", "{frame}"
"""Templates for the requested cell of a model, and for the number of an image in a series."""

Write = Callable[[Namespace, FileStore, OutputTask], None]
"""Writes the file of one resource; raises `MshviewError`. A function of a module: other processes call it."""
Files = Callable[[Namespace, Path], Sequence[Path]]
"""All files that are written for the path of a resource, such as the images of a series."""


def add_inputs(parser: ArgumentParser) -> None:
    """Add the addresses of what is written, one or many."""
    words = _("{address}; with {entry} in OUT also archives and folders", address=ADDRESS, entry=ENTRY)
    add_paths(parser, words)


def fill_cell(options: Namespace, *others: str) -> None:
    """Put the requested LOD and group into the name of the output; `others` are templates filled later.

    Raises `UsageError` for a template that is unknown, or whose value is not requested.
    """
    cell = {LOD: options.lod, GROUP: options.group}
    for name, value in cell.items():
        if value is None and name in options.out:
            raise UsageError(_("{name} needs --{option}", name=name, option=name.strip("{}")), source="-o")
    options.out = fill(options.out, {**cell, **dict.fromkeys(others)})


def is_requested(options: Namespace) -> bool:
    """Whether the options write many files; raises `UsageError` for several inputs and one output."""
    if not is_pattern(options.out):
        expand(options)
    if not is_pattern(options.out) and HOLDER in options.out:
        words = _(
            "{holder} needs {entry}, {stem} or {index} in the name too",
            holder=HOLDER,
            entry=ENTRY,
            stem=STEM,
            index=INDEX,
        )
        raise UsageError(words, source="-o")
    if not is_pattern(options.out) and len(options.addresses) > 1:
        raise UsageError(_("several files need {entry} in the name", entry=ENTRY), source="-o")
    return is_pattern(options.out)


def numbered(options: Namespace, out: Path, count: int) -> Iterator[Path]:
    """The file itself, or numbered files next to it for a series."""
    has_template = FRAME in options.out
    if count == 1 and not has_template:
        yield out
        return
    digits = max(4, len(str(count - 1)))
    for index in range(count):
        number = f"{index:0{digits}}"
        if has_template:
            yield Path(str(out).replace(FRAME, number))
        else:
            yield out.with_name(f"{out.stem}_{number}{out.suffix}")


class _Printed(Struct, frozen=True):
    """The output of one task in both streams, and whether the task failed."""

    out: str
    err: str
    has_failed: bool


def _itself(_: Namespace, path: Path) -> Sequence[Path]:
    return (path,)


class ManyFiles(Struct, frozen=True):
    """The files that a verb writes from many inputs.

    Parameters
    ----------
    kinds, what
        As in `ItemFinder`.
    write_one, files
        Writes the files of a resource, and names them.
    inputs
        Further addresses of the options that are read, of which one may be standard input.
    drawing_jobs
        The number of processes for so many tasks that draw, by the requested one; None for other work.
    """

    verb: str
    kinds: frozenset[str]
    what: str
    write_one: Write
    files: Files = _itself
    inputs: Sequence[str | None] = ()
    drawing_jobs: Callable[[int, int | None], int] | None = None

    def write(self, options: Namespace) -> int:
        """Write the files of all that the options name; return the exit status.

        Everything is found and named before anything is written; raises `UsageError` for equal names, and
        `OutputError` for a name of a file that is read.
        """
        store = file_store(*options.addresses, *self.inputs)
        finder = ItemFinder(store, self.kinds, self.what)
        found = finder.find([*map(Address.given, options.addresses)])
        tasks = output_tasks(found, options.out, partial(self.files, options))
        given = [Address.given(it) for it in self.inputs if it]
        paths = [it.path for it in tasks]
        target.refuse_sources(options, *(it.found.address for it in tasks), *given, paths=paths)
        work = _Process(options, self.write_one, self.files, output.verbosity())
        sizes = [task.found.size for task in tasks]
        # Other processes do not have standard input.
        is_alone = any(is_standard(address) for address in (*options.addresses, *self.inputs) if address)
        count = self.drawing_jobs or (lambda _, requested: job_count(sizes, requested))
        jobs = 1 if is_alone else count(len(tasks), options.jobs)
        shared = SharedWork(
            self.verb,
            _("files"),
            partial(one_by_one, partial(work.begin, store) if jobs == 1 else work.begin),
            None if self.drawing_jobs else sizes,
            is_drawing=self.drawing_jobs is not None,
        )
        status = DONE
        for printed in shared.results(tasks, jobs):
            if not printed.has_failed:
                output.note_written()  # by another process, perhaps
            output.relay(printed.out, printed.err)
            status = FAILED if printed.has_failed else status
        return status


class _Process(Struct, frozen=True):
    """The input of a worker process."""

    options: Namespace
    write_one: Write
    files: Files
    verbosity: output.Verbosity

    def begin(self, store: FileStore | None = None) -> Callable[[OutputTask], _Printed]:
        """Make what writes one file after the other, from a store of its own if none is given."""
        output.choose(self.verbosity)
        return partial(self._printed, store or FileStore())

    def _printed(self, store: FileStore, task: OutputTask) -> _Printed:
        out, err, address = io.StringIO(), io.StringIO(), task.found.address
        has_failed = False
        with redirect_stdout(out), redirect_stderr(err):
            if task.found.problem:
                output.write_error(f"{address}: {task.found.problem}")
                return _Printed("", err.getvalue(), has_failed=True)
            try:
                with reading_from(address):
                    target.check(self.options, *self.files(self.options, task.path))
                    self.write_one(self.options, store, task)
                store.open(address).made.clear()  # what is derived of one resource is not used for another
            except OutputError:
                raise
            except MshviewError as error:
                output.write_error(str(error))
                has_failed = True
        return _Printed(out.getvalue(), err.getvalue(), has_failed)
