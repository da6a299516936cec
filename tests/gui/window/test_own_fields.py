"""Use your own fields, of the menu File: what an overlay says is in the tooltips until it is dropped."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.gui.hand import type_into
from tests.gui.harness import GuiTester
from viewer.app.dialogs import dialogs
from viewer.formats.msh.slots import SLOT
from viewer.model.kinds.explained import explained, set_own
from viewer.model.kinds.own_fields import SCHEMA

pytestmark = pytest.mark.closed("browser", "outline", "inspector")
OWN = {"format": "msh", "table": "slots", "field": "opaque", "name": "size_of_slot"}
MENU = "//##MainMenuBar/###file/###file.game"


@pytest.fixture(autouse=True)
def no_overlay() -> Iterator[None]:
    """None is in use after a test."""
    yield
    set_own(())


def test_own_fields_are_used_and_dropped(
    crane: GuiTester, archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dialogs, "has_native_dialog", lambda: False)
    path = archive.parent / "own.json"
    path.write_text(json.dumps({"schema": SCHEMA, "fields": [OWN]}), "utf-8")
    before = explained(SLOT.field("opaque"))
    crane.run(lambda context: context.menu_click(f"{MENU}/###file.use_overlay"))
    crane.settle()
    type_into(crane, "//open/##path", str(path))
    crane.settle()
    assert "size_of_slot" in explained(SLOT.field("opaque"))
    assert crane.state.settings.overlay == str(path)
    crane.run(lambda context: context.menu_click(f"{MENU}/###file.drop_overlay"))
    crane.settle()
    assert explained(SLOT.field("opaque")) == before
    assert crane.state.settings.overlay == ""


def test_a_file_that_is_none_is_said_and_that_of_before_stays(crane: GuiTester, archive: Path) -> None:
    good, bad = archive.parent / "own.json", archive.parent / "bad.json"
    good.write_text(json.dumps({"schema": SCHEMA, "fields": [OWN]}), "utf-8")
    bad.write_text("{}", "utf-8")
    crane.commands.settings.use_overlay(good)
    for path in (bad, archive.parent / "gone.json"):
        crane.commands.settings.use_overlay(path)
        assert path.name in crane.state.message
        crane.state.message = ""
        assert crane.state.settings.overlay == str(good)
        assert "size_of_slot" in explained(SLOT.field("opaque"))
