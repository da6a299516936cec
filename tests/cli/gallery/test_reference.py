"""What a gallery says of an earlier one."""

from __future__ import annotations

import json
import shutil
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.broken.models import sound, still
from tests.builders import archive_of
from tests.cli.console import Capture, failure, success
from tests.cli.gallery.sites import files_of, made, pixels, rows, tall
from viewer.cli.gallery import reference
from viewer.errors import FormatError


def three() -> bytes:
    """The archive of the earlier gallery."""
    return archive_of({"a.msh": still().build(), "b.msh": sound().build(), "c.msh": still().build()})


@pytest.fixture
def models(tmp_path: Path) -> Path:
    path = tmp_path / "models.rlb"
    path.write_bytes(three())
    return path


@pytest.fixture(scope="module")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("earlier")
    (folder / "models.rlb").write_bytes(three())
    made(folder / "models.rlb", folder / "site")
    return folder / "site"


@pytest.fixture
def old(made_once: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made_once, tmp_path / "old"))


def changes(document: dict[str, Any]) -> dict[str, str]:
    return {name: row["change"] for name, row in rows(document).items()}


def test_unchanged_models_are_the_same(models: Path, old: Path, tmp_path: Path) -> None:
    document = made(models, tmp_path / "new", "--reference", old)
    assert set(changes(document).values()) == {"none"}
    assert document["summary"]["changes"] == {"none": 3, "new": 0, "pictures": 0, "bytes": 0, "gone": 0}
    assert not (tmp_path / "new" / "earlier").exists()


def test_changed_new_and_gone_models_are_marked(models: Path, old: Path, tmp_path: Path) -> None:
    models.write_bytes(archive_of({"a.msh": tall(), "b.msh": sound().build(), "d.msh": still().build()}))
    document = made(models, tmp_path / "new", "--reference", old, status=1)
    assert changes(document) == {"a.msh": "pictures", "b.msh": "none", "d.msh": "new", "c.msh": "gone"}
    changed = rows(document)["a.msh"]
    assert changed["changed"] == ["three-quarter", "front", "side"], "from above it is the same square"
    for camera in changed["changed"]:
        before = files_of(old)[f"pictures/a_{camera}.webp"]
        assert (tmp_path / "new" / changed["earlier"][camera]).read_bytes() == before
    gone = rows(document)["c.msh"]
    assert gone["counts"]["triangles"] == 12
    assert set(gone["earlier"]) == {"three-quarter", "front", "side", "top"}
    assert all((tmp_path / "new" / name).is_file() for name in gone["earlier"].values())


def test_what_changed_is_printed(models: Path, old: Path, tmp_path: Path, capsys: Capture) -> None:
    models.write_bytes(archive_of({"a.msh": tall(), "b.msh": sound().build(), "d.msh": still().build()}))
    words = ["gallery", models, "-o", tmp_path / "new", "--reference", old, "--turntable", 0, "--no-models"]
    lines = success(capsys, *words, status=1)[0].splitlines()
    assert lines[:-1] == [
        "models.rlb::a.msh: looks different: three-quarter, front, side",
        "models.rlb::d.msh: is new",
        "models.rlb::c.msh: is gone",
        f"3 of 4 models differ from {old}",
    ]


def test_a_tolerance_of_255_finds_no_picture_that_differs(models: Path, old: Path, tmp_path: Path) -> None:
    models.write_bytes(archive_of({"a.msh": tall(), "b.msh": sound().build(), "c.msh": still().build()}))
    options = "--reference", old, "--tolerance"
    document = made(models, tmp_path / "new", *options, 255, status=1)
    assert changes(document) == {"a.msh": "bytes", "b.msh": "none", "c.msh": "none"}
    assert changes(made(models, tmp_path / "new", *options, 0, status=1))["a.msh"] == "pictures"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--tolerance", "3"], "--tolerance needs --reference"),
        (["--reference", "old", "--tolerance", "256"], "is not 0 to 255"),
    ],
)
def test_odd_tolerances_are_refused(models: Path, arguments: list[str], words: str, capsys: Capture) -> None:
    assert words in failure(capsys, "gallery", models, "-o", "new", *arguments)


def test_the_gone_are_gone_once(models: Path, old: Path, tmp_path: Path) -> None:
    models.write_bytes(archive_of({"a.msh": still().build()}))
    made(models, tmp_path / "new", "--reference", old, status=1)
    document = made(models, tmp_path / "newer", "--reference", tmp_path / "new")
    assert changes(document) == {"a.msh": "none"}


def test_a_site_can_be_compared_with_itself_and_replaced(models: Path, old: Path) -> None:
    models.write_bytes(archive_of({"a.msh": tall(), "b.msh": sound().build(), "c.msh": still().build()}))
    document = made(models, old, "--reference", old, status=1)
    assert changes(document)["a.msh"] == "pictures"
    assert "earlier/a_front.webp" in files_of(old)


def test_bytes_that_show_the_same_are_marked_so(models: Path, old: Path, tmp_path: Path) -> None:
    index = json.loads((old / "gallery.json").read_bytes())
    index["models"][0]["sha256"] = "0" * 64
    (old / "gallery.json").write_text(json.dumps(index))
    document = made(models, tmp_path / "new", "--reference", old, status=1)
    assert changes(document) == {"a.msh": "bytes", "b.msh": "none", "c.msh": "none"}


def test_small_differences_of_pixels_are_none(old: Path) -> None:
    path = old / "pictures" / "b_front.webp"
    before = path.read_bytes()
    shown = pixels(path).astype(np.int16)

    def saved(image: Any) -> bytes:
        Image.fromarray(np.clip(image, 0, 255).astype(np.uint8)).save(path, "WEBP", quality=86)
        return path.read_bytes()

    solid = shown[..., 3:] == 255
    assert not reference._differ(before, saved(shown + 2 * solid))
    moved = shown.copy()
    moved[45:55, 60:70] = (255, 0, 255, 255)
    assert reference._differ(before, saved(moved))
    assert reference._differ(before, b"damaged")
    assert reference._differ(before, None)
    hidden = shown.copy()
    hidden[shown[..., 3] == 0, :3] = 255
    Image.fromarray(hidden.astype(np.uint8)).save(path, "WEBP", lossless=True, exact=True)
    assert not reference._differ(before, path.read_bytes()), "what nobody sees is no difference"


def webp(pixels: Any, **options: Any) -> bytes:
    buffer = BytesIO()
    Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8)).save(buffer, "WEBP", **options)
    return buffer.getvalue()


def picture_of_parts(*, moved: int = 0, tint: int = 0) -> Any:
    """A wall of two colors with a small box on it, which is moved or colored differently."""
    shown = np.zeros((480, 640, 4), np.int16)
    shown[80:400, 120:520] = (120, 110, 100, 255)
    shown[80:400:16, 120:520] = (60, 70, 80, 255)
    shown[200:212, 300 + moved : 312 + moved] = (200 - tint, 160, 90, 255)
    return shown


def as_another_card(shown: Any, seed: int) -> Any:
    """Another card's picture: 1.5 % of pixels differ by more than 2, 0.02 % by more than 32, at most by 76.

    Measured between an NVIDIA card and the software rasterizer; most of it lies along edges.
    """
    random = np.random.default_rng(seed)
    edges = np.flatnonzero(
        np.abs(np.diff(shown[..., 0], axis=1, prepend=0)) + np.abs(np.diff(shown[..., 0], axis=0, prepend=0))
    )
    other = shown.copy().reshape(-1, 4)
    count = len(other)
    for share, low, high in ((0.0148, 3, 32), (0.0002, 33, 76)):
        number = int(count * share)
        places = np.concatenate([random.choice(edges, number // 2), random.integers(0, count, number // 2)])
        change = random.integers(low, high, len(places)) * random.choice((-1, 1), len(places))
        other[places, :3] += np.where(other[places, 3:] > 0, change[:, None], 0).astype(np.int16)
    return other.reshape(shown.shape)


@pytest.mark.parametrize("options", [{"lossless": True}, {"quality": 86}])
def test_two_cards_agree_and_a_part_that_moved_or_changed_color_does_not(options: dict[str, Any]) -> None:
    before = webp(picture_of_parts(), **options)
    for seed in range(4):
        assert not reference._differ(before, webp(as_another_card(picture_of_parts(), seed), **options))
        for changed in (picture_of_parts(moved=2), picture_of_parts(moved=5), picture_of_parts(tint=40)):
            assert reference._differ(before, webp(as_another_card(changed, seed), **options))


@pytest.mark.parametrize("index", [None, '{"schema": "x", "models": []}', '{"schema": "mshview-gallery-2"}'])
def test_what_is_no_gallery_is_refused_and_left_alone(
    models: Path, tmp_path: Path, capsys: Capture, index: str | None
) -> None:
    old = tmp_path / "old"
    old.mkdir(exist_ok=True)
    if index is not None:
        (old / "gallery.json").write_text(index)
    before = files_of(old)
    for target in (tmp_path / "new", old):
        error = failure(capsys, "gallery", models, "-o", target, "--reference", old)
        assert "a gallery" in error
    assert index is None or "not empty" in failure(capsys, "gallery", models, "-o", old)
    assert files_of(old) == before


SOUND = '{"schema": "mshview-gallery-1", "models": [%s]}'
ODD = ("1e999", "-1e999", "NaN", "-20", "1.5", "true", "[]", "[[]]", "{}", "9" * 5000)
HEAD = '{"schema": "mshview-gallery-1"'
FOREIGN = [
    "",
    "{",
    "[]",
    "null",
    "{}",
    "[" * 99_999,
    '{"images":[1,2,3]}',
    f'{{"images": [{"1," * 200}{HEAD}}}]}}',
]
DAMAGED = [
    HEAD, f'{HEAD}, "models": ' + "[" * 99_999, SOUND % "3", SOUND % "{}",
    *(SOUND % f'{{"source": {value}}}' for value in ODD),
    *(SOUND % f'{{"source": "a", "pictures": {{"front": {value}}}}}' for value in ODD),
    *(SOUND % f'{{"source": "a", "counts": {{"nodes": {value}}}}}' for value in ODD),
    *(SOUND % f'{{"source": "a", "counts": {value}}}' for value in ODD if value != "{}"),
    *(SOUND % f'{{"source": "a", "sha256": {value}}}' for value in ODD),
]  # fmt: skip


@pytest.mark.parametrize("index", DAMAGED)
def test_a_damaged_index_is_said_and_stays(tmp_path: Path, capsys: Capture, index: str) -> None:
    (tmp_path / "gallery.json").write_text(index)
    assert reference.Reference.read(tmp_path).models == {}
    assert files_of(tmp_path) == {"gallery.json": index.encode()}
    assert "gallery.json: is damaged, so that all models count as new: " in capsys.readouterr().err


@pytest.mark.parametrize("index", FOREIGN)
def test_an_index_of_another_program_is_refused_and_stays(
    tmp_path: Path, models: Path, capsys: Capture, index: str
) -> None:
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "gallery.json").write_text(index)
    with pytest.raises(FormatError, match="is not the index of a gallery"):
        reference.Reference.read(folder)
    assert "not empty; choose a new folder" in failure(capsys, "gallery", models, "-o", folder)
    assert files_of(folder) == {"gallery.json": index.encode()}
    assert [it.name for it in tmp_path.iterdir() if it.name.startswith("site")] == ["site"]


def test_the_gallery_goes_on_without_a_damaged_index(
    models: Path, old: Path, tmp_path: Path, capsys: Capture
) -> None:
    """As the reference it is unknown, as the place of the new one all of it is kept."""
    damaged = f"{HEAD}, [1e999, -20"
    (old / "gallery.json").write_text(damaged)
    before = files_of(old)
    document = made(models, tmp_path / "new", "--reference", old, status=1)
    assert {*changes(document).values()} == {"new"}
    assert files_of(old) == before
    assert "damaged" in capsys.readouterr().err
    made(models, old)
    assert files_of(tmp_path / "old.damaged") == before
    (old / "gallery.json").write_text(damaged)
    made(models, old)
    assert "is damaged and set aside as old.1.damaged" in capsys.readouterr().err


def test_a_folder_with_other_files_is_not_set_aside(models: Path, old: Path, capsys: Capture) -> None:
    (old / "gallery.json").write_text(HEAD)
    (old / "mine.txt").write_text("mine")
    before = files_of(old)
    assert "holds mine.txt" in failure(capsys, "gallery", models, "-o", old)
    assert files_of(old) == before


def test_an_index_that_lies_leads_nowhere(models: Path, old: Path, tmp_path: Path) -> None:
    """Pictures outside the site are not read, and unknown values are none."""
    index = json.loads((old / "gallery.json").read_bytes())
    first, second, third = index["models"]
    first["pictures"] = {"front": "../../models.rlb", "other": "x"}
    second |= {"pictures": {}, "counts": {}, "sha256": None}
    third |= {"source": "x", "name": "x", "counts": {"many": 1}, "more": [-20]}
    (old / "gallery.json").write_text(json.dumps(index))
    document = made(models, tmp_path / "new", "--reference", old, status=1)
    assert changes(document) == {"a.msh": "pictures", "b.msh": "pictures", "c.msh": "new", "x": "gone"}
    assert not rows(document)["a.msh"]["earlier"]
