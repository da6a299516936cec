"""``install-desktop``: the program in the menus and file managers of Linux, and those of Windows.

On Windows that is the start menu and *Open with*. It is for one user. A package of Linux has
the same files; a desktop does not look into environments of Python.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from viewer import translation
from viewer.cli import output, target
from viewer.cli.output import PROGRAM
from viewer.cli.usage import completion, man, windows_menu, windows_registry
from viewer.cli.usage.configuration import xdg_folder
from viewer.cli.usage.values import Value, takes
from viewer.cli.usage.verbs import DONE
from viewer.errors import OutputError, UsageError, reason_of
from viewer.model.compare.file_plan import FilePlan
from viewer.model.store.disk import with_target
from viewer.operations.saving import write
from viewer.resources import bundled_path, use_language
from viewer.translation import ENGLISH, _

THUMBNAILER: Final = f"{PROGRAM}-thumbnailer"
COMPLETIONS: Final = {
    "bash": f"bash-completion/completions/{PROGRAM}",
    "zsh": f"zsh/site-functions/_{PROGRAM}",
    "fish": f"fish/vendor_completions.d/{PROGRAM}.fish",
}
"""Folders in which each shell looks for completions."""
PAGES: Final = {
    f"man/{'' if code == ENGLISH else f'{code}/'}man1/{PROGRAM}.1": code for code in translation.LANGUAGES
}
"""The manual pages, and their languages."""
CACHES: Final = (("update-mime-database", "mime"), ("update-desktop-database", "applications"))
"""The programs that make the desktop read the files, and their folders."""


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    takes(
        parser.add_argument(
            "--to",
            metavar="FOLDER",
            help="the folder of shared data, by default that of this user, ~/.local/share; a package has "
            "share",
        ),
        Value.FOLDER,
    )
    parser.add_argument(
        "--package",
        action="store_true",
        help="name the programs without their paths: files for a package, which stands elsewhere later",
    )
    parser.add_argument("--remove", action="store_true", help="remove the files again")


def run(options: Namespace) -> int:
    """Write or remove the files, and say so."""
    if sys.platform == "win32":
        return _run_on_windows(options)
    if not sys.platform.startswith("linux"):
        raise UsageError("desktops of Linux and Windows only", source="install-desktop")
    usual = xdg_folder("XDG_DATA_HOME", "~/.local/share")
    folder = usual if options.to is None else Path(options.to)
    if options.remove:
        count = _remove([folder / name for name in (*_shared(), *COMPLETIONS.values(), *PAGES)], folder)
    else:
        count = _write([(folder / name, data) for name, data in _files(has_paths=not options.package)])
    # Of a package the system makes the caches, of the files of all packages.
    for program, below in () if options.package else CACHES:
        with suppress(OSError):
            subprocess.run([program, folder / below], check=False, capture_output=True)
    words = "removed {count} files in {folder}" if options.remove else "wrote {count} files in {folder}"
    output.confirm([_(words, count=count, folder=with_target(folder))])
    return DONE


def _run_on_windows(options: Namespace) -> int:
    """Write or remove entries of the registry and the link in the start menu, and say so."""
    if options.to is not None or options.package:
        raise UsageError("--to and --package are for Linux", source="install-desktop")
    try:
        if options.remove:
            count = windows_registry.remove() + windows_menu.remove()
        else:
            windows_menu.write(*windows_registry.window_command(), "Parkan: Iron Strategy")
            count = windows_registry.write() + 1
    except OSError as error:
        reason = _("cannot be changed: {reason}", reason=reason_of(error))
        source = error.filename or windows_registry.CLASSES
        raise OutputError(reason, source=source) from error
    words = (
        "removed {count} entries of the registry and the start menu"
        if options.remove
        else "wrote {count} entries of the registry and the start menu"
    )
    output.confirm([_(words, count=count)])
    return DONE


def _write(files: Sequence[tuple[Path, bytes]]) -> int:
    """Write all files or none; what another program or version has there is kept as ``NAME.bak``."""
    plans = [FilePlan(path, data=data, has_backup=True) for path, data in files if _content(path) != data]
    target.hint_at_backups(write(plans))
    output.note_written()
    return len(files)


def _content(path: Path) -> bytes | None:
    with suppress(OSError):
        return path.read_bytes()
    return None


def _remove(paths: Sequence[Path], folder: Path) -> int:
    try:
        for path in paths:
            path.unlink(missing_ok=True)
    except (OSError, ValueError) as error:
        raise OutputError(_("cannot be changed: {reason}", reason=reason_of(error)), source=folder) from error
    return len(paths)


def _shared() -> dict[str, Path]:
    """The files that stand in every installation, by their names below the folder."""
    share = bundled_path("packaging/share")
    return {path.relative_to(share).as_posix(): path for path in share.rglob("*") if path.is_file()}


def _files(*, has_paths: bool) -> Iterator[tuple[str, bytes]]:
    """Yield all files with their bytes; those that name the programs have their paths, or only names."""
    programs = {name: _program(name) for name in (PROGRAM, THUMBNAILER)} if has_paths else {}
    for name, path in _shared().items():
        data = path.read_bytes()
        if path.suffix in (".desktop", ".thumbnailer"):
            data = "".join(_with_path(line, programs) for line in data.decode().splitlines(True)).encode()
        yield name, data
    for shell, name in COMPLETIONS.items():
        yield name, _text(completion.SHELLS[shell](completion.declared()))
    language = translation.code()
    for name, code in PAGES.items():
        use_language(code)
        yield name, _text(man.lines())
    use_language(language)


def _text(lines: Iterator[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def _program(name: str) -> str:
    """The path of a program of this installation; its name if it is not next to Python."""
    installed = Path(sys.executable).parent / name
    return str(installed) if installed.is_file() else shutil.which(name) or name


def _with_path(line: str, programs: dict[str, str]) -> str:
    """A line of a desktop file with the path of the program that it runs."""
    key, separator, command = line.partition("=")
    if key not in ("Exec", "TryExec"):
        return line
    program, blank, arguments = command.strip().partition(" ")
    path = programs.get(program, program)
    is_quoted = key == "Exec" and not path.replace("/", "").replace("-", "").replace("_", "").isalnum()
    escaped = "".join(f"\\\\{it}" if it in '"`$' else it for it in path).replace("%", "%%")
    shown = f'"{escaped}"' if is_quoted else path
    return f"{key}{separator}{shown}{blank}{arguments}\n"
