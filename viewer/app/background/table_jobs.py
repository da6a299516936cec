"""Work on the rows of tables in worker threads: filtering, sorting, copying."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from imgui_bundle import imgui

from viewer.app.jobs import Jobs
from viewer.app.state import State
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.session.tables.arrangement import ArrangedRows, RowQuery, arrange
from viewer.session.tables.copying import CopyFormat, copied
from viewer.session.tables.row_selection import Order
from viewer.session.tables.table_view import TableView
from viewer.session.validation import Validation, validate
from viewer.translation import _, ngettext
from viewer.ui.widgets.widgets import readable

VALIDATING: Final = "validate"


class TableJobs:
    """Arranges and copies rows; owner: the application, main thread only."""

    def __init__(self, state: State, jobs: Jobs, fail: Callable[[BaseException], None]) -> None:
        self._state = state
        self._jobs = jobs
        self._fail = fail

    def arrange(self, query: RowQuery) -> None:
        """Filter and sort the rows of a table; a newer query replaces an older one."""

        def done(arranged: ArrangedRows) -> None:
            self._state.arranged = arranged

        self._jobs.start("rows", _("Filtering and sorting…"), lambda _: arrange(query), done, self._fail)

    def copy(self, view: TableView, rows: Order, form: CopyFormat) -> None:
        """Put rows of a table on the clipboard."""
        count = len(rows)
        if not count:
            return

        def done(text: str) -> None:
            imgui.set_clipboard_text(readable(text))
            words = ngettext("{count} row copied", "{count} rows copied", count)
            self._state.announce(words.format(count=count))

        self._jobs.start("copy", _("Copying rows…"), lambda _: copied(view, rows, form), done, self._fail)


def start_validation(
    state: State, jobs: Jobs, library: FileStore, address: str, failed: Callable[[BaseException], None]
) -> None:
    """Check everything at an address, or everything in the browser if it is empty."""
    addresses = (address,) if address else tuple(root.address for root in state.browser.roots)
    if not addresses:
        return

    def done(found: Validation) -> None:
        state.validation = found
        count = len(found.problems) + found.left_out
        words = ngettext("{count} problem found", "{count} problems found", count)
        state.announce(words.format(count=count))

    jobs.start(
        VALIDATING,
        _("Validating {name}…").format(name=", ".join(Address.parse(it).name for it in addresses)),
        lambda progress: validate(addresses, library.unsaved, progress),
        done,
        failed,
        is_background=True,
    )
