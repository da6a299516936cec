"""Draw every model of an archive into a folder that exists.

mshview run archive_pictures.py models.rlb FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path

import mshview

archive, folder = sys.argv[1:]
for model in mshview.models(archive):
    mshview.write_png(Path(folder) / f"{Path(model.name).stem}.png", model.render((320, 240)))
    print(model.name)
