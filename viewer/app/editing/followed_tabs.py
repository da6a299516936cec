"""Tabs whose entry has got another name or another row in an edit show it under its new address."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from viewer.formats.record import Bytes
from viewer.formats.splice import Splices
from viewer.model.store.address import Address
from viewer.model.store.following import entries_after
from viewer.session.edits.edited_file import real
from viewer.session.opened.tabs import Tab, Tabs


def followed(tabs: Tabs, path: Path, before: Bytes, after: Bytes, splices: Splices) -> Tabs:
    """Return the tabs after an edit of a file; those of a removed entry stay as they are.

    Parameters
    ----------
    path
        The file, absolute, links resolved.
    before, after
        Its bytes.
    splices
        The edit; offsets count in the bytes before.
    """
    for tab in tabs.opened:
        address = Address.parse(tab.address)
        if address.entries and real(address).path == path:
            entries = entries_after(before, after, splices, address.entries)
            if entries not in {None, address.entries}:
                tabs = tabs.with_tab(_renamed(tab, Address(address.path, entries or ())))
    return tabs


def _renamed(tab: Tab, address: Address) -> Tab:
    """The tab with another address for what it shows."""
    if tab.document is not None:
        source = replace(tab.document.source, address=address)
        return replace(tab, document=replace(tab.document, address=str(address), source=source))
    if tab.resource is not None:
        return replace(tab, resource=replace(tab.resource, address=str(address)))
    return tab
