"""Bytes panel: the bytes of what is open, or of its file, colored by field."""

from __future__ import annotations

from viewer.model.store.place import Place
from viewer.translation import _
from viewer.ui.bytes.bytes_view import BytesView
from viewer.ui.context import PerTab, UiContext
from viewer.ui.widgets.widgets import empty


class BytesPanel:
    """A view for each tab; owner: the shell."""

    id = "bytes"
    title = _("Bytes")

    def __init__(self) -> None:
        self._views = PerTab(BytesView)
        self._asked: Place | None = None

    def show(self, place: Place) -> None:
        """Mark the bytes of a place, and bring them into view, as soon as its file is in front."""
        self._asked = place

    def draw(self, frame: UiContext) -> None:
        """Draw the bytes of the model or of whatever else the active tab shows."""
        document, resource = frame.document, frame.state.resource
        view = self._views.of(frame.state.tabs)
        if self._asked is not None:
            view.reveal(self._asked)
            self._asked = None
        if document is not None:
            view.draw(frame, document.address, document.findings)
        elif resource is not None and not resource.is_folder:
            view.draw(frame, resource.address, resource.diagnostics)
        else:
            empty(_("The bytes of what is open appear here."))
