"""``python -m tests.referees.trimesh.shapes FILE...``: what trimesh finds in files, a JSON line each.

A line has ``triangles`` and ``bounds``, the lowest and the highest corner at rest, or null without triangles;
or ``error`` if trimesh does not read the file.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np
import trimesh


def shape_of(path: str) -> dict[str, Any]:
    """The triangles and bounds of all nodes of a file."""
    scene = trimesh.load_scene(path, process=False)
    triangles, corners = 0, []
    for name in scene.graph.nodes_geometry:
        place, geometry = scene.graph[name]
        mesh = scene.geometry[geometry]
        if isinstance(mesh, trimesh.Trimesh) and len(mesh.faces):
            triangles += len(mesh.faces)
            points = trimesh.transform_points(mesh.vertices[np.unique(mesh.faces)], place)
            corners += [points.min(axis=0), points.max(axis=0)]
    bounds = [np.min(corners, axis=0).tolist(), np.max(corners, axis=0).tolist()] if corners else None
    return {"triangles": triangles, "bounds": bounds}


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        try:
            found = shape_of(argument)
        except Exception as error:  # noqa: BLE001 what it raises for damaged files is of any kind
            found = {"error": f"{type(error).__name__}: {error}"[:200]}
        sys.stdout.write(json.dumps(found) + "\n")
