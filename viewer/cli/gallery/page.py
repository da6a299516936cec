"""The page of a gallery: one HTML file with its style, its script and its data, and the viewer of models."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path
from typing import Any, Final

from viewer.cli.gallery.model_script import WHOLE
from viewer.cli.gallery.site_names import PAGE
from viewer.model.clips.clip import FRAME_RATE
from viewer.model.kinds import json_text
from viewer.session.view.lighting import SCENE, Lighting
from viewer.version import VERSION

_PLACEHOLDER: Final = re.compile(r"\{\{(\w+)\}\}")
_FOLDER: Final = Path(__file__).parent
_CODE: Final = ("model_view", "data", "filter", "cards", "detail", "facts", "controls")
"""The scripts of the page, in order; they share their names."""
THREE: Final = {"three.min.js": "three/three.min.js", "three.LICENSE.txt": "three/LICENSE"}
"""The library that shows models, and its licence: their names in the site and here."""


def files(document: Mapping[str, Any], *, has_models: bool) -> Iterator[tuple[str, bytes]]:
    """The names and the bytes of the page and of what it loads."""
    yield PAGE, html(document).encode()
    if has_models:
        for name, source in THREE.items():
            yield name, (_FOLDER / source).read_bytes()


def html(document: Mapping[str, Any]) -> str:
    """The page of an index; no text of a file can end a script or be taken for markup."""
    values = {
        "title": escape(_printable(str(document["title"]))),
        "version": escape(VERSION),
        "style": _part("gallery.css"),
        "code": "\n".join(_part(f"{name}.js") for name in _CODE),
        "data": script_data(document),
    }
    return _PLACEHOLDER.sub(lambda found: values[found[1]], _part("index.html"))


def _part(name: str) -> str:
    return (_FOLDER / "page" / name).read_text("utf-8")


def script_data(document: Mapping[str, Any]) -> str:
    """JSON text in ASCII that can stand in a script."""
    plain = json.loads(json_text.encode(document)) | _lights()
    text = json.dumps(plain, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _lights() -> dict[str, Any]:
    """The light of the pictures, frames per second, and the name of the animation that has frames."""
    lights = [{"towards": it.towards, "color": it.color} for it in Lighting().lights((0.0, 0.0, 1.0))]
    return {"light": {"scene": SCENE, "lights": lights}, "rate": FRAME_RATE, "whole": WHOLE}


def _printable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()
