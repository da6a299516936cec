"""Brings the catalogues up to date with the texts of the program, and lists what is missing: `make texts`."""

from __future__ import annotations

import ast
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Final

from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po, write_po

import viewer.formats
from viewer.formats.fxid import COMMAND_KINDS
from viewer.formats.record import Field, Record
from viewer.model.material.materials import Blend

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parents[1]
PLURAL: Final = {"ngettext": 0, "counted": 1}
"""The calls that hold both forms of a text, and where the first one stands among their arguments."""
PLACES: Final = {
    **dict.fromkeys(
        (
            "_",
            "translated",
            "refusal",
            "finding",
            "failure",
            "info",
            "problem",
            "add_argument_group",
            "lose",
            "note",
            "MissingResource",
            "TraceStep",
        ),
        0,
    ),
    **dict.fromkeys(("FormatError", "AddressError", "OutputError", "UsageError", "ArgumentTypeError"), 0),
    **dict.fromkeys(("MshviewError", "DamagedIndexError", "EditError", "ConflictError"), 0),
    **dict.fromkeys(
        ("change", "repairs", "add_forms", "add_addresses", "add_hour", "JsonFault", "_overlap"), 1
    ),
    **dict.fromkeys(("wrong", "_unexpected", "_of_kind", "in_rows", "of_subjects"), 1),
    **dict.fromkeys(("Diagnostic", "add_out", "in_joined", "ItemFinder", "ManyFiles"), 2),
    "add_paths": 1,
    "too_many": 0,
    "ranges_beyond": 5,
    "Typed": 0,
    "_rows": 3,
    **dict.fromkeys(("row_findings",), 4),
}
"""The calls that hold a text, and where it stands among their arguments."""
SHOWN: Final = (
    "Aspect", "ChangeKind", "EntryState", "FoundIn", "Movement", "Outcome", "Reason", "Severity", "Status",
    "Variant",
)  # fmt: skip
"""Enumerations whose values are texts."""
ROW: Final = "TableRow"
"""The class of rows whose members are headings."""
DOC: Final = re.compile(r"[A-Z0-9][^\n`]* [^\n`]*\.")
"""A sentence in a declaration, which is no docstring."""
AMBIGUOUS: Final = {"add": 0, "wrong": 2}
"""Further calls that hold one if it has several words."""
WIDTH: Final = 110
LEAVES: Final = (ast.Name, ast.Constant, ast.expr_context, ast.operator, ast.alias)
"""Nodes without calls below them."""


def main() -> None:
    """Write the catalogues and print how much of each is translated, by the folders of the texts."""
    texts = extracted(parsed())
    for path in sorted(HERE.glob("*.po")):
        known = read_po(io.BytesIO(path.read_bytes()), locale=path.stem)
        texts.creation_date = known.creation_date  # the same texts give the same file
        known.update(texts, no_fuzzy_matching=True)
        known.fuzzy = False
        buffer = io.BytesIO()
        write_po(buffer, known, width=WIDTH, no_location=True, sort_output=True, ignore_obsolete=True)
        if path.read_bytes() != buffer.getvalue():
            path.write_bytes(buffer.getvalue())
        report(path.stem, known)


def parsed() -> Iterator[tuple[str, ast.Module]]:
    """Yield the modules of the program by their paths in it."""
    for path in sorted((ROOT / "viewer").rglob("*.py")):
        yield path.relative_to(ROOT / "viewer").as_posix(), ast.parse(path.read_bytes())


def extracted(modules: Iterable[tuple[str, ast.Module]]) -> Catalog:
    """All texts of the program, with where each stands."""
    catalog = Catalog(project="mshview")
    for name, module in modules:
        for call, scope in calls(module):
            for text in texts_of(call, (scope, module)):
                catalog.add(text, locations=[(name, call.lineno)])
        for line, text in headings(module):
            catalog.add(text, locations=[(name, line)])
        for shown in (it for it in module.body if isinstance(it, ast.ClassDef) and it.name in SHOWN):
            for value in (it.value for it in shown.body if isinstance(it, ast.Assign)):
                for text in literals(value, ()):
                    catalog.add(text, locations=[(name, value.lineno)])
    for text in (*of_formats(), *(blend.label for blend in Blend)):
        catalog.add(text, locations=[("formats", 0)])
    return catalog


def headings(module: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the names of the members of rows that text shows, each with its line."""
    for kind in (it for it in module.body if isinstance(it, ast.ClassDef)):
        if any(isinstance(it, ast.Name) and it.id == ROW for it in kind.bases):
            for it in (it for it in kind.body if isinstance(it, ast.AnnAssign)):
                named = it.value.keywords if isinstance(it.value, ast.Call) else ()
                given = (word.value for word in named if word.arg == "name")
                yield it.lineno, next((str(ast.literal_eval(name)) for name in given), ast.unparse(it.target))


def of_formats() -> Iterator[str]:
    """Yield what the declarations of the formats say: of records, fields, flags, values and parts."""
    modules = [import_module(it.name) for it in walk_packages(viewer.formats.__path__, "viewer.formats.")]
    declared = [it for module in modules for it in vars(module).values()]
    declared += (kind.record for kind in COMMAND_KINDS.values())
    for field in (field for it in declared for field in fields_of(it)):
        texts = [text for it in field.bits for text in (it.name, it.doc, it.unit, *it.values.values())]
        texts += (text for names in field.components.values() for text in names if len(text) > 1)
        texts += (field.doc, field.unit or "", *field.flags.values(), *field.values.values())
        yield from filter(None, texts)
    for module in modules:
        for node in inside(ast.parse(Path(str(module.__file__)).read_bytes())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and DOC.fullmatch(node.value):
                yield node.value


def fields_of(declared: object) -> Iterator[Field]:
    """Yield the fields of a record, or of a tuple that records have in common."""
    fields = declared.fields if isinstance(declared, Record) else declared
    yield from (it for it in (fields if isinstance(fields, tuple) else ()) if isinstance(it, Field))


def calls(module: ast.Module) -> Iterator[tuple[ast.Call, ast.Module | ast.FunctionDef]]:
    """Yield the calls of a module, each with the function that it is in, or the module.

    Those of decorators and defaults are in the function, and in what is around it.
    """
    waiting: list[tuple[ast.AST, ast.Module | ast.FunctionDef]] = [(module, module)]
    while waiting:
        node, scope = waiting.pop()
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Call):
                yield child, scope
            if isinstance(child, ast.FunctionDef):
                waiting.append((child, child))
                waiting.append((ast.Tuple([*child.decorator_list, *child.args.defaults]), scope))
            elif not isinstance(child, LEAVES):
                waiting.append((child, scope))


def texts_of(call: ast.Call, scopes: Sequence[ast.AST]) -> Iterator[str | tuple[str, str]]:
    """Yield the texts that a call holds."""
    name = called(call)
    if name in PLURAL:
        forms = [it for node in call.args[PLURAL[name] :][:2] for it in literals(node, ())]
        yield from [(forms[0], forms[1])] if len(forms) == 2 else []
    if name in PLACES:
        for node in call.args[PLACES[name] :][:1]:
            yield from literals(node, scopes)
    if name in AMBIGUOUS:
        for node in call.args[AMBIGUOUS[name] :][:1]:
            yield from (it for it in literals(node, scopes) if " " in it)
    is_words = {it.arg: name == "change" and it.arg not in ("icon", "menu", "typed") for it in call.keywords}
    named = [it.value for it in call.keywords if it.arg == "help" or is_words[it.arg]]
    for node in [*named, *of_verb(call)] if name == "Verb" else named:
        yield from literals(node, scopes)


def of_verb(call: ast.Call) -> Iterator[ast.expr]:
    """Yield the summary of a verb, what its examples do, and what its exit status 1 means."""
    for node in call.args[1:]:
        pairs = node.elts if isinstance(node, ast.Tuple) else ()
        yield from (pair.elts[1] for pair in pairs if isinstance(pair, ast.Tuple)) if pairs else (node,)


def called(call: ast.Call) -> str:
    """The name of what is called; `Text` and `Text.of` are as `_`."""
    function = call.func
    name = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
    is_text = name == "Text" or (name == "of" and ast.unparse(function) == "Text.of")
    return "_" if is_text else name


def literals(node: ast.expr, scopes: Sequence[ast.AST]) -> Iterator[str]:
    """Yield the text of an expression, those of a choice, and those that a name has in some scopes."""
    if isinstance(node, ast.Lambda):
        yield from literals(node.body, scopes)
    elif isinstance(node, ast.IfExp):
        yield from literals(node.body, scopes)
        yield from literals(node.orelse, scopes)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value:
        yield node.value
    elif isinstance(node, ast.Name):
        for value in (it for scope in scopes for it in values_of(node.id, scope)):
            for it in inside(value):
                if isinstance(it, ast.Constant) and isinstance(it.value, str) and " " in it.value.strip():
                    yield it.value
                if isinstance(it, ast.Name) and (it is value or (it.id.startswith("_") and it.id.isupper())):
                    yield from literals(it, scopes if it.id != node.id else ())


def inside(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what is in an expression, and itself, without the parts of f-strings."""
    is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    if not (is_docstring or isinstance(node, ast.JoinedStr)):
        yield node
        for child in ast.iter_child_nodes(node):
            yield from inside(child)


def values_of(name: str, scope: ast.AST) -> Iterator[ast.expr]:
    """Yield what a name is set to in a module or function, or runs over."""
    for it in ast.walk(scope) if isinstance(scope, ast.FunctionDef) else ast.iter_child_nodes(scope):
        if isinstance(it, ast.Assign | ast.AnnAssign | ast.For):
            value = it.iter if isinstance(it, ast.For) else it.value
            targets = it.targets if isinstance(it, ast.Assign) else [it.target]
            names = (node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name))
            if value is not None and name in names:
                yield value


def report(language: str, catalog: Catalog) -> None:
    """Print how many texts of each folder are translated."""
    total, done = Counter[str](), Counter[str]()
    for message in catalog:
        if message.id:
            folder = "/".join(message.locations[0][0].split("/")[:2]) if message.locations else "?"
            total[folder] += 1
            done[folder] += is_translated(message)
    print(f"{language}: {done.total()} of {total.total()} texts")
    for folder, count in sorted(total.items()):
        if done[folder] < count:
            print(f"  {folder}: {count - done[folder]} of {count} missing")


def is_translated(message: Message) -> bool:
    """Whether a text has all its forms."""
    return all(message.string) if isinstance(message.string, tuple | list) else bool(message.string)


if __name__ == "__main__":
    main()
