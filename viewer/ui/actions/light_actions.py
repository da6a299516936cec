"""The actions of the light: look, lights, sky, scene color."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from viewer.dataclass import replace
from viewer.session.view.lighting import GAME_DAY, Lighting, LightKind, Look
from viewer.translation import Text, _
from viewer.ui.actions.actions import Action, a_tab, changing, of_tab, switches
from viewer.ui.context import UiContext
from viewer.ui.display.light import sky_obstacle, use_sky


def light_actions() -> Iterator[Action]:
    """Yield the actions of the light."""
    yield _light("toggle_look", _("Switch look"), _toggle_look, keys="Shift+L")
    yield from (_look(look) for look in Look)
    switched = switches("view.light")
    yield switched.pop("view.light.lights")
    yield _light(
        "head_light",
        _("Head light"),
        _toggle_head_light,
        lambda light: light.kind is LightKind.HEAD,
    )
    yield Action(
        "view.light.sky",
        _("Light of the sky"),
        _toggle_sky,
        is_on=lambda frame: frame.view.lighting.used_sky is not None,
        needs=a_tab,
        obstacle=sky_obstacle,
    )
    yield from switched.values()
    yield _scene("scene_default", _("Scene color: default"), None)
    yield _scene("scene_game_day", _("Scene color: game day"), GAME_DAY)


def _toggle_look(light: Lighting) -> Lighting:
    return replace(light, look=Look.PLAIN if light.look is Look.GAME else Look.GAME)


def _toggle_head_light(light: Lighting) -> Lighting:
    return replace(light, kind=LightKind.GAME if light.kind is LightKind.HEAD else LightKind.HEAD)


_LOOKS: Final = {Look.GAME: _("Look as the game"), Look.PLAIN: _("Plain look")}


def _look(look: Look) -> Action:
    return _light(
        f"look_{look.value}",
        _LOOKS[look],
        lambda light: replace(light, look=look),
        lambda light: light.look is look,
    )


def _scene(name: str, title: Text, scene: float | None) -> Action:
    return _light(
        name,
        title,
        lambda light: replace(light, scene=scene),
        lambda light: light.scene == scene,
        begins_group=scene is None,
    )


def _light(
    name: str,
    title: Text,
    change: Callable[[Lighting], Lighting],
    is_on: Callable[[Lighting], bool] | None = None,
    *,
    keys: str = "",
    begins_group: bool = False,
) -> Action:
    return of_tab(
        f"view.light.{name}",
        title,
        changing(lambda view: replace(view, lighting=change(view.lighting))),
        keys,
        is_on=None if is_on is None else lambda frame: is_on(frame.view.lighting),
        begins_group=begins_group,
    )


def _toggle_sky(frame: UiContext) -> None:
    if frame.view.lighting.used_sky is None:
        use_sky(frame)
    else:
        frame.change(lambda view: replace(view, lighting=replace(view.lighting, kind=LightKind.GAME)))
