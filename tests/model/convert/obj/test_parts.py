"""The parts of OBJ files, which are objects or groups as their programs mean them, and their encodings."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.model.convert.scenes import resolver_of
from viewer.errors import AddressError
from viewer.model.convert.obj.read import read
from viewer.model.convert.obj.statements import Statements
from viewer.model.convert.scene import Scene
from viewer.model.convert.scene_file import Folder


def corners(at: float) -> str:
    """Three vertices."""
    return f"v {at} 0 0\nv {at + 1} 0 0\nv {at} 1 0\n"


def parts(text: str) -> list[tuple[str, list[float]]]:
    """The name of each node, and the x of the first corner of each of its triangles."""
    scene = read(text.encode(), Scene("whole"), resolver_of({}))
    found = []
    for node in scene.nodes:
        (mesh,) = (scene.meshes[it] for it in node.cells.values())
        firsts = [it.positions[it.triangles[:, 0], 0].tolist() for it in mesh.primitives]
        found.append((node.name, [x for some in firsts for x in some]))
    return found


FACES = corners(0) + corners(5) + corners(9)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # 3ds Max: vertices, group, faces
        (f"{corners(0)}g hull\nf 1 2 3\n{corners(5)}g wheel\nf 4 5 6\n", [("hull", [0]), ("wheel", [5])]),
        # Maya: the vertices are in the group "default", parents of a part follow it
        (
            f"g default\n{corners(0)}s off\ng hull tank\nf 1 2 3\n"
            f"g default\n{corners(5)}g wheel tank\nf 4 5 6\n",
            [("hull", [0]), ("wheel", [5])],
        ),
        # the same with parents in front
        (f"{FACES}g tank hull\nf 1 2 3\ng tank wheel\nf 4 5 6\n", [("tank hull", [0]), ("tank wheel", [5])]),
        # assimp: all vertices first; a group that is named again goes on
        (
            f"{FACES}g hull\nf 1 2 3\ng wheel\nf 4 5 6\ng hull\nf 7 8 9\n",
            [("hull", [0, 9]), ("wheel", [5])],
        ),
        # Blender with material groups: objects are the parts
        (
            f"o hull\n{corners(0)}g hull_steel\nusemtl steel\nf 1 2 3\ng hull_glass\nusemtl glass\nf 2 3 1\n"
            f"o wheel\n{corners(5)}g wheel_steel\nusemtl steel\nf 4 5 6\n",
            [("hull", [0, 1]), ("wheel", [5])],
        ),
        # with object groups: groups of objects and meshes
        (
            f"g hull_mesh\n{corners(0)}f 1 2 3\ng wheel_mesh\n{corners(5)}f 4 5 6\n",
            [("hull_mesh", [0]), ("wheel_mesh", [5])],
        ),
        # two objects of one name, and one that goes on with its vertices
        (
            f"o wheel\n{corners(0)}f 1 2 3\no wheel\n{corners(5)}f 4 5 6\no wheel\nf 2 3 1\n",
            [("wheel", [0, 1]), ("wheel", [5])],
        ),
        # no name at all, in the words of several programs
        (f"{FACES}f 1 2 3\n", [("whole", [0])]),
        (f"{FACES}g default\nf 1 2 3\n", [("whole", [0])]),
        (f"{FACES}g\nf 1 2 3\ng hull\nf 4 5 6\n", [("whole", [0]), ("hull", [5])]),
        # faces outside of any object
        (f"{FACES}f 1 2 3\no hull\nf 4 5 6\n", [("whole", [0]), ("hull", [5])]),
        (f"o a#1 b\n{FACES}f 1 2 3\n", [("a#1 b", [0])]),
    ],
)
def test_parts(text: str, expected: list[tuple[str, list[float]]]) -> None:
    assert parts(text) == expected


def test_a_thousand_objects_of_one_name() -> None:
    text = "".join(f"o wheel\n{corners(at)}f -3 -2 -1\n" for at in range(1000))
    assert parts(text) == [("wheel", [at]) for at in range(1000)]


CODE_PAGE_NOTE = "the text is not UTF-8; it is read as CP1251, the code page of the game"
RUSSIAN = "mtllib сталь.mtl\no башня\nusemtl сталь\n" + corners(0) + "f 1 2 3\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1251"])
def test_texts_are_utf8_or_those_of_the_game(encoding: str) -> None:
    library = "newmtl сталь\nKd 0.25 0.5 1\n".encode(encoding)
    scene = read(RUSSIAN.encode(encoding), Scene("x"), resolver_of({"сталь.mtl": library}))
    assert [it.name for it in scene.nodes] == ["башня"]
    assert [(it.name, it.color) for it in scene.materials] == [("сталь", (0.25, 0.5, 1, 1))]
    assert [*map(str, scene.notes)] == ([CODE_PAGE_NOTE] if encoding == "cp1251" else [])
    assert not scene.losses


def test_a_library_alone_is_not_utf8() -> None:
    library = "newmtl сталь\nKd 0.25 0.5 1\n".encode("cp1251")
    scene = read(RUSSIAN.encode(), Scene("x"), resolver_of({"сталь.mtl": library}))
    assert [*map(str, scene.notes)] == [CODE_PAGE_NOTE]
    assert [it.color for it in scene.materials] == [(0.25, 0.5, 1, 1)]


def test_the_encoding_is_found_at_any_place() -> None:
    """A letter of two bytes across the pieces in which the text is looked at."""
    for size in ((1 << 20) - 1, 1 << 20):
        comment = "#" + "x" * (size - 2) + "\n" + "#ж\n"
        assert Statements((comment + "v 0 0 0\n").encode()).encoding == "utf-8-sig"
        assert Statements((comment + "v 0 0 0\n").encode("cp1251")).encoding == "cp1251"


def test_files_are_found_in_any_letter_case(tmp_path: Path) -> None:
    (tmp_path / "Tex").mkdir()
    (tmp_path / "Tex" / "ЖЁЛТЫЙ.PNG").write_bytes(b"paint")
    for name, data in (("a.png", b"small"), ("A.PNG", b"large")):
        (tmp_path / name).write_bytes(data)
    (tmp_path.parent / "above.txt").write_bytes(b"no")
    folder, small = Folder(tmp_path), (tmp_path / "a.png").read_bytes()  # one file where case is ignored
    assert folder("tex/жёлтый.png") == b"paint"
    assert (folder("a.png"), folder("A.PNG")) == (small, b"large")
    assert folder("A.png") == folder("a.PNG") == b"large"
    for name in ("../ABOVE.TXT", "tex/../../Above.txt", "b.png", "tex", "a\0b"):
        with pytest.raises(AddressError):
            folder(name)
