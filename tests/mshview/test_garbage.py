"""Garbage is collected rarely while the library works, and as before afterwards."""

from __future__ import annotations

import gc
from pathlib import Path

import mshview
from mshview.garbage import OBJECTS, kept, loading


def test_it_is_as_before_after_a_call_and_after_an_error(game: Path) -> None:
    usual = gc.get_threshold()
    mshview.open(game / "models.rlb")
    try:
        mshview.open(game / "nothing.rlb")
    except mshview.Error:
        assert gc.get_threshold() == usual


def test_who_has_begun_it_ends_it() -> None:
    usual = gc.get_threshold()
    first, second = kept(), kept()
    first.__enter__()
    second.__enter__()
    assert gc.get_threshold()[0] == OBJECTS
    first.__exit__(None, None, None)
    second.__exit__(None, None, None)
    assert gc.get_threshold() == usual


def test_one_who_never_collects_is_left_alone() -> None:
    usual = gc.get_threshold()
    gc.set_threshold(0)
    try:
        with kept():
            assert gc.get_threshold()[0] == 0
    finally:
        gc.set_threshold(*usual)


def test_what_loading_made_is_left_to_a_full_collection() -> None:
    gc.unfreeze()  # what the tests have frozen
    try:
        with loading():
            made = [[number] for number in range(2000)]
        # Searching it at once would have left it in the generation in the middle.
        old = {id(it) for it in gc.get_objects(generation=2)}
        assert old >= {id(it) for it in made}
    finally:
        gc.freeze()


def test_what_the_caller_has_frozen_stays_frozen() -> None:
    gc.freeze()
    frozen = gc.get_freeze_count()
    with loading():
        pass
    assert gc.get_freeze_count() == frozen > 0
