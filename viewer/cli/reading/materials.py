"""``materials``: the material of every batch of a model, and how it was found."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Final

from msgspec import UNSET, Struct, UnsetType, field
from msgspec.structs import replace

from viewer.cli import output, text_table
from viewer.cli.models import open_model, write_answers
from viewer.cli.usage.arguments import add_addresses, add_forms
from viewer.cli.usage.reading_arguments import add_reading
from viewer.json_types import U32, JsonObject, Natural, Number, Quaternion, TableRow, described, members
from viewer.model.material.materials import AlphaKind, FoundIn, Material, Materials, TextureRef
from viewer.model.material.phases import state_at
from viewer.model.mesh.reading import MaterialField, why_material_field
from viewer.operations.opening import OpenedModel
from viewer.translation import _, translated

SHOWN_BATCHES: Final = 12
"""Batches of a material that the text lists."""
Blending = Annotated[str, described("how it blends in the game, by its flags and its first phase")]
Called = Annotated[str | None, described("what a terrain uses it as")]


class PhaseMembers(JsonObject, frozen=True):
    """A phase of a material; its colors are red, green, blue and alpha, 0 to 1."""

    ambient: Quaternion
    diffuse: Quaternion
    specular: Quaternion
    emissive: Quaternion
    power: int
    texture: str | None
    page: Annotated[int | None, described("the rectangle of the texture")]
    lit: Annotated[bool, described("whether light changes it")]


class ModelPhase(PhaseMembers, frozen=True):
    """A phase of a material of a model."""

    texture_found: bool
    alpha: AlphaKind


class BatchMaterial(JsonObject, frozen=True):
    """The material of a batch, and how it was found."""

    batch: Natural | None
    row: Annotated[int | None, described("of the wear table")]
    material: str | None
    found: FoundIn
    phase: PhaseMembers
    texture_found: bool
    lightmap: str | None
    layer: Called
    second_material: str | None
    microtexture: str | None
    blend: Blending
    blend_mode: int
    lit_skin: bool
    see_through: bool
    trace: Sequence[str]


class BlockMembers(JsonObject, frozen=True):
    """An animation block of a material."""

    mode: int
    mask: int
    keys: Annotated[Sequence[Sequence[Number]], described("phase, and the end of its segment, milliseconds")]


class ModelMaterial(JsonObject, frozen=True):
    """A material of a model."""

    row: int | None
    name: str | None
    found: FoundIn
    entry: str | None
    batches: Sequence[Natural]
    attr1: U32
    blend: Blending
    blend_mode: int
    lit_skin: bool
    see_through: bool
    phases: Sequence[ModelPhase]
    blocks: Sequence[BlockMembers]
    lightmap: str | None
    layer: Called
    second_material: str | None
    microtexture: str | None
    trace: Sequence[str]


class MaterialReading(JsonObject, frozen=True):
    """Field that the material of a batch is read from."""

    material_field: MaterialField
    why: str


class MaterialsAnswer(Struct, frozen=True):
    """The materials of a model."""

    source: str
    reading: MaterialReading
    wear: Annotated[str | None, described("the address of the wear table")]
    batches: Sequence[BatchMaterial]


ANSWER: Final = MaterialsAnswer


def batch_rows(opened: OpenedModel) -> list[BatchMaterial]:
    """Rows by batch; for a terrain, which has no batches, by material."""
    materials = opened.materials
    rows = [_batch_row(materials, material) for material in materials.rows]
    if not len(materials.of_batch):
        return rows
    return [replace(rows[row], batch=batch) for batch, row in enumerate(materials.of_batch.tolist())]


def _batch_row(materials: Materials, material: Material) -> BatchMaterial:
    return BatchMaterial(
        batch=None,
        row=material.row,
        material=material.name,
        found=material.found,
        phase=PhaseMembers.of(material.phases[0], lit=material.phases[0].is_lit),
        texture_found=material.textures[0] is not None,
        trace=material.trace,
        **_shared(materials, material),
    )


def _shared(materials: Materials, material: Material) -> dict[str, Any]:
    """Members that materials of batches and of models have in common."""
    fine = None if material.microtexture is None else materials.rows[material.microtexture]
    return {
        "lightmap": _name(material.lightmap),
        "layer": None if material.layer is None else material.layer.name.lower(),
        "second_material": None if material.second is None else materials.rows[material.second].name,
        "microtexture": None if fine is None else _shown_texture(fine),
        "blend": material.blend.label,
        "blend_mode": int(material.blend),
        "lit_skin": material.is_skin,
        "see_through": material.is_see_through(material.phases[0].ambient[3]),
    }


def _shown_texture(material: Material) -> str | None:
    """The name of the texture that a material shows first in the game."""
    return material.phases[state_at(material, 0.0, material.usual_block).phase].texture


def material_rows(opened: OpenedModel) -> list[ModelMaterial]:
    """Rows by used material, with all its fields."""
    materials = opened.materials
    return [
        ModelMaterial(
            row=material.row,
            name=material.name,
            found=material.found,
            entry=None if material.entry is None else str(material.entry),
            batches=materials.batches(row).tolist(),
            attr1=material.attr1,
            phases=[*_phases(material)],
            blocks=[*map(BlockMembers.of, material.blocks)],
            trace=material.trace,
            **_shared(materials, material),
        )
        for row, material in enumerate(materials.rows)
    ]


def _phases(material: Material) -> Iterator[ModelPhase]:
    found = zip(material.phases, material.textures, material.alphas, strict=False)
    for phase, texture, alpha in found:
        yield ModelPhase.of(phase, lit=phase.is_lit, texture_found=texture is not None, alpha=alpha)


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


class MaterialLine(TableRow, frozen=True):
    """A material as text shows it; the last three columns are those of a terrain."""

    row: int | None
    material: str | None
    found: str
    blend: str
    phases: int
    texture: str | None
    lightmap: str | None
    layer: str | UnsetType | None
    second_material: str | UnsetType | None = field(name="second material")
    microtexture: str | UnsetType | None
    batches: str


def _line(opened: OpenedModel, row: int) -> MaterialLine:
    materials = opened.materials
    material = materials.rows[row]
    shared = _shared(materials, material)
    ground = ("layer", "second_material", "microtexture")
    batches = materials.batches(row).tolist()
    limit = output.most_shown(SHOWN_BATCHES)
    more = (
        _(" and {count} more", count=len(batches) - limit)
        if limit is not None and len(batches) > limit
        else ""
    )
    return MaterialLine(
        row=material.row,
        material=material.name,
        found=translated(material.found),
        blend=translated(material.blend.label),
        phases=len(material.phases),
        texture=_shown_texture(material),
        lightmap=shared["lightmap"],
        **{name: UNSET if material.layer is None else shared[name] for name in ground},
        batches=" ".join(map(str, batches[:limit])) + more,
    )


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


def _document(opened: OpenedModel) -> MaterialsAnswer:
    wear = opened.materials.wear_source
    source = None if wear is None else str(wear)
    return MaterialsAnswer(str(opened.address), _reading(opened), source, batch_rows(opened))


def _lines(opened: OpenedModel) -> Iterator[str]:
    yield _("reading     {material_field}: {why}", **members(_reading(opened)))
    yield from lines(opened)


def _reading(opened: OpenedModel) -> MaterialReading:
    choice = opened.choice
    why = why_material_field(opened.model.batches, choice)
    return MaterialReading(choice.reading.material_field, why)
