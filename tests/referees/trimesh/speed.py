"""``python -m tests.referees.trimesh.speed FILE RUNS``: how long trimesh takes to load and export a file.

A line of JSON with the CPU seconds of each run after the first, which loads modules too.
"""

from __future__ import annotations

import json
import sys
from time import process_time

import trimesh


def seconds_of(path: str) -> float:
    """The CPU seconds of one load and one export."""
    started = process_time()
    trimesh.load_scene(path).export(file_type="glb")
    return process_time() - started


if __name__ == "__main__":
    seconds_of(sys.argv[1])
    sys.stdout.write(json.dumps([seconds_of(sys.argv[1]) for _ in range(int(sys.argv[2]))]) + "\n")
