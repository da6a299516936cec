"""In which order visible entries are read."""

from __future__ import annotations

from viewer.app.images.thumbnails import Demand


def frame(demand: Demand[str], keys: str) -> list[str]:
    """Ask for some keys in one frame, then go on to the next."""
    for key in keys:
        demand.ask(key)
    requested = demand.newest_first()
    demand.next_frame()
    return requested


def test_what_came_last_goes_first_and_the_rest_in_order() -> None:
    demand: Demand[str] = Demand()
    assert frame(demand, "abc") == ["a", "b", "c"]
    assert frame(demand, "cde") == ["d", "e", "c"]
    assert frame(demand, "ecdf") == ["f", "e", "d", "c"]


def test_what_is_not_asked_for_again_is_forgotten() -> None:
    demand: Demand[str] = Demand()
    frame(demand, "ab")
    demand.ask("b")
    assert "b" in demand
    assert "a" not in demand
    demand.next_frame()
    assert frame(demand, "ac") == ["a", "c"]


def test_asking_twice_in_a_frame_is_asking_once() -> None:
    assert frame(Demand(), "aba") == ["a", "b"]
