"""What a wear table leads to besides what is drawn."""

from __future__ import annotations

from pathlib import Path

from tests import game_folders
from tests.builders import ModelBuilder, Node, box
from tests.game_folders import drawn_with, materials_of, wear_of
from tests.messages import states
from viewer.formats import mat0
from viewer.formats.msh.tables import UVS
from viewer.model.material.materials import FoundIn
from viewer.model.material.resolver import MOST_UNUSED


def test_rows_that_no_batch_uses_are_followed_too(tmp_path: Path) -> None:
    model = ModelBuilder([Node("a", shapes={(0, 0): [box(material=1)]})]).model()
    table = wear_of([b"GLASS", b"SKIN", b"NOWHERE", b"LOST"], [b"HALL.0"])
    found = materials_of(model, table, game_folders.write(tmp_path))
    assert [(m.row, m.name, m.found) for m in found.unused] == [
        (0, "GLASS", FoundIn.NAME),
        (2, "NOWHERE", FoundIn.DEFAULT),
        (3, "LOST", FoundIn.NAME),
    ]
    assert (len(found.rows), found.unused_count) == (1, 3)
    assert found.unused[0].textures[0] is not None
    assert found.unused[0].trace[:2] == ("no batch selects row 0", "a.wea: row 0 names 'GLASS'")
    assert not any("lightmap" in step for step in found.unused[0].trace)
    assert found.unused[2].problems != ()
    assert found.problems == (), "nothing is drawn with them"


def test_a_long_wear_table_is_followed_for_a_while_and_counted(tmp_path: Path) -> None:
    model = ModelBuilder([Node("a", shapes={(0, 0): [box()]})]).model()
    found = materials_of(model, wear_of([b"SKIN"] * 5000), game_folders.write(tmp_path))
    assert (len(found.unused), found.unused_count) == (MOST_UNUSED, 4999)


def test_textures_without_coordinates_are_a_problem_of_the_materials_that_have_any(tmp_path: Path) -> None:
    builder = ModelBuilder([Node("a", shapes={(0, 0): [box(), box(material=1)]})])
    builder.missing.add(UVS)
    folder = game_folders.write(tmp_path)
    skin, glow = materials_of(builder.model(), wear_of([b"SKIN", b"GLOW"]), folder).rows
    assert [states(problem, "Res5") for problem in skin.problems] == [True]
    assert glow.problems == ()


def test_a_material_keeps_the_bytes_it_was_read_from(tmp_path: Path) -> None:
    stored = drawn_with(b"DUO", tmp_path).stored
    assert stored is not None
    assert mat0.encode(stored) == game_folders.MATERIALS["DUO"]
    assert drawn_with(b"CUT", tmp_path).stored is None


def test_rows_that_lead_to_the_same_entry_share_what_it_holds(tmp_path: Path) -> None:
    model = ModelBuilder([Node("a", shapes={(0, 0): [box(), box(flags=8), box(material=1)]})]).model()
    table = wear_of([b"DUO", b"duo", b"DUO", b"NOWHERE", b"LOST"])
    found = materials_of(model, table, game_folders.write(tmp_path))
    first, *others = found.rows
    assert [row.has_see_through_flag for row in (first, *others)] == [False, True, False]
    assert all(row.phases is first.phases and row.blocks is first.blocks for row in others)
    assert found.unused[0].textures is first.textures
    assert found.unused[1].found is FoundIn.DEFAULT
    assert any(states(step, "a.wea 1 duo") for step in others[1].trace)
