"""The nodes that the components of a unit hang on."""

from __future__ import annotations

import json
from pathlib import Path

from viewer.formats import units
from viewer.formats.units import ON_NODE
from viewer.model.references.sockets import Socket, sockets
from viewer.model.references.targets import Targets
from viewer.model.store.file_store import FileStore

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
