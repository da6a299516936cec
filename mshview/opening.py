"""Opening: one resource by its address, or every model or texture of archives and folders."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mshview.archive import resource_at
from mshview.checking import checked
from mshview.resource import Resource
from mshview.workspace import OpenOptions, Workspace, discard_all, new_workspace
from viewer.errors import MshviewError, UsageError, shown
from viewer.model.kinds.registry import MODEL, TEXTURE
from viewer.model.material.selectors import GroundReading
from viewer.model.mesh.reading import ReadingChoice
from viewer.model.store.address import Address

if TYPE_CHECKING:
    from mshview.model import Model
    from mshview.texture import Texture

Name = str | os.PathLike[str]


@checked()
def open_resource(
    address: Name,
    *,
    game: Name | None = None,
    reading: str = "auto",
    wear: Name | None = None,
    control: Name | None = None,
    ground: str = "land1",
    strict: bool = False,
) -> Resource:
    """Open what is at an address: an `Archive`, a `Model`, a `Texture`, an `Effect`, or another `Resource`.

    Each opening has changes of its own, which its entries share: another opening of the same file sees them
    when they are saved. ``(model,) = models(address)`` opens what has to be a model, which type checkers then
    know.

    Parameters
    ----------
    address
        A file, or an entry of an archive by name or number: ``models.rlb::walker.msh``, ``models.rlb::#3``.
    game
        The game folder in which names are looked up, by default the one around the file.
    reading
        The reading of what descriptions of the format disagree on: ``auto``, ``seed`` or ``field``.
    wear, control
        Addresses of a wear table and of a controller, instead of those that belong to a model.
    ground
        Which wear tables the materials of a terrain are from: ``land1``, ``levels`` or ``crossed``.
    strict
        Refuse a model with an error instead of showing what is intact.

    Raises
    ------
    Error
        If there is no such file or entry.
    """
    given, files = Address.given(os.fspath(address)), new_workspace()
    options = OpenOptions(
        None if game is None else Path(game).absolute(),
        ReadingChoice(reading),
        None if wear is None else _absolute(Address.given(os.fspath(wear))),
        None if control is None else _absolute(Address.given(os.fspath(control))),
        strict,
        GroundReading(ground),
    )
    try:
        return resource_at(_absolute(given), options, files)
    except MshviewError:
        files.store.open(given)  # raises the error with the address as it was given
        raise


def _absolute(address: Address) -> Address:
    """The address whatever the working folder is later."""
    return Address(address.path.absolute(), address.entries)


def models(
    *addresses: Name | Resource,
    game: Name | None = None,
    reading: str = "auto",
    ground: str = "land1",
    problems: list[MshviewError] | None = None,
) -> Iterator[Model]:
    """Yield every model at some addresses, of archives and folders all that is in them, in their order.

    Each is read when it is asked for something. Wildcards are as in the shell: ``game/*.rlb::w*.msh``. All
    that one call yields are one opening. An opened archive stands for its entries, with its changes.

    Parameters
    ----------
    game, reading, ground
        As of `open`; an opened archive has its own.
    problems
        A list that takes the errors of files that cannot be read; without it the first one is raised.
    """
    from mshview.model import Model  # noqa: PLC0415 of no use to who opens other resources

    for address, options, files, holder in _found(
        addresses, (MODEL.id, "model"), {"game": game, "reading": reading, "ground": ground}, problems
    ):
        yield Model(address, options, files, holder)


def textures(
    *addresses: Name | Resource, game: Name | None = None, problems: list[MshviewError] | None = None
) -> Iterator[Texture]:
    """Yield every texture at some addresses, as `models` does."""
    from mshview.texture import Texture  # noqa: PLC0415

    for address, options, files, holder in _found(
        addresses, (TEXTURE.id, "texture"), {"game": game}, problems
    ):
        yield Texture(address, options, files, holder)


@checked()
def _options(game: Name | None = None, reading: str = "auto", ground: str = "land1") -> OpenOptions:
    folder = None if game is None else Path(game).absolute()
    return OpenOptions(folder, ReadingChoice(reading), ground=GroundReading(ground))


@checked()
def _addresses(*addresses: Name) -> list[Address]:
    return [Address.given(os.fspath(it)) for it in addresses]


def _found(
    addresses: tuple[Name | Resource, ...],
    kind: tuple[str, str],
    given: Mapping[str, Any],
    problems: list[MshviewError] | None,
) -> Iterator[tuple[Address, OpenOptions, Workspace, Resource | None]]:
    """The resources of a kind, with how they are opened."""
    from viewer.operations.corpus.many import ItemFinder  # noqa: PLC0415 not needed for one resource

    if problems is not None and not isinstance(problems, list):
        raise UsageError(f"{shown(problems)} is not a list", source="problems")
    options, own = _options(**given), new_workspace()
    groups: list[tuple[list[Address], OpenOptions, Workspace, Resource | None]] = []
    for is_open, some in groupby(addresses, lambda it: isinstance(it, Resource)):
        if not is_open:
            names = [it for it in some if not isinstance(it, Resource)]
            groups.append((_addresses(*names), options, own, None))
            continue
        groups += [([it._address], it._options, it._files, it) for it in some if isinstance(it, Resource)]  # noqa: SLF001
    for wanted, how, files, holder in groups:
        for found in ItemFinder(files.store, frozenset(kind[:1]), kind[1]).find(wanted):
            if not found.problem:
                yield _absolute(found.address), how, files, holder
                continue
            error = MshviewError(found.problem, source=found.address)
            if problems is None:
                raise error
            problems.append(error)


@checked()
def discard(address: Name | None = None) -> None:
    """Forget what is changed in a file and not saved, in every opening; without an address in all files.

    `Resource.discard` forgets the changes of one opening.
    """
    discard_all(None if address is None else Address.given(os.fspath(address)).path)
