"""Models: nodes, batches, materials, vertices, poses, pictures."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import chain
from math import ceil
from operator import index as index_number
from pathlib import Path
from typing import Final, SupportsIndex, Unpack

import numpy as np
import numpy.typing as npt

from mshview import geometry
from mshview.checking import checked, takes
from mshview.keywords import RenderKeywords
from mshview.records import Batch, Clip, Material, Node, Pose
from mshview.resource import Resource
from viewer.diagnostics import refuse_errors
from viewer.errors import FormatError, UsageError, suggestion
from viewer.formats.msh.nodes import NONE
from viewer.formats.msh.vertices import decode_normals, decode_uvs
from viewer.model.clips import playing
from viewer.model.clips.clip import FRAME_RATE
from viewer.model.convert.source import ModelSource
from viewer.model.mesh.pose.animation import Moment
from viewer.model.mesh.reading import wear_rows_of
from viewer.model.store.disk import Revision
from viewer.operations.opening import model_of
from viewer.translation import _

Name = str | os.PathLike[str]
COLUMNS: Final = ("clip", "name", "time", "node", "node_name", *("x", "y", "z"), *("qw", "qx", "qy", "qz"))
MOST_ROWS: Final = 10_000_000
"""Rows of a table of animations, 1 GB of text."""
Image = npt.NDArray[np.uint8]


class Model(Resource):
    """A model, read when it is first asked for something, and again after a change of its files."""

    _read: tuple[dict[Path, Revision | None], ModelSource] | None = None

    @property
    def _source(self) -> ModelSource:
        store, read = self._files.store, self._read
        if read is None or any(store.revision(path) != revision for path, revision in read[0].items()):
            snapshot = store.snapshot()
            made = model_of(snapshot, self._source_of(self._address))
            if self._options.is_strict:
                # Loading the rules takes 10 ms of the 590 of a short script; few ask for strict reading.
                from viewer.model.checks.models import layout_findings  # noqa: PLC0415

                refuse_errors(self.address, layout_findings(made.model))
            self._read = read = snapshot.revisions, made
        return read[1]

    @property
    def nodes(self) -> list[Node]:
        """The nodes of the model, in the order of the table."""
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
        """The batches of the model, in the order of the table; a terrain has none."""
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
        """The vertices in the space of their nodes, model units, (v, 3); a copy.

        An array that is assigned is stored as an edit is: bounds follow. It has as many rows as before;
        `import_from` adds and removes vertices. Raises `Error` if it does not fit.
        """
        return self._source.model.positions.copy()

    @positions.setter
    def positions(self, values: npt.ArrayLike) -> None:
        self._change(geometry.positions(self._source.model, values))

    @property
    def normals(self) -> npt.NDArray[np.float32] | None:
        """Normals of the vertices, (v, 3); None without such a table.

        An array that is assigned is rounded to steps of 1/127, from -1 to 1; others raise `Error`.
        """
        raw = self._source.model.normals_raw
        return None if raw is None else decode_normals(raw)[:, :3]

    @normals.setter
    def normals(self, values: npt.ArrayLike) -> None:
        self._change(geometry.normals(self._source.model, values))

    @property
    def uvs(self) -> npt.NDArray[np.float32] | None:
        """Texture coordinates of the vertices, (v, 2); None without such a table.

        An array that is assigned is rounded to steps of 1/1024, from -32 to 31.999; others raise `Error`.
        """
        raw = self._source.model.uvs_raw
        return None if raw is None else decode_uvs(raw)

    @uvs.setter
    def uvs(self, values: npt.ArrayLike) -> None:
        self._change(geometry.uvs(self._source.model, values))

    @property
    def triangles(self) -> npt.NDArray[np.int64]:
        """Three vertices each, (t, 3), of all batches in the order of the index table."""
        found = [np.zeros((0, 3), np.int64), *(self.indices(it) for it in self.batches)]
        return np.concatenate(found)

    @checked()
    def indices(self, batch: Batch | int) -> npt.NDArray[np.int64]:
        """The vertices of the triangles of a batch, (t, 3)."""
        source = self._source
        return geometry.indices(source.model, geometry.batch_row(source.model, batch))

    @checked()
    def set_indices(self, batch: Batch | int, vertices: npt.ArrayLike) -> None:
        """Let a batch draw other triangles, as many as it has: the vertices of each, (t, 3).

        Bounds, normals of faces and links between them follow as in an edit. Raises `Error` for another
        number of triangles, and for vertices that the model does not have or the batch cannot reach.
        """
        model = self._source.model
        self._change(geometry.set_indices(model, geometry.batch_row(model, batch), vertices))

    @property
    def frame_count(self) -> int:
        """Number of frames of the animation."""
        return self._source.animation.frame_count

    @property
    def clips(self) -> list[Clip]:
        """The clips of the model's controller."""
        controller = self._source.controller
        return [
            Clip(it.index, it.name, it.range, playing.duration(controller, it)) for it in controller.clips
        ]

    @checked()
    def pose(self, time: float = 0.0, clip: SupportsIndex | str | None = None) -> Pose:
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

    def _clip(self, clip: SupportsIndex | str) -> int:
        controller = self._source.controller
        found = controller.clip_named(clip) if isinstance(clip, str) else controller.clip(index_number(clip))
        if found is None:
            hint = suggestion(str(clip), [it.name for it in controller.clips])
            words = f"has no clip {clip!r}, it has {len(controller.clips)}{hint}"
            raise UsageError(words, source=self.address)
        return found.index

    @checked()
    def write_animations(self, path: Name, rate: float = FRAME_RATE) -> None:
        """Write every clip, or without a controller all frames, as a CSV table with a row for each node.

        Parameters
        ----------
        path
            The file to write. Columns: number and name of the clip, time in seconds, or in frames without
            clips, node, its name, position, quaternion.
        rate
            Moments per second; 15 frames are a second.

        Raises
        ------
        Error
            If that are more than 10 million rows, or the file cannot be written.
        """
        spans = self._spans(rate)
        count = sum(max(length, 0) / step + 1 for _clip, _name, length, step in spans) * len(self.nodes)
        if count > MOST_ROWS:
            words = "{count:.0f} rows are needed, at most {most} are written"
            raise FormatError(_(words, count=count, most=MOST_ROWS), source=self.address)
        from viewer.model.kinds import separated  # noqa: PLC0415 only needed for tables in files

        text = separated.text_of(chain([COLUMNS], self._animation_rows(spans)))
        _write(Path(path), text.encode())

    def _spans(self, rate: float) -> list[tuple[int | None, str, float, float]]:
        """Number, name, length and step of each clip, or of all frames."""
        found: list[tuple[int | None, str, float, float]]
        found = [(it.index, it.name, it.seconds, 1 / rate) for it in self.clips]
        return found or [(None, "", self.frame_count - 1, FRAME_RATE / rate)]

    def _animation_rows(self, spans: list[tuple[int | None, str, float, float]]) -> Iterator[tuple[str, ...]]:
        names = self._source.names
        for clip, name, length, step in spans:
            number = "" if clip is None else str(clip)
            for time in [*np.arange(ceil(max(length, 0) / step)) * step, max(length, 0)]:
                pose = self.pose(float(time), clip)
                numbers = np.hstack([pose.position, pose.quaternion]).astype(np.float32).astype(np.str_)
                for node, cells in enumerate(numbers.tolist()):
                    yield number, name, f"{time:g}", str(node), names[node], *cells

    @takes(RenderKeywords)
    @checked()
    def render(  # noqa: PLR0913 each is an option of the command line
        self,
        size: tuple[int, int] = (1024, 768),
        *,
        time: float = 0.0,
        clip: SupportsIndex | str | None = None,
        lod: int | None = None,
        group: int | None = None,
        yaw: float | None = None,
        pitch: float | None = None,
        zoom: float = 1.0,
        sky: str | os.PathLike[str] | None = None,
        hour: float | None = None,
        speed: float = 0.0,
        turn: float = 0.0,
        **options: Unpack[RenderKeywords],
    ) -> Image:
        """Draw it on a transparent ground, without a window: (height, width, 4) uint8, top row first.

        Parameters
        ----------
        size
            Width and height, pixels.
        time, clip
            As of `pose`.
        lod, group
            The cell of the slot matrix, 0 to 2 and 0 to 4, by default the first that shows anything.
        yaw, pitch
            Where the camera stands, degrees.
        zoom
            2 is twice as large.
        sky, hour
            A sky whose lights shine, as the path of its file and perhaps an entry, and its hour, 0 to 24; by
            default that at which its clock starts.
        speed, turn
            How the object moves, which drives its wheels, belts and wings: a share of its top speed, -1 to 1,
            and rad/s to the left.
        options
            Those of `RenderKeywords`.

        Raises
        ------
        Error
            If the model cannot be read, or there is no OpenGL 3.3.
        """
        from mshview.drawing import drawn  # noqa: PLC0415
        from mshview.picture import ModelPicture, light_of, motion_of  # noqa: PLC0415 loads OpenGL
        from viewer.operations.given_options import checked_options  # noqa: PLC0415
        from viewer.session.view.view_state import ViewState  # noqa: PLC0415

        cell = None if lod is None and group is None else (lod or 0, group or 0)
        chosen = None if clip is None else self._clip(clip)
        given = checked_options(ViewState, options)
        picture = ModelPicture(
            self._source_of(self._address),
            size,
            time,
            chosen,
            cell,
            (yaw, pitch),
            zoom,
            light_of(sky, hour, given),
            motion_of(speed, turn),
            given,
        )
        return drawn(picture, self._files.store)


def _of_batch(source: ModelSource) -> npt.NDArray[np.int64]:
    return np.zeros(0, np.int64) if source.materials is None else source.materials.of_batch


def _write(path: Path, data: bytes) -> None:
    from viewer.model.compare.file_plan import FilePlan  # noqa: PLC0415 not needed for reading
    from viewer.operations.saving import write  # noqa: PLC0415

    write([FilePlan(path, data=data)])
