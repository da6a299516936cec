"""The results of an edit of several files: each written or refused, then printed as one document or text."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from viewer.cli import output, target
from viewer.cli.answers import Answer
from viewer.cli.editing.edited import ChangedFile
from viewer.cli.terminal import Style, Styled
from viewer.cli.usage.verbs import DONE, FAILED, FOUND
from viewer.errors import MshviewError
from viewer.model.store.writing import WrittenFile

REFUSED: Final = "not written, as the edit adds errors; --force writes it"


class EditResults:
    """The edited files of a verb.

    Parameters
    ----------
    verb
        The verb.
    options
        Those of `written`, and ``json``.
    is_single
        Whether there is one file only, whose error ends the verb.
    """

    def __init__(self, verb: str, options: Namespace, *, is_single: bool) -> None:
        self._verb = verb
        self._options = options
        self._is_single = is_single
        self._found: list[tuple[Path, tuple[ChangedFile, Answer] | MshviewError, list[WrittenFile]]] = []
        self._status = DONE

    def add(self, path: Path, edit: Callable[[], tuple[ChangedFile, Answer]]) -> None:
        """Edit a file and write it, unless that adds errors; raises `MshviewError` if it is the only one."""
        try:
            file, answer = edit()
            done: list[WrittenFile] = []
            if not self._is_refused(file):
                done = target.write_edited(self._options, file.path, file.before, file.after)
        except MshviewError as error:
            if self._is_single:
                raise
            error.source = error.source or str(path)
            self._status = FAILED
            self._found.append((path, error, []))
        else:
            self._found.append((path, (file, answer), done))

    @property
    def are_changed(self) -> bool:
        """Whether a byte of any file differs."""
        return any(not isinstance(it, MshviewError) and it[0].is_changed for _, it, _ in self._found)

    def _is_refused(self, file: ChangedFile) -> bool:
        is_refused = bool(file.report.errors) and not self._options.force
        if is_refused:
            self._status = max(self._status, FOUND)
        return is_refused

    def finish(self, status: int = DONE) -> int:
        """Print the results and return the exit status, at least the given one."""
        if self._options.json:
            documents = self._documents()
            single = next(documents) if self._is_single else {"results": documents}
            output.write_json(self._verb, single)
        elif not target.is_printed(self._options):
            output.confirm(self._lines())
        for path, found, _ in self._found:
            self._warn(path, found)
        return max(self._status, status)

    def _documents(self) -> Iterator[dict[str, Any]]:
        for path, found, _ in self._found:
            if isinstance(found, MshviewError):
                yield {"source": str(path), "error": str(found)}
            else:
                yield dict(found[1].document())

    def _lines(self) -> Iterator[str]:
        for path, found, done in self._found:
            if not isinstance(found, MshviewError):
                if not self._is_single:
                    yield Styled(f"{path}:", Style.HEADING)
                yield from found[1].lines()
                yield from target.lines_of(done)

    def _warn(self, path: Path, found: tuple[ChangedFile, Answer] | MshviewError) -> None:
        """Print the problems that an edit adds, and why nothing is written."""
        if isinstance(found, MshviewError):
            output.write_error(str(found))
            return
        for source, findings in groupby(found[0].report.added, key=lambda finding: finding.source):
            output.write_warnings(source, (finding.diagnostic for finding in findings))
        if self._is_refused(found[0]):
            output.write_error(f"{path}: {REFUSED}")
