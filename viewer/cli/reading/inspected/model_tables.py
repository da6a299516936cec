"""A model as ``inspect`` prints it: summary, reading, the rows of every table, and the text of these."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import numpy as np

from viewer.cli import output, text_table
from viewer.cli.reading import materials
from viewer.errors import UsageError
from viewer.formats.msh.tables import NAME_RECORDS, STRINGS, TABLES
from viewer.model.kinds.columns import diagnostic_rows
from viewer.model.mesh.model import Model
from viewer.model.tables.model_tables import DECLARED, table_of
from viewer.model.tables.neighbor_tables import NEIGHBOR_TABLES
from viewer.model.tables.neighbors import ModelNeighbors
from viewer.model.tables.source import TableSource
from viewer.model.tables.table import ModelTable
from viewer.operations.opening import OpenedModel
from viewer.translation import _, ngettext, translated


def model_document(opened: OpenedModel) -> dict[str, Any]:
    """The document without the long tables."""
    return {
        **_shown(opened),
        "materials": materials.material_rows(opened),
        "diagnostics": diagnostic_rows(opened.diagnostics),
    }


def _shown(opened: OpenedModel) -> dict[str, Any]:
    """What the document and the text share."""
    model = opened.model
    return {
        "source": opened.address,
        "format": "msh",
        "called": opened.called or None,
        "variant": str(model.variant),
        "reading": reading(opened),
        **{name: it.plain() for name, it in _summary_tables(opened).items()},
        "counts": counts(opened),
        "cells": cells(opened),
        "header": header(model),
    }


def _summary_tables(opened: OpenedModel) -> dict[str, ModelTable]:
    """The tables that the document has."""
    source = TableSource(opened)
    return {name: table_of(source, name) for name in ("resources", "nodes", "slots", "batches")}


def reading(opened: OpenedModel) -> dict[str, Any]:
    """The chosen reading, who chose it, and the evidence."""
    choice = opened.choice
    return {
        "quaternion_order": str(choice.reading.quaternion_order),
        "chosen": "auto" if choice.requested == "auto" else "user",
        "errors": choice.errors and {str(order): error for order, error in choice.errors.items()},
        "decided_by": str(choice.reason),
        "votes": {str(order): count for order, count in choice.votes.items()},
        "material_field": str(choice.reading.material_field),
        "names_from": TABLES[NAME_RECORDS if choice.reading.has_name_records else STRINGS].name,
    }


def counts(opened: OpenedModel) -> dict[str, int]:
    """Number of records of each table, computed from its size."""
    model = opened.model
    return {
        "nodes": len(model.legacy_nodes) or len(model.nodes),
        "slots": len(model.slots),
        "vertices": model.vertex_count,
        "indices": len(model.indices),
        "batches": len(model.batches),
        "tri_descriptors": len(model.tri_descriptors),
        "keys": len(model.keys),
        "map_words": len(model.frame_map),
        "frames": model.frame_count,
        "faces": len(model.faces),
    }


def cells(opened: OpenedModel) -> list[dict[str, Any]]:
    """The cells of the slot matrix that have geometry, by LOD and group, with their names."""
    triangles = opened.triangle_counts
    return [
        {
            "lod": lod,
            "group": group,
            "name": opened.cell_names.cell(lod, group),
            "triangles": int(triangles[lod, group]),
        }
        for lod, group in np.argwhere(triangles > 0).tolist()
    ]


def header(model: Model) -> dict[str, Any] | None:
    """The bounds at the start of Res2, or None if it is cut."""
    if model.header is None:
        return None
    stored = {name: model.header[name] for name in model.header.dtype.names or ()}
    return {
        "hull": stored["hull"],
        "sphere": {"center": stored["sphere_center"], "radius": stored["sphere_radius"]},
        "capsule": {
            "a": stored["capsule_a"],
            "b": stored["capsule_b"],
            "radius": stored["capsule_radius"],
        },
    }


def table(
    opened: OpenedModel, name: str, guess: str | None = None, around: Around | None = None
) -> ModelTable:
    """One table of a model, perhaps as a guess; raises `UsageError` for an unknown name.

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
    yield from _model_lines(_shown(opened), _summary_tables(opened))
    yield ""
    yield "materials"
    for line in materials.lines(opened, output.most_shown(SHOWN_ROWS)):
        yield text_table.INDENT + line if line else ""


def _model_lines(model: Mapping[str, Any], tables: Mapping[str, ModelTable]) -> Iterator[str]:
    counts = {name: count for name, count in model["counts"].items() if count}
    facts: list[tuple[str, str]] = [
        (_("source"), model["source"]),
        *([(_("called"), model["called"])] if model["called"] else []),
        (_("variant"), translated(model["variant"])),
        (_("counts"), text_table.cell(counts)),
        (_("reading"), _reading_line(model["reading"])),
    ]
    for cell in model["cells"]:
        words = ngettext("{name}: {count} triangle", "{name}: {count} triangles", cell["triangles"])
        facts.append((_("cells"), words.format(name=cell["name"], count=cell["triangles"])))
    facts += _bounds(model["header"]) if model["header"] else ()
    width, above = max(len(name) for name, _text in facts), ""
    for name, text in facts:
        yield f"{('' if name == above else name).ljust(width)}  {text}"
        above = name
    for name, it in tables.items():
        yield ""
        yield name
        rows = text_table.lines(it.readable(), output.most_shown(SHOWN_ROWS), title=str)
        yield from (text_table.INDENT + line for line in rows)


def _bounds(bounds: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What the header says, by its name."""
    cell, sphere, capsule = text_table.cell, bounds["sphere"], bounds["capsule"]
    for corner in bounds["hull"]:
        yield _("hull"), cell(corner)
    center, radius = map(cell, (sphere["center"], sphere["radius"]))
    yield _("sphere"), _("center {center}, radius {radius}", center=center, radius=radius)
    a, b, radius = map(cell, (capsule["a"], capsule["b"], capsule["radius"]))
    yield _("cylinder"), _("{a} to {b}, radius {radius}", a=a, b=b, radius=radius)


def _reading_line(reading: Mapping[str, Any]) -> str:
    errors = reading["errors"]
    judged = "" if errors is None else _("; box error ") + text_table.cell(errors)
    decided = _(
        "{chosen}, by {decided_by}{judged}",
        chosen=reading["chosen"],
        decided_by=translated(reading["decided_by"]),
        judged=judged,
    )
    return _(
        "quaternions {quaternion_order} ({decided}), material {material_field}, names from {names_from}",
        quaternion_order=reading["quaternion_order"],
        decided=decided,
        material_field=reading["material_field"],
        names_from=reading["names_from"],
    )
