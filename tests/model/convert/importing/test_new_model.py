"""The check of a new model: what is wrong is said with its node and size, what is right is not."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

from tests.model.convert.importing.scenes import cube, scene, with_node, with_primitive
from viewer.model.convert.building.tables import NewModel, made_of
from viewer.model.convert.importing.check.deviation import Deviation, DeviationKind
from viewer.model.convert.importing.check.new_model import new_model_deviations
from viewer.model.convert.scene import Node, Primitive, Scene
from viewer.model.edit.draft import Draft
from viewer.model.edit.nodes.set_key import SetKey
from viewer.model.edit.plan import plan
from viewer.model.edit.set_field import SetField
from viewer.model.edit.values import RowChoice
from viewer.model.kinds.registry import MODEL


def checked(given: Scene, *changes: SetField | SetKey) -> tuple[Deviation, ...]:
    """What is said of the model of a scene after changes of it, as if it had been made so."""
    made = made_of(given)
    data = bytes(plan(Draft(MODEL, made.data), changes).after) if changes else made.data
    return new_model_deviations(given, replace(made, data=data))


def test_a_new_model_is_as_its_file() -> None:
    assert isinstance(made_of(scene()), NewModel)
    assert checked(scene()) == ()


def test_what_is_elsewhere_is_said_with_its_size() -> None:
    (found,) = checked(scene(), SetField("positions", RowChoice.of(0), "position", (50.0, 0.0, 0.0)))
    assert (found.kind, found.name) == (DeviationKind.MOVED, "hull")
    # from the nearest corner of the triangles that have it in the file
    near = scene().meshes[0].primitives[0].positions
    assert found.size >= float(np.linalg.norm(np.subtract((50, 0, 0), near), axis=1).min())
    assert found.size < 52
    (found,) = checked(scene(), SetKey("turret", 1, (1.0, 2.0, 5.0), None))
    # between the keys at 0, 4 and 10 it is elsewhere in frames 1 to 9
    assert (found.kind, found.name, found.count) == (DeviationKind.MOVED_PLACE, "turret", 9)
    assert found.frame == 4
    assert found.size == pytest.approx(2.0, rel=1e-5)


def test_texture_coordinates_that_are_cut_are_said_where_they_are() -> None:
    def far(it: Primitive) -> Primitive:
        assert it.uvs is not None
        uvs = it.uvs.copy()
        uvs[0] = (100, 0)
        return replace(it, uvs=uvs)

    def repeated(it: Primitive) -> Primitive:
        assert it.uvs is not None
        return replace(it, uvs=it.uvs + 40)

    found = checked(with_primitive(scene(), 0, far))
    assert [(it.kind, it.name) for it in found] == [(DeviationKind.UVS, "hull")]
    # the other corners of these triangles are where they were, so that nothing repeats
    assert found[0].size == pytest.approx(100 - 32, abs=1)
    assert checked(with_primitive(scene(), 0, repeated)) == (), "textures repeat"


@pytest.mark.parametrize("scale", [(2.0, 2.0, 2.0), (1.0, 3.0, 0.5), (-1.0, 1.0, 1.0)])
def test_what_is_scaled_is_where_the_file_has_it(scale: tuple[float, float, float]) -> None:
    """The scale of the hull moves all that is below it."""
    scaled = with_node(scene(), 0, scale=scale, position=(1.0, 2.0, 3.0))
    assert checked(scaled) == ()
    crate = Node("crate", 0, {(0, 0): len(scaled.meshes)}, (0.0, 1.0, 0.0), (0.6, 0.0, 0.8, 0.0))
    more = replace(scaled, nodes=(*scaled.nodes, crate), meshes=(*scaled.meshes, cube()), views=())
    assert checked(more) == ()
