"""What a real browser shows of a gallery: its poses and its pictures compared with ours."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from PIL import Image

from tests.broken.models import still
from tests.builders import archive_of
from tests.referees.poses import TOLERANCE, Y_UP
from tests.referees.programs import HOME, checked
from tests.referees.subjects import ROOT
from viewer.cli.main import main
from viewer.model.clips.clip import FRAME_RATE
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.opening import Source
from viewer.session.opened.document import Document

NASTY: Final = "<img src=x onerror=alert(1)>.msh"
TIMES: Final = 6
CLOSE: Final = 12.0
"""Mean difference of the premultiplied channels where either picture shows something, 0 to 255."""


def judge(folder: Path, models: str = "") -> list[str]:
    """Make a site of the sample and of a model with a nasty name, and say what is wrong with it."""
    source, site, out = folder / "page-models", folder / "page-site", folder / "page-out"
    shutil.copytree(ROOT / "assets" / "game", source, dirs_exist_ok=True)
    (source / "nasty.rlb").write_bytes(archive_of({NASTY: still().build()}))
    out.mkdir(exist_ok=True)
    main(["gallery", str(source), "-o", str(site), "-q"])
    rows = json.loads((site / "gallery.json").read_bytes())["models"]
    chosen = [row for row in rows if row["model"] and models.lower() in row["source"].lower()]
    job: dict[str, Any] = {"site": str(site), "out": str(out), "models": [*map(_asked, chosen)]}
    _run(folder / "page-job.json", job)
    answer = json.loads((out / "page.json").read_bytes())
    wrong = [*answer["wrong"]]
    for index, (row, said) in enumerate(zip(chosen, answer["models"], strict=True)):
        address = Address.parse(f"{source}/{row['source']}")
        wrong += _compare_poses(address, job["models"][index]["times"], said["worlds"])
        picture = site / row["pictures"]["three-quarter"]
        wrong += _compare_pictures(row["source"], picture, out / f"{index}.png")
    return wrong


def _run(file: Path, job: dict[str, Any]) -> None:
    file.write_text(json.dumps(job), encoding="utf-8")
    python = HOME / "browser" / "bin" / "python"
    command = [str(python), "-m", "tests.referees.browser.page", str(file)]
    checked(subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT), "the browser")


def _asked(row: dict[str, Any]) -> dict[str, Any]:
    chance, last = random.Random(row["source"]), max(row["counts"]["frames"] - 1, 0) / FRAME_RATE
    times = sorted(chance.uniform(0, last) for _ in range(TIMES)) if last else [0.0]
    return {"source": row["source"], "times": times}


def _compare_poses(
    address: Address, times: Sequence[float], said: Sequence[dict[str, list[float]]]
) -> list[str]:
    """Compare the world matrices of all nodes with those of our pose."""
    animation = Document.open(FileStore(), Source(address)).animation
    wrong = []
    for time, nodes in zip(times, said, strict=True):
        numbers = sorted(map(int, nodes))
        ours = Y_UP @ animation.pose(time * FRAME_RATE).world[numbers] @ Y_UP.T
        theirs = np.array([nodes[str(number)] for number in numbers]).reshape(-1, 4, 4)
        error = np.abs(ours - theirs) / (1 + np.abs(ours).max(axis=(1, 2), keepdims=True))
        if not numbers or error.max() > TOLERANCE:
            wrong.append(f"{address}: nodes differ by {error.max(initial=0):.1e} at {time:.3f} s")
    return wrong


def _compare_pictures(source: str, ours: Path, theirs: Path) -> list[str]:
    """Compare a picture of the site with the model in the canvas, seen by the same camera."""
    one, other = _premultiplied(ours), _premultiplied(theirs)
    if one.shape != other.shape:
        return [f"{source}: the canvas is {other.shape}"]
    is_shown = (one[..., 3] > 0) | (other[..., 3] > 0)
    mean = float(np.abs(one - other)[is_shown].mean()) if is_shown.any() else 255.0
    return [f"{source}: the picture differs by {mean:.1f} of 255"] if mean > CLOSE else []


def _premultiplied(path: Path) -> npt.NDArray[np.float32]:
    with Image.open(path) as image:
        pixels = np.array(image.convert("RGBA"), np.float32)
    pixels[..., :3] *= pixels[..., 3:] / 255
    return pixels
