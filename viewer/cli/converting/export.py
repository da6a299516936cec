"""``export``: resources as files of other programs, or as text; many of them in one process or in several."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from viewer.cli import many, output, target
from viewer.cli.inputs import file_store, open_item, reading_options, single
from viewer.cli.models import source_reader
from viewer.cli.processes import add_jobs
from viewer.cli.usage.arguments import add_out
from viewer.cli.usage.option_arguments import add_option
from viewer.cli.usage.reading_arguments import add_control, add_reading
from viewer.cli.usage.verbs import DONE
from viewer.cli.watching import add_watch
from viewer.diagnostics import Diagnostic
from viewer.errors import FormatError, Severity, UsageError, reading_from
from viewer.model.convert.options import Options
from viewer.model.convert.scene_file import SUFFIXES, suffix_of
from viewer.model.kinds.registry import promised_kind
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import Item
from viewer.operations.corpus.many import ENTRY, OutputTask
from viewer.operations.exporting import ExportOptions, plan_export
from viewer.operations.given_options import parameters
from viewer.options import ShellOption
from viewer.translation import _


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    many.add_inputs(parser)
    add_out(
        parser,
        "OUT",
        _(
            "the file to write, its suffix being the format; - is standard output; {pattern_help}; "
            "{{lod}} and {{group}} are those of the cell",
            pattern_help=many.PATTERN_HELP,
        ),
    )
    parser.add_argument("--format", choices=SUFFIXES, help="the format, if it is not the suffix of OUT")
    add_jobs(parser)
    add_watch(parser)
    add_reading(parser)
    _declare_scene(parser)


def _declare_scene(parser: ArgumentParser) -> None:
    """Add what of a model is written, and how."""
    group = parser.add_argument_group("models as glTF or OBJ")
    add = group.add_argument
    add("--lod", type=int, choices=range(3), default=0, metavar="L", help="row of the slot matrix, default 0")
    add("--group", type=int, choices=range(5), default=0, metavar="G", help="its column, default 0")
    for option in parameters(Options).values():
        add_option(group, option, option.of(Options()))
    add_control(parser)


def _format(options: Namespace, name: str) -> ExportOptions:
    """The format that the options or the name of a file say, and how a scene is made for it."""
    suffix = chosen_suffix(options, name, "-o")
    cell, configured = (options.lod, options.group), options.configured
    return ExportOptions.given(suffix, cell, vars(options), configured, ShellOption.typed)


def chosen_suffix(options: Namespace, name: str, option: str) -> str:
    """The format that ``--format`` says, or else the name of the file; `option` is what named the file."""
    try:
        return options.format or suffix_of(name)
    except UsageError as error:
        raise UsageError(
            _("{message}; --format names the format", message=error.message), source=option
        ) from None


def run(options: Namespace) -> int:
    """Write the exported files."""
    many.fill_cell(options)
    how = _format(options, options.out)
    reading_options(options)
    if many.is_requested(options):
        return many.ManyFiles("export", how.kinds, how.what, _write_one).write(options)
    store = file_store(*options.addresses)
    target.check(options)
    item = open_item(options, single(store, options.addresses[0]), store)
    with reading_from(options.addresses[0]):
        if how.is_scene and promised_kind(item).is_archive:
            hint = _("-o 'FOLDER/{entry}.SUFFIX' exports the models of an archive", entry=ENTRY)
            raise FormatError(
                _("is no model, and .{suffix} holds models only; {hint}", suffix=how.suffix, hint=hint)
            )
        _export(options, store, item, how, Path(options.out))
    return DONE


def _write_one(options: Namespace, store: FileStore, task: OutputTask) -> None:
    """Export one of many resources."""
    item = open_item(options, task.found.address, store)
    _export(options, store, item, _format(options, options.out), task.path)


def _export(options: Namespace, store: FileStore, item: Item, how: ExportOptions, path: Path) -> None:
    """Write a resource in a format, with the files next to it, and say what was lost."""
    plan = plan_export(item, how, path, source_reader(options, store), is_alone=target.is_standard(options))
    target.write_new(options, plan.files)
    output.write_warnings(str(path), (Diagnostic("", Severity.WARNING, it) for it in plan.losses))
    for words in plan.notes:
        output.write_hint(f"{path}: {words}")
