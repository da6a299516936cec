"""The commands about rows and fields of tables: see `viewer.control.commands`."""

from __future__ import annotations

from typing import Protocol

from viewer.model.tables.table import ModelTable
from viewer.session.jobs import CorpusScope, StatisticsRequest
from viewer.session.tables.table_view import CopyFormat, Order, RowQuery


class TableCommands(Protocol):
    """Rows of tables."""

    def arrange(self, query: RowQuery) -> None:
        """Filter and sort the rows of a table; a newer query replaces an older one."""

    def copy(self, view: ModelTable, rows: Order, form: CopyFormat) -> None:
        """Put rows of a table on the clipboard."""

    def filter(self, table: str, text: str) -> None:
        """Show a table of the open model with another filter."""


class StatisticsCommands(Protocol):
    """Statistics of fields, and of readings, over many models."""

    def score(self, scope: CorpusScope) -> None:
        """Judge the readings of models."""

    def show(self) -> None:
        """Bring the panel of the statistics to the front."""

    def count(self, request: StatisticsRequest) -> None:
        """Count the values of a field, or of all; only what has changed is read again."""

    def count_again(self) -> None:
        """Count again, with what has changed."""

    def count_field(self, field: str) -> None:
        """Count another field where the last one was counted, and show the panel."""
