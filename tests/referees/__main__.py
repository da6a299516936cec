"""``python -m tests.referees``: what other programs make of exported files. See ``make referees``.

Every model of the corpora and of the sample is exported; Khronos' validator reads the files, Blender and
three.js say where the nodes are, and Blender saves them again, unedited and edited, for the import. The test
models of assimp are imported too, and trimesh says how many triangles they have, and where. Kaitai Struct
compiles the declared formats, and its parsers read payloads of the corpora.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from time import monotonic
from typing import Final

from tests.referees import foreign, layouts, stages
from tests.referees.subjects import subjects

STAGES: Final[Mapping[str, Callable[[stages.RefereeWork], list[str]]]] = {
    "validator": stages.validate,
    "unedited": stages.import_again,
    "three": stages.pose_in_three,
    "blender": stages.pose_in_blender,
    "again": stages.save_in_blender,
    "edits": stages.edit_in_blender,
    "defaults": stages.save_by_default,
    "default-edits": stages.edit_by_default,
    "table": stages.judge_table,
    "obj": stages.objects_in_blender,
    "speed": stages.measure_speed,
    "assimp": foreign.import_test_models,
    "assimp-saved": foreign.save_in_assimp,
    "page": stages.use_gallery,
    "formats": layouts.parse_with_kaitai,
}


def main() -> int:
    """Run the stages and print; the exit status is 1 if something is wrong."""
    options = _parser().parse_args()
    with tempfile.TemporaryDirectory() as folder:
        work = stages.RefereeWork(Path(options.keep or folder), subjects(options.models), options.models)
        work.folder.mkdir(parents=True, exist_ok=True)
        wrong = 0
        for name in options.only.split(","):
            started = monotonic()
            found = STAGES[name](work)
            wrong += len(found)
            sys.stdout.write(f"{name}: {len(found)} wrong, {monotonic() - started:.0f} s\n")
            sys.stdout.writelines(f"  {line}\n" for line in found)
            sys.stdout.flush()
    return 1 if wrong else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.referees", description=__doc__)
    add = parser.add_argument
    add("--only", default=",".join(STAGES), metavar="NAME,NAME", help="stages; default %(default)s")
    add("--models", default="", metavar="TEXT", help="models whose address has this text; default all")
    add("--keep", default="", metavar="FOLDER", help="write the files here and keep them")
    return parser


if __name__ == "__main__":
    sys.exit(main())
