"""Opening: one resource by its address, or every model or texture of archives and folders."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import TYPE_CHECKING, Any, Unpack

from mshview.archive import resource_at
from mshview.checking import checked, takes
from mshview.keywords import OpenKeywords
from mshview.resource import Resource
from mshview.workspace import Workspace, discard_all, new_workspace
from viewer.errors import MshviewError, UsageError, shown
from viewer.model.kinds.registry import MODEL, TEXTURE
from viewer.model.store.address import Address
from viewer.operations.given_options import checked_options, with_options
from viewer.operations.reading_options import USUAL, ReadingOptions

if TYPE_CHECKING:
    from mshview.model import Model
    from mshview.texture import Texture

Name = str | os.PathLike[str]


@takes(OpenKeywords)
@checked()
def open_resource(address: Name, **options: Unpack[OpenKeywords]) -> Resource:
    """Open what is at an address: an `Archive`, `Model`, `Texture`, `Effect`, `Unit`, or another `Resource`.

    Each opening has changes of its own, which its entries share: another opening of the same file sees them
    when they are saved. ``(model,) = models(address)`` opens what has to be a model, which type checkers then
    know.

    Parameters
    ----------
    address
        A file, or an entry of an archive by name or number: ``models.rlb::walker.msh``, ``models.rlb::#3``.
    options
        Those of `OpenKeywords`.

    Raises
    ------
    Error
        If there is no such file or entry.
    """
    given, files = Address.given(os.fspath(address)), new_workspace()
    try:
        return resource_at(given.absolute(), _reading(options), files)
    except MshviewError:
        files.store.open(given)  # raises the error with the address as it was given
        raise


def _reading(options: Mapping[str, Any]) -> ReadingOptions:
    """The options of an opening; raises `UsageError` for wrong ones."""
    return with_options(USUAL, checked_options(ReadingOptions, options)).absolute


@takes(OpenKeywords)
def models(
    *addresses: Name | Resource,
    problems: list[MshviewError] | None = None,
    **options: Unpack[OpenKeywords],
) -> Iterator[Model]:
    """Yield every model at some addresses, of archives and folders all that is in them, in their order.

    Each is read when it is asked for something. Wildcards are as in the shell: ``game/*.rlb::w*.msh``. All
    that one call yields are one opening. An opened archive stands for its entries, with its changes.

    Parameters
    ----------
    problems
        A list that takes the errors of files that cannot be read; without it the first one is raised.
    options
        As of `open`; an opened archive has its own.
    """
    from mshview.model import Model  # noqa: PLC0415 of no use to who opens other resources

    for address, how, files, holder in _found(addresses, (MODEL.id, "model"), options, problems):
        yield Model(address, how, files, holder)


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
def _addresses(*addresses: Name) -> list[Address]:
    return [Address.given(os.fspath(it)) for it in addresses]


def _found(
    addresses: tuple[Name | Resource, ...],
    kind: tuple[str, str],
    given: Mapping[str, Any],
    problems: list[MshviewError] | None,
) -> Iterator[tuple[Address, ReadingOptions, Workspace, Resource | None]]:
    """The resources of a kind, with how they are opened."""
    from viewer.operations.corpus.many import ItemFinder  # noqa: PLC0415 not needed for one resource

    if problems is not None and not isinstance(problems, list):
        raise UsageError(f"{shown(problems)} is not a list", source="problems")
    options, own = _reading(given), new_workspace()
    groups: list[tuple[list[Address], ReadingOptions, Workspace, Resource | None]] = []
    for is_open, some in groupby(addresses, lambda it: isinstance(it, Resource)):
        if not is_open:
            names = [it for it in some if not isinstance(it, Resource)]
            groups.append((_addresses(*names), options, own, None))
            continue
        groups += [([it._address], it._options, it._files, it) for it in some if isinstance(it, Resource)]  # noqa: SLF001
    for wanted, how, files, holder in groups:
        for found in ItemFinder(files.store, frozenset(kind[:1]), kind[1]).find(wanted):
            if not found.problem:
                yield found.address.absolute(), how, files, holder
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
