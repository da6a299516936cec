"""What stored values of model records mean: flags by bit, packed numbers unpacked, guesses marked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from viewer.formats import mat0
from viewer.formats.msh import batches, keys, nodes, triangles
from viewer.formats.record import Field, Record, flags_text
from viewer.model.material.resolver import MOST_ALPHA
from viewer.model.mesh.reading import MaterialField, Reading
from viewer.ui.widgets.field_text import numbers_text

Meaning = Callable[[Any, Reading], str]


def meaning(record: Record, field: Field, value: Any, reading: Reading) -> str:
    """Return what `value` stands for in `reading`, empty where the stored value says it all."""
    decoder = _MEANINGS.get((record.name, field.name))
    return decoder(value, reading) if decoder else ""


def _node_flags(value: Any, reading: Reading) -> str:
    return flags_text(int(value), nodes.FLAG_HINTS)


def _batch_flags(value: Any, reading: Reading) -> str:
    return flags_text(int(value), batches.FLAG_HINTS)


def _material(value: Any, reading: Reading) -> str:
    return (
        f"wear row {int(value)}"
        if reading.material_field is MaterialField.SEED
        else "not used in this reading"
    )


def _opaque4(value: Any, reading: Reading) -> str:
    low, high = int(value) & 0xFF, int(value) >> 8
    if reading.material_field is MaterialField.SEED:
        return ""
    lightmap = {0x00: "takes the lightmap", 0xFF: "no lightmap"}.get(high, f"high byte 0x{high:02X}")
    return f"wear row {low}, {lightmap}"


def _normal(value: Any, reading: Reading) -> str:
    return numbers_text(triangles.decode_normal(np.asarray(value)))


def _selectors(value: Any, reading: Reading) -> str:
    chosen = triangles.decode_selectors(np.asarray(value))
    names = ["none" if item == triangles.NO_SELECTOR else f"edge {item}" for item in chosen.tolist()]
    upper = int(value) >> 6
    return ", ".join(names) + (f"; upper bits 0x{upper:03X}" if upper else "")


def _slot_opaque(value: Any, reading: Reading) -> str:
    area, volume = np.asarray(value).astype("<u4").view("<f4")[:2]
    return f"unproven: area {area:.4g}, volume {volume:.4g}"


def _quaternion(value: Any, reading: Reading) -> str:
    components = keys.decode_quaternion(np.asarray(value)[None], reading.quaternion_order)[0]
    return "  ".join(f"{name} {value:.4f}" for name, value in zip("wxyz", components.tolist(), strict=True))


def _factor(value: Any, reading: Reading) -> str:
    return mat0.BLEND_FACTORS.get(int(value), "no factor of Direct3D")


def _color(value: Any, reading: Reading) -> str:
    return numbers_text(np.asarray(value) / 255)


def _alpha(value: Any, reading: Reading) -> str:
    return f"{int(value)} per cent" if value <= MOST_ALPHA else f"over {MOST_ALPHA}, so in 255ths"


def _page(value: Any, reading: Reading) -> str:
    return f"rectangle {int(value)} of the texture" if value >= 0 else "the whole texture"


_MEANINGS: Final[dict[tuple[str, str], Meaning]] = {
    ("nodes", "flags"): _node_flags,
    ("slots", "opaque"): _slot_opaque,
    ("batches", "flags"): _batch_flags,
    ("batches", "material"): _material,
    ("batches", "opaque4"): _opaque4,
    ("tri_descriptors", "normal"): _normal,
    ("tri_descriptors", "selectors"): _selectors,
    ("keys", "quaternion"): _quaternion,
    ("MAT0.header", "meta_a"): _factor,
    ("MAT0.header", "meta_b"): _factor,
    **{("MAT0.phase", name): _color for name in mat0.COLORS},
    **{("MAT0.phase", f"{name}_alpha"): _alpha for name in mat0.COLORS},
    ("MAT0.phase", "page"): _page,
}
