"""Rules K02 and K03: frames and nodes of a controller that its model does not have.

K01 and K04 are reported by the decoder.

Source: spec/ctl.md, Checks.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from viewer.errors import Diagnostic, Severity
from viewer.formats.findings import findings
from viewer.formats.neighbors.control import CHANNEL, Control
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
        control.state_record.name,
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
