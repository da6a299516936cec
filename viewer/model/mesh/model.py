"""The model in memory: views of the tables of one container.

Every table is a view of the file's bytes. A table that cannot be decoded stays as bytes, as
`checks.model_tables` reports, and the rest of the model is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from viewer.errors import FormatError
from viewer.formats import splice
from viewer.formats.archive import nres
from viewer.formats.findings import Rule
from viewer.formats.msh import strings, tables
from viewer.formats.msh.nodes import LEGACY_NODE, LEGACY_SIZE, NODE
from viewer.formats.msh.parts import is_legacy, node_count
from viewer.formats.msh.parts import parts as container_parts
from viewer.formats.msh.slots import HEADER
from viewer.formats.msh.tables import Table
from viewer.formats.part import Part
from viewer.formats.record import Bytes, Rows
from viewer.formats.text import decode as decode_text
from viewer.formats.text import until_nul
from viewer.model.mesh.row_tables import NamedRows, row_tables

if TYPE_CHECKING:
    from viewer.formats.archive.nres_edit import Edit

_EMPTY = memoryview(b"")

LOOSE = frozenset({tables.NAME_RECORDS, tables.LIGHT_PROBES})
"""Tables with records in retail files but other bytes in the seeds' convention."""


class Variant(StrEnum):
    """The kind of a container of tables."""

    MODEL = "model"
    LEGACY24 = "legacy24"
    TERRAIN = "terrain"


def variant_of(archive: nres.Archive) -> Variant | None:
    """The variant, decided by the types present (spec/nres.md 6); None for a plain archive."""
    # A model first: a container with faces as well as indices and batches is one.
    if archive.types >= tables.REQUIRED:
        return Variant.LEGACY24 if is_legacy(archive) else Variant.MODEL
    if archive.types >= tables.TERRAIN and tables.INDICES not in archive.types:
        return Variant.TERRAIN
    return None


def missing_tables(archive: nres.Archive) -> FormatError:
    """The error of a container that is not a model (V01)."""
    missing = ", ".join(f"{t} ({tables.TABLES[t].name})" for t in sorted(tables.REQUIRED - archive.types))
    return Rule("V01", nres.ENTRY.name).failure("not a model: no resource of type {missing}", missing=missing)


class Model:
    """A model, legacy model or terrain as views of its container.

    Structured tables hold whole records only; a missing table is empty. Everything is read-only.
    """

    def __init__(self, archive: nres.Archive, variant: Variant) -> None:
        self.archive = archive
        self.variant = variant
        self._rows = {type_id: self._view(table) for type_id, table in tables.TABLES.items() if table.record}

    @classmethod
    def read(cls, data: Bytes) -> Model:
        """Open a container; raises `FormatError` if it is not a model or terrain."""
        return cls.of(nres.Archive.read(data))

    @classmethod
    def of(cls, archive: nres.Archive) -> Model:
        """The model inside an open container; raises `FormatError` if required types are missing."""
        variant = variant_of(archive)
        if variant is None:
            raise missing_tables(archive)
        return cls(archive, variant)

    def _view(self, table: Table) -> Rows:
        record = table.record
        data = self.payload(table.type_id)
        # Nodes of legacy models have 24 bytes, which this record does not describe.
        if record is None or not data or (table.type_id == tables.NODES and self.variant is Variant.LEGACY24):
            return np.empty(0, record.dtype if record else "V1")
        return record.view(data, offset=table.header_size)

    def payload(self, type_id: int) -> memoryview:
        """The bytes of a table, the first of its type; empty if it is missing or outside the file."""
        index = self.archive.find_type(type_id)
        entry = None if index is None else self.archive.entry(index)
        return _EMPTY if entry is None or entry.is_damaged else self.archive.data[entry.offset : entry.end]

    def has(self, type_id: int) -> bool:
        """Whether the container has a readable table of the type."""
        index = self.archive.find_type(type_id)
        return index is not None and not self.archive.entry(index).is_damaged

    def rows(self, type_id: int) -> Rows:
        """The whole records of a table that has records, structured."""
        return self._rows[type_id]

    @cached_property
    def tables(self) -> Mapping[str, NamedRows]:
        """All tables with rows, by name, including the container's directory and header."""
        return row_tables(self)

    @property
    def nodes(self) -> Rows:
        """Res1; empty for a legacy model."""
        return self._rows[tables.NODES]

    @property
    def legacy_nodes(self) -> Rows:
        """Res1 of a legacy model, 24 bytes a row; empty for any other."""
        return LEGACY_NODE.view(self.payload(tables.NODES) if self.variant is Variant.LEGACY24 else _EMPTY)

    @property
    def slots(self) -> Rows:
        """Res2 after its header."""
        return self._rows[tables.SLOTS]

    @property
    def batches(self) -> Rows:
        """Res13: the batches."""
        return self._rows[tables.BATCHES]

    @property
    def tri_descriptors(self) -> Rows:
        """Res7: the triangle descriptors."""
        return self._rows[tables.TRIANGLES]

    @property
    def keys(self) -> Rows:
        """Res8: the animation keys."""
        return self._rows[tables.KEYS]

    @property
    def faces(self) -> Rows:
        """Res21: the faces, of terrain only."""
        return self._rows[tables.FACES]

    @property
    def indices(self) -> npt.NDArray[np.uint16]:
        """Res6: the indices, (n,)."""
        return self._rows[tables.INDICES]["index"]

    @property
    def frame_map(self) -> npt.NDArray[np.uint16]:
        """Res19: the frame map, (n,)."""
        return self._rows[tables.FRAME_MAP]["key"]

    @property
    def frame_count(self) -> int:
        """Frames of the whole model, at least 1."""
        index = self.archive.find_type(tables.FRAME_MAP)
        # 0 frames are an error (A06) and read as 1: there is always the rest pose.
        return 1 if index is None else max(1, self.archive.entries[index].attr2)

    @property
    def node_count(self) -> int:
        """Number of nodes to pose; a legacy model or a terrain without tiles has one."""
        if self.variant is Variant.MODEL:
            return len(self.nodes)
        return max(1, len(self.nodes))

    @property
    def record_count(self) -> int:
        """Number of whole records of Res1, of any record size."""
        return node_count(self.archive)

    @cached_property
    def header(self) -> np.void | None:
        """The header of Res2, or None if it is truncated."""
        data = self.payload(tables.SLOTS)
        return HEADER.read(data) if len(data) >= HEADER.size else None

    @cached_property
    def positions(self) -> npt.NDArray[np.float32]:
        """Vertex positions in node space, (n, 3) float32; values that are not finite become 0."""
        stored: npt.NDArray[np.float32] = self._rows[tables.POSITIONS]["position"]
        is_finite = np.isfinite(stored)
        # The usual case copies nothing: the positions are a view of the file.
        return stored if is_finite.all() else np.where(is_finite, stored, np.float32(0))

    @property
    def vertex_count(self) -> int:
        """The number of vertices, the rows of Res3."""
        return len(self._rows[tables.POSITIONS])

    @cached_property
    def normals_raw(self) -> npt.NDArray[np.int8] | None:
        """Res4 fitted to the vertices, (n, 4) int8; None without the table, zeros beyond its end."""
        return self._per_vertex(tables.NORMALS, "normal")

    @cached_property
    def uvs_raw(self) -> npt.NDArray[np.int16] | None:
        """Res5 fitted to the vertices, (n, 2) int16; None without the table, zeros beyond its end."""
        return self._per_vertex(tables.UVS, "uv")

    @cached_property
    def lightmap_uvs_raw(self) -> npt.NDArray[np.uint16] | None:
        """Res18 fitted to the vertices, (n, 2) uint16; None without the table, zeros beyond its end."""
        return self._per_vertex(tables.STREAM18, "value")

    @cached_property
    def vectors_raw(self) -> npt.NDArray[np.int8] | None:
        """Res16 fitted to the vertices, (n, 8) int8; None without the table, zeros beyond its end."""
        return self._per_vertex(tables.STREAM16, "value")

    @cached_property
    def second_alphas(self) -> npt.NDArray[np.float32] | None:
        """Res14, the opacity of a terrain's second materials, 0 to 1, (n,) float32; None for a model.

        A vertex without a usable one shows its first material alone.
        """
        if self.variant is not Variant.TERRAIN:
            return None
        alphas = np.zeros(self.vertex_count, np.float32)
        stored = self._rows[tables.STREAM14]["value"][: self.vertex_count]
        # `clip` keeps a NaN.
        alphas[: len(stored)] = np.where(np.isnan(stored), 0, np.clip(stored, 0, 1))
        return alphas

    def _per_vertex(self, type_id: int, field: str) -> npt.NDArray[Any] | None:
        if not self.has(type_id):
            return None
        # Tables of another length are an error (V09, V10), and the rest is drawn: what is missing is 0, what
        # is too much is left out.
        stored: npt.NDArray[Any] = self._rows[type_id][field]
        if len(stored) >= self.vertex_count:
            return stored[: self.vertex_count]
        fitted = np.zeros((self.vertex_count, *stored.shape[1:]), stored.dtype)
        fitted[: len(stored)] = stored
        return fitted

    @cached_property
    def texts(self) -> strings.Texts:
        """Res10 as it is stored, and where reading it stopped."""
        return strings.read_texts(self.payload(tables.STRINGS), self.record_count)

    @property
    def strings(self) -> tuple[bytes, ...]:
        """Res10: the name or the label of each node, up to the first unreadable one."""
        return self.texts.texts

    @cached_property
    def name_records(self) -> tuple[bytes, ...]:
        """Res9: the name of each node up to its NUL, if names come from there."""
        return tuple(until_nul(bytes(name)) for name in self._rows[tables.NAME_RECORDS]["name"].tolist())

    def node_names(self, *, from_records: bool) -> tuple[str, ...]:
        """Names per node, empty if absent; from Res9 or from Res10.

        Res9 has other bytes in files with node names in Res10, so bytes that are not text are not a name.
        """
        stored = self.name_records if from_records else self.strings
        texts = [decode_text(name) for name in stored[: self.node_count]]
        if from_records:
            texts = [text if text.isprintable() else "" for text in texts]
        return (*texts, *[""] * (self.node_count - len(texts)))

    def node_socket_tags(self, *, from_records: bool) -> tuple[str, ...]:
        """The socket tag of each node, its label in Res10; empty if absent.

        Without names in Res9 there are no labels.
        """
        texts = [decode_text(label) for label in self.strings[: self.node_count]] if from_records else []
        return (*texts, *[""] * (self.node_count - len(texts)))

    def encode(self, changed: Mapping[int, Bytes] | None = None, *, frame_count: int | None = None) -> bytes:
        """The container with tables replaced as by `edit`, and every other byte unchanged."""
        return self.edit(changed or {}, frame_count=frame_count).encode()

    def edit(self, changed: Mapping[int, Bytes], *, frame_count: int | None = None) -> Edit:
        """The changes of the container that replace the tables given by type.

        Tables of another size get the attributes that follow from it; unspecified ones, and attr2 of
        nodes, stay, but an attr1 that is the number of records is that of the new ones. `frame_count`
        is that of a new frame map. Raises `FormatError` if a table is missing; encoding the result
        raises it if one cannot be moved.
        """
        from viewer.formats.archive.nres_edit import Edit  # noqa: PLC0415 only needed for changes

        edit = Edit(self.archive)
        for type_id, data in changed.items():
            index = self.archive.find_type(type_id)
            if index is None:
                words = "no resource of type {type_id} to replace"
                raise Rule("", nres.ENTRY.name).failure(words, type_id=type_id)
            edit.replace(index, data, splice.between(self.payload(type_id), data))
            has_frames = type_id == tables.FRAME_MAP and frame_count not in (None, self.frame_count)
            # A table of the same size keeps its attributes, also wrong ones: nothing about them has
            # changed.
            if memoryview(data).nbytes != len(self.payload(type_id)) or has_frames:
                nodes = changed.get(tables.NODES, self.payload(tables.NODES))
                edit.describe(index, *self.attributes(index, len(data), len(nodes), frame_count))
        return edit

    def attributes(
        self, index: int, size: int, nodes_size: int, frame_count: int | None = None
    ) -> tuple[int, int, int]:
        """The attributes of a table with a new size."""
        entry = self.archive.entries[index]
        kept = entry.attr1, entry.attr2, entry.attr3
        if entry.type_id == tables.NODES and self.variant is Variant.LEGACY24:
            return size // LEGACY_SIZE, entry.attr2, LEGACY_SIZE
        if entry.type_id not in tables.DERIVED:
            record = tables.TABLES[entry.type_id].record if entry.type_id in tables.TABLES else None
            # attr1 is the number of records only if it is so before: of other tables it is something else.
            is_count = record is not None and entry.attr1 * record.size == entry.size
            return (size // record.size, *kept[1:]) if record and is_count else kept
        node_size = LEGACY_SIZE if self.variant is Variant.LEGACY24 else NODE.size
        frames = self.frame_count if frame_count is None else frame_count
        attr1, attr2, attr3 = tables.attributes(
            entry.type_id, size, node_count=nodes_size // node_size, frame_count=frames
        )
        # attr2 of nodes follows from nothing: on terrains it is the number of tiles across, on models
        # unknown.
        return attr1, entry.attr2 if entry.type_id == tables.NODES else attr2, attr3


def decode(data: Bytes) -> Model:
    """The model in a container; raises `FormatError` if it is not a model or terrain."""
    return Model.read(data)


def encode(model: Model) -> bytes:
    """The container with every table encoded from its records."""
    replaced: dict[int, Bytes] = {}
    for entry in model.archive.entries:
        type_id = entry.type_id
        if type_id in tables.TABLES and type_id not in replaced and model.has(type_id):
            stated = type_id, entry.attr1, entry.attr2, entry.attr3
            replaced[type_id] = tables.encode(tables.decode(model.payload(type_id), *stated))
    return model.encode(replaced)


def parts(model: Model) -> Part:
    """Parts of the container, table by table."""
    return container_parts(model.archive)
