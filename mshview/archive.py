"""Archives, and the class of the resource at an address, which an archive asks for each of its entries.

Entries share the unsaved changes of their archive.
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import index as index_number
from typing import SupportsIndex, overload

from mshview.resource import Resource
from mshview.workspace import Workspace
from viewer.errors import AddressError, UsageError, shown
from viewer.model.kinds.kind import Kind
from viewer.model.kinds.registry import EFFECT, MODEL, TEXTURE, UNIT, promised_kind
from viewer.model.store.address import Address
from viewer.model.store.item import Container, index_of, missing_entry, spelling
from viewer.operations.reading_options import ReadingOptions


class Archive(Resource):
    """An archive: ``len(archive)`` entries in the order of its directory, each an opened resource.

    ``"walker.msh" in archive`` ignores case, as the game does.
    """

    @property
    def _container(self) -> Container:
        container = self._item.container
        if container is None:
            raise AddressError("is not an archive", source=self.address)
        return container

    @property
    def names(self) -> list[str]:
        """The names of all entries, which need not differ."""
        return [entry.text for entry in self._container.entries]

    def __len__(self) -> int:
        return len(self._container.rows)

    def __iter__(self) -> Iterator[Resource]:
        return (self[index] for index in range(len(self)))

    def __contains__(self, name: object) -> bool:
        if isinstance(name, str):
            return index_of(self._container, name) is not None
        return isinstance(name, Resource) and any(it == name for it in self)

    @overload
    def __getitem__(self, name: str | SupportsIndex) -> Resource: ...

    @overload
    def __getitem__(self, name: slice) -> list[Resource]: ...

    def __getitem__(self, name: str | SupportsIndex | slice) -> Resource | list[Resource]:
        """An entry by its name, without regard to case, or by its number, from the end if negative.

        A slice is the list of its entries. Raises `Error` if there is no such entry.
        """
        container = self._container
        count = len(container.rows)
        if isinstance(name, slice):
            try:
                return [self[index] for index in range(*name.indices(count))]
            except (TypeError, ValueError):
                words = "a slice has whole numbers, and a step other than 0"
                raise UsageError(words, source=self.address) from None
        if isinstance(name, str):
            text = name
        else:
            try:
                number = index_number(name)
            except TypeError:
                words = f"{shown(name)} is neither the name nor the number of an entry"
                raise UsageError(words, source=self.address) from None
            # A number that Python cannot print is of no entry.
            text = f"#{number + count if -count <= number < 0 else min(number, count)}"
        index = index_of(container, text)
        if index is None:
            raise AddressError(missing_entry(container, text), source=self.address)
        entry = self._address.child(spelling(container, index))
        return resource_at(entry, self._options, self._files, self)


def resource_at(
    address: Address,
    options: ReadingOptions,
    files: Workspace,
    holder: Resource | None = None,
) -> Resource:
    """The resource at an address, of the class of its kind; raises `MshviewError`."""
    kind = promised_kind(files.store.open(address))
    return _class_of(kind)(address, options, files, holder)


def _class_of(kind: Kind) -> type[Resource]:
    """The class of the resources of a kind; each is loaded when it is needed."""
    if kind is MODEL:
        from mshview.model import Model  # noqa: PLC0415

        return Model
    if kind is TEXTURE:
        from mshview.texture import Texture  # noqa: PLC0415

        return Texture
    if kind is EFFECT:
        from mshview.effect import Effect  # noqa: PLC0415

        return Effect
    if kind is UNIT:
        from mshview.unit import Unit  # noqa: PLC0415

        return Unit
    return Archive if kind.is_archive else Resource
