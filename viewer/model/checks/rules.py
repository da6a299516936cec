"""Rules of containers and models, each written once over joined tables, and what breaks them.

A rule is a function of joined tables that yields the diagnostics of those subjects (containers, models) that
break it. `Rules.rule` declares it; rules report in the order of their declarations::

    @GEOMETRY.rule
    def batch_sizes(it: Tables) -> Findings:
        rule, count = Rule("V17", BATCH.name, "index_count"), it.rows(BATCHES)["index_count"]
        words = "{count} is not a multiple of 3"
        yield from rule.in_joined(count % 3 != 0, it.counts(BATCHES), words, count=count)

Models that break other rules are in the same tables: a rule takes no range or number on trust, and keeps each
model to its own rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

import numpy as np

from viewer.diagnostics import Diagnostic
from viewer.formats.findings import Findings

_Joined = TypeVar("_Joined")


class Rules(Generic[_Joined]):
    """Rules over joined tables of one kind, in the order in which they report."""

    def __init__(self) -> None:
        self.all: list[Callable[[_Joined], Findings]] = []

    def rule(self, rule: Callable[[_Joined], Findings]) -> Callable[[_Joined], Findings]:
        """Declare a function as the next rule; a decorator."""
        self.all.append(rule)
        return rule


def findings(
    rules: Iterable[Callable[[_Joined], Findings]], joined: _Joined, count: int = 1
) -> list[list[Diagnostic]]:
    """The diagnostics of each of `count` subjects, in the order of the rules, each once."""
    found: list[list[Diagnostic]] = [[] for _ in range(count)]
    with np.errstate(all="ignore"):  # comparisons with NaN are False, as they have to be
        for rule in rules:
            for subject, some in rule(joined):
                found[subject] += some
    return [list(dict.fromkeys(it)) for it in found]
