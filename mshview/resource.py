"""A resource: bytes, fields, changes, saving, converting, checking."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self, Unpack

from mshview.checking import checked, takes
from mshview.keywords import ExportKeywords, ImportKeywords
from mshview.records import Problem
from mshview.workspace import Workspace, new_workspace
from viewer.errors import MshviewError, reading_from
from viewer.model.kinds.registry import promised_kind
from viewer.model.store.address import Address
from viewer.model.store.item import Item
from viewer.operations.editing import EditOptions
from viewer.operations.opening import Source
from viewer.operations.reading_options import ReadingOptions
from viewer.translation import readable
from viewer.typed_json import of_python

Name = str | os.PathLike[str]


class Resource:
    """A file or an entry of an archive, of any kind; `open` makes one.

    Two are equal if they are of the same file or entry, were opened alike, and have the same bytes.
    ``with mshview.open(path) as resource:`` forgets at the end what was not saved, with a warning.

    Attributes
    ----------
    address
        Its address, absolute, as the command line takes it.
    """

    def __init__(
        self,
        address: Address,
        options: ReadingOptions,
        files: Workspace | None = None,
        holder: Resource | None = None,
    ) -> None:
        self._address = address
        self._options = options
        self._files = new_workspace() if files is None else files
        self._holder = holder
        self.address = str(address)

    def __repr__(self) -> str:
        return readable(f"<{type(self).__name__} {self.address}>")

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Resource):
            return NotImplemented
        if (self._address.real, self._options) != (other._address.real, other._options):
            return False
        with suppress(MshviewError):  # of a file that is gone
            return self.data == other.data
        return False

    def __hash__(self) -> int:
        return hash(self._address.real)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._holder is not None or not self.changes():
            return
        if kind is None:
            words = f"{self.address}: changes that were not saved are forgotten"
            warnings.warn(words, stacklevel=2)
        self.discard()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle it as an opening of its own; raises `Error` if it has changes that are not saved."""
        if self.changes():
            raise MshviewError(
                "has changes that are not saved, which a copy would not have", source=self.address
            )
        return type(self), (self._address, self._options)

    @property
    def _item(self) -> Item:
        return self._files.store.open(self._address)

    def _source_of(self, address: Address) -> Source:
        """A model of its file as it is read."""
        return Source(address, self._options)

    @property
    def name(self) -> str:
        """The name of its entry, or of its file."""
        entry = self._item.entry
        return entry.text if entry else self._address.name

    @property
    def kind(self) -> str:
        """The kind: ``msh``, ``texm``, ``mat0``, ``nres``, ..., as ``mshview ls`` says."""
        return promised_kind(self._item).id

    @property
    def data(self) -> bytes:
        """The bytes of the resource, with the changes that are not saved."""
        return bytes(self._item.data)

    def fields(self) -> dict[str, Any]:
        """Decoded fields as plain values: lists, numbers, texts, None.

        A table is a list of its rows. `set` takes each value back under its name, and then changes nothing.
        Of a model these are the tables as they are stored; of other resources it is what ``inspect --json``
        prints.
        """
        from mshview.fields import fields_of  # noqa: PLC0415 not needed for bytes

        with reading_from(self.address):
            return fields_of(self._item)

    def validate(self) -> list[Problem]:
        """The findings of the numbered rules of the format, as ``mshview validate`` lists them.

        Of an archive all entries are checked; names are looked up in the game folder.
        """
        from viewer.operations.checking.validating import ValidationOptions  # noqa: PLC0415 loads all rules
        from viewer.progress import Progress  # noqa: PLC0415

        options = ValidationOptions(self._options, self._files.store.unsaved)
        tasks = options.plan([self._address], is_divided=False)
        return [
            Problem(
                str(it.source), found.rule, str(found.severity), str(found.message), found.table,
                found.index, found.field,
            )
            for it in options.apply(tasks, Progress())
            for found in it.diagnostics
        ]  # fmt: skip

    @checked()
    def set(self, place: str, value: Any) -> None:
        """Set a field of one row or many: ``model.set("batches[index_count>300].flags", 8)``.

        Parameters
        ----------
        place
            ``TABLE[ROWS].FIELD``: rows are a number, a range ``2:8``, ``*`` or a condition. Without a field
            all fields of a row that `fields` gives, without rows the whole table.
        value
            As `fields` gives it: a number, a text, a list, None, a row or a table; numpy's numbers and
            arrays too. What follows from other fields, such as ``flags_meaning``, may be given as it is.

        Raises
        ------
        Error
            If there is no such place, or the format cannot hold the value; then nothing is changed.
        """
        from mshview.fields import differing_forms, row_forms  # noqa: PLC0415 not needed for reading
        from viewer.model.edit.set_place import set_form  # noqa: PLC0415

        with reading_from(place):
            given = of_python(value)
            forms = row_forms(place, given) if isinstance(given, Mapping) else [set_form(place, given)]
        try:
            return self.edit(*forms)
        except MshviewError:
            # Tables, and rows with fields that only follow from others: what is there already is not set.
            with reading_from(self.address):
                differing = differing_forms(self.fields(), place, given)
            if differing is None or differing == forms:
                raise
        return self.edit(*differing)

    def edit(self, *changes: Mapping[str, Any]) -> None:
        """Make changes in their script form: ``model.edit({"do": "rename-node", "node": 3, "name": "gun"})``.

        ``docs/changes.md`` has all with an example each. Bytes are `bytes` or hexadecimal; numpy's numbers
        and arrays are taken too. What follows from the changes, such as bounds, is changed too. All are made
        or, if one is refused, none; then `Error` is raised.
        """
        from viewer.model.edit import script  # noqa: PLC0415 not needed for reading

        with reading_from(self.address):
            self._change(script.parse(of_python(changes)))

    def _change(self, changes: Sequence[Any]) -> None:
        self._files.edit(self._address, changes, EditOptions(options=self._options))

    @checked()
    def apply_patch(self, patch: Name, *, reverse: bool = False, force: bool = False) -> None:
        """Change its whole file as a patch says, which ``mshview patch make`` or `make_patch` wrote.

        Parameters
        ----------
        patch
            The JSON file.
        reverse
            Undo the patch.
        force
            Take another file than that of the patch too, if it has everything that is replaced.

        Raises
        ------
        Error
            If it is another file, or if one of the replaced values is another one; then nothing is changed.
        """
        from viewer.model.patch.applying import PatchChoices  # noqa: PLC0415 not needed for reading
        from viewer.operations.patching import plan_patch  # noqa: PLC0415

        store, choices = self._files.store, PatchChoices(is_reverse=reverse, is_forced=force)
        planned = plan_patch(store, Path(patch), self._source_of(Address(self._address.path)), choices)
        self._files.take(Path(patch).name, self._address.path, [planned], EditOptions(options=self._options))

    @takes(ImportKeywords)
    @checked()
    def import_from(self, path: Name, **options: Unpack[ImportKeywords]) -> list[str]:
        """Take over what differs in a file that was exported; return what is lost.

        The changes are not saved yet. Changes of materials and textures, which lie in other files, are not
        made and are among what is lost.

        Parameters
        ----------
        path
            ``.glb``, ``.gltf`` or ``.obj`` of a model, or ``.json`` of anything.
        options
            Those of `ImportKeywords`.

        Raises
        ------
        Error
            If the file cannot be read, or what it says cannot be stored; then nothing is changed.
        """
        from viewer.model.convert.importing.findings import DEFAULT, ImportChoices  # noqa: PLC0415
        from viewer.operations.given_options import checked_options, with_options  # noqa: PLC0415
        from viewer.operations.imports.plan import plan_import  # noqa: PLC0415 not needed for reading

        store, file = self._files.store, Path(path)
        choices = with_options(DEFAULT, checked_options(ImportChoices, options))
        plan = plan_import(store, file, self._source_of(self._address), choices)
        if plan.library_indices:
            plan = plan.without(plan.library_indices).worked_out(store)
        if plan.error is not None:
            plan.error.source = plan.error.source or self.address
            raise plan.error
        self._files.take(file.name, self._address.path, plan.files or (), EditOptions(options=self._options))
        return [*map(str, plan.losses)]

    def changes(self) -> list[dict[str, Any]]:
        """The unsaved changes of the file, a row for each field as ``edit --json`` prints."""
        return self._files.changes(self._address.path)

    def discard(self) -> None:
        """Forget what is changed in its file and not saved."""
        self._files.discard(self._address.path)

    @checked()
    def save(self, path: Name | None = None, *, force: bool = False) -> None:
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
        self._files.save(own, own if path is None else Path(path), is_forced=force)

    @takes(ExportKeywords)
    @checked()
    def export(
        self, path: Name, *, lod: int = 0, group: int = 0, **options: Unpack[ExportKeywords]
    ) -> list[str]:
        """Write a model as ``.glb``, ``.gltf`` or ``.obj``, or anything as ``.json``; return what is lost.

        Parameters
        ----------
        path
            The file to write; its suffix is the format. Other files that the format needs stand next to it.
        lod, group
            The cell of the slot matrix, 0 to 2 and 0 to 4.
        options
            Those of `ExportKeywords`.
        """
        from viewer.model.convert.options import Options  # noqa: PLC0415
        from viewer.model.convert.scene_file import suffix_of  # noqa: PLC0415 not needed for reading
        from viewer.operations.export_sources import SourceReader  # noqa: PLC0415
        from viewer.operations.exporting import ExportOptions, plan_export  # noqa: PLC0415
        from viewer.operations.given_options import checked_options  # noqa: PLC0415
        from viewer.operations.saving import write  # noqa: PLC0415

        self._files.warn_of_others(self._address.path, 4)
        out = Path(path)
        given = checked_options(Options, options)
        how = ExportOptions.given(suffix_of(out.name), (lod, group), given)
        with reading_from(self.address):
            plan = plan_export(
                self._item,
                how,
                out,
                SourceReader(self._files.store, self._source_of),
            )
        write(plan.files)
        return [*plan.losses]
