"""Validating what is open, in the background."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from viewer.app.jobs import Jobs
from viewer.app.state import State
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.session.validation import Validation, validate
from viewer.translation import _, ngettext

LANE: Final = "validate"


def start(
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
        LANE,
        _("Validating {name}…").format(name=", ".join(Address.parse(it).name for it in addresses)),
        lambda progress: validate(addresses, library.unsaved, progress),
        done,
        failed,
        is_background=True,
    )
