"""Pictures of the viewport for the user: as files, on the clipboard, as animations."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

from viewer.app.images.films import Films
from viewer.app.images.stages import StagePictures
from viewer.control.converting.files import FileController
from viewer.control.jobs import Jobs
from viewer.control.state import State
from viewer.errors import OutputError, reason_of
from viewer.model.convert.pictures import images
from viewer.session.play.filming import FilmOptions
from viewer.session.play.stage import file_stem
from viewer.translation import _

PATIENCE: Final = 20.0
"""Seconds until a program that does not end is ended."""
VARIABLE: Final = "MSHVIEW_PICTURE"
"""The environment variable that has the file of the picture, for a program whose command does not name it."""
PATH: Final = "{path}"
"""Stands in a command for the file of the picture; without it the picture is the input of the command."""


class ClipboardProgram(Struct, frozen=True):
    """A program that puts a PNG on the clipboard, and how it is called."""

    name: str
    arguments: tuple[str, ...]

    @property
    def takes_file(self) -> bool:
        """Whether the program reads a file, not its input."""
        return any(PATH in argument or VARIABLE in argument for argument in self.arguments)


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
        # A path in the command would have to be quoted: names of users have apostrophes.
        f"[System.Windows.Forms.Clipboard]::SetImage([System.Drawing.Image]::FromFile($env:{VARIABLE}))",
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
    # A program that was ended may have the file open for a moment longer.
    with tempfile.TemporaryDirectory(prefix="mshview-", ignore_cleanup_errors=True) as folder:
        path = Path(folder) / "picture.png"
        path.write_bytes(image)
        filled = (argument.replace(PATH, str(path)) for argument in program.arguments)
        _run([program.name, *filled], b"", {VARIABLE: str(path)})


def _run(command: Sequence[str], data: bytes, variables: Mapping[str, str] | None = None) -> None:
    """Run a program; it may leave a process behind that owns the clipboard, so its output is not read."""
    try:
        with tempfile.TemporaryFile() as errors:
            done = subprocess.run(
                command, input=data, stdout=subprocess.DEVNULL, stderr=errors, timeout=PATIENCE, check=False,
                env=os.environ | (variables or {}),
            )  # fmt: skip
            errors.seek(0)
            told = errors.read(500).decode(errors="replace").strip()
    except subprocess.TimeoutExpired as error:
        words = _("does not end within {seconds} s", seconds=round(PATIENCE))
        raise OutputError(words, source=command[0]) from error
    except OSError as error:
        raise OutputError(_("cannot be run: {error}", error=reason_of(error)), source=command[0]) from error
    if done.returncode:
        failure = told or _("exit status {status}", status=done.returncode)
        raise OutputError(_("a picture cannot be copied: {error}", error=failure), source=command[0])


class Screenshots:
    """Writes and copies pictures of the viewport; owner: the application, main thread only.

    Parameters
    ----------
    pictures
        Draws them.
    files
        Writes them.
    films
        Draws and writes animations.
    """

    def __init__(
        self, state: State, jobs: Jobs, pictures: StagePictures, files: FileController, films: Films
    ) -> None:
        self._state, self._jobs = state, jobs
        self._pictures, self._files, self._films = pictures, files, films

    def save_screenshot(
        self, path: Path | None = None, *, is_transparent: bool = False, size: tuple[int, int] | None = None
    ) -> None:
        """Draw a screenshot now, and write it."""
        stage = self._state.stage
        if stage is None:
            return
        # Drawn now and written later: the picture is what is on screen when the user asks for it.
        path = path or self._files.new_path(file_stem(stage))
        pixels = self._pictures.picture(size, is_transparent=is_transparent)
        self._files.save_picture(_("Picture saved as {path}"), path, lambda: pixels)

    def copy_screenshot(self, size: tuple[int, int] | None = None, *, is_transparent: bool = False) -> None:
        """Draw a screenshot now, and put it on the clipboard; raises `OutputError` if nothing can do that."""
        if self._state.stage is None:
            return
        installed()
        pixels = self._pictures.picture(size, is_transparent=is_transparent)
        height, width = pixels.shape[:2]

        def done(_ignored: object) -> None:
            self._state.announce(copied)

        copied = _("Picture of {width} x {height} pixels copied", width=width, height=height)
        title = _("Copying the picture…")
        self._jobs.start("copy_picture", title, lambda _ignored: copy(images.write_png(pixels)), done)

    def save_report(self, path: Path) -> None:
        """Draw the viewport now, and write a report with it."""
        # Drawn now, as for a screenshot; a texture or a table is no stage, and has no picture here.
        self._files.save_report(path, self._pictures.picture() if self._state.stage else None)

    def save_film(self, path: Path, options: FilmOptions) -> None:
        """Write a film of the viewport; raises `MshviewError` for what it cannot be."""
        self._films.save(path, options)
