"""Many attacks, in batches of consecutive numbers, with a process per core."""

from __future__ import annotations

import gc
import os
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from itertools import count
from multiprocessing import get_context
from pathlib import Path
from random import Random
from time import monotonic
from typing import Final, NamedTuple

from tests.fuzz.attacks import attack, mutant_of
from tests.fuzz.seeds import Seed, seeds
from viewer.__main__ import GARBAGE_THRESHOLD

SHARES: Final = {
    "decode": 850,
    "document": 80,
    "edits": 150,
    "gltf": 50,
    "obj": 50,
    "imports": 30,
    "kept": 20,
    "verbs": 50,
    "paths": 16,
    "signals": 2,
    "writers": 1,
    "windows": 1,
    "toml": 20,
    "foreign": 10,
    "outputs": 4,
    "links": 4,
    "library": 40,
    "sounds": 40,
    "undo": 1,
}
"""Mutants of each attack among 1,419."""
BATCH: Final = 100
FAILURES: Final = Path("fuzz-failures")


class Failure(NamedTuple):
    """A mutant that broke something."""

    attack: str
    seed: str
    number: int
    text: str


class Result(NamedTuple):
    """The mutants of a batch by attack, and what failed."""

    counts: Counter[str]
    failures: list[Failure]


def results(names: list[str], first: int, end: float, jobs: int) -> Iterator[Result]:
    """The results of batches until the time is over."""
    with workers(jobs) as pool:
        numbers = count(first, BATCH)
        pending: set[Future[Result]] = {pool.submit(batch, names, next(numbers)) for _ in range(2 * jobs)}
        while pending:
            done, pending = wait(pending, return_when=FIRST_COMPLETED)
            for future in done:
                yield future.result()
                if monotonic() < end:
                    pending.add(pool.submit(batch, names, next(numbers)))


def workers(jobs: int) -> ProcessPoolExecutor:
    """Processes for batches, which share nothing with this one."""
    spawn = get_context("spawn")
    return ProcessPoolExecutor(jobs, spawn, initializer=_prepare, max_tasks_per_child=50)


def _prepare() -> None:
    """Give the verbs nothing to read, and make faults of the warnings that a user would see."""
    gc.set_threshold(GARBAGE_THRESHOLD)
    warnings.simplefilter("error", RuntimeWarning)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)


def batch(names: list[str], first: int, size: int = BATCH) -> Result:
    """Attack with the mutants of consecutive numbers."""
    result = Result(Counter(), [])
    for number in range(first, first + size):
        name, seed = _chosen(names, number)
        result.counts[name] += 1
        try:
            attack(name, seed, number)
        except BaseException:  # noqa: BLE001 everything is a failure
            result.failures.append(Failure(name, seed.name, number, traceback.format_exc()))
    return result


def _chosen(names: list[str], number: int) -> tuple[str, Seed]:
    """The attack and the seed of a number."""
    random = Random(number)
    return random.choices(names, [SHARES[name] for name in names])[0], random.choice(seeds())


def keep(failure: Failure) -> None:
    """Write the mutant of a failure as a file."""
    seed = next(it for it in seeds() if it.name == failure.seed)
    FAILURES.mkdir(exist_ok=True)
    name = f"{failure.attack}-{failure.number}{seed.suffix}"
    (FAILURES / name).write_bytes(mutant_of(seed, failure.number))
