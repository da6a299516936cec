"""The page of a site: what texts of files can do to it, and what it loads."""

from __future__ import annotations

import base64
import gzip
import html
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Final

import pytest

from tests.broken.models import sound
from tests.builders import archive_of
from tests.cli.gallery.sites import files_of, made
from viewer.cli.gallery import site
from viewer.cli.gallery.card import SiteNames
from viewer.cli.gallery.making import script_of
from viewer.model.mesh import cell_names

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


def test_names_are_those_of_the_model_where_that_is_safe() -> None:
    names = SiteNames()
    given = ["walker.msh", "WALKER.MSH", "../../etc/passwd", "", "a" * 300, "тест.msh", "con"]
    found = [names.stem(name, index) for index, name in enumerate(given)]
    assert found[0] == "walker"
    assert len({it.casefold() for it in found}) == len(found)
    assert all(re.fullmatch(r"[\w.%~-]{1,90}", it, re.ASCII) and it[0] != "." for it in found)
