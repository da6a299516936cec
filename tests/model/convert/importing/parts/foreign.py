"""OBJ files as other programs write those of this one: other names, other orders, welded and rounded."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

Row = tuple[float, ...]


class ObjPart(Struct):
    """An object of a file: its name, its material, and the values of the corners of its triangles.

    A corner is a position, a texture coordinate and a normal.
    """

    name: str
    material: str = ""
    corners: list[tuple[Row, Row, Row]] = field(default_factory=list)


class ObjStyle(Struct):
    """How a program writes.

    Attributes
    ----------
    names
        The name of each part, with its word: ``o`` or ``g``; an empty one writes no line.
    digits
        Decimals of positions, texture coordinates and normals.
    is_welded
        Whether equal rows are written once.
    has_normals
        Whether normals are.
    head
        The first line.
    """

    names: Callable[[ObjPart], str]
    digits: tuple[int, int, int] = (6, 6, 4)
    is_welded: bool = True
    has_normals: bool = True
    head: str = "# a program"


def by_material(part: ObjPart) -> str:
    """As trimesh joins the objects of one material."""
    return f"o {part.material}"


def without_tag(part: ObjPart) -> str:
    """As Blender writes what had been glTF: the object and its mesh."""
    name = part.name.partition("~")[0]
    return f"g {name}_{name}_slot_0"


def by_number(part: ObjPart) -> str:
    """Names that say nothing."""
    return f"g mesh_{abs(hash((part.name, part.material))) % 97}"


def nameless(_part: ObjPart) -> str:
    """No names."""
    return ""


TRIMESH = ObjStyle(by_material, (8, 8, 8), head="# trimesh")
BLENDER = ObjStyle(without_tag)
ASSIMP = ObjStyle(by_number, (9, 9, 9), head="# File produced by Open Asset Import Library")
BARE = ObjStyle(nameless, is_welded=False)
STYLES = {"trimesh": TRIMESH, "Blender": BLENDER, "assimp": ASSIMP, "bare": BARE}


def parts_of(text: str) -> list[ObjPart]:
    """The objects of a file of this program."""
    rows: dict[str, list[Row]] = {"v": [], "vt": [], "vn": []}
    parts: list[ObjPart] = []
    for line in text.splitlines():
        word, _, rest = line.partition(" ")
        if word in rows:
            rows[word].append(tuple(map(float, rest.split())))
        elif word == "o":
            parts.append(ObjPart(rest))
        elif word == "usemtl":
            parts[-1].material = rest
        elif word == "f":
            for corner in rest.split():
                numbers = [int(it) - 1 for it in corner.split("/")]
                v, vt, vn = (rows[kind][at] for kind, at in zip(rows, numbers, strict=True))
                parts[-1].corners.append((v, vt, vn))
    return parts


def written(parts: Sequence[ObjPart], style: ObjStyle, library: str = "tank.mtl") -> str:
    """The text of a file; parts of one name follow each other."""
    order = list(dict.fromkeys(map(style.names, parts)))
    lines = [style.head, f"mtllib {library}"]
    numbers: tuple[dict[Row, int], ...] = ({}, {}, {})
    counts = [0, 0, 0]
    faces: list[str] = []
    for name in order:
        faces += [name] if name else []
        for part in (it for it in parts if style.names(it) == name):
            faces.append(f"usemtl {part.material}")
            corners = []
            for corner in part.corners:
                found = []
                for kind in range(3 if style.has_normals else 2):
                    row = tuple(round(value, style.digits[kind]) for value in corner[kind])
                    number = numbers[kind].get(row) if style.is_welded else None
                    if number is None:
                        counts[kind] += 1
                        number = numbers[kind][row] = counts[kind]
                        lines.append(" ".join([("v", "vt", "vn")[kind], *map(repr, row)]))
                    found.append(str(number))
                corners.append("/".join(found))
            faces += [f"f {' '.join(corners[at : at + 3])}" for at in range(0, len(corners), 3)]
    return "\n".join([*lines, *faces, ""])


def moved(part: ObjPart, by: Row, corners: Sequence[int] | None = None) -> ObjPart:
    """A part with some of its corners, or all of them, elsewhere."""
    found = [
        (tuple(a + b for a, b in zip(v, by, strict=True)), vt, vn)
        if corners is None or at in corners
        else (v, vt, vn)
        for at, (v, vt, vn) in enumerate(part.corners)
    ]
    return replace(part, corners=found)
