"""The sheet of a unit: what its files say, and a mark for what they do not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.builders import ModelBuilder, Node, archive_of, box
from tests.corpora import GAME, SAMPLES
from tests.outfitted_game import WALKER
from viewer.formats import units
from viewer.formats.neighbors import damage
from viewer.model.game.assembly import assemble
from viewer.model.game.registry import Game
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.units.unit_sheets import UNKNOWN, PartMeasures, UnitSheet, measures_of, sheet_of


def sheet(path: Path, game: Path) -> UnitSheet:
    store = FileStore()
    found, unit = Game(game, store), units.decode(memoryview(path.read_bytes()))
    return sheet_of(store, found, unit, assemble(store, found, unit))


def test_sums_leave_out_what_is_not_known() -> None:
    found = sheet(GAME / WALKER, GAME)
    assert found.kind == "warrior"
    assert [it.key for it in found.weapons] == ["e_gun_tw_01"]
    reactor = found.parts[3]
    assert (reactor.model, reactor.mass, reactor.hit_points) == (None, None, None)
    known = [it.mass for it in found.parts if it.mass is not None]
    assert len(known) == 3
    assert found.totals["mass"].sum == pytest.approx(sum(known))
    assert found.totals["mass"].unknown == 1


@pytest.mark.corpora
def test_clips_and_weapons_are_told_by_their_class(samples: Path) -> None:
    game = SAMPLES / "field" / "game"
    found = sheet(game / "UNITS/UNITS/BATTLE/w_test.dat", game)
    assert [it.key for it in found.weapons] == ["w_gun_1", "w_gun_1"]
    assert [it.key for it in found.clips] == ["W_Clip_1", "w_clip_1"]


def model_at(folder: Path, points: list[float], *, rows: int | None = None, area: float = 5.0) -> Address:
    """A model with two nodes of one box each, and the damage of some rows."""
    builder = ModelBuilder.of([Node(f"n{number}", shapes={(0, 0): [box()]}) for number in range(2)])
    builder.slots["opaque"][:, 0] = np.array([area, 7.0], "<f4").view("<u4")
    builder.slots["opaque"][:, 1] = np.array([2.0, 3.0], "<f4").view("<u4")
    count = 2 if rows is None else rows
    stored = damage.NODE_DAMAGE.new(count)
    stored["hit_points"], stored["density"] = points[:count], 10.0
    header = np.array([count], "<i4").tobytes()
    files = {"m.msh": builder.build(), "m.ndp": header + stored.tobytes()}
    path = folder / "m.rlb"
    path.write_bytes(archive_of(files))
    return Address(path, ("m.msh",))


def test_measures_are_those_of_the_first_cell(tmp_path: Path) -> None:
    found = measures_of(FileStore(), model_at(tmp_path, [100.0, 1_000_000.0]))
    assert found == PartMeasures(12.0, 5.0, 50.0, 100.0, 1)


def test_damage_of_another_model_says_nothing(tmp_path: Path) -> None:
    found = measures_of(FileStore(), model_at(tmp_path, [100.0], rows=1))
    assert found == PartMeasures(12.0, 5.0)


def test_a_value_that_is_no_number_makes_the_sum_unknown(tmp_path: Path) -> None:
    found = measures_of(FileStore(), model_at(tmp_path, [1.0, 2.0], area=float("nan")))
    assert (found.area, found.volume) == (None, 5.0)


def test_a_model_that_cannot_be_read_is_unknown(tmp_path: Path) -> None:
    (tmp_path / "m.rlb").write_bytes(archive_of({"m.msh": b"NRes"}))
    assert measures_of(FileStore(), Address(tmp_path / "m.rlb", ("m.msh",))) == UNKNOWN
