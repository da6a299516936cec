"""A scene as OBJ: one object for each node, slot and batch, in the model's space at the rest pose.

Source: spec/msh.md 13. A texture coordinate v is 1 - v there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
import numpy.typing as npt

from viewer.geometry.transforms import transform_points
from viewer.model.convert.motion.rotations import Axes
from viewer.model.convert.obj import objects
from viewer.model.convert.obj.frame import sidecar_text
from viewer.model.convert.obj.objects import Tag, image_tag, material_name, name_of, plain
from viewer.model.convert.obj.statements import LARGEST
from viewer.model.convert.pictures.images import write_png
from viewer.model.convert.scene import AlphaMode, Primitive, Scene
from viewer.model.convert.scene_file import SIDECAR
from viewer.translation import readable

LIBRARY: Final = ".mtl"
_HIGHEST: Final = 1.0
"""A emissive color is at most this bright in a material library."""
_Values = npt.NDArray[np.floating]
_Streams = tuple[_Values, _Values | None, _Values | None]


def files_of(scene: Scene, stem: str) -> dict[str, bytes]:
    """The files of a scene by name: ``STEM.obj``, its materials, its images, and ``STEM.obj.json``.

    The text names materials and images in UTF-8, so that their names are in letters if `stem` is not.
    """
    named = readable(stem)
    names = [f"{named}{image_tag(index, it.name)}.png" for index, it in enumerate(scene.images)]
    made = {f"{stem}.obj": "".join(_lines(scene, named)).encode()}
    made[named + LIBRARY] = "".join(_library(scene, names)).encode()
    made[stem + SIDECAR] = sidecar_text(scene).encode()
    for name, image in zip(names, scene.images, strict=True):
        made[name] = write_png(image.pixels)
    return made


def shown(scene: Scene) -> Iterator[tuple[Tag, Primitive]]:
    """The objects of the file in order: the primitives that nodes show in the chosen cell."""
    for number, (node, cell) in enumerate(zip(scene.nodes, scene.chosen.shown, strict=True)):
        if cell is not None:
            mesh = node.cells[cell]
            for index, primitive in enumerate(scene.meshes[mesh].primitives):
                yield Tag(number, mesh, index), primitive


def _lines(scene: Scene, stem: str) -> Iterator[str]:
    yield f"# {plain(scene.name)}\nmtllib {stem}{LIBRARY}\n"
    worlds = objects.worlds(scene)
    # Vertices, texture coordinates and normals are numbered each on their own, from 1, over the whole file.
    first = np.ones(3, np.int64)
    for tag, primitive in shown(scene):
        yield f"o {name_of(tag, scene.nodes[tag.node].name)}\n"
        # v runs upwards in OBJ: (u, v) times (1, -1) plus (0, 1) is (u, 1 - v).
        world = worlds[tag.node]
        up = Axes(scene.options.is_y_up).outward
        positions = up(transform_points(world, primitive.positions.astype(np.float64)))
        uvs = None if primitive.uvs is None else np.asarray(primitive.uvs, np.float64) * (1, -1) + (0, 1)
        normals = None if primitive.normals is None else up(objects.turned(primitive.normals, world))
        streams = positions, uvs, normals
        for word, values in zip(("v", "vt", "vn"), streams, strict=True):
            if values is not None:
                yield _rows(word, values)
        if primitive.material is not None:
            yield f"usemtl {material_name(scene.materials[primitive.material].name, primitive.material)}\n"
        yield _faces(primitive, streams, first)
        first += [0 if values is None else len(values) for values in streams]


def _rows(word: str, values: _Values) -> str:
    """A line for each row: numbers as short as gives the same binary32 value, none beyond what is read."""
    template = word + " %s" * values.shape[1] + "\n"
    # str of a binary32 number is its shortest decimal; + 0 makes zeros of negative zeros.
    columns = [
        [*map(str, column)]
        for column in (np.clip(values.T, -LARGEST, LARGEST).astype(np.float32) + np.float32(0))
    ]
    return "".join(map(template.__mod__, zip(*columns, strict=True)))


def _faces(primitive: Primitive, streams: _Streams, first: npt.NDArray[np.int64]) -> str:
    """A line for each triangle; vertices, texture coordinates and normals are numbered from 1."""
    # A corner is 1, 1/2, 1//3 or 1/2/3.
    form = "%d" + ("/" if streams[1] is not None or streams[2] is not None else "")
    form += "%d" if streams[1] is not None else ""
    form += "/%d" if streams[2] is not None else ""
    starts = [start for start, values in zip(first.tolist(), streams, strict=True) if values is not None]
    # One index serves all three: in a scene each vertex has its own texture coordinate and normal. Triangle 0
    # 2 1 after 4 vertices and no texture coordinates is f 5//5 7//7 6//6.
    numbers = (primitive.triangles[:, :, None] + starts).reshape(-1, 3 * len(starts))
    template = f"f {form} {form} {form}\n"
    return "".join([template % tuple(row) for row in numbers.tolist()])


def _library(scene: Scene, names: list[str]) -> Iterator[str]:
    for index, material in enumerate(scene.materials):
        yield f"newmtl {material_name(material.name, index)}\n"
        yield _color("Kd", material.color[:3]) + _color(
            "Ke", np.minimum(material.emissive, _HIGHEST).tolist()
        )
        yield _color("Ks", (0.0, 0.0, 0.0)) + f"illum {0 if material.is_unlit else 1}\n"
        yield f"d {np.float32(material.color[3])}\n"
        if material.image is not None:
            yield f"map_Kd {names[material.image]}\n"
            # The same image once more, as map_d says that its alpha counts: a skin with gloss in its alpha
            # has none and stays opaque.
            if material.alpha is not AlphaMode.OPAQUE:
                yield f"map_d {names[material.image]}\n"
        yield "\n"


def _color(word: str, values: object) -> str:
    return f"{word} " + " ".join(str(value) for value in np.asarray(values, np.float32)) + "\n"
