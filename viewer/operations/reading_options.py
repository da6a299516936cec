"""Options of reading: how models are read, and where the names in files are looked up.

The shell, `mshview.open` and the window have them as they are declared here.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

from msgspec import Struct
from msgspec.structs import asdict, replace

from viewer.model.mesh.reading_choices import GroundReading, ReadingChoice
from viewer.model.store.address import Address
from viewer.options import MenuEntry, Needed, Option, OptionChoice, ShellOption
from viewer.translation import Text, _

if TYPE_CHECKING:
    from viewer.model.game.game_folder import GameSource
    from viewer.model.store.file_store import FileStore

OF_GROUND: Final = "terrain.materials"
"""The section of the Display panel of the materials of a terrain."""


def _no_terrain(_view: object, document: Any) -> Text | str:
    """The reason why a reading of terrains shows nothing of a document."""
    return "" if document is not None and document.is_terrain else _("no terrain is open")


class ReadingOptions(Struct, frozen=True):
    """Options of reading files.

    Attributes
    ----------
    reading
        Reading of the disputed fields.
    game
        The game folder whose libraries are used instead of those found above a file.
    is_strict
        Refuse a model if it has an error.
    wear
        A wear table instead of the one in the same archive or folder.
    control
        A controller instead of the one that the registry names, or the one of the model's stem.
    ground
        Reading of the materials of a terrain.
    set_game
        The game folder if none is found: that of the settings of the window.
    """

    reading: Annotated[
        ReadingChoice,
        Option(
            link="reading",
            shell=ShellOption(
                "--reading",
                _(
                    "how to read the order of quaternions and the field of the material, on which "
                    "descriptions of the format disagree: auto decides for each model, seed and field follow "
                    "one description each; {unless}"
                ),
            ),
        ),
    ] = ReadingChoice.AUTO
    game: Annotated[
        Path | None,
        Option(
            shell=ShellOption(
                "--game",
                _(
                    "look names up in this game folder, not in the one around PATH; 'mshview help' names "
                    "those found on this computer"
                ),
            )
        ),
    ] = None
    is_strict: Annotated[
        bool,
        Option(
            shell=ShellOption(
                "--strict",
                _("refuse input with errors that 'validate' finds"),
                is_flag=True,
                opposite=("--tolerant", _("show what is intact and warn about the rest (default)")),
            )
        ),
    ] = False
    wear: Annotated[
        Address | None,
        Option(shell=ShellOption("--wear", _("a wear table, instead of the one next to the model"))),
    ] = None
    control: Annotated[
        Address | None,
        Option(
            shell=ShellOption(
                "--control", _("a controller, instead of the one that the registry names with the model")
            )
        ),
    ] = None
    ground: Annotated[
        GroundReading,
        Option(
            _("materials"),
            stored="ground",
            choices=(
                OptionChoice(
                    GroundReading.LAND1,
                    _("Both from Land1.wea"),
                    _("Land2.wea names the microtexture of the same row: counted on 33 maps"),
                    obstacle=_no_terrain,
                ),
                OptionChoice(
                    GroundReading.LEVELS,
                    _("By level of detail"),
                    _("The fine level from Land1.wea, the coarse from Land2.wea: an earlier reading"),
                    obstacle=_no_terrain,
                ),
                OptionChoice(
                    GroundReading.CROSSED,
                    _("First from Land2.wea"),
                    _("The second from Land1.wea: an earlier reading"),
                    obstacle=_no_terrain,
                ),
            ),
            action=MenuEntry(
                "view.ground",
                menu="view.textures",
                needs=Needed.TAB,
                begins_group=True,
                title=_("Terrain: {value}"),
            ),
            section=OF_GROUND,
            link="ground",
            shell=ShellOption(
                "--ground",
                _(
                    "which wear tables the materials of a terrain are from: land1 (both from Land1.wea, with "
                    "the microtextures of Land2.wea; default), levels (from Land2.wea at the coarse level) "
                    "or crossed (the first from Land2.wea, the second from Land1.wea)"
                ),
            ),
        ),
    ] = GroundReading.LAND1
    set_game: Path | None = None

    @property
    def absolute(self) -> ReadingOptions:
        """The options with absolute paths, whatever the working folder is later."""
        return replace(self, **absolute_paths(asdict(self)))

    def find_game(self, library: FileStore, path: Path) -> GameSource:
        """The game folder in which the names in a file are looked up."""
        from viewer.model.game import game_folder  # noqa: PLC0415 few verbs that take options need it

        return game_folder.find(library, path, self.game, self.set_game)


def absolute_paths(values: dict[str, Any]) -> dict[str, Any]:
    """Values by name, with paths and addresses absolute."""
    return {name: it.absolute() if isinstance(it, Path | Address) else it for name, it in values.items()}


USUAL: Final = ReadingOptions()
