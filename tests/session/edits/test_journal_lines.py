"""The lines of a journal: read again they give the same steps, wherever the process was killed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from viewer.errors import FormatError
from viewer.formats.splice import Splice
from viewer.model.edit.change import Topic
from viewer.model.edit.set_field import SetField
from viewer.model.edit.values import RowChoice
from viewer.model.store.address import Address
from viewer.resources import use_language
from viewer.session.edits import journal_lines
from viewer.session.edits.edited_file import EditedFile, Step
from viewer.translation import _, counted, translated

PATH = Path("/mods/Модель.rlb").absolute()


@st.composite
def steps(draw: st.DrawFn) -> Step:
    """A step with bytes, changes, and perhaps a gesture."""
    number = draw(st.integers(0, 255))
    return Step(
        Address(PATH, ("walker.msh",)),
        f"set flags to {number}",
        (Splice(0, b"", bytes([number])),),
        (SetField("batches", RowChoice.of(1), "flags", number),),
        tuple(draw(st.sets(st.sampled_from(Topic), max_size=2))),
        draw(st.sampled_from([None, "drag 1", "drag 2"])),
        others=draw(st.sampled_from([(), (Address(PATH, ("walker.wea",)),)])),
        group=draw(st.sampled_from(["", "a1"])),
    )


@st.composite
def histories(draw: st.DrawFn) -> tuple[EditedFile, list[bytes], list[EditedFile]]:
    """A journal line by line, with the file after each of them."""
    file = EditedFile(PATH, tuple(draw(st.lists(steps(), max_size=2))))
    file = file.at(len(file.steps)).after_saving()
    lines, states = [journal_lines.first_line(file, 40)], [file]
    for what in draw(st.lists(st.integers(0, 3), max_size=8)):
        if what == 0 and file.steps:
            position = draw(st.integers(0, len(file.steps)))
            file, line = file.at(position), journal_lines.position_line(position)
        elif what == 1 and file.position:
            position = draw(st.integers(0, file.position))
            again = draw(st.lists(steps(), max_size=2))
            file, line = file.with_steps(position, again), journal_lines.steps_line(position, again)
        else:
            step = draw(steps())
            file, line = file.added(step), journal_lines.step_line(step)
        lines.append(line)
        states.append(file)
    return file, lines, states


def plain(file: EditedFile) -> tuple[object, ...]:
    """What has to be the same; gestures are read as texts."""
    rows = [(it.payloads, it.words, it.splices, it.changes, it.topics) for it in file.steps]
    return file.path, rows, file.position, file.saved


@given(histories(), st.data())
def test_every_prefix_gives_the_state_after_its_last_whole_line(
    history: tuple[EditedFile, list[bytes], list[EditedFile]], data: st.DataObject
) -> None:
    _, lines, states = history
    whole = data.draw(st.integers(1, len(lines)))
    cut = data.draw(st.integers(0, len(lines[whole]) - 1)) if whole < len(lines) else 0
    torn = lines[whole][:cut] if whole < len(lines) else b""
    found, base = journal_lines.read(b"".join(lines[:whole]) + torn)
    assert plain(found) == plain(states[whole - 1])
    assert base.size == 40


@given(histories())
def test_what_was_read_is_the_same_once_it_was_written(
    history: tuple[EditedFile, list[bytes], list[EditedFile]],
) -> None:
    """Gestures too, whose text is not put into more and more quotes."""
    found, _ = journal_lines.read(b"".join(history[1]))
    line = journal_lines.first_line(found, 40)
    again, _ = journal_lines.read(line)
    steps = [[replace(it, serial=0) for it in file.steps] for file in (found, again)]
    assert (steps[1], again.position) == (steps[0], found.position)
    assert journal_lines.first_line(again, 40) == line


@pytest.mark.parametrize(
    ("words", "russian"),
    [
        (
            _("patch {name}: {values}", name="a.json", values=counted(3, "{count} value", "{count} values")),
            "патч a.json: 3 значения",
        ),
        (_("Undo"), "Отменить"),
        ("a name that is nobody's message", "a name that is nobody's message"),
    ],
)
def test_the_words_of_steps_follow_the_language_after_a_crash(words: str, russian: str) -> None:
    step = Step(Address(PATH), words, (Splice(0, b"", b"a"),))
    line = journal_lines.first_line(EditedFile(PATH, (step,)), 40)
    (found,) = journal_lines.read(line)[0].steps
    assert translated(found.words) == str(words)
    use_language("ru")
    try:
        assert translated(found.words) == russian
    finally:
        use_language("en")


@pytest.mark.parametrize(
    "message",
    [
        "1",
        '"{a}"',
        "[]",
        "{}",
        '{"text":1}',
        '{"text":"{a.b}","values":{"a":1}}',
        '{"text":"{a}","values":{"b":1}}',
        '{"one":"","many":3,"count":"x"}',
        '{"text":"","values":{}}',
    ],
)
def test_words_of_a_damaged_message_are_those_that_were_written(message: str) -> None:
    step = Step(Address(PATH), _("patch {name}: {values}", name="a", values=1), (Splice(0, b"", b"a"),))
    line = journal_lines.first_line(EditedFile(PATH, (step,)), 40)
    stored = json.loads(line)
    stored["steps"][0]["message"] = json.loads(message)
    (found,) = journal_lines.read(json.dumps(stored).encode() + b"\n")[0].steps
    assert translated(found.words) == "patch a: 1"


def test_the_digest_comes_later() -> None:
    first = journal_lines.first_line(EditedFile(PATH), 7)
    assert journal_lines.read(first)[1].digest == b""
    assert journal_lines.read(first + journal_lines.digest_line(b"\1\2"))[1].digest == b"\1\2"


@given(st.binary(max_size=60))
def test_anything_else_is_refused(data: bytes) -> None:
    with pytest.raises(FormatError):
        journal_lines.read(data + b"\n")


@pytest.mark.parametrize("text", ["", "null", "{}", '{"mshview_journal":2}', "[1]", '{"mshview_journal":1}'])
def test_other_json_is_refused(text: str) -> None:
    with pytest.raises(FormatError):
        journal_lines.read(text.encode() + b"\n")
