"""All keys of a node at once, through the canonical writer.

Source: spec/animation.md 6, 7.
"""

from __future__ import annotations

from dataclasses import dataclass

from viewer.errors import EditError
from viewer.formats.msh.keys import KEY
from viewer.formats.msh.nodes import NODE
from viewer.model.edit.draft import Draft
from viewer.model.edit.keys.track_edit import TrackEdit
from viewer.model.edit.node_choice import NodeChoice, node_of
from viewer.translation import Sentence


@dataclass(frozen=True, slots=True)
class ReplaceTrack:
    """Give a node other keys; with two keys or more it is animated.

    Parameters
    ----------
    node
        Index or name.
    keys
        The keys as they are stored, each 24 bytes; at whole frames, the first at 0.
    """

    node: NodeChoice
    keys: bytes

    @property
    def words(self) -> str:
        """The node and the number of keys."""
        return Sentence("give node {node} {count} keys", node=self.node, count=len(self.keys) // KEY.size)

    def apply(self, draft: Draft) -> None:
        """Write the keys and the frame map; raises `EditError` for bytes that are no keys or no track."""
        node = node_of(draft, self.node)
        count, rest = divmod(len(self.keys), KEY.size)
        if rest or not count:
            message = Sentence("{size} bytes are no keys of {each}", size=len(self.keys), each=KEY.size)
            raise EditError(message, table=NODE.name, index=node)
        edit = TrackEdit(draft)
        edit.put(node, KEY.view(self.keys).copy(), is_animated=count > 1)
        edit.write()
