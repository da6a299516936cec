"""Mutants of a room of the program, and which of them its tests notice: ``python -m tests.mutation ROOM...``.

A mutant has one comparison, operator, constant, condition or result of a function changed. The tests of the
room are collected once, and each mutant is a copy of that process with the changed function in it, so that it
runs only those tests that call the function, those of its own module first, until one fails. mutmut and
cosmic-ray start pytest anew for every mutant, which takes twice as long here as most of them live.

``MSHVIEW_TESTS=whole`` tries all random examples and files, as ``make test-long`` does.
"""

from __future__ import annotations

import argparse
import ast
import gc
import os
import random
import signal
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any, Final

import pytest

from tests.share import IS_WHOLE

PATIENCE: Final = 120
"""Seconds after which a mutant that does not come to an end counts as noticed."""
Cached: Final = type(lru_cache(ast.parse))
COMPARISONS: Final = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
OPERATORS: Final = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.FloorDiv: ast.Mult, ast.Div: ast.Mult,
    ast.Mod: ast.Add, ast.LShift: ast.RShift, ast.RShift: ast.LShift, ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """One change of one function."""

    path: str
    function: str
    line: int
    words: str
    code: CodeType


Site = tuple[Path, int, int]
"""A file, a node of it as `ast.walk` counts them, and one of its changes."""


def sites(path: Path) -> Iterator[Site]:
    """Where a file can be changed: inside its functions."""
    tree = ast.parse(path.read_text("utf-8"))
    inside = {
        id(node)
        for it in ast.walk(tree)
        if isinstance(it, ast.FunctionDef)
        for part in it.body
        for node in ast.walk(part)
    }
    for number, node in enumerate(ast.walk(tree)):
        if id(node) in inside:
            yield from ((path, number, change) for change, _ in enumerate(changes(node)))


def mutant_of(site: Site, root: Path) -> Mutant | None:
    """The mutant of a place; None if no function can be replaced by it."""
    path, number, change = site
    tree = ast.parse(path.read_text("utf-8"))
    place: Any = next(it for at, it in enumerate(ast.walk(tree)) if at == number)
    changed, line = [*changes(place)][change], place.lineno
    words = f"{ast.unparse(place)[:60]} -> {ast.unparse(changed)[:60]}".replace("\n", " ")
    place.__class__ = type(changed)
    place.__dict__.update(changed.__dict__)
    code = compile(ast.fix_missing_locations(tree), str(path), "exec", dont_inherit=True)
    around = (it for it in functions(code) if it.co_firstlineno <= line <= last_line(it))
    return next((Mutant(str(path.relative_to(root)), it.co_qualname, line, words, it) for it in around), None)


def changes(node: ast.AST) -> Iterator[ast.AST]:
    """What takes the place of a node."""
    match node:
        case ast.Compare(ops=[operator]) if type(operator) in COMPARISONS:
            yield ast.Compare(node.left, [COMPARISONS[type(operator)]()], node.comparators)
        case ast.BinOp(op=operator) if type(operator) in OPERATORS:
            yield ast.BinOp(node.left, OPERATORS[type(operator)](), node.right)
        case ast.BoolOp(op=operator):
            yield ast.BoolOp(ast.Or() if isinstance(operator, ast.And) else ast.And(), node.values)
        case ast.Constant(value=int() as value) if not isinstance(value, bool):
            yield ast.Constant(value + 1)
        case ast.Constant(value=bool() as value):
            yield ast.Constant(not value)
        case ast.If():
            yield ast.If(ast.UnaryOp(ast.Not(), node.test), node.body, node.orelse)
        case ast.Return(value=ast.expr() as value) if (
            not isinstance(value, ast.Constant) or value.value is not None
        ):
            yield ast.Return(ast.Constant(None))


def functions(code: CodeType) -> Iterator[CodeType]:
    """The functions and methods in a module or a class."""
    for it in code.co_consts:
        if isinstance(it, CodeType):
            is_class = not it.co_flags & 0x2  # CO_NEWLOCALS: a function has locals of its own
            yield from functions(it) if is_class else (it,)


def last_line(code: CodeType) -> int:
    """The last line of a function."""
    lines = [line for _, _, line in code.co_lines() if line]
    inner = [last_line(it) for it in code.co_consts if isinstance(it, CodeType)]
    return max((*lines, *inner), default=code.co_firstlineno)


class Trial:
    """Tries mutants on the collected tests in place of running these; a plugin of pytest."""

    def __init__(self, tried: list[Mutant]) -> None:
        self.tried = tried
        self.calls: dict[tuple[str, str, int], list[int]] = defaultdict(list)
        self.noticed: list[bool] = []

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Find which tests call what, then let each mutant run those."""
        gc.unfreeze()  # what is frozen is not found
        self.note_calls(session)
        assert not session.testsfailed, "the tests fail without any change"
        for mutant in self.tried:
            key = str(session.config.rootpath / mutant.path), mutant.function, mutant.code.co_firstlineno
            chosen = [session.items[at] for at in self.calls[key]]
            mirror = f"test_{Path(mutant.path).name}"
            chosen.sort(key=lambda it: it.path.name != mirror)
            self.noticed.append(self.is_noticed(session, mutant, chosen))
            told = "noticed " if self.noticed[-1] else "SURVIVES" if chosen else "UNCALLED"
            tell(f"{told} {mutant.path}:{mutant.line} {mutant.function}: {mutant.words}")
        return True

    def note_calls(self, session: pytest.Session) -> None:
        """Run all tests once, noting the functions that each calls."""
        wanted = {str(session.config.rootpath / it.path) for it in self.tried}
        for at, item in enumerate(session.items):
            called: set[CodeType] = set()

            def note(frame: FrameType, _event: str, _argument: Any, called: set[CodeType] = called) -> None:
                called.add(frame.f_code)

            sys.setprofile(note)
            run(item, [*session.items, None][at + 1])
            sys.setprofile(None)
            for code in called:
                if code.co_filename in wanted:
                    self.calls[code.co_filename, code.co_qualname, code.co_firstlineno].append(at)

    def is_noticed(self, session: pytest.Session, mutant: Mutant, chosen: list[pytest.Item]) -> bool:
        """Whether a test fails in a copy of this process that has the changed function."""
        child = os.fork()
        if child:
            return os.waitpid(child, 0)[1] != 0
        signal.alarm(PATIENCE)
        session.config.pluginmanager.unregister(name="terminalreporter")
        try:
            put_in(mutant, session.config.rootpath)
            for item, following in zip(chosen, [*chosen[1:], None], strict=True):
                run(item, following)
                if session.testsfailed:
                    os._exit(1)
        except BaseException:  # noqa: BLE001 whatever the mutant raises
            os._exit(2)
        os._exit(0)


def tell(line: str) -> None:
    """Print a line at once: a run takes long."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def run(item: pytest.Item, following: pytest.Item | None) -> None:
    """Run one test, and leave what the following one needs."""
    item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)


def put_in(mutant: Mutant, root: Path) -> None:
    """Change the function in this process."""
    path = str(root / mutant.path)
    for it in gc.get_objects():
        if isinstance(it, Cached) and it.__wrapped__.__code__.co_filename == path:
            it.cache_clear()  # the tests have filled it
        if isinstance(it, FunctionType) and it.__code__.co_filename == path:
            code = it.__code__
            same = code.co_qualname == mutant.function and code.co_firstlineno == mutant.code.co_firstlineno
            if same and code.co_freevars == mutant.code.co_freevars:
                it.__code__ = mutant.code


def tests_of(room: Path) -> str:
    """The tests of a folder of the program, or of the folder of a file."""
    folder = room.parent if room.suffix else room
    return f"tests/{folder.relative_to('viewer')}"


def main() -> int:
    """Try a random sample, the same for the same seed."""
    parser = argparse.ArgumentParser(prog="tests.mutation", description=__doc__.partition("\n")[0])
    parser.add_argument("rooms", nargs="+", help="a folder or file of the program, such as viewer/model/mesh")
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--only", nargs="+", metavar="FILE:LINE", help="of the sample those there, to try them again"
    )
    parser.add_argument("--tests", nargs="+", help="instead of those of the rooms")
    given = parser.parse_args()
    root = Path.cwd()
    rooms = [root / room for room in given.rooms]
    paths = [it for room in rooms for it in ([room] if room.is_file() else sorted(room.rglob("*.py")))]
    places = [place for path in paths for place in sites(path)]
    chosen = random.Random(given.seed).sample(places, min(given.count, len(places)))
    made = [it for place in sorted(chosen) if (it := mutant_of(place, root))]
    trial = Trial([it for it in made if not given.only or f"{it.path}:{it.line}" in given.only])
    tests = given.tests or [tests_of(Path(room)) for room in given.rooms]
    whole = ["-m", ""] if IS_WHOLE else []
    status = pytest.main(["-q", "-n0", "-p", "no:cacheprovider", "--timeout=0", *whole, *tests], [trial])
    tell(f"{sum(trial.noticed)} of {len(trial.noticed)} mutants are noticed; {len(places)} places")
    return int(status)


if __name__ == "__main__":
    sys.exit(main())
