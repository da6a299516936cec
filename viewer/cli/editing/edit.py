"""``edit``: changes of a file or of entries inside it, with every other byte as it was."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

from viewer.cli import target
from viewer.cli.answers import Answer
from viewer.cli.editing.change_options import SCRIPT, Form, add_changes, form_of
from viewer.cli.editing.results import ChangeRow, EditAnswer, EditResults, by_file, edit_document, edit_lines
from viewer.cli.inputs import file_store, reading_options
from viewer.cli.usage.arguments import ADDRESS, add_forms, add_paths, add_results
from viewer.cli.usage.reading_arguments import add_reading_choice
from viewer.errors import FormatError, UsageError, reading_from, reason_of
from viewer.json_types import names_of
from viewer.model.compare.file_plan import FilePlan
from viewer.model.edit import script
from viewer.model.edit.change import Change, Topic
from viewer.model.edit.nodes.node_edit import ReferencedError
from viewer.model.edit.typed_words import FileBytes, ImageFile, parsed
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.editing import EditOptions, FileEditing, clearing
from viewer.translation import _


def with_files(form: Form, store: FileStore) -> Form:
    """Return a form with what the files hold in place of their names; raises `MshviewError`."""
    found: Form = {}
    for name, value in form.items():
        if isinstance(value, FileBytes):
            found[name] = store.open(Address.given(value)).data.hex()
        elif isinstance(value, ImageFile):
            found |= _pixels(value, store)
        else:
            found[name] = value
    return found


def _pixels(path: str, store: FileStore) -> Form:
    """Size and pixels of an image."""
    from viewer.formats.texture.texm import MAX_SIDE  # noqa: PLC0415 of no use for other changes
    from viewer.model.convert.pictures import images  # noqa: PLC0415

    with reading_from(path):
        rgba = images.read_image(store.open(Address.given(path)).data, MAX_SIDE)
    return {"width": rgba.shape[1], "height": rgba.shape[0], "rgba": rgba.tobytes().hex()}


ALL: Final = "all"
ANSWER: Final = EditAnswer
COLUMNS: Final = names_of(ChangeRow)[:-1]
"""The heading of a table of no changes."""
TOPICS: Final = {topic.replace(" ", "-"): topic for topic in Topic}
"""Topics of consequences, as values of an option."""


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    words = _(
        '{address}; of several files OUT is a folder, and --json prints {{"results": [...]}}', address=ADDRESS
    )
    add_paths(parser, words)
    add_results(parser)
    add_changes(parser)
    group = parser.add_argument_group("what follows from them")
    for option, text in (
        ("--without", _("leave out what would follow from the changes")),
        ("--with", _("make what is only offered")),
    ):
        group.add_argument(
            option,
            dest=option.strip("-") + "_topics",
            action="append",
            choices=(*TOPICS, ALL),
            metavar="TOPIC",
            help=f"{text}: {', '.join((*TOPICS, ALL))}",
        )
    group.add_argument(
        "--clear-references",
        action="store_true",
        help="set what refers to a removed node to none; else a node that something refers to is not removed",
    )
    target.add_target(parser)
    add_reading_choice(parser)
    add_forms(parser, "the changed fields")


def run(options: Namespace) -> int:
    """Make the changes, say what they change, and write the files."""
    reading = reading_options(options)
    scripts = [words[0] for name, words in options.changes or () if name == SCRIPT]
    store = file_store(*options.addresses, *scripts)
    files = by_file(options, store)
    target.check_edit(options, [*files])
    changes = _changes(options, store)
    how = EditOptions(_topics(options.without_topics), _topics(options.with_topics), reading)
    if options.clear_references:
        changes = clearing(changes)
    results = EditResults("edit", options, COLUMNS, is_single=len(files) == 1 and not options.results)
    for addresses in files.values():
        results.add(addresses[0].path, partial(_edited, store, addresses, changes, how))
    return results.finish()


def _edited(
    store: FileStore, addresses: Sequence[Address], changes: Sequence[Change], how: EditOptions
) -> tuple[FilePlan, Answer]:
    """A file after the same changes of some of its payloads."""
    editing = FileEditing(store, addresses[0].path, how)
    for address in addresses:
        try:
            editing.edit(address, changes)
        except ReferencedError as error:
            hint = "{message}; --clear-references sets these to none"
            error.message = _(hint, message=error.message)
            raise
    file = editing.finish()
    return file, Answer(lambda: edit_document(file), lambda: edit_lines(file), lambda: file.report.rows)


def _topics(names: Sequence[str] | None) -> frozenset[Topic]:
    names = names or ()
    return frozenset(Topic) if ALL in names else frozenset(TOPICS[name] for name in names)


def _changes(options: Namespace, store: FileStore) -> list[Change]:
    """The changes of all options, in order; raises `MshviewError`."""
    found: list[Change] = []
    for name, words in options.changes or ():
        if name == SCRIPT:
            found += read_script(words[0], store)
            continue
        form = with_files(form_of(name, words), store)
        try:
            found.append(script.change_of(0, form))
        except FormatError as error:
            message = f"{error.field}: {error.message}" if error.field else error.message
            raise UsageError(message, source=name) from None
    if not found:
        raise UsageError("no change is given; see 'mshview edit --help'", source="edit")
    return found


def read_script(path: str, store: FileStore) -> tuple[Change, ...]:
    """Return the changes of a script file; raises `AddressError` or `FormatError`."""
    with reading_from(path):
        try:
            form = parsed(bytes(store.file(Path(path))))
        except (ValueError, RecursionError) as error:
            raise FormatError(_("cannot be read as JSON: {error}", error=reason_of(error))) from None
        return script.parse(form)
