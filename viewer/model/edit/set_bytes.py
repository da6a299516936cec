"""Overwriting bytes of a payload of any kind, also of one that cannot be read."""

from __future__ import annotations

from contextlib import suppress
from typing import ClassVar

from viewer.errors import FormatError
from viewer.formats import splice
from viewer.model.edit.change import MOST_SHOWN, Change, change, refusal
from viewer.model.edit.draft import Draft
from viewer.translation import _


@change("set-bytes")
class SetBytes(Change, frozen=True):
    """Overwrite bytes; none are inserted or removed.

    Parameters
    ----------
    offset
        The first of them in the payload.
    payload
        What is written.
    """

    is_raw: ClassVar[bool] = True
    offset: int
    payload: bytes

    @property
    def words(self) -> str:
        """The offset, and the first of the bytes."""
        shown = self.payload[:MOST_SHOWN].hex(" ") + (" ..." if len(self.payload) > MOST_SHOWN else "")
        return _("overwrite at 0x{offset:X}: {bytes}", offset=self.offset, bytes=shown)

    def apply(self, draft: Draft) -> None:
        """Overwrite the bytes.

        Raises `EditError` if they are not all in the payload, or if it can be read now and could not be read
        any more.
        """
        size, end = len(draft.data), self.offset + len(self.payload)
        if self.offset < 0 or end > size:
            raise refusal(
                "bytes {start}..{end} exceed the payload of {size}", start=self.offset, end=end, size=size
            )
        before = draft.data[self.offset : end]
        splices = splice.moved(splice.between(before, self.payload), self.offset)
        # What cannot be read already may be overwritten with anything: that is how it is repaired by hand.
        if _is_readable(draft):
            draft.splice_readable(splices)
        else:
            draft.splice(splices)


def _is_readable(draft: Draft) -> bool:
    with suppress(FormatError):
        return draft.kind.is_known and draft.value is not None
    return False
