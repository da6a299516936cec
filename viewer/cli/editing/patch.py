"""``patch``: what turns one file into another, to be shared without either of them."""

from __future__ import annotations

import re
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Final

import numpy as np

from viewer.cli import output, target, text_table
from viewer.cli.inputs import file_store, single
from viewer.cli.usage.values import Value, takes
from viewer.cli.usage.verbs import DONE
from viewer.errors import UsageError, shortened
from viewer.model.kinds.json_text import as_written
from viewer.model.kinds.registry import KINDS, tables
from viewer.model.patch.applying import PatchChoices, place_of
from viewer.model.patch.patch import FieldChange, Patch, PatchChange
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.patching import make_patch, patched, read_patch
from viewer.translation import _, counted

MAKE: Final = "make"
APPLY: Final = "apply"
SHOW: Final = "show"
INPUTS: Final = {MAKE: ("A", "B"), APPLY: ("P.json", "FILE"), SHOW: ("P.json",)}
"""Inputs of each action."""
SHOWN_CHANGES: Final = 200
"""Changes that a terminal lists unless all are requested."""
SHOWN_BYTES: Final = 16
"""Bytes of a change that are shown."""
SHOWN_LETTERS: Final = 200
"""Letters of a value that are shown."""


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    parser.add_argument(
        "action",
        choices=(*INPUTS,),
        metavar="ACTION",
        help="make A B: what turns A into B; apply P.json FILE: FILE with a patch; show P.json: its changes",
    )
    takes(
        parser.add_argument(
            "inputs", nargs="+", metavar="PATH", help="the files of the action; - is standard input"
        ),
        Value.ADDRESS,
    )
    target.add_target(parser)
    parser.add_argument("--reverse", action="store_true", help="apply: undo the patch")
    parser.set_defaults(json=False)


def run(options: Namespace) -> int:
    """Make, apply or show a patch."""
    expected = INPUTS[options.action]
    if len(options.inputs) != len(expected):
        message = _("{action} takes {expected}", action=options.action, expected=" and ".join(expected))
        raise UsageError(_("{message}; see 'mshview patch --help'", message=message), source="patch")
    if options.reverse and options.action != APPLY:
        raise UsageError(_("{action} cannot be undone", action=options.action), source="--reverse")
    store = file_store(*options.inputs)
    if options.action == SHOW:
        output.write_lines(_lines(_read(store, options.inputs[0])))
    else:
        (_make if options.action == MAKE else _apply)(options, store)
    return DONE


def _make(options: Namespace, store: FileStore) -> None:
    if not (options.out or options.dry_run):
        raise UsageError("make needs -o P.json or --dry-run", source="patch")
    if options.out:
        target.check(options)
    addresses = [single(store, text) for text in options.inputs]
    target.refuse_sources(options, *addresses)
    before, after = map(store.open, addresses)
    patch = make_patch(before, after)
    if options.dry_run:
        output.write_lines(_lines(patch))
    else:
        target.write(options, patch.encode())


def _apply(options: Namespace, store: FileStore) -> None:
    path = Path(options.inputs[1])
    target.check_edit(options, [path])
    patch = _read(store, options.inputs[0])
    plan = patched(store, patch, path, PatchChoices(options.reverse, options.force))
    if options.dry_run:
        changes = counted(len(patch.changes), "{count} change", "{count} changes")
        output.confirm([_("{path}: {count} can be made", path=path, count=changes)])
    else:
        output.confirm(target.lines_of(target.write_plans(options, [target.planned(options, plan)])))


def _read(store: FileStore, path: str) -> Patch:
    return read_patch(store, Address.given(path))


def _lines(patch: Patch) -> Iterator[str]:
    """The changes of a patch as text."""
    limit = output.most_shown(SHOWN_CHANGES)
    yield from map(_line, islice(patch.changes, limit))
    if limit is not None and len(patch.changes) > limit:
        yield _("and {count} more; -v prints all", count=len(patch.changes) - limit)
    sizes = " -> ".join(str(stamp.size) for stamp in (patch.before, patch.after))
    yield _(
        "{count}; {sizes} bytes",
        count=counted(len(patch.changes), "{count} change", "{count} changes"),
        sizes=sizes,
    )


def _line(change: PatchChange) -> str:
    if isinstance(change, FieldChange):
        digits = _digits_of(change.table, change.field)
        values = (as_written(digits, it) for it in (change.before, change.after))
        before, after = (shortened(text_table.cell(it), SHOWN_LETTERS) for it in values)
    else:
        before, after = _hex(change.before), _hex(change.after)
    return f"{place_of(change)}: {before} -> {after}"


@cache
def _digits_of(table: str, field: str) -> int:
    """Hexadecimal digits of a field that is a set of bits wherever a table of this name has it; else 0."""
    from viewer.cli.schemas.inspection import records_of  # noqa: PLC0415 loads every format

    name = re.sub(r"\[\d+\]", "", table).rpartition(".")[2]
    records = {it for kind in (*KINDS, *tables().values()) for it in records_of(kind) if it.name == name}
    found = [it for record in records for it in record.fields if it.name == field]
    sizes = {2 * np.dtype(it.dtype).itemsize if it.is_bits else 0 for it in found}
    return sizes.pop() if len(sizes) == 1 else 0


def _hex(data: bytes) -> str:
    """The first bytes, and how many there are if these are more."""
    if not data:
        return _("nothing")
    rest = _("... ({count} bytes)", count=len(data)) if len(data) > SHOWN_BYTES else ""
    return data[:SHOWN_BYTES].hex(" ") + rest
