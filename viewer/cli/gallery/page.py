"""The page of a gallery: one HTML file with its style, its script and its data, and the viewer of models."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path
from typing import Any, Final

from viewer.cli.gallery.site_names import PAGE
from viewer.model.kinds import json_text
from viewer.version import VERSION

_FOLDER: Final = Path(__file__).parent
_PARTS: Final = {"style": "page/gallery.css", "code": "page/gallery.js", "view": "page/model_view.js"}
THREE: Final = {"three.min.js": "three/three.min.js", "three.LICENSE.txt": "three/LICENSE"}
"""The library that shows models, and its licence: their names in the site and here."""


def files(document: Mapping[str, Any], *, has_models: bool) -> Iterator[tuple[str, bytes]]:
    """The names and the bytes of the page and of what it loads."""
    yield PAGE, html(document).encode("ascii", "xmlcharrefreplace")
    if has_models:
        for name, source in THREE.items():
            yield name, (_FOLDER / source).read_bytes()


def html(document: Mapping[str, Any]) -> str:
    """The page of an index; no text of a file can end a script or be taken for markup."""
    parts = {name: (_FOLDER / path).read_text("utf-8") for name, path in _PARTS.items()}
    filled = (_FOLDER / "page/index.html").read_text("utf-8")
    values = {
        "title": escape(_printable(str(document["title"]))),
        "version": escape(VERSION),
        "data": script_data(document),
        **parts,
    }
    for name, value in values.items():
        filled = filled.replace(f"{{{{{name}}}}}", value, 1)
    return filled


def script_data(document: Mapping[str, Any]) -> str:
    """JSON text in ASCII that can stand in a script."""
    plain = json.loads(json_text.encode(document))
    text = json.dumps(plain, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _printable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()
