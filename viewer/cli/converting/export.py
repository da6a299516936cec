"""``export``: resources as files of other programs, or as text; many of them in one process or in several.

One that fails is reported, and the next one follows; what each of them prints is printed in their order.
"""

from __future__ import annotations

import io
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Sequence
from contextlib import closing, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from viewer.cli import output, processes, target
from viewer.cli.documents import open_document
from viewer.cli.inputs import file_store, game_option, is_standard, open_item
from viewer.cli.output import ProgressLine
from viewer.cli.picturing.drawing import add_control
from viewer.cli.processes import count_option
from viewer.cli.usage.arguments import ADDRESS, add_out, add_reading, number
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
from viewer.model.clips.clip import FRAME_RATE
from viewer.model.convert.exchange import OBJ, SUFFIXES
from viewer.model.convert.scene import Clips, Options
from viewer.model.convert.source import ModelSource
from viewer.model.kinds.registry import promised_kind
from viewer.model.store.file_store import FileStore, Item
from viewer.model.write.saving import FileNames
from viewer.operations.exporting import ExportOptions, ExportTask, plan_export, suffix_of, tasks_in
from viewer.operations.opening import title_of

ENTRY: Final = "{entry}"
"""What stands in ``-o`` for the name of each resource."""
PORTIONS: Final = 8
"""Portions of the work per process."""
WORTH_SHARING: Final = 1 << 20
"""Total bytes from which several processes are used by default."""
ALL: Final = "all"
FASTEST: Final = 1e6
"""Most frames per second."""


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    parser.add_argument("addresses", nargs="+", metavar="PATH[::ENTRY]", help=ADDRESS)
    add_out(
        parser,
        "OUT",
        f"the file to write, its suffix being the format; - is standard output; with {ENTRY} in its name one "
        "file for each PATH, and of an archive for each entry, in a folder that is made if it is missing",
    )
    parser.add_argument("--format", choices=SUFFIXES, help="the format, if it is not the suffix of OUT")
    parser.add_argument(
        "--jobs",
        type=count_option,
        metavar="N",
        help="number of processes for many files; by default the number of cores for large ones",
    )
    add_reading(parser)
    _declare_scene(parser)


def _declare_scene(parser: ArgumentParser) -> None:
    """Add what of a model is written, and how."""
    group = parser.add_argument_group("models as glTF or OBJ")
    add = group.add_argument
    add("--lod", type=int, choices=range(3), default=0, metavar="L", help="row of the slot matrix, default 0")
    add("--group", type=int, choices=range(5), default=0, metavar="G", help="its column, default 0")
    add(
        "--cells",
        choices=("one", ALL),
        default="one",
        help="glTF: all puts every cell into the file, each as a scene; the chosen one is the default scene",
    )
    add("--no-textures", action="store_true", help="leave the pictures out")
    add("--rest", type=number, default=0.0, metavar="T", help="time of the rest pose in frames, default 0")
    add("--fps", type=_rate, default=FRAME_RATE, metavar="F", help=f"frames a second, default {FRAME_RATE:g}")
    axes = group.add_mutually_exclusive_group()
    axes.add_argument("--y-up", action="store_true", default=None, help="Y is up, the default of glTF")
    axes.add_argument("--z-up", dest="y_up", action="store_false", help="Z is up, the default of OBJ")
    add(
        "--animation",
        choices=[*map(str, Clips)],
        default=str(Clips.STRIP),
        help="glTF: all frames as one animation (default), each clip of the controller as its own, or none",
    )
    add(
        "--keys",
        choices=("frames", "native"),
        default="frames",
        help="glTF: wide turns get keys at whole frames too, as Blender would be off between keys (default); "
        "import leaves them out again; or those of the model alone",
    )
    add_control(parser)


def _rate(text: str) -> float:
    """A number of frames per second."""
    rate = number(text)
    if not 0 < rate <= FASTEST:
        raise ArgumentTypeError(f"{text} is not above 0 and at most {FASTEST:g}")
    return rate


def _format(options: Namespace, name: str) -> ExportOptions:
    """The format that the options or the name of a file say, and how a scene is made for it."""
    suffix = chosen_suffix(options, name, "-o")
    scene = Options(
        cell=(options.lod, options.group),
        has_all_cells=options.cells == ALL,
        has_textures=not options.no_textures,
        has_frame_keys=options.keys == "frames",
        rest=options.rest,
        fps=options.fps,
        is_y_up=suffix != OBJ if options.y_up is None else options.y_up,
        clips=Clips(options.animation),
    )
    return ExportOptions(suffix, scene)


def chosen_suffix(options: Namespace, name: str, option: str) -> str:
    """The format that ``--format`` says, or else the name of the file; `option` is what named the file."""
    try:
        return options.format or suffix_of(name)
    except UsageError as error:
        raise UsageError(f"{error.message}; --format names the format", source=option) from None


def run(options: Namespace) -> int:
    """Write the files."""
    how = _format(options, options.out)
    game_option(options)
    store = file_store(*options.addresses)
    if ENTRY in options.out:
        return FAILED if _export_many(options, store, how) else DONE
    if len(options.addresses) > 1:
        raise UsageError(f"several files need {ENTRY} in the name", source="-o")
    target.check(options)
    item = open_item(options, options.addresses[0], store)
    with reading_from(options.addresses[0]):
        if how.is_scene and promised_kind(item).is_archive:
            hint = f"-o 'FOLDER/{ENTRY}.SUFFIX' exports the models of an archive"
            raise FormatError(f"is no model, and .{how.suffix} holds models only; {hint}")
        _export(options, store, item, how, Path(options.out))
    return DONE


def _export(options: Namespace, store: FileStore, item: Item, how: ExportOptions, path: Path) -> None:
    """Write a resource in a format, with the files next to it, and say what was lost."""

    def read(item: Item) -> ModelSource:
        return open_document(options, str(item.address), store).to_convert(title_of(item))

    plan = plan_export(item, how, path, read, is_alone=target.is_standard(options))
    if target.is_standard(options):
        output.write_bytes([plan.data])
    else:
        written = plan.apply(can_replace=not options.no_clobber)
        target.hint_at_backups(written)
        output.confirm([*target.lines_of(written)][-1:])
    output.write_warnings(str(path), (Diagnostic("", Severity.WARNING, it) for it in plan.losses))
    for words in plan.notes:
        output.write_hint(f"{path}: {words}")


def _export_many(options: Namespace, store: FileStore, how: ExportOptions) -> bool:
    """Export what the options name to a file each; whether anything failed."""
    if ENTRY in str(Path(options.out).parent):
        raise UsageError(f"{ENTRY} stands in the name of the file, not of its folder", source="-o")
    tasks, has_failed = _tasks(options, store, how)
    jobs = _job_count(options, tasks)
    exporting = _Exporting(options, how, output.verbosity())
    begin = partial(exporting.begin, store) if jobs == 1 else exporting.begin  # it has standard input
    step = max(1, len(tasks) // (jobs * PORTIONS))
    portions = [range(it, min(it + step, len(tasks))) for it in range(0, len(tasks), step)]
    results = processes.results(begin, tasks, jobs, portions, verb="export")
    with ProgressLine(len(tasks), "files") as progress, closing(results):
        for printed in results:
            output.relay(printed.out, printed.err)
            has_failed |= printed.has_failed
            progress.advance()
    return has_failed


def _tasks(options: Namespace, store: FileStore, how: ExportOptions) -> tuple[list[ExportTask], bool]:
    """The resources that the addresses name, and whether one of them could not be read."""
    tasks, names, has_failed = list[ExportTask](), FileNames(), False
    for address in options.addresses:
        try:
            for found in tasks_in(store, open_item(options, address, store), how, names):
                if isinstance(found, ExportTask):
                    tasks.append(found)
                else:
                    has_failed = True
                    _report(found.error, str(found.address))
        except MshviewError as error:
            has_failed = True
            _report(error, address)
    return tasks, has_failed


def _report(error: MshviewError, source: str) -> None:
    """Print an error as that of a source."""
    error.source = error.source or source
    output.write_error(str(error))


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


@dataclass(frozen=True, slots=True)
class _Exporting:
    """How resources are exported: the options of the verb, and the format."""

    options: Namespace
    how: ExportOptions
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
                name = Path(self.options.out).name.replace(ENTRY, task.name)
                path = Path(self.options.out).with_name(name)
                with reading_from(str(task.address)):
                    target.check(self.options, path)
                    _export(self.options, store, store.open(task.address), self.how, path)
            except OutputError:
                raise
            except MshviewError as error:
                _report(error, str(task.address))
                has_failed = True
        return _Printed(out.getvalue(), err.getvalue(), has_failed)
