"""Any resource, and archives: bytes, fields, changes, saving."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from mshview.workspace import OpenOptions, workspace
from viewer.errors import AddressError, UsageError, reading_from
from viewer.model.kinds.registry import MODEL, TEXTURE, promised_kind
from viewer.model.store.address import Address
from viewer.model.store.item import Container, Item, index_of, missing_entry, spelling


class Resource:
    """A file or an entry of an archive, of any kind; `open` makes one.

    Attributes
    ----------
    address
        Its address, as the command line takes it.
    """

    def __init__(self, address: Address, options: OpenOptions) -> None:
        self._address = address
        self._options = options
        self.address = str(address)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.address}>"

    @property
    def _item(self) -> Item:
        return workspace().store.open(self._address)

    @property
    def name(self) -> str:
        """The name of its entry, or of its file."""
        entry = self._item.entry
        return entry.text if entry else self._address.name

    @property
    def kind(self) -> str:
        """What it is: ``msh``, ``texm``, ``mat0``, ``nres``, ..., as ``mshview ls`` says."""
        return promised_kind(self._item).id

    @property
    def data(self) -> bytes:
        """Its bytes, with the changes that are not saved."""
        return bytes(self._item.data)

    def fields(self) -> dict[str, Any]:
        """Every decoded field as plain values: lists, numbers, texts, None.

        A table is a list of its rows, under the name that `set` takes. Of a model these are the tables as
        they are stored; of other resources it is what ``inspect --json`` prints.
        """
        from viewer.model.kinds import json_text  # noqa: PLC0415 not needed for bytes
        from viewer.model.kinds.plain import describe  # noqa: PLC0415

        item = self._item
        with reading_from(self.address):
            described = describe(promised_kind(item), item.data, item.nres_entry)
            found: dict[str, Any] = json.loads("".join(json_text.pieces(described)))
        return found

    def set(self, place: str, value: Any) -> None:
        """Set a field of one row or many: ``model.set("batches[index_count>300].flags", 8)``.

        Parameters
        ----------
        place
            ``TABLE[ROWS].FIELD``: rows are a number, a range ``2:8``, ``*`` or a condition.
        value
            As `fields` gives it: a number, a text, a list, None.

        Raises
        ------
        Error
            If there is no such place, or the format cannot hold the value; then nothing is changed.
        """
        from viewer.model.edit.set_place import set_form  # noqa: PLC0415 not needed for reading

        with reading_from(place):
            form = set_form(place, value)
        self.edit(form)

    def edit(self, *changes: Mapping[str, Any]) -> None:
        """Make changes in their script form: ``model.edit({"do": "rename-node", "node": 3, "name": "gun"})``.

        ``mshview schema script`` lists them. What follows from them, such as bounds, is changed too. All are
        made or, if one is refused, none; then `Error` is raised.
        """
        from viewer.model.edit import script  # noqa: PLC0415 not needed for reading

        with reading_from(self.address):
            self._change(script.parse([dict(it) for it in changes]))

    def _change(self, changes: Any) -> None:
        workspace().edit(self._address, changes, self._options.editing)

    def changes(self) -> list[dict[str, Any]]:
        """What is changed in its file and not saved, a row for each field as ``edit --json`` prints."""
        return workspace().changes(self._address.path)

    def save(self, path: str | os.PathLike[str] | None = None, *, force: bool = False) -> None:
        """Write its whole file with all changes: over itself, or to another path.

        The file appears whole or not at all; the first time a file is replaced the old one stays as
        ``NAME.bak``. Nothing is written if nothing is changed.

        Parameters
        ----------
        path
            Another file to write; the changes then stay unsaved in this one.
        force
            Write also what adds errors, which is refused otherwise.

        Raises
        ------
        Error
            If the changes add errors, another program has changed the file, or it cannot be written.
        """
        own = self._address.path
        workspace().save(own, own if path is None else Path(path), is_forced=force)

    def export(
        self,
        path: str | os.PathLike[str],
        *,
        lod: int = 0,
        group: int = 0,
        all_cells: bool = False,
        textures: bool = True,
        animation: str = "strip",
    ) -> list[str]:
        """Write a model as ``.glb``, ``.gltf`` or ``.obj``, or anything as ``.json``; return what is lost.

        Parameters
        ----------
        path
            The file to write; its suffix is the format. Other files that the format needs stand next to it.
        lod, group, all_cells
            The cell of the slot matrix, or all of them (glTF).
        textures
            Whether pictures are written.
        animation
            ``strip``: all frames as one animation; ``clips``: each clip; ``none``.
        """
        from viewer.model.convert.scene import Clips, Options  # noqa: PLC0415
        from viewer.model.convert.scene_file import OBJ, suffix_of  # noqa: PLC0415 not needed for reading
        from viewer.operations.exporting import ExportOptions, plan_export  # noqa: PLC0415
        from viewer.operations.opening import model_of  # noqa: PLC0415

        out = Path(path)
        suffix = suffix_of(out.name)
        if animation not in [*Clips]:
            raise UsageError(f"{animation!r} is none of {', '.join(Clips)}", source="animation")
        scene = Options(
            cell=(lod, group),
            has_all_cells=all_cells,
            has_textures=textures,
            is_y_up=suffix != OBJ,
            clips=Clips(animation),
        )
        with reading_from(self.address):
            plan = plan_export(
                self._item,
                ExportOptions(suffix, scene),
                out,
                lambda item: model_of(workspace().store, self._options.source(item.address)),
            )
        plan.apply()
        return [*plan.losses]


class Archive(Resource):
    """An archive: ``len(archive)`` entries in the order of its directory, each an opened resource."""

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
        return (self[f"#{index}"] for index in range(len(self)))

    def __getitem__(self, name: str | int) -> Resource:
        """An entry by its name, without regard to case, or by its number; raises `Error`."""
        container = self._container
        text = f"#{name}" if isinstance(name, int) else name
        index = index_of(container, text)
        if index is None:
            raise AddressError(missing_entry(container, text), source=self.address)
        return resource_at(self._address.child(spelling(container, index)), self._options)


def resource_at(address: Address, options: OpenOptions) -> Resource:
    """The resource at an address, of the class of its kind; raises `MshviewError`."""
    kind = promised_kind(workspace().store.open(address))
    if kind is MODEL:
        from mshview.model import Model  # noqa: PLC0415 not needed for other kinds

        return Model(address, options)
    if kind is TEXTURE:
        from mshview.texture import Texture  # noqa: PLC0415 not needed for other kinds

        return Texture(address, options)
    return (Archive if kind.is_archive else Resource)(address, options)
