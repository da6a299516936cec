"""Every file and entry of the field corpus opens in the window."""

from __future__ import annotations

from pathlib import Path

from tests.corpora import skip_module
from tests.share import some
from viewer.control.opening import loading
from viewer.control.opening.loading import OpenOptions
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.session.opened import listing

skip_module()


def test_everything_in_the_field_corpus_opens(samples: Path) -> None:
    library, folder = FileStore(), samples / "field"
    kinds = set()
    for path in sorted(path for path in folder.rglob("*") if path.suffix not in ("", ".json")):
        listings, unreadable = listing.everything_below(library, Address(path))
        assert not unreadable
        entries = [entry for rows in listings.values() for entry in rows]
        for address in (Address(path), *(entry.address for entry in some(entries))):
            opened = loading.read(library, address, {}, OpenOptions(), is_exact=True)
            assert opened.document or (opened.resource and not opened.resource.problem), address
            kinds.add(opened.kind)
    assert {"msh", "nres", "rsli", "texm", "mat0", "wear", "fxid", "control", "units", "objects"} <= kinds
    assert {"damage", "ground_plan", "control_points", "areal_map"} <= kinds
