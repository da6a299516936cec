"""A model as ``inspect`` prints it: summary, reading, the rows of every table, and the text of these."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import numpy as np
from msgspec import Meta, Struct

from viewer.cli import output, text_table
from viewer.cli.reading import materials
from viewer.cli.reading.materials import ModelMaterial
from viewer.errors import UsageError
from viewer.formats.msh.keys import QuaternionOrder
from viewer.formats.msh.tables import NAME_RECORDS, STRINGS, TABLES
from viewer.json_types import JsonObject, Natural, Number, Vector, described, members
from viewer.model.kinds.columns import DiagnosticRow, diagnostic_rows
from viewer.model.mesh.model import Model, Variant
from viewer.model.mesh.reading import MaterialField, Reason
from viewer.model.tables.model_tables import DECLARED, table_of
from viewer.model.tables.neighbor_tables import NEIGHBOR_TABLES
from viewer.model.tables.neighbors import ModelNeighbors
from viewer.model.tables.source import TableSource
from viewer.model.tables.table import ModelTable
from viewer.operations.opening import OpenedModel
from viewer.translation import _, ngettext, translated


class OrderErrors(JsonObject, frozen=True):
    """Distances of the posed geometry from the header's box, as fractions of its diagonal, by the order."""

    xyzw: Number
    wxyz: Number


class OrderVotes(JsonObject, frozen=True):
    """Keys that are close to the identity, by the order."""

    xyzw: Natural
    wxyz: Natural


class ModelReading(JsonObject, frozen=True):
    """The chosen reading, who chose it, and the evidence."""

    quaternion_order: QuaternionOrder
    chosen: Literal["auto", "user"]
    errors: OrderErrors | None
    decided_by: Reason
    votes: OrderVotes
    material_field: MaterialField
    names_from: str


class Counts(JsonObject, frozen=True):
    """Number of records of each table, computed from its size."""

    nodes: Natural
    slots: Natural
    vertices: Natural
    indices: Natural
    batches: Natural
    tri_descriptors: Natural
    keys: Natural
    map_words: Natural
    frames: Natural
    faces: Natural


class CellMembers(JsonObject, frozen=True):
    """A cell of the slot matrix that has geometry."""

    lod: int
    group: int
    name: str
    triangles: Natural


class Sphere(JsonObject, frozen=True):
    """A sphere."""

    center: Vector
    radius: Number


class Capsule(JsonObject, frozen=True):
    """A cylinder from one point to another."""

    a: Vector
    b: Vector
    radius: Number


class HeaderMembers(JsonObject, frozen=True):
    """The bounds at the start of Res2."""

    hull: Annotated[Sequence[Vector], Meta(min_length=8, max_length=8)]
    sphere: Sphere
    capsule: Capsule


def _table_named(name: str) -> Any:
    """The rows of a table, whose schema follows from its columns."""
    return Annotated[Any, Meta(extra_json_schema={"$ref": f"#/$defs/msh.{name}"})]


SUMMARY: Final = ("resources", "nodes", "slots", "batches")
"""The tables that the document has."""
if TYPE_CHECKING:
    Resources = Sequence[Mapping[str, Any]]
    Nodes = Sequence[Mapping[str, Any]]
    Slots = Sequence[Mapping[str, Any]]
    Batches = Sequence[Mapping[str, Any]]
else:
    Resources, Nodes, Slots, Batches = map(_table_named, SUMMARY)


class ModelAnswer(Struct, frozen=True):
    """A model without its long tables."""

    source: str
    format: Literal["msh"]
    called: Annotated[str | None, described("what the game calls the part")]
    variant: Variant
    reading: ModelReading
    resources: Resources
    nodes: Nodes
    slots: Slots
    batches: Batches
    counts: Counts
    cells: Sequence[CellMembers]
    header: Annotated[HeaderMembers | None, described("null if it is cut")]
    materials: Sequence[ModelMaterial]
    diagnostics: Sequence[DiagnosticRow]


def model_document(opened: OpenedModel) -> ModelAnswer:
    """The document of a model."""
    model = opened.model
    return ModelAnswer(
        source=str(opened.address),
        format="msh",
        called=opened.called or None,
        variant=model.variant,
        reading=reading(opened),
        **{name: it.plain() for name, it in _summary_tables(opened).items()},
        counts=counts(opened),
        cells=cells(opened),
        header=header(model),
        materials=materials.material_rows(opened),
        diagnostics=diagnostic_rows(opened.diagnostics),
    )


def _summary_tables(opened: OpenedModel) -> dict[str, ModelTable]:
    source = TableSource(opened)
    return {name: table_of(source, name) for name in SUMMARY}


def reading(opened: OpenedModel) -> ModelReading:
    """The chosen reading, who chose it, and the evidence."""
    choice = opened.choice
    orders = {str(it): it for it in QuaternionOrder}
    votes = choice.votes
    measured = choice.errors
    errors = measured and OrderErrors(**{name: measured[order] for name, order in orders.items()})
    return ModelReading(
        quaternion_order=choice.reading.quaternion_order,
        chosen="auto" if choice.requested == "auto" else "user",
        errors=errors or None,
        decided_by=choice.reason,
        votes=OrderVotes(**{name: votes[order] for name, order in orders.items()}),
        material_field=choice.reading.material_field,
        names_from=TABLES[NAME_RECORDS if choice.reading.has_name_records else STRINGS].name,
    )


def counts(opened: OpenedModel) -> Counts:
    """Number of records of each table."""
    model = opened.model
    return Counts(
        nodes=len(model.legacy_nodes) or len(model.nodes),
        slots=len(model.slots),
        vertices=model.vertex_count,
        indices=len(model.indices),
        batches=len(model.batches),
        tri_descriptors=len(model.tri_descriptors),
        keys=len(model.keys),
        map_words=len(model.frame_map),
        frames=model.frame_count,
        faces=len(model.faces),
    )


def cells(opened: OpenedModel) -> list[CellMembers]:
    """The cells of the slot matrix that have geometry, by LOD and group, with their names."""
    triangles = opened.triangle_counts
    return [
        CellMembers(lod, group, opened.cell_names.cell(lod, group), int(triangles[lod, group]))
        for lod, group in np.argwhere(triangles > 0).tolist()
    ]


def header(model: Model) -> HeaderMembers | None:
    """The bounds at the start of Res2, or None if it is cut."""
    if model.header is None:
        return None
    stored = {name: model.header[name] for name in model.header.dtype.names or ()}
    return HeaderMembers(
        hull=stored["hull"],
        sphere=Sphere(stored["sphere_center"], stored["sphere_radius"]),
        capsule=Capsule(stored["capsule_a"], stored["capsule_b"], stored["capsule_radius"]),
    )


def table(
    opened: OpenedModel, name: str, guess: str | None = None, around: Around | None = None
) -> ModelTable:
    """A table of a model, perhaps as a guess; raises `UsageError` for an unknown name.

    Parameters
    ----------
    around
        Reads the tables of the files next to the model, if the table is one of them.
    """
    if name not in DECLARED:
        known = ", ".join(sorted(DECLARED))
        raise UsageError(
            _("a model has no table {name!r}; it has {known}", name=name, known=known), source="inspect"
        )
    is_around = around is not None and name in {it.name for it in NEIGHBOR_TABLES}
    source = TableSource(opened, neighbors=around() if is_around and around else None)
    return table_of(source, name, {} if guess is None else {name: guess})


Around = Callable[[], ModelNeighbors]


SHOWN_ROWS: Final = 40
"""Rows of each table that a terminal shows unless all are requested."""


def lines(opened: OpenedModel) -> Iterator[str]:
    """The whole text, line by line."""
    yield from _model_lines(opened)
    yield ""
    yield "materials"
    for line in materials.lines(opened, output.most_shown(SHOWN_ROWS)):
        yield text_table.INDENT + line if line else ""


def _model_lines(opened: OpenedModel) -> Iterator[str]:
    model = opened.model
    numbers = {name: count for name, count in members(counts(opened)).items() if count}
    bounds = header(model)
    facts: list[tuple[str, str]] = [
        (_("source"), str(opened.address)),
        *([(_("called"), opened.called)] if opened.called else []),
        (_("variant"), translated(model.variant)),
        (_("counts"), text_table.cell(numbers)),
        (_("reading"), _reading_line(reading(opened))),
    ]
    for cell in cells(opened):
        words = ngettext("{name}: {count} triangle", "{name}: {count} triangles", cell.triangles)
        facts.append((_("cells"), words.format(name=cell.name, count=cell.triangles)))
    facts += [] if bounds is None else _bounds(bounds)
    width, above = max(len(name) for name, _text in facts), ""
    for name, text in facts:
        yield f"{('' if name == above else name).ljust(width)}  {text}"
        above = name
    for name, it in _summary_tables(opened).items():
        yield ""
        yield name
        rows = text_table.lines(it.readable(), output.most_shown(SHOWN_ROWS), title=str)
        yield from (text_table.INDENT + line for line in rows)


def _bounds(bounds: HeaderMembers) -> Iterator[tuple[str, str]]:
    """Bounds in the header, by name."""
    cell, sphere, capsule = text_table.cell, bounds.sphere, bounds.capsule
    for corner in bounds.hull:
        yield _("hull"), cell(corner)
    center, radius = map(cell, (sphere.center, sphere.radius))
    yield _("sphere"), _("center {center}, radius {radius}", center=center, radius=radius)
    a, b, radius = map(cell, (capsule.a, capsule.b, capsule.radius))
    yield _("cylinder"), _("{a} to {b}, radius {radius}", a=a, b=b, radius=radius)


def _reading_line(reading: ModelReading) -> str:
    judged = "" if reading.errors is None else _("; box error ") + text_table.cell(reading.errors)
    decided = _(
        "{chosen}, by {decided_by}{judged}",
        chosen=reading.chosen,
        decided_by=translated(reading.decided_by),
        judged=judged,
    )
    return _(
        "quaternions {quaternion_order} ({decided}), material {material_field}, names from {names_from}",
        quaternion_order=reading.quaternion_order,
        decided=decided,
        material_field=reading.material_field,
        names_from=reading.names_from,
    )
