"""Files of the sizes that the requirements name, generated, opened and uploaded when first needed.

A generated model is written by the project's own encoders. Each of its nodes has a slot with one batch, a
bent sheet of quads. With more than one frame every node turns between two keys, or more if the frame map
has room.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from viewer.cli.bench.install import RETAIL, InstallSize, change_install, make_install
from viewer.formats.archive import nres
from viewer.formats.msh.tables import STREAM15
from viewer.geometry.quaternions import conjugate
from viewer.geometry.transforms import Doubles
from viewer.model.convert.building.tables import tables_of
from viewer.model.convert.scene import Mesh, Node, Primitive, Scene, SceneMaterial, Track
from viewer.model.mesh.reading import SEED
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.writing import write_file
from viewer.operations.opening import Source
from viewer.render.offscreen import OffscreenRenderer, cameras, direction
from viewer.session.opened.document import Document
from viewer.session.view.view_state import ViewState

MESH_TYPE: Final = int.from_bytes(b"MESH", "little")
MATERIALS: Final = 20
CHILDREN: Final = 8
"""Children per node, while nodes remain."""
SIZES: Final = 7
"""Sizes of the sheets."""
REACH: Final = 60.0
"""Spread of the nodes around the origin, model units."""


class ModelSize(Struct, frozen=True):
    """The size of a generated model.

    Parameters
    ----------
    node_count
        Nodes, slots and batches.
    rows, columns
        Quads of each batch's sheet; two triangles each.
    frame_count, key_count
        Frames of the model and keys of each node; one frame means no animation.
    """

    node_count: int
    rows: int
    columns: int
    frame_count: int = 1
    key_count: int = 2

    @property
    def triangle_count(self) -> int:
        """Triangles of the whole model."""
        return 2 * self.rows * self.columns * self.node_count

    @property
    def keys_per_node(self) -> int:
        """Number of keys of each node."""
        return self.key_count if self.frame_count > 1 else 1


def make_model(plan: ModelSize) -> bytes:
    """A model of the planned size, in the seed reading, without unknown tables."""
    made = tables_of(make_scene(plan), SEED)
    made.missing.add(STREAM15)
    return made.build()


def make_archive(count: int, plan: ModelSize) -> bytes:
    """An archive of `count` entries that hold the same model."""
    model = make_model(plan)
    return nres.build(nres.NewEntry(MESH_TYPE, model, b"model_%05d.msh" % number) for number in range(count))


def make_scene(plan: ModelSize) -> Scene:
    """The scene of a model of the planned size."""
    points, corners = _sheet(plan)
    uvs = (points[:, :2] / 2 + 0.5).astype(np.float32)
    up = np.tile(np.array([0, 0, 1], np.float32), (len(points), 1))
    scales = [(points * (0.5 + kind / 8)).astype(np.float32) for kind in range(SIZES)]
    numbers = range(plan.node_count)
    meshes = tuple(
        Mesh(
            f"mesh_{number}",
            (Primitive(scales[number % SIZES], corners, up, uvs, material=number % MATERIALS),),
        )
        for number in numbers
    )
    tracks = _tracks(plan)
    nodes = tuple(
        Node(f"node_{number}", (number - 1) // CHILDREN if number else None, {(0, 0): number}, track=track)
        for number, track in enumerate(tracks)
    )
    return Scene(
        "bench", nodes, meshes, tuple(SceneMaterial(f"MATERIAL_{row}", row) for row in range(MATERIALS))
    )


def _sheet(plan: ModelSize) -> tuple[Doubles, npt.NDArray[np.int64]]:
    """Vertices (v, 3) within -1..1 and triangles (t, 3) of one batch."""
    down, across = np.mgrid[0 : plan.rows + 1, 0 : plan.columns + 1]
    x, y = 2 * across / plan.columns - 1, 2 * down / plan.rows - 1
    points = np.stack([x, y, 0.5 * (1 - x * x) * (1 - y * y)], axis=-1).reshape(-1, 3)
    row, column = np.mgrid[0 : plan.rows, 0 : plan.columns].reshape(2, -1)
    first = row * (plan.columns + 1) + column
    above = first + plan.columns + 1
    corners = np.stack([first, first + 1, above + 1, first, above + 1, above], axis=-1)
    return points, corners.reshape(-1, 3)


def _tracks(plan: ModelSize) -> Iterator[Track]:
    """Yield the keys of each node: its own position, and a rotation about a tilted axis from key to key."""
    spread = np.arange(plan.node_count)[:, None] * np.array([0.6180339887, 0.7548776662, 0.5698402909])
    positions = ((spread % 1 - 0.5) * REACH).astype(np.float32)
    times = np.rint(np.linspace(0, plan.frame_count - 1, plan.keys_per_node))
    angle = times / plan.frame_count
    half = np.sin(angle / 2)
    stored = np.stack([np.cos(angle / 2), half * 0.6, half * 0.0, half * 0.8], axis=-1)
    rotations = conjugate(stored).astype(np.float32)
    for position in positions:
        yield Track(times, np.tile(position, (len(times), 1)), rotations)


class Sizes(Struct, frozen=True):
    """Sizes of the files, of a table in rows, of a frame and of the window in pixels, and the repetitions."""

    archive_count: int
    archived: ModelSize
    medium: ModelSize
    moving: ModelSize
    large: ModelSize
    dense: ModelSize
    animated: ModelSize
    keyed: ModelSize
    large_count: int
    install: InstallSize
    table_rows: int
    frame: tuple[int, int]
    window: tuple[int, int]
    runs: int


FULL: Final = Sizes(
    archive_count=400,
    archived=ModelSize(38, 4, 7, frame_count=20),
    medium=ModelSize(200, 10, 15),
    moving=ModelSize(200, 10, 15, frame_count=30, key_count=10),
    large=ModelSize(10_000, 3, 5, frame_count=6),
    dense=ModelSize(200, 100, 150, frame_count=6),
    animated=ModelSize(200, 1, 2, frame_count=200, key_count=20),
    keyed=ModelSize(200, 1, 2, frame_count=320, key_count=200),  # near to the most that a frame map holds
    large_count=12,
    install=RETAIL,
    table_rows=300_000,
    frame=(1280, 720),
    window=(1920, 1080),
    runs=21,
)
"""The sizes that appear in the names of the cases."""


class Subjects:
    """The files in a folder, and the opened documents and renderer; owned by the bench.

    Parameters
    ----------
    folder
        Folder for the files; temporary.
    sizes
        Sizes of the files.
    """

    def __init__(self, folder: Path, sizes: Sizes) -> None:
        self.folder = folder
        self.sizes = sizes

    @cached_property
    def archive(self) -> Address:
        """An archive of many models."""
        return self._write("archive.rlb", make_archive(self.sizes.archive_count, self.sizes.archived))

    @cached_property
    def models(self) -> Address:
        """A folder of the same models, a file each."""
        folder = self.folder / "models"
        folder.mkdir()
        container = nres.Archive.read(FileStore().open(self.archive).data)
        for entry in container.entries:
            write_file(folder / entry.text, container.payload(entry.index))
        return Address(folder)

    @cached_property
    def medium(self) -> Address:
        """A model of many triangles in few nodes, without animation."""
        return self._write("medium.msh", make_model(self.sizes.medium))

    @cached_property
    def moving(self) -> Address:
        """A model of many triangles in few nodes, which move."""
        return self._write("moving.msh", make_model(self.sizes.moving))

    @cached_property
    def large(self) -> Address:
        """A model of many animated nodes with a batch each."""
        return self._write("large.msh", make_model(self.sizes.large))

    @cached_property
    def large_archive(self) -> Address:
        """An archive of a few large models."""
        return self._write("large.rlb", make_archive(self.sizes.large_count, self.sizes.medium))

    @cached_property
    def animated(self) -> Address:
        """A model with long tracks."""
        return self._write("animated.msh", make_model(self.sizes.animated))

    @cached_property
    def keyed(self) -> Address:
        """A model with as many keys as fit."""
        return self._write("keyed.msh", make_model(self.sizes.keyed))

    @cached_property
    def few(self) -> Address:
        """An archive of an eighth of the models of `archive`."""
        count = max(1, self.sizes.archive_count // 8)
        return self._write("few.rlb", make_archive(count, self.sizes.archived))

    @cached_property
    def install(self) -> Address:
        """A made install of the game."""
        return Address(make_install(self.folder / "install", self.sizes.install))

    @cached_property
    def changed_install(self) -> Address:
        """A copy of the install in which ten things are changed."""
        copy = self.folder / "changed_install"
        shutil.copytree(self.install.path, copy)
        change_install(copy)
        return Address(copy)

    def _write(self, name: str, data: bytes) -> Address:
        path = self.folder / name
        write_file(path, data)
        return Address(path)

    @cached_property
    def dense(self) -> Address:
        """A model of very many triangles in few animated nodes."""
        return self._write("dense.msh", make_model(self.sizes.dense))

    @cached_property
    def large_document(self) -> Document:
        """The large model, open."""
        return Document.open(FileStore(), Source(self.large))

    @cached_property
    def renderer(self) -> OffscreenRenderer:
        """A renderer with the large model."""
        return OffscreenRenderer(self.large_document)

    @cached_property
    def view(self) -> ViewState:
        """A view that shows all of the large model."""
        width, height = self.sizes.frame
        view, directions = ViewState(), [direction(None, None)]
        return replace(view, camera=cameras(self.large_document, view, [0.0], directions, width / height)[0])
