"""Models: nodes, batches, materials, vertices, poses, pictures."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterator
from math import ceil
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from mshview.records import Batch, Clip, Material, Node, Pose
from mshview.resource import Resource
from mshview.workspace import workspace
from viewer.errors import UsageError, refuse_errors, suggestion
from viewer.formats.msh.nodes import NONE
from viewer.formats.msh.vertices import decode_normals, decode_uvs
from viewer.model.clips import playing
from viewer.model.clips.clip import FRAME_RATE
from viewer.model.convert.source import ModelSource
from viewer.model.mesh.animation import Moment
from viewer.model.mesh.reading import wear_rows_of
from viewer.operations.opening import model_of

COLUMNS: Final = ("clip", "name", "time", "node", "node_name", *("x", "y", "z"), *("qw", "qx", "qy", "qz"))
Image = npt.NDArray[np.uint8]


class Model(Resource):
    """A model, read when it is first asked for something, and again after a change."""

    _read: tuple[object, ModelSource] | None = None

    @property
    def _source(self) -> ModelSource:
        if self._read is None or self._read[0] != workspace().revision:
            made = model_of(workspace().store, self._options.source(self._address))
            if self._options.is_strict:
                refuse_errors(self.address, made.model.diagnostics)
            self._read = workspace().revision, made
        return self._read[1]

    @property
    def nodes(self) -> list[Node]:
        """Its nodes, in the order of the table."""
        source = self._source
        stored = source.model.nodes
        columns = [stored[it].tolist() for it in ("parent", "flags", "slots")]
        rows = zip(source.names, source.socket_tag, *columns, strict=False)
        return [
            Node(
                index,
                name,
                None if parent == NONE else parent,
                flags,
                takes,
                tuple(tuple(None if slot == NONE else slot for slot in row) for row in slots),
            )
            for index, (name, takes, parent, flags, slots) in enumerate(rows)
        ]

    @property
    def batches(self) -> list[Batch]:
        """Its batches, in the order of the table; a terrain has none."""
        source = self._source
        stored = source.model.batches
        material = wear_rows_of(stored, source.choice.reading.material_field).tolist()
        names = ("index_start", "index_count", "base_vertex")
        rows = zip(stored["flags"].tolist(), material, *(stored[it].tolist() for it in names), strict=True)
        return [Batch(index, *row) for index, row in enumerate(rows)]

    @property
    def materials(self) -> list[Material]:
        """The materials that its batches use, looked up in the game folder."""
        found = self._source.materials
        rows = [] if found is None else found.rows
        return [
            Material(
                it.row,
                it.name,
                str(it.found),
                it.phases[0].texture,
                None if it.lightmap is None else it.lightmap.name,
                it.blend.label,
                tuple(np.flatnonzero(_of_batch(self._source) == row).tolist()),
                it.trace,
            )
            for row, it in enumerate(rows)
        ]

    def nodes_by_material(self) -> dict[str, list[Node]]:
        """The nodes that draw each material in any cell, by its name; empty for one without a name."""
        source, nodes = self._source, self.nodes
        if source.materials is None:
            return {}
        draws, rows = source.draws, source.materials.rows
        pairs = {*zip(source.materials.of_draw.tolist(), draws.node.tolist(), strict=True)}
        found: dict[str, list[Node]] = {}
        for row, node in sorted(pairs):
            listed = found.setdefault(rows[row].name or "", [])
            if node < len(nodes) and nodes[node] not in listed:
                listed.append(nodes[node])
        return found

    @property
    def positions(self) -> npt.NDArray[np.float32]:
        """Its vertices in the space of their nodes, model units, (v, 3); a copy."""
        return self._source.model.positions.copy()

    @property
    def normals(self) -> npt.NDArray[np.float32] | None:
        """Their normals, (v, 3); None without such a table."""
        raw = self._source.model.normals_raw
        return None if raw is None else decode_normals(raw)[:, :3]

    @property
    def uvs(self) -> npt.NDArray[np.float32] | None:
        """Their places in the texture, (v, 2); None without such a table."""
        raw = self._source.model.uvs_raw
        return None if raw is None else decode_uvs(raw)

    @property
    def triangles(self) -> npt.NDArray[np.int64]:
        """Three vertices each, (t, 3), of all batches in the order of the index table."""
        source = self._source
        parts = [
            source.model.indices[it.index_start :][: it.index_count].astype(np.int64) + it.base_vertex
            for it in self.batches
        ]
        whole = [it[: len(it) // 3 * 3] for it in parts]
        return np.concatenate([np.zeros(0, np.int64), *whole]).reshape(-1, 3)

    @property
    def frame_count(self) -> int:
        """Number of frames of its animation."""
        return self._source.animation.frame_count

    @property
    def clips(self) -> list[Clip]:
        """The clips of its controller."""
        controller = self._source.controller
        return [
            Clip(it.index, it.name, it.range, playing.duration(controller, it)) for it in controller.clips
        ]

    def pose(self, time: float = 0.0, clip: int | str | None = None) -> Pose:
        """All nodes at a time in frames, or seconds into a clip, which an index or a name names.

        Raises `Error` if there is no such clip.
        """
        source = self._source
        moment = Moment(time)
        if clip is not None:
            controller = source.controller
            moment = playing.moment(controller, controller.clips[self._clip(clip)], time)
        moment = playing.with_channels(
            moment, source.controller, {}, source.model.node_count, is_playing=clip is not None
        )
        pose = source.animation.pose_at(moment)
        return Pose(pose.position, pose.quaternion, pose.world)

    def _clip(self, clip: int | str) -> int:
        controller = self._source.controller
        found = controller.clip(clip) if isinstance(clip, int) else controller.clip_named(clip)
        if found is None:
            hint = suggestion(str(clip), [it.name for it in controller.clips])
            words = f"has no clip {clip!r}, it has {len(controller.clips)}{hint}"
            raise UsageError(words, source=self.address)
        return found.index

    def write_animations(self, path: str | os.PathLike[str], rate: float = FRAME_RATE) -> None:
        """Write every clip, or without a controller all frames, as a CSV table with a row for each node.

        Parameters
        ----------
        path
            The file to write. Columns: number and name of the clip, time in seconds, or in frames without
            clips, node, its name, position, quaternion.
        rate
            Moments per second; 15 frames are a second.
        """
        if not rate > 0:
            raise UsageError(f"{rate} is not a positive number", source="rate")
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(COLUMNS)
        for row in self._animation_rows(rate):
            writer.writerow(row)
        _write(Path(path), text.getvalue().encode())

    def _animation_rows(self, rate: float) -> Iterator[tuple[Any, ...]]:
        names = self._source.names
        spans: list[tuple[int | None, str, float, float]]
        spans = [(it.index, it.name, it.seconds, 1 / rate) for it in self.clips]
        for clip, name, length, step in spans or [(None, "", self.frame_count - 1, FRAME_RATE / rate)]:
            for time in [*np.arange(ceil(max(length, 0) / step)) * step, max(length, 0)]:
                pose = self.pose(float(time), clip)
                numbers = np.hstack([pose.position, pose.quaternion]).astype(np.float32).astype(np.str_)
                for node, cells in enumerate(numbers.tolist()):
                    yield "" if clip is None else clip, name, f"{time:g}", node, names[node], *cells

    def render(  # noqa: PLR0913 each is an option of the command line
        self,
        size: tuple[int, int] = (1024, 768),
        *,
        time: float = 0.0,
        clip: int | str | None = None,
        lod: int | None = None,
        group: int | None = None,
        yaw: float | None = None,
        pitch: float | None = None,
        zoom: float = 1.0,
        shading: str = "textured",
    ) -> Image:
        """Draw it on a transparent ground, without a window: (height, width, 4) uint8, top row first.

        Parameters
        ----------
        size
            Width and height, pixels.
        time, clip
            As of `pose`.
        lod, group
            The cell of the slot matrix, by default the first that shows anything.
        yaw, pitch
            Where the camera stands, degrees.
        zoom
            2 is twice as large.
        shading
            ``textured``, ``lit``, ..., as ``mshview render --shading`` has them.

        Raises
        ------
        Error
            If the model cannot be read, or there is no OpenGL 3.3.
        """
        from mshview.picture import PictureOptions, picture  # noqa: PLC0415 loads OpenGL

        cell = None if lod is None and group is None else (lod or 0, group or 0)
        chosen = None if clip is None else self._clip(clip)
        options = PictureOptions(size, time, chosen, cell, (yaw, pitch), zoom, shading)
        return picture(self._options.source(self._address), options)


def _of_batch(source: ModelSource) -> npt.NDArray[np.int64]:
    return np.zeros(0, np.int64) if source.materials is None else source.materials.of_batch


def _write(path: Path, data: bytes) -> None:
    from viewer.model.store.writing import NewFile  # noqa: PLC0415 not needed for reading
    from viewer.model.write import saving  # noqa: PLC0415

    saving.write([NewFile(path, data)])
