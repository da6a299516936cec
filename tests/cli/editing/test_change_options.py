"""The options of ``edit`` are those that changes declare."""

from __future__ import annotations

from argparse import ArgumentParser

import pytest

from viewer.cli.editing.change_options import OPTIONS, add_changes, form_of
from viewer.cli.usage.values import Value, taken_by
from viewer.errors import UsageError
from viewer.model.edit.script import CHANGES, change_of


def test_every_declared_option_is_there_and_says_what_it_takes() -> None:
    parser = ArgumentParser()
    add_changes(parser)
    actions = {name: it for it in parser._actions for name in it.option_strings}
    declared = {name: it.typed for name, it in CHANGES.items() if it.typed is not None}
    assert dict(OPTIONS.values()) == declared
    assert {*OPTIONS} < {*actions}
    assert taken_by(actions["--parent"]) == (Value.NODE, Value.NODE)
    assert taken_by(actions["--replace-entry"]) == (Value.ENTRY, Value.FILE)
    assert taken_by(actions["--material"]) == (Value.OTHER, Value.MATERIAL)
    assert actions["--remove"].metavar == "NODE"


@pytest.mark.parametrize(
    ("option", "words", "expected"),
    [
        (
            "--set",
            ["keys[3].time=0x10"],
            {"do": "set", "table": "keys", "rows": "3", "field": "time", "value": 16},
        ),
        ("--rename-node", ["3", "none"], {"do": "rename-node", "node": "3", "name": "none"}),
        ("--parent", ["arm", "none"], {"do": "parent", "node": "arm", "parent": None}),
        (
            "--cell",
            ["arm", "0", "1", "none"],
            {"do": "cell", "node": "arm", "lod": 0, "group": 1, "slot": None},
        ),
        ("--key", ["arm", "2", "time=5"], {"do": "key", "node": "arm", "index": 2, "time": 5}),
        ("--retime", ["0:5", "10:20"], {"do": "retime", "start": 0, "end": 5, "to_start": 10, "to_end": 20}),
        ("--recompute", ["bounds:arm"], {"do": "recompute", "what": "bounds", "node": "arm"}),
        ("--move", ["arm", "1,0,-2.5"], {"do": "move", "node": "arm", "by": [1, 0, -2.5]}),
        ("--move-rows", ["keys[2]", "1"], {"do": "move-rows", "table": "keys", "rows": "2", "before": 1}),
        ("--remove", ["arm"], {"do": "remove-node", "node": "arm"}),
        ("--do", ['{"do": "add-slot"}'], {"do": "add-slot"}),
    ],
)  # fmt: skip
def test_words_become_the_script_form(option: str, words: list[str], expected: dict[str, object]) -> None:
    form = form_of(option, words)
    assert form == expected
    if option != "--key":
        assert type(change_of(0, form)) is CHANGES[str(expected["do"])]


@pytest.mark.parametrize(
    ("option", "words"), [("--set", ["x"]), ("--retime", ["0", "1:2"]), ("--do", ["[]"])]
)
def test_wrong_words_name_the_option(option: str, words: list[str]) -> None:
    with pytest.raises(UsageError, match=r".") as caught:
        form_of(option, words)
    assert caught.value.source == option


def test_changes_of_menus_have_an_icon() -> None:
    assert CHANGES["remove-slot"].icon == CHANGES["remove-node"].icon == "trash"
    assert CHANGES["recompute"].icon == "calculator"
