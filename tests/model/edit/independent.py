"""Readers of the game's formats that share no code with the program: what the truth of the samples lists.

Each returns plain values in the shape of ``truth.json``; floats are the stored binary32 numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from struct import calcsize, unpack_from
from typing import Any
from zlib import crc32

import numpy as np

Values = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of an archive: name, type, three attributes and payload."""

    name: str
    type: int
    attributes: tuple[int, int, int]
    data: bytes


def archive(data: bytes) -> list[Entry]:
    """The entries of an NRes archive in directory order."""
    _, _, count, size = unpack_from("<4sIiI", data)
    return [_entry(data, start) for start in range(size - 64 * count, size, 64)]


def _entry(data: bytes, start: int) -> Entry:
    kind, attr1, attr2, size, attr3, name, offset = unpack_from("<5I36sI", data, start)
    return Entry(text(name), kind, (attr1, attr2, attr3), data[offset : offset + size])


def text(raw: bytes) -> str:
    """A name up to its NUL; the byte that CP1251 leaves undefined is the character of that number."""
    letters = (bytes([code]) for code in raw.partition(b"\0")[0])
    return "".join("\x98" if letter == b"\x98" else letter.decode("cp1251") for letter in letters)


def records(form: str, data: bytes, start: int, count: int) -> list[tuple[Any, ...]]:
    """Packed records of one form."""
    size = calcsize(f"<{form}")
    return [unpack_from(f"<{form}", data, start + row * size) for row in range(count)]


def units(data: bytes, _: Entry | None = None) -> Values:
    """A unit file."""
    names = ("archive", "key", "flags", "attachment", "name", "class", "children")
    rows = records("32s32sIi32sIi", data, 8, (len(data) - 8) // 112)
    return {
        "unit_type": unpack_from("<I", data, 4)[0],
        "components": [_named(names, row) for row in rows],
    }


def _named(names: tuple[str, ...], row: tuple[Any, ...]) -> dict[str, Any]:
    return {
        name: text(value) if isinstance(value, bytes) else value
        for name, value in zip(names, row, strict=True)
    }


def control_points(data: bytes, _: Entry | None = None) -> Values:
    """A file of control points."""
    (count,) = unpack_from("<I", data)
    names = records("32s", data, 4 + 36 * count, count)
    return {
        "count": count,
        "points": [
            {
                "head": row[0],
                "nodes": row[1:3],
                "position": row[3:6],
                "direction": row[6:],
                "name": text(*name),
            }
            for row, name in zip(records("Iii6f", data, 4, count), names, strict=True)
        ],
    }


def damage(data: bytes, _: Entry | None = None) -> Values:
    """A file of node damage."""
    (count,) = unpack_from("<i", data)
    names = ("flags", "hit_points", "density", "archive", "explosion")
    return {"count": count, "records": [_named(names, row) for row in records("Iff32s32s", data, 4, count)]}


def ground_plan(data: bytes, _: Entry | None = None) -> Values:
    """A ground plan."""
    rings: list[Values] = []
    start = 0
    for has_ties in (True, False):
        (ring_count,) = unpack_from("<i", data, start)
        start += 4
        for _ring in range(ring_count):
            (count,) = unpack_from("<i", data, start)
            ring: dict[str, Any] = {"points": records("3f", data, start + 4, count + 1)}
            start += 4 + 12 * (count + 1)
            if has_ties:
                ring["triangles"] = unpack_from(f"<{count}i", data, start)
                ring["corners"] = unpack_from(f"<{count}i", data, start + 4 * count)
                start += 8 * count
            rings.append(ring)
    return {"rings": rings}


_PARAMETERS = {
    "acceleration": ("3f", 20), "unread": ("3f", 32), "top_speed": ("3f", 44), "turn_rate": ("3f", 56),
    "righting": ("3f", 68), "lean": ("3f", 80), "dead_milliseconds": ("i", 92), "slope_brakes": ("i", 104),
    "slope_cone": ("f", 112), "bits": ("i", 116), "payload": ("f", 124),
}  # fmt: skip
_STATE = {
    "axes": ("I", 0), "mode": ("I", 4), "lean": ("3B", 8), "frames_a": ("2f", 12), "frames_b": ("2f", 20),
    "weight_b": ("f", 28), "milliseconds": ("f", 32), "velocity_min": ("3f", 36), "velocity_max": ("3f", 48),
    "spin_min": ("3f", 60), "spin_max": ("3f", 72), "engine": ("f", 84), "action": ("3i", 144),
}  # fmt: skip
_CHANNEL = {
    "node": ("i", 0), "first": ("f", 4), "last": ("f", 8), "initial": ("f", 12), "points": ("2i", 16),
    "rate": ("f", 24), "span": ("f", 28), "flags": ("I", 32),
}  # fmt: skip


def control(data: bytes, _: Entry | None = None) -> Values:
    """A controller."""
    counts = dict(
        zip(("states", "contacts", "channels", "components", "groups"), unpack_from("<5i", data), strict=True)
    )
    states, contacts = counts["states"], counts["contacts"]
    size = 156 + 16 * contacts
    costs = 128 + states * size
    channels = costs + 4 * states**2
    starts = [128 + row * size for row in range(states)]
    return {
        "counts": counts,
        "parameters": _at(_PARAMETERS, data, 0),
        "states": [
            {**_at(_STATE, data, start), "contacts": records("iIiI", data, start + 156, contacts)}
            for start in starts
        ],
        "costs": records(f"{states}f", data, costs, states),
        "channels": [_at(_CHANNEL, data, channels + 36 * row) for row in range(counts["channels"])],
        "rest_size": len(data) - channels - 36 * counts["channels"],
    }


def _at(fields: Mapping[str, tuple[str, int]], data: bytes, start: int) -> dict[str, Any]:
    found = {name: unpack_from(f"<{form}", data, start + offset) for name, (form, offset) in fields.items()}
    return {name: value[0] if len(value) == 1 else value for name, value in found.items()}


def material(data: bytes, entry: Entry | None = None) -> Values:
    """A material of version 6."""
    phases, blocks, a, b, c, d = unpack_from("<HHBBfI", data)
    rows = [(row[0].hex(), text(row[1])) for row in records("18s16s", data, 14, phases)]
    found: list[Values] = []
    start = 14 + 34 * phases
    for _ in range(blocks):
        word, count = unpack_from("<IH", data, start)
        found.append({"mode": word & 7, "mask": word >> 3, "keys": records("3H", data, start + 6, count)})
        start += 6 + 6 * count
    return {
        "attr1": entry.attributes[0] if entry else 0,
        "meta": {"a": a, "b": b, "c": c, "d": d},
        "phases": [{"params": params, "texture": texture} for params, texture in rows],
        "blocks": found,
    }


def wear(data: bytes, _: Entry | None = None) -> Values:
    """A wear table."""
    tables = [
        [text(line.split()[1]) for line in part.strip().splitlines()[1:]] for part in data.split(b"LIGHTMAPS")
    ]
    return {"materials": tables[0], "lightmaps": tables[1] if len(tables) > 1 else []}


def texture(data: bytes, _: Entry | None = None) -> Values:
    """The header and the rectangles of a texture."""
    w, h, mips, flags4, flags5, mean, form = unpack_from("<7I", data, 4)
    size = {0: 1, 2: 1, 88: 2, 556: 2, 565: 2, 888: 4, 4444: 2, 8888: 4}[form]
    end = 32 + (1024 if form == 0 else 0)
    end += sum(size * max(1, w >> level) * max(1, h >> level) for level in range(mips))
    pages = records("4h", data, end + 8, unpack_from("<I", data, end + 4)[0]) if len(data) > end else None
    return {
        "w": w, "h": h, "mips": mips, "flags4": flags4, "flags5": flags5, "unk6": mean, "format": form,
        "pages": pages,
    }  # fmt: skip


def references(data: bytes, _: Entry | None = None) -> Values:
    """An entry of the object registry."""
    return {"refs": [[*map(text, row)] for row in records("32s32s", data, 0, len(data) // 64)]}


def model(data: bytes, _: Entry | None = None) -> Values:
    """The tables of a model of the field reading."""
    tables: dict[int, bytes] = {}
    for entry in archive(data):
        tables.setdefault(entry.type, entry.data)
    nodes = records("4H15H", tables[1], 0, len(tables[1]) // 38)
    slots = records("4H10f5I", tables[2], 140, (len(tables[2]) - 140) // 68)
    return {
        "header": unpack_from("<35f", tables[2]),
        "hdr": [(row[0], row[2], row[3]) for row in nodes],
        "parents": [-1 if row[1] == 0xFFFF else row[1] for row in nodes],
        "slot_matrix": [row[4:] for row in nodes],
        "slots": [row[:4] for row in slots],
        "slot_bounds": [row[4:14] for row in slots],
        "slot_tail": [row[14:] for row in slots],
        "batches": records("4HHIHI", tables[13], 0, len(tables[13]) // 20),
        "takes": [*_texts(tables.get(10, b""), len(nodes))],
        "crc": {str(kind): crc32(table) for kind, table in tables.items()},
    }


def _texts(data: bytes, count: int) -> Iterator[str | None]:
    start = 0
    for _ in range(count if data else 0):
        (size,) = unpack_from("<I", data, start)
        yield text(data[start + 4 : start + 4 + size]) or None
        start += 4 + (size + 1 if size else 0)


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every number and text of values with its path; floats rounded to binary32."""
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield from leaves(item, f"{path}/{name}")
    elif isinstance(value, list | tuple):
        yield f"{path}#", len(value)
        for index, item in enumerate(value):
            yield from leaves(item, f"{path}/{index}")
    else:
        yield path, float(np.float32(value)) if isinstance(value, float) else value
