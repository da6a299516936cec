"""House rules that no linter checks."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.corpora import ROOT
from tests.sources import parse, sources, statements, text

VIEWER = ROOT / "viewer"

TOP_LEVEL = {
    ".ci",
    ".gitattributes",
    ".github",
    ".gitignore",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "LICENSE",
    "Makefile",
    "README.md",
    "assets",
    "docs",
    "mshview",
    "packaging",
    "pyproject.toml",
    "requirements.lock",
    "shaders",
    "tests",
    "viewer",
}
VAGUE = {"utils", "util", "common", "helpers", "helper", "manager", "misc"}
ALLOWED_IN = {
    "moderngl": ("viewer/render/", "viewer/app/"),
    "moderngl_window": ("viewer/render/", "viewer/app/"),
    "glfw": ("viewer/app/",),
    "imgui_bundle": ("viewer/ui/", "viewer/app/"),
    "pyrr": ("viewer/geometry/transforms.py",),
}
STREAMS = {"stdout", "stderr", "__stdout__", "__stderr__", "displayhook"}
WRITES = re.compile(r"stdout|stderr|displayhook|print|breakpoint|os\.write")
"""What stands in every module that could write to a standard stream."""
# A machine's own folders and the hosts of package registries, spelled so that this file does not hold them.
FOREIGN = re.compile(
    rb"(?<![\w.])/(?:home|root|work|opt|Users)/\w|[A-Z]:\\Users|py"
    rb"pi\.org|python"
    rb"hosted\.org|np"
    rb"mjs\."
)

# Runs the command line and fails if that loaded a library that only pictures need.
PROBE = """
import sys
from viewer.cli.main import main

try:
    main(sys.argv[1:])
except SystemExit:
    pass
graphics = {"moderngl", "moderngl_window", "imgui_bundle", "glfw", "pyglet", "PIL"} & set(sys.modules)
sys.exit(f"imported: {graphics}" if graphics else 0)
"""


def tracked() -> list[Path]:
    """Every file under version control, or none outside a checkout."""
    try:
        listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    except (FileNotFoundError, subprocess.CalledProcessError):
        return []
    names = (name for name in listing.stdout.decode().split("\0") if name)
    return [ROOT / name for name in names if (ROOT / name).is_file()]


def imported(tree: ast.Module) -> Iterator[str]:
    """Top-level packages that a module imports, wherever it does so."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.split(".")[0]


def code_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of a function from ``def`` to its end, the docstring left out."""
    lines = (function.end_lineno or function.lineno) - function.lineno + 1
    if ast.get_docstring(function) is not None:
        docstring = function.body[0]
        lines -= (docstring.end_lineno or docstring.lineno) - docstring.lineno + 1
    return lines


def test_top_level_is_the_house() -> None:
    names = {path.relative_to(ROOT).parts[0] for path in tracked()}
    assert names <= TOP_LEVEL


def test_files_are_short() -> None:
    lengths = {name: text(name).count("\n") for name in sources("viewer", "assets", "tests")}
    assert not {name: lines for name, lines in lengths.items() if lines > 450}


def test_functions_are_short() -> None:
    trees = [parse(name) for name in sources("viewer", "assets")]
    lengths = sorted(code_lines(it) for it in statements(trees) if isinstance(it, ast.FunctionDef))
    assert lengths[len(lengths) // 2] < 8
    assert lengths[len(lengths) * 9 // 10] < 35


def test_names_say_something() -> None:
    assert not [name for name in sources("viewer") if VAGUE & set(Path(name).with_suffix("").parts)]


@pytest.mark.parametrize("top", ["viewer", "tests"])
def test_a_class_name_means_one_thing(top: str) -> None:
    """Only modules with a line that begins like the class of another one are parsed."""
    lines = {name: re.findall(r"^\s*class (\w+)", text(name), re.MULTILINE) for name in sources(top)}
    seen = Counter(name for found in lines.values() for name in found)
    suspects = [name for name, found in lines.items() if any(seen[it] > 1 for it in found)]
    names = Counter(it.name for it in statements(map(parse, suspects)) if isinstance(it, ast.ClassDef))
    assert not [name for name, count in names.items() if count > 1]


def test_docstrings_name_the_thing() -> None:
    """A first line is a noun or what is done, not the clause that a sentence would have about it."""
    clause = re.compile(r'^\s*"""(?:What|How|Where|When|Which|Who|Why)\b.*', re.MULTILINE)
    found = {name: clause.findall(text(name)) for name in sources("mshview", "viewer")}
    assert not {name: lines for name, lines in found.items() if lines}


def test_package_inits_are_docstrings() -> None:
    trees = {name: parse(name) for name in sources("viewer", pattern="__init__.py")}
    assert not [name for name, tree in trees.items() if not ast.get_docstring(tree) or len(tree.body) != 1]


def test_every_folder_is_a_package() -> None:
    folders = {path.parent for path in VIEWER.rglob("*.py")}
    assert not {folder for folder in folders if not (folder / "__init__.py").is_file()}


@pytest.mark.parametrize("package", ["mshview", "viewer"])
def test_no_imports_form_a_circle(package: str) -> None:
    """An import in a function may wait for what is heavy, not for the module that imports this one."""
    grimp = pytest.importorskip("grimp", reason="the linter of imports is not installed")
    graph = grimp.build_graph(package, exclude_type_checking_imports=True, cache_dir=None)
    order = TopologicalSorter({it: graph.find_modules_directly_imported_by(it) for it in graph.modules})
    try:
        order.prepare()
    except CycleError as error:
        pytest.fail(" <- ".join(error.args[1]))


def test_formats_state_source_and_status() -> None:
    modules = [name for name in sources("viewer/formats") if not name.endswith("__init__.py")]
    docstrings = {name: ast.get_docstring(parse(name)) or "" for name in modules}
    for line in ("Source", "Status"):
        pattern = re.compile(rf"^{line}: \S", re.MULTILINE)
        assert not [name for name, docstring in docstrings.items() if not pattern.search(docstring)], line


def test_libraries_are_imported_only_where_they_live() -> None:
    named = [name for name in sources("viewer") if any(library in text(name) for library in ALLOWED_IN)]
    imports = [(name, library) for name in named for library in set(imported(parse(name)))]
    assert {library for _, library in imports} >= set(ALLOWED_IN)
    assert not [
        f"{name} imports {library}"
        for name, library in imports
        if library in ALLOWED_IN and not name.startswith(ALLOWED_IN[library])
    ]


def test_stream_uses_are_found() -> None:
    code = "import os, sys\nfrom sys import stderr\nsys.stdout.write('')\nprint()\nos.write(1, b'')"
    assert set(stream_uses(ast.parse(code))) == {"stderr", "sys.stdout", "print", "os.write"}


def test_one_module_writes_to_the_streams() -> None:
    """Everything printed is escaped there, so that no name in a file acts on a terminal."""
    named = [name for name in sources("viewer") if WRITES.search(text(name))]
    found = {name: sorted(set(stream_uses(parse(name)))) for name in named}
    assert {name for name, uses in found.items() if uses} == {"viewer/cli/output.py"}


def stream_uses(tree: ast.Module) -> Iterator[str]:
    """Names in a module with which it could write to a standard stream."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            is_stream = node.value.id == "sys" and node.attr in STREAMS
            is_low = (node.value.id, node.attr) in {("os", "write"), ("traceback", "print_exc")}
            if is_stream or is_low:
                yield f"{node.value.id}.{node.attr}"
        elif isinstance(node, ast.Name) and node.id in {"print", "breakpoint"}:
            yield node.id
        elif isinstance(node, ast.ImportFrom) and node.module == "sys":
            yield from (alias.name for alias in node.names if alias.name in STREAMS)


def test_every_shader_is_loaded_by_name() -> None:
    """A shader that no module and no other shader names is dead code."""
    shaders = [path for path in (ROOT / "shaders").rglob("*") if path.is_file()]
    written = "".join(map(text, sources("viewer"))) + "".join(path.read_text("utf-8") for path in shaders)
    assert not {path.name for path in shaders if path.stem not in written}


@pytest.mark.parametrize("arguments", [["--help"], ["inspect", "--help"]])
def test_command_line_starts_without_graphics(arguments: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROBE, *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "usage" in done.stdout


LOCKED = re.compile(r"([a-z0-9-]+)==[\w.]+( ; [^:]+?)?(( \\\n    --hash=sha256:[0-9a-f]{64})+)")


@pytest.mark.parametrize(("name", "extras"), [("", ["dev"]), ("packaging/", ["bundle"])])
def test_lock_pins_every_dependency_with_hashes_and_holds_no_address(name: str, extras: list[str]) -> None:
    lock = text(f"{name}requirements.lock")
    project = tomllib.loads(text("pyproject.toml"))["project"]
    requested = [
        *project["dependencies"],
        *(it for key in extras for it in project["optional-dependencies"][key]),
    ]
    names = {re.match(r"[\w-]+", requirement).group() for requirement in requested}  # type: ignore[union-attr]
    found = [*LOCKED.finditer(lock)]
    assert "\n".join(it.group() for it in found) + "\n" == lock
    assert names <= {it[1] for it in found}


def test_workflows_name_their_actions_by_commit() -> None:
    """A tag can be moved to other code."""
    used = [
        line
        for path in (ROOT / ".github").rglob("*.yml")
        for line in path.read_text().splitlines()
        if "uses:" in line
    ]
    assert used
    assert not [line for line in used if not re.search(r"uses: [\w./-]+@[0-9a-f]{40} # v[\d.]+$", line)]


def test_nothing_is_installed_for_a_release_without_a_hash() -> None:
    """Neither by pip nor by the environment that it makes to build a package."""
    files = [*(ROOT / ".github" / "workflows").glob("*.yml"), ROOT / "packaging" / "bundle"]
    lines = [line for path in files for line in path.read_text().splitlines()]
    installed = [line for line in lines if re.search(r"pip install|-m build\b|pipx|uv run", line)]
    assert len(installed) >= 5
    locked = r"--requirement (packaging/)?requirements\.lock$"
    own = r"--no-deps --no-build-isolation (--editable )?\.$"
    for line in installed:
        assert re.search(f"{locked}|{own}", line)
    for lock in (ROOT / "requirements.lock", ROOT / "packaging" / "requirements.lock"):
        wanted = re.split(r"^(?=\S)", lock.read_text(), flags=re.MULTILINE)[1:]
        assert all("--hash=sha256:" in it for it in wanted), "pip refuses all without a hash if one has one"
        assert {"hatchling", "babel"} <= {it.split("==")[0] for it in wanted}


def test_no_file_names_a_machine_or_a_registry() -> None:
    found = {path.relative_to(ROOT).as_posix(): FOREIGN.search(path.read_bytes()) for path in tracked()}
    assert not {name: match.group() for name, match in found.items() if match}


PAGES = ["README.md", "CONTRIBUTING.md", *(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("page", PAGES)
def test_links_of_pages_lead_somewhere(page: str) -> None:
    links = re.findall(r"\]\(([^)#]+)\)", text(page))
    folder = (ROOT / page).parent
    assert not [link for link in links if "://" not in link and not (folder / link).is_file()]


@pytest.mark.parametrize("page", PAGES)
def test_pages_name_files_that_exist(page: str) -> None:
    named = set(re.findall(r"\b(?:assets|shaders|tests|viewer)/[\w./]*[\w/]", text(page)))
    assert not [name for name in named if "NAME" not in name and not (ROOT / name).exists()]


def test_the_drawing_of_the_house_has_every_room() -> None:
    """The rooms are folders of `viewer`, in the drawing of CONTRIBUTING.md."""
    drawn = set(re.findall(r"[\w/]+(?=/)", text("CONTRIBUTING.md").split("```")[3]))
    rooms = {path.parent.name for path in [*VIEWER.glob("*/__init__.py"), *VIEWER.glob("*/*/__init__.py")]}
    assert {room for name in drawn for room in name.split("/")} >= rooms


@pytest.mark.skipif(os.name != "posix", reason="other systems have no SIGINT to send")
def test_the_suite_runs_where_signals_are_ignored() -> None:
    """A script that starts ``make test &`` has SIGINT ignored by all that it starts, ``nohup`` SIGHUP."""
    one = "tests/cli/test_interruption.py::test_an_interruption_in_a_callback_is_quiet"
    ignoring = f"trap '' INT HUP; exec {sys.executable} -m pytest -q -p no:cacheprovider -n 0 {one}"
    done = subprocess.run(
        ["/bin/sh", "-c", ignoring], cwd=ROOT, capture_output=True, text=True, check=False, timeout=120
    )
    assert "1 passed" in done.stdout


def test_every_test_has_a_limit(pytestconfig: pytest.Config) -> None:
    assert 0 < float(pytestconfig.getini("timeout")) <= 600
