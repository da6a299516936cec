"""The printed results of edits: what changes in each file, and whether it is written or refused."""

from __future__ import annotations

from argparse import Namespace
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, islice
from pathlib import Path
from typing import Annotated, Any, Final

import numpy as np
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from viewer.cli import output, target, text_table
from viewer.cli.answers import Answer
from viewer.cli.inputs import expand
from viewer.cli.terminal import Style, Styled
from viewer.cli.usage.verbs import DONE, FAILED, FOUND
from viewer.diagnostics import Diagnostic, remarks_of
from viewer.errors import MshviewError
from viewer.formats.splice import Splice, Splices
from viewer.json_types import FieldValue, Hex, JsonObject, Natural, Rows, as_mapping, described
from viewer.model.compare.differences import ChangeKind
from viewer.model.compare.edit_report import ChangedValue, EditReport, FoundDiagnostic, Renumbered
from viewer.model.compare.file_plan import FilePlan, refused
from viewer.model.compare.row_summary import is_of_pixels
from viewer.model.edit.change import Topic
from viewer.model.edit.set_field import stored_name
from viewer.model.kinds.columns import Columns, MixedRows, PlainRows
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.writing import WrittenFile
from viewer.translation import _, counted, translated

REFUSED: Final = _("not written, as the edit adds errors; --force writes it")


class ChangeRow(JsonObject, frozen=True):
    """A value that differs, or a row that only the file before or after has."""

    what: ChangeKind
    address: str
    table: str
    row: Annotated[Natural | None, described("after the edit, of a removed row before it")]
    field: Annotated[str | None, described("null for a whole row")]
    before: FieldValue
    after: FieldValue
    count: Annotated[Natural | UnsetType, described("rows from this one on that change alike")] = UNSET


class RangeMembers(JsonObject, frozen=True):
    """Bytes of the file that are replaced; those of a long range are left out."""

    offset: Natural
    size: Natural
    before: Hex | UnsetType = UNSET
    after: Hex | UnsetType = UNSET


class EditAnswer(Struct, frozen=True):
    """Changes of an edit in a file."""

    source: str
    changes: Rows[ChangeRow]
    count: Annotated[Natural, described("changed values and rows, listed or not")]
    summary: Annotated[Sequence[str], described("inserted, removed and renumbered rows in words")]
    renumbered: Sequence[Renumbered]
    ranges: Rows[RangeMembers]
    identical: bool
    diagnostics: Annotated[Sequence[FoundDiagnostic], described("those that only the edited file has")]
    repaired: Annotated[Sequence[FoundDiagnostic], described("those that only the file before has")]
    made: Annotated[Sequence[Topic], described("what follows and was made with the changes")]
    offered: Annotated[Sequence[Topic], described("what follows and was left")]
    notes: Sequence[str]


class EditResults:
    """The edited files of a verb.

    Parameters
    ----------
    verb
        The verb.
    options
        Those of `written`, ``json`` and ``form``.
    columns
        The heading of a table without rows.
    is_single
        Whether there is one file only, whose error ends the verb.
    """

    def __init__(self, verb: str, options: Namespace, columns: Sequence[str], *, is_single: bool) -> None:
        self._verb = verb
        self._columns = columns
        self._options = options
        self._is_single = is_single
        self._found: list[tuple[Path, tuple[FilePlan, Answer] | MshviewError, list[WrittenFile]]] = []
        self._status = DONE

    def add(self, path: Path, edit: Callable[[], tuple[FilePlan, Answer]]) -> None:
        """Edit a file and write it, unless that adds errors; raises `MshviewError` if it is the only one."""
        try:
            file, answer = edit()
            done: list[WrittenFile] = []
            if not self._is_refused(file):
                done = target.write_plans(self._options, [target.planned(self._options, file)])
        except MshviewError as error:
            if self._is_single:
                raise
            error.source = error.source or str(path)
            self._status = FAILED
            self._found.append((path, error, []))
        else:
            self._found.append((path, (file, answer), done))

    @property
    def are_changed(self) -> bool:
        """Whether a byte of any file differs."""
        return any(not isinstance(it, MshviewError) and it[0].is_changed for _, it, _ in self._found)

    def _is_refused(self, file: FilePlan) -> bool:
        is_refused = bool(refused([file], is_forced=self._options.force))
        if is_refused:
            self._status = max(self._status, FOUND)
        return is_refused

    def finish(self, status: int = DONE) -> int:
        """Print the results and return the exit status, at least the given one."""
        if self._options.json:
            documents = self._documents()
            single = next(documents) if self._is_single else {"results": documents}
            output.write_json(self._verb, single)
        elif self._options.form is not None:
            output.write_table([*self._rows()], self._options.form, self._columns)
        elif not target.is_printed(self._options):
            output.confirm(self._lines())
        for path, found, _ignored in self._found:
            self._warn(path, found)
        return max(self._status, status)

    def _documents(self) -> Iterator[dict[str, Any]]:
        for path, found, _ignored in self._found:
            if isinstance(found, MshviewError):
                yield {"source": str(path), "error": str(found)}
            else:
                yield dict(as_mapping(found[1].document()))

    def _rows(self) -> Iterator[dict[str, Any]]:
        for path, found, _ignored in self._found:
            for row in () if isinstance(found, MshviewError) else found[1].rows():
                yield {**({} if self._is_single else {"source": str(path)}), **as_mapping(row)}

    def _lines(self) -> Iterator[str]:
        for path, found, done in self._found:
            if not isinstance(found, MshviewError):
                if not self._is_single:
                    yield Styled(f"{path}:", Style.HEADING)
                yield from found[1].lines()
                yield from target.lines_of(done)

    def _warn(self, path: Path, found: tuple[FilePlan, Answer] | MshviewError) -> None:
        """Print the problems that an edit adds, and why nothing is written."""
        if isinstance(found, MshviewError):
            output.write_error(str(found))
            return
        for source, findings in groupby(found[0].report.added, key=lambda finding: finding.source):
            output.write_warnings(source, brief_diagnostics(it.diagnostic for it in findings))
        if self._is_refused(found[0]):
            output.write_error(f"{path}: {REFUSED}")


def by_file(options: Namespace, store: FileStore) -> dict[Path, list[Address]]:
    """Return the addresses of the options by their file, in order, those that wildcards stand for too.

    Raises `UsageError` for what is not an address.
    """
    expand(options, store)
    found: dict[Path, list[Address]] = {}
    for address in map(Address.given, options.addresses):
        found.setdefault(address.path, []).append(address)
    return found


HEX_LIMIT: Final = 64
"""Bytes of a range that are shown."""
MOST_NAMED: Final = 20
"""Fields of named rows that have a line each."""
SHOWN_CHANGES: Final = 50
"""Fields that a terminal lists unless all are requested."""


def edit_document(file: FilePlan) -> EditAnswer:
    """The changes of an edit as JSON."""
    found = file.report
    return EditAnswer(
        source=str(file.path),
        changes=found.rows,
        count=found.value_count,
        summary=[*map(str, found.summary)],
        renumbered=[*found.renumbered],
        ranges=range_rows(file.splices),
        identical=not file.is_changed,
        diagnostics=[*map(FoundDiagnostic.found, found.added)],
        repaired=[*map(FoundDiagnostic.found, found.resolved)],
        made=[*file.made],
        offered=[*file.offered],
        notes=[*map(str, file.notes)],
    )


def brief(sentences: Sequence[str]) -> Iterator[str]:
    """Yield sentences: many of one kind as one, or all with the names of what they count if requested."""
    if not output.is_verbose():
        yield from (it.words for it in remarks_of(sentences))
        return
    for words in sentences:
        names = ", ".join(name for it in remarks_of([words]) for name in it.details)
        yield f"{words} ({names})" if names else words


def brief_diagnostics(found: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """Diagnostics, many of one kind as one unless everything is printed."""
    for severity, own in groupby(found, lambda it: it.severity):
        yield from (Diagnostic("", severity, words) for words in brief([it.text for it in own]))


def edit_lines(file: FilePlan, *, most: int | None = None) -> Iterator[str]:
    """The changes of an edit as text.

    Parameters
    ----------
    most
        The most values that are listed unless all are requested: of more there is a line for each field.
    """
    found = file.report
    if not file.is_changed:
        yield from brief(file.notes)
        yield _("{path}: no byte changes", path=file.path)
        return
    yield from found.summary
    if most is not None and found.shown_count > most and not output.is_verbose():
        yield from _field_lines(found)
    else:
        yield from _value_lines(found)
    if file.made:
        yield _("with them: {made}", made=", ".join(file.made))
    if file.offered:
        yield _("left as they were: {offered}", offered=", ".join(file.offered))
    yield from brief(file.notes)
    ranges = counted(len(file.splices), "{count} range", "{count} ranges")
    size = counted(file.byte_count, "{count} byte", "{count} bytes")
    yield _("{ranges}, {size}; everything else identical", ranges=ranges, size=size)


def _field_lines(found: EditReport) -> Iterator[str]:
    """Yield a line for each field, also for each name of its rows: ``keys.position (gun_l): 3 values``."""
    counts: Counter[tuple[str, str]] = Counter()
    for address, it in found.changed:
        # Rows that come and go, and pixels, are summed up already.
        if it.field and it.what is not ChangeKind.RENUMBERED and not is_of_pixels(it):
            where = address.child(*it.path)
            place = f"{it.table}.{stored_name(it.table, it.field)}"
            place = f"{where}: {place}" if where.entries else place
            counts.update((place, name) for name in it.names or ("",) * it.count)
    places = Counter(place for place, _name in counts)
    if len(counts) > MOST_NAMED:
        counts = Counter(
            {(place, ""): sum(n for it, n in counts.items() if it[0] == place) for place in places}
        )
    for (place, name), count in counts.items():
        title = f"{place} ({name})" if name else place
        yield f"{title}: {counted(count, '{count} value', '{count} values')}"
    yield _("-v lists them all")


def _value_lines(found: EditReport) -> Iterator[str]:
    """Yield a line for each changed value, as many as a terminal shows."""
    limit = output.most_shown(SHOWN_CHANGES)
    shown = [*islice(found.each_run(), limit)]
    for value in shown:
        yield change_line(_printed(value), is_inside=bool(value.address.entries))
    if left := found.shown_count - sum(value.count for value in shown):
        yield _("and {left} more; -v lists them all", left=left)


def _printed(value: ChangedValue) -> ChangedValue:
    """The value under the name that ``inspect`` prints for it as it is stored: ``quaternion_raw``."""
    return replace(value, field=stored_name(value.table, value.field))


def range_rows(splices: Splices) -> PlainRows:
    """The replaced ranges of a file; their bytes are left out above `HEX_LIMIT`."""
    is_long = [max(len(it.before), len(it.after)) > HEX_LIMIT for it in splices]
    short, long = (
        [it for it, is_one in zip(splices, is_long, strict=True) if is_one is kind] for kind in (False, True)
    )
    shown = _ranges(short).with_columns(
        before=[it.before.hex() for it in short], after=[it.after.hex() for it in short]
    )
    return MixedRows(np.array(is_long, np.int64), [shown, _ranges(long)])


def _ranges(splices: Sequence[Splice]) -> Columns:
    lengths = {"offset": [it.offset for it in splices], "size": [len(it.before) for it in splices]}
    return Columns(len(splices), {name: np.array(values, np.int64) for name, values in lengths.items()})


def change_line(value: ChangedValue, *, is_inside: bool) -> str:
    """Return a changed field as text: ``batches[3].flags: 0x0000 -> 0x0008``."""
    place = f"{value.address}: {value.in_file}" if is_inside else value.in_file
    name = f" ({value.name})" if value.name else ""
    if not value.field and value.what is not ChangeKind.CHANGED:
        return f"{place}{name}: {translated(value.what)}"
    before, after = map(text_table.cell, value.written)
    return f"{place}{name}: {before} -> {after}"
