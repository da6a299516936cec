"""CPython for Windows with the program under Wine, in one folder: ``environment.py FOLDER [LOCK]``.

For tests on the Windows API without a Windows machine. What runs is the official CPython and the win_amd64
wheels of a lock, ``requirements.lock`` by default, as they are. Made by hand are a python.exe and, in the
folder that stands for drive C, the calls that Wine 8 does not have: complex functions of the C library, for
numpy, and random bytes, for Rust.

Requires the Debian packages that ``make windows`` installs, a network, and to be run by Python 3.11, whose
standard library is copied. ``FOLDER/python`` is the Python of it, and ``FOLDER/ready`` says of which lock.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final
from zipfile import ZipFile

from packaging.requirements import Requirement

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parents[1]
VERSION: Final = (3, 11)
DLLS: Final = "panda3d==1.10.16"
"""A wheel that brings the DLLs of CPython 3.11.9 along, to deploy games with."""
LIBRARIES: Final = frozenset(
    {"libcrypto-3.dll", "libffi-8.dll", "libssl-3.dll", "python311.dll", "sqlite3.dll"}
)
"""Libraries that Python needs besides its modules."""
RUNTIME: Final = "msvc-runtime==14.44.35112"
"""Microsoft's C++ runtime: with Wine's own imgui-bundle gives objects of wrong classes."""
LEFT_OUT: Final = frozenset(
    {
        "ast-serialize",
        "execnet",
        "grimp",
        "import-linter",
        "librt",
        "mypy",
        "mypy-extensions",
        "pytest-xdist",
        "ruff",
    }
)
"""Packages that neither run nor test the program."""
WINDOWS: Final = {
    "os_name": "nt",
    "platform_machine": "AMD64",
    "platform_system": "Windows",
    "python_full_version": "3.11.9",
    "python_version": "3.11",
    "sys_platform": "win32",
}
"""Platform for which the markers of requirements are evaluated."""
TARGET: Final = (
    "--platform=win_amd64",
    "--python-version=3.11",
    "--implementation=cp",
    "--only-binary=:all:",
    "--no-deps",
    "--quiet",
    "--disable-pip-version-check",
)
MINGW: Final = "x86_64-w64-mingw32"
WITHOUT_START: Final = ("-shared", "-nostartfiles", "-Wl,--entry=0")
"""A DLL that only has functions."""
COMPLEX_TO_REAL: Final = frozenset({"cabs", "carg", "cimag", "creal"})
FUNCTIONS: Final = "acos acosh asin asinh atan atanh cos cosh exp log pow sin sinh sqrt tan tanh"
COMPLEX: Final = frozenset(f"c{name}" for name in FUNCTIONS.split())
IMPORTED: Final = re.compile(r"\t[0-9a-f]+\t\s*\d+\s+(\w+)$")
"""A line of ``objdump -p`` with an imported name."""
EXPORTED: Final = re.compile(r"^\t\[\s*\d+\] (\S+)$", re.MULTILINE)
"""A line of ``objdump -p`` with an exported name."""
BUILTIN: Final = b"Wine builtin DLL"
"""Mark of a DLL of Wine, which is loaded under its own name only."""
C_LIBRARY: Final = "ucrtbase"
OF_WINE: Final = "ucrtwine"
"""The name under which Wine's C library is kept, with ours in its place."""
OVERRIDES: Final = ";".join(
    (
        f"{C_LIBRARY},vcruntime140,vcruntime140_1,msvcp140,msvcp140_1,msvcp140_2,concrt140=n,b",
        "mscoree,mshtml=",
        "winemenubuilder.exe=d",
    )
)
"""Our C library and Microsoft's runtime instead of Wine's; no .NET, no browser, no entries in a menu here."""


def main() -> int:
    """Set it up in the folder of the first argument."""
    if sys.version_info[:2] != VERSION:
        print(
            "mshview: the environment is made by Python 3.11, whose standard library it uses", file=sys.stderr
        )
        return 1
    folder = Path(sys.argv[1]).resolve()
    lock = Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT / "requirements.lock"
    python, ready = folder / "py", folder / "ready"
    if ready.exists() and ready.read_bytes() == lock.read_bytes():
        _put_program(folder, python)
        return 0
    shutil.rmtree(folder, ignore_errors=True)
    for name in ("DLLs", "Lib/site-packages"):
        (python / name).mkdir(parents=True)
    (folder / "home").mkdir()
    _put_python(folder, python)
    _put_wheels(folder, python, lock)
    _make_python(folder / "shims", python)
    _write_starter(folder, python)
    _begin(folder)
    _fill(folder / "shims", folder / "prefix/drive_c/windows/system32")
    shutil.copy(lock, ready)
    return 0


def _run(*command: object, **options: object) -> None:
    subprocess.run([*map(str, command)], check=True, **options)  # type: ignore[call-overload]


def _pip(*arguments: object) -> None:
    _run(sys.executable, "-m", "pip", *arguments)


def _put_python(folder: Path, python: Path) -> None:
    """Put the DLLs of CPython and the standard library into their places."""
    _pip("download", *TARGET, "--dest", folder / "dlls", DLLS)
    (wheel,) = (folder / "dlls").glob("*.whl")
    with ZipFile(wheel) as opened:
        for it in opened.infolist():
            path = Path(it.filename)
            if path.parent.name == "deploy_libs" and (path.suffix == ".pyd" or path.name in LIBRARIES):
                place = python if path.name == "python311.dll" else python / "DLLs"
                (place / path.name).write_bytes(opened.read(it))
    skipped = shutil.ignore_patterns(
        "site-packages", "dist-packages", "lib-dynload", "test", "config-3*", "__pycache__"
    )
    shutil.copytree(sysconfig.get_path("stdlib"), python / "Lib", ignore=skipped, dirs_exist_ok=True)
    # What is frozen in the DLL, of 3.11.9, calls this of the class; it is no class method in older ones.
    metadata = python / "Lib/importlib/metadata/__init__.py"
    plain = "    def invalidate_caches(cls)"
    older = f"\n\n{plain}"
    metadata.write_text(metadata.read_text().replace(older, f"\n\n    @classmethod\n{plain}"))


def _put_wheels(folder: Path, python: Path, lock: Path) -> None:
    """Install the wheels of the lock, and that of the program."""
    wheels, listed = folder / "wheels", folder / "requirements.txt"
    listed.write_text("".join(_for_windows(lock.read_text())))
    _pip("download", *TARGET, "--dest", wheels, "--requirement", listed)
    _pip("download", *TARGET, "--dest", wheels, RUNTIME)
    site = python / "Lib/site-packages"
    _pip("install", *TARGET, "--no-index", "--no-compile", "--target", site, *sorted(wheels.glob("*.whl")))
    for it in site.rglob("*140*.dll"):
        if it.parent in (site, site / "Scripts"):
            shutil.copy(it, python)
    shutil.copy(HERE / "sitecustomize.py", site)
    _put_program(folder, python)


def _put_program(folder: Path, python: Path) -> None:
    """Install the wheel of the program as it is now."""
    place = folder / "program"
    shutil.rmtree(place, ignore_errors=True)
    _pip("wheel", "--no-deps", "--quiet", "--disable-pip-version-check", "--wheel-dir", place, ROOT)
    site = python / "Lib/site-packages"
    _pip(
        "install", *TARGET, "--no-index", "--no-compile", "--upgrade", "--target", site, *place.glob("*.whl")
    )


def _for_windows(lock: str) -> Iterable[str]:
    """Yield the lines of the lock for what is needed on Windows, with their hashes."""
    is_kept = False
    for line in lock.splitlines(keepends=True):
        if not line.startswith(" "):
            found = Requirement(line.split("--hash")[0].rstrip(" \\\n"))
            is_kept = found.name not in LEFT_OUT and (found.marker is None or found.marker.evaluate(WINDOWS))
            # pip would evaluate the marker for the system that it runs on.
            line = f"{found.name}{found.specifier} \\\n"  # noqa: PLW2901
        if is_kept:
            yield line


def _make_python(place: Path, python: Path) -> None:
    """Compile python.exe, and python3.dll with what the wheels ask of it."""
    place.mkdir()
    _run("gendef", "python311.dll", cwd=python, stderr=subprocess.DEVNULL)
    (python / "python311.def").rename(place / "python311.def")
    _run(
        f"{MINGW}-dlltool",
        "-d",
        place / "python311.def",
        "-l",
        place / "libpython311.a",
        "-D",
        "python311.dll",
    )
    _compile(python / "python.exe", HERE / "python.c", "-municode", f"-L{place}", "-lpython311")
    stable = (f"  {name} = python311.{name}" for name in sorted(_imports(python, "python3.dll")))
    (place / "python3.def").write_text("\n".join(("LIBRARY python3.dll", "EXPORTS", *stable)) + "\n")
    (place / "empty.c").write_text("int empty;\n")
    _compile(python / "python3.dll", place / "empty.c", place / "python3.def", *WITHOUT_START)


def _fill(place: Path, system: Path) -> None:
    """Give Wine the calls that it does not have, as a part of the system, as they are one of Windows."""
    library = system / f"{C_LIBRARY}.dll"
    exported = EXPORTED.findall(_described(library))
    (system / f"{OF_WINE}.dll").write_bytes(library.read_bytes().replace(BUILTIN, bytes(len(BUILTIN)), 1))
    source, names = _c_library(exported)
    (place / "library.c").write_text(source)
    (place / "library.def").write_text(names)
    _compile(library, place / "library.c", place / "library.def", "-static", *WITHOUT_START)
    _compile(system / "bcryptprimitives.dll", HERE / "bcryptprimitives.c", "-static", "-shared", "-ladvapi32")


def _compile(target: Path, *arguments: object) -> None:
    _run(f"{MINGW}-gcc", "-O2", "-o", target, *arguments)


def _described(dll: Path) -> str:
    return subprocess.run([f"{MINGW}-objdump", "-p", dll], capture_output=True, text=True, check=False).stdout


def _imports(python: Path, dll: str) -> set[str]:
    """The names that the modules of a folder import of a DLL."""
    found = set()
    for it in python.rglob("*.pyd"):
        of = ""
        for line in _described(it).splitlines():
            if "DLL Name:" in line:
                of = line.split()[-1].lower()
            elif of == dll and (imported := IMPORTED.match(line)):
                found.add(imported[1])
    return found


def _c_library(exported: Sequence[str]) -> tuple[str, str]:
    """The source and the exports of a C library: complex functions, and all others of Wine's.

    Parameters
    ----------
    exported
        The names that Wine's has; behind those of complex functions there is nothing.
    """
    lines = ["#include <complex.h>"]
    for suffix, kind in (("f", "float"), ("", "double")):
        lines += [
            f"typedef struct {{ {kind} r, i; }} Pair{suffix};",
            f"static inline {kind} complex in{suffix}(Pair{suffix} a)"
            f" {{ {kind} complex z; __real__ z = a.r; __imag__ z = a.i; return z; }}",
            f"static inline Pair{suffix} out{suffix}({kind} complex z)"
            f" {{ Pair{suffix} a = {{__real__ z, __imag__ z}}; return a; }}",
        ]
    exports = [f"LIBRARY {C_LIBRARY}.dll", "EXPORTS"]
    for name in exported:
        suffix = "f" if name.endswith("f") and name[:-1] in COMPLEX | COMPLEX_TO_REAL else ""
        base = name.removesuffix("f") if suffix else name
        pair, call = f"Pair{suffix}", f"{base}{suffix}"
        if base in COMPLEX_TO_REAL:
            kind = "float" if suffix else "double"
            lines.append(f"{kind} own_{name}({pair} a) {{ return {call}(in{suffix}(a)); }}")
        elif base == "cpow":
            body = f"out{suffix}({call}(in{suffix}(a), in{suffix}(b)))"
            lines.append(f"{pair} own_{name}({pair} a, {pair} b) {{ return {body}; }}")
        elif base in COMPLEX:
            lines.append(f"{pair} own_{name}({pair} a) {{ return out{suffix}({call}(in{suffix}(a))); }}")
        else:
            exports.append(f'  "{name}" = "{OF_WINE}.{name}"')
            continue
        exports.append(f"  {name} = own_{name}")
    return "\n".join(lines) + "\n", "\n".join(exports) + "\n"


STARTER: Final = """#!/bin/sh
# CPython for Windows under Wine. Its standard streams are pipes: it opens no files of this system as streams.
export HOME={folder}/home WINEPREFIX={folder}/prefix WINEARCH=win64 WINEDEBUG=-all
export WINEDLLOVERRIDES="{overrides}"
export LIBGL_ALWAYS_SOFTWARE=1 OPENBLAS_NUM_THREADS=1
unset OPENBLAS_L2_SIZE PYTHONPATH PYTHONHOME
status=$(mktemp)
trap 'rm -f "$status"' EXIT
{{ cat | {{ wine {python}/python.exe "$@"; echo $? >"$status"; }} 2>&1 1>&3 | cat >&2; }} 3>&1 | cat
exit "$(cat "$status")"
"""


def _write_starter(folder: Path, python: Path) -> None:
    path = folder / "python"
    path.write_text(STARTER.format(folder=folder, python=python, overrides=OVERRIDES))
    path.chmod(0o755)


def _begin(folder: Path) -> None:
    """Make the folder that stands for drive C, and have Wine show files that begin with a dot."""
    variables = {
        "HOME": str(folder / "home"), "WINEPREFIX": str(folder / "prefix"), "WINEARCH": "win64",
        "WINEDEBUG": "-all", "WINEDLLOVERRIDES": OVERRIDES,
    }  # fmt: skip
    for command in (
        ("wine", "wineboot", "-i"),
        ("wine", "reg", "add", r"HKCU\Software\Wine", "/v", "ShowDotFiles", "/d", "Y", "/f"),
    ):
        _run(*command, env=os.environ | variables, stdin=subprocess.DEVNULL, capture_output=True)


if __name__ == "__main__":
    sys.exit(main())
