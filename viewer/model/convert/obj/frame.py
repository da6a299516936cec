"""The frame of an OBJ file: what the file cannot hold, and what its tags refer to.

It comes from the JSON file beside it, else from the model that the file is compared with. Of that model it
also has the geometry, so that what nobody edited can be told from what baking and other programs round.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import zip_longest
from pathlib import PurePath
from typing import Final

import numpy as np

from viewer.errors import AddressError, reading_from
from viewer.model.convert.beside import Beside
from viewer.model.convert.from_model import scene_of
from viewer.model.convert.obj import sidecar
from viewer.model.convert.scene import Mesh, Options, Primitive, Scene
from viewer.model.convert.source import ModelSource

SUFFIX: Final = ".json"
"""What the name of the JSON file has after that of the OBJ file."""


def frame_of(name: str, beside: Beside, template: ModelSource | None, *, is_y_up: bool | None) -> Scene:
    """The frame of the file with a name; raises `FormatError` for a damaged JSON file.

    Parameters
    ----------
    is_y_up
        Whether Y is up; if it is not said, what the JSON file says, else Z.
    """
    try:
        said = beside(name + SUFFIX)
    except AddressError:
        options = Options(is_y_up=bool(is_y_up), has_textures=False)
        return (
            Scene(PurePath(name).stem, options=options) if template is None else scene_of(template, options)
        )
    with reading_from(name + SUFFIX):
        frame = sidecar.scene_of(said)
    if is_y_up is not None:
        frame = replace(frame, options=replace(frame.options, is_y_up=is_y_up))
    if template is None:
        return frame
    return filled(frame, scene_of(template, replace(frame.options, has_textures=False)))


def filled(frame: Scene, known: Scene) -> Scene:
    """A frame with the geometry of a scene, where both have the same vertices of the same batch."""
    of_slot = {_slot(number, mesh): mesh for number, mesh in enumerate(known.meshes)}
    meshes = []
    for number, mesh in enumerate(frame.meshes):
        others = of_slot.get(_slot(number, mesh), mesh).primitives
        pairs = zip_longest(mesh.primitives, others[: len(mesh.primitives)])
        meshes.append(replace(mesh, primitives=tuple(_with(*pair) for pair in pairs)))
    return replace(frame, meshes=tuple(meshes))


def _slot(number: int, mesh: Mesh) -> int:
    """The slot of a mesh; that of one without a slot is its number, below 0."""
    return -1 - number if mesh.slot is None else mesh.slot


def _with(primitive: Primitive, known: Primitive | None) -> Primitive:
    """A primitive with the geometry of another one, if it is the same one."""
    if known is None or known.batch != primitive.batch or known.vertices is None:
        return primitive
    if primitive.vertices is None or not np.array_equal(primitive.vertices, known.vertices):
        return primitive
    return replace(
        primitive,
        positions=known.positions,
        triangles=known.triangles,
        normals=known.normals,
        uvs=known.uvs,
    )
