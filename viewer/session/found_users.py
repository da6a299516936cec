"""The users of a payload as panels draw them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from viewer.model.references.users import Users

USERS_LANE: Final = "users"
"""How the names of the jobs that search begin; the address follows."""


@dataclass(frozen=True, slots=True)
class FoundUsers:
    """What a search for users has found.

    Attributes
    ----------
    found
        The users, None before the first search has ended.
    is_searching
        A search is running.
    problem
        Why the last search did not end; empty if it did.
    """

    found: Users | None = None
    is_searching: bool = False
    problem: str = ""
