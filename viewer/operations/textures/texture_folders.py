"""All textures of a library as pictures in a folder, and back: only what was changed there is written."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Final

import numpy as np
from msgspec import Struct

from viewer.errors import AddressError, MshviewError, located, reading_from, reason_of
from viewer.formats.splice import Splices
from viewer.formats.text import encode, fold
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
from viewer.model.store.item import Container, Item, entry_of, index_of, missing_entry
from viewer.model.write.saving import folded_name
from viewer.model.write.unpacked_folder import INDEX
from viewer.operations.editing import EditOptions
from viewer.operations.textures.picture_folder import IndexedTexture, PictureIndex, Pictures, whole_texture
from viewer.translation import _

NO_TEXTURES: Final = _("has no textures")


class ReturnedTexture(Struct, frozen=True):
    """A texture whose picture was changed.

    Attributes
    ----------
    name
        Of its entry.
    picture
        The name of the file.
    before, after
        Size of the stored texture, bytes.
    notes
        What its format cannot hold of the picture, and what no longer fits.
    """

    name: str
    picture: str
    before: int
    after: int
    notes: tuple[str, ...]


class ReturnPlan(Struct, frozen=True, eq=False):
    """The changes of a library by the pictures of a folder.

    Attributes
    ----------
    file
        The plan of the file of the library.
    changed
        The textures that change, in the order of the index.
    total
        Number of textures in the index.
    missing
        The textures without a picture, and the name that it had: they stay as they are.
    unknown
        Names in the folder that the index does not name.
    """

    file: FilePlan
    changed: tuple[ReturnedTexture, ...]
    total: int
    missing: tuple[tuple[str, str], ...]
    unknown: tuple[str, ...]


def plan_pictures(pictures: Pictures, folder: Path) -> Iterator[FilePlan]:
    """The plans of the files of a folder, each made when it is its turn: together they may not fit in memory.

    Raises like `Pictures` while it is iterated, and `AddressError` for a library without textures.
    """
    for name, data in pictures:
        if name == INDEX and not pictures.count and not pictures.refused:
            raise AddressError(NO_TEXTURES)
        yield FilePlan(folder / name, data=data)


def plan_return(files: FileStore, library: Item, container: Container, folder: Path) -> ReturnPlan:
    """The changes of a library by the pictures of a folder that was written of it; nothing is written.

    Raises `MshviewError` with the picture and the texture for a changed picture that cannot be one, or whose
    texture the library does not have.
    """
    source = _PictureFolder(folder)
    with reading_from(folder / INDEX):
        index = PictureIndex.parse(source.read(INDEX))
    missing: list[tuple[str, str]] = []
    changed: dict[Address, _ChangedPicture] = {}
    for it in index.textures:
        picture = source.spelled(it.picture)
        if picture is None:
            missing.append((it.name, it.picture))
            continue
        data = source.read(picture)
        # Not the library's texture is compared first: it may have changed since, by other means.
        if sha256(data).hexdigest() != it.sha256:
            with _about(folder / picture, it.name):
                item = _texture_of(library, container, it)
                if item.address in changed:
                    raise AddressError(_("another picture is for the same texture"))
                found = _replacement(files, item, picture, data)
            if found.splices:
                changed[item.address] = found
    splices = lifted_together(files, [(address, it.splices) for address, it in changed.items()])
    path = library.address.path
    return ReturnPlan(
        FilePlan(path, files.file(path), splices),
        tuple(it.texture for it in changed.values()),
        len(index.textures),
        tuple(missing),
        source.others({it.picture for it in index.textures}),
    )


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
        """The names in the folder besides the index and the known ones."""
        used = {INDEX, *filter(None, map(self.spelled, known))}
        return tuple(name for name in self._listed if name not in used)


class _ChangedPicture(Struct, frozen=True):
    """A changed texture, and what is replaced in it: nothing if the picture shows what it is."""

    texture: ReturnedTexture
    splices: Splices


def _texture_of(library: Item, container: Container, known: IndexedTexture) -> Item:
    """The entry of an indexed texture: at its index, else by its name; raises `AddressError`."""
    name, row = fold(_raw(known.name)), known.index
    if row >= len(container.entries) or fold(container.entries[row].name) != name:
        found = index_of(container, known.name)
        if found is None:
            raise AddressError(missing_entry(container, known.name))
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


def _replacement(files: FileStore, item: Item, picture: str, data: bytes) -> _ChangedPicture:
    """The change of a texture by a changed picture; raises `MshviewError` if it cannot be one."""
    rgba, before = images.read_image(data, MAX_SIDE), whole_texture(item.data)
    # The plan, which has a copy of the pixels, is not kept: a library has hundreds of pictures.
    made = plan(EditOptions().draft(files, item.address), [ReplaceTexture.of(rgba)])
    notes = (*made.notes, *_recolored(before, rgba))
    sizes = len(made.before), len(made.after)
    name = item.entry.text if item.entry else item.address.name
    return _ChangedPicture(ReturnedTexture(name, picture, *sizes, notes), made.splices)


def _recolored(before: Texture, rgba: Image) -> Iterator[str]:
    """In words how many clear pixels have another color now: without blending the game shows it."""
    if not (before.format.has_alpha and has_size(before, rgba)):
        return
    shown = before.level(0)
    is_clear = (shown[..., 3] == 0) & (rgba[..., 3] == 0)
    count = int(np.count_nonzero(is_clear & (shown[..., :3] != rgba[..., :3]).any(axis=2)))
    if count:
        yield _("{count} clear pixels have another color: the program may not keep it", count=count)


@contextmanager
def _about(path: Path, texture: str) -> Iterator[None]:
    """Name the picture and the texture in errors."""
    try:
        yield
    except MshviewError as error:
        words = _("texture {name!r}: {reason}", name=texture, reason=located((error.where,), error.message))
        raise AddressError(words, source=path) from error
