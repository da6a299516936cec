"""What a file keeps beyond glTF: the ``extras`` of scenes, nodes, meshes, materials and primitives.

Everything is in one text, ``extras.mshview``, the JSON of an object of the shapes below: assimp 5.2 aborts on
extras that are lists or objects. Earlier files have the object itself, which is read too. Blender keeps the
extras of all but primitives. Nothing is null: what does not apply is absent. Lists hold numbers of one kind
or texts, never both and never lists. ``fields`` has the fields of a record by name, as stored: arrays are
flat, 0xFFFF stays, an integer from 2^31 is hexadecimal text (``"0x80000000"``, and so is a list with one), a
float is the shortest decimal of its single precision, and one that is not finite is ``"nan"``, ``"inf"`` or
``"-inf"`` (and so is a list with one).

scene
    The default scene: ``version`` 1; ``name``; ``origin``: the fields of `scene.Origin`; ``options``: those
    of `scene.Options` (``nodes`` absent for all); ``frame_count``; ``fields``: the header of Res2; ``clips``:
    by number, ``name``, ``first``, ``last``, ``seconds``, ``fields``; ``tables``: payloads by type, base64;
    ``attributes``: their attr1 to attr3 by type; ``cell``: row and column of what its nodes show. A further
    scene has ``cell`` alone.
node
    ``number``: row; ``name``: as stored, may be empty; ``cell``: row and column of the cell whose mesh it
    has; ``cells``: all cells in which it has that mesh, row and column in turn; ``takes``, ``socket``;
    ``fields``: of Res1; ``added_keys``: keys of its rotation that its track does not have, time in frames
    and w, x, y, z of the model in turn. A node of a further scene has ``number``, ``name``, ``cell``, and
    ``copy``: the cell of that scene; its pose says nothing of its own.
mesh
    ``slot``: row; ``fields``: of Res2; ``batches``: columns with an element for each batch in order, also for
    those without triangles, which have no primitive: ``row`` and the fields of Res13.
material
    ``name``, ``row``: of the wear table; ``lightmap``: true if the occlusion texture is a lightmap, whose
    coordinates are TEXCOORD_1; ``added``: its light is added to what is behind it, so that its picture is
    that of a layer (`conventions.Strength` of the original); ``fields``: what the game knows (``blend`` is
    the true blend mode; ``image``: true if it was written with one).
primitive
    ``batch``: row.

The attribute ``_VERTEX`` of a primitive is the row of each vertex in the tables of the model, as a float;
-1 for a vertex that is in none.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Any, Final

import numpy as np

from viewer.model.convert.scene import Fields, Mesh, Node, Options, Scene, SceneMaterial

NAME: Final = "mshview"
VERSION: Final = 1
LARGEST: Final = 2**31
"""From here on integers are texts."""


def wrapped(content: Mapping[str, Any]) -> dict[str, Any]:
    """The extras with some content; empty without any."""
    return {"extras": {NAME: content}} if content else {}


def as_texts(objects: Iterable[dict[str, Any]]) -> None:
    """Make texts of the extras of objects."""
    for item in objects:
        if "extras" in item:
            item["extras"] = {
                NAME: json.dumps(item["extras"][NAME], ensure_ascii=False, separators=(",", ":"))
            }


def of_scene(scene: Scene) -> dict[str, Any]:
    """The content of the default scene."""
    content: dict[str, Any] = {"version": VERSION, "name": scene.name}
    if scene.origin is not None:
        content["origin"] = asdict(scene.origin)
    content |= {"options": _options(scene.options), "frame_count": scene.frame_count}
    if scene.fields:
        content["fields"] = plain_fields(scene.fields)
    if scene.clips:
        content["clips"] = {str(number): _clip(clip) for number, clip in enumerate(scene.clips)}
    if scene.tables:
        content["tables"] = {str(key): b64encode(data).decode() for key, data in scene.tables.items()}
    if scene.attributes:
        content["attributes"] = {str(key): plain(list(values)) for key, values in scene.attributes.items()}
    return content | {"cell": list(scene.options.cell)}


def _options(options: Options) -> dict[str, Any]:
    content = {
        "cell": list(options.cell),
        "has_all_cells": options.has_all_cells,
        "has_textures": options.has_textures,
        "has_frame_keys": options.has_frame_keys,
        "rest": float(options.rest),
        "fps": float(options.fps),
        "is_y_up": options.is_y_up,
        "clips": str(options.clips),
    }
    return content if options.nodes is None else content | {"nodes": sorted(options.nodes)}


def _clip(clip: Any) -> dict[str, Any]:
    content = {"name": clip.name, "first": plain(clip.first), "last": plain(clip.last)}
    if clip.seconds is not None:
        content["seconds"] = plain(clip.seconds)
    return content | {"fields": plain_fields(clip.fields)}


def of_node(node: Node, shown: tuple[int, int] | None, copy: tuple[int, int] | None = None) -> dict[str, Any]:
    """The content of a node that shows the mesh of a cell; `copy` is the cell of a further scene."""
    content: dict[str, Any] = {} if node.number is None else {"number": node.number}
    content["name"] = node.name
    if shown is not None:
        same = [cell for cell, mesh in sorted(node.cells.items()) if mesh == node.cells[shown]]
        content |= {"cell": list(shown), "cells": [number for cell in same for number in cell]}
    if copy is not None:
        return content | {"copy": list(copy)}
    if node.is_socket:
        content["socket"] = True
    if node.takes:
        content["takes"] = node.takes
    return content | _with_fields(node.fields)


def note_added_keys(node: dict[str, Any], keys: np.ndarray) -> None:
    """Note keys, (n, 5) float32, in a node of a file."""
    node["extras"][NAME]["added_keys"] = shortest(keys.reshape(-1))


def of_mesh(mesh: Mesh) -> dict[str, Any]:
    """The content of a mesh."""
    content: dict[str, Any] = {} if mesh.slot is None else {"slot": mesh.slot}
    content |= _with_fields(mesh.fields)
    batches = [item for item in mesh.primitives if item.batch is not None]
    if batches:
        columns = {"row": [item.batch for item in batches]}
        columns |= {name: [item.fields[name] for item in batches] for name in batches[0].fields}
        content["batches"] = plain_fields(columns)
    return content


def of_material(material: SceneMaterial, added: str = "") -> dict[str, Any]:
    """The content of a material; `added` is where its picture had its strength, if its light is added."""
    content: dict[str, Any] = {"name": material.name}
    if material.row is not None:
        content["row"] = material.row
    if material.lightmap is not None:
        content["lightmap"] = True
    if added:
        content["added"] = added
    return content | _with_fields(material.fields)


def _with_fields(fields: Fields) -> dict[str, Any]:
    return {"fields": plain_fields(fields)} if fields else {}


def plain_fields(fields: Fields) -> dict[str, Any]:
    """Fields as JSON that Blender keeps; empty lists are left out."""
    values = {name: plain(value) for name, value in fields.items()}
    return {name: value for name, value in values.items() if value != []}


def plain(value: Any) -> Any:
    """A value of a field as JSON that Blender keeps."""
    match value:
        case bool() | str():
            return value
        case bytes():
            return value.hex()
        case list() | tuple():
            return _list([*_flat(value)])
    return _list([value])[0]


def _flat(values: Iterable[Any]) -> Iterator[Any]:
    """The numbers of lists in lists."""
    for value in values:
        if isinstance(value, list | tuple):
            yield from _flat(value)
        else:
            yield value


def _list(values: list[Any]) -> list[Any]:
    """A flat list of numbers of one kind."""
    if any(isinstance(value, float) for value in values):
        numbers = np.array(values, np.float64)
        return shortest(numbers) if np.isfinite(numbers).all() else [str(value) for value in values]
    if values and isinstance(values[0], int) and max(*values, -min(values)) >= LARGEST:
        return [f"{number:#010x}" for number in values]
    return values


def shortest(values: np.ndarray) -> list[float]:
    """Floats that are written as the shortest decimals of their single precision."""
    with np.errstate(over="ignore"):
        return [float(text) for text in values.astype(np.float32).astype(str).reshape(-1).tolist()]


def shortest_rows(values: np.ndarray) -> list[list[float]]:
    """Rows (n, k) of floats that are written like that."""
    flat, width = shortest(values), values.shape[1]
    return [flat[at : at + width] for at in range(0, len(flat), width)]
