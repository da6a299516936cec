"""``python -m tests.referees.blender.poses JOBS.json``: where Blender sees every node.

JOBS is a list of ``{"file", "out", "fps", "frames"}``. Writes OUT.json with the names of the objects, and
OUT.f32: a 4x4 matrix, row by row, for each frame and object, in Blender's space, which has Z up.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import bpy
import numpy as np

from tests.referees.blender.files import open_file


def poses(frames: list[float]) -> tuple[list[str], np.ndarray]:
    """Names of the objects, and their world matrices (f, n, 4, 4) float32."""
    scene = bpy.context.scene
    objects = sorted(scene.objects, key=lambda it: it.name)
    matrices = np.empty((len(frames), len(objects), 4, 4), np.float32)
    for row, frame in zip(matrices, frames, strict=True):
        scene.frame_set(int(frame // 1), subframe=frame % 1)
        for matrix, it in zip(row, objects, strict=True):
            matrix[:] = it.matrix_world
    return [it.name for it in objects], matrices


if __name__ == "__main__":
    for job in json.loads(Path(sys.argv[1]).read_text()):
        open_file(job["file"], job["fps"])
        names, matrices = poses(job["frames"])
        Path(job["out"] + ".json").write_text(json.dumps(names))
        Path(job["out"] + ".f32").write_bytes(matrices.tobytes())
    sys.stdout.flush()
    os._exit(0)  # Blender may crash in its own clean-up
