"""Draws the icon of the program, the sample robot on a tile, in all sizes: python packaging/make_icons.py."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path
from typing import Final

import numpy as np
from PIL import Image, ImageDraw

ROOT: Final = Path(__file__).parents[1]
ICONS: Final = ROOT / "packaging" / "share" / "icons" / "hicolor"
NAME: Final = "mshview.png"
SIZES: Final = (16, 22, 24, 32, 48, 64, 128, 256, 512)
LARGE: Final = 1024
"""Side of the drawing from which all sizes are made, pixels."""
TOP, BOTTOM = (150, 182, 210), (46, 68, 96)
"""Colors of the tile, red, green, blue."""
MARGIN, RADIUS = 0.045, 0.2
"""Margin and corner radius of the tile, as fractions of the side of the icon."""
CLOSE: Final = 48
"""Size up to which only the turret and the hull are shown, so that they can be recognized."""
HULL: Final = (0.0, 0.2, 1.0, 0.62)
"""The part of the robot that has them: left, top, right, bottom, by its size."""


def main() -> None:
    """Write the icon in all sizes."""
    robot = drawn_robot()
    for size in SIZES:
        path = ICONS / f"{size}x{size}" / "apps" / NAME
        path.parent.mkdir(parents=True, exist_ok=True)
        icon(robot, size).save(path, optimize=True)


def drawn_robot() -> Image.Image:
    """The robot as the program draws it, cut to what is not transparent."""
    model = ROOT / "assets" / "game" / "models.rlb"
    view = ["--yaw", "28", "--pitch", "14", "--time", "21", "--transparent", "--size", f"{LARGE}x{LARGE}"]
    command = [sys.executable, "-m", "viewer", "render", f"{model}::walker.msh", "-o", "-", *view]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    image = Image.open(io.BytesIO(done.stdout)).convert("RGBA")
    return image.crop(image.getchannel("A").getbbox())


def icon(robot: Image.Image, size: int) -> Image.Image:
    """The icon in one size."""
    side = LARGE
    tile = Image.new("RGBA", (side, side))
    mask = Image.new("L", (side, side))
    margin = round(side * MARGIN)
    ImageDraw.Draw(mask).rounded_rectangle(
        (margin, margin, side - margin, side - margin), round(side * RADIUS), fill=255
    )
    rows = np.linspace(0, 1, side)[:, None, None]
    colors = np.array(TOP) * (1 - rows) + np.array(BOTTOM) * rows
    ground = Image.fromarray(np.broadcast_to(colors, (side, side, 3)).astype(np.uint8))
    tile.paste(ground, mask=mask)
    if size <= CLOSE:
        left, top, right, bottom = (round(it * robot.size[at % 2]) for at, it in enumerate(HULL))
        robot = robot.crop((left, top, right, bottom))
    scale = 0.92 * (side - 2 * margin) / max(robot.size)
    fitted = robot.resize((round(robot.width * scale), round(robot.height * scale)), Image.Resampling.LANCZOS)
    tile.alpha_composite(fitted, ((side - fitted.width) // 2, (side - fitted.height) // 2))
    return tile.resize((size, size), Image.Resampling.LANCZOS, reducing_gap=3)


if __name__ == "__main__":
    main()
