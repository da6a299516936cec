"""The steps from the time to the pose of the selected node, in the Inspector, with links to their rows."""

from __future__ import annotations

import pytest

from tests.gui.hand import click
from tests.gui.harness import GuiTester, bring_to_front, exists
from viewer.session.selection import Selection

pytestmark = pytest.mark.closed("browser", "outline")

MAST, BASE = 1, 0
SECTION = "//inspector/**/###why"


def test_each_step_leads_to_its_row(crane: GuiTester) -> None:
    """The mast has keys at 0, 10 and 20; at 5 it is between the first two."""
    bring_to_front(crane, "inspector")
    crane.pause(time=5.0)
    crane.select(MAST)
    click(crane, SECTION)
    first = crane.document.animation.track(MAST).start
    assert exists(crane, f"//inspector/**/###key{first}")
    click(crane, f"//inspector/**/###following{first + 1}")
    assert crane.state.view.selection == Selection((MAST,), key=first + 1)


def test_a_node_that_stands_still_has_its_fallback_key_alone(crane: GuiTester) -> None:
    bring_to_front(crane, "inspector")
    crane.select(BASE)
    click(crane, SECTION)
    assert exists(crane, "//inspector/**/###fallback0")
    assert not exists(crane, "//inspector/**/###following1")
