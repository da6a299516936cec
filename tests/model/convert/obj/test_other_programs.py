"""OBJ files and libraries of other programs: numbers, smoothing groups, missing attributes, pictures."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import PIL.Image
import pytest
from PIL import features

from tests.model.convert.scenes import resolver_of
from viewer.model.convert.obj.materials import MaterialTexts
from viewer.model.convert.obj.read import read
from viewer.model.convert.options import Options
from viewer.model.convert.pictures import images
from viewer.model.convert.scene import Primitive, Scene

CUBE = "".join(f"v {x} {y} {z}\n" for x in (0, 1) for y in (0, 1) for z in (0, 1))
SIDES = ((1, 2, 4, 3), (5, 7, 8, 6), (1, 5, 6, 2), (3, 4, 8, 7), (1, 3, 7, 5), (2, 6, 8, 4))
"""The corners of each side of the cube, seen from outside."""
TRIANGLE = "v 0 0 0\nv 1 0 0\nv 0 1 0\n"
SUFFIXES = {"PNG": "png", "JPEG": "jpg", "BMP": "bmp", "TGA": "tga", "WEBP": "webp"}


def scene_of(text: str) -> tuple[Primitive, list[str]]:
    """The only primitive of a file, and what is lost."""
    found = read(text.encode(), Scene("x", options=Options(is_y_up=False)), lambda _: b"")
    return found.meshes[0].primitives[0], [*map(str, found.losses)]


def test_number_formats() -> None:
    """Every way to write a number that assimp's file of this name has, six of them with a second sign."""
    plain = ("1 2. 3.0", "1e2 2.e1 3.1e2", "1e+2 2.e+1 3.1+e2", "1e-2 2.e-1 3.1-e2")
    signed = [" ".join(sign + it for it in line.split()) for line in plain for sign in ("", "+", "-")]
    lines = ["0 0 0", *signed, "1e10 2.e01 3.1e10", "1E2 2.E1 3.1E2"]
    made, losses = scene_of("".join(f"v {it}\n" for it in lines) + "f 5 8 11\nf 14 15 2\n")
    expected = [
        (1, 2, 3),
        (100, 20, 310),
        (100, 20, 3.1),
        (0.01, 0.2, 3.1),
        (1e10, 20, 3.1e10),
        (100, 20, 310),
    ]
    assert made.positions.tolist() == np.array(expected, np.float32).tolist()
    assert losses == ["numbers are read up to their second sign: 6"]


def test_a_cube_with_texture_coordinates_of_vertices() -> None:
    """Each side names the same four of them, in the order of its corners: "cubevt"."""
    faces = "".join("f " + " ".join(f"{it}/{at}" for at, it in enumerate(side, 1)) + "\n" for side in SIDES)
    made, losses = scene_of(CUBE + "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n" + faces)
    assert (len(made.triangles), made.normals, losses) == (12, None, [])
    assert made.uvs is not None
    sides = made.uvs[made.triangles].reshape(6, 6, 2)
    assert sides.tolist() == [[[0, 1], [1, 1], [1, 0], [0, 1], [1, 0], [0, 0]]] * 6
    assert sorted(map(tuple, made.positions[made.triangles].reshape(-1, 3).tolist()))[0] == (0, 0, 0)


def test_a_box_whose_sides_miss_attributes() -> None:
    """Some corners have both, some one, some none: "box-missing-attributes"."""
    forms = ("{0}/1/1", "{0}//1", "{0}/1", "{0}", "{0}/1/1", "{0}")
    faces = (
        "f " + " ".join(form.format(it) for it in side) + "\n"
        for form, side in zip(forms, SIDES, strict=True)
    )
    made, losses = scene_of(CUBE + "vt 0.25 0.5\nvn 0 0 -1\n" + "".join(faces))
    assert made.uvs is not None
    assert made.normals is not None
    uvs, normals = (it[made.triangles].reshape(6, 6, -1) for it in (made.uvs, made.normals))
    has_uv = [(side == (0.25, 0.5)).all() for side in uvs]
    assert has_uv == [True, False, True, False, True, False]
    said = [(side == (0, 0, -1)).all() for side in normals]
    assert said == [True, True, False, False, True, False]
    points = made.positions[made.triangles].reshape(6, 6, 3)
    for side in (2, 3, 5):
        flat = np.cross(points[side, 1] - points[side, 0], points[side, 2] - points[side, 0])
        assert normals[side].tolist() == [flat.tolist()] * 6, "what is missing is that of the triangle"
    assert losses == ["corners without texture coordinates: 18"]


def test_two_squares_of_a_smoothing_group() -> None:
    """They share an edge, along which both have the normal between; without a group each has its own."""
    squares = "v 0 2 0\nv 0 0 0\nv 2 0 0\nv 2 2 0\nv 4 0 -1.2\nv 4 2 -1.2\n"
    smooth, losses = scene_of(squares + "s 1\nf 1 2 3 4\nf 4 3 5 6\n")
    assert losses == []
    assert smooth.normals is not None
    slant = np.array((1.2, 0, 2)) / np.linalg.norm((1.2, 0, 2))
    between = np.array((0, 0, 1)) + slant
    at = {
        tuple(place): normal for place, normal in zip(smooth.positions.tolist(), smooth.normals, strict=True)
    }
    assert len(smooth.positions) == 6, "corners at one place are one vertex"
    np.testing.assert_allclose(at[2.0, 0.0, 0.0], between / np.linalg.norm(between), atol=1e-6)
    np.testing.assert_allclose(at[0.0, 0.0, 0.0], (0, 0, 1), atol=1e-6)
    flat, _ = scene_of(squares + "vn 0 0 1\ns off\nf 1//1 2//1 3//1 4//1\nf 4 3 5 6\n")
    assert flat.normals is not None
    np.testing.assert_allclose(flat.normals[flat.triangles][2:].reshape(-1, 3), [slant] * 6, atol=1e-6)


def image(kind: str, size: tuple[int, int] = (4, 2)) -> bytes:
    """A file of one color."""
    if kind == "WEBP" and not features.check("webp"):
        pytest.skip("Pillow without WebP")
    file = BytesIO()
    PIL.Image.new("RGB", size, (200, 100, 50)).save(file, kind)
    return file.getvalue()


def scene_with(library: str, files: dict[str, bytes], faces: str = "usemtl a\nf 1 2 3\n") -> Scene:
    """The scene of a triangle with a library."""
    known = files | {"a.mtl": library.encode()}
    return read(f"mtllib a.mtl\n{TRIANGLE}{faces}".encode(), Scene("x"), resolver_of(known))


@pytest.mark.parametrize("kind", SUFFIXES)
def test_textures_of_every_format(kind: str) -> None:
    name = f"paint #1.{SUFFIXES[kind]}"
    found = scene_with(f"newmtl a\nmap_Kd {name}\n", {name: image(kind)})
    assert found.losses == ()
    (picture,) = found.images
    assert picture.pixels.shape == (2, 4, 4)
    assert np.abs(picture.pixels[0, 0].astype(int) - (200, 100, 50, 255)).max() <= 8


@pytest.mark.parametrize("kind", SUFFIXES)
def test_large_images_are_refused_before_they_are_unpacked(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = image(kind)
    monkeypatch.setattr(images, "MOST_PIXELS", 7)
    monkeypatch.setattr(images, "_pixels", lambda _: pytest.fail("unpacked"))
    found = scene_with("newmtl a\nmap_Kd b.png\n", {"b.png": data})
    assert [*map(str, found.losses)] == ["b.png: 4 x 2 pixels, at most 7 are read"]


def test_a_long_bitmap_is_refused() -> None:
    found = scene_with("newmtl a\nmap_Kd b.bmp\n", {"b.bmp": image("BMP", (images.MOST_SIDE + 1, 1))})
    assert "at most 32768 a side" in str(found.losses[0])


def test_a_picture_of_several_materials_is_decoded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(images, "MOST_PIXELS", 8)
    faces = "".join(f"usemtl m{number}\nf 1 2 3\n" for number in range(20))
    library = "".join(f"newmtl m{number}\nmap_Kd b.png\n" for number in range(20))
    found = scene_with(library, {"b.png": image("PNG")}, faces)
    assert {it.image for it in found.materials} == {0}
    assert len(found.images) == 1


@pytest.mark.parametrize(
    "words",
    ["skins/b c.jpg", "skins\\\\b c.jpg", '"skins/b c.jpg"', "C:\\\\old\\\\b c.jpg", "b_c.jpg",
     "-s 2 2 skins/b c.jpg", "-o 1 -clamp on skins/b c.jpg"],
)  # fmt: skip
def test_pictures_are_found_as_other_programs_find_them(words: str) -> None:
    data = image("JPEG")
    words = words.replace("\\\\", "\\")
    found = scene_with(f"newmtl a\nmap_Kd {words}\n", {"skins/b c.jpg": data, "b c.jpg": data})
    assert len(found.images) == 1
    expected = ["options of textures are left out: 1"] if words.startswith("-") else []
    assert [*map(str, found.losses)] == expected


def test_what_libraries_say_and_is_not_read_is_counted_and_named() -> None:
    library = "newmtl a\n\tKd\t1 .5 0\nKs 1 1 1\nmap_Bump n.png\nglitter 3\nKe x\nnewmtl b\nsparkle 1\n"
    found = scene_with(library, {})
    assert list(found.materials[0].color) == [1, 0.5, 0, 1]
    assert [*map(str, found.losses)] == [
        "1 statement glitter of materials is left out",
        "1 statement map_Bump of materials is left out",
        "material a: Ke has no numbers: x",
    ]


@pytest.mark.parametrize("was", [False, True])
def test_a_library_without_illum_leaves_the_light_of_a_material(was: bool) -> None:
    assert MaterialTexts().is_unlit("a", was=was) is was
