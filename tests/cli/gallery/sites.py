"""Small folders of models, and the sites made of them in this process."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from PIL import Image

from tests.broken.models import sound, still
from tests.builders import ModelBuilder, Node, archive_of, box
from viewer.cli.main import main

NASTY: Final = '<script>alert("x")</script>&.msh'
"""The name of an entry that must stay text wherever it is shown."""


def empty() -> bytes:
    """A model without geometry."""
    return ModelBuilder.of([Node("nothing")]).build()


def archive() -> bytes:
    """Two good models, one without geometry, one damaged, one with a nasty name."""
    files = {
        "sound.msh": sound().build(),
        "still.msh": still().build(),
        "empty.msh": empty(),
        "broken.msh": still().build()[:200],
        "a.txt": b"no model",
    }
    return archive_of({**files, NASTY[-25:]: still().build()})


def tall() -> bytes:
    """The model of `still` with another shape."""
    return ModelBuilder.of([Node("stone", shapes={(0, 0): [box((1, 1, 4))]})]).build()


def made(source: Path, site: Path, *options: object, status: int = 0) -> dict[str, Any]:
    """The index of a site made of a file or folder, without turning pictures unless they are asked for."""
    given = [*map(str, options)]
    quick = [] if "--turntable" in given else ["--turntable", "0"]
    jobs = [] if "--jobs" in given else ["--jobs", "1"]
    assert main(["gallery", str(source), "-o", str(site), *quick, *jobs, *given]) == status
    document: dict[str, Any] = json.loads((site / "gallery.json").read_bytes())
    return document


def rows(document: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The models of an index by their names."""
    return {row["name"]: row for row in document["models"]}


def pixels(path: Path) -> npt.NDArray[np.uint8]:
    """The pixels of a picture, (h, w, 4)."""
    with Image.open(path) as image:
        return np.asarray(image.convert("RGBA"))


def files_of(site: Path) -> dict[str, bytes]:
    """All files of a site by their names in it."""
    return {it.relative_to(site).as_posix(): it.read_bytes() for it in site.rglob("*") if it.is_file()}
