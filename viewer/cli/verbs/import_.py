"""``import``: a resource from a file of another program, or from its text, as a file or into an archive."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from viewer.cli import output
from viewer.cli.arguments import STANDARD, add_json, add_reading_choice
from viewer.cli.converting import formats
from viewer.cli.converting.formats import Imported
from viewer.cli.converting.placing import has_entry, put, replaced
from viewer.cli.editing import written
from viewer.cli.editing.edited import EditedFile, Wish
from viewer.cli.editing.results import REFUSED
from viewer.cli.editing.told import ToldEdit
from viewer.cli.inputs import file_store, game_option
from viewer.cli.usage.verbs import DONE, FOUND
from viewer.errors import Diagnostic, FormatError, Severity, UsageError
from viewer.formats.record import Bytes
from viewer.model.checks.payload import Payload
from viewer.model.compare.added_diagnostics import Finding
from viewer.model.compare.edit_report import diagnostic_document
from viewer.model.mesh.reading import ReadingChoice
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore, Item
from viewer.translation import Sentence

if TYPE_CHECKING:
    from viewer.model.convert.importing.importer import Import


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
    parser.add_argument(
        "--format", choices=(*formats.FORMATS,), help="the format, if it is not the suffix of PATH"
    )
    parser.add_argument(
        "--exact", action="store_true", help="write nothing if something cannot be taken over as it is"
    )
    for module in formats.modules():
        module.declare_import(parser)
    written.add_target(parser)
    add_reading_choice(parser)
    add_json(parser)


def run(options: Namespace) -> int:
    """Read the file, say what it changes, and write the result."""
    suffix = formats.suffix_of(options.address, options.format, "PATH")
    game = game_option(options)
    into = None if options.into is None else _entry_address(options.into)
    if options.in_place and into is None:
        raise UsageError("only an archive is written over: --into names its entry", source="--in-place")
    written.check(options, [_changed_file(options)])
    store = file_store(options.address, options.template, options.into)
    wish = Wish(reading=ReadingChoice(options.reading), game=game)
    item = store.open(Address(Path(options.address)))
    template = _template(options, store, into)
    found = formats.module_of(suffix).imported(options, store, item, template)
    if into is None and options.out and Path(options.out).is_dir():
        options.out = str(Path(options.out, _name(options, found)))
    return _finish(options, _result(options, store, found, into, wish))


def _changed_file(options: Namespace) -> Path:
    """The file that is changed: the archive, or a template that is a file; ``-`` for none."""
    address = Address.parse(options.into or options.template or STANDARD)
    return Path(STANDARD) if options.into is None and address.entries else address.path


def _name(options: Namespace, found: Imported) -> str:
    """The name of a new file in a folder: that of the imported one with the suffix of its kind."""
    suffix = next(iter(found.kind.suffixes), b"bin").decode("cp1251")
    return f"{Path(options.address).stem.removesuffix(f'.{suffix}')}.{suffix}"


def _entry_address(text: str) -> Address:
    address = Address.parse(text)
    if not address.entries:
        raise UsageError(f"{text!r} names no entry; PATH::ENTRY does", source="--into")
    return address


def _template(options: Namespace, store: FileStore, into: Address | None) -> Item | None:
    """The resource that the file is compared with: the template, or the entry that is replaced."""
    if options.template is not None:
        return store.open(Address.parse(options.template))
    return store.open(into) if into is not None and has_entry(store, into) else None


@dataclass(frozen=True, slots=True)
class _Result:
    """What is written, and what is said about it; without an edit there was nothing to compare with."""

    source: str
    before: Bytes
    after: Bytes
    lossy: Sequence[str]
    edited: EditedFile | None = None
    diagnostics: Sequence[Diagnostic] = ()
    files: Mapping[Path, Bytes] = field(default_factory=dict)

    @property
    def document(self) -> dict[str, Any]:
        """What is changed, as JSON."""
        told = {} if self.edited is None else ToldEdit(self.edited).document
        return {
            "source": self.source,
            "changes": told.get("changes", []),
            "lossy": [*map(str, self.lossy)],
            "diagnostics": told.get("diagnostics", [*map(self._diagnostic, self.diagnostics)]),
            "ranges": told.get("ranges", []),
            "identical": told.get("identical", False),
            "made": told.get("made", []),
            "notes": told.get("notes", []),
        }

    def _diagnostic(self, found: Diagnostic) -> dict[str, Any]:
        return diagnostic_document(Finding(self.source, found))


def _result(
    options: Namespace, store: FileStore, found: Imported, into: Address | None, wish: Wish
) -> _Result:
    """Put the resource where it belongs, in memory."""
    if found.changes is not None:
        return _compared(options, store, found.changes, into, wish)
    if into is not None:
        edited = put(store, into, found, wish)
        return _Result(options.address, edited.before, edited.after, found.lossy, edited, files=found.files)
    if options.template is not None:
        edited = replaced(store, Address.parse(options.template), found.data, wish)
        return _Result(options.address, b"", found.data, found.lossy, edited)
    payload = Payload(memoryview(found.data), found.entry, found.entry.name if found.entry else b"")
    beside, lossy = _beside(options, found)
    return _Result(
        options.address, b"", found.data, lossy, diagnostics=_problems(found, payload), files=beside
    )


def _beside(options: Namespace, found: Imported) -> tuple[dict[Path, Bytes], list[str]]:
    """The files next to a new one, and what is lost without a name for them."""
    files, lossy = dict(found.files), [*found.lossy]
    if written.is_printed(options):
        lossy += [Sentence("the {suffix} file is not on standard output", suffix=it) for it in found.beside]
    elif options.out:
        target = written.path_for(options, Path(STANDARD))
        files |= {target.with_suffix(suffix): it.data for suffix, it in found.beside.items()}
    return files, lossy


def _compared(
    options: Namespace, store: FileStore, found: Import, into: Address | None, wish: Wish
) -> _Result:
    """Change the template in memory, in its archive or alone."""
    from viewer.cli.converting.against import edited  # noqa: PLC0415 only for models

    address = into or Address.parse(options.template)
    made = edited(store, address, found, wish, has_wear=into is not None)
    if into is not None or not address.entries:
        return _Result(options.address, made.before, made.after, found.losses, made)
    return _Result(options.address, b"", store.open(address).data, found.losses, made)


def _problems(found: Imported, payload: Payload) -> list[Diagnostic]:
    """What is wrong with a new resource."""
    try:
        return found.kind.check(payload) if found.kind.is_known else []
    except FormatError as error:
        return [error.finding]


def _finish(options: Namespace, result: _Result) -> int:
    """Write the result unless it is refused, and print what was done."""
    refusal = _refusal(options, result)
    path = _changed_file(options)
    place = None if refusal else written.write(options, path, result.before, result.after, result.files)
    if options.json:
        output.write_json("import", result.document)
    elif not written.is_printed(options):
        output.confirm(_lines(result, place))
    output.write_warnings(options.address, (Diagnostic("", Severity.WARNING, it) for it in result.lossy))
    output.write_warnings(str(path), _told_problems(result))
    if refusal:
        output.write_error(f"{options.address}: {refusal}")
    return FOUND if refusal else DONE


def _told_problems(result: _Result) -> Iterator[Diagnostic]:
    yield from result.diagnostics
    if result.edited is not None:
        yield from (it.diagnostic for it in result.edited.report.added)


def _refusal(options: Namespace, result: _Result) -> str:
    """Why nothing is written; empty if it is."""
    if options.exact and result.lossy:
        return "not written, as something cannot be taken over as it is (--exact)"
    has_errors = result.edited is not None and bool(result.edited.report.errors)
    return REFUSED if has_errors and not options.force else ""


def _lines(result: _Result, place: Path | None) -> Iterator[str]:
    if result.edited is not None:
        yield from ToldEdit(result.edited).lines
    if place is not None:
        yield from (f"wrote {path}" for path in (*result.files, place))
