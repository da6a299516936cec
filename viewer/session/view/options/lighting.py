"""Light on a model: the game's own light, or the plain display model.

Source: spec/field-notes.md 4; spec/materials.md 5 for the plain look.
"""

from __future__ import annotations

from enum import StrEnum
from math import sqrt
from typing import TYPE_CHECKING, Annotated, Final

from msgspec import Struct
from msgspec.structs import replace

from viewer.model.sky.day import Day
from viewer.model.sky.dome import Fog, fog_towards
from viewer.model.sky.light import SCENE, Color, Light, SkyLight
from viewer.options import MenuEntry, Needed, Option, OptionChoice, ShellOption
from viewer.translation import Text, _
from viewer.typed_json import Limits

if TYPE_CHECKING:
    from viewer.session.opened.document import Document
    from viewer.session.view.view_state import ViewState

GAME_DAY: Final = 40 / 255
"""The scene color by day in the first mission of the game, a grey."""
GAME_LIGHTS: Final = (
    Light((-sqrt(0.5), 0.0, -sqrt(0.5)), (2.0, 2.0, 2.0)),
    Light((sqrt(0.5), 0.0, -sqrt(0.5)), (2.0, 2.0, 2.0)),
)
"""Lights of the game's own viewer of models, in the model's frame, where it faces +Y: tops are lit by both,
the sides by one each, front and back by none."""
HEAD_LIGHT_COLOR: Final = (1.0, 1.0, 1.0)


class Look(StrEnum):
    """Light and blending of textured models; the values are saved."""

    GAME = "game"
    PLAIN = "plain"


class LightKind(StrEnum):
    """Lights of the game's look; the values are saved."""

    GAME = "game"
    SKY = "sky"
    HEAD = "head"


class ChosenSky(Struct, frozen=True):
    """A sky that lights models.

    Attributes
    ----------
    name
        The address of its file, as text.
    day
        The day of it.
    hour
        0 to 24.
    """

    name: str
    day: Day
    hour: float

    @property
    def light(self) -> SkyLight:
        """The scene color and the lights at the hour."""
        return self.day.at(self.hour).light


OF_LOOK: Final = "light.look"
OF_LIGHTS: Final = "light.lights"
"""The section of the Display panel of all lights."""
OF_SKY: Final = "light.sky"
"""The section of what is shown of a sky besides its lights."""


def sky_missing(view: ViewState, _document: Document | None) -> Text | str:
    """Reason for which nothing of a sky is shown."""
    return "" if view.lighting.used_sky is not None else _("the light is not that of a sky")


class Lighting(Struct, frozen=True):
    """Light and blending of textured models.

    Attributes
    ----------
    look
        As in the game, or the plain display model, to which nothing else here applies.
    scene
        The grey below which no surface is lit, 0 to 1; None is that of the lights.
    has_lights
        Whether any lights shine.
    kind
        Which ones.
    sky
        The sky, which is there if the lights are of one; it stays if others are chosen.
    has_fog, has_dome
        Whether the fog and the dome of the sky are drawn, if the lights are of one.
    """

    look: Annotated[
        Look,
        Option(
            _("look"),
            stored="lighting.look",
            link="look",
            choices=(
                OptionChoice(Look.GAME, _("As the game"), _("Light and blending as the game computes them")),
                OptionChoice(
                    Look.PLAIN,
                    _("Plain"),
                    _("The display model of earlier versions: a lamp, highlights, alpha as gloss"),
                ),
            ),
            action=MenuEntry(
                "view.light.look", menu="view.light", needs=Needed.TAB, title=_("Look: {value}")
            ),
            section=OF_LOOK,
            shell=ShellOption(
                "--look", _("light and blending as in the game, or the plain display model; {unless}")
            ),
        ),
    ] = Look.GAME
    scene: Annotated[
        Annotated[float, Limits(1)] | None,
        Option(
            stored="lighting.scene",
            link="scene",
            shell=ShellOption(
                "--scene",
                _("grey below which no surface is lit in the game's look, 0 to 1; {unless}"),
                _("default {scene}, with --light sky the color of the sky", scene=SCENE),
            ),
        ),
    ] = None
    has_lights: Annotated[
        bool,
        Option(
            _("Lights"),
            stored="lighting.has_lights",
            link="lights",
            action=MenuEntry("view.light.lights", needs=Needed.TAB, begins_group=True),
            section=OF_LIGHTS,
            shell=ShellOption("--lights", _("all lights of the game's look; {unless}")),
        ),
    ] = True
    kind: Annotated[
        LightKind,
        Option(
            stored="lighting.kind",
            link="light",
            choices=(
                OptionChoice(
                    LightKind.GAME,
                    _("Game"),
                    _(
                        "Two lights from above right and above left that turn with the model, as in the "
                        "game's own viewer: tops are lit by both, sides by one, front and back by none"
                    ),
                ),
                OptionChoice(
                    LightKind.SKY,
                    _("Sky"),
                    _("The sun or the moon and a counter light of a sky, at an hour"),
                ),
                OptionChoice(LightKind.HEAD, _("Head"), _("One light, from the camera")),
            ),
            # No action and no section: a sky has to be found and read first, which panels and menus let do.
            shell=ShellOption(
                "--light",
                _(
                    "game: two from above right and left, fixed to the model; head: one from the camera; "
                    "sky: those of --sky; {unless}"
                ),
            ),
        ),
    ] = LightKind.GAME
    sky: Annotated[ChosenSky | None, Option()] = None
    has_fog: Annotated[
        bool,
        Option(
            _("Fog of the sky"),
            (
                _("Everything fades to the horizon's color in the direction of view, as in the game"),
                _("Low certainty: the color between two compass points is interpolated by the angle"),
            ),
            stored="lighting.has_fog",
            link="fog",
            action=MenuEntry("view.light.fog", needs=Needed.TAB),
            section=OF_SKY,
            label=_("Fog"),
            shell=ShellOption(
                "--fog", _("the fog of the sky towards the horizon that the camera looks at; {unless}")
            ),
            obstacle=sky_missing,
        ),
    ] = False
    has_dome: Annotated[
        bool,
        Option(
            _("Dome of the sky"),
            (
                _("The colors of the sky behind everything, not in an orthographic view"),
                _("Not known: how the textures of nebula and clouds lie; they are left out"),
                _("Below the horizon its color continues: our choice"),
            ),
            stored="lighting.has_dome",
            link="dome",
            action=MenuEntry("view.light.dome", needs=Needed.TAB),
            section=OF_SKY,
            label=_("Dome"),
            shell=ShellOption(
                "--dome",
                _("the colors of the sky behind everything, without nebula and clouds; {unless}"),
            ),
            obstacle=sky_missing,
        ),
    ] = False

    @property
    def without_sky(self) -> Lighting:
        """The part that outlives the files that are open."""
        kind = LightKind.GAME if self.kind is LightKind.SKY else self.kind
        return replace(self, kind=kind, sky=None)

    @property
    def used_sky(self) -> ChosenSky | None:
        """The sky that lights models; None if other lights do."""
        return self.sky if self.kind is LightKind.SKY else None

    @property
    def dome(self) -> ChosenSky | None:
        """The sky whose dome is drawn."""
        return self.used_sky if self.has_dome and self.look is Look.GAME else None

    def fog(self, towards_camera: Color) -> Fog | None:
        """The fog that is drawn; `towards_camera` is a unit vector in world space."""
        sky = self.used_sky
        if sky is None or not self.has_fog or self.look is not Look.GAME:
            return None
        x, y, z = towards_camera
        return fog_towards(sky.day.at(sky.hour), (-x, -y, -z))

    @property
    def scene_color(self) -> Color:
        """The color below which no surface is lit."""
        if self.scene is None and self.used_sky is not None:
            return self.used_sky.light.scene
        return (SCENE if self.scene is None else self.scene,) * 3

    def lights(self, towards_camera: Color) -> tuple[Light, ...]:
        """The lights that shine, in world space; `towards_camera` is a unit vector there."""
        if not self.has_lights:
            return ()
        if self.kind is LightKind.HEAD:
            x, y, z = towards_camera
            return (Light((-x, -y, -z), HEAD_LIGHT_COLOR),)
        if self.used_sky is not None:
            return self.used_sky.light.lights
        return GAME_LIGHTS
