"""A slice of ``make fuzz``: the same mutants in each run."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor

import pytest

from tests.fuzz.attacks import mutant_of
from tests.fuzz.running import batch, workers
from tests.fuzz.seeds import seeds
from tests.share import examples
from viewer.model.kinds.registry import KINDS

SIZES = {
    "decode": 1500,
    "document": 200,
    "edits": 300,
    "verbs": 150,
    "paths": 150,
    "gltf": 200,
    "obj": 200,
    "imports": 100,
    "kept": 600,
    "signals": 12,
    "writers": 6,
    "windows": 10,
    "toml": 60,
    "foreign": 30,
    "outputs": 12,
    "links": 20,
    "library": 200,
    "sounds": 150,
    "undo": 2,
}


@pytest.fixture(scope="module")
def worker() -> Iterator[ProcessPoolExecutor]:
    """A process for all attacks, which reads the seeds once."""
    with workers(1) as pool:
        yield pool


@pytest.mark.parametrize("name", SIZES)
def test_nothing_breaks(worker: ProcessPoolExecutor, name: str) -> None:
    size = examples(SIZES[name])
    result = worker.submit(batch, [name], 0, size).result()
    assert result.counts == {name: size}
    assert [failure.text for failure in result.failures] == []


def test_a_mutant_is_the_same_each_time_and_others_differ() -> None:
    seed = max(seeds(), key=lambda it: len(it.data))
    mutants = [mutant_of(seed, number) for number in range(50)]
    assert mutants == [mutant_of(seed, number) for number in range(50)]
    assert len({*mutants, seed.data}) > 45


def test_there_are_seeds_of_every_kind_of_the_sample() -> None:
    kinds = {seed.kind for seed in seeds()}
    assert {"msh", "wear", "mat0", "texm", "nres"} <= kinds <= {kind.id for kind in KINDS}
