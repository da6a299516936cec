"""Skies that light models, read from their files: by address, or as a state link names them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from viewer.errors import MshviewError, UsageError, error_text
from viewer.model.kinds.registry import kind_of
from viewer.model.sky.day import first_day, first_hour
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.given_options import parameters
from viewer.session.opened.document import Document
from viewer.session.view.kept_view import kept
from viewer.session.view.options.lighting import ChosenSky, LightKind, sky_missing
from viewer.session.view.state_link import StateLink
from viewer.session.view.view_state import ViewState
from viewer.translation import _

KIND: Final = "sky"


def read_sky(store: FileStore, address: Address, hour: float | None = None) -> ChosenSky:
    """The sky at an address, at an hour or that of its clock's start; raises `MshviewError`."""
    item = store.open(address)
    kind = kind_of(item)
    if kind.id != KIND:
        raise UsageError(_("is not a sky but {format}", format=kind.id), source=address)
    decoded = kind.read(item)
    day = first_day(decoded)
    if day is None:
        raise UsageError(_("the sky has no keyframes"), source=address)
    at = Address(item.address.path.absolute(), item.address.entries)
    return ChosenSky(str(at), day, first_hour(decoded) if hour is None else hour)


def without_sky(given: Mapping[str, Any]) -> str | None:
    """The name of an option that is on and shows something of a sky; None without one."""
    known = parameters(ViewState).items()
    of_sky = (name for name, option in known if option.option.obstacle is sky_missing)
    return next((name for name in of_sky if given.get(name)), None)


def with_sky(view: ViewState, sky: ChosenSky | None) -> ViewState:
    """The view in the light of a sky, or of the game without one."""
    kind = LightKind.GAME if sky is None else LightKind.SKY
    return replace(view, lighting=replace(view.lighting, kind=kind, sky=sky))


class LinkedView(NamedTuple):
    """A document as a state link says.

    Attributes
    ----------
    problem
        Why its sky is not there; empty if it is, or if the link names none.
    """

    view: ViewState
    problem: str = ""


def linked_view(
    store: FileStore, link: StateLink, view: ViewState, before: Document | None, document: Document
) -> LinkedView:
    """A view with what a link says about a document, with the sky that it names; see `kept` for `before`."""
    view, problem = kept(link.applied(view), before, document), ""
    if link.sky is not None:
        # A path that is not absolute is one in the game folder: the link works with a copy of it.
        path = (document.game.folder or document.address.path.parent) / Path(link.sky)
        try:
            view = with_sky(view, read_sky(store, Address(path), link.hour))
        except MshviewError as error:
            view = with_sky(view, None)
            problem = _("the sky of the link cannot be used: {error}", error=error_text(error))
    return LinkedView(view, problem)
