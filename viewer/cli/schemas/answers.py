"""The schema of what each verb prints as JSON: that of the class of its answer."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from itertools import chain
from typing import Any, Final, get_args, get_type_hints

from msgspec.json import schema_components

from viewer.cli.output import schema_name
from viewer.cli.schemas import inspection, typed
from viewer.cli.schemas.pieces import (
    DIALECT,
    FIELD_VALUE,
    TEXT,
    Schema,
    array,
    open_record,
    record,
    reference,
)
from viewer.cli.usage.parser import parser_of
from viewer.cli.usage.verbs import RESULTS, VERBS, module_of
from viewer.model.patch import patch
from viewer.model.write import unpacked_folder
from viewer.operations.mods.manifest import ModManifest

FAILURE: Final = open_record({"error": TEXT})
"""Schema of the answer of any verb that fails as a whole, with ``--json``."""


def schema(verb: str, *, can_fail: bool = True) -> Schema:
    """Return the schema of the documents of a verb.

    Parameters
    ----------
    can_fail
        Whether it prints an error as a document too; what it writes to files is always whole.
    """
    definitions = _OTHERS[verb]() if verb in _OTHERS else of_classes(*_classes(verb))
    content = reference("answer")
    if RESULTS in parser_of(verb).options:
        definitions["results"] = _results()
        content = {"if": {"required": ["results"]}, "then": reference("results"), "else": content}
    if can_fail:
        content = {"if": {"required": ["error"]}, "then": FAILURE, "else": content}
    return {
        "$schema": DIALECT,
        "title": schema_name(verb),
        "description": VERBS[verb].summary,
        "type": "object",
        "properties": {"schema": _name(verb)},
        "required": ["schema"],
        "allOf": [content],
        "unevaluatedProperties": False,
        "$defs": definitions,
    }


def _classes(verb: str) -> tuple[type, ...]:
    """The classes of the answers of a verb, of which each document is one."""
    found: Any = vars(module_of(verb))["ANSWER"]
    return found if isinstance(found, tuple) else (found,)


def _name(verb: str) -> Schema:
    """Schema of the names that documents of a verb have: that of the verb, and of a class with its own."""
    own = () if verb in _OTHERS else (get_type_hints(kind).get("schema") for kind in _classes(verb))
    names = [*dict.fromkeys((schema_name(verb), *chain.from_iterable(map(get_args, own))))]
    return {"const": names[0]} if len(names) == 1 else {"enum": names}


def of_classes(*kinds: type) -> dict[str, Schema]:
    """Return the definitions of classes, and their own as ``answer``."""
    found, definitions = schema_components(kinds)
    made = {"answer": found[0] if len(found) == 1 else {"oneOf": [*found]}, **definitions}
    has_values = json.dumps(reference("value")) in json.dumps(made)
    return {**made, "value": FIELD_VALUE} if has_values else made


def _results() -> Schema:
    """Schema of a list of answers by input; an error in place of one that fails."""
    found = {
        "type": "object",
        "properties": {"source": TEXT},
        "required": ["source"],
        "allOf": [reference("answer")],
        "unevaluatedProperties": False,
    }
    failed = record({"source": TEXT, "error": TEXT})
    return open_record({"results": array({"if": {"required": ["error"]}, "then": failed, "else": found})})


def _extract() -> dict[str, Schema]:
    version = {"const": unpacked_folder.VERSION}
    return {"answer": typed.document(unpacked_folder.FolderIndex, version=version)}


def _patch() -> dict[str, Schema]:
    form, version = {"const": patch.FORMAT}, {"const": patch.VERSION}
    return {"answer": typed.document(patch.Patch, format=form, version=version), "value": FIELD_VALUE}


def _mod() -> dict[str, Schema]:
    """Answers about mods, and their manifests, whose members are others."""
    definitions = of_classes(*_classes("mod"))
    answer = {"oneOf": [*definitions["answer"]["oneOf"], typed.document(ModManifest)]}
    return {**definitions, "answer": answer}


_OTHERS: Final[Mapping[str, Callable[[], dict[str, Schema]]]] = {
    "inspect": inspection.definitions,
    "extract": _extract,
    "patch": _patch,
    "mod": _mod,
}
"""Definitions of verbs whose JSON follows from the formats, or is read as well."""
