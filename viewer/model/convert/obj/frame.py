"""The frame of an OBJ file: what the file cannot hold, and what the tags in its names refer to.

It comes from the sidecar in the same folder, which has it as JSON: the nodes with their tracks, cells,
materials and rows, without geometry; else from the model that the file is compared with. Of that model it
also has the geometry, so that what was not edited can be told from what baking and other programs round.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from itertools import zip_longest
from pathlib import Path, PurePath
from typing import Any, Final

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from viewer import typed_json
from viewer.bounded_reading import read_at_most
from viewer.errors import AddressError, FormatError, reason_of
from viewer.formats.msh.batches import BATCH
from viewer.formats.msh.keys import QuaternionOrder
from viewer.formats.msh.nodes import GROUPS, LODS, NODE
from viewer.formats.msh.slots import SLOT
from viewer.formats.msh.tracks import MAX_FRAMES
from viewer.formats.record import Bytes, Record
from viewer.geometry.transforms import Indices
from viewer.model.convert.from_model import scene_of
from viewer.model.convert.obj.objects import TAGGED
from viewer.model.convert.obj.sidecar_fields import (
    GEOMETRY,
    HEAD_MEMBERS,
    LISTS,
    kept_fields,
    needed_fields,
    stored_name,
)
from viewer.model.convert.options import Cell, Options
from viewer.model.convert.scene import (
    NEW,
    NO_FIELDS,
    AlphaMode,
    Fields,
    Mesh,
    Origin,
    Primitive,
    Rotation,
    Scene,
    Track,
    Vector,
    View,
)
from viewer.model.convert.scene_file import KNOWN_AXIS, UNKNOWN_AXIS, SceneFile
from viewer.model.convert.source import ModelSource
from viewer.model.edit.values import check_fields
from viewer.model.kinds import json_text
from viewer.model.mesh.reading import MaterialField
from viewer.translation import Text, _

FORMAT: Final = "mshview-obj"
VERSION: Final = 1
MOST: Final = 1 << 31
"""Rows of a table."""
ATTRIBUTES: Final = ("attr1", "attr2", "attr3")
MOST_WORD: Final = 0xFFFFFFFF
"""The largest attribute of a table, and the largest type of one."""
LARGEST: Final = 1e30
"""Numbers beyond this are refused: their products would not be finite."""


def sidecar_text(scene: Scene) -> str:
    """The JSON text of a scene, a line for each node, mesh, material and clip."""
    plain = _plain(scene)
    head = {"format": FORMAT, "version": VERSION} | {name: plain[name] for name in HEAD_MEMBERS}
    lines = [f'"{name}": {json_text.encode(value)}' for name, value in head.items()]
    for name in map(stored_name, LISTS):
        rows = ",\n".join(json_text.encode(_plain(it)) for it in plain[name])
        lines.append(f'"{name}": [\n{rows}\n]')
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _plain(value: Struct) -> dict[str, Any]:
    """A class as JSON: the members have the names of its fields."""
    writers = {name: _WRITERS.get(it, lambda same: same) for name, it in kept_fields(type(value)).items()}
    return {stored_name(name): write(getattr(value, name)) for name, write in writers.items()}


def sidecar_scene(data: bytes) -> Scene:
    """The scene without geometry in a sidecar; raises `FormatError` where it is damaged."""
    root = typed_json.document(data)
    if root.get("format", FORMAT) != FORMAT or root.get("version", VERSION) != VERSION:
        raise FormatError("is not a sidecar of this version of the program", field="version")
    given, kinds = {"name": "", **root}, needed_fields(Scene, root)
    made: dict[str, Any] = {
        name: _listed(given, stored_name(name), kind) for name, kind in LISTS.items() if name in kinds
    }
    made |= {name: _member(name, kinds[name], given) for name in HEAD_MEMBERS if name in kinds}
    return _checked(Scene(**made))


def is_sidecar(path: Path) -> bool:
    """Whether a file says that it is one of this program, be it damaged; another program may use the name."""
    with suppress(OSError), path.open("rb") as file:
        return f'"{FORMAT}"'.encode() in read_at_most(file, HEAD)
    return False


def _listed(root: Mapping[str, Any], name: str, kind: type) -> tuple[Any, ...]:
    items = root.get(name)
    if not isinstance(items, list):
        raise FormatError("is not a list", field=name)
    return tuple(_element(name, row, kind, item) for row, item in enumerate(items))


def _element(table: str, row: int, kind: type, item: Any) -> Any:
    """An element of a list; raises `FormatError` with its row."""
    try:
        return _made(kind, item)
    except FormatError as error:
        raise FormatError(error.message, table=table, index=row, field=error.field) from None


def _made(kind: Any, item: Any) -> Any:
    """A class from an object with members of the names of its fields; raises `FormatError`."""
    if not isinstance(item, Mapping):
        raise FormatError("is not an object")
    members = {name: _member(name, it, item) for name, it in needed_fields(kind, item).items()}
    return kind(**GEOMETRY.get(kind, {}), **members)


def _member(field: str, kind: Any, item: Mapping[str, Any]) -> Any:
    """The value of a field of a type from the member of an object; raises `FormatError`."""
    read = _frames if field == "frame_count" else _READERS[kind]
    name = stored_name(field)
    if name not in item:
        raise FormatError("is missing", field=name)
    try:
        return read(item[name])
    except FormatError as error:
        raise FormatError(error.message, field=".".join(filter(None, (name, error.field)))) from None
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise FormatError(reason_of(error), field=name) from None


def _origin(item: Mapping[str, Any]) -> Any:
    """The model that a scene was made from, in a reading that exists."""
    QuaternionOrder(item["quaternion_order"]), MaterialField(item["material_field"])
    return _made(Origin, item)


def _options(item: Any) -> Options:
    """The options of the export; what an earlier version did not have was as it is by default."""
    options = typed_json.made(Options, item)
    if "is_y_up" not in item:  # the default is not that of OBJ, and the model would lie on its side
        raise FormatError("is missing", field="is_y_up")
    _cell([*options.cell]), _floats([options.rest], 1)
    return options


def _frames(value: Any) -> int:
    if not 1 <= int(value) <= MAX_FRAMES:
        raise ValueError(_("{count} frames are not in 1..{limit}", count=value, limit=MAX_FRAMES))
    return int(value)


@np.errstate(over="ignore", invalid="ignore")  # what no 32-bit float holds is refused below
def _track(item: Mapping[str, Any]) -> Track:
    times = np.array(item["times"], np.float64).reshape(-1)
    positions = np.array(item["positions"], np.float32).reshape(len(times), 3)
    rotations = np.array(item["rotations"], np.float32).reshape(len(times), 4)
    if not len(times) or not all(
        (np.abs(values) <= LARGEST).all() for values in (times, positions, rotations)
    ):
        raise ValueError(_("a track requires keys that are finite"))
    if (np.diff(times) <= 0).any():
        raise ValueError(_("times must increase"))
    return Track(times, positions, rotations)


def _floats(values: Any, count: int) -> Any:
    found = tuple(float(value) for value in values)
    if len(found) != count or not all(abs(value) <= LARGEST for value in found):
        raise ValueError(_("{count} numbers of at most {limit:g} are needed", count=count, limit=LARGEST))
    return found


def _index(value: Any) -> int:
    if not 0 <= int(value) < MOST:
        raise ValueError(_("{value!r} is not a row", value=value))
    return int(value)


def _several(values: Any, count: int) -> Any:
    if not isinstance(values, list) or len(values) != count:
        raise ValueError(_("a list of {count} numbers is needed", count=count))
    return values


def _attributes(key: str, values: Any) -> tuple[int, int, int]:
    named = zip(ATTRIBUTES, _several(values, len(ATTRIBUTES)), strict=True)
    first, second, third = (_word(value, f"{key}.{name}") for name, value in named)
    return first, second, third


def _word(value: Any, name: str = "type") -> int:
    """A whole number of 32 bits, as the directory of a model has them."""
    if not 0 <= int(value) <= MOST_WORD:
        words = "{name}: {value!r} is not 0 to {limit}"
        raise ValueError(_(words, name=name, value=value, limit=MOST_WORD))
    return int(value)


def _rows(values: Any) -> Indices:
    found = np.array(values, np.int64).reshape(-1)
    if len(found) and not (found.min() >= NEW and found.max() < MOST):
        raise ValueError(_("rows are below 0 or too large"))
    return found


def _cell(values: Any) -> Cell:
    row, column = map(int, _several(values, 2))
    if not (0 <= row < LODS and 0 <= column < GROUPS):
        raise ValueError(_("there is no cell {row}, {column}", row=row, column=column))
    return row, column


def _or_none(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: None if value is None else read(value)


_READERS: Final[Mapping[Any, Callable[[Any], Any]]] = {
    str: str,
    bool: bool,
    int: int,
    int | None: _or_none(_index),
    float: lambda value: _floats([value], 1)[0],
    float | None: _or_none(lambda value: _floats([value], 1)[0]),
    Vector: partial(_floats, count=3),
    Rotation: partial(_floats, count=4),  # and of colors and parts of images, four numbers too
    Fields: lambda value: dict(value) or NO_FIELDS,
    Cell: _cell,
    Mapping[Cell, int]: lambda value: {_cell(cell): int(mesh) for *cell, mesh in value},
    tuple[Cell | None, ...]: lambda value: tuple(map(_or_none(_cell), value)),
    Indices | None: _or_none(_rows),
    Track | None: _or_none(_track),
    tuple[Primitive, ...]: lambda value: tuple(_made(Primitive, it) for it in value),
    frozenset[int] | None: _or_none(lambda value: frozenset(map(int, value))),
    Origin | None: _or_none(_origin),
    Options: _options,
    Mapping[int, bytes]: lambda value: {_word(key): bytes.fromhex(text) for key, text in value.items()},
    Mapping[int, tuple[int, int, int]]: lambda value: {
        _word(key): _attributes(key, numbers) for key, numbers in value.items()
    },
    AlphaMode: AlphaMode,
}
"""The reader of a field, by its type in `viewer.model.convert.scene`."""
_WRITERS: Final[Mapping[Any, Callable[[Any], Any]]] = {
    Mapping[Cell, int]: lambda cells: [[*cell, mesh] for cell, mesh in cells.items()],
    Track | None: _or_none(_plain),
    tuple[Primitive, ...]: lambda primitives: [*map(_plain, primitives)],
    frozenset[int] | None: _or_none(sorted),
    Origin | None: _or_none(_plain),
    Options: partial(typed_json.plain_fields, has_defaults=True),
    Mapping[int, bytes]: lambda tables: {str(key): data.hex() for key, data in tables.items()},
    Mapping[int, tuple[int, int, int]]: lambda attributes: {
        str(key): list(values) for key, values in attributes.items()
    },
}
"""The writer of a field that is not JSON itself, by its type."""


def _checked(scene: Scene) -> Scene:
    """A scene whose indices lie in their lists, and whose fields hold their values; raises `FormatError`."""
    for view in scene.views:
        _check_view(view, scene)
    for row, node in enumerate(scene.nodes):
        _check("nodes", row, "parent", node.parent, len(scene.nodes))
        for mesh in node.cells.values():
            _check("nodes", row, "cells", mesh, len(scene.meshes))
    for row, found in enumerate(scene.meshes):
        for primitive in found.primitives:
            _check("meshes", row, "material", primitive.material, len(scene.materials))
    for row, material in enumerate(scene.materials):
        _check("materials", row, "picture", material.image, len(scene.images))
        _check("materials", row, "lightmap", material.lightmap, len(scene.images))
    for record, fields, table, row in _fields_in(scene):
        check_fields(record, fields, table, row)
    return scene


def _fields_in(scene: Scene) -> Iterator[tuple[Record, Fields, str, int]]:
    """The fields of records in a scene, with the table and the row that they are in."""
    for row, node in enumerate(scene.nodes):
        yield NODE, node.fields, "nodes", row
    for row, mesh in enumerate(scene.meshes):
        yield SLOT, mesh.fields, "meshes", row
        for number, primitive in enumerate(mesh.primitives):
            yield BATCH, primitive.fields, f"meshes[{row}].primitives", number


def _check_view(view: View, scene: Scene) -> None:
    """Raise `FormatError` for a view of what the scene does not have."""
    if len(view.shown) != len(scene.nodes):
        message = _("{value} of {count}", value=len(view.shown), count=len(scene.nodes))
        raise FormatError(message, table="views", field="shown")
    for row, (node, cell) in enumerate(zip(scene.nodes, view.shown, strict=True)):
        if cell is not None and cell not in node.cells:
            raise FormatError("is a cell that the node has not", table="views", index=row)


def _check(table: str, row: int, field: str, value: int | None, count: int) -> None:
    if value is not None and not 0 <= value < count:
        message = _("{value} of {count}", value=value, count=count)
        raise FormatError(message, table=table, index=row, field=field)


HEAD: Final = 1 << 16
"""Bytes at the beginning of a file in which comments are looked at."""
OF_Y_UP: Final = {
    b"blender": "Blender",
    b"open asset import library": "assimp",
    b"3ds max": "3ds Max",
    b"uses centimeters as units": "Maya",
    b"cinema 4d": "Cinema 4D",
    b"zbrush": "ZBrush",
    b"rhino": "Rhino",
    b"sketchup": "SketchUp",
}
"""Words in the comments of programs whose files have Y up unless told otherwise."""
SUFFIX: Final = ".json"
"""The end of a sidecar's name, after that of the OBJ file."""


def frame_of(file: SceneFile, template: ModelSource | None) -> Scene:
    """The frame of a file; its losses say why its JSON file is not used, if that is damaged.

    Whether Y is up is said by the user, else by the JSON file, else by the comments of the file.
    """
    name, is_y_up = file.path.name, file.is_y_up
    try:
        frame = sidecar_scene(file.next_to(name + SUFFIX))
    except (AddressError, FormatError) as error:
        is_up, notes = (is_y_up, ()) if is_y_up is not None else guessed_axis(file.data)
        options = Options(is_y_up=is_up, has_textures=False)
        frame = (
            Scene(PurePath(name).stem, options=options)
            if template is None
            else scene_of(template, replace(options, has_textures=True))
        )
        words = "{file} is not used: {reason}"
        is_there = isinstance(error, FormatError)
        losses = (_(words, file=name + SUFFIX, reason=Text.of(error.text)),) if is_there else ()
        return replace(frame, options=options, notes=notes, losses=losses)
    if is_y_up is not None:
        frame = replace(frame, options=replace(frame.options, is_y_up=is_y_up))
    if template is None:
        return frame
    return filled(frame, scene_of(template, replace(frame.options, has_textures=False)))


def guessed_axis(data: Bytes) -> tuple[bool, tuple[str, ...]]:
    """Whether Y is up in a file that does not say it, and what is to be said of that.

    Most programs write Y up, and comments at the beginning say which one it was. Objects with tags are those
    of this program, whose files have Z up and keep it on their way through others.
    """
    if TAGGED.search(data) is not None:
        return False, ()
    # UTF-16 of plain letters is the letters with zeros between them.
    head = bytes(data[:HEAD]).replace(b"\0", b"")
    comments = b"\n".join(line for line in head.splitlines() if line.lstrip().startswith(b"#")).lower()
    program = next((name for word, name in OF_Y_UP.items() if word in comments), None)
    if program is not None:
        return True, (_(KNOWN_AXIS, program=program),)
    return False, (UNKNOWN_AXIS,)


def filled(frame: Scene, known: Scene) -> Scene:
    """A frame with the geometry of a scene, where both have the same vertices of the same batch."""
    of_slot = {_slot(number, mesh): mesh for number, mesh in enumerate(known.meshes)}
    meshes = []
    for number, mesh in enumerate(frame.meshes):
        others = of_slot.get(_slot(number, mesh), mesh).primitives
        pairs = zip_longest(mesh.primitives, others[: len(mesh.primitives)])
        meshes.append(replace(mesh, primitives=tuple(_with(*pair) for pair in pairs)))
    return replace(frame, meshes=tuple(meshes))


def _slot(number: int, mesh: Mesh) -> int:
    """The slot of a mesh; without a slot its number as a number below 0."""
    return -1 - number if mesh.slot is None else mesh.slot


def _with(primitive: Primitive, known: Primitive | None) -> Primitive:
    """A primitive with the geometry of a known one, if both have the same vertices."""
    if known is None or known.batch != primitive.batch or known.vertices is None:
        return primitive
    if primitive.vertices is None or not np.array_equal(primitive.vertices, known.vertices):
        return primitive
    return replace(
        primitive, positions=known.positions, triangles=known.triangles, normals=known.normals, uvs=known.uvs
    )
