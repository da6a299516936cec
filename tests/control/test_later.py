"""Calls of controllers wait until they are taken, and are made in their order."""

from __future__ import annotations

from viewer.control.later import Later


class Notes:
    """Notes what is called."""

    def __init__(self) -> None:
        self.made: list[tuple[object, ...]] = []

    def open(self, name: str, *, in_new_tab: bool = False) -> None:
        """Note the name."""
        self.made.append(("open", name, in_new_tab))

    def step(self, step: int) -> None:
        """Note the step."""
        self.made.append(("step", step))


def test_calls_are_made_in_their_order_when_they_are_taken() -> None:
    later, notes = Later(), Notes()
    later(notes.open, "a.msh", in_new_tab=True)
    later(notes.step, -1)
    later(notes.open, "b.msh")
    calls = later.take()
    assert (notes.made, later.calls) == ([], [])
    for call in calls:
        call.make()
    assert notes.made == [("open", "a.msh", True), ("step", -1), ("open", "b.msh", False)]


def test_what_a_call_calls_waits_for_the_next_frame() -> None:
    later, notes = Later(), Notes()

    def again(name: str) -> None:
        later(notes.open, f"{name}.bak")

    later(again, "a.msh")
    for call in later.take():
        call.make()
    assert notes.made == []
    for call in later.take():
        call.make()
    assert notes.made == [("open", "a.msh.bak", False)]


def test_a_bound_call_adds_what_it_is_given() -> None:
    later, notes = Later(), Notes()
    go = later.calling(notes.open, "a.msh")
    go(in_new_tab=True)
    go()
    later.calling(notes.step)(3)
    assert notes.made == []
    for call in later.take():
        call.make()
    assert notes.made == [("open", "a.msh", True), ("open", "a.msh", False), ("step", 3)]
