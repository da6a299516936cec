"""Mods as files: a folder with a manifest, or a zip of it; read with bounds, nothing outside of it.

What a zip unpacks to is bounded by what is read, not by what its directory states.
"""

from __future__ import annotations

import stat
import zlib
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from viewer.bounded_reading import read_at_most
from viewer.errors import AddressError, FormatError, reading_from, reason_of, shown
from viewer.formats.text import fold
from viewer.model.patch.patch import Patch
from viewer.model.store.disk import SIZE_LIMIT, real_path
from viewer.operations.mods.manifest import (
    LARGEST,
    MANIFEST,
    AddedAddress,
    EditedCopy,
    ModManifest,
    PatchedAddress,
    inside,
)
from viewer.translation import _

if TYPE_CHECKING:
    import zipfile

ZIP_SUFFIX: Final = ".zip"
MOST_MEMBERS: Final = 100_000
"""Members of a zip; a game has some 7,000 entries."""
MOST_BYTES: Final = SIZE_LIMIT
"""Bytes that all files of a mod have together, as many as a folder that is read."""
Reader = Callable[[str, int], bytes]
"""Returns the bytes of a file of a mod, at most so many; raises `MshviewError`."""


class Mod(Struct, frozen=True, eq=False, dict=True):
    """A mod that was opened; its files are read when they are needed.

    Attributes
    ----------
    source
        The folder or the zip.
    manifest
        What it is and does.
    read
        Its files, by their paths.
    """

    source: Path
    manifest: ModManifest
    read: Reader

    @property
    def name(self) -> str:
        """The name by which others need it."""
        return self.manifest.name

    def file(self, path: str) -> bytes:
        """The bytes of a file that the manifest names; raises `MshviewError`."""
        return self.read(path, SIZE_LIMIT)

    def patch(self, path: str) -> Patch:
        """A patch that the manifest names; raises `MshviewError`."""
        with reading_from(f"{self.source}: {path}"):
            return Patch.parse(self.file(path), is_strict=True)

    @property
    def paths(self) -> tuple[str, ...]:
        """The files that the manifest names, each once, in its order."""
        named = (
            it.add if isinstance(it, AddedAddress) else it.patch
            for it in self.manifest.changes
            if isinstance(it, PatchedAddress | AddedAddress | EditedCopy)
        )
        return tuple(dict.fromkeys(map(str, named)))

    @cached_property
    def digest(self) -> str:
        """SHA-256 of all that it is, whatever holds it."""
        found = sha256(self.manifest.encode())
        for path in self.paths:
            found.update(sha256(self.file(path)).digest())
        return found.hexdigest()


def is_mod(path: Path) -> bool:
    """Whether a path is that of a mod rather than of a game."""
    try:
        return path.is_file() or (path / MANIFEST).is_file()
    except (OSError, ValueError):
        return False


def open_mod(path: Path) -> Mod:
    """The mod in a folder or a zip; raises `MshviewError`."""
    if path.is_dir() and not is_mod(path):
        raise AddressError(_("is not a mod: {name} is not in it", name=MANIFEST), source=path)
    read = _folder_reader(path) if path.is_dir() else _ZipReader(path)
    with reading_from(f"{path}: {MANIFEST}"):
        manifest = ModManifest.parse(read(MANIFEST, LARGEST))
    return Mod(path, manifest, read)


def _folder_reader(folder: Path) -> Reader:
    """Reads files below a folder; links are followed inside of it only."""
    sizes: dict[str, int] = {}

    def read(name: str, most: int) -> bytes:
        path = folder / inside(name)
        try:
            if not real_path(path).is_relative_to(real_path(folder)):
                raise AddressError("leads out of the folder", source=path)
            if not stat.S_ISREG(path.stat().st_mode):
                raise AddressError("is not a regular file", source=path)
            with path.open("rb") as file:
                # A byte more than may be there tells that there are more.
                data = read_at_most(file, most + 1)
        except (OSError, ValueError) as error:
            raise AddressError(_("cannot be read: {reason}", reason=reason_of(error)), source=path) from error
        sizes[name] = len(data)
        return _bounded(data, most, sizes, path)

    return read


def _bounded(data: bytes, most: int, sizes: Mapping[str, int], source: object) -> bytes:
    """The bytes of a file; raises `FormatError` if they are too many, or all that was read of the mod."""
    if len(data) > most or sum(sizes.values()) > MOST_BYTES:
        limit = most if len(data) > most else MOST_BYTES
        raise FormatError(_("more than {size_limit} bytes", size_limit=limit), source=source)
    return data


class _ZipReader:
    """Reads the members of a zip; opened anew for each, so that nothing stays open."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._sizes: dict[str, int] = {}
        with self._opened() as file:
            self._names = _members(file.infolist(), path)

    def _opened(self) -> zipfile.ZipFile:
        import zipfile  # noqa: PLC0415 brings compressors along, and most mods are folders

        try:
            if not stat.S_ISREG(self._path.stat().st_mode):  # a pipe would be waited for
                raise AddressError("is not a regular file", source=self._path)
            return zipfile.ZipFile(self._path)
        except (OSError, ValueError, zipfile.BadZipFile, NotImplementedError) as error:
            is_zip = not isinstance(error, zipfile.BadZipFile | NotImplementedError | ValueError)
            reason = reason_of(error) if is_zip else _("it is neither a folder nor a zip that is whole")
            raise AddressError(_("cannot be read: {reason}", reason=reason), source=self._path) from error

    def __call__(self, name: str, most: int) -> bytes:
        import zipfile  # noqa: PLC0415 brings compressors along

        source = f"{self._path}: {name}"
        member = self._names.get(str(inside(name)))
        if member is None:
            raise AddressError(_("is not in the mod"), source=source)
        try:
            with self._opened() as file, file.open(member) as opened:
                data = read_at_most(opened, most + 1)
        except (OSError, ValueError, RuntimeError, EOFError, zipfile.BadZipFile, zlib.error) as error:
            raise FormatError(_("cannot be unpacked"), source=source) from error
        self._sizes[name] = len(data)
        return _bounded(data, most, self._sizes, source)


def _members(found: Iterable[zipfile.ZipInfo], source: Path) -> Mapping[str, str]:
    """The files of a zip by their paths in the mod; raises `FormatError` for what no mod has."""
    names: dict[str, str] = {}
    folded: set[bytes] = set()
    for number, it in enumerate(found):
        if number == MOST_MEMBERS:
            raise FormatError(_("more than {count} files", count=MOST_MEMBERS), source=source)
        # The upper half of the attributes is the mode of Unix.
        if stat.S_ISLNK(it.external_attr >> 16):
            raise FormatError(_("{name} is a link", name=shown(it.filename)), source=source)
        if it.is_dir():
            continue
        with reading_from(source):
            path = inside(it.filename).as_posix()
        key = fold(path.encode("utf-8", "surrogatepass"))
        if key in folded:
            raise FormatError(_("{name} is there twice", name=shown(path)), source=source)
        folded.add(key)
        names[path] = it.filename
    return _without_folder(names)


def _without_folder(names: Mapping[str, str]) -> Mapping[str, str]:
    """The names below the single folder in which all files of a zip are, if it has the manifest."""
    tops = {name.partition("/")[0] for name in names}
    if MANIFEST in names or len(tops) != 1 or f"{(top := tops.pop())}/{MANIFEST}" not in names:
        return names
    return {name.removeprefix(f"{top}/"): member for name, member in names.items()}


def files_of(mod: Mod) -> Iterable[tuple[str, bytes]]:
    """The files that a mod consists of, the manifest first."""
    yield MANIFEST, mod.manifest.encode()
    for path in mod.paths:
        yield path, mod.file(path)
