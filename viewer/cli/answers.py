"""Answers of verbs about inputs: one document, or those of several inputs, of which some may fail."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any

from viewer.cli import output
from viewer.cli.terminal import Style, Styled
from viewer.cli.usage.verbs import DONE, FAILED
from viewer.dataclass import dataclass
from viewer.errors import MshviewError

if TYPE_CHECKING:
    from viewer.model.kinds.json_text import AnyRows


@dataclass(frozen=True, slots=True)
class Answer:
    """What a verb says about one input.

    Parameters
    ----------
    document
        Makes its JSON document.
    lines
        Makes the same as text.
    rows
        Makes its rows for a table.
    """

    document: Callable[[], Mapping[str, Any]]
    lines: Callable[[], Iterable[str]]
    rows: Callable[[], AnyRows] = tuple


Answering = Callable[[str], Answer]
"""Returns the answer about an address; raises `MshviewError`."""


def write(verb: str, options: Namespace, answering: Answering) -> int:
    """Print the answer about each of the options' addresses and return the exit status.

    One answer is printed as it is, and its error is raised, unless the options ask for the form of several:
    the ``results`` of one document, or texts with headings. There an error is printed in its turn, and the
    next input follows.
    """
    if len(options.addresses) == 1 and not options.results:
        answer = answering(options.addresses[0])
        if options.form is not None:
            output.write_table(answer.rows(), options.form)
        elif options.json:
            output.write_json(verb, answer.document())
        else:
            output.write_lines(answer.lines())
        return DONE
    several = _Several(options.addresses, answering)
    if options.form is not None:
        output.write_table([*several.rows()], options.form)
    elif options.json:
        output.write_json(verb, {"results": several.documents()})
    else:
        output.write_lines(several.lines())
    return FAILED if several.has_failed else DONE


class _Several:
    """The answers about several inputs, each made when it is its turn."""

    def __init__(self, addresses: list[str], answering: Answering) -> None:
        self.has_failed = False
        self._addresses = addresses
        self._answering = answering

    def documents(self) -> Iterator[Mapping[str, Any]]:
        """Yield the documents; ``source`` and ``error`` for an input that fails."""
        for address in self._addresses:
            try:
                document = self._answering(address).document()
            except MshviewError as error:
                document = {"error": self._failed(error)}
            yield {"source": address, **document}

    def rows(self) -> Iterator[Mapping[str, Any]]:
        """Yield the rows of all inputs, each with its address."""
        for address in self._addresses:
            try:
                rows = self._answering(address).rows()
            except MshviewError as error:
                self._failed(error)
                continue
            for row in rows:
                yield {"source": address, **row}

    def lines(self) -> Iterator[str]:
        """Yield the texts about the inputs that do not fail, each with its address as a heading."""
        gap: list[str] = []
        for address in self._addresses:
            try:
                lines = self._answering(address).lines()
            except MshviewError as error:
                self._failed(error)
                continue
            yield from chain(gap, [Styled(f"{address}:", Style.HEADING)], lines)
            gap = [""]

    def _failed(self, error: MshviewError) -> str:
        self.has_failed = True
        output.write_error(str(error))
        return str(error)
