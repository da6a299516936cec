"""What tests of models and of writing them use."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest


@pytest.fixture(scope="session")
def small_process() -> Iterator[ProcessPoolExecutor]:
    """A process that has imported little, which is copied many times as fast as the process of the tests."""
    with ProcessPoolExecutor(1, get_context("spawn"), initializer=_wait_for_no_disk) as pool:
        yield pool


def _wait_for_no_disk() -> None:
    """Prepare it as the process of the tests is prepared."""
    os.fsync = lambda fd: None
