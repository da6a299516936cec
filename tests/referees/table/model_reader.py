"""An own reader of models: the tables of an NRes container, with numpy alone. Poses are the program's own."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np

from tests.referees.table.shapes import Numbers, Part, Reading, joined, no_part

NOTHING = 0xFFFF


def read_model(data: bytes, worlds: Numbers, batches: list[str], materials: dict[str, Any]) -> Reading:
    """A model with what it draws at LOD 0, group 0.

    Parameters
    ----------
    data
        The container.
    worlds
        World matrices of its nodes at whole frames, (f, n, 4, 4).
    batches
        The name of the material of each batch.
    materials
        What is known of the materials, by name.
    """
    tables = tables_of(data)
    nodes = np.frombuffer(tables[1], "<u2").reshape(-1, 19)
    names = names_of(tables, len(nodes))
    parents = [int(it) for it in nodes[:, 1]]
    known = {number: names[it] if it != NOTHING else "" for number, it in enumerate(parents)}
    inverse = np.linalg.inv(worlds)
    local = {
        names[it]: worlds[:, it] if up == NOTHING else inverse[:, up] @ worlds[:, it]
        for it, up in enumerate(parents)
    }
    parts = {
        names[it]: _part(tables, int(node[4]), batches) for it, node in enumerate(nodes) if node[4] != NOTHING
    }
    return Reading({names[it]: up for it, up in known.items()}, local, parts, materials)


def tables_of(data: bytes) -> dict[int, bytes]:
    """The payload of the first table of each type in a container."""
    _, _, count, total = struct.unpack_from("<4sIii", data)
    found: dict[int, bytes] = {}
    for number in range(count):
        at = total - (count - number) * 64
        kind, _, _, size = struct.unpack_from("<IIII", data, at)
        (start,) = struct.unpack_from("<I", data, at + 0x38)
        found.setdefault(kind, data[start : start + size])
    return found


def entry_of(path: Path, name: str) -> bytes:
    """The payload of an entry of an archive."""
    data = path.read_bytes()
    _, _, count, total = struct.unpack_from("<4sIii", data)
    for number in range(count):
        at = total - (count - number) * 64
        if data[at + 0x14 : at + 0x38].split(b"\0")[0].decode("cp1251").lower() == name.lower():
            (size,) = struct.unpack_from("<I", data, at + 0x0C)
            (start,) = struct.unpack_from("<I", data, at + 0x38)
            return data[start : start + size]
    raise KeyError(name)


def names_of(tables: dict[int, bytes], count: int) -> list[str]:
    """The names of the nodes, which the sample keeps in its records."""
    size = 32  # bytes of a record, ended by NUL
    records = [tables[9][at * size : (at + 1) * size] for at in range(count)]
    return [it.split(b"\0")[0].decode("cp1251") for it in records]


def _part(tables: dict[int, bytes], slot: int, materials: list[str]) -> Part:
    _, _, first, count = struct.unpack_from("<HHHH", tables[2], 0x8C + slot * 68)
    positions = np.frombuffer(tables[3], "<f4").reshape(-1, 3).astype(np.float64)
    normals = np.frombuffer(tables[4], "<i1").reshape(-1, 4)[:, :3] / 127.0
    uvs = np.frombuffer(tables[5], "<i2").reshape(-1, 2) / 1024.0
    indices = np.frombuffer(tables[6], "<u2").astype(np.int64)
    found = [no_part()]
    for batch in range(first, first + count):
        size, start, _, base = struct.unpack_from("<HIHI", tables[13], batch * 20 + 8)
        corners = base + indices[start : start + size // 3 * 3].reshape(-1, 3)
        names = (materials[batch],) * len(corners)
        found.append(Part(positions[corners], normals[corners], uvs[corners], names))
    return joined(found)
