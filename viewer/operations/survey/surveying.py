"""The survey of a game: its files one by one, in one process or several, and what they say together.

A file is the unit of work and of the report: a value that a report holds occurs in several files. Entries of
an archive are files here, as the game treats them.

Source: spec/survey.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any, Final

import numpy as np
from msgspec import Struct, field

from viewer.errors import MshviewError, error_text
from viewer.formats.neighbors.control import Control
from viewer.formats.part import raw
from viewer.model.kinds.kind import Kind
from viewer.model.kinds.registry import (
    ARCHIVES,
    DESCRIPTION,
    EFFECT,
    MATERIAL,
    MODEL,
    TEXTURE,
    presumed_id,
    promised_kind,
)
from viewer.model.mesh.model import Variant
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import Container, Item, spelling
from viewer.operations.corpus.portions import Portion, portions_below
from viewer.operations.opening import ModelFiles, Source
from viewer.operations.reading_options import ReadingOptions
from viewer.operations.survey.containers import CONTAINERS, Explained
from viewer.operations.survey.examples import FileExamples, SurveyExamples
from viewer.operations.survey.faces import FACES
from viewer.operations.survey.neighbors import NEIGHBORS, StoredMaterial
from viewer.operations.survey.question import Asked, SurveyQuestion
from viewer.operations.survey.rows import ROWS
from viewer.operations.survey.subjects import open_model
from viewer.operations.survey.tally import Tally
from viewer.operations.survey.textures import TEXTURES
from viewer.operations.survey.vertices import VERTICES
from viewer.progress import checkpoint

QUESTIONS: Final[tuple[SurveyQuestion, ...]] = tuple(
    sorted(
        (it for some in (VERTICES, ROWS, FACES, TEXTURES, NEIGHBORS, CONTAINERS) for it in some.all),
        key=lambda it: it.id,
    )
)
"""All questions, by number."""
_CONTROL: Final = "control"
_SORTS: Final = {
    MODEL.id: (Asked.MODEL, Asked.TERRAIN),
    TEXTURE.id: (Asked.TEXTURE,),
    MATERIAL.id: (Asked.MATERIAL,),
    EFFECT.id: (Asked.EFFECT,),
    _CONTROL: (Asked.CONTROL,),
}
"""Subjects in a file of each kind; all of them have bytes too."""


class Edition(Struct):
    """Numbers of surveyed files, which tell editions of the game apart."""

    archives: int = 0
    entries: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    bytes: int = 0
    letters: set[str] = field(default_factory=set)

    def add(self, other: Edition) -> None:
        """Add what was surveyed elsewhere."""
        self.archives += other.archives
        self.entries += other.entries
        self.kinds += other.kinds
        self.bytes += other.bytes
        self.letters |= other.letters


class SurveyCounts(Struct):
    """Counts of some files.

    Attributes
    ----------
    tallies
        By the number of the question.
    read
        Files, entries and directories of archives that could be read.
    problems
        What cannot be read, and why: shown, and never a part of a report.
    examples
        Places of the rows behind the figures, by the number of the question; shown, and never a part of a
        report. Empty unless they were asked for.
    """

    edition: Edition = field(default_factory=Edition)
    tallies: dict[str, Tally] = field(default_factory=dict)
    read: int = 0
    problems: dict[str, str] = field(default_factory=dict)
    examples: dict[str, SurveyExamples] = field(default_factory=dict)

    def tally(self, question: SurveyQuestion) -> Tally:
        """Tally of a question."""
        return self.tallies.setdefault(question.id, Tally())

    def add(self, other: SurveyCounts) -> None:
        """Add what other files say."""
        self.edition.add(other.edition)
        for number, tally in other.tallies.items():
            self.tallies.setdefault(number, Tally()).add(tally)
        self.read += other.read
        self.problems |= other.problems
        for number, places in other.examples.items():
            self.examples.setdefault(number, SurveyExamples()).join(places)


def plan(store: FileStore, folder: Path) -> list[Portion]:
    """The portions of a game folder; raises `MshviewError` if it cannot be listed."""
    store.names(folder)
    return [*portions_below(store, folder)]


class Surveyor:
    """Surveys portions in one process.

    Parameters
    ----------
    game
        The folder in which materials and textures are looked up.
    has_examples
        Whether the places of the rows behind the figures are kept.
    """

    def __init__(self, game: Path, *, has_examples: bool = False) -> None:
        self._game, self._has_examples = game, has_examples
        self._store = FileStore()

    def survey_all(self, portions: Sequence[Portion]) -> Iterator[SurveyCounts]:
        """Counts of each portion; a file is kept in memory while its portions follow each other."""
        for path, some in groupby(portions, lambda it: it.address.path):
            for portion in some:
                yield self._survey(portion)
            self._store.forget(path)

    def _survey(self, portion: Portion) -> SurveyCounts:
        found = SurveyCounts()
        address = portion.address
        try:
            # An archive with a problem too: as a file it has bytes, and a kind by its name.
            item = self._store.open(address)
            container = None if portion.indices is None else item.container
        except MshviewError as error:
            problem = portion.problem or error_text(error)
            self._unreadable(found, address, presumed_id(address.name), problem)
            return found
        if container is None:
            found.edition.bytes = len(item.data)
            self._survey_item(found, item)
        else:
            if portion.is_first:
                self._survey_directory(found, item, container)
            self._survey_entries(found, address, container, portion.indices or ())
        return found

    def _survey_directory(self, found: SurveyCounts, item: Item, container: Container) -> None:
        """Ask an archive what concerns it as a whole."""
        kind = promised_kind(item)
        found.edition.archives, found.edition.bytes, found.read = 1, len(item.data), 1
        found.edition.kinds[kind.id] += 1
        self._ask(found, item.address, Asked.ARCHIVE, lambda: container)
        self._explain(found, item, kind)

    def _survey_entries(
        self, found: SurveyCounts, archive: Address, container: Container, indices: Iterable[int]
    ) -> None:
        """Ask entries of an archive everything that concerns them."""
        for index in indices:
            checkpoint()
            found.edition.entries += 1
            entry = archive.child(spelling(container, index))
            try:
                self._survey_item(found, self._store.open(entry))
            except MshviewError as error:
                self._unreadable(found, entry, presumed_id(entry.name), error_text(error))

    def _unreadable(self, found: SurveyCounts, address: Address, kind: str, problem: str) -> None:
        """Count a file that cannot be read as damaged for the questions that it would be asked."""
        found.problems[str(address)] = problem
        for question in QUESTIONS:
            if question.of in _SORTS.get(kind, ()) or (kind in ARCHIVES and question.of is Asked.ARCHIVE):
                found.tally(question).damaged += 1

    def _survey_item(self, found: SurveyCounts, item: Item) -> None:
        kind = promised_kind(item)
        found.edition.kinds[kind.id] += 1
        try:
            self._ask_item(found, item, kind)
        except MshviewError as error:
            self._unreadable(found, item.address, kind.id, error_text(error))
        else:
            found.read += 1

    def _ask_item(self, found: SurveyCounts, item: Item, kind: Kind) -> None:
        """Ask one file or entry everything that concerns it."""
        if kind.id == MODEL.id:
            files = ModelFiles.read(self._store, Source(item.address, ReadingOptions(game=self._game)))
            subject = open_model(self._store, files)
            is_terrain = subject.model.variant is Variant.TERRAIN
            self._ask(found, item.address, Asked.TERRAIN if is_terrain else Asked.MODEL, lambda: subject)
        elif kind.id == TEXTURE.id:
            self._ask(found, item.address, Asked.TEXTURE, lambda: kind.decode(item.data))
        elif kind.id == MATERIAL.id:
            entry = item.nres_entry
            attr1 = entry.attr1 if entry else 0
            self._ask(
                found,
                item.address,
                Asked.MATERIAL,
                lambda: StoredMaterial(kind.decode(item.data, entry), attr1),
            )
        elif kind.id == EFFECT.id:
            self._ask(found, item.address, Asked.EFFECT, lambda: kind.decode(item.data))
        elif kind.id == _CONTROL:
            decoded: Control = kind.decode(item.data)
            self._ask(found, item.address, Asked.CONTROL, lambda: decoded)
        elif kind.id == DESCRIPTION.id:
            is_cyrillic = any(byte >= 0xC0 for byte in bytes(item.data))
            found.edition.letters.add("cyrillic" if is_cyrillic else "latin")
        self._explain(found, item, kind)

    def _explain(self, found: SurveyCounts, item: Item, kind: Kind) -> None:
        """Ask which bytes of a file nothing explains; a file of an unknown kind is one such stretch."""

        def made() -> Explained:
            if not kind.is_known:
                return Explained(kind, raw("whole file", item.data, 0, ""))
            if kind.id == MODEL.id:
                return Explained(kind, raw("", b"", 0, ""), item.archive)
            codec = kind.codec
            return Explained(kind, codec.parts(kind.decode(item.data, item.nres_entry)))

        self._ask(found, item.address, Asked.FILE, made)

    def _ask(self, found: SurveyCounts, address: Address, sort: Asked, make: Callable[[], Any]) -> None:
        asked = [question for question in QUESTIONS if question.of is sort]
        subject = make()
        for question in asked:
            tally = Tally(examples=FileExamples() if self._has_examples else None)
            with np.errstate(all="ignore"):  # damaged files hold numbers that are none
                question.measure(subject, tally)
            tally.files = int(tally.rows > 0)
            found.tally(question).add(tally)
            if tally.examples is not None:
                found.examples.setdefault(question.id, SurveyExamples()).add(address, tally.examples)


def begin(game: Path) -> Callable[[], Callable[[Sequence[Portion]], Iterator[SurveyCounts]]]:
    """Function that surveys some portions, made in the process that runs it."""
    return partial(_surveyor, game)


def _surveyor(game: Path) -> Callable[[Sequence[Portion]], Iterator[SurveyCounts]]:
    return Surveyor(game).survey_all


def together(parts: Iterable[SurveyCounts]) -> SurveyCounts:
    """Counts of all files of a game together."""
    total = SurveyCounts()
    for it in parts:
        total.add(it)
    return total
