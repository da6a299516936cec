"""Every finding of the damaged models and every step of the sample's traces leads somewhere."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.broken import models, terrains
from tests.broken.case import Case
from viewer.errors import MshviewError
from viewer.formats import wear
from viewer.formats.archive import nres
from viewer.formats.msh.tables import TABLES
from viewer.model.mesh.model import Model
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.place import Place
from viewer.operations.opening import Source
from viewer.resources import bundled_path
from viewer.session.opened import listing
from viewer.session.opened.document import Document
from viewer.session.places import exists, nearest, problems

CASES = [*models.CASES, *terrains.CASES]
CONTAINER = {nres.ENTRY.name, nres.HEADER.name}


def documents(folder: Path) -> Iterator[Document]:
    """Every model in a folder that opens."""
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        store = FileStore()
        try:
            yield Document.open(store, Source(Address(path)))
        except MshviewError:
            continue


def check(document: Document, place: Place) -> None:
    """A place of a document leads to something that exists, at least to its table if that has rows."""
    found = nearest(document, place)
    assert exists(document, found), place
    if place.table in document.model.tables and not place.field:
        assert found.table == place.table
    if exists(document, Place(place.address, place.table, place.row)):
        assert found.row == place.row or found.table in CONTAINER


def opens(store: FileStore, document: Document, place: Place) -> bool:
    """Whether a place lies in the document, in a folder, or in something that can be read."""
    if place.address == document.address:
        return exists(document, nearest(document, place))
    address = Address.parse(place.address)
    return address.path.is_dir() or len(store.open(address).data) > 0


def test_every_finding_of_the_damaged_models_leads_to_what_it_is_about(files: Path) -> None:
    found = 0
    for document in documents(files / "damaged"):
        for finding, place in problems(document):
            assert place.address == document.address
            check(document, place)
            assert (place.table, place.row) == (finding.table, finding.index) or finding.table == "materials"
            found += 1
    assert found > 100


@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_broken_rule_has_a_place(case: Case) -> None:
    document = Document.of("sound.msh", models.sound().model())
    for finding in case.find():
        place = Place.of(document.address, finding)
        assert Place.parse(str(place)) == place
        check(document, place)


def sample_models() -> Iterator[Address]:
    """Every model and terrain of the bundled sample."""
    store = FileStore()
    folder = bundled_path("assets/game")
    for path in sorted(path for path in folder.rglob("*") if path.suffix in {".msh", ".rlb"}):
        if path.suffix == ".msh":
            yield Address(path)
        else:
            rows = listing.entries_below(store, Address(path))
            yield from (Address.parse(row.address) for row in rows if row.name.endswith(".msh"))


@pytest.mark.parametrize("address", [*sample_models()], ids=lambda address: address.name)
def test_every_step_of_a_trace_leads_to_something_that_opens(address: Address) -> None:
    store = FileStore()
    document = Document.open(store, Source(address))
    steps = [step for row in (*document.materials.rows, *document.materials.unused) for step in row.steps]
    assert steps
    for step in steps:
        assert step.place is not None, step
        assert opens(store, document, step.place), step
    assert any(step.place.table == wear.MATERIALS for step in steps if step.place)


def test_steps_that_find_nothing_lead_to_what_was_searched(tmp_path: Path) -> None:
    store = FileStore()
    model = listing.first_model(store, Address(bundled_path("assets/game/models.rlb")))
    assert model is not None
    data = store.open(model).data
    (tmp_path / "Material.lib").write_bytes(nres.build([]))
    (tmp_path / "lost.msh").write_bytes(data)
    (tmp_path / "lost.wea").write_bytes(b"1\n0 NAMELESS\n")
    document = Document.open(store, Source(Address(tmp_path / "lost.msh")))
    row = document.materials.rows[0]
    lost = next(step for step in row.steps if step.is_missing)
    assert lost.place == Place(str(tmp_path / "Material.lib"), nres.ENTRY.name)
    about = {place for finding, place in problems(document) if finding.message == lost.text}
    assert about == {Place(document.address, "materials", 0)}


def test_every_table_name_is_a_place() -> None:
    model = Model.read(models.sound().build())
    document = Document.of("sound.msh", model)
    for type_id, table in TABLES.items():
        entry = Place("sound.msh", nres.ENTRY.name, model.archive.find_type(type_id))
        place = Place("sound.msh", table.name)
        assert nearest(document, place) == (place if table.name in model.tables else entry)
