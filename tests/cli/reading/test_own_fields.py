"""Overlay files: fields as a user understands them, beside the declared ones and always told apart."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.cli.console import Capture, failure, json_of, success
from tests.game_folders import TEXM, archive, texture
from tests.messages import states
from viewer.errors import FormatError
from viewer.formats.texture import texm
from viewer.formats.texture.pixels import PixelFormat
from viewer.model.kinds import own_fields
from viewer.model.kinds.explained import explained, own_field
from viewer.model.kinds.own_field import OwnField
from viewer.model.kinds.own_fields import SCHEMA, OwnFields, records_of
from viewer.model.kinds.registry import KINDS
from viewer.session.field_text import tooltip_lines

FLAGS = {
    "format": "texm",
    "table": "header",
    "field": "flags4",
    "name": "quality",
    "meaning": "how fine it is",
}
PAGES = {"format": "texm", "table": "pages", "field": "x", "name": "left", "type": "u8[2]"}


@pytest.fixture(autouse=True)
def no_overlay() -> Iterator[None]:
    """None is in use before and after a test."""
    own_fields.use(None)
    yield
    own_fields.use(None)


def overlay(folder: Path, *fields: dict[str, Any]) -> Path:
    path = folder / "own.json"
    path.write_text(json.dumps({"schema": SCHEMA, "author": "Ann", "fields": fields}), "utf-8")
    return path


@pytest.fixture
def library(tmp_path: Path) -> Path:
    path = tmp_path / "t.lib"
    black = np.zeros((8, 8, 4), np.uint8)
    textures = {f"{it}.0": texm.build(black, PixelFormat.RGB565, flags4=it) for it in (0, 32, 7)}
    path.write_bytes(archive(TEXM, {**textures, "paged.0": texture(pages=[(1, 2, 3, 4), (258, 0, 1, 1)])}))
    return path


def test_a_place_is_shown_with_what_the_user_says(tmp_path: Path, library: Path, capsys: Capture) -> None:
    own = overlay(tmp_path, FLAGS | {"type": "i16[2]", "note": "seen on signs"})
    given = "inspect", f"{library}::32.0", "--at", "header.flags4"
    found = json_of(capsys, *given, "--overlay", own)
    assert (found["own_name"], found["own_type"], found["own_value"]) == ("quality", "i16[2]", [32, 0])
    assert (found["own_meaning"], found["own_note"]) == ("how fine it is", "seen on signs")
    assert (found["value"], found["type"], found["status"]) == (32, "u32", "open")
    assert "own_name" not in json_of(capsys, *given)


def test_a_value_has_its_name(tmp_path: Path, library: Path, capsys: Capture) -> None:
    own = overlay(tmp_path, FLAGS | {"values": {"32": "best"}})
    found = json_of(capsys, "inspect", f"{library}::32.0", "--at", "header.flags4", "--overlay", own)
    assert found["own_value"] == "32 (best)"


def test_a_table_has_a_column_of_the_user(tmp_path: Path, library: Path, capsys: Capture) -> None:
    own = overlay(tmp_path, PAGES)
    rows = json_of(capsys, "inspect", f"{library}::paged.0", "--table", "pages", "--overlay", own)["rows"]
    assert [it["left"] for it in rows] == [[1, 0], [2, 1]]
    assert [it["x"] for it in rows] == [1, 258]
    out, _err = success(capsys, "inspect", f"{library}::paged.0", "--table", "pages", "--overlay", own)
    assert "left" in out.splitlines()[0].split()


def test_tooltips_say_what_the_user_says(tmp_path: Path) -> None:
    declared = texm.HEADER.field("flags4")
    before = [*tooltip_lines(declared)]
    own_fields.use(OwnFields.parse(overlay(tmp_path, FLAGS).read_bytes()))
    assert states(explained(declared), "Yours quality how fine it is")
    assert [*tooltip_lines(declared)] != before
    # Another record has an equal field of that name: it is not the one that is meant.
    assert not own_field(texm.PAGE_HEADER.field("magic"))
    own_fields.use(None)
    assert [*tooltip_lines(declared)] == before


def test_a_score_says_which_rows_do_not_fit(tmp_path: Path, library: Path, capsys: Capture) -> None:
    names = {"0": "low", "32": "high"}
    own = overlay(tmp_path, FLAGS | {"values": names}, PAGES | {"type": "i16", "most": 200})
    flags, pages = json_of(capsys, "stats", library, "--overlay", own)["overlay"]
    assert (flags["rows"], flags["files"], flags["fitting"], flags["share"]) == (4, 4, 3, 0.75)
    (exception,) = flags["exceptions"]
    assert exception["value"] == 7
    assert exception["source"].endswith("::7.0")
    assert (pages["rows"], pages["fitting"], pages["exceptions"][0]["row"]) == (2, 1, 1)
    out, _err = success(capsys, "stats", library, "--overlay", own)
    assert states(out, "quality texm.header.flags4 4 4 3 0.75")


def test_numbers_that_are_not_finite_do_not_fit() -> None:
    own = OwnField("texm", "header", "flags4", "x", "f32")
    values = own.read(np.array([0x3F800000, 0x7F800000, 0x7FC00000], np.uint32))
    assert own.fits(values).tolist() == [True, False, False]


def test_every_format_has_records() -> None:
    assert set(records_of("msh")) >= {"nodes", "slots", "batches", "faces", "header"}
    assert set(records_of("fxid")) >= {"header", "light", "sprite"}
    mat0 = records_of("mat0")
    assert "ground_surface" in {it.name for it in mat0["header"].fields}
    assert "key_count" in {it.name for it in mat0["blocks.header"].fields}
    assert all(records_of(it.id) for it in KINDS if it.is_known and it.id not in ("wear", "description"))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"format": "texn"}, "fields[0].format texn texm"),
        ({"table": "heder"}, "fields[0].table heder header"),
        ({"field": "flags"}, "fields[0].field flags"),
        ({"name": "width"}, "fields[0].name width declared"),
        ({"name": "a b"}, "fields[0].name"),
        ({"type": "u16"}, "fields[0].type 2 bytes 4"),
        ({"type": "u128"}, "fields[0].type"),
        ({"type": "u8[99999]"}, "fields[0].type"),
        ({"values": {"x": "y"}}, "fields[0].values x whole"),
        ({"values": {"--5": "y"}}, "fields[0].values --5 whole"),
        ({"values": {"9" * 5000: "y"}}, "fields[0].values whole"),
        ({"values": {"1": "y", "01": "z"}}, "fields[0].values 01 same number"),
        ({"values": {"-1": "y"}}, "fields[0].values -1 fit u32"),
        ({"values": {"256": "y"}, "type": "u8[4]"}, "fields[0].values 256 fit u8"),
        ({"least": 5, "most": 1}, "fields[0].most 1 less 5"),
        ({"least": "nan"}, "fields[0].least finite"),
        ({"most": "inf"}, "fields[0].most finite"),
        ({"meaning": "a\nb"}, "fields[0].meaning one line"),
        ({"note": "n" * 1001}, "fields[0].note characters"),
        ({"values": {"1": "a\tb"}}, "fields[0].values 1 one line"),
        ({"surprise": 1}, "fields[0] surprise"),
    ],
)
def test_what_a_file_cannot_say(
    tmp_path: Path, library: Path, capsys: Capture, change: Any, said: str
) -> None:
    error = failure(capsys, "inspect", f"{library}::0.0", "--overlay", overlay(tmp_path, FLAGS | change))
    assert states(error, f"own.json {said}")


def test_a_field_is_named_once(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="row 0"):
        OwnFields.parse(overlay(tmp_path, FLAGS, FLAGS | {"name": "other"}).read_bytes())
    with pytest.raises(FormatError, match="row 0"):  # two columns of one name in one table
        OwnFields.parse(overlay(tmp_path, FLAGS, FLAGS | {"field": "mip_count"}).read_bytes())
    for text in (b"", b"[]", b"{}", b'{"schema": "x", "fields": []}'):
        with pytest.raises(FormatError):
            OwnFields.parse(text)


def test_uses_that_mean_nothing(tmp_path: Path, library: Path, capsys: Capture) -> None:
    own = overlay(tmp_path, FLAGS)
    assert failure(capsys, "stats", library, "--overlay", own, "--field", "texm.header.flags4")
    assert failure(capsys, "stats", library, "--overlay", tmp_path / "gone.json")
