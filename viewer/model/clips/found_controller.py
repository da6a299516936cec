"""The controller of a model: found through the registry, or by the model's stem, and decoded.

Source: spec/ctl.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from msgspec import Struct

from viewer.diagnostics import Diagnostic
from viewer.errors import MshviewError, Severity
from viewer.formats.neighbors import control
from viewer.formats.neighbors.control import Control
from viewer.model.game.registry import SUFFIX, ControllerIndex, Game, existing, names_archive
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import Item
from viewer.translation import _


class FoundController(Struct, frozen=True, eq=False):
    """A controller of a model, not yet read as clips and channels.

    Attributes
    ----------
    address
        Address of the controller; None if the model has none.
    others
        Further controllers that the registry names for the model.
    decoded
        Its fields; None if it cannot be read.
    problem
        Why it cannot be read, or not all of it; None if there is nothing wrong.
    """

    address: Address | None = None
    others: tuple[Address, ...] = ()
    decoded: Control | None = None
    problem: Diagnostic | None = None


NOT_FOUND: Final = FoundController()


def find(library: FileStore, model: Item, game: Path | None, given: Address | None = None) -> FoundController:
    """The controller of a model, looked up in a game folder or, without one, beside it.

    `given` is used instead of it; raises `MshviewError` if there is nothing at that address.
    """
    found = [*addresses(library, model, game)]
    if given is not None:
        library.open(given)
        found = [given, *(address for address in found if address != given)]
    if not found:
        return NOT_FOUND
    address, *others = found
    try:
        item = library.open(address)
        decoded = item.decoded(control.decode)
    except MshviewError as error:
        text = _("the controller {address} cannot be read: {error}", address=address, error=error.text)
        return FoundController(address, tuple(others), problem=Diagnostic("", Severity.WARNING, text))
    return FoundController(address, tuple(others), decoded, problem_of(address, decoded))


def addresses(library: FileStore, model: Item, game: Path | None) -> Iterator[Address]:
    """The controllers of a model, the one that is used first.

    Those that the registry names with the model; if it does not name the model, or without a registry, the
    one with the model's stem in the same archive or folder.
    """
    index = None if game is None else ControllerIndex.of(library, game)
    holder = model.holder
    archive = b"" if holder is None else holder.name
    named = index.controllers(archive, model.name) if index else None
    if named is not None and game is not None:
        for reference in named:
            own = holder if holder and names_archive(reference, archive) else None
            yield from existing(Game(game.absolute(), library), reference, own)
        return
    try:
        item = library.sibling(model, SUFFIX.decode())
    except MshviewError:
        return
    if item is not None:
        yield item.address


def problem_of(address: Address, decoded: Control) -> Diagnostic | None:
    """The diagnostic for a controller that is only partly readable."""
    lost = next((it for it in decoded.diagnostics if it.severity is Severity.ERROR), None)
    if lost is None:
        return None
    text = _("not all of the controller {address} can be read: {problem}", address=address, problem=lost.text)
    return Diagnostic(lost.rule, Severity.WARNING, text)
