"""What the command line says about games found on this computer; it uses none that is not named."""

from __future__ import annotations

from typing import TYPE_CHECKING

from viewer.cli import output

if TYPE_CHECKING:
    from viewer.session.opened.document import Document


def lines() -> list[str]:
    """Return a line for each install, as the option takes it."""
    from viewer.model.game import installs  # noqa: PLC0415 not needed by most verbs

    return [f'--game "{install.folder}"  ({install.launcher})' for install in installs.find_installs()]


def write_hint(document: Document) -> None:
    """Name the games found if a model has a wear table, but no game folder to look its names up in."""
    if document.game.folder is None and document.materials.wear_source is not None:
        for line in lines():
            output.write_hint(f"a game was found on this computer: {line}")
