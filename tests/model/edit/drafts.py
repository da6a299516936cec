"""Drafts of small models and of the models of the corpora, for the tests of changes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.share import some
from viewer.formats import splice
from viewer.formats.archive import nres
from viewer.formats.record import Bytes
from viewer.model.edit.change import Change
from viewer.model.edit.draft import Draft
from viewer.model.edit.plan import Plan, plan
from viewer.model.kinds.registry import MODEL
from viewer.model.mesh.model import Model, Variant, variant_of
from viewer.model.mesh.reading_choices import ReadingChoice


def draft_of(data: Bytes, reading: ReadingChoice = ReadingChoice.AUTO) -> Draft:
    """A draft of a model."""
    return Draft(MODEL, data, reading=reading)


def planned(data: Bytes, *changes: Change, reading: ReadingChoice = ReadingChoice.AUTO) -> Plan:
    """The plan of changes of a model; that it can be undone is asserted."""
    made = plan(draft_of(data, reading), changes)
    assert bytes(made.after) == splice.applied(made.before, made.splices)
    assert splice.applied(made.after, splice.reverse(made.splices)) == bytes(data)
    return made


def edited(data: Bytes, *changes: Change, reading: ReadingChoice = ReadingChoice.AUTO) -> Model:
    """The model after changes."""
    return Model.read(planned(data, *changes, reading=reading).after)


def corpus_models(samples: Path, corpus: str) -> Iterator[tuple[str, bytes]]:
    """Yield the key in ``truth.json`` and the bytes of a share of the models of a corpus with known nodes."""
    yield from some(_models(samples / corpus), samples)


@cache
def _models(folder: Path) -> tuple[tuple[str, bytes], ...]:
    return tuple(_read(folder))


def _read(folder: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted((folder / "game").glob("*.rlb")):
        data = path.read_bytes()
        if data[: len(nres.MAGIC)] != nres.MAGIC:
            continue
        archive = nres.Archive.read(data)
        for entry in archive.entries:
            payload = bytes(archive.payload(entry.index))
            if payload[: len(nres.MAGIC)] != nres.MAGIC:
                continue
            if variant_of(nres.Archive.read(payload)) is Variant.MODEL:
                yield f"game/{path.name}::{entry.text}", payload
