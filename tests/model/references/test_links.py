"""The links of one payload."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests import sound_game
from viewer.formats import mat0, units
from viewer.formats.archive.nres import Entry
from viewer.formats.neighbors.control import CHANNEL
from viewer.formats.part import find
from viewer.formats.units import ON_NODE
from viewer.model.kinds.registry import kind_of
from viewer.model.references import links
from viewer.model.references.links import Links, Socket, links_of, sockets
from viewer.model.references.targets import Targets
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.place import Place


@pytest.fixture
def game(tmp_path: Path) -> Path:
    return sound_game.write(tmp_path)


def linked(game: Path, address: str) -> Links:
    library = FileStore()
    item = library.open(Address.parse(f"{game}/{address}"))
    kind = kind_of(item)
    entry = item.entry if isinstance(item.entry, Entry) else None
    parts = kind.parts(kind.decode(item.data, entry))
    return links_of(library, item, parts, Targets(library, game))


def test_every_name_of_a_payload_has_its_target(game: Path) -> None:
    made = linked(game, "objects.rlb::tree")
    part = made.root and find(made.root, "references")
    assert part is not None
    assert part.record is not None
    assert isinstance(part.rows, np.ndarray)
    target = made.of_name(part.record, part.rows[1], part.record.field("resource"))
    assert target is not None
    assert target.place == Place(f"{game}/static.rlb::tree.wea")


def test_no_more_names_than_a_limit_are_looked_up(game: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(links, "MOST_NAMES", 1)
    assert len(linked(game, "objects.rlb::tree").targets) == 1


def test_numbers_lead_to_rows_of_the_same_payload() -> None:
    material = mat0.decode(mat0.build([mat0.PhaseRecord()], [mat0.block(0, 0, [(0, 1), (7, 2)])]))
    made = Links("a", mat0.parts(material))
    phase = mat0.KEY.field("phase")
    assert [*made.of_numbers(phase, 0)] == [Place("a", "phases", 0)]
    assert [*made.of_numbers(phase, 7)] == []
    assert [*made.of_numbers(mat0.KEY.field("time"), 0)] == []


@pytest.mark.parametrize("name", ["Land1.wea", "Land2.wea"])
def test_the_wear_tables_of_a_terrain_belong_to_it(game: Path, name: str) -> None:
    assert linked(game, f"MAPS/{name}").model == f"{game}/MAPS/Land.msh"


@pytest.mark.parametrize(
    "address", ["static.rlb::tree.wea", "static.rlb::tree.ndp", "control.rlb::turner.ctl"]
)
def test_the_model_has_the_same_stem_or_is_that_of_the_object(game: Path, address: str) -> None:
    assert linked(game, address).model == f"{game}/static.rlb::tree.msh"


def test_a_node_number_leads_to_the_model(game: Path) -> None:
    made = linked(game, "control.rlb::turner.ctl")
    assert [*made.of_numbers(CHANNEL.field("node"), 3)] == [Place(made.model, "nodes", 3)]
    assert [*made.of_numbers(CHANNEL.field("node"), -1)] == []


def test_what_belongs_to_no_model_has_none(game: Path) -> None:
    assert linked(game, "objects.rlb::tree").model == ""


SAMPLE = Path(__file__).parents[3] / "assets" / "game"
UNIT = "UNITS/UNITS/BATTLE/w_test.dat"


def sockets_of(game: Path, name: str) -> tuple[Socket | None, ...]:
    library = FileStore()
    unit = units.decode((game / name).read_bytes())
    keys = (key.tobytes().partition(b"\0")[0] for key in unit.components["key"])
    targets = Targets(library, game)
    return sockets(library, unit, [targets.model(key) for key in keys])


def test_parts_hang_on_the_named_sockets_of_their_parents() -> None:
    found = sockets_of(SAMPLE, "UNITS/UNITS/SAMPLE/walker.dat")
    named = [socket and (Path(socket.place.address).name, socket.name, socket.takes) for socket in found]
    assert named == [
        None,
        ("models.rlb::walker.msh", "Base_TM", "e_tur_bt"),
        ("turrets.rlb::e_tur_bt_01.msh", "Base_G1", "e_gun_tw"),
        None,
    ]


def test_sockets_are_those_of_an_independent_unit(samples: Path) -> None:
    truth = json.loads((samples / "field" / "truth.json").read_text("utf-8"))
    found = sockets_of(samples / "field" / "game", UNIT)
    for component, socket in zip(truth["units"][f"game/{UNIT}"]["components"], found, strict=True):
        expected = component["socket"] if component["class"] in ON_NODE else None
        assert (socket.name if socket else None) == expected


def test_a_node_that_does_not_exist_has_no_name(tmp_path: Path) -> None:
    data = (SAMPLE / "UNITS/UNITS/SAMPLE/walker.dat").read_bytes()
    rows = units.decode(bytearray(data))
    rows.components["attachment"][1:3] = -1, 900
    (tmp_path / "odd.dat").write_bytes(units.encode(rows))
    found = sockets_of(SAMPLE, str(tmp_path / "odd.dat"))
    assert found[1] is None
    assert found[2] is not None
    assert (found[2].place.row, found[2].name, found[2].takes) == (900, "", "")
