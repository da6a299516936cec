"""The files that mutants are made of: some of each kind, from the bundled sample and the corpora."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final

from tests.formats.payloads import payloads
from viewer.formats.archive import nres
from viewer.model.kinds.registry import KINDS

LARGEST: Final = 200_000
"""Bytes of a seed; larger files are no seeds."""
PER_KIND: Final = 24


@dataclass(frozen=True, slots=True)
class Seed:
    """A sound file, or one of the damaged ones of the corpora.

    Attributes
    ----------
    name
        Its address, from which a mutant can be made again.
    suffix
        The suffix of its file name.
    entry
        Its directory entry, or None.
    """

    name: str
    kind: str
    suffix: str
    data: bytes
    entry: nres.Entry | None


@cache
def seeds() -> tuple[Seed, ...]:
    """Seeds of every kind: those of a kind with many are taken evenly by size."""
    found = []
    for kind in KINDS:
        ordered = sorted({bytes(it.data): it for it in payloads(kind.id) if len(it.data) <= LARGEST}.items(),
                         key=lambda pair: len(pair[0]))  # fmt: skip
        step = max(1, -(-len(ordered) // PER_KIND))
        for data, payload in ordered[::step]:
            name = payload.address.rpartition("::")[2]
            suffix = "." + name.rpartition(".")[2] if "." in name else ""
            found.append(Seed(payload.address, kind.id, suffix, data, payload.entry))
    return tuple(found)
