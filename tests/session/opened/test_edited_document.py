"""A document right after an edit is the one that is opened from the same bytes, but for its checks."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ui.scenes import tank
from viewer.errors import MshviewError
from viewer.formats.msh.tables import TABLES
from viewer.model.mesh.animation import Animation
from viewer.model.mesh.draws import Draws
from viewer.model.mesh.reading import ReadingChoice
from viewer.model.mesh.shown import PartChooser
from viewer.model.mesh.skeleton import Skeleton
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.opening import Source
from viewer.render.buffers.merge import merge, merge_again
from viewer.session.opened.document import Document
from viewer.session.opened.edited_document import edited

DATA = tank().build()
KEPT = {"diagnostics", "choice", "identity", "revision", "is_checked", "labels", "source", "model"}
"""Fields that an edit keeps, or that are compared otherwise."""


def library_of(path: Path, data: bytes) -> FileStore:
    """A store with unsaved bytes in place of a file."""
    library = FileStore()
    library.unsaved.lay(path, data)
    return library


def opened(library: FileStore, path: Path, before: Document | None = None) -> Document:
    """The model in the seed reading, which no edit changes."""
    return Document.open(library, Source(Address(path), ReadingChoice.SEED), before)


def same(one: Any, other: Any) -> bool:
    """Compare values of documents; objects by what they hold."""
    if isinstance(one, np.ndarray):
        return np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
    if isinstance(one, Draws):
        names = [field.name for field in fields(one) if field.name != "parts"]
        return all(same(getattr(one, name), getattr(other, name)) for name in names) and all(
            same(getattr(one.parts, field.name), getattr(other.parts, field.name))
            for field in fields(one.parts)
        )
    if isinstance(one, PartChooser):
        return same(one.is_portal, other.is_portal) and one.cockpits == other.cockpits
    if isinstance(one, Skeleton):
        return same(one.parents, other.parents)
    if isinstance(one, Animation):
        return all(same(one.pose(time).world, other.pose(time).world) for time in (0.0, 3.5))
    return repr(one) == repr(other)


@st.composite
def edits(draw: st.DrawFn) -> bytes:
    """The tank with some bytes of one table changed."""
    model = tank().model()
    names = sorted(type_id for type_id in TABLES if model.has(type_id) and len(model.payload(type_id)))
    entry = model.archive.entries[model.archive.find_type(draw(st.sampled_from(names))) or 0]
    data = bytearray(DATA)
    for _ in range(draw(st.integers(1, 4))):
        data[entry.offset + draw(st.integers(0, entry.size - 1))] = draw(st.integers(0, 255))
    return bytes(data)


@given(edits())
def test_it_is_what_opening_gives(data: bytes) -> None:
    path = Path("/nowhere/tank.msh")
    library = library_of(path, DATA)
    before = opened(library, path)
    library.unsaved.lay(path, data)
    quick, whole = edited(before, library), opened(library_of(path, data), path)
    wrong = [
        field.name
        for field in fields(whole)
        if field.name not in KEPT and not same(getattr(quick, field.name), getattr(whole, field.name))
    ]
    assert not wrong


@given(edits())
def test_checking_it_gives_what_opening_gives(data: bytes) -> None:
    path = Path("/nowhere/tank.msh")
    library = library_of(path, DATA)
    before = opened(library, path)
    library.unsaved.lay(path, data)
    quick = edited(before, library)
    checked, whole = opened(library, path, quick), opened(library_of(path, data), path)
    assert checked.is_checked
    assert checked.diagnostics == whole.diagnostics
    assert same(checked.draws, whole.draws)


@given(edits())
def test_its_vertices_are_merged_alike(data: bytes) -> None:
    path = Path("/nowhere/tank.msh")
    library = library_of(path, DATA)
    before = opened(library, path)
    library.unsaved.lay(path, data)
    after = edited(before, library)
    if not after.draws.has_same_triangles(before.draws):
        return
    again = merge_again(merge(before.model, before.draws), before.model, after.model)
    whole = merge(after.model, after.draws)
    assert not [it.name for it in fields(whole) if not same(getattr(again, it.name), getattr(whole, it.name))]


def test_tables_that_are_not_changed_are_shared() -> None:
    path = Path("/nowhere/tank.msh")
    library = library_of(path, DATA)
    before = opened(library, path)
    entry = before.model.archive.entries[before.model.archive.find_type(3) or 0]
    data = bytearray(DATA)
    data[entry.offset + 2] ^= 1
    library.unsaved.lay(path, data)
    after = edited(before, library)
    assert after.draws is before.draws
    assert after.animation is before.animation
    merged = merge(before.model, before.draws)
    again = merge_again(merged, before.model, after.model)
    assert again.positions is not merged.positions
    assert again.corners is merged.corners
    assert again.normals is merged.normals


@pytest.mark.parametrize("size", [0, 16, 200])
def test_bytes_that_are_no_model_any_more_are_refused(size: int) -> None:
    path = Path("/nowhere/tank.msh")
    library = library_of(path, DATA)
    before = opened(library, path)
    library.unsaved.lay(path, DATA[:size])
    with pytest.raises(MshviewError):
        edited(before, library)
