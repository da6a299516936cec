"""What is declared of the fields of a view: how long their values last, and where they are kept."""

from __future__ import annotations

from dataclasses import replace

from viewer.session.options import Lifetime, is_shared, is_stored, option_at, options_of, taking
from viewer.session.play.playback import Machinery, Playback, Root
from viewer.session.view.drawn_parts import DrawnParts
from viewer.session.view.lighting import Lighting
from viewer.session.view.view_state import ViewState

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
    assert all(it.plain_kind is bool for it in options if it.option.action or it.option.section)
