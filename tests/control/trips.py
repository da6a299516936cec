"""Counts what opening costs: looks at the disk, parsed containers and records, digests."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from viewer.formats import mat0, wear
from viewer.formats.archive import nres
from viewer.formats.record import Bytes
from viewer.formats.texture import texm
from viewer.model.mesh.model import Model
from viewer.model.store import file_store
from viewer.model.store.disk import Disk
from viewer.session.opened import listing


def where(data: Bytes) -> int:
    """The address of some bytes in memory; equal bytes of two entries have two."""
    return int(np.frombuffer(data, np.uint8).ctypes.data)


class Trips:
    """Everything counted since the last `take`, by what was done and where its bytes lie in memory."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._patch = monkeypatch
        self._done: Counter[tuple[str, object]] = Counter()
        self._count(nres.Archive, "read", "parse", is_classmethod=True)
        self._count(Model, "__init__", "model", subject=lambda _, archive, *__: where(archive.data))
        for module, name in ((texm, "texture"), (mat0, "material"), (wear, "wear")):
            self._count(module, "decode", name)
        self._count(
            listing, "ArchiveEntries", "list", subject=lambda _, container, *__: where(container.data)
        )
        self._count(hashlib, "sha256", "hash", subject=lambda *data: where(data[0]) if data else object())
        self._count(Disk, "status", "look", subject=lambda _, path: path)
        self._count(Disk, "names", "names", subject=lambda _, path: path)
        self._count(file_store.FileStore, "_read", "read", subject=lambda _, path, *__: path)

    def _count(
        self,
        owner: Any,
        name: str,
        what: str,
        *,
        subject: Callable[..., object] = lambda data, *_: where(data),
        is_classmethod: bool = False,
    ) -> None:
        original = getattr(owner, name)

        def counted(*arguments: Any, **named: Any) -> Any:
            self._done[what, subject(*arguments)] += 1
            return original(*arguments, **named)

        self._patch.setattr(owner, name, staticmethod(counted) if is_classmethod else counted)

    def take(self) -> Counter[str]:
        """How often each thing was done; the count starts over."""
        totals: Counter[str] = Counter()
        for (what, _), times in self._done.items():
            totals[what] += times
        self._done.clear()
        return totals

    def repeated(self) -> set[str]:
        """What was done more than once to the same bytes or path."""
        return {what for (what, _), times in self._done.items() if times > 1}
