"""Frames and nodes that a controller names, against the model that it moves."""

from __future__ import annotations

from pathlib import Path

from tests.formats.neighbors.test_control import controller, corpus
from viewer.formats.neighbors import control
from viewer.model.checks.controllers import frames_in_model, nodes_in_model
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore


def changed(field: str, row: int, value: list[float] | int) -> control.Control:
    """The controller of these tests with another value in one row."""
    decoded = control.decode(controller())
    rows = decoded.channels if field == "node" else decoded.states
    rows = rows.copy()
    rows[field][row] = value
    tables = {"channels": rows} if field == "node" else {"states": rows}
    names = ("counts", "parameters", "states", "costs", "channels", "rest")
    return control.Control(**{name: getattr(decoded, name) for name in names} | tables)


def test_frames_beyond_the_strip_are_found_at_their_state() -> None:
    control_ = changed("frames_b", 1, [0, 10])
    assert list(frames_in_model(control_, 11)) == []
    found = list(frames_in_model(control_, 10))
    assert [(item.rule, item.where) for item in found] == [("K02", "states[1].frames_b")]


def test_negative_frames_are_no_pair() -> None:
    assert list(frames_in_model(changed("frames_a", 0, [-1, -1]), 10)) == []


def test_nodes_that_are_missing_are_found_at_their_channel() -> None:
    assert nodes_in_model(changed("node", 0, 3), 4) == []
    for node in (4, -1):
        found = nodes_in_model(changed("node", 0, node), 4)
        assert [(item.rule, item.where) for item in found] == [("K03", "channels[0].node")]


def test_the_controllers_of_the_corpus_fit_their_models(samples: Path) -> None:
    folder = samples / "field"
    models = {
        address: FileStore().model(Address.parse(str(folder / address)))
        for address in {truth["model"] for _, _, truth in corpus(samples)} - {None}
    }
    for address, payload, truth in corpus(samples):
        if truth["model"] is not None:
            model, decoded = models[truth["model"]], control.decode(payload)
            assert list(frames_in_model(decoded, model.frame_count)) == [], address
            assert nodes_in_model(decoded, model.record_count) == [], address
