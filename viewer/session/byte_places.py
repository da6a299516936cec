"""The byte ranges of a selection, and the selection of a byte."""

from __future__ import annotations

from collections.abc import Iterator

from viewer.formats.msh.nodes import NODE
from viewer.formats.msh.tables import TABLES
from viewer.formats.msh.vertices import INDEX
from viewer.model.mesh.model import Variant
from viewer.model.references.byte_fields import Span
from viewer.model.store.place import Place
from viewer.model.tables.table_names import VERTICES
from viewer.session.opened.document import Document
from viewer.session.opened.payload_bytes import PayloadBytes
from viewer.session.places import (
    CORNERS,
    STREAMS,
    drawn_triangle,
    is_selectable,
    node_of,
    places_of,
    selection_at,
)
from viewer.session.selection import Selection


def spans_of(payload: PayloadBytes, place: Place) -> list[Span]:
    """Return the bytes of a place; those of a vertex are in each of its streams."""
    places = [*_in_streams(place)] if place.table == VERTICES else [place]
    spans = (payload.span(it) for it in places)
    return [span for span in spans if span is not None]


def _in_streams(place: Place) -> Iterator[Place]:
    """A row of the vertices as rows of their streams; a field in the stream that stores it."""
    # A decoded field is called as the stored one: uv_raw is what uv is made of.
    name, bracket, element = place.field.partition("[")
    name = name.removesuffix("_raw")
    records = {stream: TABLES[stream].record for stream in STREAMS}
    named = [stream for stream, it in records.items() if it and name in {field.name for field in it.fields}]
    for stream in named or STREAMS:
        yield Place(place.address, TABLES[stream].name, place.row, name + bracket + element if named else "")


def spans_of_selection(document: Document, selection: Selection, payload: PayloadBytes) -> list[Span]:
    """Return the bytes of the smallest selected thing: of all nodes, of a triangle with its indices."""
    if payload.address != document.address:
        return []
    places = [*places_of(document, selection)]
    is_corner = selection.vertex is not None or selection.key is not None
    if selection.triangle is not None and not is_corner and document.model.variant is not Variant.TERRAIN:
        first = CORNERS * selection.triangle
        indices = [Place(document.address, INDEX.name, row) for row in range(first, first + CORNERS)]
        places = [*indices, *(places[-1:] if selection.descriptor is not None else ())]
    elif not places or places[-1].table != NODE.name:
        places = places[-1:]
    return [span for place in places for span in spans_of(payload, place)]


def selection_of(document: Document, place: Place, now: Selection) -> Selection | None:
    """Return the selection that a place stands for: itself, its triangle or its node; None if it has none."""
    if place.address != document.address or place.row is None:
        return None
    row = Place(place.address, place.table, place.row)
    if is_selectable(document, row):
        return selection_at(document, row, now)
    if place.table == INDEX.name and document.model.variant is not Variant.TERRAIN:
        return _with_triangle(document, place.row // CORNERS, now)
    node = node_of(document, row)
    return None if node is None else Selection((node,))


def _with_triangle(document: Document, triangle: int, now: Selection) -> Selection | None:
    """The triangle in the active node if that draws it, else in the first that does."""
    draws, found = document.draws, drawn_triangle(document.draws, triangle, now)
    if found is None:
        return None
    at, draw = found
    rows = (int(it) for it in (draws.slot[draw], draws.batch[draw], draws.descriptor[at]))
    slot, batch, descriptor = (None if row < 0 else row for row in rows)
    return Selection((int(draws.node[draw]),), slot, batch, triangle, descriptor)
