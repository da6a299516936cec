"""``import``: a resource from a file of another program, or from its text, as a file or into an archive."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import chain, groupby
from pathlib import Path
from typing import Any

from viewer.cli import output, target
from viewer.cli.converting import incoming
from viewer.cli.converting.export import chosen_suffix
from viewer.cli.converting.incoming import Imported
from viewer.cli.converting.placing import source_of, with_changes
from viewer.cli.editing.results import REFUSED, edit_document, edit_lines
from viewer.cli.inputs import file_store, game_option
from viewer.cli.usage.arguments import STANDARD, add_json, add_reading_choice
from viewer.cli.usage.verbs import DONE, FOUND
from viewer.errors import Diagnostic, FormatError, Severity, UsageError
from viewer.formats.record import Bytes
from viewer.model.checks.payload import Payload, Surroundings
from viewer.model.compare.added_diagnostics import Finding
from viewer.model.compare.edit_report import diagnostic_document
from viewer.model.convert.exchange import JSON, SUFFIXES
from viewer.model.convert.scene import ClipRange
from viewer.model.convert.text.reading import Resource, resource_of
from viewer.model.game import game_folder
from viewer.model.game.registry import Game
from viewer.model.material import selectors
from viewer.model.mesh.reading import ReadingChoice
from viewer.model.store import recovery
from viewer.model.store.address import Address
from viewer.model.store.disk import UnsavedFiles
from viewer.model.store.file_store import FileStore, Item
from viewer.model.store.folder import CaselessFolder
from viewer.model.store.writing import WrittenFile
from viewer.operations.editing import PlannedFile
from viewer.operations.importing import ComparedModel, has_entry, plan_resource, refuse_replacing
from viewer.translation import Sentence


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    parser.add_argument("address", metavar="PATH", help="the file to import; - is standard input")
    place = parser.add_mutually_exclusive_group()
    place.add_argument(
        "--template",
        metavar="REF[::ENTRY]",
        help="the model that was exported: only what differs from it is changed",
    )
    place.add_argument(
        "--into",
        metavar="PATH[::ENTRY]",
        help="OUT is this whole archive with the entry replaced, or added after all others; models are "
        "compared with the entry as with a template",
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
    incoming.declare(parser)
    target.add_target(parser)
    add_reading_choice(parser)
    add_json(parser)


def run(options: Namespace) -> int:
    """Read the file, say what it changes, and write the result."""
    suffix = chosen_suffix(options, options.address, "PATH")
    into = None if options.into is None else _entry_address(options.into)
    if options.in_place and into is None:
        raise UsageError("only an archive is written over: --into names its entry", source="--in-place")
    target.check_edit(options, [_changed_file(options)])
    store = file_store(options.address, options.template, options.into)
    recovery.recover(Path(options.address).absolute().parent)  # the files next to it belong together
    item = store.open(Address(Path(options.address)))
    template = _template(options, store, into)
    found = incoming.imported(options, store, item, template) if suffix != JSON else _parsed(options, item)
    if into is None and options.out and Path(options.out).is_dir():
        suffix = next(iter(found.resource.kind.suffixes), b"bin").decode("cp1251")
        stem = Path(options.address).stem.removesuffix(f".{suffix}")
        options.out = str(Path(options.out, f"{stem}.{suffix}"))
    if into is None and found.beside and options.out and not options.replace:
        place = Path(options.out)
        places = (place, *(place.with_suffix(suffix) for suffix in found.beside))
        advice = "use --template, or --replace"
        refuse_replacing(Path(options.address), found.origin, places, advice)
    return _finish(options, _result(options, store, found, into))


def _parsed(options: Namespace, item: Item) -> Imported:
    """The resource of a text; raises `FormatError`, or `UsageError` if a template is given."""
    if options.template is not None:
        raise UsageError("JSON holds every byte, so that it takes no template", source="--template")
    return Imported(resource_of(item.data, str(item.address)))


def _changed_file(options: Namespace) -> Path:
    """The file that is changed: the archive, or a template that is a file; ``-`` for none."""
    address = Address.given(options.into or options.template or STANDARD)
    return Path(STANDARD) if options.into is None and address.entries else address.path


def _entry_address(text: str) -> Address:
    address = Address.given(text)
    if not address.entries:
        raise UsageError(f"{text!r} names no entry; PATH::ENTRY does", source="--into")
    return address


def _template(options: Namespace, store: FileStore, into: Address | None) -> Item | None:
    """The resource that the file is compared with: the template, or the entry that is replaced."""
    if options.template is not None:
        return store.open(Address.given(options.template))
    return store.open(into) if into is not None and has_entry(store, into) else None


@dataclass(frozen=True, slots=True)
class _Result:
    """What is written, and what is said about it; without an edit there was nothing to compare with."""

    source: str
    before: Bytes
    after: Bytes
    lossy: Sequence[str]
    edited: PlannedFile | None = None
    diagnostics: Sequence[Finding] = ()
    files: Mapping[Path, Bytes] = field(default_factory=dict)
    libraries: Sequence[PlannedFile] = ()
    wear: PlannedFile | None = None
    is_over_wear: bool = False
    items: Sequence[Mapping[str, Any]] = ()
    notes: Sequence[str] = ()
    clips: Sequence[ClipRange] = ()

    @property
    def others(self) -> list[PlannedFile]:
        """What changes with the model: the libraries, and its wear table if that is a file."""
        return [*self.libraries, *([] if self.wear is None else [self.wear])]

    @property
    def edits(self) -> list[PlannedFile]:
        """All files that are edited."""
        return [*([] if self.edited is None else [self.edited]), *self.others]

    @property
    def rewritten(self) -> list[PlannedFile]:
        """The files that are written over themselves with the model."""
        found = self.others if self.is_over_wear else self.libraries
        return [it for it in found if it.is_changed]

    @property
    def document(self) -> dict[str, Any]:
        """What is changed, as JSON."""
        told = {} if self.edited is None else edit_document(self.edited)
        libraries = [edit_document(it) for it in self.others]
        return {
            "source": self.source,
            "changes": told.get("changes", []),
            "items": self.items,
            "libraries": [{name: it[name] for name in ("source", "changes", "ranges")} for it in libraries],
            "lossy": [*map(str, self.lossy)],
            "diagnostics": told.get("diagnostics", [*map(diagnostic_document, self.diagnostics)]),
            "ranges": told.get("ranges", []),
            "identical": told.get("identical", False),
            "made": told.get("made", []),
            "notes": told.get("notes", [*map(str, self.notes)]),
            "clips": [*map(asdict, self.clips)],
        }


def _result(options: Namespace, store: FileStore, found: Imported, into: Address | None) -> _Result:
    """Put the resource where it belongs, in memory."""
    if found.compared is not None:
        is_alone = into is None and bool(found.compared.source.address.entries)
        return _compared(options, store, found, found.compared, is_alone=is_alone)
    if into is not None:
        planned = plan_resource(store, source_of(options, into), found.resource, found.beside)
        file = replace(planned, remarks=tuple(found.notes))
        return _Result(options.address, file.before, file.after, found.lossy, edited=file, files=found.files)
    data = found.resource.data
    beside, lossy = _beside(options, found)
    return _Result(
        options.address,
        b"",
        data,
        lossy,
        diagnostics=[*_problems(options, store, found)],
        files=beside,
        notes=found.notes,
        clips=found.clips,
    )


def _compared(
    options: Namespace, store: FileStore, found: Imported, compared: ComparedModel, *, is_alone: bool
) -> _Result:
    """The template with what differs, and the libraries and the wear table that change with it."""
    if options.textures is not None and target.is_printed(options):
        raise UsageError("libraries are files, not standard output", source="--textures")
    has_wear = options.textures is not None
    placed = with_changes(store, compared, found.left_out, is_alone=is_alone, has_wear=has_wear)
    files: dict[Path, Bytes] = {}
    is_over_wear = False
    if placed.wear is not None and (options.out or options.in_place):
        out = target.path_for(options, _changed_file(options))
        place = out.with_suffix(selectors.SUFFIX)
        is_over_wear = placed.wear_file is not None and (
            target.is_same(out, compared.source.address.path) or target.is_same(place, placed.wear_file.path)
        )
        files = {} if is_over_wear else {place: placed.wear}
    items = [
        {"item": it.item, "change": str(it.change.words), "is_made": index not in found.left_out}
        for index, it in zip(compared.library_indices, compared.found.libraries, strict=True)
    ]
    before = b"" if is_alone else placed.file.before
    return _Result(
        options.address,
        before,
        placed.after,
        found.lossy,
        placed.file,
        files=files,
        libraries=placed.libraries,
        wear=placed.wear_file,
        is_over_wear=is_over_wear,
        items=items,
        clips=found.clips,
    )


def _beside(options: Namespace, found: Imported) -> tuple[dict[Path, Bytes], list[str]]:
    """The files next to a new one, and what is lost without a name for them."""
    files, lossy = dict(found.files), [*found.lossy]
    if target.is_printed(options):
        lossy += [Sentence("the {suffix} file is not on standard output", suffix=it) for it in found.beside]
    elif options.out:
        out = target.path_for(options, Path(STANDARD))
        files |= {out.with_suffix(suffix): it.data for suffix, it in found.beside.items()}
    return files, lossy


def _problems(options: Namespace, store: FileStore, found: Imported) -> Iterator[Finding]:
    """What is wrong with a new resource, and with those next to it, among the files where they will be."""
    has_place = options.out and not target.is_printed(options)
    place = target.path_for(options, Path(STANDARD)) if has_place else None
    if place is None:
        around = Surroundings(requested=ReadingChoice(options.reading))
        return _checked(found.resource, around, options.address, b"")
    own = {place: found.resource, **{place.with_suffix(it): made for it, made in found.beside.items()}}
    files = {**found.files, **{path: it.data for path, it in own.items()}}
    laid = FileStore(unsaved=UnsavedFiles.of(store.unsaved, files))
    around = _around(options, laid, place)
    checked = (_checked(it, around, str(path), os.fsencode(path.name)) for path, it in own.items())
    return chain.from_iterable(checked)


def _around(options: Namespace, store: FileStore, place: Path) -> Surroundings:
    """The surroundings of a new file."""
    game = game_folder.find(store, place, game_option(options)).folder
    folder, reading = CaselessFolder(place.parent, store), ReadingChoice(options.reading)
    return Surroundings(folder=folder, game=None if game is None else Game(game, store), requested=reading)


def _checked(resource: Resource, around: Surroundings, source: str, name: bytes) -> Iterator[Finding]:
    payload = Payload(memoryview(resource.data), resource.entry, name, around)
    try:
        found = resource.kind.check(payload) if resource.kind.is_known else []
    except FormatError as error:
        found = [error.finding]
    return (Finding(source, it) for it in found)


def _finish(options: Namespace, result: _Result) -> int:
    """Write the result unless it is refused, and print what was done."""
    refusal = _refusal(options, result)
    path = _changed_file(options)
    done = []
    if not refusal:
        done = target.write_edited(options, path, result.before, result.after, result.files, result.rewritten)
    if options.json:
        output.write_json("import", result.document)
    elif not target.is_printed(options):
        output.confirm(_lines(result, done))
    output.write_warnings(options.address, (Diagnostic("", Severity.WARNING, it) for it in result.lossy))
    found = (*result.diagnostics, *(it for file in result.edits for it in file.report.added))
    for source, problems in groupby(found, lambda it: it.source):
        output.write_warnings(source, (it.diagnostic for it in problems))
    if refusal:
        output.write_error(f"{options.address}: {refusal}")
    return FOUND if refusal else DONE


def _refusal(options: Namespace, result: _Result) -> str:
    """Why nothing is written; empty if it is."""
    if options.exact and result.lossy:
        return "not written, as something cannot be taken over as it is (--exact)"
    has_errors = any(it.report.errors for it in result.edits)
    return REFUSED if has_errors and not options.force else ""


def _lines(result: _Result, done: Sequence[WrittenFile]) -> Iterator[str]:
    if result.edited is not None:
        yield from edit_lines(result.edited)
    yield from result.notes
    for item in result.items:
        yield f"{item['item']}: {item['change']}{'' if item['is_made'] else ' (left out)'}"
    yield from target.lines_of(done)
