"""Opening: one resource by its address, or every model or texture of archives and folders."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from mshview.resource import Resource, resource_at
from mshview.workspace import OpenOptions, workspace
from viewer.errors import MshviewError
from viewer.model.kinds.registry import MODEL, TEXTURE
from viewer.model.store.address import Address

if TYPE_CHECKING:
    from mshview.model import Model
    from mshview.texture import Texture

Name = str | os.PathLike[str]


def open_resource(
    address: Name,
    *,
    game: Name | None = None,
    reading: str = "auto",
    wear: str | None = None,
    control: str | None = None,
    strict: bool = False,
) -> Resource:
    """Open what is at an address: an `Archive`, a `Model`, a `Texture`, or a `Resource` of another kind.

    ``(model,) = models(address)`` opens what has to be a model, which type checkers then know.

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
    strict
        Refuse a model with an error instead of showing what is intact.

    Raises
    ------
    Error
        If there is no such file or entry.
    """
    options = OpenOptions(None if game is None else Path(game), reading, wear, control, strict)
    return resource_at(Address.given(os.fspath(address)), options)


def models(
    *addresses: Name,
    game: Name | None = None,
    reading: str = "auto",
    problems: list[MshviewError] | None = None,
) -> Iterator[Model]:
    """Yield every model at some addresses, of archives and folders all that is in them, in their order.

    Each is read when it is asked for something. Wildcards are as in the shell: ``game/*.rlb::w*.msh``.

    Parameters
    ----------
    game, reading
        As of `open`.
    problems
        A list that takes the errors of files that cannot be read; without it the first one is raised.
    """
    from mshview.model import Model  # noqa: PLC0415 of no use to who opens other resources

    options = OpenOptions(None if game is None else Path(game), reading)
    for address in _found(addresses, MODEL.id, "model", problems):
        yield Model(address, options)


def textures(
    *addresses: Name, game: Name | None = None, problems: list[MshviewError] | None = None
) -> Iterator[Texture]:
    """Yield every texture at some addresses, as `models` does."""
    from mshview.texture import Texture  # noqa: PLC0415

    options = OpenOptions(None if game is None else Path(game))
    for address in _found(addresses, TEXTURE.id, "texture", problems):
        yield Texture(address, options)


def _found(
    addresses: tuple[Name, ...], kind: str, what: str, problems: list[MshviewError] | None
) -> Iterator[Address]:
    from viewer.operations.corpus.many import ItemFinder  # noqa: PLC0415 not needed for one resource

    finder = ItemFinder(workspace().store, frozenset({kind}), what)
    for found in finder.find([Address.given(os.fspath(it)) for it in addresses]):
        if not found.problem:
            yield found.address
            continue
        error = MshviewError(found.problem, source=found.address)
        if problems is None:
            raise error
        problems.append(error)


def discard(address: Name | None = None) -> None:
    """Forget the changes of a file that are not saved; without an address those of all files."""
    workspace().discard(None if address is None else Address.given(os.fspath(address)))
