"""The data that files keep beyond glTF: ``extras`` of scenes, nodes, meshes, materials and primitives.

Everything is in one text, ``extras.mshview``, the JSON of an object of the shapes below: assimp 5.2 aborts on
extras that are lists or objects. Earlier files have the object itself, which is read too. Blender keeps the
extras of all but primitives. Nothing is null: what does not apply is absent. Lists hold numbers of one kind
or texts, never both and never lists. ``fields`` has the fields of a record by name, as stored: arrays are
flat, 0xFFFF stays, an integer from 2^31 is hexadecimal text (``"0x80000000"``, and so is a list with one), a
float is the shortest decimal of its single precision, and one that is not finite is ``"nan"``, ``"inf"`` or
``"-inf"`` (and so is a list with one).

scene
    The default scene: ``version`` 2 (1: the light of the scene may be added to that of self-lit materials);
    ``name``; ``origin``: the fields of `scene.Origin`; ``options``: those
    of `Options` (``nodes`` absent for all); ``frame_count``; ``fields``: the header of Res2; ``clips``:
    by number, ``name``, ``first``, ``last``, ``seconds``, ``fields``; ``tables``: payloads by type, base64;
    ``attributes``: their attr1 to attr3 by type; ``effects``: by number, those that the controller starts,
    then the explosions of nodes by their damage (action 27, the node first in ``values``, without groups):
    ``name``, ``archive``, ``action``, ``values``, and the ``slots``, ``components``, ``states`` and
    ``contacts`` that name its group, not read by an import; ``cell``: row and column of what its nodes show.
    A further scene has ``cell`` alone.
node
    ``number``: row; ``name``: as stored, may be empty; ``cell``: row and column of the cell whose mesh it
    has; ``cells``: all cells in which it has that mesh, row and column in turn; ``takes``, ``socket``;
    ``fields``: of Res1; ``added_keys``: keys of its rotation that its track does not have, time in frames
    and w, x, y, z of the model in turn. A node of a further scene has ``number``, ``name``, ``cell``, and
    ``copy``: the cell of that scene; its pose says nothing of its own.
mesh
    ``slot``: row; ``fields``: of Res2; ``batches``: columns with an element for each batch in order, also for
    those without triangles, which have no primitive: ``row`` and the fields of Res13.
material
    ``name``, ``row``: of the wear table; ``lightmap``: true if the occlusion texture is a lightmap, whose
    coordinates are TEXCOORD_1; ``added``: its light is added to what is behind it, so that its image is
    that of a layer (`conventions.Strength` of the original); ``fields``: what the game knows (``blend`` is
    the true blend mode; ``image``: true if it was written with one).
primitive
    ``batch``: row.

The attribute ``_VERTEX`` of a primitive is the row of each vertex in the tables of the model, as a float;
-1 for a vertex that is in none.

Other programs rewrite extras: what does not look as it was written counts as absent. A number that its field
cannot hold is refused.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from math import isfinite
from typing import Any, Final, TypeVar, get_type_hints

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import asdict, replace

from viewer import typed_json
from viewer.errors import FormatError, shown
from viewer.formats.msh.keys import QuaternionOrder
from viewer.formats.msh.nodes import GROUPS, LODS
from viewer.formats.msh.tracks import MAX_FRAMES
from viewer.formats.text import decode
from viewer.model.clips.started_effects import StartedEffect
from viewer.model.convert.gltf.arrays import shortest
from viewer.model.convert.gltf.document import JsonItem
from viewer.model.convert.motion.rotations import Axes
from viewer.model.convert.options import Cell, Clips, Options
from viewer.model.convert.scene import Fields, Mesh, Node, Origin, Scene, SceneClip, SceneMaterial
from viewer.model.mesh.reading import MaterialField
from viewer.translation import _
from viewer.typed_json import once

Number = TypeVar("Number", int, float)

NAME: Final = "mshview"
VERSION: Final = 2
"""Version of files whose self-lit colors are at least those of the scene."""
LARGEST: Final = 1 << 31
"""From here on integers are texts, as Blender keeps 32 bits with a sign."""


def wrapped(content: Mapping[str, Any]) -> dict[str, Any]:
    """The extras with some content as a text; empty without any."""
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    return {"extras": {NAME: text}} if content else {}


def of_scene(scene: Scene) -> dict[str, Any]:
    """The extras of the default scene."""
    content: dict[str, Any] = {"version": VERSION, "name": scene.name}
    if scene.origin is not None:
        content["origin"] = asdict(scene.origin)
    content |= {"options": _of_options(scene.options), "frame_count": scene.frame_count}
    clips = {str(number): _of_clip(clip) for number, clip in enumerate(scene.clips)}
    tables = {str(key): b64encode(data).decode() for key, data in scene.tables.items()}
    attributes = {str(key): plain(list(values)) for key, values in scene.attributes.items()}
    effects = {str(number): _of_effect(it) for number, it in enumerate(scene.effects)}
    own = _known(
        fields=plain_fields(scene.fields), clips=clips, tables=tables, attributes=attributes, effects=effects
    )
    return wrapped(content | own | {"cell": scene.options.cell})


def _known(**content: Any) -> dict[str, Any]:
    """The members of an object that apply: neither None nor False, nor empty; row 0 is one."""
    return {name: value for name, value in content.items() if value or type(value) is int}


def _of_options(options: Options) -> dict[str, Any]:
    known = replace(options, rest=float(options.rest), fps=float(options.fps))
    content = typed_json.plain_fields(known, has_defaults=True)
    return {name: value for name, value in content.items() if value is not None}


def _of_effect(effect: StartedEffect) -> dict[str, Any]:
    """An effect that the controller starts, for other programs: an import does not read it."""
    named = {"name": decode(effect.name), "archive": decode(effect.archive), "action": effect.action}
    group = {name: list(getattr(effect, name)) for name in ("slots", "components", "states", "contacts")}
    return named | {"values": list(effect.values)} | _known(**group)


def _of_clip(clip: SceneClip) -> dict[str, Any]:
    content = {"name": clip.name, "first": plain(clip.first), "last": plain(clip.last)}
    if clip.seconds is not None:
        content["seconds"] = plain(clip.seconds)
    return content | {"fields": plain_fields(clip.fields)}


def of_node(node: Node, shown: Cell | None, added_keys: npt.NDArray[np.float32] | None) -> dict[str, Any]:
    """The extras of a node of the default scene, which shows the mesh of a cell.

    Parameters
    ----------
    added_keys
        Keys of its rotation that its track does not have, (n, 5).
    """
    own = _known(socket=node.is_socket, takes=node.socket_tag, fields=plain_fields(node.fields))
    keys = {} if added_keys is None else {"added_keys": shortest(added_keys.reshape(-1))}
    return wrapped(_shown(node, shown) | own | keys)


def of_copy(node: Node, shown: Cell | None, copy: Cell) -> dict[str, Any]:
    """The extras of a copy of a node in the further scene of a cell."""
    return wrapped(_shown(node, shown) | {"copy": copy})


def _shown(node: Node, shown: Cell | None) -> dict[str, Any]:
    content = _known(number=node.number) | {"name": node.name}
    if shown is None:
        return content
    same = [cell for cell, mesh in sorted(node.cells.items()) if mesh == node.cells[shown]]
    return content | {"cell": shown, "cells": [number for cell in same for number in cell]}


def of_mesh(mesh: Mesh) -> dict[str, Any]:
    """The extras of a mesh."""
    batches = [item for item in mesh.primitives if item.batch is not None]
    columns: dict[str, Any] = {"row": [item.batch for item in batches]} if batches else {}
    columns |= {name: [it.fields[name] for it in batches] for name in (batches[0].fields if batches else ())}
    return wrapped(_known(slot=mesh.slot, fields=plain_fields(mesh.fields), batches=plain_fields(columns)))


def of_material(material: SceneMaterial, added: str = "") -> dict[str, Any]:
    """The extras of a material; `added` is where its image had its strength, if its light is added."""
    own = _known(row=material.row, lightmap=material.lightmap is not None, added=added)
    return wrapped({"name": material.name} | own | _known(fields=plain_fields(material.fields)))


def plain_fields(fields: Fields) -> dict[str, Any]:
    """Fields as JSON that Blender keeps; empty lists are left out."""
    values = {name: plain(value) for name, value in fields.items()}
    return {name: value for name, value in values.items() if value != []}


def plain(value: Any) -> Any:
    """A value of a field as JSON that Blender keeps."""
    match value:
        case bool() | str():
            return value
        case bytes():
            return value.hex()
        case list() | tuple():
            return _list([*_flat(value)])
    return _list([value])[0]


def _flat(values: Iterable[Any]) -> Iterator[Any]:
    """The numbers of lists in lists."""
    for value in values:
        if isinstance(value, list | tuple):
            yield from _flat(value)
        else:
            yield value


def _list(values: list[Any]) -> list[Any]:
    """A flat list of numbers of one kind."""
    if any(isinstance(value, float) for value in values):
        numbers = np.array(values, np.float64)
        return shortest(numbers) if np.isfinite(numbers).all() else [str(value) for value in values]
    if values and isinstance(values[0], int) and max(*values, -min(values)) >= LARGEST:
        # 0x80000000 does not fit the signed 32 bits that Blender has for a number.
        return [f"{number:#010x}" for number in values]
    return values


class ExtrasReader:
    """The content of the extras of one object, each value checked."""

    __slots__ = ("path", "values")

    def __init__(self, values: Any, path: str = "") -> None:
        self.values: Mapping[str, Any] = values if isinstance(values, dict) else {}
        self.path = path

    @classmethod
    def of(cls, item: JsonItem) -> ExtrasReader:
        """The reader of the extras of an object of the file."""
        found = item.values.get("extras")
        said, path = found.get(NAME) if isinstance(found, dict) else None, f"{item.path}.extras"
        if isinstance(said, str):
            with suppress(ValueError, RecursionError):
                return cls(json.loads(said, object_pairs_hook=once), path)
        return cls(said, path)

    def __bool__(self) -> bool:
        return bool(self.values)

    def part(self, key: str) -> ExtrasReader:
        """An object inside."""
        return ExtrasReader(self.values.get(key), f"{self.path}.{key}")

    def limited(self, key: str, least: int, most: int) -> int | None:
        """A whole number within limits; None if it is absent or none.

        Raises `FormatError` for a number beyond them.
        """
        value = number_of(self.values.get(key))
        if value is None or value != int(value):
            return None
        if not least <= value <= most:
            message = _("{value} exceeds {low}..{high}", value=shown(value), low=least, high=most)
            raise FormatError(message, table=self.path, field=key)
        return int(value)

    def whole(self, key: str) -> int | None:
        """A whole number of 0 or more."""
        value = self.values.get(key)
        # Blender returns integers above 2**31 as texts. Twelve digits bound what `int` has to read.
        if isinstance(value, str) and value.isdecimal() and len(value) < 12:
            value = int(value)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        return value if type(value) is int and 0 <= value < LARGEST else None

    def number(self, key: str) -> float | None:
        """A finite number."""
        value = self.values.get(key)
        # Far inside of single floats: no time and no rotation of a sound file comes near.
        is_number = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e30
        return float(value) if is_number and value is not None else None

    def text(self, key: str) -> str | None:
        """The text of a member; None without one."""
        value = self.values.get(key)
        return value.encode("utf-8", "replace").decode() if isinstance(value, str) else None

    def flag(self, key: str) -> bool | None:
        """A truth value, which some programs make a number."""
        value = self.values.get(key)
        return bool(value) if isinstance(value, bool | int | float) else None

    def wholes(self, key: str) -> list[int]:
        """A list of whole numbers; empty if it is not one."""
        return self._all(key, ExtrasReader.whole)

    def numbers(self, key: str) -> list[float]:
        """A list of finite numbers; empty if it is not one."""
        return self._all(key, ExtrasReader.number)

    def _all(self, key: str, read: Callable[[ExtrasReader, str], Number | None]) -> list[Number]:
        """The values of a list; empty for what is no list, or if one of them is not what is read."""
        values = self.values.get(key)
        found = [read(ExtrasReader({"": it}), "") for it in (values if isinstance(values, list) else [])]
        kept = [it for it in found if it is not None]
        return kept if len(kept) == len(found) else []

    def cells(self, key: str) -> list[Cell]:
        """Rows and columns in turn as cells of the slot matrix."""
        numbers = self.wholes(key)
        pairs = zip(numbers[::2], numbers[1::2], strict=False)
        return [(row, column) for row, column in pairs if row < LODS and column < GROUPS]

    def cell(self, key: str) -> Cell | None:
        """The first cell of a member; None without one."""
        return next(iter(self.cells(key)), None)

    def members(self, kind: type[Origin | Options | SceneClip]) -> dict[str, Any]:
        """The fields of a class that are members of the object, by their types."""
        readers = ((name, _READERS.get(it)) for name, it in get_type_hints(kind).items())
        found = {name: read(self, name) for name, read in readers if read is not None}
        return {name: value for name, value in found.items() if value is not None}


def _nodes(said: ExtrasReader, key: str) -> frozenset[int] | None:
    return frozenset(said.wholes(key)) if key in said.values else None


_READERS: Final[Mapping[Any, Callable[[ExtrasReader, str], Any]]] = {
    str: ExtrasReader.text,
    int: ExtrasReader.whole,
    bool: ExtrasReader.flag,
    int | None: ExtrasReader.whole,
    float: ExtrasReader.number,
    float | None: ExtrasReader.number,
    Cell: ExtrasReader.cell,
    Clips: lambda said, key: next((it for it in Clips if it == said.values.get(key)), None),
    frozenset[int] | None: _nodes,
}
"""The reader of a field of `Options`, `Origin` and `SceneClip`, by its type."""


class Provenance(Struct, frozen=True):
    """The statements of a file about itself as a whole.

    Attributes
    ----------
    own
        What this program wrote into its scene; empty in other files.
    """

    own: ExtrasReader
    origin: Origin | None
    options: Options

    @classmethod
    def of(cls, scene: JsonItem | None, default: Options) -> Provenance:
        """The provenance in the extras of a scene."""
        own = ExtrasReader({}) if scene is None else ExtrasReader.of(scene)
        return cls(own, origin_of(own), replace(default, **options_in(own.part("options"))))

    @property
    def frame_count(self) -> int | None:
        """Frames of the animation; raises `FormatError` for a number that is none."""
        return self.own.limited("frame_count", 1, MAX_FRAMES)

    @property
    def axes(self) -> Axes:
        """The directions of the file."""
        return Axes(self.options.is_y_up)


def options_in(said: ExtrasReader, kind: type[Options] = Options) -> dict[str, Any]:
    """The fields of the options of an export in a file, without what is not as it is declared."""
    hints, read, found = get_type_hints(kind), said.members(kind), dict[str, Any]()
    # What other programs make of a value is known of the types that have a reader; others are as written.
    forms = {name: it for name, it in said.values.items() if name in hints and hints[name] not in _READERS}
    forms |= {name: typed_json.plain(it, Any) for name, it in read.items()}
    for name, form in forms.items():
        with suppress(FormatError):
            found[name] = typed_json.usable(typed_json.types_of(kind)[name], form)[0]
    return found


def origin_of(own: ExtrasReader) -> Origin | None:
    """The model that a file was made from."""
    said = {"has_name_records": False} | own.part("origin").members(Origin)
    order, field = said.get("quaternion_order"), said.get("material_field")
    is_known = order in {*QuaternionOrder} and field in {*MaterialField}
    needed = {name for name, it in typed_json.fields_of(Origin).items() if it.required}
    return Origin(**said) if is_known and said.keys() >= needed else None


def clips_of(own: ExtrasReader) -> tuple[SceneClip, ...]:
    """The clips of the model's controller."""
    said = own.part("clips")
    found = []
    for key in sorted((key for key in said.values if key.isdecimal()), key=int):
        members = said.part(key).members(SceneClip)
        if members.keys() >= {"name", "first", "last"}:
            found.append(SceneClip(**members, fields=dict(said.part(key).part("fields").values)))
    return tuple(found)


def number_of(value: Any) -> int | float | None:
    """A number of JSON, or the text that stands for a large one; None for anything else."""
    if isinstance(value, str):
        try:
            return int(value, 0)
        except ValueError:
            return None
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
    return value if is_number else None
