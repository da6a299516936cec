"""Files that are small and cost much: repeated geometry, endless counts, shared and nested data."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

from tests.builders import ModelBuilder, Node, box, quad
from tests.model.convert.gltf.making import File, one_triangle
from viewer.formats.archive import nres, rsli
from viewer.formats.archive.xor_stream import transform
from viewer.formats.msh import nodes, slots
from viewer.formats.msh.batches import BATCH
from viewer.formats.msh.tables import STREAM15
from viewer.formats.texture.pixels import PixelFormat

DEFLATE: Final = 0x100
"""The method of a deflate stream."""
MOST_INDICES: Final = 65_535
"""The largest number of indices of a batch."""


def overlapping_batches(index_count: int, batch_count: int, repeats: int = 1) -> bytes:
    """Batches of one slot that all draw the same indices; `repeats` slots list them."""
    builder = _large_triangles(index_count)
    builder.batches = BATCH.new(batch_count)
    builder.batches["index_count"] = min(MOST_INDICES, index_count)
    builder.slots = np.repeat(builder.slots, repeats)
    builder.slots["batch_count"] = batch_count
    builder.nodes["slots"][0].reshape(-1)[:repeats] = np.arange(repeats)
    return builder.build()


def shifted_batches(index_count: int, batch_count: int) -> bytes:
    """Batches that overlap without being equal: each begins a triangle later than the one before."""
    builder = _large_triangles(index_count)
    builder.batches = BATCH.new(batch_count)
    builder.batches["index_start"] = 3 * np.arange(batch_count)
    builder.batches["index_count"] = min(MOST_INDICES, index_count - 3 * batch_count)
    builder.slots["batch_count"] = batch_count
    return builder.build()


def far_vertices(vertex_count: int, node_count: int, batch_count: int) -> bytes:
    """Nodes that share batches of one triangle each, whose vertices lie far apart in the table."""
    builder = _large_triangles(3)
    builder.positions = np.resize(builder.positions, (vertex_count, 3))
    builder.normals, builder.uvs = (
        np.resize(builder.normals, (vertex_count, 4)),
        np.resize(builder.uvs, (vertex_count, 2)),
    )
    builder.indices[:] = 0, 1, vertex_count - 1
    builder.batches = BATCH.new(batch_count)
    builder.batches["index_count"] = 3
    builder.slots["batch_count"] = batch_count
    _lay_nodes(builder, node_count)
    builder.nodes["slots"][:, 0, 0] = 0
    return builder.build()


def nodes_of_one_slot(node_count: int, triangle_count: int = 200) -> bytes:
    """Nodes at the same place that all draw the same slot."""
    builder = _large_triangles(3 * triangle_count)
    builder.batches = BATCH.new(1)
    builder.batches["index_count"] = 3 * triangle_count
    _lay_nodes(builder, node_count)
    builder.nodes["slots"][:, 0, 0] = 0
    return builder.build()


def nodes_of_all_cells(node_count: int) -> bytes:
    """Nodes whose fifteen cells are different slots of the same batch."""
    builder = ModelBuilder.of([Node("stone", shapes={(0, 0): [box()]})])
    _lay_nodes(builder, node_count)
    builder.slots = slots.SLOT.new(15)
    builder.slots["batch_count"] = 1
    builder.nodes["slots"] = np.arange(15).reshape(3, 5)
    return builder.build()


def chain(node_count: int, step: int) -> bytes:
    """Nodes one below the other, in the order of the table or against it."""
    builder = ModelBuilder.of([Node("stone", shapes={(0, 0): [box()]})])
    _lay_nodes(builder, node_count)
    builder.nodes["slots"][0, 0, 0] = 0
    parent = np.arange(node_count) - step
    builder.nodes["parent"] = np.where((parent < 0) | (parent >= node_count), nodes.NONE, parent)
    return builder.build()


def long_animation(frame_count: int, node_count: int) -> bytes:
    """Frames of a map that is one and the same word."""
    builder = ModelBuilder.of([Node("stone", shapes={(0, 0): [box()]})])
    _lay_nodes(builder, node_count)
    builder.frame_count = frame_count
    builder.frame_map = np.zeros(frame_count, "<u2")
    builder.nodes["map_start"] = 0
    return builder.build()


def directory(entry_count: int) -> bytes:
    """An archive whose entries are all empty."""
    rows = nres.ENTRY.new(entry_count)
    rows["data_offset"] = 16
    rows["name"] = np.char.mod("n%07d.msh", np.arange(entry_count)).astype("S36").view("V36").reshape(-1)
    rows["sort_index"] = np.arange(entry_count)
    return bytes(nres.close(bytearray(16), rows))


def nested(depth: int) -> bytes:
    """An archive in an archive, and so on."""
    data = nres.build(())
    for _ in range(depth):
        data = nres.build([nres.NewEntry(type_id=0, payload=data, name=b"in.rlb")])
    return data


def packed_library(entry_count: int, size: int) -> bytes:
    """A library whose entries unpack to zeros, a thousandth of which they take."""
    engine = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
    packed = engine.compress(bytes(size)) + engine.flush()
    start = 32 + 32 * entry_count
    table = b"".join(
        struct.pack(
            "<12s4xHH3I", b"N%d" % index, DEFLATE, index, size, start + len(packed) * index, len(packed)
        )
        for index in range(entry_count)
    )
    head = struct.pack("<2sBBh8xH4xI8x", b"NL", 0, 1, entry_count, rsli.PRESORTED, 0)
    return head + transform(table, 0) + packed * entry_count


def texture(width: int, height: int, body: int, levels: int = 1, tail: bytes = b"") -> bytes:
    """A texture with a palette whose `body` bytes of pixels are zero."""
    head = struct.pack("<4s7I", b"Texm", width, height, levels, 0, 0, 0, int(PixelFormat.INDEXED))
    return head + bytes(1024) + bytes(body) + tail


def wear(row_count: int) -> bytes:
    """A wear table of many rows."""
    return b"%d\r\n" % row_count + b"".join(b"%d M%d\r\n" % (row, row) for row in range(row_count))


def png(width: int, height: int) -> bytes:
    """A black picture of 8 bits a pixel: about a thousandth of its size in memory."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    packer = zlib.compressobj(9)
    size = (width + 1) * height
    blocks = (min(1 << 20, size - start) for start in range(0, size, 1 << 20))
    rows = b"".join(packer.compress(bytes(block)) for block in blocks) + packer.flush()
    head = struct.pack(">2I5B", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def images(count: int, side: int, *, is_one_view: bool) -> bytes:
    """A GLB file of materials whose images are small files, or all the same bytes, each for a triangle."""
    file = File()
    image = png(side, side)
    view = file.view(image)
    for number in range(count):
        view = view if is_one_view else file.view(image)
        file.add("images", bufferView=view, mimeType="image/png", name=f"i{number}")
        file.add("textures", source=number)
        file.add("materials", name=f"m{number}", pbrMetallicRoughness={"baseColorTexture": {"index": number}})
    triangle = file.triangle()
    file.node(mesh=file.mesh(*({**triangle, "material": number} for number in range(count))))
    return file.glb()


def embedded(size: int) -> bytes:
    """A glTF file whose buffer is so many bytes of a data URI."""
    file = one_triangle()
    file.view(bytes(size))
    return file.text()


def empty_lists(size: int) -> bytes:
    """A glTF file of about so many bytes: lists that take many times as much in memory."""
    file = one_triangle()
    text = file.text()
    return text[:-1] + b', "extras": [' + b"[]," * (size // 3) + b"0]}"


def obj_of_one_triangle(count: int) -> bytes:
    """An OBJ file that says the same triangle many times."""
    return b"v 0 0 0\nv 1 0 0\nv 0 1 0\n" + b"f 1 2 3\n" * count


def obj_of_objects(count: int) -> bytes:
    """An OBJ file of objects with a triangle each."""
    return b"v 0 0 0\nv 1 0 0\nv 0 1 0\n" + b"".join(b"o a%d\nf 1 2 3\n" % number for number in range(count))


def obj_of_grid(side: int) -> bytes:
    """A plain OBJ file of a field of squares, without normals and texture coordinates."""
    points = (f"v {x / 7:.6f} {y / 7:.6f} {x * y % 7:.6f}\n" for x in range(side) for y in range(side))
    starts = (x * side + y + 1 for x in range(side - 1) for y in range(side - 1))
    faces = (f"f {it} {it + side} {it + side + 1}\nf {it} {it + side + 1} {it + 1}\n" for it in starts)
    return "".join((*points, *faces)).encode()


def _large_triangles(index_count: int) -> ModelBuilder:
    """A model of one node whose indices repeat the two triangles of a large square."""
    builder = ModelBuilder.of([Node("stone", shapes={(0, 0): [quad(100)]})])
    builder.indices = np.resize(builder.indices, index_count)
    return builder


def _lay_nodes(builder: ModelBuilder, count: int) -> None:
    """Replace the nodes by `count` roots without animation and slots."""
    builder.nodes = nodes.NODE.new(count)
    builder.nodes["parent"] = nodes.NONE
    builder.nodes["slots"] = nodes.NONE
    builder.nodes["map_start"] = nodes.NONE
    builder.names = builder.name_records = [b""] * count
    builder.missing |= {STREAM15}


MODELS: Final[Mapping[str, Callable[[], bytes]]] = {
    "few_kilobytes": lambda: overlapping_batches(3_000, 4_000),
    "two_hundred_kilobytes": lambda: overlapping_batches(60_000, 2_000),
    "shifted": lambda: shifted_batches(60_000, 2_000),
    "many_slots": lambda: overlapping_batches(60_000, 1_000, 15),
    "eight_megabytes": lambda: overlapping_batches(4_000_000, 200),
    "far_vertices": lambda: far_vertices(4_000, 1_000, 200),
    "one_slot": lambda: nodes_of_one_slot(5_000),
    "all_cells": lambda: nodes_of_all_cells(26_666),
    "chain": lambda: chain(65_535, 1),
    "chain_upwards": lambda: chain(65_535, -1),
    "frames": lambda: long_animation(65_535, 65),
}
"""Models by name."""
