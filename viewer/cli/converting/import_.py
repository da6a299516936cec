"""``import``: a resource from a file of another program, or from its text, as a file or into an archive."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from viewer.cli import output, target
from viewer.cli.converting.export import chosen_suffix
from viewer.cli.converting.import_answer import ClipFrames, ImportAnswer, ImportedItem, LibraryEdit
from viewer.cli.editing.results import REFUSED, brief, brief_diagnostics, edit_document, edit_lines
from viewer.cli.inputs import file_store, is_standard, reading_options
from viewer.cli.usage.arguments import STANDARD, add_json
from viewer.cli.usage.option_arguments import add_option
from viewer.cli.usage.reading_arguments import add_reading_choice
from viewer.cli.usage.values import Value, takes
from viewer.cli.usage.verbs import DONE, FOUND
from viewer.diagnostics import Diagnostic
from viewer.errors import FormatError, OutputError, Severity, UsageError
from viewer.formats.record import Bytes
from viewer.formats.text import decode, fold
from viewer.model.compare.file_plan import FilePlan, refused
from viewer.model.convert import scene_file
from viewer.model.convert.importing.findings import (
    BATCHES_KEPT,
    BATCHES_REMOVED,
    CELLS_KEPT,
    CELLS_REMOVED,
    DEFAULT,
    EMPTIED,
    HIDDEN,
    KEPT,
    REFERENCED,
    REMOVED,
    STATE,
    ImportChoices,
)
from viewer.model.convert.scene_file import JSON, SUFFIXES, SceneFile, nothing
from viewer.model.game.registry import TEXTURES
from viewer.model.kinds.kind import Kind
from viewer.model.kinds.registry import MODEL, promised_kind
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.writing import WrittenFile
from viewer.operations.given_options import parameters, with_options
from viewer.operations.imports.importing import NewFiles, has_entry, new_files, new_resource
from viewer.operations.imports.new_model import plan_new, plan_new_entry, plan_new_resource
from viewer.operations.imports.output import written_import
from viewer.operations.imports.plan import ImportPlan, compare
from viewer.operations.opening import Source
from viewer.operations.saving import is_same
from viewer.translation import Text, _

MOST_VALUES: Final = 20
"""Changed values that are listed one by one unless all are requested."""
GAME_LIBRARIES: Final = Path()
"""``--textures`` without a name."""
ANSWER: Final = ImportAnswer


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    takes(
        parser.add_argument("address", metavar="PATH", help="the file to import; - is standard input"),
        Value.ADDRESS,
    )
    place = parser.add_mutually_exclusive_group()
    takes(
        place.add_argument(
            "--template",
            metavar="REF[::ENTRY]",
            help="the model that was exported: only what differs from it is changed",
        ),
        Value.ADDRESS,
    )
    takes(
        place.add_argument(
            "--into",
            metavar="PATH[::ENTRY]",
            help="OUT is this whole archive with the entry replaced, or added after all others; a model that "
            "exists is compared with the file as a template, a new one gets its wear table next to it",
        ),
        Value.ADDRESS,
    )
    parser.add_argument("--format", choices=SUFFIXES, help="the format, if it is not the suffix of PATH")
    parser.add_argument(
        "--exact", action="store_true", help="write nothing if something cannot be taken over as it is"
    )
    parser.add_argument(
        "--replace",
        action="store_true",
        help="replace a model that exists under OUT by the new one of the file: what the file does not hold, "
        "such as other cells, is then only in NAME.bak",
    )
    _declare_scene(parser)
    target.add_target(parser)
    add_reading_choice(parser)
    add_json(parser)


def _declare_scene(parser: ArgumentParser) -> None:
    """Add how a file is compared with a model, and how a new model is made."""
    group = parser.add_argument_group("models of glTF or OBJ")
    for option in parameters(ImportChoices).values():
        add_option(group, option, option.of(DEFAULT))
    takes(
        group.add_argument(
            "--textures",
            nargs="?",
            const=GAME_LIBRARIES,
            type=Path,
            metavar="OUT.lib",
            help="with --into or a template: add and change materials and textures in Material.lib and "
            "Textures.lib of the game folder, and the wear table; NAME.bak keeps them; OUT.lib is the "
            "Textures.lib of another folder than that of the archive. New models as files: write the "
            "textures into this new library, and the materials into Material.lib next to it",
        ),
        Value.FILE,
    )
    group.add_argument(
        "--without",
        action="append",
        default=[],
        metavar="ITEM",
        help="with --into or a template, and --textures: leave the changes of an item out, such as "
        "Material.lib::DOME, as --dry-run lists them; may be repeated",
    )
    group.add_argument(
        "--fps", type=float, default=15.0, metavar="F", help="frames a second of a file that does not say it"
    )


def run(options: Namespace) -> int:
    """Read the file, say what it changes, and write the result."""
    suffix = chosen_suffix(options, options.address, "PATH")
    into = None if options.into is None else Address.given(options.into)
    if into is not None and not into.entries:
        raise UsageError(_("{text!r} names no entry; PATH::ENTRY does", text=options.into), source="--into")
    if options.in_place and into is None:
        raise UsageError("only an archive is written over: --into names its entry", source="--in-place")
    target.check_edit(options, [_changed_file(options)])
    store = file_store(options.address, options.template, options.into)
    plan = _planned(options, store, suffix, into)
    return _finish(options, plan, _written(options, store, plan))


def _planned(options: Namespace, store: FileStore, suffix: str, into: Address | None) -> ImportPlan:
    """The plan of a file: its changes of a template, or what is made of it."""
    path = Path(options.address)
    if suffix == JSON:
        if options.template is not None:
            raise UsageError("JSON holds every byte, so that it takes no template", source="--template")
        if into is not None:
            return plan_new_resource(store, path, _source(options, into)).worked_out(store)
        return _new(options, store, new_resource(store, path))
    file = SceneFile.open(store, path, suffix).read_as(options.fps, is_y_up=options.y_up)
    if is_standard(options.address):
        file = replace(file, next_to=nothing)
    template = into if into is not None and has_entry(store, into) else None
    if options.template is not None:
        template = Address.given(options.template)
    if template is not None:
        return _chosen(options, _compared(options, store, file, template)).worked_out(store)
    if into is not None:
        return _chosen(options, _new_entry(options, store, file, into)).worked_out(store)
    if options.textures == GAME_LIBRARIES:
        raise UsageError("a new model needs the name of a new library", source="--textures")
    has_libraries = options.textures is not None
    made = new_files(file, reading_options(options).reading, has_libraries=has_libraries)
    return _new(options, store, made)


def _changed_file(options: Namespace) -> Path:
    """The file that is changed: the archive, or a template that is a file; ``-`` for none."""
    address = Address.given(options.into or options.template or STANDARD)
    return Path(STANDARD) if options.into is None and address.entries else address.path


def _new(options: Namespace, store: FileStore, made: NewFiles) -> ImportPlan:
    """A resource of nothing but a file, as a file of its own."""
    files = {} if made.libraries is None else _library_files(options.textures, made)
    _name_in_folder(options, made.model.kind)
    has_place = bool(options.out) and not target.is_printed(options)
    source = Source(Address(made.path), replace(reading_options(options), game=None))
    if has_place:
        source = _source(options, Address(target.path_for(options, Path(STANDARD))))
    words = "the {suffix} file is not on standard output"
    lost = [_(words, suffix=it) for it in made.resources if target.is_printed(options)]
    advice = "" if options.replace else _("use --template, or --replace")
    return plan_new(store, made, source, files, has_place=has_place, advice=advice, lost=lost)


def _name_in_folder(options: Namespace, kind: Kind) -> None:
    """Let a folder that ``-o`` names stand for a file in it, called after the file that is read."""
    if options.out and Path(options.out).is_dir():
        suffix = next(iter(kind.suffixes), b"bin").decode("cp1251")
        stem = Path(options.address).stem.removesuffix(f".{suffix}")
        options.out = str(Path(options.out, f"{stem}.{suffix}"))


def _library_files(textures: Path, made: NewFiles) -> dict[Path, Bytes]:
    """The libraries of a new model by their paths, none of which may exist."""
    if str(textures) == STANDARD:
        raise UsageError("libraries are files", source="--textures")
    files: dict[Path, Bytes] = {}
    if made.libraries is not None:
        files = {textures: made.libraries.textures}
        files |= {textures.with_name(name): data for name, data in made.libraries.others.items()}
    for path in files:
        if path.exists():
            raise OutputError("exists already; textures go into new libraries", source=path)
    return files


def _source(options: Namespace, address: Address) -> Source:
    """A model with the options that say how it is read, in the game folder that they name."""
    reading, textures = reading_options(options), options.textures
    game = reading.game
    is_changed = textures not in (None, GAME_LIBRARIES) and bool(options.into or options.template)
    if is_changed:
        if fold(os.fsencode(textures.name)) != fold(TEXTURES):
            words = _("the game looks up textures in {name} alone", name=decode(TEXTURES))
            raise UsageError(words, source=f"--textures {textures}")
        if game is not None and not is_same(game, textures.parent):
            raise UsageError(_("is not in {folder}, which --game names", folder=game), source=textures)
        game = textures.parent
    return Source(address, replace(reading, game=game))


def _compared(options: Namespace, store: FileStore, file: SceneFile, template: Address) -> ImportPlan:
    """The template with what differs, and the libraries and the wear table that change with it."""
    if promised_kind(store.open(template)) is not MODEL:
        from viewer.cli.models import without_model  # noqa: PLC0415 rarely needed

        raise without_model(store, template, FormatError("is not a model", source=template))
    choices = with_options(DEFAULT, vars(options))
    plan = compare(store, file, _source(options, template), choices)
    if options.into is None:
        _name_in_folder(options, MODEL)
    return plan


def _new_entry(options: Namespace, store: FileStore, file: SceneFile, into: Address) -> ImportPlan:
    """An archive with a new model, and the libraries of its game folder with its materials."""
    source, has_libraries = _source(options, into), options.textures is not None
    if has_libraries and source.find_game(store).folder is None:
        raise UsageError("no game folder is known; --textures FOLDER/Textures.lib names it", source=into)
    plan = plan_new_entry(store, file, source, makes_libraries=has_libraries)
    if not has_libraries and plan.changes:
        note = _("--textures adds the materials to the libraries of the game folder")
        plan = replace(plan, found=replace(plan.found, notes=(*plan.found.notes, note)))
    return plan


def _chosen(options: Namespace, plan: ImportPlan) -> ImportPlan:
    """The plan without what the options leave out."""
    plan = plan.without(_left_out(options, plan))
    if options.textures is not None and target.is_printed(options):
        raise UsageError("libraries are files, not standard output", source="--textures")
    return plan


def _written(options: Namespace, store: FileStore, plan: ImportPlan) -> tuple[FilePlan, ...]:
    """The files that are written of a plan, the model or its archive as the last."""
    if plan.is_new:
        return plan.files or ()
    out = target.path_for(options, _changed_file(options)) if options.out or options.in_place else None
    is_alone = options.into is None and bool(plan.address.entries)
    has_wear = options.textures is not None
    return written_import(store, plan, out, is_alone=is_alone, has_wear=has_wear)


def _left_out(options: Namespace, plan: ImportPlan) -> frozenset[int]:
    """The changes of libraries that are not made: all without ``--textures``, else the declined ones."""
    if options.textures is None:
        return plan.library_indices
    items = [it.item for it, _ignored in plan.library_changes]
    for name in options.without:
        if name not in items:
            known = ", ".join(dict.fromkeys(items)) or _("no library changes")
            raise UsageError(
                _("{name!r} is not an item: {known}", name=name, known=known), source="--without"
            )
    return frozenset(index for index in plan.library_indices if plan.changes[index].item in options.without)


def _finish(options: Namespace, plan: ImportPlan, files: Sequence[FilePlan]) -> int:
    """Write the files unless they are refused, and print what was done."""
    refusal = _refusal(options, plan, files)
    done = [] if refusal else target.write_plans(options, files)
    warnings = [Diagnostic("", Severity.WARNING, it) for it in _warnings(plan)]
    if refusal:  # what is refused comes first
        output.write_warnings(options.address, warnings)
    if options.json:
        output.write_json("import", _answer(options, plan, files))
    elif not target.is_printed(options):
        output.confirm(_lines(plan, files, done))
    if not refusal:
        output.write_warnings(options.address, warnings)
    *others, own = files
    found = (finding for file in (own, *others) for finding in file.report.added)
    for source, problems in groupby(found, lambda it: it.source):
        output.write_warnings(source, brief_diagnostics(it.diagnostic for it in problems))
    if refusal:
        output.write_error(f"{options.address}: {refusal}")
    return FOUND if refusal else DONE


def _refusal(options: Namespace, plan: ImportPlan, files: Sequence[FilePlan]) -> str:
    """Reason for which nothing is written; empty if it is."""
    if options.exact and plan.losses:
        return _("not written, as something cannot be taken over as it is (--exact)")
    return REFUSED if refused(files, is_forced=options.force) else ""


def _warnings(plan: ImportPlan) -> Iterator[str]:
    """Sentences of losses, grouped unless everything is printed."""
    shown = brief(plan.losses) if output.is_verbose() else (it.words for it in plan.lost)
    return map(_with_option, shown)


def _answer(options: Namespace, plan: ImportPlan, files: Sequence[FilePlan]) -> ImportAnswer:
    """The changes as JSON."""
    *others, own = files
    told = edit_document(own)
    return ImportAnswer(
        source=options.address,
        changes=told.changes,
        items=[ImportedItem(it.item, str(it.words), is_made) for it, is_made in plan.library_changes],
        libraries=[LibraryEdit.of(edit_document(it)) for it in others if it.before is not None],
        lossy=[*map(str, plan.losses)],
        diagnostics=told.diagnostics,
        ranges=told.ranges,
        identical=told.identical,
        made=told.made,
        notes=told.notes,
        clips=[*map(ClipFrames.of, plan.found.clips)],
    )


def _lines(plan: ImportPlan, files: Sequence[FilePlan], done: Sequence[WrittenFile]) -> Iterator[str]:
    """The changes as text."""
    own = files[-1]
    own = replace(own, remarks=tuple(map(_with_option, own.remarks)))
    yield from brief(own.notes) if plan.is_new else edit_lines(own, most=MOST_VALUES)
    for it, is_made in plan.library_changes:
        yield f"{it.item}: {it.words}{'' if is_made else _(' (left out)')}"
    yield from target.lines_of(done)


_OPTIONS: Final[Mapping[str, str]] = {
    KEPT: _("--missing remove removes them"),
    REMOVED: _("--missing keep leaves them"),
    CELLS_KEPT: _("--missing remove removes them"),
    CELLS_REMOVED: _("--missing keep leaves them"),
    BATCHES_KEPT: _("--missing remove removes them"),
    BATCHES_REMOVED: _("--missing keep leaves them"),
    HIDDEN: _("--missing keep leaves them"),
    REFERENCED: _("--clear-references removes them"),
    EMPTIED: _("--clear-references removes them"),
    STATE: _("--states adds it"),
    scene_file.TURNED: _("--y-up and --z-up read it otherwise"),
    scene_file.KNOWN_AXIS: _("--z-up reads it otherwise"),
    scene_file.UNKNOWN_AXIS: _("--y-up reads it otherwise"),
}
"""Hints at the option that decides otherwise, by the template of a sentence."""


def _with_option(words: str) -> str:
    """The sentence, with the option that decides otherwise if there is one."""
    option = _OPTIONS.get(Text.of(words).template)
    return words if option is None else _("{words}; {option}", words=Text.of(words), option=option)
