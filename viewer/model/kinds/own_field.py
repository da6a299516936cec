"""A field as a user understands it: a name, a type and a meaning beside the declared ones."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from viewer.translation import _
from viewer.typed_json import Pattern

_SCALARS: Final[Mapping[str, str]] = {
    "u8": "u1", "i8": "i1", "u16": "<u2", "i16": "<i2", "u32": "<u4", "i32": "<i4",
    "u64": "<u8", "i64": "<i8", "f32": "<f4", "f64": "<f8",
}  # fmt: skip
"""The types by their names in the file, as numpy calls them."""
_TYPE: Final = Pattern(
    rf"({'|'.join(_SCALARS)})(\[[1-9][0-9]{{0,3}}\])?",
    _("is not a type such as {names}", names="u16, f32, i16[2]"),
)
LINE: Final = Pattern(r"[^\x00-\x1f\x7f]{0,1000}", _("is not up to 1,000 characters on one line"))
"""Texts of the user, which are shown in tooltips and tables."""
_NAME: Final = Pattern(r"[A-Za-z_][A-Za-z0-9_]{0,63}", _("is not a name of letters, digits and underscores"))


class OwnField(Struct, frozen=True):
    """A field as a user describes it.

    Parameters
    ----------
    format
        The format, as `ls` and `inspect` name it.
    table, field
        The table, ``blocks.keys`` for one in the rows of another, and the field in it, as declared.
    name
        The user's name for it.
    type
        The type that its bytes are read as; empty for the declared one.
    meaning, note
        What it means, and why.
    values
        Names of values, by the number in decimal digits.
    least, most
        The values that it has if the user is right; None for no limit.
    """

    format: str
    table: str
    field: str
    name: Annotated[str, _NAME]
    type: Annotated[str, _TYPE] | None = None
    meaning: Annotated[str, LINE] = ""
    note: Annotated[str, LINE] = ""
    values: Mapping[str, Annotated[str, LINE]] = MappingProxyType({})
    least: float | None = None
    most: float | None = None

    @property
    def sentence(self) -> str:
        """Its description by the user, on one line."""
        name = " ".join((self.name, f"({self.type})")) if self.type else self.name
        said = "; ".join(filter(None, (self.meaning.rstrip("."), self.note.rstrip("."))))
        return _("Yours: {name}: {said}.", name=name, said=said) if said else _("Yours: {name}.", name=name)

    @property
    def size(self) -> int | None:
        """Bytes of its type; None without one."""
        if self.type is None:
            return None
        scalar, _bracket, count = self.type.rstrip("]").partition("[")
        return np.dtype(_SCALARS[scalar]).itemsize * int(count or 1)

    @property
    def scalar(self) -> np.dtype[Any] | None:
        """The numbers of its type; None without one."""
        return None if self.type is None else np.dtype(_SCALARS[self.type.partition("[")[0]])

    def read(self, stored: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Stored values of some rows, (n, ...), as its type, (n,) or (n, count); the same without a type."""
        if self.type is None:
            return stored
        scalar, _bracket, _rest = self.type.partition("[")
        dtype = np.dtype(_SCALARS[scalar])
        # As bytes first: the type may have other sizes of numbers than the declared one, 4 bytes as i16[2].
        found = np.frombuffer(np.ascontiguousarray(stored).tobytes(), dtype).reshape(len(stored), -1)
        return found if "[" in self.type else found[:, 0]

    def fits(self, values: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        """Whether each of some read values is one that the user expects, (n,)."""
        flat = values.reshape(len(values), -1)
        least = -np.inf if self.least is None else self.least
        most = np.inf if self.most is None else self.most
        checks = [flat >= least, flat <= most]
        checks += [np.isfinite(flat)] if flat.dtype.kind == "f" else []
        checks += [np.isin(flat, [int(it) for it in self.values])] if self.values else []
        found: npt.NDArray[np.bool_] = np.all(checks, axis=(0, 2))
        return found
