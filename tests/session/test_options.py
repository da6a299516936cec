"""What is declared of the fields of a view: how long their values last, and where they are kept."""

from __future__ import annotations

from enum import Enum
from types import SimpleNamespace
from typing import Annotated, Any, cast

import pytest
from msgspec import defstruct
from msgspec.structs import replace

from viewer.control.settings.settings import Settings
from viewer.options import Lifetime, option_at, options_of
from viewer.session.opened.document import Document
from viewer.session.options import OF_TAB, is_shared, is_stored, taking
from viewer.session.pixel.explained import ExplainedPixel
from viewer.session.pixel.explanation import PixelExplanation
from viewer.session.play.playback import Machinery, Playback, Root
from viewer.session.play.stage import ModelStage
from viewer.session.view.options.background import Background
from viewer.session.view.options.drawn_parts import DrawnParts
from viewer.session.view.options.lighting import Lighting
from viewer.session.view.options.overlays import Overlay
from viewer.session.view.options.shading import Shading
from viewer.session.view.view_state import HeldNode, ViewState, with_shading_here

OTHER = ViewState(
    lod=1,
    speed=30.0,
    lighting=Lighting(has_fog=True),
    drawn=DrawnParts(has_auto_detail=True, is_own_view=True),
    playback=Playback(clip=3, root=Root.TRAVEL, machinery=Machinery(is_on=False, since=4.0)),
)


def test_a_declared_field_is_found_within_the_fields_of_a_view() -> None:
    found = {it.path: it for it in options_of(ViewState)}
    fog = found["lighting", "has_fog"]
    assert fog.of(OTHER)
    assert fog.set(ViewState(), True) == replace(ViewState(), lighting=Lighting(has_fog=True))
    assert found["playback", "machinery", "is_on"].option.stored == "has_machinery"
    assert ("selection", "nodes") not in found


def test_what_all_tabs_share_is_taken_and_nothing_else() -> None:
    view = taking(ViewState(), OTHER, is_shared)
    assert (view.speed, view.lighting) == (30.0, OTHER.lighting)
    assert view.drawn == DrawnParts(has_auto_detail=True)
    assert view.playback == Playback(root=Root.TRAVEL, machinery=Machinery(is_on=False))
    assert view.lod == 0


def test_what_is_taken_as_a_whole_stays_the_same_object() -> None:
    """Caches of a frame compare the parts of a view by identity."""
    assert taking(ViewState(), OTHER, is_shared).lighting is OTHER.lighting
    own = ViewState()
    assert taking(own, OTHER, is_stored).selection is own.selection


def test_the_projection_is_remembered_and_yet_each_tab_has_its_own() -> None:
    projection = next(it for it in options_of(ViewState) if it.path[-1] == "is_orthographic")
    assert projection.option.lasts is Lifetime.TAB
    assert projection.option.stored == "is_orthographic"


def test_what_is_on_screen_of_an_option_is_said_with_it() -> None:
    fog = option_at(ViewState, "lighting.has_fog")
    assert (str(fog.option.title), str(fog.option.label), fog.key) == ("Fog of the sky", "Fog", "fog")
    assert fog.option.obstacle is not None
    assert fog.option.obstacle(ViewState(), None) == "the light is not that of a sky"
    assert fog.switched(fog.switched(ViewState())) == ViewState()


def test_actions_and_names_are_each_of_one_option() -> None:
    options = options_of(ViewState)
    for names in (
        [it.option.action.id for it in options if it.option.action],
        [it.option.shell.name for it in options if it.option.shell],
        [it.option.link for it in options if it.option.link],
    ):
        assert len(names) == len({*names})
    drawn_by_itself = {"samples", "speed", "background_color"}  # in the settings window
    shown = [it for it in options if it.option.action or it.option.section or it.option.has_button]
    assert {it.name for it in shown if it.plain_kind is not bool and not it.option.choices} == drawn_by_itself


@pytest.mark.parametrize(
    "hint",
    [
        Annotated[int, OF_TAB] | None,
        tuple[Annotated[int, OF_TAB], ...],
        Annotated[Annotated[int, OF_TAB] | None, OF_TAB],
    ],
)
def test_an_option_within_a_type_is_refused(hint: Any) -> None:
    """It would be that of no field, and nothing would follow from it."""
    with pytest.raises(TypeError):
        options_of(defstruct("Declaring", [("field", hint)]))
    assert options_of(defstruct("Declaring", [("field", Annotated[int | None, OF_TAB])]))


def test_every_value_of_an_option_with_choices_is_one_of_them() -> None:
    declared = [*options_of(ViewState), *options_of(Settings)]
    found = {it.name: it for it in declared if it.option.choices}
    assert {"shading", "background", "loop", "drawn.cells", "drawn.cutaway", "theme"} <= found.keys()
    for option in found.values():
        values = [it.value for it in option.option.choices]
        if issubclass(option.choice_kind, Enum):
            assert values == [*option.choice_kind]
        now = option.of(Settings() if hasattr(Settings, option.path[0]) else ViewState())
        assert {*(now if option.is_set else (now,))} <= {*values}


def test_each_choice_of_a_set_is_a_switch() -> None:
    overlays = option_at(ViewState, "overlays")
    bones = overlays.picked(ViewState(), Overlay.BONES)
    assert bones.overlays == {Overlay.GRID, Overlay.AXES, Overlay.BONES}
    assert overlays.is_on(bones, Overlay.BONES)
    assert overlays.picked(bones, Overlay.BONES) == ViewState()
    background = option_at(ViewState, "background")
    assert background.picked(bones, Background.LIGHT).background is Background.LIGHT


def test_what_follows_from_a_choice_is_declared_with_it() -> None:
    own = ViewState(drawn=DrawnParts(is_own_view=True))
    by_size = option_at(ViewState, "drawn.has_auto_detail")
    assert by_size.switched(own).drawn == DrawnParts(has_auto_detail=True, is_own_view=False)
    assert by_size.set(own, True).drawn == DrawnParts(has_auto_detail=True, is_own_view=True)
    shading = option_at(ViewState, "shading")
    alone = with_shading_here(ViewState(), Shading.LIT)
    assert alone.usual_shading is Shading.TEXTURED
    assert shading.chosen(alone, Shading.NODE).usual_shading is Shading.NODE


def test_a_button_goes_from_each_choice_to_the_next() -> None:
    background, view, seen = option_at(ViewState, "background"), ViewState(), []
    for _ in range(4):
        view = background.chosen(view, background.following(view).value)
        seen.append(view.background)
    assert seen == [Background.LIGHT, Background.TRANSPARENT, Background.OWN, Background.DARK]


def test_a_shading_needs_what_it_colors_by() -> None:
    document = SimpleNamespace(is_terrain=False, model=SimpleNamespace(batches=(), tri_descriptors=()))
    reasons = {}
    for choice in option_at(ViewState, "shading").option.choices:
        if choice.value in (Shading.BATCH, Shading.FLAG, Shading.NODE):
            no = choice.obstacle
            reasons[choice.value] = "" if no is None else str(no(ViewState(), cast(Document, document)))
    assert reasons == {
        Shading.NODE: "",
        Shading.BATCH: "this model has no batches",
        Shading.FLAG: "this model has no triangle descriptors, which hold the flags",
    }


def test_an_explained_pixel_is_outdated_by_every_option_that_draws_and_no_other() -> None:
    document = cast(Document, SimpleNamespace())
    stage, view = ModelStage(document), ViewState()
    explained = ExplainedPixel(document, view, cast(PixelExplanation, None))
    assert not explained.is_outdated(
        stage, replace(view, speed=30.0, flash=frozenset({1}), usual=OTHER.usual)
    )
    outdated = {
        option.name: explained.is_outdated(stage, option.switched(view))
        for option in options_of(ViewState)
        if isinstance(option.of(view), bool) and option.option.action
    }
    assert {name for name, is_so in outdated.items() if not is_so} == {"has_view_cube"}
    assert outdated["textures.has_microtextures"]
    assert explained.is_outdated(stage, replace(view, held=HeldNode(0, (0.0,) * 16)))
