"""All rules of payloads other than models: diagnostics of the decoder, and unresolved names.

Source: spec/materials.md 2.2, 4.5; spec/fxid.md 6; spec/objects.md 4; spec/field-notes.md 5.
"""

from __future__ import annotations

from collections.abc import Iterator

from viewer.errors import Diagnostic
from viewer.formats import fxid, mat0, objects, units, wear
from viewer.formats.neighbors import control, damage
from viewer.model.checks import controllers, links, materials
from viewer.model.checks.payload import Payload


def wear_table(payload: Payload) -> Iterator[Diagnostic]:
    """Diagnostics of a wear table."""
    table = wear.decode(payload.data)
    yield from table.diagnostics
    if payload.around.game is not None:
        yield from links.of_wear(table, payload.around.game)


def material(payload: Payload) -> Iterator[Diagnostic]:
    """Diagnostics of a material."""
    version = mat0.VERSION if payload.entry is None else payload.entry.attr2
    material = mat0.decode(payload.data, version)
    yield from material.diagnostics
    yield from materials.texture_names(material)
    if payload.entry is not None:
        yield from materials.attributes(payload.entry)
    if payload.around.game is not None:
        yield from links.of_material(material, payload.around.game)


def effect(payload: Payload) -> Iterator[Diagnostic]:
    """Diagnostics of an effect."""
    effect = fxid.decode(payload.data)
    yield from effect.diagnostics
    if payload.around.game is not None:
        yield from links.of_effect(effect, payload.around.game)


def object_references(payload: Payload) -> Iterator[Diagnostic]:
    """Diagnostics of the references of an object."""
    yield from objects.decode(payload.data).diagnostics
    registry, entry = payload.around.registry, payload.entry
    if registry is not None and entry is not None:
        yield from links.of_object(entry.index, registry, payload.around.game)


def unit(payload: Payload) -> Iterator[Diagnostic]:
    """Diagnostics of a unit."""
    unit = units.decode(payload.data)
    yield from unit.diagnostics
    if payload.around.game is not None:
        yield from links.of_unit(unit, payload.around.game)


def node_damage(payload: Payload) -> Iterator[Diagnostic]:
    """Diagnostics of node damage."""
    table = damage.decode(payload.data)
    yield from table.diagnostics
    if payload.around.game is not None:
        yield from links.of_damage(table, payload.around.game)


def controller(payload: Payload) -> Iterator[Diagnostic]:
    """Diagnostics of a controller; its frames and nodes are checked if its model is known."""
    decoded = control.decode(payload.data)
    yield from decoded.diagnostics
    model = controllers.model_of(payload)
    if model is not None:
        yield from controllers.frames_in_model(decoded, model.frame_count)
        yield from controllers.nodes_in_model(decoded, model.node_count)
