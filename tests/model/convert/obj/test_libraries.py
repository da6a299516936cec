"""Material libraries of other programs: their pictures in any format, and what is left out."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import PIL.Image
import pytest
from PIL import features

from viewer.errors import AddressError
from viewer.model.convert import images
from viewer.model.convert.obj.read import read
from viewer.model.convert.scene import Options, Primitive, Scene

TRIANGLE = "v 0 0 0\nv 1 0 0\nv 0 1 0\n"
SUFFIXES = {"PNG": "png", "JPEG": "jpg", "BMP": "bmp", "TGA": "tga", "WEBP": "webp"}


def image(kind: str, size: tuple[int, int] = (4, 2)) -> bytes:
    """A file of one color."""
    if kind == "WEBP" and not features.check("webp"):
        pytest.skip("Pillow without WebP")
    file = BytesIO()
    PIL.Image.new("RGB", size, (200, 100, 50)).save(file, kind)
    return file.getvalue()


def scene_of(library: str, files: dict[str, bytes], faces: str = "usemtl a\nf 1 2 3\n") -> Scene:
    """The scene of a triangle with a library."""
    known = files | {"a.mtl": library.encode()}

    def beside(name: str) -> bytes:
        if name not in known:
            raise AddressError("does not exist", source=name)
        return known[name]

    return read(f"mtllib a.mtl\n{TRIANGLE}{faces}".encode(), Scene("x"), beside)


@pytest.mark.parametrize("kind", SUFFIXES)
def test_textures_of_every_format(kind: str) -> None:
    name = f"paint #1.{SUFFIXES[kind]}"
    found = scene_of(f"newmtl a\nmap_Kd {name}\n", {name: image(kind)})
    assert found.losses == ()
    (picture,) = found.pictures
    assert picture.pixels.shape == (2, 4, 4)
    assert np.abs(picture.pixels[0, 0].astype(int) - (200, 100, 50, 255)).max() <= 8


@pytest.mark.parametrize("kind", SUFFIXES)
def test_large_images_are_refused_before_they_are_unpacked(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = image(kind)
    monkeypatch.setattr(images, "MOST_PIXELS", 7)
    monkeypatch.setattr(images, "_pixels", lambda _: pytest.fail("unpacked"))
    found = scene_of("newmtl a\nmap_Kd b.png\n", {"b.png": data})
    assert [*map(str, found.losses)] == ["b.png: 4 x 2 pixels, at most 7 are read"]


def test_a_long_bitmap_is_refused() -> None:
    found = scene_of("newmtl a\nmap_Kd b.bmp\n", {"b.bmp": image("BMP", (images.MOST_SIDE + 1, 1))})
    assert "at most 32768 a side" in str(found.losses[0])


def test_a_picture_of_several_materials_is_decoded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(images, "MOST_PIXELS", 8)
    faces = "".join(f"usemtl m{number}\nf 1 2 3\n" for number in range(20))
    library = "".join(f"newmtl m{number}\nmap_Kd b.png\n" for number in range(20))
    found = scene_of(library, {"b.png": image("PNG")}, faces)
    assert {it.picture for it in found.materials} == {0}
    assert len(found.pictures) == 1


@pytest.mark.parametrize(
    "words",
    ["skins/b c.jpg", "skins\\\\b c.jpg", '"skins/b c.jpg"', "C:\\\\old\\\\b c.jpg", "b_c.jpg",
     "-s 2 2 skins/b c.jpg", "-o 1 -clamp on skins/b c.jpg"],
)  # fmt: skip
def test_pictures_are_found_as_other_programs_find_them(words: str) -> None:
    data = image("JPEG")
    words = words.replace("\\\\", "\\")
    found = scene_of(f"newmtl a\nmap_Kd {words}\n", {"skins/b c.jpg": data, "b c.jpg": data})
    assert len(found.pictures) == 1
    expected = ["options of textures are left out: 1"] if words.startswith("-") else []
    assert [*map(str, found.losses)] == expected


def test_what_libraries_say_and_is_not_read_is_counted_and_named() -> None:
    library = "newmtl a\n\tKd\t1 .5 0\nKs 1 1 1\nmap_Bump n.png\nglitter 3\nKe x\nnewmtl b\nsparkle 1\n"
    found = scene_of(library, {})
    assert list(found.materials[0].color) == [1, 0.5, 0, 1]
    assert [*map(str, found.losses)] == [
        "1 statement glitter of materials is left out",
        "1 statement map_Bump of materials is left out",
        "material a: Ke has no numbers: x",
    ]


def only(faces: str) -> tuple[Primitive, list[str]]:
    """The primitive of faces over three corners of a square, and what is lost."""
    text = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 2 0 1\nv 2 1 1\nvt .5 .25\nvn 0 1 0\n"
    found = read((text + faces).encode(), Scene("x", options=Options(is_y_up=False)), lambda _: b"")
    return found.meshes[0].primitives[0], [*map(str, found.losses)]


def test_corners_without_texture_coordinates_and_normals_do_not_take_those_of_others() -> None:
    made, losses = only("f 1/1/1 2/1/1 3/1/1\nf 1 3 4\n")
    assert made.uvs is not None
    assert made.normals is not None
    corners = made.triangles
    assert made.uvs[corners[0]].tolist() == [[0.5, 0.75]] * 3
    assert made.normals[corners[0]].tolist() == [[0, 1, 0]] * 3
    assert made.normals[corners[1]].tolist() == [[0, 0, 1]] * 3
    assert losses == ["corners without texture coordinates: 3"]


def test_smoothing_groups_share_the_normals_of_vertices() -> None:
    made, _ = only("s 1\nf 1 2 3 4\nf 2 5 6 3\ns off\nf 2 5 6 3\n")
    normals, corners = made.normals, made.triangles
    assert normals is not None
    slant = np.array((-1, 0, 1)) / np.sqrt(2)
    between = (np.array((0, 0, 1)) + slant) / np.linalg.norm(np.array((0, 0, 1)) + slant)
    np.testing.assert_allclose(normals[corners[0, 1]], between, atol=1e-6)
    np.testing.assert_allclose(normals[corners[2, 0]], between, atol=1e-6)
    np.testing.assert_allclose(normals[corners[4]], [slant] * 3, atol=1e-6)
