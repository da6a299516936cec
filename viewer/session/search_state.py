"""The search over everything open, as panels draw it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from viewer.model.search.query import Query
from viewer.model.search.results import Found

SEARCH_LANE: Final = "search"
"""The lane of its job."""


@dataclass(frozen=True, slots=True)
class SearchState:
    """The last search.

    Attributes
    ----------
    query
        What was searched for; None before the first search and after it was cleared.
    found
        What was found so far.
    is_running
        There may be more.
    problem
        Why it did not run to its end; empty if it did.
    """

    query: Query | None = None
    found: Found = field(default_factory=Found)
    is_running: bool = False
    problem: str = ""
