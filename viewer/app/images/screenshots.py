"""Screenshots as PNG files, and on the clipboard of the system.

ImGui and GLFW put only text there.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Final

from platformdirs import user_pictures_path

from viewer.app.settings import user_files
from viewer.errors import OutputError
from viewer.formats.texture.pixels import Image
from viewer.model.convert import png
from viewer.model.store.address import Address
from viewer.progress import checkpoint
from viewer.translation import _

PATIENCE: Final = 20.0
"""Seconds until a program that does not end is ended."""
PATH: Final = "{path}"
"""Stands in a command for the file of the picture; without it the picture is the input of the command."""


def save(image: Image, path: Path) -> Path:
    """Write a screenshot and return its path; raises `OutputError`."""
    data = png.write(image)
    checkpoint()  # a cancelled screenshot leaves no file
    user_files.write(path, data)
    return path


def default_folder() -> Path:
    """The program's folder among the user's pictures."""
    return user_pictures_path() / "mshview"


def new_path(address: str, folder: Path | None = None, promised: Collection[Path] = ()) -> Path:
    """The path of a new file, named after a document, among the user's pictures; none that is promised."""
    folder = folder or default_folder()
    stem = Path(Address.parse(address).name.lstrip("#")).stem or "picture"
    names = (folder / f"{stem}-{number}.png" for number in count(1))
    return next(path for path in names if path not in promised and not path.exists())


@dataclass(frozen=True, slots=True)
class ClipboardProgram:
    """A program that puts a PNG on the clipboard, and how it is called."""

    name: str
    arguments: tuple[str, ...]

    @property
    def takes_file(self) -> bool:
        """Whether it reads a file and not its input."""
        return any(PATH in argument for argument in self.arguments)


WL_COPY: Final = ClipboardProgram("wl-copy", ("--type", "image/png"))
XCLIP: Final = ClipboardProgram("xclip", ("-selection", "clipboard", "-target", "image/png", "-in"))
OSASCRIPT: Final = ClipboardProgram(
    "osascript", ("-e", f'set the clipboard to (read (POSIX file "{PATH}") as «class PNGf»)')
)
POWERSHELL: Final = ClipboardProgram(
    "powershell",
    (
        "-NoProfile",
        "-STA",
        "-Command",
        "Add-Type -AssemblyName System.Windows.Forms, System.Drawing; "
        f"[System.Windows.Forms.Clipboard]::SetImage([System.Drawing.Image]::FromFile('{PATH}'))",
    ),
)


def programs(platform: str, environment: Mapping[str, str]) -> tuple[ClipboardProgram, ...]:
    """The programs for a platform, those of the running window system first."""
    if platform == "darwin":
        return (OSASCRIPT,)
    if platform == "win32":
        return (POWERSHELL,)
    return (WL_COPY, XCLIP) if environment.get("WAYLAND_DISPLAY") else (XCLIP,)


def installed() -> ClipboardProgram:
    """The program to use; raises `OutputError` with the names of those to install if there is none."""
    known = programs(sys.platform, os.environ)
    found = next((program for program in known if shutil.which(program.name)), None)
    if found is None:
        names = _(" or ").join(program.name for program in known)
        words = _("a picture cannot be copied: install {names}, or save it as a file")
        raise OutputError(words.format(names=names), source=_("clipboard"))
    return found


def copy(image: bytes) -> None:
    """Put a PNG on the clipboard; raises `OutputError`."""
    program = installed()
    if not program.takes_file:
        _run([program.name, *program.arguments], image)
        return
    with tempfile.TemporaryDirectory(prefix="mshview-") as folder:
        path = Path(folder) / "picture.png"
        path.write_bytes(image)
        filled = (argument.replace(PATH, str(path)) for argument in program.arguments)
        _run([program.name, *filled], b"")


def _run(command: Sequence[str], data: bytes) -> None:
    """Run a program; it may leave a process behind that owns the clipboard, so its output is not read."""
    try:
        with tempfile.TemporaryFile() as errors:
            done = subprocess.run(
                command, input=data, stdout=subprocess.DEVNULL, stderr=errors, timeout=PATIENCE, check=False
            )
            errors.seek(0)
            told = errors.read(500).decode(errors="replace").strip()
    except (OSError, subprocess.SubprocessError) as error:
        raise OutputError(_("cannot be run: {error}").format(error=error), source=command[0]) from error
    if done.returncode:
        words = told or _("exit status {status}").format(status=done.returncode)
        raise OutputError(_("a picture cannot be copied: {error}").format(error=words), source=command[0])
