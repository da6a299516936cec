"""Loading: everything between an address and a document, off the main thread."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from msgspec import Struct, field
from msgspec.structs import replace

from viewer.control.settings.settings import Settings, requested_reading
from viewer.diagnostics import refuse_errors
from viewer.errors import FormatError, MshviewError
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.validation import validate
from viewer.operations.given_options import parameters, with_options
from viewer.operations.opening import Source
from viewer.operations.reading_options import USUAL, ReadingOptions, absolute_paths
from viewer.operations.units.tried_parts import NO_PARTS, TriedParts
from viewer.progress import checkpoint
from viewer.resources import bundled_path
from viewer.session.opened import opened_resource as resources
from viewer.session.opened.document import Document
from viewer.session.opened.entry_list import BrowserEntry
from viewer.session.opened.listing import locate
from viewer.session.opened.opened_resource import OpenedResource
from viewer.session.view.state_link import StateLink
from viewer.session.view.view_state import ViewState

SAMPLE: Final = ("assets/game/models.rlb", "walker.msh")


def no_names(_files: object) -> Mapping[str, Any]:
    """Names of a console without the library: none."""
    return {}


def as_it_is(view: ViewState) -> ViewState:
    """The view itself."""
    return view


class StartOptions(Struct, frozen=True):
    """The options from the command line, for the file that it names.

    Parameters
    ----------
    address
        The file or an entry in it; None opens the bundled sample.
    given
        The options of reading that were given, by their names in Python; those that settings keep are kept
        from now on, and so is the reading of the file.
    drawn
        The view to start with, made of the remembered one.
    staged
        The view in which an effect in it opens, made of the usual one.
    link
        What the file is looked at like; None as usual.
    names
        The names that the console starts with, for the files of the window.
    """

    address: Address | None = None
    given: Mapping[str, Any] = field(default_factory=dict)
    drawn: Callable[[ViewState], ViewState] = as_it_is
    staged: Callable[[ViewState], ViewState] = as_it_is
    link: StateLink | None = None
    names: Callable[[Any], Mapping[str, Any]] = no_names

    @property
    def path(self) -> Path:
        """The file; raises `FileNotFoundError` for the sample in an installation without it."""
        return (self.address or sample_address()).absolute().path

    @property
    def absolute(self) -> StartOptions:
        """The options with absolute paths, for a program that runs in another folder."""
        address = self.address and self.address.absolute()
        link = None if self.link is None else self.link.within(self.link.address.absolute())
        return replace(self, address=address, given=absolute_paths({**self.given}), link=link)

    def covers(self, address: Address) -> bool:
        """Whether the options apply to an address: one in the file, or below the folder."""
        with suppress(FileNotFoundError):
            return address.absolute().path.is_relative_to(self.path)
        return False

    def first_view(self, view: ViewState, address: Address) -> ViewState:
        """The view in which what is not a model opens, made of the usual one."""
        return self.staged(view) if self.covers(address) else view

    def remembered_in(self, settings: Settings) -> Settings:
        """Settings with the options that are kept."""
        return settings if not self.given else remembering(settings, Address(self.path), self.given)

    @property
    def kept(self) -> tuple[str, ...]:
        """The names of the options that settings keep for all files: what is chosen later counts for them."""
        return tuple(name for name in self.given if name in _KEPT)

    def without(self, *names: str) -> StartOptions:
        """The request without some options of reading."""
        return replace(self, given={name: it for name, it in self.given.items() if name not in names})


_KEPT: Final = tuple(name for name, it in parameters(ReadingOptions).items() if it.option.stored)


def remembering(settings: Settings, address: Address, given: Mapping[str, Any]) -> Settings:
    """Settings with the options of reading that they keep: for all files, and the reading of an address."""
    kept = {name: given[name] for name in _KEPT if name in given}
    settings = replace(settings, opening=with_options(settings.opening, kept))
    reading = given.get("reading")
    return settings if reading is None else settings.with_reading(address, reading)


NO_START_OPTIONS: Final = StartOptions()
Linked = Mapping[Address, Mapping[str, Any]]
"""The options of reading that state links say of open files, by their names in Python."""
NO_LINKS: Final[Linked] = MappingProxyType({})


class OpenOptions(Struct, frozen=True):
    """Options of opening: those of reading, and the wear tables that the user has chosen.

    Parameters
    ----------
    options
        Those of reading; the reading is that of what is opened.
    wears
        Addresses of chosen wear tables by those of models.
    """

    options: ReadingOptions = USUAL
    wears: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls, settings: Settings, given: StartOptions, address: Address, linked: Linked = NO_LINKS
    ) -> OpenOptions:
        """The stored choices, for the file from the command line its options, and what a link said of it."""
        options = replace(settings.opening, set_game=Path(settings.game) if settings.game else None)
        if given.covers(address):
            options = with_options(options, given.without(*given.kept).given)
        options = with_options(options, linked.get(address, {}))
        return cls(replace(options, reading=settings.reading_of(address)), settings.wears)

    def of_model(self, library: FileStore, model: Address) -> ReadingOptions:
        """The options of a model, with its wear table."""
        return replace(self.options, wear=self._wear(library, model))

    def _wear(self, library: FileStore, model: Address) -> Address | None:
        """The wear table chosen for a model; None if there is none or it does not exist any more."""
        if self.options.wear is not None:
            return self.options.wear.absolute()
        chosen = self.wears.get(str(model))  # may have been deleted since it was chosen
        try:
            return library.open(Address.parse(chosen)).address if chosen else None
        except MshviewError:
            return None

    def in_game(self, library: FileStore, address: Address) -> ReadingOptions:
        """The options of a file or an entry, with the game folder that is found."""
        return replace(self.options, game=game_of(library, address, self))


NO_OPEN_OPTIONS: Final = OpenOptions()


class Opened(Struct, frozen=True):
    """The content found at an address.

    Parameters
    ----------
    address
        As the browser names it.
    kind
        Its kind.
    document
        The model there, or the first one below, or None.
    resource
        The resource there, or the first in the archive there, if there is no model; or the folder there,
        unless it is empty.
    root
        The folder or file that the address lies in.
    children
        Entries of every container on the way.
    """

    address: Address
    kind: str
    document: Document | None
    resource: OpenedResource | None
    root: BrowserEntry
    children: Mapping[Address, Sequence[BrowserEntry]]


def read(
    library: FileStore,
    address: Address,
    readings: Mapping[str, str],
    lookup: OpenOptions = NO_OPEN_OPTIONS,
    before: Iterable[Document] = (),
    tried: TriedParts = NO_PARTS,
    *,
    is_exact: bool = False,
) -> Opened:
    """Open an address; raises `MshviewError`. What is damaged beyond reading is opened as bytes.

    Parameters
    ----------
    readings
        As in the settings.
    lookup
        What the user chose for models without a wear table or a game, and whether errors are refused.
    before
        The documents that are open.
    tried
        The parts that are tried on the unit there.
    is_exact
        Open an archive itself instead of the first thing to be shown in it.
    """
    # All of it is read from one state of the files, whatever is edited or written meanwhile.
    library = library.snapshot()
    located = locate(library, address.absolute())
    model, other = located.choose(is_exact=is_exact)
    document = resource = None
    if model:
        # What has not changed of an open document of the same model is reused.
        earlier = next((other for other in before if other.source.address == model.address), None)
        requested = requested_reading(readings, model.address)
        of_model = replace(lookup, options=replace(lookup.options, reading=requested))
        source = source_of(library, model.address, of_model)
        try:
            document = Document.open(library, source, earlier, has_effects=True)
        except FormatError:
            if lookup.options.is_strict:
                raise
            other = model  # its bytes, with the error above
    if other:
        for report in validate.check_item(other) if lookup.options.is_strict else ():
            refuse_errors(report.source, report.errors)
        game = game_of(library, other.address, lookup)
        resource = resources.read(library, other, game, tried)
    children = located.listings(library, model)
    if located.item is None and any(map(len, children.values())):
        resource = resources.of_folder(located.address)
    checkpoint()  # a cancelled job must not replace what is shown
    return Opened(located.address, located.kind, document, resource, located.root, children)


def game_of(library: FileStore, address: Address, lookup: OpenOptions) -> Path | None:
    """The game folder in which the names at an address are looked up, or None."""
    return lookup.options.find_game(library, address.path).folder


def source_of(library: FileStore, model: Address, lookup: OpenOptions) -> Source:
    """The model at an address with the user's choices for it."""
    return Source(model, lookup.of_model(library, model))


def sample_address() -> Address:
    """Address of the bundled sample; raises `FileNotFoundError` in an installation without it."""
    path, entry = SAMPLE
    return Address(bundled_path(path), (entry,))
