"""The declaration of what a user chooses of an export: once, at its field in `options.Options`.

The options of ``mshview export``, the arguments of `mshview.Resource.export`, the check boxes of the export
window and what the settings remember follow from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, NamedTuple, get_args, get_origin

from msgspec import Struct

from viewer.errors import FormatError, UsageError, suggestion
from viewer.translation import Text, _
from viewer.typed_json import types_of, usable


class ExportOption(Struct, frozen=True):
    """Option of a field of exports.

    Attributes
    ----------
    name
        The option of the shell: ``--cells``; a switch that turns the field off is called ``--no-...``.
    help
        What it does.
    parameter
        Its name in Python.
    metavar
        The placeholder of a number.
    words
        The values for off and on; empty for a switch.
    opposite
        The option that turns the field off, with its help; `name` turns it on then.
    title, hint
        The check box in the window, with its tooltip; no title for none.
    """

    name: str
    help: str
    parameter: str
    metavar: str | None = None
    words: tuple[str, ...] = ()
    opposite: tuple[str, str] | None = None
    title: Text | str = ""
    hint: Text | str = ""

    @property
    def turns_off(self) -> bool:
        """Whether it is a switch that turns the field off."""
        return self.name.startswith("--no-")


class DeclaredOption(NamedTuple):
    """A field with its type, alone and with the bounds of its values, and its option."""

    field: str
    kind: Any
    bounded: Any
    option: ExportOption


@cache
def export_options(kind: type) -> tuple[DeclaredOption, ...]:
    """The fields of a class that have an option, in their order."""
    found = []
    for name, hint in types_of(kind).items():
        own_kind = get_args(hint)[0] if get_origin(hint) is Annotated else hint
        found += [
            DeclaredOption(name, own_kind, hint, it)
            for it in get_args(hint)[1:]
            if isinstance(it, ExportOption)
        ]
    return tuple(found)


def checked(kind: type, given: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that arguments of Python set, by their names; raises `UsageError` for wrong ones."""
    known = {it.option.parameter: it for it in export_options(kind)}
    found: dict[str, Any] = {}
    for name, value in given.items():
        if name not in known:
            raise UsageError(_("is unknown here{hint}", hint=suggestion(name, known)), source=name)
        declared = known[name]
        try:
            found[declared.field] = usable(declared.bounded, value)[0]
        except FormatError as error:
            raise UsageError(error.message, source=name) from None
    return found
