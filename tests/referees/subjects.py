"""All models of the corpora and of our sample."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from viewer.errors import MshviewError
from viewer.formats.archive.nres import Archive
from viewer.model.convert.source import ModelSource
from viewer.model.mesh.model import variant_of
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import container_of, spelling
from viewer.operations.opening import Source
from viewer.session.opened.document import Document

ROOT: Final = Path(__file__).parents[2]
SAMPLES: Final = ROOT.parent / "shared" / "samples"
FOLDERS: Final = (
    ROOT / "assets" / "game",
    *(SAMPLES / corpus / part for corpus in ("seed", "field") for part in ("game", "odd")),
)


@dataclass(frozen=True, slots=True)
class Subject:
    """A model: its number among all, and its address."""

    number: int
    address: Address

    @property
    def stem(self) -> str:
        """Name of the files made from it."""
        return f"{self.number:04d}"


def subjects(pattern: str = "") -> list[Subject]:
    """Every model whose address has `pattern` in it."""
    store = FileStore()
    found = [it for folder in FOLDERS for path in sorted(folder.rglob("*")) for it in _models(store, path)]
    return [Subject(number, it) for number, it in enumerate(found) if pattern.lower() in str(it).lower()]


def _models(store: FileStore, path: Path) -> Iterator[Address]:
    """The model in a file, or those in an archive."""
    if not path.is_file():
        return
    try:
        item = store.open(Address(path))
    except MshviewError:
        return
    container = item.container
    if not isinstance(container, Archive):
        return
    if variant_of(container) is not None:
        yield item.address
        return
    for entry in container.entries:
        inner = None if entry.is_damaged else container_of(container.payload(entry.index))
        if isinstance(inner, Archive) and variant_of(inner) is not None:
            yield Address(path, (spelling(container, entry.index),))


def source_of(store: FileStore, subject: Subject) -> ModelSource:
    """The model of a subject with its materials and controller."""
    document = Document.open(store, Source(subject.address))
    return ModelSource(
        subject.address.name, document.model, document.choice, document.materials, document.controller
    )
