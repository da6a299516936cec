"""All rules of a model, and its wear table.

Source: spec/msh.md 11, spec/animation.md 8, spec/materials.md 2.2, spec/land.md 6.
"""

from __future__ import annotations

from collections.abc import Iterable

from viewer.errors import Diagnostic, FormatError
from viewer.formats import wear
from viewer.formats.archive import nres
from viewer.formats.msh.keys import QuaternionOrder
from viewer.model.checks import animation, containers, geometry, materials, tables, terrain
from viewer.model.checks.payload import Payload, Surroundings
from viewer.model.game.registry import WEAR_SUFFIX, stem_of
from viewer.model.mesh import draw_builder
from viewer.model.mesh.animation import Animation
from viewer.model.mesh.draws import Draws
from viewer.model.mesh.model import Model, Variant, missing_tables, variant_of
from viewer.model.mesh.reading import material_field
from viewer.model.mesh.skeleton import Skeleton


def check_model(model: Model) -> list[Diagnostic]:
    """Diagnostics of a model, legacy model or terrain."""
    skeleton = Skeleton(model)
    draws = draw_builder.build(model)
    moving = Animation(model, skeleton, QuaternionOrder.XYZW)
    return check_parts(model, skeleton, draws, moving)


def check_parts(model: Model, skeleton: Skeleton, draws: Draws, moving: Animation) -> list[Diagnostic]:
    """The same for parts that exist already."""
    found = [*containers.check(model.archive, has_names=False), *tables.check(model), *skeleton.diagnostics]
    if model.variant is Variant.TERRAIN:
        found += terrain.check(model, draws)
    else:
        found += [*geometry.check(model, draws), *animation.check(model, moving)]
    return list(dict.fromkeys(found))


def check(payload: Payload) -> list[Diagnostic]:
    """Diagnostics of a payload of kind model."""
    archive = nres.Archive.read(payload.data)
    if variant_of(archive) is None:
        return [missing_tables(archive).finding, *containers.check(archive, has_names=False)]
    model = Model.of(archive)
    found = check_model(model)
    if model.variant is Variant.TERRAIN:
        return [*found, *_terrain_wear(payload.around)]
    rows = _wear_rows(payload)
    if rows is None:
        return found
    field = material_field(model.batches, rows, payload.around.requested)
    return [*found, *materials.selected_rows(model.batches, field, rows)]


def _wear_rows(payload: Payload) -> int | None:
    """Number of rows of the wear table next to a model, or None if there is no readable one."""
    data = payload.around.find(stem_of(payload.name) + WEAR_SUFFIX)
    try:
        return None if data is None else len(wear.decode(data).materials)
    except FormatError:
        return None


def _terrain_wear(around: Surroundings) -> Iterable[Diagnostic]:
    if around.game is None or around.folder is None:
        return ()
    from viewer.model.checks import links  # noqa: PLC0415 imports the formats of everything that has names

    return links.of_terrain(name for name in links.TERRAIN_WEAR if around.find(name) is None)
