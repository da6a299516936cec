"""Descriptions of parts: what each line says, bytes that are no such text, the truth of the corpora."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.formats.contract import check_field_change, check_payload, plain
from viewer.formats import description
from viewer.formats.archive.nres import Archive

GUN = (
    b"//G3:L14\r\n//B:WPN:GUN:MK2:A3\r\n#1L88mmX\r\n#2Large cannon\r\n#3Loud.\r\n#6UpgradeLevel=2\r\n"
    b"#ABuildOreCost=50\r\n@G@Rate of fire @B,Frate,G,1/s,5,@\r\n"
)


def test_what_the_lines_say() -> None:
    facts = plain(description.facts(description.decode(GUN)))
    assert (facts["code"], facts["name"], facts["tab"], facts["level"]) == ("L88mmX", "Large cannon", 3, 14)
    assert (facts["kind"], facts["feeds"]) == (["B", "WPN", "GUN", "MK2", "A3"], None)
    assert facts["free"] == ["Loud."]
    assert facts["fields"] == {"UpgradeLevel": 2, "BuildOreCost": 50}
    assert facts["rows"] == [{"label": "Rate of fire", "field": "Frate", "unit": "1/s"}]


def test_a_clip_feeds_a_weapon_and_has_no_code() -> None:
    facts = plain(description.facts(description.decode(b"#2Clip\n#5L88mmX\nno tag\n#6Level=many")))
    assert (facts["name"], facts["code"], facts["feeds"]) == ("Clip", None, "L88mmX")
    assert (facts["tab"], facts["level"], facts["fields"]) == (None, None, {"Level": "many"})


def test_the_first_name_counts_and_its_letters_are_those_of_the_game() -> None:
    assert description.facts(description.decode("#2 Пушка \r\n#2Other".encode("cp1251"))).name == "Пушка"


@pytest.mark.parametrize(("data", "where"), [(b"", ""), (b"#1X\r\n", "lines"), (b"#2 \r\n", "lines")])
def test_a_part_without_a_name_is_named(data: bytes, where: str) -> None:
    (finding,) = description.decode(data).diagnostics
    assert (finding.rule, finding.where) == ("DSC01", where)


@given(st.binary(max_size=60) | st.text("#/@GB2,:=\r\n ", max_size=60).map(str.encode))
def test_any_bytes_are_lines_and_come_back(data: bytes) -> None:
    decoded = description.decode(data)
    check_payload(data, description.encode(decoded), description.parts(decoded), decoded.diagnostics)


@given(st.data())
def test_a_changed_field_changes_its_bytes_alone(data: st.DataObject) -> None:
    decoded = description.decode(GUN)
    check_field_change(decoded, description.encode, description.parts(decoded), data)


def test_the_corpus(samples: Path) -> None:
    root = samples / "field2"
    archive = Archive.read((root / "game" / "objects.dlb").read_bytes())
    truth = json.loads((root / "truth.json").read_text())["parts"]
    assert [entry.text for entry in archive.entries] == [*truth]
    for entry in archive.entries:
        decoded = description.decode(archive.payload(entry.index))
        assert (plain(description.facts(decoded)), decoded.diagnostics) == (truth[entry.text], ())
