"""The game folder: which model lies in which archive, and the libraries in the root."""

from __future__ import annotations

from collections.abc import Sequence

from assets.sample.pack import Convention, model_bytes
from assets.sample.spec import ModelSpec
from assets.sample.tree import tree
from assets.sample.walker import walker
from viewer.formats import wear
from viewer.formats.nres import NewEntry, build

MESH = int.from_bytes(b"MESH", "little")
WEAR = int.from_bytes(b"WEAR", "little")


def game_files() -> dict[str, bytes]:
    """All files of the folder by path."""
    walkers = _entries(walker(), Convention.SEED)
    field = _entries(walker("walker_field", is_transposed=True), Convention.FIELD)
    return {
        "robots.rlb": build(walkers + field),
        "static.rlb": build(_entries(tree(), Convention.SEED)),
    }


def _entries(spec: ModelSpec, convention: Convention) -> list[NewEntry]:
    """A model and its wear table."""
    return [
        NewEntry(MESH, model_bytes(spec, convention), f"{spec.stem}.msh".encode()),
        NewEntry(WEAR, wear.build(*_rows(spec)), f"{spec.stem}.wea".encode(), attr3=1),
    ]


def _rows(spec: ModelSpec) -> tuple[Sequence[bytes], Sequence[bytes]]:
    materials = [name.encode() for name in spec.wear]
    return materials, [spec.lightmap.encode()] if spec.lightmap else []
