"""The mods of a game as their window shows them: the applied ones, the chosen ones, what conflicts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Final

from msgspec import Struct

from viewer.operations.mods.conflicts import ModConflict
from viewer.operations.mods.manifest import ModManifest
from viewer.operations.mods.plan import ModPlan
from viewer.translation import _

MODS_LANE: Final = "mods"
"""The lane of their jobs."""
MOST_CHANGES: Final = 20
"""Changes of a mod that are listed."""


class ModCheckResult(Struct, frozen=True, eq=False):
    """The findings about mods that are chosen, in the order in which they would be applied.

    Attributes
    ----------
    conflicts
        Two mods, or a mod and the game, change one place in different ways.
    missing
        Names of mods that others need.
    changed_base
        Addresses at which the game has another payload than a mod was made of.
    """

    conflicts: Sequence[ModConflict]
    missing: Sequence[str]
    changed_base: Sequence[str]

    @classmethod
    def of(cls, plan: ModPlan) -> ModCheckResult:
        """The findings of a plan; raises `MshviewError` for what cannot be put together."""
        return cls(tuple(plan.conflicts), plan.missing, tuple(map(str, plan.changed_base)))

    @property
    def is_clean(self) -> bool:
        """Whether the mods go together, and with the game."""
        return not (self.conflicts or self.missing or self.changed_base)


class ModsState(Struct, frozen=True, eq=False):
    """The mods of a game.

    Attributes
    ----------
    folder
        The game folder; None before one is chosen.
    applied
        The mods that are applied, in their order.
    chosen
        The mods that are chosen to be applied after them, each with its folder or zip.
    found
        The findings about the chosen ones; None before they are known.
    is_running
        The game or the mods are being read or written.
    problem
        Why the last step failed; empty if it did not.
    note
        The result of the last step in words.
    refused
        The mod, or None for all, that was not taken back as a file was changed since; empty if there is none.
    """

    folder: Path | None = None
    applied: tuple[ModManifest, ...] = ()
    chosen: tuple[tuple[Path, ModManifest], ...] = ()
    found: ModCheckResult | None = None
    is_running: bool = False
    problem: str = ""
    note: str = ""
    refused: tuple[str | None] | tuple[()] = ()

    @property
    def beside(self) -> Path | None:
        """The folder in which the next mod is looked for: that of the last one, else that of the game."""
        last = self.chosen[-1][0] if self.chosen else self.folder
        return None if last is None else last.parent


def first_changes(manifest: ModManifest) -> Iterator[str]:
    """The first changes of a mod in words."""
    yield from islice(manifest.in_words(), MOST_CHANGES)
    if (more := len(manifest.changes) - MOST_CHANGES) > 0:
        yield _("and {count} more", count=more)
