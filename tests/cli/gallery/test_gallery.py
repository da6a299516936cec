"""``gallery``: what is in a site, and that it appears whole or not at all.

The page of a site: what texts of files can do to it, and what it loads.
"""

from __future__ import annotations

import base64
import gzip
import html
import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest
from PIL import Image

from tests.broken.models import sound, still
from tests.builders import ModelBuilder, Node, archive_of, box
from tests.cli.console import GAME, ROOT, Capture, failure, success
from tests.cli.gallery.sites import archive, files_of, made, pixels, rows, tall
from tests.systems import needs_any_name
from viewer.cli.gallery import site
from viewer.cli.gallery.card import MOST_PROBLEMS, SiteNames
from viewer.cli.gallery.making import script_of
from viewer.cli.main import main
from viewer.model.mesh import cell_names

INTERRUPTED = """
import os
import signal
import sys
from itertools import pairwise

from viewer.__main__ import console
from viewer.cli import output


class Progress(output.ProgressLine):
    def advance(self, count=1):
        os.killpg(0, signal.SIGINT)


output.ProgressLine = Progress
console()
"""


@pytest.fixture
def models(tmp_path: Path) -> Path:
    path = tmp_path / "models.rlb"
    path.write_bytes(archive())
    return path


def test_a_site_has_a_card_for_every_model(models: Path, tmp_path: Path) -> None:
    document = made(models, tmp_path / "site", status=1)
    found = rows(document)
    assert {"sound.msh", "still.msh", "empty.msh", "broken.msh"} < {*found}
    assert "a.txt" not in found
    assert found["still.msh"]["counts"] | {"materials": 0} == {
        "nodes": 1, "triangles": 12, "vertices": 24, "frames": 0, "textures": 0, "materials": 0,
    }  # fmt: skip
    assert found["still.msh"]["extent"] == [1, 1, 1]
    assert found["broken.msh"]["error"]
    assert not found["broken.msh"]["pictures"]
    assert found["empty.msh"]["error"] is None
    assert not found["empty.msh"]["pictures"]
    assert document["summary"] == {"models": 5, "unreadable": 1, "changes": None}
    assert {row["source"] for row in found.values()} == {f"models.rlb::{name}" for name in found}


def test_an_effect_has_pictures_and_a_film_of_its_round(tmp_path: Path) -> None:
    """The sample's shield is a ball: as wide as high from every side; its round lasts 2 s."""
    document = made(Path(f"{GAME / 'effects.rlb'}::[bs]*"), tmp_path / "site", "--turntable", 4)
    assert {row["kind"] for row in document["models"]} == {"fxid"}
    row = rows(document)["shield"]
    assert row["counts"]["materials"] == 1
    for name in row["pictures"].values():
        alpha = pixels(tmp_path / "site" / name)[..., 3] > 0
        assert alpha.any(axis=1).sum() == pytest.approx(alpha.any(axis=0).sum(), abs=2)
    with Image.open(tmp_path / "site" / row["turntable"]) as film:
        assert getattr(film, "n_frames", 1) == 4
        film.seek(1)
        film.load()
        assert film.info["duration"] == 500


@pytest.mark.usefixtures("_whole_pictures")
def test_each_camera_shows_its_side(models: Path, tmp_path: Path) -> None:
    """A box that is four times as high as wide is so from the front, and square from above."""
    models.write_bytes(archive_of({"tall.msh": tall()}))
    row = rows(made(models, tmp_path / "site"))["tall.msh"]
    sides = {}
    for camera, name in row["pictures"].items():
        alpha = pixels(tmp_path / "site" / name)[..., 3] > 128
        assert alpha.shape == (480, 640)
        sides[camera] = alpha.any(axis=1).sum() / alpha.any(axis=0).sum()
    assert sides["front"] == pytest.approx(4, abs=0.2)
    assert sides["side"] == pytest.approx(4, abs=0.2)
    assert sides["top"] == pytest.approx(1, abs=0.05)
    assert 1 < sides["three-quarter"] < 4


def test_models_are_drawn_as_the_options_say(models: Path, tmp_path: Path) -> None:
    """Seen from above, the normal of a box is up, which is blue; without materials it would be gray."""
    models.write_bytes(archive_of({"tall.msh": tall()}))
    found = []
    for options in ((), ("--shading", "normals")):
        site = tmp_path / str(len(options))
        row = rows(made(models, site, *options))["tall.msh"]
        image = pixels(site / row["pictures"]["top"]).astype(int)
        found.append(image[len(image) // 2, image.shape[1] // 2].tolist())
    (gray, normals) = found
    assert max(gray[:3]) - min(gray[:3]) < 20
    assert normals[2] > max(normals[:2]) + 40


def test_an_option_that_is_wrong_is_an_error_of_the_verb(
    models: Path, tmp_path: Path, capsys: Capture
) -> None:
    words = failure(capsys, "gallery", models, "-o", tmp_path / "site", "--fog", "on")
    assert "--fog needs --sky" in words
    assert not (tmp_path / "site").exists()


def test_a_turntable_turns_once(models: Path, tmp_path: Path) -> None:
    corner = [box((3, 1, 1), center=(1, 0, 0)), box((1, 1, 2), center=(0, 0, 2))]
    models.write_bytes(
        archive_of({"hook.msh": ModelBuilder.of([Node("hook", shapes={(0, 0): corner})]).build()})
    )
    row = rows(made(models, tmp_path / "site", "--turntable", "4"))["hook.msh"]
    with Image.open(tmp_path / "site" / row["turntable"]) as image:
        assert image.n_frames == 4  # type: ignore[attr-defined]
        frames = []
        for index in range(4):
            image.seek(index)
            frames.append(np.asarray(image.convert("RGBA"), np.int16))
    assert all(np.abs(one - two).max() > 100 for one, two in pairwise(frames))


@pytest.mark.usefixtures("_whole_pictures")
def test_the_same_models_give_the_same_bytes(models: Path, tmp_path: Path) -> None:
    made(models, tmp_path / "one", "--turntable", "3", status=1)
    made(models, tmp_path / "two", "--turntable", "3", "--jobs", "2", status=1)
    assert files_of(tmp_path / "one") == files_of(tmp_path / "two")


def test_json_is_the_index(models: Path, tmp_path: Path, capsys: Capture) -> None:
    site = tmp_path / "site"
    options = ["--turntable", "0", "--jobs", "1", "--json"]
    printed, _ = success(capsys, "gallery", models, "-o", site, *options, status=1)
    assert json.loads(printed) == json.loads((site / "gallery.json").read_bytes())


@needs_any_name
def test_names_stay_apart_and_safe(tmp_path: Path) -> None:
    """Names that differ in case only, that are devices, that leave the folder."""
    source = tmp_path / "in"
    source.mkdir()
    for name in ("a.msh", "A.MSH", "con.msh", "ä ö%.msh", "..msh"):
        (source / name).write_bytes(still().build())
    (source / "deep").mkdir()
    (source / "deep" / "a.msh").write_bytes(still().build())
    document = made(source, tmp_path / "site")
    pictures = [row["pictures"]["front"] for row in document["models"]]
    assert len({name.casefold() for name in pictures}) == len(pictures) == 6
    assert all((tmp_path / "site" / name).is_file() for name in pictures)
    assert not any(name.startswith("pictures/con_") for name in pictures)
    assert {row["holder"] for row in document["models"]} == {"", "deep"}


def test_another_gallery_is_replaced_and_nothing_else(models: Path, tmp_path: Path, capsys: Capture) -> None:
    site = tmp_path / "site"
    made(models, site, status=1)
    models.write_bytes(archive_of({"still.msh": still().build()}))
    made(models, site)
    assert {*rows(json.loads((site / "gallery.json").read_bytes()))} == {"still.msh"}
    assert not [name for name in files_of(site) if "sound" in name]
    before = files_of(site)
    capsys.readouterr()
    assert "exists already" in failure(capsys, "gallery", models, "-o", site, "--no-clobber")
    assert files_of(site) == before
    other = tmp_path / "other"
    other.mkdir()
    (other / "mine.txt").write_text("keep")
    assert "not empty" in failure(capsys, "gallery", models, "-o", other)
    assert files_of(other) == {"mine.txt": b"keep"}
    assert {it.name for it in tmp_path.iterdir()} == {"models.rlb", "site", "other"}


def test_a_site_does_not_tell_where_it_was_made(models: Path, tmp_path: Path) -> None:
    found = rows(made(models, tmp_path / "site", status=1))
    assert any(it["rule"] == "" for it in found["still.msh"]["diagnostics"]), "a missing wear table"
    assert not any(str(tmp_path).encode() in data for data in files_of(tmp_path / "site").values())


@pytest.mark.parametrize("name", ["mine.txt", ".git", "pictures/mine.png"])
def test_a_gallery_with_other_files_is_kept(models: Path, tmp_path: Path, capsys: Capture, name: str) -> None:
    site = tmp_path / "site"
    made(models, site, status=1)
    (site / name).mkdir()
    before = files_of(site)
    capsys.readouterr()
    assert f"holds {name}, " in failure(capsys, "gallery", models, "-o", site)
    assert files_of(site) == before
    assert (site / name).is_dir()


@pytest.mark.parametrize("source", ["none.rlb", "empty.rlb", "folder"])
def test_nothing_to_show_is_an_error(tmp_path: Path, capsys: Capture, source: str) -> None:
    (tmp_path / "empty.rlb").write_bytes(archive_of({"a.txt": b"no model"}))
    (tmp_path / "folder").mkdir()
    failure(capsys, "gallery", tmp_path / source, "-o", tmp_path / "site")
    assert not (tmp_path / "site").exists()


@pytest.mark.skipif(os.name != "posix", reason="other systems have no SIGINT to send")
def test_an_interruption_leaves_nothing(models: Path, tmp_path: Path) -> None:
    command = ["gallery", models, "-o", tmp_path / "site", "--jobs", "2", "--turntable", "0"]
    process = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, *map(str, command)],
        cwd=ROOT,
        capture_output=True,
        check=False,
        start_new_session=True,
        timeout=120,
    )
    assert (process.returncode, process.stderr) == (130, b"")
    assert [*tmp_path.iterdir()] == [models]


def test_damaged_archives_have_a_card(tmp_path: Path) -> None:
    source = tmp_path / "in"
    source.mkdir()
    (source / "good.msh").write_bytes(still().build())
    (source / "bad.rlb").write_bytes(archive()[:100])
    (source / "good.msh.bak").write_bytes(still().build())
    found = rows(made(source, tmp_path / "site", status=1))
    assert found["bad.rlb"]["error"]
    assert found["good.msh"]["pictures"]
    assert {*found} == {"bad.rlb", "good.msh"}, "what was kept of a saved file is none of its own"


def test_all_problems_are_counted_and_the_first_ones_listed(models: Path, tmp_path: Path) -> None:
    builder = still()
    builder.batches = np.repeat(builder.batches, 90)
    builder.batches["index_start"] = 50_000
    models.write_bytes(archive_of({"bad.msh": builder.build()}))
    row = rows(made(models, tmp_path / "site"))["bad.msh"]
    assert row["errors"] >= 90
    assert len(row["diagnostics"]) == MOST_PROBLEMS
    assert {it["severity"] for it in row["diagnostics"]} == {"error"}


def test_standard_input_and_strict(tmp_path: Path, capsys: Capture) -> None:
    assert "cannot be standard output" in failure(capsys, "gallery", tmp_path, "-o", "-")
    assert "not 0 to" in failure(capsys, "gallery", tmp_path, "-o", tmp_path / "x", "--turntable", "9999")
    assert main(["gallery", "--help"]) == 0


NASTY: Final = "</script><script>alert(1)</script> {{code}} <!-- & \u2028 \udcff"
FOLDER: Final = Path(site.__file__).parent


class Elements(HTMLParser):
    """What a browser makes of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.addresses: list[str] = []
        self.texts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep an element."""
        self.tags.append(tag)
        self.addresses += [value for name, value in attrs if name in ("src", "href") and value]

    def handle_data(self, data: str) -> None:
        """Keep a text."""
        self.texts.append(data)


def document(**row: Any) -> dict[str, Any]:
    return {"schema": "mshview-gallery-1", "title": NASTY, "models": [row], "summary": {}}


def test_texts_of_files_stay_texts() -> None:
    shown = site.html(document(name=NASTY, error=NASTY))
    found = Elements(shown)
    plain = Elements(site.html(document() | {"title": "plain"}))
    assert found.tags == plain.tags
    assert found.addresses == plain.addresses
    assert shown.encode()
    data = next(text for text in found.texts if text.startswith('{"schema"'))
    assert json.loads(data)["models"] == [{"name": NASTY, "error": NASTY}]
    assert html.escape("{{code}}") in shown, "a title is no part of the template"


def test_every_part_of_the_template_is_filled() -> None:
    shown = site.html(document() | {"title": "plain"})
    assert not re.search(r"\{\{\w+\}\}", shown)
    assert "window.gallery" in shown


def test_no_script_of_the_page_ends_it_or_names_a_host() -> None:
    scripts = [*(FOLDER / "page").glob("*.js"), FOLDER / "three" / "three.min.js"]
    assert len(scripts) > 5
    for script in scripts:
        text = script.read_text("utf-8")
        hosts = set(re.findall(r"https?://[\w.]+", text))
        assert hosts <= {"http://www.w3.org"}, "names of XML, which nothing is loaded from"
        assert "<!--" not in text
        if script.parent.name == "page":
            assert "</script" not in text
            assert "innerHTML" not in text, "texts of files would be markup"


def test_elements_that_scripts_look_for_are_there() -> None:
    template = (FOLDER / "page" / "index.html").read_text("utf-8")
    scripts = "".join(it.read_text("utf-8") for it in (FOLDER / "page").glob("*.js"))
    named = set(re.findall(r'find\("(\w+)"\)', scripts))
    assert named == set(re.findall(r'\bid="(\w+)"', template))


def test_the_library_is_of_the_version_that_is_stated() -> None:
    built = (FOLDER / "three" / "build.sh").read_text("utf-8")
    found = re.search(r"THREE=([\d.]+)", built)
    assert found
    library = (FOLDER / "three" / "three.min.js").read_text("utf-8")
    assert library.startswith(f"/* three.js {found[1]}, MIT License")
    assert f'"{found[1].split(".")[1]}"' in library, "its own number"
    assert found[1] in (FOLDER / "three" / "README.md").read_text("utf-8")
    assert (FOLDER / "three" / "LICENSE").read_text("utf-8").startswith("The MIT License")


@pytest.mark.parametrize("stem", ["walker", 'quote"', "%41"])
def test_a_model_is_a_script_that_holds_its_file(stem: str) -> None:
    data = bytes(range(256)) * 40
    script = script_of(stem, data, cell_names.FIELD).decode("ascii")
    found = re.fullmatch(r'gallery\.take\((".*"),"([A-Za-z0-9+/=]+)",(\[.*\])\);\n', script)
    assert found
    assert json.loads(found[1]) == stem
    assert gzip.decompress(base64.b64decode(found[2])) == data
    assert json.loads(found[3])[1][2] == "LOD 1 - damaged, group 2 - far"


def test_a_site_holds_the_models_and_the_library_only_if_asked(tmp_path: Path) -> None:
    (tmp_path / "a.rlb").write_bytes(archive_of({"a.msh": sound().build()}))
    with_models = made(tmp_path / "a.rlb", tmp_path / "one")["models"][0]
    script = (tmp_path / "one" / with_models["model"]).read_bytes()
    packed = script.split(b'"')[3]
    assert gzip.decompress(base64.b64decode(packed))[:4] == b"glTF"
    assert {"three.min.js", "three.LICENSE.txt"} < {*files_of(tmp_path / "one")}
    without = made(tmp_path / "a.rlb", tmp_path / "two", "--no-models")["models"][0]
    assert without["model"] is None
    assert not [name for name in files_of(tmp_path / "two") if name.startswith(("three.", "models"))]


def test_the_page_reads_what_files_say_about_cells_and_blending(tmp_path: Path) -> None:
    (tmp_path / "a.rlb").write_bytes(archive_of({"a.msh": sound().build()}))
    made(tmp_path / "a.rlb", tmp_path / "site")
    script = next((tmp_path / "site" / "models").iterdir()).read_bytes()
    data = gzip.decompress(base64.b64decode(script.split(b'"')[3]))
    file = json.loads(data[20 : 20 + int.from_bytes(data[12:16], "little")])
    told = [it["extras"]["mshview"] for it in (*file["scenes"], *file["materials"])]
    assert all("cell" in json.loads(it) or "blend" in json.loads(it)["fields"] for it in told)
    page = (FOLDER / "page" / "model_view.js").read_text("utf-8")
    assert re.findall(r"(\S+)userData\.mshview", page) == ["JSON.parse(part."], "a text in the file"


def test_names_are_those_of_the_model_where_that_is_safe() -> None:
    names = SiteNames()
    given = ["walker.msh", "WALKER.MSH", "../../etc/passwd", "", "a" * 300, "тест.msh", "con"]
    found = [names.stem(name, index) for index, name in enumerate(given)]
    assert found[0] == "walker"
    assert len({it.casefold() for it in found}) == len(found)
    assert all(re.fullmatch(r"[\w.%~-]{1,90}", it, re.ASCII) and it[0] != "." for it in found)
