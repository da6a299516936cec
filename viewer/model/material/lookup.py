"""The libraries of a game folder: materials, textures and lightmaps by name, each looked up once.

Nothing in here raises for what is missing or damaged: an answer tells in sentences what was tried.

Source: spec/materials.md 3, 5; spec/texm.md.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, NamedTuple

from viewer.errors import Diagnostic, FormatError, MshviewError, Severity
from viewer.formats import mat0, nres, palette, texm
from viewer.formats.palette import external_palette
from viewer.formats.pixels import Image, PixelFormat
from viewer.formats.text import decode, fold
from viewer.formats.wear import DOT_WITHIN, has_dot
from viewer.model.game.registry import LIBRARIES, LIGHTMAPS, MATERIALS, PALETTES, TEXTURES
from viewer.model.material.alpha import alpha_of
from viewer.model.material.materials import AlphaKind, Found, MissingResource, TextureRef
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore, Item, entry_of, spelling
from viewer.model.store.folder import Folder

DEFAULT: Final = b"DEFAULT"
MAT0: Final = int.from_bytes(b"MAT0", "little")
TEXM: Final = int.from_bytes(b"Texm", "little")
PAL: Final = int.from_bytes(b"PAL\0", "little")
DIGITS: Final = 10
"""Palettes of a letter that have a digit; one more has none."""


class Step(NamedTuple):
    """One sentence of a trace; a problem where something is missing or damaged."""

    text: str
    is_problem: bool = False


GREYS: Final = Step("without a palette it is shown in shades of grey", is_problem=True)


@dataclass(frozen=True, slots=True)
class FoundMaterial:
    """The answer to a material's name.

    `stored` is None where there is no entry, or where it cannot be read; `lack` tells which.
    """

    found: Found
    steps: tuple[Step, ...]
    address: str | None = None
    attr1: int = 0
    stored: mat0.MaterialRecord | None = None
    lack: MissingResource | None = None


@dataclass(frozen=True, slots=True)
class FoundTexture:
    """The answer to a texture's name: the texture, or what is lacking where none can be shown."""

    steps: tuple[Step, ...]
    picture: TextureRef | None = None
    alpha: AlphaKind = AlphaKind.NONE
    lack: MissingResource | None = None


class GameLibrary:
    """One library of a game folder; one that is missing or broken is empty and says so."""

    def __init__(self, folder: Folder, name: bytes) -> None:
        self.name = decode(name)
        self.path = folder.file(name)
        self.archive: nres.Archive | None = None
        self._file: Item | None = None
        self._names: dict[int, dict[bytes, int]] = {}
        self.problem = f"{self.name} is not in {folder.path}" if self.path is None else ""
        if self.path is not None:
            self._read(folder.library, self.path)

    def _read(self, library: FileStore, path: Path) -> None:
        try:
            self._file = file = library.open(Address(path))
            archive = library.container(file)
            self.archive = archive if isinstance(archive, nres.Archive) else nres.Archive.read(file.data)
        except MshviewError as error:
            self.problem = f"{self.name} cannot be read: {error}"

    def find(self, name: bytes, type_id: int) -> nres.Entry | None:
        """The first entry of a type with a name; where all of that name have other types, the first."""
        if self.archive is None:
            return None
        index = self._by_name(type_id).get(fold(name), self.archive.find(name))
        return None if index is None else self.archive.entries[index]

    def _by_name(self, type_id: int) -> dict[bytes, int]:
        names = self._names.get(type_id)
        if names is None:
            entries = self.archive.entries if self.archive else ()
            names = {fold(e.name): e.index for e in reversed(entries) if e.type_id == type_id}
            self._names[type_id] = names
        return names

    def address(self, entry: nres.Entry) -> str:
        """Where an entry lies."""
        spelled = spelling(self.archive, entry.index) if self.archive else entry.text
        return str(Address(self.path or Path(self.name), (spelled,)))

    def item(self, entry: nres.Entry) -> Item:
        """The bytes of an entry; raises `FormatError`."""
        if self.archive is None or self._file is None:
            raise FormatError("is not open", source=self.name)
        return entry_of(self._file, self.archive, entry.index)


class MaterialLookup:
    """What a game folder has under each name; every answer is worked out once and kept."""

    def __init__(self, path: Path, library: FileStore) -> None:
        self.path = path
        folder = Folder(path, library)
        self._materials = GameLibrary(folder, MATERIALS)
        self._textures = GameLibrary(folder, TEXTURES)
        self._lightmaps = GameLibrary(folder, LIGHTMAPS)
        self._palettes = GameLibrary(folder, PALETTES)
        self._found_materials: dict[bytes, FoundMaterial] = {}
        self._found_textures: dict[tuple[str, bytes], FoundTexture] = {}

    @classmethod
    def of(cls, library: FileStore, path: Path) -> MaterialLookup:
        """The libraries of a folder, those that `library` has open already unless they have changed."""
        path = path.absolute()
        revisions = Folder(path, library).revisions(LIBRARIES)
        return library.shared((cls, path), revisions, lambda: cls(path, library))

    def material(self, name: bytes) -> FoundMaterial:
        """The material of a name, or what the game takes instead: ``DEFAULT``, then entry 0."""
        key = fold(name)
        if key not in self._found_materials:
            self._found_materials[key] = self._find_material(name)
        return self._found_materials[key]

    def texture(self, name: bytes) -> FoundTexture:
        """The texture of a name."""
        return self._picture(self._textures, name)

    def lightmap(self, name: bytes) -> FoundTexture:
        """The lightmap of a name."""
        return self._picture(self._lightmaps, name)

    def _find_material(self, name: bytes) -> FoundMaterial:
        shelf, lack = self._materials, MissingResource("no material", decode(name))
        if shelf.archive is None:
            return FoundMaterial(Found.MISSING, (Step(shelf.problem, is_problem=True),), lack=lack)
        steps: list[Step] = []
        for found, wanted in ((Found.NAME, name), (Found.DEFAULT, DEFAULT)):
            entry = shelf.find(wanted, MAT0)
            if entry is not None:
                return self._read_material(found, entry, steps)
            steps.append(Step(f"{shelf.name} has no material {decode(wanted)!r}", is_problem=True))
        if not shelf.archive.entries:
            steps.append(Step(f"{shelf.name} is empty", is_problem=True))
            return FoundMaterial(Found.MISSING, tuple(steps), lack=lack)
        return self._read_material(Found.FIRST, shelf.archive.entries[0], steps)

    def _read_material(self, found: Found, entry: nres.Entry, steps: list[Step]) -> FoundMaterial:
        shelf = self._materials
        instead = "" if found is Found.NAME else " is taken instead"
        steps = [*steps, Step(f"{shelf.name}: entry {entry.index}, {entry.text!r}{instead}")]
        damaged = MissingResource("damaged material", entry.text)
        stored: mat0.MaterialRecord | None = None
        try:
            item = shelf.item(entry)
            stored = item.once(mat0.decode, lambda: mat0.decode(item.data, entry.attr2))
            problems = _problems(shelf.address(entry), stored.diagnostics)
            lack = damaged if problems and not len(stored.phases) else None
            steps += problems
        except FormatError as error:
            steps.append(Step(f"{shelf.address(entry)} cannot be read: {error}", is_problem=True))
            lack = damaged
        return FoundMaterial(found, tuple(steps), shelf.address(entry), entry.attr1, stored, lack)

    def _picture(self, shelf: GameLibrary, name: bytes) -> FoundTexture:
        key = shelf.name, fold(name)
        if key not in self._found_textures:
            self._found_textures[key] = self._find_texture(shelf, name)
        return self._found_textures[key]

    def _find_texture(self, shelf: GameLibrary, name: bytes) -> FoundTexture:
        kind = "lightmap" if shelf is self._lightmaps else "texture"
        entry = shelf.find(name, TEXM)
        if entry is None:
            problem = shelf.problem or f"{shelf.name} has no texture {decode(name)!r}"
            return FoundTexture(
                (Step(problem, is_problem=True),), lack=MissingResource(f"no {kind}", decode(name))
            )
        damaged = MissingResource(f"damaged {kind}", entry.text)
        try:
            item = shelf.item(entry)
            texture = item.once(texm.decode, lambda: texm.decode(item.data))
        except FormatError as error:
            problem = f"{shelf.address(entry)} cannot be read: {error}"
            return FoundTexture((Step(problem, is_problem=True),), lack=damaged)
        texture, palette_steps = self.with_palette(texture, name)
        steps = (
            *_dot_steps(name),
            Step(f"{shelf.name}: entry {entry.index}, {entry.text!r}, {_summary(texture)}"),
            *_problems(shelf.address(entry), texture.diagnostics),
            *palette_steps,
        )
        if not texture.levels:
            steps = (*steps, Step(f"{shelf.address(entry)} has no whole level", is_problem=True))
            return FoundTexture(steps, lack=damaged)
        return FoundTexture(
            steps,
            TextureRef.of(str(item.address), entry.text, texture, digest=item.digest),
            alpha_of(texture),
        )

    def with_palette(self, texture: texm.Texture, name: bytes) -> tuple[texm.Texture, tuple[Step, ...]]:
        """A texture with the external palette that its name asks for, if it has none itself."""
        if texture.format not in {PixelFormat.INDEXED, PixelFormat.EXTERNAL}:
            return texture, ()
        number = external_palette(name)
        if number is None:
            is_missing = texture.format is PixelFormat.EXTERNAL
            return texture, (GREYS,) if is_missing else ()
        wanted = f"the name asks for palette {decode(palette_name(number))}"
        if texture.format is PixelFormat.INDEXED:
            return texture, (Step(f"{wanted}, but the texture has its own"),)
        colors, problem = self._palette(number)
        if colors is None:
            return texture, (Step(f"{wanted}: {problem}", is_problem=True), GREYS)
        return replace(texture, external=colors), (Step(f"{wanted}: {self._palettes.name} has it"),)

    def _palette(self, number: int) -> tuple[Image | None, str]:
        """The colours of an external palette, or why there are none."""
        shelf, name = self._palettes, palette_name(number)
        entry = shelf.find(name, PAL)
        if entry is None:
            return None, shelf.problem or f"{shelf.name} does not have it"
        try:
            item = shelf.item(entry)
            return item.once(palette.decode, lambda: palette.decode(item.data)).colors, ""
        except FormatError as error:
            return None, f"{shelf.address(entry)} cannot be read: {error}"


def palette_name(number: int) -> bytes:
    """The entry of the library that holds an external palette."""
    letter, digit = divmod(number, DIGITS + 1)
    return b"%c%s.PAL" % (ord("A") + letter, b"%d" % (digit - 1) if digit else b"")


def _problems(source: str, findings: tuple[Diagnostic, ...]) -> list[Step]:
    return [
        Step(f"{source}: {item}", is_problem=True) for item in findings if item.severity is Severity.ERROR
    ]


def _dot_steps(name: bytes) -> list[Step]:
    """The complaint about a texture's name without a dot, which the game makes (W08)."""
    text = f"the game calls {decode(name)!r} a bad name: no dot in its first {DOT_WITHIN} letters"
    return [] if has_dot(name) else [Step(text, is_problem=True)]


def _summary(texture: texm.Texture) -> str:
    width, height, count = (int(texture.header[name]) for name in ("width", "height", "mip_count"))
    levels = "1 level" if count == 1 else f"{count} levels"
    return f"{width} x {height}, format {texture.format.label}, {levels}"
