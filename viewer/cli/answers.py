"""Answers of verbs about inputs: one document, or those of several inputs, of which some may fail."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import Struct

from viewer.cli import output
from viewer.cli.terminal import Style, Styled
from viewer.cli.usage.verbs import DONE, FAILED
from viewer.errors import MshviewError
from viewer.json_types import as_mapping

if TYPE_CHECKING:
    from viewer.model.kinds.json_text import AnyRows

Form = TypeVar("Form")


class Answer(Struct, frozen=True):
    """The answer of a verb, about one input or as a whole.

    Parameters
    ----------
    document
        Makes its JSON document.
    lines
        Makes the same as text.
    rows
        Makes its rows for a table.
    """

    document: Callable[[], Struct | Mapping[str, Any]]
    lines: Callable[[], Iterable[str]]
    rows: Callable[[], AnyRows] = tuple

    def write(self, verb: str, options: Namespace, columns: Sequence[str] = ()) -> None:
        """Print it in the form that the options ask for; `columns` is the heading of a table without rows."""
        if options.form is not None:
            output.write_table(self.rows(), options.form, columns)
        elif options.json:
            output.write_json(verb, self.document())
        else:
            output.write_lines(self.lines())


Answering = Callable[[str], Answer]
"""Returns the answer about an address; raises `MshviewError`."""


def write(verb: str, options: Namespace, answering: Answering) -> int:
    """Print the answer about each of the options' addresses and return the exit status.

    One answer is printed as it is, and its error is raised, unless the options ask for the form of several:
    the ``results`` of one document, or texts with headings. There an error is printed in its turn, and the
    next input follows.
    """
    if len(options.addresses) == 1 and not options.results:
        answering(options.addresses[0]).write(verb, options)
        return DONE
    several = _Several(options.addresses, answering)
    results = Answer(lambda: {"results": several.documents()}, several.lines, lambda: [*several.rows()])
    results.write(verb, options)
    return FAILED if several.has_failed else DONE


class _Several:
    """The answers about several inputs, each made when it is its turn."""

    def __init__(self, addresses: list[str], answering: Answering) -> None:
        self.has_failed = False
        self._addresses = addresses
        self._answering = answering

    def documents(self) -> Iterator[Mapping[str, Any]]:
        """Yield the documents; ``source`` and ``error`` for an input that fails."""
        for address, found in self._each(lambda it: it.document()):
            document = {"error": str(found)} if isinstance(found, MshviewError) else as_mapping(found)
            yield {"source": address, **document}

    def rows(self) -> Iterator[Mapping[str, Any]]:
        """Yield the rows of all inputs, each with its address."""
        for address, found in self._each(lambda it: it.rows()):
            for row in () if isinstance(found, MshviewError) else found:
                yield {"source": address, **as_mapping(row)}

    def lines(self) -> Iterator[str]:
        """Yield the texts about the inputs that do not fail, each with its address as a heading."""
        gap: list[str] = []
        for address, found in self._each(lambda it: it.lines()):
            if not isinstance(found, MshviewError):
                yield from chain(gap, [Styled(f"{address}:", Style.HEADING)], found)
                gap = [""]

    def _each(self, form: Callable[[Answer], Form]) -> Iterator[tuple[str, Form | MshviewError]]:
        """Yield a form of each answer; of an input that fails its error, which is printed."""
        for address in self._addresses:
            found: Form | MshviewError
            try:
                found = form(self._answering(address))
            except MshviewError as error:
                self.has_failed = True
                output.write_error(str(error))
                found = error
            yield address, found
