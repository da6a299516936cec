"""Files whose positions other programs have quantized (KHR_mesh_quantization)."""

from __future__ import annotations

import json
import struct
from typing import Any, Final

import numpy as np
import pytest

from tests.model.convert.gltf.making import glb
from tests.model.convert.importing.scenes import NAMES, SOURCE, imported, scene
from viewer.model.convert.gltf.read import read
from viewer.model.convert.gltf.write import glb_of
from viewer.model.convert.importing.importer import changes_of
from viewer.model.convert.scene import Scene

BITS: Final = 14
WAYS: Final = [(np.int16, True), (np.uint16, True), (np.uint16, False)]
"""What gltf-transform and gltfpack write: the component type, and whether it is normalized."""


def quantized(
    kind: type[np.integer[Any]], *, is_normalized: bool, by: float = 0.0, has_names: bool = True
) -> Scene:
    """An export whose positions are quantized to 14 bits, with a child that scales each mesh back.

    The first vertex of the first mesh is moved by `by` steps along x; without names all names and ids are
    gone.
    """
    data = glb_of(scene())
    size = struct.unpack("<I", data[12:16])[0]
    root, blob = json.loads(data[20 : 20 + size]), bytearray(data[28 + size :])
    places = {}
    for number, mesh in enumerate(root["meshes"]):
        used = sorted({it["attributes"]["POSITION"] for it in mesh["primitives"]})
        values = {it: _floats(root, blob, it) for it in used}
        every = np.concatenate([*values.values()])
        low, high = every.min(axis=0), every.max(axis=0)
        is_signed = np.issubdtype(kind, np.signedinteger)
        half = float((high - low).max()) / (2 if is_signed else 1) or 1.0
        center = (low + high) / 2 if is_signed else low
        steps = (1 << (BITS - is_signed)) - 1
        unit = float(np.iinfo(kind).max) if is_normalized else float(steps)
        for at, points in values.items():
            raw = np.rint((points - center) / half * steps)
            if number == 0 and at == used[0]:
                raw[0, 0] += by
            # 14 bits of 16, spread over all of them
            raw = np.rint(raw * unit / steps)
            _put(root, blob, at, raw.astype(kind), is_normalized=is_normalized)
        places[number] = center, half if is_normalized else half / unit
    for node in [it for it in root["nodes"] if "mesh" in it]:
        center, scale = places[node["mesh"]]
        child = {"mesh": node.pop("mesh"), "translation": center.tolist(), "scale": [scale] * 3}
        node.setdefault("children", []).append(len(root["nodes"]))
        root["nodes"].append(child)
    root["extensionsUsed"] = [*root.get("extensionsUsed", ()), "KHR_mesh_quantization"]
    if not has_names:
        for kind_of in ("nodes", "meshes", "scenes", "materials"):
            for it in root.get(kind_of, ()):
                it.pop("extras", None)
    return read(glb(root, bytes(blob)))


def _floats(root: dict[str, Any], blob: bytearray, at: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """The positions of an accessor, (n, 3)."""
    accessor = root["accessors"][at]
    view = root["bufferViews"][accessor["bufferView"]]
    start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
    assert view.get("byteStride", 12) == 12
    found = np.frombuffer(bytes(blob), "<f4", 3 * accessor["count"], start)
    return found.reshape(-1, 3).astype(np.float64)


def _put(
    root: dict[str, Any], blob: bytearray, at: int, raw: np.ndarray[Any, Any], *, is_normalized: bool
) -> None:
    """Replace the positions of an accessor; each takes 8 bytes."""
    blob.extend(bytes(-len(blob) % 4))
    view = {"buffer": 0, "byteOffset": len(blob), "byteLength": 8 * len(raw), "byteStride": 8}
    blob.extend(np.pad(raw, ((0, 0), (0, 1))).tobytes())
    root["bufferViews"].append(view)
    code = 5122 if raw.dtype == np.int16 else 5123
    root["accessors"][at] = {
        **root["accessors"][at],
        "bufferView": len(root["bufferViews"]) - 1,
        "byteOffset": 0,
        "componentType": code,
        "normalized": is_normalized,
    }
    root["buffers"][0]["byteLength"] = len(blob)


@pytest.mark.parametrize(("kind", "is_normalized"), WAYS)
def test_positions_within_half_a_step_are_those_of_the_model(
    kind: type[np.integer[Any]], *, is_normalized: bool
) -> None:
    found = imported(quantized(kind, is_normalized=is_normalized))
    assert (found.changes, found.losses) == ((), ())


@pytest.mark.parametrize(("kind", "is_normalized"), WAYS)
def test_a_vertex_that_was_moved_is_an_edit(kind: type[np.integer[Any]], *, is_normalized: bool) -> None:
    """By three steps of 14 bits: a box of few values says nothing of its steps, all meshes of the file do."""
    found = changes_of(SOURCE, quantized(kind, is_normalized=is_normalized, by=-3), NAMES)
    assert len(found.changes) == 1


@pytest.mark.parametrize(("kind", "is_normalized"), WAYS)
def test_a_child_that_only_scales_a_quantized_mesh_back_is_no_node(
    kind: type[np.integer[Any]], *, is_normalized: bool
) -> None:
    found, plain = quantized(kind, is_normalized=is_normalized, has_names=False), scene()
    assert [it.name for it in found.nodes] == [it.name for it in plain.nodes]
    shown = [bool(it.cells) for it in found.nodes]
    assert shown == [bool(it.cells) for it in plain.nodes]
    made, known = (
        np.sort(np.concatenate([it.positions.ravel() for it in given.meshes[0].primitives]))
        for given in (found, plain)
    )
    np.testing.assert_allclose(made, known, atol=4e-4)
