"""The frame of an OBJ file: what the file cannot hold, and what the tags in its names refer to.

It comes from the JSON file in the same folder, else from the model that the file is compared with. Of that
model it also has the geometry, so that what was not edited can be told from what baking and other programs
round.

``turret~n3.s4.b7`` is what node 3 shows of batch 7, in slot 4, ``STEEL~m2`` material 2 of the scene. Programs
replace spaces and add ``.001``; the tags survive both.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import PurePath
from typing import Final

import numpy as np

from viewer.errors import AddressError, FormatError
from viewer.model.convert.beside import Beside, Folder
from viewer.model.convert.from_model import scene_of
from viewer.model.convert.obj import sidecar
from viewer.model.convert.scene import Mesh, Options, Primitive, Scene
from viewer.model.convert.source import ModelSource
from viewer.model.store.backups import DAMAGED_SUFFIX
from viewer.translation import Sentence

_TAG: Final = re.compile(r"~n(\d{1,6})\.s(\d{1,6})\.b(\d{1,6})")
TAGGED: Final = re.compile(rb"~n\d{1,6}\.s\d{1,6}\.b\d{1,6}")
"""A tag in the bytes of a file."""
_MATERIAL: Final = re.compile(r"~m(\d{1,6})")
_PLAIN: Final = re.compile(r"[^\w.\-]+")
LONGEST: Final = 40
"""Characters of a node's name that are kept, so that the whole fits where names are cut."""
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
"""What the name of the JSON file has after that of the OBJ file."""


@dataclass(frozen=True, slots=True, order=True)
class Tag:
    """The indices of a node, its mesh, and a primitive of that mesh, in their scene."""

    node: int
    mesh: int
    primitive: int


def name_of(tag: Tag, name: str) -> str:
    """The name of an object."""
    return f"{plain(name)}~n{tag.node}.s{tag.mesh}.b{tag.primitive}"


def plain(name: str) -> str:
    """A name without spaces and signs."""
    return _PLAIN.sub("_", name)[:LONGEST]


def tag_of(name: str) -> Tag | None:
    """The tag in the name of an object; None without one."""
    found = _TAG.search(name)
    return Tag(*map(int, found.groups())) if found else None


def material_name(name: str, index: int) -> str:
    """The name of a material in a file."""
    return f"{plain(name) or 'material'}~m{index}"


def material_index(name: str) -> int | None:
    """The index of a material in the scene that was written; None for one of another program."""
    found = _MATERIAL.search(name)
    return int(found[1]) if found else None


def without_index(name: str) -> tuple[str, str]:
    """What is before and after the index in the name of a material."""
    before, _, after = _MATERIAL.sub("\0", name, count=1).partition("\0")
    return before, after


def picture_tag(index: int, name: str) -> str:
    """The end of the name of a picture's file, without its suffix."""
    return f"_{index}_{plain(name)}"


def frame_of(
    name: str,
    beside: Beside,
    template: ModelSource | None,
    *,
    is_y_up: bool | None,
    data: bytes | memoryview = b"",
) -> tuple[Scene, tuple[str, ...]]:
    """The frame of the file with a name, and why its JSON file is not used, if it is damaged.

    Parameters
    ----------
    is_y_up
        Whether Y is up; if it is not said, what the JSON file says, else what the comments of the file do.
    data
        The file.
    """
    try:
        frame = sidecar.scene_of(beside(name + SUFFIX))
    except (AddressError, FormatError) as error:
        is_up, notes = (is_y_up, ()) if is_y_up is not None else guessed_axis(data)
        options = Options(is_y_up=is_up, has_textures=False)
        frame = (
            Scene(PurePath(name).stem, options=options)
            if template is None
            else scene_of(template, replace(options, has_textures=True))
        )
        frame = replace(frame, options=options, notes=notes)
        return frame, _damage(name + SUFFIX, error, beside)
    if is_y_up is not None:
        frame = replace(frame, options=replace(frame.options, is_y_up=is_y_up))
    if template is None:
        return frame, ()
    return filled(frame, scene_of(template, replace(frame.options, has_textures=False))), ()


def _damage(name: str, error: AddressError | FormatError, beside: Beside) -> tuple[str, ...]:
    """What is said of a JSON file that cannot be used; it is set aside if it is damaged."""
    if isinstance(error, FormatError):
        kept = ""
        if isinstance(beside, Folder) and error.field != "version":
            kept = beside.set_aside(name)
        words = (
            "{file} is damaged and set aside as {kept}: {reason}" if kept else "{file} is not used: {reason}"
        )
        return (Sentence(words, file=name, kept=kept, reason=Sentence.of(error.text)),)
    with suppress(AddressError):
        beside(name + DAMAGED_SUFFIX)
        words = "{file} was damaged and is set aside as {kept}"
        return (Sentence(words, file=name, kept=name + DAMAGED_SUFFIX),)
    return ()


def guessed_axis(data: bytes | memoryview) -> tuple[bool, tuple[str, ...]]:
    """Whether Y is up in a file that does not say it, and what is to be said of that.

    Most programs write Y up, and comments at the beginning say which one it was. Objects with tags are those
    of this program, whose files have Z up and keep it on their way through others.
    """
    if TAGGED.search(data) is not None:
        return False, ()
    head = bytes(data[:HEAD]).replace(b"\0", b"")  # of UTF-16 the letters stay
    comments = b"\n".join(line for line in head.splitlines() if line.lstrip().startswith(b"#")).lower()
    program = next((name for word, name in OF_Y_UP.items() if word in comments), None)
    if program is not None:
        words = "Y is up, as {program} writes it; --z-up reads the file otherwise"
        return True, (Sentence(words, program=program),)
    return False, (Sentence("Z is up, as the file does not say it; --y-up reads the file otherwise"),)


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
    """The slot of a mesh; that of one without a slot is its number, below 0."""
    return -1 - number if mesh.slot is None else mesh.slot


def _with(primitive: Primitive, known: Primitive | None) -> Primitive:
    """A primitive with the geometry of another one, if it is the same one."""
    if known is None or known.batch != primitive.batch or known.vertices is None:
        return primitive
    if primitive.vertices is None or not np.array_equal(primitive.vertices, known.vertices):
        return primitive
    return replace(
        primitive,
        positions=known.positions,
        triangles=known.triangles,
        normals=known.normals,
        uvs=known.uvs,
    )
