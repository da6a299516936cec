"""``materials``: the material of every batch of a model, and how it was found."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from typing import Any, Final

from viewer.cli import output, text_table
from viewer.cli.models import open_model, write_answers
from viewer.cli.usage.arguments import add_addresses, add_forms, add_reading
from viewer.model.material.materials import Material, Materials, TextureRef
from viewer.model.material.phases import state_at
from viewer.model.mesh.reading import why_material_field
from viewer.operations.opening import OpenedModel
from viewer.translation import _, translated

SHOWN_BATCHES: Final = 12
"""Batches of a material that the text lists."""


def batch_rows(opened: OpenedModel) -> list[dict[str, Any]]:
    """One row per batch; for a terrain, which has no batches, one per material."""
    materials = opened.materials
    rows = [_batch_row(materials, material) for material in materials.rows]
    if not len(materials.of_batch):
        return [{"batch": None, **row} for row in rows]
    return [{"batch": batch, **rows[row]} for batch, row in enumerate(materials.of_batch.tolist())]


def _batch_row(materials: Materials, material: Material) -> dict[str, Any]:
    return {
        "row": material.row,
        "material": material.name,
        "found": str(material.found),
        "phase": phase_row(material, 0),
        "texture_found": material.textures[0] is not None,
        "lightmap": _name(material.lightmap),
        **ground_row(materials, material),
        **blending_row(material),
        "trace": material.trace,
    }


def blending_row(material: Material) -> dict[str, Any]:
    """How a material blends in the game, by its flags and its first phase."""
    return {
        "blend": material.blend.label,
        "blend_mode": int(material.blend),
        "lit_skin": material.is_skin,
        "see_through": material.is_see_through(material.phases[0].ambient[3]),
    }


def ground_row(materials: Materials, material: Material) -> dict[str, str | None]:
    """What a terrain uses a material as, the material over it, and its microtexture; None elsewhere."""
    fine = None if material.microtexture is None else materials.rows[material.microtexture]
    return {
        "layer": None if material.layer is None else material.layer.name.lower(),
        "second_material": None if material.second is None else materials.rows[material.second].name,
        "microtexture": None if fine is None else _shown_texture(fine),
    }


def _shown_texture(material: Material) -> str | None:
    """The name of the texture that a material shows first in the game."""
    return material.phases[state_at(material, 0.0, material.usual_block).phase].texture


def phase_row(material: Material, index: int) -> dict[str, Any]:
    """The fields of a phase."""
    phase = material.phases[index]
    names = ("ambient", "diffuse", "specular", "emissive", "power", "texture", "page")
    return {**{name: getattr(phase, name) for name in names}, "lit": phase.is_lit}


def material_rows(opened: OpenedModel) -> list[dict[str, Any]]:
    """One row per used material, with all its fields."""
    materials = opened.materials
    return [
        {
            "row": material.row,
            "name": material.name,
            "found": str(material.found),
            "entry": material.entry,
            "batches": materials.batches(row).tolist(),
            "attr1": material.attr1,
            **blending_row(material),
            "phases": [*_phases(material)],
            "blocks": [
                {"mode": it.mode, "mask": it.mask, "keys": [[*key] for key in it.keys]}
                for it in material.blocks
            ],
            "lightmap": _name(material.lightmap),
            **ground_row(materials, material),
            "trace": material.trace,
        }
        for row, material in enumerate(materials.rows)
    ]


def _phases(material: Material) -> Iterator[dict[str, Any]]:
    for index, texture in enumerate(material.textures):
        yield {
            **phase_row(material, index),
            "texture_found": texture is not None,
            "alpha": str(material.alphas[index]),
        }


def lines(opened: OpenedModel, limit: int | None = None) -> Iterator[str]:
    """The materials as text: a table, and below it the trace of each."""
    materials = opened.materials
    yield _("wear table  {wear_source}", wear_source=materials.wear_source or text_table.NOTHING)
    shown = materials.rows[:limit]
    table = [_line(opened, row) for row in range(len(shown))]
    yield from text_table.lines(table) if table else ()
    for material in shown:
        yield ""
        yield _("row {row}, {name}", row=material.row, name=material.name or _("nothing"))
        yield from (text_table.INDENT + text_table.cell(step) for step in material.trace)
    if len(shown) < len(materials.rows):
        yield _("... {count} more", count=len(materials.rows) - len(shown))


def _line(opened: OpenedModel, row: int) -> dict[str, Any]:
    materials = opened.materials
    material = materials.rows[row]
    ground = ground_row(materials, material)
    batches = materials.batches(row).tolist()
    limit = output.most_shown(SHOWN_BATCHES)
    more = (
        _(" and {count} more", count=len(batches) - limit)
        if limit is not None and len(batches) > limit
        else ""
    )
    return {
        "row": material.row,
        "material": material.name,
        "found": translated(material.found),
        "blend": translated(material.blend.label),
        "phases": len(material.phases),
        "texture": _shown_texture(material),
        "lightmap": _name(material.lightmap),
        **({} if material.layer is None else {name.replace("_", " "): it for name, it in ground.items()}),
        "batches": " ".join(map(str, batches[:limit])) + more,
    }


def _name(texture: TextureRef | None) -> str | None:
    return None if texture is None else texture.name


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    add_addresses(parser)
    add_forms(parser, "the material of each batch")
    add_reading(parser)


def run(options: Namespace) -> int:
    """Print the material of each batch of each model."""
    return write_answers("materials", options, open_model, _document, _lines, "batches")


def _document(opened: OpenedModel) -> dict[str, Any]:
    return {
        "source": opened.address,
        "reading": _reading(opened),
        "wear": opened.materials.wear_source,
        "batches": batch_rows(opened),
    }


def _lines(opened: OpenedModel) -> Iterator[str]:
    yield _("reading     {material_field}: {why}", **_reading(opened))
    yield from lines(opened)


def _reading(opened: OpenedModel) -> dict[str, str]:
    choice = opened.choice
    why = why_material_field(opened.model.batches, choice)
    return {"material_field": str(choice.reading.material_field), "why": why}
