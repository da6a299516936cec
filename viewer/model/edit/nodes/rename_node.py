"""Renaming a node, and setting the label that says what a socket takes.

Names are in Res10 in the seed reading and in Res9 in the field reading, in which Res10 holds the labels.

Source: spec/msh.md 7, 12; spec/field-notes.md 2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from viewer.errors import EditError, reason_of
from viewer.formats.msh import strings
from viewer.formats.msh.nodes import NODE
from viewer.formats.msh.strings import NAME, NAME_SIZE
from viewer.formats.msh.tables import NAME_RECORDS, STRINGS
from viewer.formats.text import encode, padded, until_nul
from viewer.model.edit.change import Change, change, refusal
from viewer.model.edit.draft import Draft
from viewer.model.edit.typed_words import NAME_WORD, NODE_WORD, Typed
from viewer.model.edit.values import NodeChoice, node_of
from viewer.translation import _

CENTRAL: Final = "central"
"""Names of nodes that the game searches for (spec/msh.md 2, 7)."""


@change(
    "rename-node",
    "rename node {node} to {name!r}",
    typed=Typed("give a node, by index or name, another name", (NODE_WORD, NAME_WORD)),
)
class RenameNode(Change, frozen=True):
    """Give a node another name, where the reading in effect has it.

    Parameters
    ----------
    node
        Index or name.
    name
        The new name; empty or None for a node without a name.
    """

    node: NodeChoice
    name: str | None

    def apply(self, draft: Draft) -> None:
        """Write the name; raises `EditError` if it does not fit or its record is missing."""
        rename(draft, {node_of(draft, self.node): self.name})


@change("label-node", "node {node} accepts {takes!r}")
class LabelNode(Change, frozen=True):
    """Set the label of a node: the prefix of the parts that a socket takes. Only in the field reading.

    Parameters
    ----------
    node
        Index or name.
    takes
        The label; empty or None for none.
    """

    node: NodeChoice
    takes: str | None

    def apply(self, draft: Draft) -> None:
        """Write the label; raises `EditError` if there are no labels or its record cannot be read."""
        label(draft, {node_of(draft, self.node): self.takes})


def rename(draft: Draft, names: Mapping[int, str | None]) -> None:
    """Set names by node; raises `EditError` for the first that cannot be set, and then nothing is changed.

    A name that gains or loses the word for which the game searches is noted.
    """
    has_records = draft.reading.reading.has_name_records
    before = draft.model.node_names(from_records=has_records)
    if has_records:
        _set_records(draft, names)
    else:
        _set_strings(draft, names, "name")
    for node, name in names.items():
        if _is_central(before[node]) != _is_central(name or ""):
            words = (
                "node {node}: the game searches names for {word!r}, and flag 0x0800 of children depends on it"
            )
            draft.notes.append(_(words, node=node, word=CENTRAL))


def _is_central(name: str) -> bool:
    return CENTRAL in name.casefold()


def label(draft: Draft, labels: Mapping[int, str | None]) -> None:
    """Set labels by node; raises `EditError` like `rename`."""
    if draft.reading.reading.has_name_records:
        _set_strings(draft, labels, "takes")
    elif any(labels.values()):
        raise refusal("has no labels: this table holds the names of the nodes", strings.TABLE)


def set_names(draft: Draft, nodes: Sequence[int], value: Any, element: tuple[int, ...]) -> None:
    """Set the same name on nodes, as a field of the table; raises `EditError`."""
    rename(draft, dict.fromkeys(nodes, _text(value, element, "name")))


def set_labels(draft: Draft, nodes: Sequence[int], value: Any, element: tuple[int, ...]) -> None:
    """Set the same label on nodes, as a field of the table; raises `EditError`."""
    label(draft, dict.fromkeys(nodes, _text(value, element, "takes")))


def _text(value: Any, element: tuple[int, ...], field: str) -> str | None:
    if element or not (value is None or isinstance(value, str)):
        raise refusal("a text or null is needed, not {value!r}", NODE.name, None, field, value=value)
    return value


def _set_records(draft: Draft, names: Mapping[int, str | None]) -> None:
    """Write names of Res9, each in its 32 bytes."""
    rows = draft.model.rows(NAME_RECORDS).copy()
    for node, name in names.items():
        if node >= len(rows):
            raise refusal("there are {count} name records", NAME.name, node, count=len(rows))
        raw = encoded_name(name, node, in_records=True)
        # Compared up to the NUL: bytes after it stay as they are if the name does.
        if until_nul(bytes(rows["name"][node])) != raw:
            rows["name"][node] = padded(raw, NAME_SIZE)
    # Bytes after the last whole record stay.
    data = rows.tobytes() + bytes(draft.model.payload(NAME_RECORDS)[len(rows) * NAME.size :])
    draft.replace_tables({NAME_RECORDS: data})


def _set_strings(draft: Draft, texts: Mapping[int, str | None], field: str) -> None:
    """Write texts of Res10, whose records have the length of their text."""
    model = draft.model
    stored = strings.decode(model.payload(STRINGS), model.record_count)
    records = [row.tobytes() for row in stored.rows]
    known = stored.texts
    for node, text in texts.items():
        raw = _encoded(text, node, field)
        if node >= len(records):
            if not raw:
                continue
            raise refusal("only {count} texts can be read", strings.TABLE, node, count=len(records))
        if known[node] != raw:
            records[node] = strings.build([raw])
    draft.replace_tables({STRINGS: b"".join(records) + stored.tail})


def encoded_name(name: str | None, node: int, *, in_records: bool) -> bytes:
    """The bytes of the name of a node; raises `EditError` if they do not fit the record of Res9."""
    raw = _encoded(name, node, "name")
    # One byte of the 32 is the NUL.
    if in_records and len(raw) >= NAME_SIZE:
        words = "{size} bytes, a name has at most {limit}"
        raise refusal(words, NAME.name, node, "name", size=len(raw), limit=NAME_SIZE - 1)
    return raw


def _encoded(text: str | None, node: int, field: str) -> bytes:
    """The bytes of a name; raises `EditError` if a character has none."""
    try:
        raw = encode(text or "")
    except ValueError as error:
        raise EditError(reason_of(error), table=NODE.name, index=node, field=field) from None
    if b"\0" in raw:
        raise refusal("{text!r} has a NUL, which ends a name", NODE.name, node, field, text=text)
    return raw
