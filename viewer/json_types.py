"""Types of what is written as JSON: an answer is a class, whose fields are the members of its document.

Its text (`model/kinds/json_text`), its JSON Schema (`cli/schemas`), the columns and headings of its rows
follow from the fields. A field that is `UNSET` is left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, TypeVar

from msgspec import UNSET, Meta, Struct

Row = TypeVar("Row")

Natural = Annotated[int, Meta(ge=0)]
U32 = Annotated[int, Meta(ge=0, le=0xFFFFFFFF)]
Hex = Annotated[str, Meta(pattern="^([0-9a-f]{2})*$")]
FieldValue = Annotated[Any, Meta(extra_json_schema={"$ref": "#/$defs/value"})]
"""A value of any field, as ``inspect`` prints it."""
Sha256 = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Number = float | np.floating[Any]
    Pair = Sequence[Number] | npt.NDArray[Any]
    Vector = Sequence[Number] | npt.NDArray[Any]
    Quaternion = Sequence[Number] | npt.NDArray[Any]
    Matrix = Sequence[Number] | npt.NDArray[Any]
    Rows = Sequence[Row] | Sequence[Mapping[str, Any]]
else:
    # What a schema says of them: rows, for one, are written as the class says, however they are stored.
    Number = float | Literal["nan", "inf", "-inf"]
    """A float: the shortest text of its binary32 value, or one of three texts."""
    Pair, Vector, Quaternion, Matrix = (
        Annotated[Sequence[Number], Meta(min_length=count, max_length=count)] for count in (2, 3, 4, 16)
    )
    Rows = Sequence


class JsonObject(Struct, frozen=True, forbid_unknown_fields=True):
    """An object inside an answer, which has no other members."""

    @classmethod
    def of(cls, value: object, **others: Any) -> Self:
        """The object of a value: `others`, and attributes of the value for all other members."""
        own = {name: getattr(value, name) for name in cls.__struct_fields__ if name not in others}
        return cls(**own, **others)


class TableRow(JsonObject, frozen=True):
    """A row that is also printed as text: the names of its members are headings, which are translated."""


def members(value: Struct) -> dict[str, Any]:
    """The members of an answer or of an object in it by their names, without those that are left out."""
    named = zip(value.__struct_encode_fields__, value.__struct_fields__, strict=True)
    found = ((name, getattr(value, field)) for name, field in named)
    return {name: it for name, it in found if it is not UNSET}


def as_mapping(value: Struct | Mapping[str, Any]) -> Mapping[str, Any]:
    """An object of an answer by the names of its members."""
    return members(value) if isinstance(value, Struct) else value


def names_of(kind: type[Struct]) -> tuple[str, ...]:
    """The names of the members of a class."""
    return kind.__struct_encode_fields__


def described(text: str) -> Meta:
    """Annotation of a member for the JSON Schema."""
    return Meta(description=text)
