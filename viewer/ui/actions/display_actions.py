"""The actions of the view menu that the display panel has too."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from viewer.session.play.playback import Root
from viewer.session.view.lighting import GAME_DAY, SCENE, Lighting, Look
from viewer.translation import Message
from viewer.ui.actions.actions import Action, changing, has_tab
from viewer.ui.display.motion import ROOT_TRAVEL


def light_actions() -> Iterator[Action]:
    """Yield the actions of the light."""
    yield _light("toggle_look", Message("Switch look"), _toggle_look, keys="Shift+L")
    yield from (_look(look) for look in Look)
    yield _light(
        "lights",
        Message("Sun, counter light"),
        lambda light: replace(light, has_lights=not light.has_lights),
        lambda light: light.has_lights,
        begins_group=True,
    )
    yield _light(
        "head_light",
        Message("Head light"),
        lambda light: replace(light, has_head_light=not light.has_head_light),
        lambda light: light.has_head_light,
    )
    yield _scene("scene_default", Message("Scene color: default"), SCENE)
    yield _scene("scene_game_day", Message("Scene color: game day"), GAME_DAY)


def motion_actions() -> Iterator[Action]:
    """Yield the actions of what moves."""
    yield Action(
        "playback.root_travel",
        "playback",
        ROOT_TRAVEL,
        changing(lambda view: replace(view, playback=view.playback.with_other_root())),
        is_on=lambda frame: frame.view.playback.root is Root.TRAVEL,
        begins_group=True,
    )


def _toggle_look(light: Lighting) -> Lighting:
    return replace(light, look=Look.PLAIN if light.look is Look.GAME else Look.GAME)


_LOOKS: Final = {Look.GAME: Message("Look as the game"), Look.PLAIN: Message("Plain look")}


def _look(look: Look) -> Action:
    return _light(
        f"look_{look.value}",
        _LOOKS[look],
        lambda light: replace(light, look=look),
        lambda light: light.look is look,
    )


def _scene(name: str, title: Message, scene: float) -> Action:
    return _light(
        name,
        title,
        lambda light: replace(light, scene=scene),
        lambda light: light.scene == scene,
        begins_group=scene == SCENE,
    )


def _light(
    name: str,
    title: Message,
    change: Callable[[Lighting], Lighting],
    is_on: Callable[[Lighting], bool] | None = None,
    *,
    keys: str = "",
    begins_group: bool = False,
) -> Action:
    return Action(
        f"view.light.{name}",
        "view.light",
        title,
        changing(lambda view: replace(view, lighting=change(view.lighting))),
        keys,
        is_on=None if is_on is None else lambda frame: is_on(frame.view.lighting),
        needs=has_tab,
        begins_group=begins_group,
    )
