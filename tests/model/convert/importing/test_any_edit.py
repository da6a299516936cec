"""Whatever another program does to a scene: its changes are made and can be undone, or one is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Final

import numpy as np
import pytest
from msgspec.structs import replace

from tests.model.convert.importing.scenes import DATA, NAMES, SOURCE, cube, imported, scene
from tests.model.edit.drafts import draft_of
from viewer.errors import EditError, Severity
from viewer.formats import splice
from viewer.model.checks.models import layout_findings
from viewer.model.convert.options import Options
from viewer.model.convert.scene import Node, Primitive, Scene, Track
from viewer.model.edit import script
from viewer.model.edit.plan import plan
from viewer.model.mesh.model import Model

Edit = Callable[[Scene, Random], Scene]


def with_any_node(edit: Callable[[Node, Scene, Random], Node]) -> Edit:
    """An edit of one node."""

    def edited(given: Scene, random: Random) -> Scene:
        nodes = [*given.nodes]
        at = random.randrange(len(nodes))
        nodes[at] = edit(nodes[at], given, random)
        return replace(given, nodes=tuple(nodes))

    return edited


def with_any_primitive(edit: Callable[[Primitive, Random], Primitive]) -> Edit:
    """An edit of one primitive, of a mesh or of a copy of it that a node shows."""

    def edited(given: Scene, random: Random) -> Scene:
        meshes = [*given.meshes]
        at = random.randrange(len(meshes))
        first, *others = meshes[at].primitives or cube().primitives
        made = replace(meshes[at], primitives=(edit(first, random), *others))
        if random.random() < 0.7:
            meshes[at] = made
            return replace(given, meshes=tuple(meshes))
        shows = with_any_node(lambda node, *_: replace(node, cells={(0, 0): len(meshes)}))
        return shows(replace(given, meshes=(*meshes, made)), random)

    return edited


def removed(given: Scene, random: Random) -> Scene:
    gone = random.randrange(1, len(given.nodes)) if len(given.nodes) > 1 else None
    kept = [(at, node) for at, node in enumerate(given.nodes) if at != gone]
    number = {at: index for index, (at, _) in enumerate(kept)}
    return replace(
        given,
        nodes=tuple(replace(it, parent=number.get(it.parent)) for _, it in kept),  # type: ignore[arg-type]
    )


def copied(given: Scene, random: Random) -> Scene:
    node = random.choice(given.nodes)
    return replace(given, nodes=(*given.nodes, replace(node, name=f"{node.name}.001")))


def shuffled(given: Scene, random: Random) -> Scene:
    order = random.sample(range(len(given.nodes)), len(given.nodes))
    nodes = [given.nodes[it] for it in order]
    return replace(
        given,
        nodes=tuple(
            replace(it, parent=None if it.parent is None else order.index(it.parent)) for it in nodes
        ),
    )


def thinned(node: Node, _: Scene, random: Random) -> Node:
    track = node.track
    if track is None:
        return replace(node, position=(random.random(), 0.0, 9.0))
    kept = sorted(random.sample(range(len(track.times)), random.randint(1, len(track.times))))
    times = track.times[kept] * random.choice([1, 1.5, 3])
    return replace(node, track=Track(times, track.positions[kept], track.rotations[kept]))


def some(primitive: Primitive, random: Random) -> Primitive:
    chosen = [it for it in range(len(primitive.triangles)) if random.random() < 0.7]
    return replace(primitive, triangles=np.roll(primitive.triangles[chosen], 1, axis=1))


def shaken(primitive: Primitive, random: Random) -> Primitive:
    positions = primitive.positions.copy()
    positions[random.randrange(len(positions))] = [random.uniform(-9, 9) for _ in range(3)]
    return replace(primitive, positions=positions)


def confused(primitive: Primitive, random: Random) -> Primitive:
    rows = [random.randint(-1, 100) for _ in primitive.positions]
    return replace(primitive, vertices=random.choice([None, np.array(rows, np.int64)]), batch=None)


EDITS: Final[tuple[Edit, ...]] = (
    removed,
    copied,
    shuffled,
    with_any_node(lambda node, _, random: replace(node, name=random.choice(["", "x" * 50, "Ствол", "日"]))),
    with_any_node(
        lambda node, given, random: replace(node, parent=random.choice([None, *range(len(given.nodes))]))
    ),
    with_any_node(
        lambda node, given, random: replace(node, cells={(1, 2): random.randrange(len(given.meshes))})
    ),
    with_any_node(lambda node, *_: replace(node, cells={}, track=None)),
    with_any_node(thinned),
    with_any_primitive(some),
    with_any_primitive(shaken),
    with_any_primitive(confused),
    with_any_primitive(lambda it, random: replace(it, material=random.choice([None, 0, 1]), normals=None)),
    with_any_primitive(lambda it, _: replace(it, uvs=None if it.uvs is None else it.uvs * 60)),
    lambda given, _: replace(given, meshes=(*given.meshes, cube(3))),
)


@pytest.mark.parametrize("seed", range(120))
def test_changes_are_made_or_refused(seed: int) -> None:
    random = Random(seed)
    given = scene(Options(has_textures=False, has_all_cells=seed % 2 == 0))
    for _ in range(random.randint(1, 5)):
        given = random.choice(EDITS)(given, random)
    found = imported(given, names=random.choice([None, NAMES]))
    changes = script.parse(json.loads(json.dumps(script.forms(found.changes))))
    try:
        made = plan(draft_of(DATA), changes)
    except EditError as error:
        pytest.fail(f"{error}")
    assert splice.applied(made.after, splice.reverse(made.splices)) == DATA
    after = Model.read(made.after)
    assert not [it for it in layout_findings(after) if it.severity is Severity.ERROR]
    assert layout_findings(SOURCE.model) == []
