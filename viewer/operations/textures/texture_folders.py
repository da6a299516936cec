"""All textures of a library as pictures in a folder, and back: only what was changed there is written."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Final

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from viewer.errors import AddressError, MshviewError, UsageError, located, reading_from, reason_of
from viewer.formats.splice import Splices, same_bytes
from viewer.formats.text import encode, fold
from viewer.formats.texture import texm
from viewer.formats.texture.pixels import Image
from viewer.formats.texture.texm import MAX_SIDE, Texture
from viewer.formats.texture.texm_edit import has_size
from viewer.model.compare.file_plan import FilePlan
from viewer.model.convert.pictures import images
from viewer.model.edit.plan import lifted_together, plan
from viewer.model.edit.replace_texture import ReplaceTexture
from viewer.model.kinds.registry import TEXTURE, promised_kind
from viewer.model.store.address import Address
from viewer.model.store.disk import PlainFolder
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import Container, Item, container_in, entry_of, index_of, missing_entry
from viewer.model.write.saving import folded_name
from viewer.model.write.unpacked_folder import INDEX
from viewer.operations import saving
from viewer.operations.editing import EditOptions
from viewer.operations.textures.picture_folder import IndexedTexture, PictureIndex, Pictures, whole_texture
from viewer.progress import Progress
from viewer.translation import _, count_text, counted

NO_TEXTURES: Final = _("has no textures")


class ReturnedTexture(Struct, frozen=True, eq=False):
    """A texture whose picture was changed.

    Attributes
    ----------
    address
        Of its entry.
    name
        As the directory has it.
    picture
        The name of the file.
    before, after
        The stored texture and the one that takes its place.
    size_before, size_after
        Their sizes, bytes.
    notes
        What its format cannot hold of the picture, and what no longer fits.
    splices
        What is replaced in its payload; nothing if the picture shows what the texture is.
    """

    address: Address
    name: str
    picture: str
    before: Texture
    after: Texture
    size_before: int
    size_after: int
    notes: tuple[str, ...]
    splices: Splices


class RefusedPicture(Struct, frozen=True, eq=False):
    """A changed picture that cannot be its texture, or whose texture the library does not have.

    Attributes
    ----------
    name
        Of the texture.
    path
        Of the picture.
    """

    name: str
    path: Path
    reason: MshviewError

    @property
    def error(self) -> AddressError:
        """The error that names the picture and the texture."""
        reason = located((self.reason.where,), self.reason.message)
        words = _("texture {name!r}: {reason}", name=self.name, reason=reason)
        return AddressError(words, source=self.path)


class ReturnPlan(Struct, frozen=True, eq=False):
    """The changes of a library by the pictures of a folder.

    Attributes
    ----------
    library
        Its address.
    file
        The plan of its file.
    changed
        The textures that change, in the order of the index.
    left_out
        The indices of those among them that stay as they are after all.
    refused
        The changed pictures that change nothing, with the reasons.
    total
        Number of textures in the index.
    missing
        The textures without a picture, and the name that it had: they stay as they are.
    unknown
        Names in the folder that the index does not name.
    """

    library: Address
    file: FilePlan
    changed: tuple[ReturnedTexture, ...]
    refused: tuple[RefusedPicture, ...]
    total: int
    missing: tuple[tuple[str, str], ...]
    unknown: tuple[str, ...]
    left_out: frozenset[int] = frozenset()

    @property
    def chosen(self) -> tuple[ReturnedTexture, ...]:
        """The textures that change, without those that are left out."""
        return tuple(it for index, it in enumerate(self.changed) if index not in self.left_out)

    def refuse_other(self, files: FileStore) -> None:
        """Raise `UsageError` if the file of the library has other bytes than those that were read."""
        if not same_bytes(files.file(self.file.path), self.file.before or b""):
            raise UsageError(_("was changed meanwhile: read the pictures again"), source=self.library)

    def without(self, files: FileStore, left_out: frozenset[int]) -> ReturnPlan:
        """The plan in which other textures are left out; raises `MshviewError` like `refuse_other`."""
        self.refuse_other(files)
        asked = replace(self, left_out=left_out)
        return replace(asked, file=_file_plan(files, self.library, asked.chosen))

    @property
    def remarks(self) -> Iterator[str]:
        """Sentences about pictures that are missing, or not used."""
        for name, picture in self.missing:
            words = "{picture!r} is missing: texture {name!r} stays as it is"
            yield _(words, picture=picture, name=name)
        for name in self.unknown:
            yield _("{name!r} is left alone: the index does not name it", name=name)

    @property
    def summary(self) -> tuple[str, str]:
        """The number of textures that change, and the size of the file then."""
        total = counted(self.total, "{count} texture", "{count} textures")
        sizes = {"after": count_text(self.file.size_after), "before": count_text(self.file.size_before)}
        return (
            _("{count} of {total} changed", count=len(self.chosen), total=total),
            _("size: {after} bytes, {before} before", **sizes),
        )


def write_pictures(library: Item, folder: Path, progress: Progress | None = None) -> Pictures:
    """Write the pictures of a library and their index as a new folder; tells how many, and what has none.

    Raises `AddressError` for a library without textures, and `OutputError` like `saving.write_folder`.
    """
    pictures = Pictures(library, container_in(library), progress)
    with reading_from(library.address):
        saving.write_folder(folder, _plans(pictures, folder))
    return pictures


def _plans(pictures: Pictures, folder: Path) -> Iterator[FilePlan]:
    """The plans of the files, each made when it is its turn: together they may not fit in memory."""
    for name, data in pictures:
        if name == INDEX and not pictures.count and not pictures.refused:
            raise AddressError(NO_TEXTURES)
        yield FilePlan(folder / name, data=data)


def plan_return(
    files: FileStore, library: Item, folder: Path, progress: Progress | None = None
) -> ReturnPlan:
    """The changes of a library by the pictures of a folder that was written of it; nothing is written.

    Raises `MshviewError` if the folder has no readable index, or the library is not an archive.
    """
    container, source = container_in(library), _PictureFolder(folder)
    with reading_from(folder / INDEX):
        index = PictureIndex.parse(source.read(INDEX))
    missing: list[tuple[str, str]] = []
    changed: dict[Address, ReturnedTexture] = {}
    refused: list[RefusedPicture] = []
    for it in (progress or Progress()).over(index.textures, lambda it: it.name):
        picture = source.spelled(it.picture)
        if picture is None:
            missing.append((it.name, it.picture))
            continue
        try:
            data = source.read(picture)
            # Not the library's texture is compared first: it may have changed since, by other means.
            if sha256(data).hexdigest() == it.sha256:
                continue
            item = _texture_of(library, container, it)
            if item.address in changed:
                raise AddressError(_("another picture is for the same texture"))
            found = _replacement(files, item, picture, data)
        except MshviewError as error:
            refused.append(RefusedPicture(it.name, folder / picture, error))
            continue
        if found.splices:
            changed[item.address] = found
    return ReturnPlan(
        library.address,
        _file_plan(files, library.address, changed.values()),
        tuple(changed.values()),
        tuple(refused),
        len(index.textures),
        tuple(missing),
        source.others({it.picture for it in index.textures}),
    )


def _file_plan(files: FileStore, library: Address, changed: Iterable[ReturnedTexture]) -> FilePlan:
    """The plan of the file of a library in which some textures change."""
    splices = lifted_together(files, [(it.address, it.splices) for it in changed])
    return FilePlan(library.path, files.file(library.path), splices)


KEPT: Final = "~"
"""Ends the names under which ImageMagick, GIMP and editors keep files that they write over."""


class _PictureFolder(PlainFolder):
    """A folder of pictures, whose names other programs may have spelled with other capitals."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._listed = self.names()
        self._folded = {folded_name(name): name for name in reversed(self._listed)}

    def spelled(self, name: str) -> str | None:
        """The name of a file in the folder, if not exactly then ignoring case; None if there is none."""
        return name if name in self._listed else self._folded.get(folded_name(name))

    def others(self, known: Collection[str]) -> tuple[str, ...]:
        """The names in the folder besides the index and the known ones, and what programs keep of these."""
        used = {INDEX, *filter(None, map(self.spelled, known))}
        return tuple(name for name in self._listed if name.removesuffix(KEPT) not in used)


def _texture_of(library: Item, container: Container, known: IndexedTexture) -> Item:
    """The entry of an indexed texture: at its index, else by its name; raises `AddressError`."""
    name, row = fold(_raw(known.name)), known.index
    if row >= len(container.entries) or fold(container.entries[row].name) != name:
        found = index_of(container, known.name)
        if found is None:
            raise AddressError(f"{library.address}: {missing_entry(container, known.name)}")
        row = found
    item = entry_of(library, container, row)
    if promised_kind(item) is not TEXTURE:
        raise AddressError(_("{address} is not a texture", address=item.address))
    return item


def _raw(name: str) -> bytes:
    try:
        return encode(name)
    except ValueError as error:
        raise AddressError(reason_of(error)) from None


def _replacement(files: FileStore, item: Item, picture: str, data: bytes) -> ReturnedTexture:
    """The change of a texture by a changed picture; raises `MshviewError` if it cannot be one."""
    rgba, before = images.read_image(data, MAX_SIDE), whole_texture(item.data)
    # The plan, which has a copy of the pixels, is not kept: a library has hundreds of pictures.
    made = plan(EditOptions().draft(files, item.address), [ReplaceTexture.of(rgba)])
    return ReturnedTexture(
        item.address,
        item.entry.text if item.entry else item.address.name,
        picture,
        before,
        texm.decode(made.after),
        len(made.before),
        len(made.after),
        (*made.notes, *_recolored(before, rgba)),
        made.splices,
    )


def _recolored(before: Texture, rgba: Image) -> Iterator[str]:
    """In words how many clear pixels have another color now: without blending the game shows it."""
    if not (before.format.has_alpha and has_size(before, rgba)):
        return
    shown = before.level(0)
    is_clear = (shown[..., 3] == 0) & (rgba[..., 3] == 0)
    count = int(np.count_nonzero(is_clear & (shown[..., :3] != rgba[..., :3]).any(axis=2)))
    if count:
        yield _("{count} clear pixels have another color: the program may not keep it", count=count)
