"""Units: their sheet, the parts that fit their sockets, and new units with other parts."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import to_builtins

from mshview.checking import checked
from mshview.resource import Resource
from viewer.errors import UsageError, shown
from viewer.formats import units
from viewer.operations.arguments import COUNT, path_text, text
from viewer.translation import _

Name = str | os.PathLike[str]


def _keys(value: Any) -> dict[int, str]:
    """Keys of objects by component; raises `UsageError` for anything else."""
    if not isinstance(value, Mapping):
        raise UsageError(_("{value} is not a mapping", value=shown(value)))
    return {int(COUNT(row)): text(key) for row, key in value.items()}


def _places(value: Any) -> list[tuple[int, int, str]]:
    """Component, node and key of new parts; raises `UsageError` for anything else."""
    if not isinstance(value, Iterable) or isinstance(value, str):
        raise UsageError(_("{value} is not a list", value=shown(value)))
    found = []
    for it in value:
        if not isinstance(it, Sequence) or isinstance(it, str) or len(it) != 3:
            raise UsageError(_("{value} is not a component, a node and a key", value=shown(it)))
        found.append((int(COUNT(it[0])), int(COUNT(it[1])), text(it[2])))
    return found


class Unit(Resource):
    """A unit: ``UNITS/**/*.dat``."""

    @checked()
    def sheet(self) -> dict[str, Any]:
        """Measures of its parts as plain values, their sums, and which parts are weapons and clips.

        What its files do not say is None, and counted as unknown in the sums. Without a game folder no part
        has a model.

        Raises
        ------
        Error
            If the unit cannot be read.
        """
        from viewer.model.game.assembly import assemble  # noqa: PLC0415 not needed for bytes
        from viewer.model.game.registry import Game  # noqa: PLC0415
        from viewer.operations.units.unit_sheets import sheet_of  # noqa: PLC0415

        store, folder = self._files.store, self._game
        unit, game = units.decode(self._item.data), Game(folder or Path(), store)
        found: dict[str, Any] = to_builtins(sheet_of(store, game, unit, assemble(store, game, unit)))
        return found

    @checked(tag=text)
    def fitting(self, tag: str) -> list[dict[str, Any]]:
        """Parts of the game's registry that fit a socket: key, name, address, model and the reason.

        Parameters
        ----------
        tag
            What the socket takes, as `Node.takes` says.

        Raises
        ------
        Error
            If there is no game folder with a registry around the unit.
        """
        from viewer.model.game.sockets import fitting  # noqa: PLC0415

        found = fitting(self._files.store, self._game, tag)
        if found is None:
            raise UsageError(_("There is no game folder with a registry around it."), source=self.address)
        return [
            {
                "key": it.key,
                "called": it.called or None,
                "address": str(it.address),
                "model": None if it.model is None else str(it.model),
                "reason": it.reason,
            }
            for it in found
        ]

    @checked(path=path_text, parts=_keys, added=_places)
    def save_with(
        self,
        path: Name,
        parts: Mapping[int, str] | None = None,
        added: Sequence[tuple[int, int, str]] | None = None,
    ) -> None:
        """Write a new unit with other parts; all other bytes are those of this one.

        A part gets the name that the game gives its object, if that is known.

        Parameters
        ----------
        path
            The new file, whole or not at all.
        parts
            The keys of the objects in place of components, by their numbers.
        added
            New parts: the component on whose model the socket is, its node, and the key of the object.

        Raises
        ------
        Error
            If a component does not exist, a key is too long, or the file cannot be written.
        """
        from viewer.model.game.part_names import PartNames  # noqa: PLC0415
        from viewer.operations import saving  # noqa: PLC0415
        from viewer.operations.units.tried_parts import AddedPart, TriedParts, plan_unit  # noqa: PLC0415

        unit, names = units.decode(self._item.data), PartNames.of(self._files.store, self._game)
        tried = TriedParts(dict(parts or {}), tuple(AddedPart(*it) for it in added or ()))
        saving.write([plan_unit(unit, tried, Path(path), names)])

    @property
    def _game(self) -> Path | None:
        """The game folder of the options, else the one around the unit."""
        return self._options.find_game(self._files.store, self._address.path).folder
