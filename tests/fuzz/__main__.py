"""``python -m tests.fuzz``: attack the program with mutants for some minutes, with a process per core.

Each mutant is a seed and a number, so that a failure is repeated with ``--seed`` and ``--number``.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from time import monotonic

from tests.fuzz.attacks import attack
from tests.fuzz.running import SHARES, Failure, keep, results
from tests.fuzz.seeds import seeds


def main() -> int:
    """Run and print; the exit status is 1 if something failed."""
    options = _parser().parse_args()
    if options.number is not None:
        return _repeat(options)
    names = options.attacks.split(",")
    started, end = monotonic(), monotonic() + options.minutes * 60
    counts: Counter[str] = Counter()
    failures: dict[str, Failure] = {}
    for result in results(names, options.start, end, options.jobs):
        counts += result.counts
        for failure in result.failures:
            if failure.text.splitlines()[-1] not in failures:
                failures[failure.text.splitlines()[-1]] = failure
                keep(failure)
                sys.stdout.write(
                    f"\n{failure.attack} {failure.seed} --number {failure.number}\n{failure.text}\n"
                )
        rate = sum(counts.values()) / (monotonic() - started)
        sys.stdout.write(f"\r{sum(counts.values())} mutants, {rate:.0f} a second, {len(failures)} failures ")
        sys.stdout.flush()
    each = ", ".join(f"{name} {found}" for name, found in sorted(counts.items()))
    sys.stdout.write(
        f"\n{sum(counts.values())} mutants of {len(seeds())} seeds: {each}; {len(failures)} failures\n"
    )
    return 1 if failures else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    add = parser.add_argument
    add("--minutes", type=float, default=1.0, help="how long to go on; default %(default)s")
    add("--jobs", type=int, default=os.cpu_count() or 1, help="processes; default one per core")
    add("--attacks", default=",".join(SHARES), metavar="NAME,NAME", help="default %(default)s")
    add("--start", type=int, default=0, metavar="N", help="number of the first mutant")
    add("--seed", default="", help="repeat a failure: the name of its seed")
    add("--number", type=int, help="repeat a failure: the number of its mutant")
    return parser


def _repeat(options: argparse.Namespace) -> int:
    """Attack with one mutant, without catching what it breaks."""
    seed = next(it for it in seeds() if it.name == options.seed)
    for name in options.attacks.split(","):
        attack(name, seed, options.number)
    return 0


if __name__ == "__main__":
    sys.exit(main())
