"""Rules K02 and K03: frames and nodes of a controller that its model does not have.

K01 and K04 are reported by the decoder.

Source: spec/ctl.md, Checks.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from viewer.errors import Diagnostic, MshviewError, Severity
from viewer.formats.findings import findings
from viewer.formats.neighbors.control import CHANNEL, Control
from viewer.model.checks.payload import Payload
from viewer.model.game.registry import MODEL_SUFFIX, ControllerIndex, existing, stem_of
from viewer.model.mesh.model import Model
from viewer.translation import Sentence


def frames_in_model(control: Control, frame_count: int) -> Iterator[Diagnostic]:
    """Frames of states that are neither negative nor below the model's frame count (K02)."""
    for name in ("frames_a", "frames_b"):
        yield from _frames(control, name, frame_count)


def _frames(control: Control, name: str, frame_count: int) -> list[Diagnostic]:
    frames = control.states[name]
    return findings(
        "K02",
        Severity.WARNING,
        "states",
        np.asarray((frames > frame_count - 1).any(axis=1)),
        lambda row: Sentence("{stated} of {count} frames", stated=frames[row].tolist(), count=frame_count),
        name,
    )


def nodes_in_model(control: Control, node_count: int) -> list[Diagnostic]:
    """Channels of a node that the model does not have (K03)."""
    nodes = control.channels["node"]
    is_wrong = np.asarray((nodes < 0) | (nodes >= node_count))
    return findings(
        "K03",
        Severity.WARNING,
        CHANNEL.name,
        is_wrong,
        lambda row: Sentence("node {node} of {count}", node=nodes[row], count=node_count),
        "node",
    )


def model_of(payload: Payload) -> Model | None:
    """The readable model that a controller moves, or None.

    The first one that an object of the registry names with it; without a registry, or if it names neither of
    the two, the one with the controller's stem next to it.
    """
    around, stem = payload.around, stem_of(payload.name) + MODEL_SUFFIX
    try:
        if around.game is not None:
            library = around.game.folder.library
            index = ControllerIndex.of(library, around.game.path)
            if index is not None:
                named = index.models(around.archive_name, payload.name)
                if named or index.controllers(around.archive_name, stem) is not None:
                    found = (address for it in named for address in existing(around.game, it))
                    address = next(found, None)
                    return None if address is None else library.model(address)
        data = around.find(stem)
        return None if data is None else Model.read(data)
    except MshviewError:
        return None
