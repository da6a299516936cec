"""``export``: resources as files of other programs, or as text; many of them in one process or in several."""

from __future__ import annotations

from argparse import Action, ArgumentParser, ArgumentTypeError, Namespace, _ActionsContainer
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Any

from viewer.cli import many, output, target
from viewer.cli.inputs import file_store, game_option, open_item, single
from viewer.cli.models import source_reader
from viewer.cli.processes import add_jobs
from viewer.cli.usage.arguments import add_control, add_out, add_reading, number, with_given
from viewer.cli.usage.verbs import DONE
from viewer.cli.watching import add_watch
from viewer.diagnostics import Diagnostic
from viewer.errors import FormatError, Severity, UsageError, reading_from
from viewer.model.convert.export_option import DeclaredOption, export_options
from viewer.model.convert.options import Clips, Options
from viewer.model.convert.scene_file import OBJ, SUFFIXES, suffix_of
from viewer.model.kinds.registry import promised_kind
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import Item
from viewer.operations.arguments import ARGUMENTS, FINITE
from viewer.operations.corpus.many import ENTRY, OutputTask
from viewer.operations.exporting import ExportOptions, plan_export
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
    for declared in export_options(Options):
        _add(group, declared)
    add_control(parser)


def _add(group: _ActionsContainer, declared: DeclaredOption) -> None:
    """Add an option as the field declares it; the field is None without it."""
    option, kind = declared.option, declared.kind
    more: dict[str, Any] = {"dest": declared.field, "default": None, "help": option.help}
    if option.opposite is not None:
        both = group.add_mutually_exclusive_group()
        both.add_argument(option.name, action="store_true", **more)
        name, words = option.opposite
        both.add_argument(name, action="store_false", **more | {"help": words})
    elif option.words:
        group.add_argument(option.name, action=_Chosen, choices=option.words, **more)
    elif kind is bool:
        group.add_argument(option.name, action="store_false" if option.turns_off else "store_true", **more)
    elif issubclass(kind, Enum):
        group.add_argument(option.name, choices=[*map(str, kind)], **more)
    else:
        group.add_argument(option.name, type=partial(_number, option.name), metavar=option.metavar, **more)


class _Chosen(Action):
    """Stores whether the second of two words was chosen."""

    def __call__(
        self, parser: ArgumentParser, namespace: Namespace, values: Any, option_string: str | None = None
    ) -> None:
        """Store the value of the option."""
        setattr(namespace, self.dest, values == (*(self.choices or ()),)[1])


def _number(name: str, text: str) -> float:
    """A number, within the bounds of arguments of that name."""
    try:
        return float(ARGUMENTS.get(name.removeprefix("--"), FINITE)(number(text)))
    except UsageError as error:
        raise ArgumentTypeError(error.message) from None


def _format(options: Namespace, name: str) -> ExportOptions:
    """The format that the options or the name of a file say, and how a scene is made for it."""
    suffix = chosen_suffix(options, name, "-o")
    given = {it.field: getattr(options, it.field) for it in export_options(Options)}
    if given["clips"] is not None:
        given["clips"] = Clips(given["clips"])
    usual = Options(cell=(options.lod, options.group), is_y_up=suffix != OBJ)
    return ExportOptions(suffix, with_given(usual, **given))


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
    game_option(options)
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
