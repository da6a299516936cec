"""A model as a script that a page loads from the disk: its GLB, compressed, as text."""

from __future__ import annotations

import base64
import gzip
import json

from viewer.session.opened.document import Document
from viewer.session.view.view_state import ViewState

LEVEL = 6


def model_script(stem: str, document: Document, view: ViewState) -> bytes | None:
    """The script that hands a model to the page under the name `stem`; None if it cannot be exported."""
    data = glb(document, view)
    return None if data is None else script_of(stem, data)


def script_of(stem: str, data: bytes) -> bytes:
    """The script of a GLB file."""
    packed = base64.b64encode(gzip.compress(data, LEVEL, mtime=0))
    return b'gallery.take(%s, "%s");\n' % (json.dumps(stem).encode(), packed)


def glb(document: Document, view: ViewState) -> bytes | None:
    """The GLB file of a model."""
    return None
