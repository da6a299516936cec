"""The answers of ``inspect`` that no format declares: a table alone, members of a row of the registry."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from msgspec import UNSET, Struct, UnsetType

from viewer.json_types import described


class CalledPart(Struct, frozen=True):
    """Members added to an entry of the registry."""

    called: Annotated[str | None, described("what the game calls the part")]


class TableAnswer(Struct, frozen=True):
    """The rows of one table; of a table of single values the other columns stand beside them."""

    source: str
    table: str
    rows: Sequence[Any]
    columns: Mapping[str, Sequence[Any]] | UnsetType = UNSET
