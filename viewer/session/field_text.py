"""Values of record fields and table cells as text; unknown fields are shown as hexadecimal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from viewer.formats.record import Field, Status
from viewer.formats.text import decode, until_nul
from viewer.model.kinds.explained import explained
from viewer.model.mesh import cell_names
from viewer.model.mesh.cell_names import CellNames
from viewer.model.mesh.portals import PortalKind
from viewer.model.mesh.shown import OWN_VIEW, Cell, CellRule, Cutaway
from viewer.session.opened.document import Document
from viewer.session.view.view_state import GROUP_COUNT, LOD_COUNT, ViewState
from viewer.translation import Text, _, count_text, ngettext, remembered, translated

NONE_NAMES: Final = {1: "0xFF", 2: "0xFFFF", 4: "0xFFFFFFFF"}


def raw_text(field: Field, value: Any) -> str:
    """Return the value as stored: integers whole, bit fields and open fields in hexadecimal."""
    if np.dtype(field.dtype).kind in "SV":
        return bytes_text(bytes(value), is_text=field.is_text)
    return _joined(field, np.asarray(value))


def cell_text(field: Field, value: Any) -> str:
    """Return the stored value on one line, the "none" value as a word."""
    text = raw_text(field, value).replace("\n", " | ")
    return text if field.none is None else text.replace(none_text(field), _("none"))


def tooltip_lines(field: Field) -> Iterator[str]:
    """Yield the lines that describe a field: name, offset and type, unit, meaning."""
    yield f"{field.name}"
    size = counted(field.size, "{count} byte", "{count} bytes")
    yield _("offset 0x{offset:02X}, {type}, {size}", offset=field.offset, type=field.type_name, size=size)
    if field.unit:
        yield _("unit: {unit}", unit=Text.of(field.unit))
    yield explained(field)


def float_text(value: float) -> str:
    """Return the shortest text that reads back as the same binary32 value."""
    single = np.float32(value)
    if not np.isfinite(single):
        return str(single)
    if single != 0 and not 1e-4 <= abs(single) < 1e9:
        return str(np.format_float_scientific(single, trim="-"))
    return str(np.format_float_positional(single, trim="-"))


def numbers_text(values: Any) -> str:
    """Return a vector of decoded numbers, rounded for reading."""
    return "  ".join(f"{float(value):.4g}" for value in np.asarray(values).ravel())


def offset_text(offset: int, size: int) -> str:
    """Return an offset in as many hexadecimal digits as those of `size` bytes take, at least four."""
    return f"{offset:0{max(4, len(f'{size:x}'))}x}"


def bytes_text(data: bytes, *, is_text: bool) -> str:
    """Return bytes in hexadecimal; text up to its NUL, and the bytes too if something follows the NUL."""
    if not is_text:
        return data.hex(" ", 4)
    name = until_nul(data)
    words = repr(decode(name))
    return f"{words}  {data.hex(' ', 4)}" if data[len(name) :].strip(b"\0") else words


def is_none(field: Field, value: int) -> bool:
    """Tell whether `value` is the field's "none" value."""
    return field.none is not None and int(value) == field.none


def none_text(field: Field) -> str:
    """Return the field's "none" value as text, with the stored value."""
    return _("none ({value})", value=NONE_NAMES[np.dtype(field.dtype).itemsize])


def _joined(field: Field, value: np.ndarray[Any, Any]) -> str:
    if value.ndim == 0:
        return _scalar(field, value[()])
    if value.ndim == 1:
        return ", ".join(_scalar(field, item) for item in value)
    return "\n".join(_joined(field, row) for row in value)


def _scalar(field: Field, value: Any) -> str:
    if np.dtype(field.dtype).kind == "f":
        is_known = field.status is not Status.OPEN
        return float_text(value) if is_known else f"0x{int(np.float32(value).view(np.uint32)):08X}"
    if is_none(field, value):
        return none_text(field)
    if field.is_bits:
        width = np.dtype(field.dtype).itemsize
        return f"0x{int(value) & (1 << 8 * width) - 1:0{2 * width}X}"
    return str(int(value))


def counted(count: int, one: str, many: str, **values: object) -> str:
    """Return a text for a count: ``1 node``, ``12 345 vertices``; `one` and `many` hold ``{count}``."""
    return ngettext(one, many, count).format(count=count_text(count), **values)


def portal_count(kind: PortalKind, count: int) -> str:
    """Return a number of portals of a kind: ``2 doorways``."""
    if kind is PortalKind.SIGN:
        return counted(count, "{count} sign", "{count} signs")
    if kind is PortalKind.OPEN:
        return counted(count, "{count} open portal", "{count} open portals")
    return counted(count, "{count} doorway", "{count} doorways")


@remembered
def short_count(count: int) -> str:
    """Return a count in four characters or fewer: ``999``, ``1.2k``, ``34k``, ``5.6M``."""
    for limit, unit in ((1_000_000, "M"), (1_000, "k")):
        if count >= limit * 0.9995:
            scaled = count / limit
            return f"{scaled:.0f}{unit}" if scaled >= 9.95 else f"{scaled:.1f}{unit}"
    return str(count)


@remembered
def size_text(size: int) -> str:
    """Return a number of bytes with its unit: ``812 B``, ``14.2 KB``, ``3.1 MB``."""
    if size < 1024:
        return _("{size} B", size=size)
    scaled = size / 1024
    if scaled < 1000:
        return _("{size:.1f} KB", size=scaled)
    return _("{size:.1f} MB", size=scaled / 1024)


LOD_HINT: Final = _("LOD: row of the slot matrix, 0 to 2")
GROUP_HINT: Final = _("Group: column of the slot matrix, 0 to 4")
LIFE_0: Final = _("Destroyed is life 0: only nodes with flag 0x0100 are drawn, in their last LOD.")


def is_terrain(document: Document | None) -> bool:
    """Tell whether a document is a terrain, which has no damage, no inside and no own view."""
    return document is not None and document.is_terrain


def names_of(document: Document | None) -> CellNames:
    """Return the names of LODs and groups in the reading of a model, by default with their meaning."""
    return cell_names.FIELD if document is None else document.cell_names


def lod_name(document: Document | None, lod: int) -> str:
    """Return the name of a row: ``LOD 1 - damaged``."""
    return _axis_names(names_of(document))[0][lod]


def group_name(document: Document | None, group: int) -> str:
    """Return the name of a column: ``group 2 - far``."""
    return _axis_names(names_of(document))[1][group]


@remembered
def _axis_names(names: CellNames) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of all rows and of all columns."""
    lods = (translated(names.lod(lod)) for lod in range(LOD_COUNT))
    return tuple(lods), tuple(translated(names.group(group)) for group in range(GROUP_COUNT))


def cell_name(document: Document | None, lod: int, group: int) -> str:
    """Return the name of a cell: ``LOD 1 - damaged, group 2 - far``."""
    return translated(names_of(document).cell(lod, group))


def cell_hint(document: Document | None, cell: Cell, count: int, *, is_own: bool) -> Iterator[str]:
    """Yield what a cell is, and what choosing it would show.

    Parameters
    ----------
    count
        Triangles that it would show.
    is_own
        Whether the model has geometry in the cell itself.
    """
    yield cell_name(document, *cell)
    yield counted(count, "{count} triangle", "{count} triangles") if count else _("no geometry")
    if count and not is_own:
        yield _("The cell is empty: other LODs and nearer groups are shown instead.")


def chosen_text(document: Document, view: ViewState) -> str:
    """Return which parts of a model a view shows."""
    return ", ".join(_chosen(document, view))


def _chosen(document: Document, view: ViewState) -> Iterator[str]:
    choice, drawn = view.parts, view.drawn
    yield _("destroyed") if choice.is_destroyed else lod_name(document, choice.lod)
    yield group_name(document, choice.group)
    if is_terrain(document):
        return
    if choice.group == OWN_VIEW and not drawn.is_own_view and choice.rule is CellRule.GAME:
        yield _("from outside")
    if drawn.has_auto_detail and not drawn.is_own_view and not document.is_in_seed_reading:
        yield _("chosen by size")
    if drawn.cutaway is not Cutaway.ALL:
        yield _("inside only") if drawn.cutaway is Cutaway.INSIDE else _("outside only")
