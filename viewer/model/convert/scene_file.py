"""A file of another program, its format by its suffix, and the files next to it, which it names.

Scenes have three formats, and JSON holds the bytes of any resource. No name leads out of a file's folder.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Annotated, Final
from urllib.parse import unquote

from msgspec import Struct
from msgspec.structs import replace

from viewer.errors import AddressError, FormatError, UsageError, reading_from, suggestion
from viewer.formats.record import Bytes
from viewer.model.store import recovery
from viewer.model.store.disk import PlainFolder, real_path
from viewer.model.store.file_store import FileStore
from viewer.translation import _, quoted
from viewer.typed_json import Limits, of_python, usable

GLB, GLTF, OBJ, JSON = "glb", "gltf", "obj", "json"
SCENES: Final = (GLB, GLTF, OBJ)
SUFFIXES: Final = (*SCENES, JSON)
SIDECAR: Final = f".{OBJ}.{JSON}"
"""The end of the name of an OBJ file's sidecar."""

FrameRate = Annotated[float, Limits(1e6, 1e-6)]
"""Frames per second of a file."""
KNOWN_AXIS: Final = _("Y is up, as {program} writes it")
UNKNOWN_AXIS: Final = _("Z is up, as the file does not say it")
TURNED: Final = _("{up} is up in the file: it is the model turned by 90 degrees")


def suffix_of(name: str) -> str:
    """The format of a file by its name; raises `UsageError` for any but `SUFFIXES`."""
    suffix = name.rpartition(".")[2].lower() if "." in name else ""
    if suffix in SUFFIXES:
        return suffix
    known = ", ".join(f".{it}" for it in SUFFIXES)
    hint = suggestion(suffix, SUFFIXES) if suffix else ""
    raise UsageError(_("{name!r} does not end in one of {known}{hint}", name=name, known=known, hint=hint))


def is_scene(path: Path) -> bool:
    """Whether a file has a scene, by its name."""
    return path.suffix.lower().removeprefix(".") in SCENES


def is_text(path: Path) -> bool:
    """Whether a file has the bytes of a resource as JSON, by its name."""
    return path.suffix.lower() == f".{JSON}"


def is_of_scene(path: Path) -> bool:
    """Whether a path is below a file with a scene: that of a model as which it is looked at."""
    return is_scene(path.parent) and path.parent.is_file()


Resolver = Callable[[str], bytes]
"""The bytes of a file by its path below the folder, with slashes; raises `MshviewError` without it."""


def nothing(name: str) -> bytes:
    """A folder without files."""
    raise AddressError("is not in the same folder", source=name)


class Folder:
    """The files of a folder, in any letter case; links that lead out of it lead nowhere."""

    def __init__(self, path: Path) -> None:
        self._root = real_path(path)
        self._names: dict[Path, dict[str, str]] = {}

    def __call__(self, name: str) -> bytes:
        """The bytes of a file; raises `MshviewError` without it."""
        try:
            # A link inside the folder may lead out of it, so where it ends is what counts.
            found = real_path(self._path(name))
        except (OSError, ValueError, RuntimeError):
            return nothing(name)
        if not found.is_relative_to(self._root):
            return nothing(name)
        return PlainFolder(found.parent).read(found.name)

    def _path(self, name: str) -> Path:
        """The file of a name; if there is none, that of the name in other letter case."""
        found = self._root / name
        parts = PurePosixPath(name).parts
        if found.exists() or not {"/", ".."}.isdisjoint(parts):
            return found
        found = self._root
        for part in parts:
            found /= part if (found / part).exists() else self._in_any_case(found, part)
        return found

    def _in_any_case(self, folder: Path, name: str) -> str:
        """The first name in a folder that differs in letter case alone; without one the name."""
        if folder not in self._names:
            with suppress(OSError):
                listed = sorted((it.name for it in folder.iterdir()), reverse=True)
                self._names[folder] = {it.casefold(): it for it in listed}
        return self._names.get(folder, {}).get(name.casefold(), name)


def relative(uri: str) -> str:
    """A reference as a path below the folder; raises `FormatError` if it may lead out of it."""
    name = unquote(uri).replace("\\", "/")
    # A colon is a drive ("C:x") or a stream of Windows; "%2e%2e" is ".." after unquoting.
    is_inside = not name.startswith("/") and ".." not in name.split("/")
    if not name or not is_inside or ":" in name or not name.isprintable():
        raise FormatError(_("{uri} is not a file in the same folder", uri=quoted(uri[:80])))
    return name


class SceneFile(Struct, frozen=True):
    """A file of another program.

    Parameters
    ----------
    path, data
        Its name, for messages too, and its bytes.
    suffix
        Its format, one of `SCENES`.
    next_to
        The files next to it.
    fps
        Frames per second of a file that does not say it.
    is_y_up
        Whether Y is up, whatever the file says; None if the user does not say it.
    """

    path: Path
    data: Bytes
    suffix: str
    next_to: Resolver = nothing
    fps: float | None = None
    is_y_up: bool | None = None

    @classmethod
    def open(cls, library: FileStore, path: Path, suffix: str = "") -> SceneFile:
        """The file at a path, by default in the format of its suffix; raises `MshviewError`."""
        with reading_from(path):
            suffix = suffix or suffix_of(path.name)
        if suffix not in SCENES:
            raise UsageError("holds no scene", source=path)
        recovery.recover(path.absolute().parent)  # the files next to it belong together
        return cls(path, library.file(path), suffix, Folder(path.parent))

    def read_as(self, fps: float, *, is_y_up: bool | None) -> SceneFile:
        """The file with what the user says of it; raises `UsageError` for frames per second out of bounds."""
        try:
            found, _problems = usable(FrameRate, of_python(fps))
        except FormatError as error:
            raise UsageError(error.message, source="fps") from None
        return replace(self, fps=found, is_y_up=is_y_up)
