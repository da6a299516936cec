"""The tracks of a draft, changed and pooled again: key pool, frame map, and what nodes say of both.

Source: spec/animation.md 6, 7.
"""

from __future__ import annotations

from collections.abc import Mapping

from viewer.errors import EditError, FormatError
from viewer.formats.archive.nres import ENTRY
from viewer.formats.msh import tracks
from viewer.formats.msh.keys import KEY
from viewer.formats.msh.tables import FRAME_MAP, KEYS, NODES
from viewer.formats.msh.tracks import Track
from viewer.formats.record import Bytes, Rows
from viewer.model.edit.draft import Draft
from viewer.model.edit.node_choice import node_rows
from viewer.translation import Sentence


class TrackEdit:
    """All tracks of a draft, to be changed and written.

    What belongs to no track is kept after the last: keys, words, and bytes that are not a whole record.

    Attributes
    ----------
    nodes
        The nodes, (n,) `NODE`; to be changed, in the order of the tracks.
    tracks
        The track of each node; a changed one is made new, without words.
    tables
        Other tables to be replaced with them, by type.
    frame_count
        The requested length; None to follow the keys if it did before, and else to be as long as needed.

    Raises
    ------
    EditError
        If the animation cannot be split into tracks.
    """

    def __init__(self, draft: Draft) -> None:
        model = draft.model
        self.nodes = node_rows(draft)
        if not (model.has(KEYS) and model.has(FRAME_MAP)):
            raise EditError(Sentence("has no table of keys or no frame map"), table=ENTRY.name)
        try:
            stored = tracks.split(self.nodes, model.keys, model.frame_map, model.frame_count)
        except FormatError as error:
            message = Sentence("the animation cannot be split into tracks: {reason}", reason=error.message)
            raise EditError(message, table=error.table, index=error.index, field=error.field) from None
        self._draft = draft
        self.tracks: list[Track] = [*stored]
        self._length = max((track.frames for track in stored), default=1)
        self._blocks = sum(track.is_animated for track in stored) * model.frame_count
        self._key_count = sum(len(track.keys) for track in stored)
        self.tables: dict[int, Bytes] = {}
        self.frame_count: int | None = None

    def keys(self, node: int) -> Rows:
        """Return the keys of a node, (k,) `KEY`, a copy."""
        return self.tracks[node].keys.copy()

    def put(self, node: int, keys: Rows, *, is_animated: bool | None = None) -> None:
        """Set the keys of a node, and whether it is animated if that changes."""
        stays = self.tracks[node].is_animated
        self.tracks[node] = Track(keys, stays if is_animated is None else is_animated)

    def write(self) -> None:
        """Write what has changed; raises `EditError` if the keys cannot be written."""
        model = self._draft.model
        try:
            pool = tracks.build(self.tracks, self._frames())
        except ValueError as error:
            raise EditError(str(error), table=KEY.name) from None
        self.nodes["map_start"], self.nodes["fallback_key"] = pool.map_starts, pool.fallbacks
        keys, words = model.payload(KEYS), model.payload(FRAME_MAP)
        made: Mapping[int, Bytes] = {
            NODES: self.nodes.tobytes() + bytes(model.payload(NODES)[model.nodes.nbytes :]),
            KEYS: pool.keys.tobytes() + bytes(keys[self._key_count * KEY.size :]),
            FRAME_MAP: pool.words.tobytes() + bytes(words[self._blocks * 2 :]),
            **self.tables,
        }
        frames = pool.frame_count if self._has_blocks or self._blocks else model.frame_count
        changed = {
            type_id: data
            for type_id, data in made.items()
            if model.payload(type_id) != data or (type_id == FRAME_MAP and frames != model.frame_count)
        }
        self._draft.replace_tables(changed, frame_count=frames)

    @property
    def _has_blocks(self) -> bool:
        return any(track.is_animated for track in self.tracks)

    def _frames(self) -> int:
        """The length of the animation: that of its keys if it was before, and at least that of its keys."""
        if self.frame_count is not None:
            return self.frame_count
        stored = self._draft.model.frame_count
        needed = max((track.frames for track in self.tracks), default=1)
        return needed if stored == self._length else max(stored, needed)
