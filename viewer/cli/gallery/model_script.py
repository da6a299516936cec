"""A model as a script that a page loads from the disk: its GLB, compressed, as text."""

from __future__ import annotations

import base64
import gzip
import json
from dataclasses import replace
from typing import Final

from viewer.formats.msh.nodes import GROUPS, LODS
from viewer.model.clips.clip import FRAME_RATE
from viewer.model.convert.from_model import scene_of
from viewer.model.convert.gltf.write import glb_of
from viewer.model.convert.scene import Clip, Clips, Options, Scene
from viewer.model.convert.source import ModelSource
from viewer.model.mesh.cell_names import CellNames
from viewer.session.opened.document import Document
from viewer.session.view.view_state import ViewState

LEVEL: Final = 6
"""Of the compression: higher ones take longer and save a hundredth."""
WHOLE: Final = "whole animation"


def model_script(stem: str, document: Document, view: ViewState) -> bytes:
    """The script that hands a model to the page under the name `stem`."""
    return script_of(stem, glb_of(scene(document, view)), document.cell_names)


def script_of(stem: str, data: bytes, names: CellNames) -> bytes:
    """The script of a GLB file, with the name of each cell by LOD and group."""
    packed = base64.b64encode(gzip.compress(data, LEVEL, mtime=0))
    cells = [[names.cell(lod, group) for group in range(GROUPS)] for lod in range(LODS)]
    return b'gallery.take(%s,"%s",%s);\n' % (json.dumps(stem).encode(), packed, json.dumps(cells).encode())


def scene(document: Document, view: ViewState) -> Scene:
    """A model with all its cells, the one of a view first, and with its whole animation before its clips."""
    source = ModelSource(
        document.source.address.name, document.model, document.choice, document.materials, document.controller
    )
    options = Options((view.lod, view.group), has_all_cells=True, fps=FRAME_RATE, clips=Clips.CLIPS)
    found = scene_of(source, options)
    return replace(found, clips=(_whole(found), *found.clips))


def _whole(found: Scene) -> Clip:
    """The animation of all frames as a clip, whose times are seconds."""
    moving = {index: node.track for index, node in enumerate(found.nodes) if node.track is not None}
    tracks = {index: replace(track, times=track.times / FRAME_RATE) for index, track in moving.items()}
    return Clip(WHOLE, 0.0, float(found.frame_count - 1), tracks=tracks)
