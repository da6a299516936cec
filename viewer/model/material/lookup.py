"""The libraries of a game folder: materials, textures and lightmaps by name, each looked up once.

Nothing here raises for missing or damaged resources: a result has a trace of what was tried.

Source: spec/materials.md 3, 5; spec/texm.md.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from viewer.diagnostics import Diagnostic
from viewer.errors import FormatError, MshviewError, Severity
from viewer.formats import mat0
from viewer.formats.archive import nres
from viewer.formats.archive.rsli import PackedLibrary
from viewer.formats.text import decode, fold
from viewer.formats.texture import palette, texm
from viewer.formats.texture.palette import external_palette
from viewer.formats.texture.pixels import Image, PixelFormat
from viewer.formats.wear import LIGHTMAP_DOT, TEXTURE_DOT, has_dot, without_dot
from viewer.model.game.registry import LIBRARIES, LIGHTMAPS, MATERIALS, PALETTES, TEXTURES
from viewer.model.material.alpha import alpha_of
from viewer.model.material.materials import AlphaKind, FoundIn, MissingResource, TextureRef, TraceStep
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.folder import CaselessFolder
from viewer.model.store.item import Item, entry_of, spelling
from viewer.model.store.place import Place
from viewer.translation import Text, _

DEFAULT: Final = b"DEFAULT"
MAT0: Final = int.from_bytes(b"MAT0", "little")
TEXM: Final = int.from_bytes(b"Texm", "little")
PAL: Final = int.from_bytes(b"PAL\0", "little")
SUFFIX: Final = b".texm"
"""Suffix of a texture file's name after the letters that select a palette."""
DIGITS: Final = 10
"""Numbered palettes per letter; one more has no digit."""


class FoundMaterial(Struct, frozen=True):
    """The result of a lookup of a material.

    `stored` is None if there is no entry, or if it cannot be read; `missing` says which.
    """

    found: FoundIn
    steps: tuple[TraceStep, ...]
    address: Address | None = None
    attr1: int = 0
    stored: mat0.MaterialRecord | None = None
    missing: MissingResource | None = None
    attr1_place: Place | None = None


class FoundTexture(Struct, frozen=True):
    """The result of a lookup of a texture: the texture, or the missing resource."""

    steps: tuple[TraceStep, ...]
    texture: TextureRef | None = None
    alpha: AlphaKind = AlphaKind.NONE
    missing: MissingResource | None = None


class GameLibrary:
    """A library of a game folder; a missing or broken one is empty and has a `problem`.

    One that is packed is empty as well (`is_packed`): names are looked up in NRes archives alone.
    """

    def __init__(self, folder: CaselessFolder, name: bytes) -> None:
        self.path = folder.file(name)
        self.name = self.path.name if self.path else decode(name)
        self.archive: nres.Archive | None = None
        self._file: Item | None = None
        self._names: dict[int, dict[bytes, int]] = {}
        self.problem = ""
        self.is_packed = False
        self.place = Place(Address(self.path or folder.path))
        if self.path is None:
            self.problem = _("{library} is not in {folder}", library=self.name, folder=folder.path)
        else:
            self._read(folder.library, self.path)

    def _read(self, library: FileStore, path: Path) -> None:
        try:
            self._file = file = library.open(Address(path))
            archive = file.container
            self.is_packed = isinstance(archive, PackedLibrary)
            if not self.is_packed:
                self.archive = archive if isinstance(archive, nres.Archive) else nres.Archive.read(file.data)
        except MshviewError as error:
            self.problem = _("{library} cannot be read: {error}", library=self.name, error=error.text)
        else:
            self.place = self.row()

    def find(self, name: bytes, type_id: int) -> nres.Entry | None:
        """The first entry with a name and type; if no entry of that name has the type, the first of them."""
        if self.archive is None:
            return None
        if type_id not in self._names:
            self._names[type_id] = self.archive.first_of_type(type_id)
        # One dictionary per type: `find` alone would give the first entry of a name whatever its type, and a
        # library may hold a texture and a material of one name.
        index = self._names[type_id].get(fold(name), self.archive.find(name))
        return None if index is None else self.archive.entries[index]

    def row(self, entry: nres.Entry | None = None, field: str = "") -> Place:
        """The place of the directory, or of an entry in it."""
        return Place(
            Address(self.path or Path(self.name)),
            nres.ENTRY.name,
            None if entry is None else entry.index,
            field,
        )

    def lost(self, name: str) -> TraceStep:
        """The step of an unsuccessful lookup of `name` here."""
        return self.missing(
            self.problem or _("{library} has no {name}", library=self.name, name=Text.of(name))
        )

    def not_found(self, text: str) -> tuple[TraceStep, ...]:
        """The steps of an unsuccessful lookup; none in a packed library, which is reported once."""
        return () if self.is_packed else (self.lost(text),)

    def missing(self, text: str) -> TraceStep:
        """The step of something missing here."""
        return TraceStep(text, is_problem=True, place=self.place, is_missing=True)

    def address(self, entry: nres.Entry) -> Address:
        """The address of an entry."""
        spelled = spelling(self.archive, entry.index) if self.archive else entry.text
        return Address(self.path or Path(self.name), (spelled,))

    def item(self, entry: nres.Entry) -> Item:
        """The bytes of an entry; raises `FormatError`."""
        if self.archive is None or self._file is None:
            raise FormatError("is not open", source=self.name)
        return entry_of(self._file, self.archive, entry.index)


class MaterialLookup:
    """The materials and textures of a game folder by name; every result is computed once and kept.

    Attributes
    ----------
    path
        The folder.
    materials, textures, lightmaps
        Its libraries.
    """

    def __init__(self, path: Path, library: FileStore) -> None:
        self.path = path
        folder = CaselessFolder(path, library)
        self.materials = GameLibrary(folder, MATERIALS)
        self.textures = GameLibrary(folder, TEXTURES)
        self.lightmaps = GameLibrary(folder, LIGHTMAPS)
        self._palettes = GameLibrary(folder, PALETTES)
        self._found_materials: dict[bytes, FoundMaterial] = {}
        self._found_textures: dict[tuple[str, bytes], FoundTexture] = {}

    def packed(self, *, has_lightmaps: bool) -> TraceStep | None:
        """The sentence about libraries of an early build, in which names cannot be looked up, or None.

        Only those that a model needs: that of the lightmaps if it has any.
        """
        shelves = (self.materials, self.textures, *([self.lightmaps] if has_lightmaps else []))
        packed = [shelf for shelf in shelves if shelf.is_packed]
        if not packed:
            return None
        words = "{libraries}: packed libraries (RsLi), as in an early build; names are not looked up in them"
        names = ", ".join(shelf.name for shelf in packed)
        return TraceStep.problem(words, packed[0].place, libraries=names)._replace(is_missing=True)

    @classmethod
    def of(cls, library: FileStore, path: Path) -> MaterialLookup:
        """The libraries of a folder; those kept by `library` are reused unless they have changed."""
        path = path.absolute()
        # Of all four libraries: a lookup has answers from each of them, so a change of one makes all anew.
        revisions = CaselessFolder(path, library).revisions(LIBRARIES)
        return library.shared((cls, path), revisions, lambda: cls(path, library))

    def material(self, name: bytes) -> FoundMaterial:
        """The material of a name, or the substitute that the game uses: ``DEFAULT``, then entry 0."""
        # The game ignores the case of A to Z: "Grass.0" and "GRASS.0" are one lookup.
        key = fold(name)
        if key not in self._found_materials:
            self._found_materials[key] = self._find_material(name)
        return self._found_materials[key]

    def texture(self, name: bytes) -> FoundTexture:
        """The texture of a name."""
        return self._texture(self.textures, name)

    def lightmap(self, name: bytes) -> FoundTexture:
        """The lightmap of a name."""
        return self._texture(self.lightmaps, name)

    def _find_material(self, name: bytes) -> FoundMaterial:
        shelf, missing = self.materials, MissingResource("no material", decode(name))
        if shelf.archive is None:
            return FoundMaterial(FoundIn.MISSING, shelf.not_found("material"), missing=missing)
        steps: list[TraceStep] = []
        # As the game does: by name, then DEFAULT, then whatever comes first (spec/materials.md).
        for found, requested in ((FoundIn.NAME, name), (FoundIn.DEFAULT, DEFAULT)):
            entry = shelf.find(requested, MAT0)
            if entry is not None:
                return self._read_material(found, entry, steps)
            steps.append(shelf.lost(_("material {name!r}", name=decode(requested))))
        if not shelf.archive.entries:
            steps.append(shelf.missing(_("{library} is empty", library=shelf.name)))
            return FoundMaterial(FoundIn.MISSING, tuple(steps), missing=missing)
        return self._read_material(FoundIn.FIRST, shelf.archive.entries[0], steps)

    def _read_material(self, found: FoundIn, entry: nres.Entry, steps: list[TraceStep]) -> FoundMaterial:
        shelf, address = self.materials, self.materials.address(entry)
        text = _("{library}: entry {entry}, {name!r}", library=shelf.name, entry=entry.index, name=entry.text)
        if found is not FoundIn.NAME:
            text = _("{entry} is used instead", entry=text)
        steps = [*steps, TraceStep(text, place=Place(address))]
        damaged = MissingResource("damaged material", entry.text)
        stored: mat0.MaterialRecord | None = None
        try:
            item = shelf.item(entry)
            stored = item.once(mat0.decode, lambda: mat0.decode(item.data, entry.attr2))
            problems = problems_of(address, stored.diagnostics)
            # A damaged entry that still has phases is shown with them; its problems are in the trace.
            missing = damaged if problems and not len(stored.phases) else None
            steps += problems
        except FormatError as error:
            steps.append(_unreadable(address, error))
            missing = damaged
        attr1_place = shelf.row(entry, "attr1")
        return FoundMaterial(found, tuple(steps), address, entry.attr1, stored, missing, attr1_place)

    def _texture(self, shelf: GameLibrary, name: bytes) -> FoundTexture:
        # Textures and lightmaps have libraries of their own, in which a name may mean different pages.
        key = shelf.name, fold(name)
        if key not in self._found_textures:
            self._found_textures[key] = self._find_texture(shelf, name)
        return self._found_textures[key]

    def _find_texture(self, shelf: GameLibrary, name: bytes) -> FoundTexture:
        absent, broken, within = "no texture", "damaged texture", TEXTURE_DOT
        if shelf is self.lightmaps:
            absent, broken, within = "no lightmap", "damaged lightmap", LIGHTMAP_DOT
        entry = shelf.find(name, TEXM)
        if entry is None:
            missing = MissingResource(absent, decode(name))
            lost = shelf.not_found(_("texture {name!r}", name=decode(name)))
            return FoundTexture(lost, missing=missing)
        # A damaged texture is another thing than a missing one: its label says so on the model.
        damaged, address = MissingResource(broken, entry.text), shelf.address(entry)
        try:
            # Alone, as the digest keeps the item as long as the texture is kept, and that would keep the
            # library.
            item = shelf.item(entry).alone
            texture = item.decoded(texm.decode)
        except FormatError as error:
            return FoundTexture((_unreadable(address, error),), missing=damaged)
        texture, palette_steps = self.with_palette(texture, name, address)
        words = "{library}: entry {entry}, {name!r}, {summary}"
        found = {"library": shelf.name, "entry": entry.index, "name": entry.text}
        steps = (
            *_dot_steps(name, shelf.row(entry, "name"), within),
            TraceStep.info(words, Place(address), **found, summary=_summary(texture)),
            *problems_of(address, texture.diagnostics),
            *palette_steps,
        )
        if not texture.levels:
            place = Place(address, texm.HEADER.name)
            step = TraceStep.problem("{address} has no whole level", place, address=address)
            return FoundTexture((*steps, step), missing=damaged)
        ref = TextureRef(address, entry.text, texture, digest=lambda: item.digest)
        return FoundTexture(steps, ref, alpha_of(texture))

    def with_palette(
        self, texture: texm.Texture, name: bytes, address: Address
    ) -> tuple[texm.Texture, tuple[TraceStep, ...]]:
        """A texture and, if its name requires one, its external palette; `address` is that of the texture."""
        if texture.format not in {PixelFormat.INDEXED, PixelFormat.EXTERNAL}:
            return texture, ()
        number = external_palette(name)
        if number is None:
            # "GRASS.0" gives -187, which is no palette (spec/materials.md 3): only a texture of format 2,
            # whose colors are not in it, needs one and has none.
            is_missing = texture.format is PixelFormat.EXTERNAL
            return texture, (no_palette(address),) if is_missing else ()
        requested = _("the name requires palette {name}", name=decode(palette_name(number)))
        if texture.format is PixelFormat.INDEXED:
            words, place = "{requested}, but the texture has its own", Place(address, "Texm.palette")
            return texture, (TraceStep.info(words, place, requested=requested),)
        colors, step = self._palette(number)
        step = step._replace(text=_("{requested}: {text}", requested=requested, text=step.text))
        if colors is None:
            return texture, (step, no_palette(address))
        return replace(texture, external=colors), (step,)

    def _palette(self, number: int) -> tuple[Image | None, TraceStep]:
        """The colors of an external palette, or None, and the step of the lookup."""
        shelf, name = self._palettes, palette_name(number)
        entry = shelf.find(name, PAL)
        if entry is None:
            return None, shelf.missing(shelf.problem or _("it is not in {library}", library=shelf.name))
        address = shelf.address(entry)
        try:
            item = shelf.item(entry)
            colors = item.decoded(palette.decode).colors
        except FormatError as error:
            return None, _unreadable(address, error)
        return colors, TraceStep.info("it is in {library}", Place(address), library=shelf.name)


def texture_name(item: Item) -> bytes:
    """The name of a texture, whose end selects a palette; without the suffix that only a file has."""
    return item.name[: -len(SUFFIX)] if fold(item.name).endswith(SUFFIX) else item.name


def no_palette(address: Address) -> TraceStep:
    """The step of a texture whose palette is missing; `address` is that of the texture."""
    place = Place(address, texm.HEADER.name, field="format")
    return TraceStep.problem("no palette: shown in grayscale", place)


def _unreadable(address: Address, error: FormatError) -> TraceStep:
    """The step of an entry that cannot be read."""
    words, place = "{address} cannot be read: {error}", Place.of(address, error)
    return TraceStep.problem(words, place, address=address, error=error.text)


def palette_name(number: int) -> bytes:
    """The library entry of an external palette."""
    # A letter alone, then with 0 to 9: number 12 is B0.PAL.
    letter, digit = divmod(number, DIGITS + 1)
    return b"%c%s.PAL" % (ord("A") + letter, b"%d" % (digit - 1) if digit else b"")


def problems_of(source: Address, findings: tuple[Diagnostic, ...]) -> list[TraceStep]:
    """The steps of the errors of what was decoded."""
    return [
        TraceStep.problem("{source}: {problem}", Place.of(source, it), source=source, problem=it.text)
        for it in findings
        if it.severity is Severity.ERROR
    ]


def _dot_steps(name: bytes, place: Place, within: int) -> list[TraceStep]:
    """The step of a name without a dot where the game looks for it, which it rejects (W08)."""
    if has_dot(name, within):
        return []
    reason = without_dot(name, within)
    return [TraceStep.problem("the game rejects this name: {reason}", place, reason=reason)]


def _summary(texture: texm.Texture) -> str:
    width, height, count = (int(texture.header[name]) for name in ("width", "height", "mip_count"))
    levels = _("1 level") if count == 1 else _("{count} levels", count=count)
    words = "{width} x {height}, format {format}, {levels}"
    return _(words, width=width, height=height, format=texture.format.label, levels=levels)
