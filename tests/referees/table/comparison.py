"""How a model differs from the file that it was imported from, in figures."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np

from tests.referees.table.shapes import Numbers, Part, Reading, no_part

NEAREST: Final = 12
"""Triangles of the model that are tried for one of the file."""
PLACE: Final = 2e-3
"""Units: rotations are stored in steps of 1/32767 along chains of nodes that are five units long."""
NORMAL: Final = 3.0
"""Degrees: two steps of a stored normal, and Blender's own."""
UV: Final = 1.1e-3
"""A step of stored texture coordinates, 1/1024, and Blender's float32."""
ANGLE: Final = 0.1
"""Degrees between world matrices: the same steps along the chain."""


@dataclass
class Figures:
    """What is off.

    Attributes
    ----------
    nodes
        Nodes that only the file or only the model has, and parents that differ.
    corners
        Corners of triangles whose position is off, those that only one of both has included.
    normals, median
        Corners whose normal is off by more than `NORMAL`, and by how many degrees in the middle.
    uvs
        Corners whose texture coordinates are off.
    worn
        Triangles with another material.
    frames, degrees, units
        Worlds of nodes that are off at whole frames, and by how much at most.
    materials
        Materials of the file that the model's differ from: color, image, alpha.
    lossy, changes
        Losses and changes that the import lists.
    """

    nodes: int = 0
    corners: int = 0
    normals: int = 0
    median: float = 0.0
    uvs: int = 0
    worn: int = 0
    frames: int = 0
    degrees: float = 0.0
    units: float = 0.0
    materials: int = 0
    lossy: int = 0
    changes: int = 0

    @property
    def is_right(self) -> bool:
        """Whether nothing is off, whatever is listed."""
        counts = (self.nodes, self.corners, self.normals, self.uvs, self.worn, self.frames, self.materials)
        return not any(counts)

    def text(self) -> str:
        """The figures that are not zero."""
        return ", ".join(
            f"{name} {value:.3g}" if isinstance(value, float) else f"{name} {value}"
            for name, value in asdict(self).items()
            if value
        )


def compare(file: Reading, model: Reading, expected: dict[str, Numbers]) -> Figures:
    """The figures of a model.

    Parameters
    ----------
    expected
        Local matrices of the nodes of the file at whole frames: the file's, or the template's where the
        file's are those of a file that nobody edited.
    """
    found = Figures()
    only = set(model.parents) - set(file.parents)
    both = [it for it in file.parents if it in model.parents]
    found.nodes = len(only) + len(file.parents) - len(both)
    found.nodes += sum(file.parents[it] != model.parents[it] for it in both)
    angles: list[float] = []
    for name in file.parents:
        there = file.worlds(name, expected)
        count = len(there)
        here = model.worlds(name) if name in model.parents else None
        if here is not None:
            here = np.concatenate([here, np.repeat(here[-1:], max(count - len(here), 0), axis=0)])[:count]
            _worlds(found, there, here)
        left, right = file.parts.get(name, no_part()), model.parts.get(name, no_part())
        if here is None:
            found.corners += 3 * len(left.positions)
            continue
        angles += _shapes(found, _placed(left, there[0]), _placed(right, here[0]))
    for name in only:
        found.corners += 3 * len(model.parts.get(name, no_part()).positions)
    found.median = float(np.median(angles)) if angles else 0.0
    return found


def _placed(part: Part, world: Numbers) -> Part:
    """A part in the space of the scene; mirrored triangles run the other way round, as glTF has it."""
    turn = np.linalg.inv(world[:3, :3])  # the transpose of the inverse, for rows
    order = [0, 2, 1] if np.linalg.det(world[:3, :3]) < 0 else [0, 1, 2]
    positions = part.positions @ world[:3, :3].T + world[:3, 3]
    return Part(positions[:, order], (part.normals @ turn)[:, order], part.uvs[:, order], part.materials)


def _angles(left: Numbers, right: Numbers) -> Numbers:
    """Degrees between directions; 0 where there is none."""
    size = np.linalg.norm(left, axis=-1) * np.linalg.norm(right, axis=-1)
    cosine = np.sum(left * right, axis=-1) / np.where(size < 1e-9, 1, size)
    result: Numbers = np.where(size < 1e-9, 0, np.degrees(np.arccos(np.clip(cosine, -1, 1))))
    return result


def _nearest(left: Part, right: Part) -> tuple[Numbers, Numbers, Numbers, list[bool]]:
    """Of each triangle what is off at its corners in the one that fits best: units, degrees, uv, material."""
    count = len(left.positions)
    far = np.full((count, 3), np.inf)
    if not len(right.positions):
        return far, np.zeros((count, 3)), np.zeros((count, 3)), [True] * count
    units, degrees, uvs, worn = far, far.copy(), far.copy(), [False] * count
    centers = right.positions.mean(axis=1)
    size = min(count, len(centers))
    units[:size] = np.linalg.norm(right.positions[:size] - left.positions[:size], axis=2)
    degrees[:size] = _angles(right.normals[:size], left.normals[:size])
    uvs[:size] = np.abs(right.uvs[:size] - left.uvs[:size]).max(axis=2)
    worn[:size] = [a == b for a, b in zip(left.materials, right.materials, strict=False)]
    settled = ((units <= PLACE) & (degrees <= NORMAL) & (uvs <= UV)).all(axis=1) & np.array(worn, np.bool_)
    for it in np.flatnonzero(~settled):  # not in the same order, or off
        away = np.sum((centers - left.positions[it].mean(axis=0)) ** 2, axis=1)
        tried = np.argpartition(away, NEAREST)[:NEAREST] if len(away) > NEAREST else np.arange(len(away))
        best = np.inf
        for roll in ([0, 1, 2], [1, 2, 0], [2, 0, 1]):
            place = np.linalg.norm(right.positions[tried][:, roll] - left.positions[it], axis=2)
            angle = _angles(right.normals[tried][:, roll], left.normals[it])
            uv = np.abs(right.uvs[tried][:, roll] - left.uvs[it]).max(axis=2)
            same = np.array([right.materials[at] == left.materials[it] for at in tried])
            cost = place.max(axis=1) + 1e-6 * angle.max(axis=1) + 1e-5 * uv.max(axis=1) + 1e-5 * ~same
            at = int(cost.argmin())
            if cost[at] < best:
                best, worn[it] = cost[at], bool(same[at])
                units[it], degrees[it], uvs[it] = place[at], angle[at], uv[at]
    return units, degrees, uvs, worn


def _shapes(found: Figures, left: Part, right: Part) -> list[float]:
    """Count what is off between two parts in one space; the angles of the normals that are."""
    units, degrees, uvs, worn = _nearest(left, right)
    there = units <= PLACE
    extra = _nearest(right, left)[0] > PLACE
    found.corners += int(max((~there).sum(), extra.sum()))
    off = there & (degrees > NORMAL)
    found.normals += int(off.sum())
    found.uvs += int((there & (uvs > UV)).sum())
    whole = np.flatnonzero(np.all(there, axis=1))
    found.worn += sum(not worn[it] for it in whole)
    return [float(it) for it in degrees[off]]


def _worlds(found: Figures, there: Numbers, here: Numbers) -> None:
    """Count the frames at which a node is off; a scale is part of the shape."""
    units = np.linalg.norm(there[:, :3, 3] - here[:, :3, 3], axis=1)
    turn, other = (
        it[:, :3, :3] / np.linalg.norm(it[:, :3, :3], axis=1, keepdims=True) for it in (there, here)
    )
    chord = np.linalg.norm(turn - other, axis=(1, 2)) / np.sqrt(8)  # a cosine near 1 says little of the angle
    degrees = np.degrees(2 * np.arcsin(np.clip(chord, 0, 1)))
    degrees[np.linalg.det(turn) < 0] = 0  # mirrored: the shape says where it is
    found.frames += int(((units > PLACE) | (degrees > ANGLE)).sum())
    found.degrees = max(found.degrees, float(degrees[degrees > ANGLE].max(initial=0)))
    found.units = max(found.units, float(units[units > PLACE].max(initial=0)))


def _turns(matrices: Numbers) -> Numbers:
    """Rotations without the scale of their columns."""
    result: Numbers = matrices / np.linalg.norm(matrices, axis=1, keepdims=True)
    return result


def count_materials(file: Reading, plain: Reading, model: Reading, template: Reading) -> int:
    """Worn materials that are off: those that nobody edited are the template's, others the file's."""
    worn = {name for part in file.parts.values() for name in part.materials if name in file.materials}
    off = 0
    for name in worn:
        is_plain = file.materials[name] == plain.materials.get(name)
        if is_plain:
            off += model.materials.get(name) != template.materials.get(name)
        else:
            off += _differs(file.materials[name], model.materials.get(name))
    return off


def _differs(file: dict[str, Any], model: dict[str, Any] | None) -> bool:
    if model is None or file["image"] != ((model["image"] or "").split(".")[0] or None):
        return True
    if np.abs(np.subtract(file["color"], model["color"])).max() > 1 / 100:
        return True
    return bool(abs(file["alpha"] - model["alpha"]) > 1 / 100)
