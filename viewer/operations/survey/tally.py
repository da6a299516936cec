"""Tallies: what was counted for one question, in one file or in a whole game.

Source: spec/survey.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field

from viewer.geometry.transforms import Indices, Mask
from viewer.operations.survey.examples import FileExamples, Value

MOST_VALUES: Final = 4096
"""Different values that are kept of a table of one file. A field with more is a hash or noise: what is not
kept is counted as rare, and memory stays bounded."""


class Share(Struct):
    """Share of cases in which a reading holds.

    Attributes
    ----------
    holds, judged
        The rows on which it holds, of those on which it can be judged.
    others, other_rows
        Of a reading that predicts a flag, which is rare: `holds` and `judged` are the rows with the flag,
        these those without. 0 of any other reading.
    error
        The sum of its errors over the judged rows, in the unit that the question states.
    measured
        Rows with an error; 0 if the reading has none.
    """

    holds: int = 0
    judged: int = 0
    others: int = 0
    other_rows: int = 0
    error: float = 0.0
    measured: int = 0

    @property
    def of(self) -> int:
        """All rows on which it is judged."""
        return self.judged + self.other_rows

    @property
    def share(self) -> float:
        """The part of the rows on which it holds, 0 to 1; 0 without rows.

        Of a reading that predicts a flag the mean of both parts: of 1,000 nodes with a flag on 3, "never"
        would else be right on 0.997.
        """
        if not self.judged:
            return 0.0
        held = self.holds / self.judged
        return (held + self.others / self.other_rows) / 2 if self.other_rows else held

    @property
    def mean_error(self) -> float | None:
        """The mean of its errors, None if it has none."""
        return self.error / self.measured if self.measured else None

    def add(self, other: Share) -> None:
        """Add what was counted elsewhere."""
        self.holds += other.holds
        self.judged += other.judged
        self.others += other.others
        self.other_rows += other.other_rows
        self.error += other.error
        self.measured += other.measured


class CountPairs(Struct):
    """Sums over pairs of whole numbers, of which their correlation follows in any order of adding.

    Attributes
    ----------
    count
        CountPairs.
    x, y, xx, yy, xy
        Sums of the numbers, of their squares and of their products; exact.
    """

    count: int = 0
    x: int = 0
    y: int = 0
    xx: int = 0
    yy: int = 0
    xy: int = 0

    def note(self, x: int, y: int) -> None:
        """Add a pair."""
        self.add(CountPairs(1, x, y, x * x, y * y, x * y))

    def add(self, other: CountPairs) -> None:
        """Add what was counted elsewhere."""
        for name in self.__struct_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    @property
    def squared_correlation(self) -> float | None:
        """The square of Pearson's r, 0 to 1; None where one of both never changes."""
        spread = (self.count * self.xx - self.x**2) * (self.count * self.yy - self.y**2)
        return (self.count * self.xy - self.x * self.y) ** 2 / spread if spread else None


class Bin(Struct):
    """Rows with one value, and the files that have it."""

    rows: int = 0
    files: int = 0


class Tally(Struct):
    """Counts for a question.

    Attributes
    ----------
    rows
        What the question is about, such as vertices or textures.
    files
        Files with any.
    damaged
        Rows that cannot be judged: they do not fit their table, or are cut off.
    shares
        By the name of the reading.
    tables
        The bins of each table by value.
    rare
        Rows of each table whose value was not kept.
    constants
        The value that every row has in a field, None if there are several.
    pairs
        Counts of one file against each other, by the name of the reading.
    examples
        The rows behind the figures of one file; None if nobody will look at them.
    """

    rows: int = 0
    files: int = 0
    damaged: int = 0
    shares: dict[str, Share] = field(default_factory=dict)
    tables: dict[str, dict[Value, Bin]] = field(default_factory=dict)
    rare: dict[str, int] = field(default_factory=dict)
    constants: dict[str, Value | None] = field(default_factory=dict)
    pairs: dict[str, CountPairs] = field(default_factory=dict)
    examples: FileExamples | None = None

    def of_rows(self, table: str, rows: Indices | None = None) -> None:
        """Say which rows of a table the next readings and values are about, (n,); None for the whole file."""
        if self.examples is not None:
            self.examples.table, self.examples.rows = table, rows

    def reading(self, name: str, holds: npt.ArrayLike, errors: npt.ArrayLike = ()) -> None:
        """Judge a reading on some rows.

        Parameters
        ----------
        holds
            Whether it holds on each, (n,) bool.
        errors
            How far it is off, (m,); what is not finite is left out.
        """
        held, off = np.asarray(holds, np.bool_), np.asarray(errors, np.float64)
        off = off[np.isfinite(off)]
        one = Share(int(held.sum()), held.size, error=float(off.sum()), measured=off.size)
        self.shares.setdefault(name, Share()).add(one)
        if self.examples is not None:
            self.examples.note_reading(name, held.reshape(-1))

    def predict(self, name: str, predicted: npt.ArrayLike, flag: npt.ArrayLike) -> None:
        """Judge how well a property, (n,) bool, predicts a flag, (n,) bool."""
        is_set, is_right = np.asarray(flag, np.bool_), np.asarray(predicted, np.bool_) == flag
        with_flag, without = is_right[is_set], is_right[~is_set]
        one = Share(int(with_flag.sum()), with_flag.size, int(without.sum()), without.size)
        self.shares.setdefault(name, Share()).add(one)
        if self.examples is not None:
            self.examples.note_reading(name, is_right)

    def predict_by(self, prefix: str, flag: Mask, known: Mapping[str, Mask]) -> None:
        """Judge which properties of rows predict a flag, (n,) each, and count them with it and without it.

        `prefix` stands before the names of all readings and tables.
        """
        for name, holds in known.items():
            self.predict(f"{prefix}has {name}", holds, flag)
            self.predict(f"{prefix}has no {name}", ~holds, flag)
        for words, chosen in (("with the flag", flag), ("without it", ~flag)):
            counted = {name: int((holds & chosen).sum()) for name, holds in known.items()}
            self.count_words(f"{prefix}{words}", {"rows": int(chosen.sum()), **counted})

    def correlate(self, name: str, x: int, y: int) -> None:
        """Note two counts of one file, whose correlation over all files is a reading."""
        self.pairs.setdefault(name, CountPairs()).note(x, y)

    def keep_constant(self, name: str, values: npt.ArrayLike) -> None:
        """Note the value that all rows have in a field, (n,); or that they have several."""
        found = np.unique(np.asarray(values))
        if found.size:
            first = _plain(found[0].item()) if found.size == 1 else None
            same = self.constants.get(name, first)
            self.constants[name] = first if first == same else None

    def count(self, table: str, values: npt.ArrayLike) -> None:
        """Count the values of some rows, (n,); numbers that are not finite become words."""
        given = np.asarray(values)
        found, first, counts = np.unique(given, return_index=True, return_counts=True)
        most = np.argsort(-counts, kind="stable")[:MOST_VALUES]
        bins = self.tables.setdefault(table, {})
        kept = [_plain(value) for value in found[most].tolist()]
        for value, rows in zip(kept, counts[most].tolist(), strict=True):
            seen = bins.setdefault(value, Bin())
            seen.rows += rows
            seen.files = 1
        if self.examples is not None:
            self.examples.note_values(table, kept, first[most].tolist(), given.size)
        left_out = int(counts.sum() - counts[most].sum())
        if left_out:
            self.rare[table] = self.rare.get(table, 0) + left_out

    def count_words(self, table: str, counted: Mapping[str, int]) -> None:
        """Count rows by words of the question; those without rows are left out."""
        bins = self.tables.setdefault(table, {})
        for word, rows in counted.items():
            if rows:
                seen = bins.setdefault(word, Bin())
                seen.rows += rows
                seen.files = 1
                if self.examples is not None:
                    self.examples.note_values(table, (word,), (0,), -1)  # a word is of the file

    def add(self, other: Tally) -> None:
        """Add what was counted in another file, or in other files."""
        self.rows += other.rows
        self.files += other.files
        self.damaged += other.damaged
        for name, share in other.shares.items():
            self.shares.setdefault(name, Share()).add(share)
        for table, bins in other.tables.items():
            mine = self.tables.setdefault(table, {})
            for value, seen in bins.items():
                total = mine.setdefault(value, Bin())
                total.rows += seen.rows
                total.files += seen.files
        for table, rows in other.rare.items():
            self.rare[table] = self.rare.get(table, 0) + rows
        for name, pairs in other.pairs.items():
            self.pairs.setdefault(name, CountPairs()).add(pairs)
        for name, constant in other.constants.items():
            self.constants[name] = constant if self.constants.get(name, constant) == constant else None


def total(tallies: Iterable[Tally]) -> Tally:
    """The sum of some tallies."""
    added = Tally()
    for it in tallies:
        added.add(it)
    return added


def _plain(value: Any) -> Value:
    """A value as JSON can have it: a float that is no number is named, -0.0 is 0."""
    if isinstance(value, float):
        return value + 0.0 if np.isfinite(value) else "not a number"
    return value if isinstance(value, int | str) else int(value)
