"""What the window writes for the user: screenshots, textures and entries as files."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from typing import Final

from viewer.app.images.films import Films
from viewer.app.images.stages import StagePictures
from viewer.control.job_controller import JobController
from viewer.control.jobs import Jobs
from viewer.control.opening import loading
from viewer.control.opening.open_controller import OpenController
from viewer.control.settings import user_files
from viewer.control.state import State
from viewer.dataclass import dataclass
from viewer.errors import OutputError, reason_of
from viewer.formats.texture.pixels import Image
from viewer.formats.texture.texm import MAX_SIDE
from viewer.model.convert import films as convert_films
from viewer.model.convert import images
from viewer.model.effects.templates import TEMPLATES, TemplateName
from viewer.model.material.lookup import DEFAULT
from viewer.model.store.address import Address
from viewer.model.store.disk import with_target
from viewer.progress import checkpoint
from viewer.session.opened import opened_resource
from viewer.session.play.filming import FilmOptions
from viewer.session.play.stage import file_stem, stem_of
from viewer.session.view import textures
from viewer.session.view.textures import TextureView
from viewer.translation import _

PATIENCE: Final = 20.0
"""Seconds until a program that does not end is ended."""
VARIABLE: Final = "MSHVIEW_PICTURE"
"""The environment variable that has the file of the picture, for a program whose command does not name it."""
PATH: Final = "{path}"
"""Stands in a command for the file of the picture; without it the picture is the input of the command."""


def save(image: Image, path: Path) -> Path:
    """Write a picture in the format of its ending, else as PNG, and return its path; raises `OutputError`."""
    suffix = path.suffix.lower()
    is_plain = suffix not in convert_films.IMAGE_SUFFIXES or suffix == ".png"
    data = images.write_png(image) if is_plain else convert_films.write([image], suffix, 1.0)
    checkpoint()  # a cancelled screenshot leaves no file
    user_files.write(path, data)
    return path


def new_path(stem: str, folder: Path | None = None, promised: Collection[Path] = ()) -> Path:
    """The path of a new file, named after what it shows, among the user's pictures; none that is promised."""
    folder = folder or user_files.default_folder()
    names = (folder / f"{stem}-{number}.png" for number in count(1))
    return next(path for path in names if path not in promised and not path.exists())


@dataclass(frozen=True, slots=True)
class ClipboardProgram:
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


class Exports(JobController):
    """Writes files in worker threads; owner: the application, main thread only.

    Writes to different paths never cancel each other.
    """

    def __init__(
        self, state: State, jobs: Jobs, pictures: StagePictures, opener: OpenController, films: Films
    ) -> None:
        super().__init__(state, jobs, opener)
        self._pictures = pictures
        self._films = films
        self._promised: set[Path] = set()

    def save_screenshot(
        self, path: Path | None = None, *, is_transparent: bool = False, size: tuple[int, int] | None = None
    ) -> None:
        """Draw a screenshot now, and write it."""
        stage = self._state.stage
        if stage is None:
            return
        # Drawn now and written later: the picture is what is on screen when the user asks for it.
        path = path or self._new_path(file_stem(stage))
        pixels = self._pictures.picture(size, is_transparent=is_transparent)
        self._save(_("Picture saved as {path}"), path, lambda: pixels)

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

    def save_film(self, path: Path, options: FilmOptions) -> None:
        """Write a film of the viewport; raises `MshviewError` for what it cannot be."""
        self._films.save(path, options)

    def save_texture(self, part: TextureView) -> None:
        """Write a part of a texture."""
        self._save_texture(part.texture.address, lambda: part)

    def save_texture_at(self, address: Address) -> None:
        """Write the texture at an address."""
        library, (_reading, lookup) = self._opener.library, self._opener.choices(address)

        def part() -> TextureView:
            game = loading.game_of(library, address, lookup)
            return TextureView(opened_resource.texture_at(library, address, game))

        self._save_texture(address, part)

    def _save_texture(self, address: Address, part: Callable[[], TextureView]) -> None:
        path = self._new_path(stem_of(address))
        self._save(_("Texture saved as {path}"), path, lambda: textures.decode(part(), MAX_SIDE))

    def _new_path(self, stem: str) -> Path:
        """A new name, also next to files that are still to be written."""
        path = new_path(stem, promised=self._promised)
        self._promised.add(path)
        return path

    def _save(self, notice: str, path: Path, make: Callable[[], Image]) -> None:
        """Encode and write an image."""
        self._write(
            _("Saving {name}…", name=path.name),
            path,
            lambda: save(make(), path),
            notice.format(path=with_target(path)),
        )

    def extract(self, address: Address, path: Path) -> None:
        """Write the bytes of an entry, unpacked if they are packed."""
        library = self._opener.library
        self._write(
            _("Extracting {name}…", name=address.name),
            path,
            lambda: user_files.write(path, library.open(address).data),
            _("{name} extracted to {path}", name=address.name, path=with_target(path)),
        )

    def save_text(self, path: Path, text: str) -> None:
        """Write a text as a file in UTF-8."""
        write = partial(user_files.write, path, text.encode())
        self._write(
            _("Saving {name}…", name=path.name), path, write, _("saved {path}", path=with_target(path))
        )

    def new_effect(self, kind: TemplateName, path: Path) -> None:
        """Write a new effect as a file, and open it."""
        self._write(
            _("Saving {name}…", name=path.name),
            path,
            partial(user_files.write, path, TEMPLATES[kind].made({}, DEFAULT)),
            _("saved {path}", path=with_target(path)),
            lambda: self._opener.open(Address(path)),
        )

    def _write(
        self,
        title: str,
        path: Path,
        write: Callable[[], object],
        notice: str,
        follow: Callable[[], None] = lambda: None,
    ) -> None:
        def done(_ignored: object) -> None:
            self._state.announce(notice)
            follow()

        self._jobs.start(f"save {path}", title, lambda _ignored: write(), done, is_writing=True)
