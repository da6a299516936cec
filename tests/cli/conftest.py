"""What tests of verbs share."""

from __future__ import annotations

import pytest

from viewer.model.store.file_store import FileStore
from viewer.operations.opening import Source
from viewer.session.opened.document import Document


@pytest.fixture
def _opened_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let runs that ask about the same model in a row open it once."""
    last: dict[Source, Document] = {}
    open_document = Document.open

    def open_once(store: FileStore, source: Source) -> Document:
        if source not in last:
            last.clear()
            last[source] = open_document(store, source)
        return last[source]

    monkeypatch.setattr(Document, "open", open_once)
