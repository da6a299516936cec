"""When the game plays a state: request codes of buildings, states for a lost leg."""

from __future__ import annotations

import pytest

from tests.formats.neighbors.test_control import HEAD, controller
from viewer.formats.meaning import meaning
from viewer.formats.neighbors import control
from viewer.model.clips.clip import Clip
from viewer.model.clips.conditions import conditions
from viewer.model.clips.controller import clips

REQUEST = HEAD + 0x98
CONTACT = HEAD + 0x9C


def clip(request: int, *contacts: tuple[int, int]) -> Clip:
    """The first clip of a controller whose state has a request code and contacts: point and flags."""
    data = bytearray(controller(states=1, contacts=len(contacts)))
    data[REQUEST : REQUEST + 4] = request.to_bytes(4, "little", signed=True)
    for index, (point, flags) in enumerate(contacts):
        at = CONTACT + 16 * index
        data[at : at + 8] = point.to_bytes(4, "little") + flags.to_bytes(4, "little")
    return clips(control.decode(bytes(data)))[0]


@pytest.mark.parametrize(
    ("request_code", "words"),
    [(-1, []), (0, ["finished building"]), (6, ["construction, code 6"]), (7, ["request code 7"])],
)
def test_request_codes(request_code: int, words: list[str]) -> None:
    assert [*conditions(clip(request_code))] == words


def test_a_state_for_a_lost_leg() -> None:
    limping = clip(-1, (3, 0x20), (5, 0x220), (6, 0x120))
    assert (limping.request, limping.intact, limping.destroyed) == (None, (6,), (5,))
    assert [*conditions(limping)] == [
        "only with control points 6 intact", "limping: control points 5 lost",
    ]  # fmt: skip


def test_the_field_says_the_code_in_words() -> None:
    declared = control.state_record(0).field("action")
    assert meaning(declared, [0, 0, 0]) == "request code finished building"
    assert meaning(declared, [0, 0, -1]) == "request code none"
