"""The declared formats as Kaitai Struct compiles them: its parsers read the same values as this program."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np

from tests.formats.payloads import Payload, payloads
from tests.referees.programs import checked, kaitai, node, write_jobs
from tests.referees.stages import RefereeWork
from viewer.errors import FormatError, Severity
from viewer.formats.archive import nres, rsli
from viewer.formats.msh import tables
from viewer.formats.neighbors import areal_map
from viewer.formats.neighbors.control import Control, has_components
from viewer.formats.part import Part
from viewer.formats.record import Field, Record
from viewer.formats.text import decode, until_nul
from viewer.model.kinds.registry import PACKED, by_id
from viewer.operations.layouts.building import schemas
from viewer.operations.layouts.schema import TEXT_LINE, FormatSchema
from viewer.operations.layouts.words import safe
from viewer.operations.layouts.writing import SchemaLanguage, plan_schemas
from viewer.operations.saving import write_folder

MOST: Final = 40
"""Payloads of a kind that are read, spread over all."""
LARGEST: Final = 1 << 18
"""Bytes of them; the parsers are slow."""


def parse_with_kaitai(work: RefereeWork) -> list[str]:
    """Compile all formats, read payloads of every kind, and compare all values."""
    sources, parsers = work.folder / "formats", work.folder / "parsers"
    write_folder(sources, plan_schemas(SchemaLanguage.KAITAI, sources))
    refused = checked(node("formats.mjs", str(sources), str(parsers)), "Kaitai's compiler").splitlines()
    jobs: list[dict[str, Any]] = []
    known: list[tuple[str, Any]] = []
    for schema in schemas():
        for payload, values in _chosen(schema):
            file = work.folder / f"{len(jobs)}.payload"
            file.write_bytes(payload.data)
            jobs.append(_job(schema, payload, file, parsers))
            known.append((f"{schema.id} {payload.address}", values))
    listed = write_jobs(work.folder / "payloads.json", jobs)
    lines = checked(kaitai("dump", listed), "Kaitai's parsers").splitlines()
    found = list(refused)
    for (name, values), line in zip(known, lines, strict=True):
        read = json.loads(line)
        # Python's windows-1251 has no letter for one byte, 0x98, and raises.
        if "byte 0x98" not in str(read.get("error")):
            found += [f"{name}{it}" for it in [*differences(values, read)][:3]]
    return found


def _chosen(schema: FormatSchema) -> Iterator[tuple[Payload, Any]]:
    """Payloads with their values: some of each kind, nothing wrong with them."""
    found = [it for it in payloads(schema.id) if len(it.data) <= LARGEST]
    for payload in found[:: max(1, len(found) // MOST)]:
        try:
            values = values_of(schema, payload)
        except FormatError:
            continue
        if values is not None:
            yield payload, values


def _job(schema: FormatSchema, payload: Payload, file: Path, parsers: Path) -> dict[str, Any]:
    stated = by_id(schema.id).stated(payload.entry)[: len(schema.parameters)]
    name = "".join(word.capitalize() for word in schema.id.split("_"))
    return {
        "module": schema.id,
        "class": name,
        "file": str(file),
        "parameters": list(stated),
        "parsers": str(parsers),
    }


def expected(part: Part) -> Any:
    """The values of a part as a parser names them."""
    if part.is_list:
        rows = part.children
        return [expected(it) for it in rows]
    if part.record is None or part.rows is None:
        if part.is_leaf:
            return bytes(part.data).hex()
        return {safe(it.name): expected(it) for it in part.children}
    if isinstance(part.rows, np.void):
        return of_record(part.record, part.rows, part.size)
    if part.record.name == "pixels":
        return part.rows.tobytes().hex()
    return [of_record(part.record, row, part.record.size) for row in part.rows]


def of_record(record: Record, row: np.void, size: int) -> dict[str, Any]:
    """The fields of a record of which `size` bytes are stored."""
    return {safe(it.name): of_field(it, row) for it in record.fields if it.offset + it.size <= size}


def of_field(field: Field, row: np.void) -> Any:
    """A value: text up to its NUL, bytes in hexadecimal, arrays as one list."""
    value = row[field.name]
    if np.dtype(field.dtype).kind in "SV":
        raw = row.tobytes()[field.offset : field.offset + field.size]
        has_mark = any(isinstance(it, bytes) for it in field.allowed)
        return decode(until_nul(raw)) if field.is_text and not has_mark else raw.hex()
    return value.ravel().tolist() if field.shape else value.item()


def differences(known: Any, read: Any, path: str = "") -> Iterator[str]:
    """Where two values differ."""
    if isinstance(known, dict) and isinstance(read, dict):
        for name in known.keys() | read.keys():
            # An absent member and an empty list or no bytes at the end say the same.
            if (known.get(name) or None) != (read.get(name) or None):
                yield from differences(known.get(name), read.get(name), f"{path}.{name}")
    elif isinstance(known, list) and isinstance(read, list) and len(known) == len(read):
        for index, pair in enumerate(zip(known, read, strict=True)):
            yield from differences(*pair, f"{path}[{index}]")
    elif known != read and not (isinstance(known, float) and math.isnan(known) and math.isnan(read)):
        yield f"{path}: {str(known)[:60]} here, {str(read)[:60]} there"


def values_of(schema: FormatSchema, payload: Payload) -> Any:
    """What this program reads; None if something is wrong with the payload."""
    kind = by_id(schema.id)
    if schema.is_container:
        return container_values(schema, payload)
    if schema.id == PACKED.id:
        return library_values(payload)
    if TEXT_LINE in schema.types:
        lines = decode(bytes(payload.data)).split("\n")
        return {"lines": [{"text": it} for it in (lines if lines[-1] else lines[:-1])]}
    value = kind.decode(payload.data, payload.entry)
    if isinstance(value, Control) and not has_components(value):
        return None  # they are bytes then, which no parser can know before it has read them
    if any(it.severity is Severity.ERROR for it in kind.findings(value)):
        return None
    return expected(kind.parts(value))


def library_values(payload: Payload) -> Any:
    """The header of a packed library, and the bytes behind it, which are transformed."""
    library = rsli.PackedLibrary.read(payload.data)
    if library.diagnostics:
        return None
    header = rsli.HEADER.read(payload.data)
    start = rsli.HEADER.size
    end = start + len(library.entries) * rsli.ENTRY.size
    return {
        "header": of_record(rsli.HEADER, header, start),
        "directory": bytes(payload.data[start:end]).hex(),
        "payloads": bytes(payload.data[end:]).hex(),
    }


def container_values(schema: FormatSchema, payload: Payload) -> Any:
    """The header, the directory and the payloads of a container."""
    archive = nres.Archive.read(payload.data)
    if archive.diagnostics:
        return None
    rows = []
    for entry in archive.entries:
        data = archive.payload(entry.index)
        row = of_record(nres.ENTRY, archive.rows[entry.index], nres.ENTRY.size)
        values = table_values(entry, data) if schema.tables else bytes(data).hex()
        if values is None:
            return None
        rows.append(row | {"payload": values})
    header = nres.HEADER.read(payload.data)
    return {"header": of_record(nres.HEADER, header, nres.HEADER.size), "entries": rows}


def table_values(entry: nres.Entry, data: memoryview) -> Any:
    """The values of a table of a model, the bytes of one that is not known; None if it is damaged."""
    attributes = entry.attr1, entry.attr2, entry.attr3
    if entry.type_id == tables.AREAL_MAP:
        return expected(areal_map.LAYOUT.parts(areal_map.decode(data, entry.attr1)))
    if entry.type_id not in tables.TABLES:
        return bytes(data).hex()
    value = tables.decode(data, entry.type_id, *attributes)
    return None if value.diagnostics else expected(tables.parts(value))
