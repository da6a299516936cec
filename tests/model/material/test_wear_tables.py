"""The wear tables next to a model, and those of a terrain."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.builders import archive_of
from tests.messages import states
from viewer.errors import AddressError
from viewer.formats import wear
from viewer.model.material import selectors
from viewer.model.material.selectors import WearTable
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore

TABLE = wear.build([b"STONE", b"SAND"])


def wear_of_file(path: Path) -> WearTable:
    """The wear table of a model file, which is written."""
    path.write_bytes(b"")
    return wear_at(Address(path))


def wear_at(address: Address) -> WearTable:
    """The wear table of the model at an address."""
    library = FileStore()
    return selectors.of_model(library, library.open(address))


def test_a_loose_model_has_its_table_beside_it(tmp_path: Path) -> None:
    (tmp_path / "ROCK.WEA").write_bytes(TABLE)
    found = wear_of_file(tmp_path / "rock.msh")
    assert (found.source, found.row_count) == (Address(tmp_path / "ROCK.WEA"), 2)


def test_a_table_in_an_archive_is_named_as_it_is_there(tmp_path: Path) -> None:
    path = tmp_path / "a.rlb"
    path.write_bytes(archive_of({"rock.msh": b"", "Rock.wea": TABLE}))
    for entry in ("ROCK.msh", "#0"):
        found = wear_at(Address(path, (entry,)))
        assert str(found.source) == f"{path}::Rock.wea"
    lonely = tmp_path / "b.rlb"
    lonely.write_bytes(archive_of({"rock.msh": b""}))
    for entry in ("rock.msh", "#0"):
        missing = wear_at(Address(lonely, (entry,)))
        assert states(missing.problem, f"rock.wea {lonely}")


def test_a_table_that_is_missing_or_illegal_says_so(tmp_path: Path) -> None:
    missing = wear_of_file(tmp_path / "rock.msh")
    assert (missing.table, missing.row_count) == (None, None)
    assert states(missing.problem, f"rock.wea {tmp_path}")
    (tmp_path / "rock.wea").write_bytes(b"none\r\n")
    illegal = wear_of_file(tmp_path / "rock.msh")
    assert illegal.table is None
    assert states(illegal.problem, f"{tmp_path / 'rock.wea'} read")


def test_a_terrain_has_two(tmp_path: Path) -> None:
    (tmp_path / "land1.wea").write_bytes(TABLE)
    (tmp_path / "Land.msh").write_bytes(b"")
    library = FileStore()
    first, second = selectors.of_terrain(library, library.open(Address(tmp_path / "Land.msh")))
    assert (first.row_count, second.row_count) == (2, None)


def test_an_address_has_to_lead_somewhere(tmp_path: Path) -> None:
    with pytest.raises(AddressError):
        selectors.at(FileStore(), Address(tmp_path / "none.wea"))
