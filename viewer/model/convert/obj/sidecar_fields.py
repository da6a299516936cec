"""The fields of a scene that the sidecar of an OBJ file has, and the names of its members.

The sidecars of earlier versions are read: of a field that came later they have the default.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Annotated, Any, Final, get_args, get_origin

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from viewer.model.convert.scene import Mesh, Node, Primitive, Scene, SceneClip, SceneMaterial, View
from viewer.model.convert.scene_images import SceneImage
from viewer.typed_json import fields_of, types_of

STORED_NAMES: Final = {
    "emissive": "glow", "image": "picture", "images": "pictures", "socket_tag": "takes",
}  # fmt: skip
"""The names that fields have in sidecars, if others than in the program."""
LEFT_OUT: Final = frozenset(
    {"normals", "has_own_normals", "uvs", "lightmap_uvs", "compression", "applied", "tracks", "is_apart"}
)
"""Fields that keep their defaults: geometry, and what only other formats say."""
GEOMETRY: Final[Mapping[type, Mapping[str, npt.NDArray[Any]]]] = {
    Primitive: {"positions": np.empty((0, 3), np.float32), "triangles": np.empty((0, 3), np.int64)},
    SceneImage: {"pixels": np.empty((0, 0, 4), np.uint8)},
}
"""Fields of geometry and images that are empty."""
HEAD_MEMBERS: Final = ("name", "frame_count", "origin", "options", "tables", "attributes")
LISTS: Final = {
    "nodes": Node, "meshes": Mesh, "materials": SceneMaterial, "images": SceneImage, "clips": SceneClip,
    "views": View,
}  # fmt: skip
"""The lists of a scene in a sidecar, a line for each element, and what they hold."""
ALWAYS: Final[Mapping[type, Sequence[str]]] = {
    Scene: ("nodes", "meshes", "materials", "images", "clips", "frame_count", "options", "tables"),
    Node: (
        "parent", "cells", "position", "rotation", "scale", "track", "socket_tag", "is_socket", "number",
        "fields",
    ),
    Mesh: ("primitives", "slot", "fields", "rounding"),
    Primitive: ("material", "vertices", "batch", "fields"),
    SceneMaterial: (
        "row", "color", "emissive", "image", "lightmap", "alpha", "is_unlit", "is_two_sided", "sub_image",
        "fields",
    ),
    SceneClip: ("seconds", "fields"),
}  # fmt: skip
"""Fields with a default that sidecars of all versions have, without which one is damaged.

Others came later, and have their default in the sidecars of earlier versions.
"""


def stored_name(name: str) -> str:
    """The name of the member of a field."""
    return STORED_NAMES.get(name, name)


@cache
def kept_fields(kind: type[Struct]) -> dict[str, Any]:
    """The fields of a class that a sidecar has, and their types, without what else is declared of them."""
    left_out = LEFT_OUT | GEOMETRY.get(kind, {}).keys()
    found = {name: it for name, it in types_of(kind).items() if name not in left_out}
    return {name: get_args(it)[0] if get_origin(it) is Annotated else it for name, it in found.items()}


def needed_fields(kind: type[Struct], item: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a class that an object has or has to have, and their types."""
    always = ALWAYS.get(kind, ())
    return {
        name: it
        for name, it in kept_fields(kind).items()
        if stored_name(name) in item or name in always or fields_of(kind)[name].required
    }
