"""Small controllers, and a game folder in which the registry names them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.builders import Key, ModelBuilder, Node, box
from viewer.formats import objects
from viewer.formats.archive import nres
from viewer.formats.archive.nres import NewEntry
from viewer.formats.neighbors import control
from viewer.formats.neighbors.control import Control
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.opening import Source
from viewer.session.opened.document import Document

Pair = tuple[float, float]
NONE: Pair = (-1, -1)
FORBIDDEN = 1e6


@dataclass(frozen=True)
class State:
    """A state: what it plays, and its velocity along y and spin about z."""

    frames_a: Pair = (0, 0)
    frames_b: Pair = NONE
    weight_b: float = 0.0
    milliseconds: float = 1000.0
    velocity: Pair = (-1, 1)
    spin: Pair = (0, 0)


@dataclass(frozen=True)
class Drive:
    """A channel of a node."""

    node: int
    frames: Pair
    initial: float = 0.0
    flags: int = 0


def build(
    states: Sequence[State] = (),
    channels: Sequence[Drive] = (),
    costs: Mapping[tuple[int, int], float] | None = None,
) -> Control:
    """A controller; `costs` are by source and destination, other changes are impossible."""
    counts = control.COUNTS.new(1)[0]
    counts["states"], counts["channels"] = len(states), len(channels)
    rows = control.state_record(0).new(len(states))
    for row, state in zip(rows, states, strict=True):
        row["frames_a"], row["frames_b"] = state.frames_a, state.frames_b
        row["weight_b"], row["milliseconds"] = state.weight_b, state.milliseconds
        row["velocity_min"][1], row["velocity_max"][1] = state.velocity
        row["spin_min"][2], row["spin_max"][2] = state.spin
    cost = control.cost_record(len(states)).new(len(states)) if states else control.cost_record(0).new(0)
    cost["cost"] = np.where(np.eye(len(states)), 0, FORBIDDEN)
    for (source, destination), value in (costs or {}).items():
        cost["cost"][destination, source] = value
    drives = control.CHANNEL.new(len(channels))
    for row, drive in zip(drives, channels, strict=True):
        row["node"], row["initial"], row["flags"] = drive.node, drive.initial, drive.flags
        row["first"], row["last"] = drive.frames
    return Control(counts, control.PARAMETERS.new(1)[0], rows, cost, drives, (), bytes(84))


def model() -> bytes:
    """A body that moves by 1 along x a frame, and a turret that moves by 1 along z, 11 frames."""
    body = Node("body", shapes={(0, 0): [box()]}, keys=[Key(0, (0, 5, 0)), Key(10, (10, 5, 0))])
    turret = Node("turret", parent=0, shapes={(0, 0): [box()]}, keys=[Key(0), Key(10, (0, 0, 10))])
    return ModelBuilder.of([body, turret]).build()


def archive(entries: Mapping[str, bytes]) -> bytes:
    """An archive of payloads by name."""
    return nres.build(NewEntry(0, data, name.encode()) for name, data in entries.items())


def registry(keys: Mapping[str, Sequence[str]]) -> bytes:
    """A registry: for each key its references, each ``ARCHIVE::RESOURCE``."""
    return archive({key: objects.build(map(_reference, names)) for key, names in keys.items()})


def _reference(text: str) -> tuple[bytes, bytes]:
    archive, resource = text.split("::")
    return archive.encode(), resource.encode()


def game(
    folder: Path, archives: Mapping[str, Mapping[str, bytes]], keys: Mapping[str, Sequence[str]] | None
) -> Path:
    """Write a game folder; without `keys` it has no registry."""
    folder.mkdir(exist_ok=True)
    (folder / "Material.lib").write_bytes(archive({}))
    for name, entries in archives.items():
        (folder / name).write_bytes(archive(entries))
    if keys is not None:
        (folder / "objects.rlb").write_bytes(registry(keys))
    return folder


def opened(address: str | Path) -> Document:
    """The model at an address."""
    return Document.open(FileStore(), Source(Address.parse(str(address))))
