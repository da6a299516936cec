"""Brings the catalogues up to date with the texts of the program, and lists what is missing: `make texts`."""

from __future__ import annotations

import ast
import io
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po, write_po

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parents[1]
PLURAL: Final = {"ngettext": 0, "counted": 1}
"""The calls that hold both forms of a text, and where the first one stands among their arguments."""
PLACES: Final = {
    "_": 0,
    **dict.fromkeys(("FormatError", "AddressError", "OutputError", "UsageError", "ArgumentTypeError"), 0),
    **dict.fromkeys(("refusal", "add_argument_group"), 0),
    **dict.fromkeys(("change", "repairs", "add_forms", "add_addresses"), 1),
    **dict.fromkeys(("Diagnostic", "add_out"), 2),
    "ChangeOption": 3,
}
"""The calls that hold a text, and where it stands among their arguments."""
WIDTH: Final = 110


def main() -> None:
    """Write the catalogues and print how much of each is translated, by the folders of the texts."""
    texts = extracted()
    for path in sorted(HERE.glob("*.po")):
        known = read_po(io.BytesIO(path.read_bytes()), locale=path.stem)
        known.update(texts, no_fuzzy_matching=True)
        known.fuzzy = False
        buffer = io.BytesIO()
        write_po(buffer, known, width=WIDTH, no_location=True, sort_output=True, ignore_obsolete=True)
        if path.read_bytes() != buffer.getvalue():
            path.write_bytes(buffer.getvalue())
        report(path.stem, known)


def extracted() -> Catalog:
    """All texts of the program, with where each stands."""
    catalog = Catalog(project="mshview")
    for path in sorted((ROOT / "viewer").rglob("*.py")):
        name = path.relative_to(ROOT / "viewer").as_posix()
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            for text in texts_of(call) if isinstance(call, ast.Call) else ():
                catalog.add(text, locations=[(name, call.lineno)])
    return catalog


def texts_of(call: ast.Call) -> Iterator[str | tuple[str, str]]:
    """Yield the texts that a call holds."""
    name = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
    if name in PLURAL:
        forms = [it for node in call.args[PLURAL[name] :][:2] for it in literals(node)]
        if len(forms) == 2:
            yield forms[0], forms[1]
    elif name in PLACES:
        for node in call.args[PLACES[name] :][:1]:
            yield from literals(node)
    elif name == "Verb":
        summary, examples, *found = call.args[1:]
        pairs = examples.elts if isinstance(examples, ast.Tuple) else []
        for node in (summary, *(pair.elts[1] for pair in pairs if isinstance(pair, ast.Tuple)), *found):
            yield from literals(node)
    for argument in call.keywords:
        if argument.arg == "help":
            yield from literals(argument.value)


def literals(node: ast.expr) -> Iterator[str]:
    """Yield the text of an expression, or both of a choice."""
    if isinstance(node, ast.IfExp):
        yield from literals(node.body)
        yield from literals(node.orelse)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value:
        yield node.value


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
