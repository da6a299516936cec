"""The tables of a model that are not stored as one: vertices of several streams, what follows from others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import starmap
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from viewer.formats.archive import nres
from viewer.formats.msh import vertices
from viewer.formats.msh.batches import BATCH
from viewer.formats.msh.nodes import NODE
from viewer.formats.msh.tables import (
    NORMALS,
    POSITIONS,
    STREAM14,
    STREAM15,
    STREAM16,
    STREAM18,
    UVS,
)
from viewer.formats.record import Field, Record
from viewer.model.mesh.engine_model import EngineField, engine_fields
from viewer.model.tables.column import NO_ROW, Column
from viewer.model.tables.declaration import (
    FLOAT,
    TEXT,
    Computed,
    Declaration,
    row_of,
    text,
)
from viewer.model.tables.set_fields import DIRECTORY_NAMES, VERTEX_NORMAL, VERTEX_UV, DecodedField
from viewer.model.tables.source import TableSource
from viewer.model.tables.stored_tables import BATCH_DOC, NODE_DOC
from viewer.model.tables.table_names import RAW, VERTICES
from viewer.translation import Text, _

RESOURCES: Final = "resources"
"""The directory by the names that ``ls`` has for its fields."""


def _stream(
    type_id: int,
    record: Record,
    name: str,
    decode_all: Callable[[npt.NDArray[Any]], npt.NDArray[Any]] | None = None,
    shape: tuple[int, ...] = (),
    edited: Field | None = None,
) -> Iterator[Computed]:
    """A stream of the vertices, decoded to values of a shape if it is packed, and as it is stored."""
    field = record.fields[0]

    def stored(source: TableSource) -> npt.NDArray[Any]:
        # A stream may be longer than the positions, which alone count the vertices.
        return source.model.rows(type_id)[field.name][: source.model.vertex_count]

    def exists(source: TableSource) -> bool:
        return source.model.has(type_id)

    if decode_all is not None:
        doc = _("{doc} Decoded.", doc=Text.of(field.doc))
        values = partial(_of_stream, decode_all, stored)
        yield Computed(name, doc, values, FLOAT, shape, source=record.name, edited=edited, exists=exists)
        name += RAW
    yield Computed(
        name, None, stored, field.dtype, field.shape, stored=field, source=record.name, exists=exists
    )


def _decoded_stream(type_id: int, record: Record, decoded: DecodedField) -> Iterator[Computed]:
    """A stream of the vertices that is set decoded."""
    field = decoded.field
    yield from _stream(type_id, record, field.name, decoded.decode, field.shape, field)


def _of_stream(
    decode_all: Callable[[npt.NDArray[Any]], npt.NDArray[Any]],
    stored: Callable[[TableSource], npt.NDArray[Any]],
    source: TableSource,
) -> npt.NDArray[Any]:
    return decode_all(stored(source))


def _lightmap_uvs(raw: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Coordinates of the lightmap, (n, 2) float32, of words (n, 2)."""
    # 512 of 1024 is the middle of the page.
    return raw.astype(np.float32) / np.float32(vertices.STREAM18.fields[0].scale or 1.0)


def _entry(name: str, field: str) -> Computed:
    """A field of the directory by another name."""
    stored = nres.ENTRY.field(field)
    dtype = TEXT if stored.is_text else stored.dtype
    return Computed(
        name,
        None,
        lambda it: Column.of_field(stored, it.model.archive.rows).values,
        dtype,
        stored=stored,
        source=nres.ENTRY.name,
    )


def _engine_text(name: str, doc: Text) -> Computed:
    """A text that is said of a field of the engine's structure."""
    return text(name, doc, lambda it: [str(getattr(field, name)) for field in _engine(it)])


def _engine_number(name: str, doc: Text, attribute: str = "", nothing: int | None = None) -> Computed:
    """A number of a field of the engine's structure; `nothing` is none too."""

    def values(source: TableSource) -> npt.NDArray[np.int64]:
        found = [getattr(it, attribute or name) for it in _engine(source)]
        return np.array([NO_ROW if it in (None, nothing) else it for it in found], np.int64)

    return Computed(name, doc, values, none=NO_ROW)


def _engine(source: TableSource) -> tuple[EngineField, ...]:
    return engine_fields(source.model)


COMPUTED_TABLES: Final = (
    Declaration(
        VERTICES,
        None,
        (
            row_of(NODE.name, "node", NODE_DOC, lambda it: it.node_of_draw(it.vertex_draw)),
            row_of(BATCH.name, "batch", BATCH_DOC, lambda it: it.batch_of_draw(it.vertex_draw)),
            *_stream(POSITIONS, vertices.POSITION, "position"),
            *_decoded_stream(NORMALS, vertices.NORMAL, VERTEX_NORMAL),
            *_decoded_stream(UVS, vertices.UV, VERTEX_UV),
            *_stream(STREAM18, vertices.STREAM18, "uv2", _lightmap_uvs, (2,)),
            *_stream(STREAM14, vertices.STREAM14, "stream14"),
            *_stream(STREAM15, vertices.STREAM15, "stream15"),
            *_stream(STREAM16, vertices.STREAM16, "stream16"),
        ),
        count=lambda it: it.model.vertex_count,
    ),
    Declaration(
        RESOURCES,
        None,
        (*starmap(_entry, DIRECTORY_NAMES.items()),),
        count=lambda it: len(it.model.archive.rows),
        is_listed=False,
    ),
    Declaration(
        "engine",
        None,
        (
            _engine_number("offset", _("Offset in the structure, bytes.")),
            _engine_number("size", _("Size, bytes.")),
            _engine_text("name", _("What is in it, by the names of the tables.")),
            _engine_number("type", _("Type of the table that a pointer leads into."), "type_id", 0),
            _engine_text("table", _("Table that a pointer leads into.")),
            _engine_number("at", _("Offset in the model that a pointer leads to.")),
            _engine_number("count", _("Rows from there on.")),
            _engine_number("stride", _("Bytes from one row to the next.")),
            _engine_number("value", _("A number that is not a pointer.")),
            _engine_text("status", _("How certain the meaning is.")),
            _engine_text("doc", _("What the loader does.")),
        ),
        count=lambda it: len(_engine(it)),
        is_listed=False,
    ),
    Declaration(
        "fitting_parts",
        None,
        (
            row_of(
                NODE.name,
                "node",
                _("Node of the socket."),
                lambda it: np.array([row[0] for row in it.fitting_parts], np.int64),
            ),
            text(
                "name",
                _("Name of the node."),
                lambda it: [it.read.names[row[0]] for row in it.fitting_parts],
            ),
            text("socket_tag", _("Socket tag."), lambda it: [row[1] for row in it.fitting_parts]),
            text(
                "key", _("Key of the part in the registry."), lambda it: [row[2] for row in it.fitting_parts]
            ),
            text("called", _("What the game calls it."), lambda it: [row[3] for row in it.fitting_parts]),
        ),
        count=lambda it: len(it.fitting_parts),
        is_listed=False,
    ),
)
