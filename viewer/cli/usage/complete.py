"""``complete``: what a word of a command line may become, for the scripts that ``completion`` prints.

Only names that begin with the word are printed, one a line. Errors are not printed: the line is being typed.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from viewer.cli import output
from viewer.cli.usage.values import Value, takes
from viewer.cli.usage.verbs import DONE
from viewer.errors import MshviewError
from viewer.model.store.address import SEPARATOR, Address

if TYPE_CHECKING:
    from viewer.session.opened.document import Document

MOST: Final = 2000
"""Names that are printed; nobody reads more."""
JOINTS: Final = {Value.CHANNEL: "="}
"""Characters that follow a name at once."""


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    parser.add_argument("what", choices=[*map(str, KINDS)], metavar="WHAT", help="one of %(choices)s")
    parser.add_argument("word", metavar="WORD", help="the beginning of a name; may be empty")
    takes(
        parser.add_argument(
            "path", metavar="PATH", nargs="?", help="the model that has it; an entry is an address itself"
        ),
        Value.ADDRESS,
    )


def run(options: Namespace) -> int:
    """Print the names that begin with the word."""
    names: Iterable[str] = ()
    with suppress(MshviewError):
        names = KINDS[options.what](options.word, options.path or "")
    folded = options.word.casefold()
    fitting = [it for it in dict.fromkeys(names) if it.casefold().startswith(folded)]
    joint = JOINTS.get(options.what, "")
    output.write_paths(f"{name}{joint}" for name in fitting[:MOST])
    return DONE


def _addresses(word: str, _: str) -> list[str]:
    """The addresses of the entries of the archive before the last separator."""
    before = word.rpartition(SEPARATOR)[0]
    return [f"{before}{SEPARATOR}{name}" for name in _entries("", before)]


def _entries(_: str, path: str) -> list[str]:
    """The entries of an archive as addresses spell them, their numbers too if they begin so."""
    from viewer.model.store.file_store import FileStore  # noqa: PLC0415 not needed for tables
    from viewer.model.store.item import spelling  # noqa: PLC0415
    from viewer.model.store.listed import listed  # noqa: PLC0415

    store, address = FileStore(), Address.given(str(Path(path).expanduser()))
    container = listed(store, address) or store.open(address).container
    return [] if container is None else [spelling(container, index) for index in range(len(container.rows))]


def _channels(_: str, path: str) -> list[str]:
    document = _document(path)
    return [document.names[it.node] for it in document.controller.channels if it.node < len(document.names)]


def _materials(_: str, path: str) -> list[str]:
    return [str(row.row) for row in _document(path).materials.rows if row.row is not None]


def _tables(_: str, path: str) -> list[str]:
    """The tables of a model, or those that another resource has."""
    from viewer.model.kinds.plain import describe  # noqa: PLC0415
    from viewer.model.kinds.registry import MODEL, kind_of  # noqa: PLC0415
    from viewer.model.store.file_store import FileStore  # noqa: PLC0415
    from viewer.model.tables.model_tables import DECLARED  # noqa: PLC0415

    of_models = sorted(DECLARED)
    if not path:
        return of_models
    item = FileStore().open(Address.given(path))
    kind = kind_of(item)
    if kind is MODEL:
        return of_models
    entry = item.nres_entry
    fields = describe(kind, item.data, entry)
    return [name for name, it in fields.items() if isinstance(it, Sequence) and not isinstance(it, str)]


def _fields(_: str, __: str) -> list[str]:
    """The fields of the tables of models, as conditions name them."""
    from viewer.model.tables.model_tables import DECLARED  # noqa: PLC0415

    return [f"{name}.{column}" for name, table in DECLARED.items() for column in table.column_names]


def _columns(word: str, _: str) -> list[str]:
    """The columns of an overview, after those that are named already."""
    from viewer.operations.overview.columns import COLUMNS  # noqa: PLC0415

    before, comma, _last = word.rpartition(",")
    named = before.split(",")
    return [f"{before}{comma}{name}" for name in COLUMNS if name not in named]


def _document(path: str) -> Document:
    from viewer.model.store.file_store import FileStore  # noqa: PLC0415
    from viewer.operations.opening import Source  # noqa: PLC0415 not needed for entries
    from viewer.session.opened.document import Document  # noqa: PLC0415

    return Document.open(FileStore(), Source(Address.given(path)))


KINDS: Final[dict[Value, Callable[[str, str], list[str]]]] = {
    Value.ADDRESS: _addresses,
    Value.ENTRY: _entries,
    Value.NODE: lambda _, path: [*_document(path).names],
    Value.CHANNEL: _channels,
    Value.CLIP: lambda _, path: [clip.name for clip in _document(path).controller.clips],
    Value.MATERIAL: _materials,
    Value.TABLE: _tables,
    Value.FIELD: _fields,
    Value.COLUMN: _columns,
}
"""Finders of the names to complete, by the word and the file before it."""
