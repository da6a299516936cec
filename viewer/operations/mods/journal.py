"""The journal of a game: which mods are applied in place, and the bytes that files had before.

It is the folder ``.mshview-mods`` in the game. ``state.json`` says which mods are applied and what each
changed file was and is; ``originals`` has the files as they were, ``mods`` the mods. A change of the game
goes through ``next``: the new files and the new state are written there and flushed, then ``plan.json``
appears, and from then on the change counts (`transaction`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final

from msgspec import Struct

from viewer import typed_json
from viewer.bounded_reading import read_at_most
from viewer.errors import AddressError, FormatError, reading_from, reason_of
from viewer.model.kinds import json_text
from viewer.model.store.disk import JOURNAL
from viewer.operations.mods.game_files import key_of
from viewer.operations.mods.manifest import LARGEST, InnerPath, Name
from viewer.translation import _
from viewer.typed_json import SHA256, Pattern

STATE: Final = "state.json"
ORIGINALS: Final = "originals"
MODS: Final = "mods"
SCHEMA: Final = "mshview-mods-1"
Digest = Annotated[str, SHA256]
OwnName = Annotated[str, Pattern("[0-9]{6}(\\.zip)?", _("is not a name of the journal"))]


class AppliedMod(Struct, frozen=True):
    """A mod that is applied: its name, the SHA-256 of all that it is, and its zip in the journal."""

    name: Name
    sha256: Digest
    file: OwnName


class TouchedFile(Struct, frozen=True):
    """A file of the game that is not as it was before any mod.

    Attributes
    ----------
    path
        Its path in the game.
    before, after
        The SHA-256 of the bytes that it had and has; None if it was not or is not there.
    original
        The file in the journal that has the former bytes; None if there were none.
    """

    path: InnerPath
    before: Digest | None
    after: Digest | None
    original: OwnName | None


class ModState(Struct, frozen=True):
    """The mods of a game and the files that they changed.

    Attributes
    ----------
    mods
        In their order.
    files
        What they changed.
    folders
        The folders that were made for new files, relative to the game, outer ones first.
    """

    mods: tuple[AppliedMod, ...] = ()
    files: tuple[TouchedFile, ...] = ()
    folders: tuple[InnerPath, ...] = ()

    def encode(self) -> bytes:
        """The JSON text."""
        form = {"schema": SCHEMA, **typed_json.plain_fields(self, has_defaults=True)}
        return json_text.encode(form).encode() + b"\n"

    @property
    def by_key(self) -> dict[bytes, TouchedFile]:
        """The files by the keys of their paths."""
        return {key_of(it.path): it for it in self.files}


class ReplacedFile(Struct, frozen=True):
    """A step of a change of the game.

    Attributes
    ----------
    path
        The file.
    before, after
        The SHA-256 of its bytes before and after the step; None for none.
    file
        The name that its bytes have in the folders of the change.
    original
        The name under which the old file is kept from now on; None if its bytes are not those of the game.
    is_foreign
        Whether the old file is what another program has made of it: it stays as a backup next to the new one.
    """

    path: InnerPath
    before: Digest | None
    after: Digest | None
    file: OwnName
    original: OwnName | None = None
    is_foreign: bool = False


class ChangePlan(Struct, frozen=True):
    """A change of a game, all of it or nothing.

    Attributes
    ----------
    steps
        The files.
    folders
        Folders that are made before, outer ones first.
    emptied
        Folders that are removed afterwards if nothing is in them, inner ones first.
    """

    steps: tuple[ReplacedFile, ...]
    folders: tuple[InnerPath, ...] = ()
    emptied: tuple[InnerPath, ...] = ()

    def encode(self) -> bytes:
        """The JSON text."""
        return json_text.encode(typed_json.plain_fields(self, has_defaults=True)).encode() + b"\n"


def folder_of(game: Path) -> Path:
    """The journal of a game, whether it is there or not."""
    return game / JOURNAL


def read_state(game: Path) -> ModState:
    """The state of a game; an empty one without a journal.

    Raises `FormatError` for a journal that cannot be understood: what is in it is not touched then.
    """
    path = folder_of(game) / STATE
    form = _read(path)
    if form is None:
        kept = folder_of(game) / ORIGINALS
        if kept.is_dir() and any(kept.iterdir()):
            raise FormatError(_("is missing, but files of the game are kept next to it"), source=path)
        return ModState()
    with reading_from(path):
        if form.pop("schema", None) != SCHEMA:
            raise FormatError(_("is not {schema}", schema=SCHEMA), field="schema")
        return typed_json.made(ModState, form, is_strict=True)


def read_plan(path: Path) -> ChangePlan | None:
    """The plan of a change that was begun; None without one."""
    form = _read(path)
    with reading_from(path):
        return None if form is None else typed_json.made(ChangePlan, form, is_strict=True)


def _read(path: Path) -> dict[str, Any] | None:
    """The JSON object in a file of the journal; None if there is no such file."""
    try:
        with path.open("rb") as file:
            data = read_at_most(file, LARGEST)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise AddressError(_("cannot be read: {reason}", reason=reason_of(error)), source=path) from error
    with reading_from(path):
        return typed_json.document(data)


def originals(game: Path, state: ModState) -> Mapping[bytes, Path | None]:
    """The files with the bytes that files of the game had before any mod, by their keys."""
    kept = folder_of(game) / ORIGINALS
    return {key: None if it.original is None else kept / it.original for key, it in state.by_key.items()}


def free_names(taken: Sequence[str | None], count: int, suffix: str = "") -> list[str]:
    """Names for so many files of the journal that no other one has."""
    used = {0, *(int(it[:6]) for it in taken if it is not None)}
    first = max(used) + 1
    return [f"{number:06}{suffix}" for number in range(first, first + count)]
