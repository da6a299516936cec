"""The statements of OBJ files: many at once, and the same one by one."""

from __future__ import annotations

import numpy as np
import pytest

from viewer.errors import FormatError
from viewer.model.convert.obj.statements import AT_ONCE, FEW, Statements, parse


def same(one: Statements, other: Statements) -> bool:
    arrays = all(
        np.array_equal(getattr(one, name), getattr(other, name)) for name in ("positions", "uvs", "normals")
    )
    groups = [[(it.name, it.material, it.corners.tolist()) for it in said.groups] for said in (one, other)]
    return arrays and groups[0] == groups[1] and one.losses == other.losses


@pytest.mark.parametrize(
    "faces",
    [
        ["f 1 2 3", "f 4 5 6 7", "f 1 2 3 4 5"],
        ["f 1/2 2/3 3/1", "f -1/-1 -2/-2 -3/-3"],
        ["f 1//2 2//3 3//1"],
        ["f 1/2/3 2/3/1 3/1/2", "f -8/1/-8 2/2/2 3/3/3 4/4/4"],
        ["f 1/2/3 2/3/1 3/1/2", "f 1 2 3", "f 1//1 2/2 3/3/"],
    ],
)
def test_lines_together_say_the_same_as_alone(faces: list[str]) -> None:
    lines = [f"{word} {number} {number / 7} 0" for word in ("v", "vn") for number in range(8)]
    lines += [f"vt {number} 0.5" for number in range(8)]
    together = parse("\n".join([*lines, *faces * FEW]).encode())
    alone = parse("\ns off\n".join([*lines, *faces * FEW]).encode())
    assert same(together, alone)
    assert len(together.groups[0].corners) > 0


def test_lines_that_differ_are_read_too() -> None:
    text = "v 1 2 3 1\nv  4 5\t6 # here\nv 7 8 9 1 0 0\nv 1 \\\n2 \\\n3\nvt 0.5\nvt 1 2 3\nvt 1 2\nvt 3 4\n"
    said = parse(text.replace("\n", "\r\n").encode())
    assert said.positions.tolist() == [[1, 2, 3], [4, 5, 6], [7, 8, 9], [1, 2, 3]]
    assert said.uvs.tolist() == [[0.5, 0], [1, 2], [1, 2], [3, 4]]
    assert said.losses == {"v w": 1, "v r g b": 1}


def test_names_keep_their_signs() -> None:
    said = parse(b"# o no\nv 0 0 0\no a#1 b  # comment\nusemtl #red\nusemtl red#2\nf 1 1 1\n")
    assert [(it.name, it.material) for it in said.groups] == [("a#1 b", "red#2")]


@pytest.mark.parametrize(
    ("line", "by", "place"),
    [
        ("v 1 2 3", "v 1 2", "v"),
        ("v 1 2 3", "v 1 2 x", "v"),
        ("f 1 1 1", "f 1 1", "f"),
        ("f 1 1 1", "f 1 1 99999", "f"),
        ("f 1 1 1", "f 1 1 0", "f"),
        ("f 1 1 1", "f 1/1 1/1 1/1", "f"),
    ],
)
def test_the_line_of_a_mistake_is_found_among_many(line: str, by: str, place: str) -> None:
    lines = ["v 1 2 3"] * (AT_ONCE + 5) + ["f 1 1 1"] * (AT_ONCE + 5)
    at = len(lines) - 3 if place == "f" else AT_ONCE + 2
    assert lines[at] == line
    lines[at] = by
    with pytest.raises(FormatError) as raised:
        parse("\n".join(lines).encode())
    assert raised.value.where == f"line[{at + 1}].{place}"
