"""The statements of OBJ files: many at once, and the same one by one."""

from __future__ import annotations

import numpy as np
import pytest

from viewer.errors import FormatError
from viewer.model.convert.obj import statements
from viewer.model.convert.obj import text as texts
from viewer.model.convert.obj.statements import AT_ONCE, FEW, Statements

NUMBERS = (".5", "+1", "1.", "1e+2", "-2.E1", "1e-2", "3.1+e2", "007")


def same(one: Statements, other: Statements) -> bool:
    arrays = all(
        np.array_equal(getattr(one, name), getattr(other, name)) for name in ("positions", "uvs", "normals")
    )
    groups = [[(it.name, it.material, it.corners.tolist()) for it in said.groups] for said in (one, other)]
    return arrays and groups[0] == groups[1] and one.losses == other.losses and one.oddities == other.oddities


@pytest.mark.parametrize(
    "faces",
    [
        ["f 1 2 3", "f 4 5 6 7", "f 1 2 3 4 5"],
        ["f 1/2 2/3 3/1", "f -1/-1 -2/-2 -3/-3"],
        ["f 1//2 2//3 3//1"],
        ["f 1/2/3 2/3/1 3/1/2", "f -8/1/-8 2/2/2 3/3/3 4/4/4"],
        ["f 1/2/3 2/3/1 3/1/2", "f 1 2 3", "f 1//1 2/2 3/3/"],
        ["f 1/99/3 2/3/99 3/-99/2", "f  4/0/0 5/1/1\t6/1/1"],
        ["f 1//99 2//1 3//1 4//5"],
    ],
)
def test_lines_together_say_the_same_as_alone(faces: list[str]) -> None:
    statements = [f"{word} {number} {number / 7} 0" for word in ("v", "vn") for number in range(8)]
    statements += [f"vt {number} 0.5" for number in range(8)]
    together = Statements("\n".join([*statements, *faces * FEW]).encode())
    alone = Statements("\nlod 1\n".join([*statements, *faces * FEW]).encode())
    assert same(together, alone)
    assert len(together.groups[0].corners) > 0


def test_lines_that_differ_are_read_too() -> None:
    text = "v 1 2 3 1\nv  4 5\t6 # here\nv 7 8 9 1 0 0\nv 1 \\\n2 \\\n3\nvt 0.5\nvt 1 2 3\nvt 1 2\nvt 3 4\n"
    said = Statements(text.replace("\n", "\r\n").encode())
    assert said.positions.tolist() == [[1, 2, 3], [4, 5, 6], [7, 8, 9], [1, 2, 3]]
    assert said.uvs.tolist() == [[0.5, 0], [1, 2], [1, 2], [3, 4]]
    assert said.losses == {"v w": 1, "v r g b": 1}


def test_names_keep_their_signs() -> None:
    said = Statements(b"# o no\nv 0 0 0\no a#1 b  # comment\nusemtl #red\nusemtl red#2\nf 1 1 1\n")
    assert [(it.name, it.material) for it in said.groups] == [("a#1 b", "red#2")]


@pytest.mark.parametrize(
    ("line", "by", "place"),
    [
        ("v 1 2 3", "v 1 2", "v"),
        ("v 1 2 3", "v 1 2 x", "v"),
        ("f 1 1 1", "f 1 1", "f"),
        ("f 1 1 1", "f 1 1 99999", "f"),
        ("f 1 1 1", "f 1 1 0", "f"),
        ("f 1 1 1", "f 1/x 1/1 1/1", "f"),
    ],
)
def test_the_line_of_a_mistake_is_found_among_many(line: str, by: str, place: str) -> None:
    statements = ["v 1 2 3"] * (AT_ONCE + 5) + ["f 1 1 1"] * (AT_ONCE + 5)
    at = len(statements) - 3 if place == "f" else AT_ONCE + 2
    assert statements[at] == line
    statements[at] = by
    with pytest.raises(FormatError) as raised:
        Statements("\n".join(statements).encode())
    assert raised.value.where == f"line[{at + 1}].{place}"


@pytest.mark.parametrize("count", [1, FEW + 1])
def test_numbers_are_read_as_other_programs_read_them(count: int) -> None:
    said = Statements(b"".join(f"v {text} 0 0\n".encode() * count for text in NUMBERS))
    assert said.positions[::count, 0].tolist() == [0.5, 1, 1, 100, -20, 0.01, 3.1, 7]
    assert said.oddities == {"numbers are read up to their second sign: {count}": count}


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_texts_of_any_encoding_and_line_end(encoding: str, end: str) -> None:
    text = end.join(["v 0 0 0", "v 1 0 0", "v 0 1 \\", "0", "o Ж", "f 1 2 \\", "3"])
    said = Statements(("\ufeff" * (encoding == "utf-16-be") + text).encode(encoding))
    assert [(it.name, it.corners[:, 0].tolist()) for it in said.groups] == [("Ж", [0, 1, 2])]


def test_blocks_are_read_as_one_text(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "".join(f"v {n} 0 0 # {n}\nvt {n} \\\n1\n" for n in range(50)) + "f 1/1 2/2 3/3\n" * 9
    whole = Statements(text.encode())
    for size in (1, 7, 64):
        monkeypatch.setattr(texts, "BLOCK", size)
        assert same(Statements(text.encode()), whole)
    with pytest.raises(FormatError) as raised:
        Statements((text + "f 1 2 99").encode())
    assert raised.value.where == "line[160].f"


def test_unknown_statements_are_counted_and_named() -> None:
    said = Statements(b"v 0 0 0\nvw 0 0 1.0\nvw 1 0 0.5 1 0.5\ng a\ns 1\nusemap x\nl 1 1\nf 1 1 1\n")
    assert said.losses == {"vw": 2, "usemap": 1, "l": 1}
    assert len(said.groups) == 1


def test_references_to_nothing_are_counted() -> None:
    said = Statements(b"v 0 0 0\n" * 3 + b"f 1/1/1 2/2/2 3/3/3\n" * 6)
    assert said.groups[0].corners[:, 1:].tolist() == [[-1, -1]] * 18
    assert [*said.oddities.values()] == [18, 18]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("".join(f"usemtl {n}\n" for n in range(70_000)), "line[65537].usemtl"),
        ("v 0 0 0\n" + "".join(f"o {n}\nf 1 1 1\n" for n in range(2_000)), "line[2052].o"),
        ("mtllib " + "a.mtl " * 2000, "line[1].mtllib"),
        ("f \\\n" * 400_000, "line"),
        ("v 0 0 0\nf" + " 1" * 70_000, "line[2].f"),
    ],
)
def test_limits_are_checked_as_the_text_is_read(
    monkeypatch: pytest.MonkeyPatch, text: str, place: str
) -> None:
    monkeypatch.setattr(statements, "MOST_GROUPS", 1 << 10)
    with pytest.raises(FormatError, match=r"more than|corners") as raised:
        Statements(text.encode())
    assert raised.value.where == place
