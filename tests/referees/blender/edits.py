"""``python -m tests.referees.blender.edits JOBS.json``: edit files in Blender as a user would.

JOBS is a list of ``{"file", "out", "fps", "edit", ...}``: the name of a function of the modules ``edit_...``,
and its arguments. With ``"by_default": true`` files are written as Blender does unless told otherwise.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from tests.referees.blender.edit_materials import MATERIALS
from tests.referees.blender.edit_motion import MOTION
from tests.referees.blender.edit_objects import OBJECTS
from tests.referees.blender.edit_shapes import SHAPES
from tests.referees.blender.files import open_file, save_file


def nothing() -> None:
    """Only through Blender and out again."""


EDITS = {it.__name__: it for it in (nothing, *SHAPES, *OBJECTS, *MATERIALS, *MOTION)}

if __name__ == "__main__":
    for job in json.loads(Path(sys.argv[1]).read_text()):
        arguments = dict(job)
        file, out, fps, edit = (arguments.pop(name) for name in ("file", "out", "fps", "edit"))
        by_default = arguments.pop("by_default", False)
        open_file(file, fps)
        EDITS[edit](**arguments)
        save_file(out, by_default=by_default)
    sys.stdout.flush()
    os._exit(0)  # Blender may crash in its own clean-up
