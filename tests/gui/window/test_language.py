"""Another language changes the text of the window, and nothing else."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from imgui_bundle import imgui
from msgspec.structs import replace

from tests.gui.hand import click
from tests.gui.harness import GuiTester, bring_to_front
from tests.ui.languages import Bracketed
from viewer import translation
from viewer.control.settings import settings_file
from viewer.formats import mat0
from viewer.formats.msh.keys import QuaternionOrder
from viewer.formats.msh.tables import TABLES
from viewer.formats.neighbors import damage
from viewer.model.kinds.registry import KINDS
from viewer.model.mesh.reading import why_material_field
from viewer.model.tables.model_tables import DECLARED
from viewer.resources import bundled_path, use_language
from viewer.session.selection import Selection
from viewer.session.view.options.lighting import LightKind
from viewer.session.view.options.shading import Shading
from viewer.ui.actions.action_table import ACTIONS
from viewer.ui.panels.tables import TablesPanel
from viewer.ui.widgets import controls, theme, widgets

DRAWN = {
    "begin": 0,
    "begin_combo": 1,
    "begin_menu": 0,
    "begin_tab_item": 0,
    "button": 0,
    "checkbox": 0,
    "collapsing_header": 0,
    "input_text_with_hint": 1,
    "menu_item": 0,
    "menu_item_simple": 0,
    "radio_button": 0,
    "selectable": 0,
    "separator_text": 0,
    "small_button": 0,
    "text_link": 0,
    "text_unformatted": 0,
    "text_colored": 1,
    "tree_node_ex": 0,
}
"""Functions of ImGui that draw text, and which argument it is."""
PANELS = (
    "browser",
    "outline",
    "inspector",
    "materials",
    "timeline",
    "dope_sheet",
    "curves",
    "tables",
    "problems",
    "readings",
    "cells",
    "log",
)
WORD = re.compile(r"(?<![\w])[^\W\d_]{3,}")


@pytest.fixture
def walker(gui: GuiTester) -> Iterator[GuiTester]:
    """The sample, standing still; afterwards the language is English again."""
    gui.commands.opening.open_sample()
    gui.until(lambda: gui.state.document is not None)
    gui.pause()
    gui.change(selection=Selection((1,), slot=0, batch=0))
    yield gui
    translation.use(None)


@contextmanager
def recorded(monkeypatch: pytest.MonkeyPatch) -> Iterator[set[str]]:
    """Collect what is drawn; of labels the part on screen."""
    drawn: set[str] = set()

    def recording(function: Any, place: int) -> Any:
        def record(*arguments: Any, **options: Any) -> Any:
            drawn.add(str(arguments[place]).partition("##")[0])
            return function(*arguments, **options)

        return record

    with monkeypatch.context() as patch:
        for name, place in DRAWN.items():
            patch.setattr(imgui, name, recording(getattr(imgui, name), place))
        yield drawn


def draw_everything(gui: GuiTester) -> None:
    """Bring every panel to the front for some frames."""
    for panel in PANELS:
        bring_to_front(gui, panel)
        gui.settle()


def words_of_the_data(gui: GuiTester) -> set[str]:
    """Names in files and formats, and messages of the model: they are the same in every language."""
    document = gui.document
    names = [str(document.address), *document.names, *document.socket_tags, document.game.text]
    names += [kind.id for kind in KINDS]
    names += [action.keys for action in ACTIONS]
    for table in TABLES.values():
        names += [table.name, *(field.name for field in (table.record.fields if table.record else ()))]
    for declared in DECLARED.values():
        names += declared.column_names
    for record in (mat0.HEADER, mat0.PHASE, mat0.KEY, damage.NODE_DAMAGE):
        names += [field.name for field in record.fields]
    for row in (*document.materials.rows, *document.materials.unused):
        names += [str(row.name), row.blend.label, *row.trace, *(phase.texture or "" for phase in row.phases)]
        names += [picture.name for picture in row.textures if picture]
    names += [f"{item.rule} {item.message} {item.where}" for item in document.findings]
    names += [*QuaternionOrder, why_material_field(document.model.batches, document.choice)]
    return {word for name in names for word in WORD.findall(name)} | words_of_the_browser(gui)


def words_of_the_browser(gui: GuiTester) -> set[str]:
    """Names, kinds and addresses of entries."""
    trees = gui.state.browser
    rows = [*trees.roots, *(entry for entries in trees.children.values() for entry in entries)]
    return {
        word
        for row in rows
        for name in (str(row.address), row.name, row.kind, row.called)
        for word in WORD.findall(name)
    }


def test_every_panel_shows_text_in_the_chosen_language_only(
    walker: GuiTester, monkeypatch: pytest.MonkeyPatch
) -> None:
    walker.state.log = ()
    translation.use(Bracketed())
    walker.commands.panels.show_settings()
    with recorded(monkeypatch) as drawn:
        draw_everything(walker)
    assert {"[Outline]", "[File]", "[Reset all settings…]"} <= drawn
    known = words_of_the_data(walker)
    found = {text: set(WORD.findall(outside_brackets(text))) - known for text in drawn}
    assert {text: words for text, words in found.items() if words} == {}


def test_what_was_shown_before_follows_the_language(
    walker: GuiTester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counts and titles that were made in the language before are made again."""
    walker.state.log = ()
    draw_everything(walker)
    translation.use(Bracketed())
    with recorded(monkeypatch) as drawn:
        draw_everything(walker)
    known = words_of_the_data(walker)
    found = {text: set(WORD.findall(outside_brackets(text))) - known for text in drawn}
    assert {text: words for text, words in found.items() if words} == {}


def test_what_is_no_model_shows_text_in_the_chosen_language_only(
    walker: GuiTester, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = walker.document.materials.wear_source
    assert address is not None
    picture = walker.document.materials.rows[0].textures[0]
    assert picture is not None
    known = words_of_the_data(walker) | {*WORD.findall(picture.texture.format.label)}
    walker.state.log = ()
    translation.use(Bracketed())
    for shown in (address, picture.address):
        walker.commands.opening.open(shown, in_new_tab=True)
        walker.until(lambda shown=shown: walker.state.tabs.active.address == shown)  # type: ignore[misc]
        walker.settle()
        known |= words_of_the_browser(walker)
        with recorded(monkeypatch) as drawn:
            walker.settle()
        found = {text: set(WORD.findall(outside_brackets(text))) - known for text in drawn}
        assert {text: words for text, words in found.items() if words} == {}


def test_titles_of_columns_with_a_width_are_whole_in_russian(
    walker: GuiTester, monkeypatch: pytest.MonkeyPatch
) -> None:
    walker.commands.opening.open(walker.document.address.parent.child("walker.ndp"), in_new_tab=True)
    walker.until(lambda: walker.state.resource is not None)
    use_language("ru")
    widths: dict[str, tuple[float, float]] = {}
    set_up = imgui.table_setup_column

    def record(title: str, *arguments: Any) -> None:
        if len(arguments) > 1 and arguments[0] == imgui.TableColumnFlags_.width_fixed:
            widths[str(title)] = (arguments[1], imgui.calc_text_size(title).x)
        set_up(title, *arguments)

    monkeypatch.setattr(imgui, "table_setup_column", record)
    walker.settle()
    assert {"Смещение", "Тип"} <= widths.keys()
    assert {title: it for title, it in widths.items() if title in ("Смещение", "Тип") and it[0] < it[1]} == {}


def test_labels_of_rows_are_whole_in_russian(gui: GuiTester, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also those of a terrain and of a sky; the value next to one begins where the column of labels ends."""
    use_language("ru")
    widths: dict[str, float] = {}
    draw = widgets.text

    def record(words: str, *color: theme.Color) -> None:
        if sys._getframe(1).f_code.co_name == "row_label":
            widths[words] = imgui.calc_text_size(words).x / theme.em(1)
        draw(words, *color)

    monkeypatch.setattr(controls, "text", record)
    game = bundled_path("assets/game")
    for address in ("models.rlb::walker.msh", "DATA/MAPS/SAMPLE/Land.msh", "MISSIONS/SAMPLE/sky.ske"):
        gui.open(f"{game}/{address}")
        if gui.state.document is not None:
            gui.change(lighting=replace(gui.state.view.lighting, kind=LightKind.SKY))
            bring_to_front(gui, "display")
        gui.settle()
    assert {"механика", "материалы", "облик"} <= widths.keys()
    assert {words: it for words, it in widths.items() if it > controls.LABELS - 0.2} == {}


def outside_brackets(text: str) -> str:
    """Return what was not translated of a text; brackets may lie in each other."""
    depth, kept = 0, []
    for letter in text:
        depth += letter == "["
        if depth == 0:
            kept.append(letter)
        depth -= letter == "]"
    return "".join(kept)


def test_nothing_but_text_changes_with_the_language(walker: GuiTester) -> None:
    click(walker, "//inspector/###node")
    bring_to_front(walker, "tables")
    click(walker, "//tables/##table", "//$FOCUSED/###batches")
    walker.change(shading=Shading.NORMALS)
    draw_everything(walker)
    before = state_of(walker)
    assert "[Window][outline]" in before[0]
    translation.use(Bracketed())
    draw_everything(walker)
    assert state_of(walker) == before
    assert not is_unfolded("###node")
    translation.use(None)


def state_of(gui: GuiTester) -> tuple[Any, ...]:
    """What would be saved, and what the panels hold."""
    layout = re.sub(r"(?m)^LastUsed=\d+$", "", gui.app.gui.layout)
    shell = gui.app.shell
    tables = next(panel for panel in shell._panels if isinstance(panel, TablesPanel))
    settings = replace(gui.app.remembered.settings, layout="")
    return layout, settings, shell.closed_panels, tables._name, gui.state.view.selection


def is_unfolded(header: str) -> bool:
    """Tell whether a section of the inspector is expanded, by what ImGui keeps for its id."""
    window = imgui.internal.find_window_by_name("inspector")
    return bool(window.state_storage.get_int(window.get_id(header), 1))


def test_the_language_is_chosen_in_the_settings_and_remembered(walker: GuiTester) -> None:
    walker.commands.settings.set(language="ru")
    walker.frames(2)
    assert str(translation._("Undo")) == "Отменить"
    assert walker.app.remembered.settings.language == "ru"
    walker.commands.settings.set(language="en")
    assert str(translation._("Undo")) == "Undo"


def test_a_font_and_its_size_last(gui: GuiTester, tmp_path: Path) -> None:
    """A file that is no font is refused; the letters that it is missing, and icons, come from the program."""
    font = str(files("imgui_bundle") / "assets" / "fonts" / "Inconsolata-Medium.ttf")
    before = imgui.calc_text_size("ilW").x, imgui.calc_text_size("Жо").x
    gui.commands.settings.set(font=font, font_size=15.0)
    gui.settle()
    assert imgui.calc_text_size("ill").x == imgui.calc_text_size("WWW").x
    assert imgui.calc_text_size("Жо").x == before[1]
    gui.commands.settings.set(font=font, font_size=20.0)
    gui.settle()
    assert theme.em(1) == 20.0
    broken = tmp_path / "broken.ttf"
    broken.write_bytes(b"no font")
    gui.commands.settings.set(font=str(broken), font_size=15.0)
    gui.settle()
    assert str(broken) in gui.state.message
    gui.app.save_settings()
    kept = settings_file.load(tmp_path / "settings.json")
    assert (kept.font, kept.font_size) == (font, 20.0)
    gui.commands.window.reset_settings()
    gui.settle()
    assert (imgui.calc_text_size("ilW").x, imgui.calc_text_size("Жо").x) == before
