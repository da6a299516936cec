"""The actions of the light: look, lights, sky, scene color."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec.structs import replace

from viewer.options import option_at
from viewer.session.view.options.lighting import GAME_DAY, Lighting, LightKind, Look
from viewer.session.view.view_state import ViewState
from viewer.translation import Text, _
from viewer.ui.actions.actions import Action, actions_of, changing, of_tab, option_actions
from viewer.ui.context import UiContext
from viewer.ui.display.light import sky_obstacle, use_sky
from viewer.ui.viewport.obstacles import a_tab


def light_actions() -> Iterator[Action]:
    """Yield the actions of the light."""
    yield _light("toggle_look", _("Switch look"), _toggle_look, keys="Shift+L")
    switched = actions_of("view.light")
    yield from (switched.pop(it.id) for it in option_actions(option_at(ViewState, "lighting.look")))
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
