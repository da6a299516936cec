"""The program under Wine as a user would start it: ``smoke.py FOLDER``, an environment of ``environment.py``.

Each check prints a line. The picture of the window, ``FOLDER/window.png``, is to be looked at.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import numpy as np
import PIL.Image

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parents[1]
WALKER: Final = "models.rlb::walker.msh"
RESERVED: Final = ("con.wea", "nul.msh", "com1.tex")
"""Names of devices on Windows, whatever their suffix."""
LIMIT: Final = 3600
"""Seconds of one run, on a machine that others keep busy; one takes less than ten when it is free."""
LONGEST: Final = 259
"""Characters of a path that programs of Windows take which know nothing of longer ones."""
MOMENT: Final = 0.2
"""Seconds for which a virus scanner has a file open; a save waits for five times as long."""
SMALL_GALLERY: Final = ("--turntable", 0, "--no-models", "--jobs", 1)
LEAST_COLORS: Final = 500
"""Colors in the middle of a window that shows a model; an empty one has a dozen."""
OFFERED: Final = r"""
import winreg
try:
    key = winreg.OpenKey(winreg.HKEY_CURRENT_USER, r"Software\Classes\.msh\OpenWithProgids")
except FileNotFoundError:
    print("no key")
else:
    print([winreg.EnumValue(key, number)[0] for number in range(winreg.QueryInfoKey(key)[1])])
"""


class Smoke:
    """The checks; each works in a folder of its own.

    Parameters
    ----------
    folder
        The environment.
    scratch
        Where files are made.
    """

    def __init__(self, folder: Path, scratch: Path) -> None:
        self.python = folder / "python"
        self.folder = folder
        self.scratch = scratch

    def run(self, *arguments: object, status: int = 0, cwd: Path | None = None) -> str:
        """Output of a run of the program under Wine, which has to end with a status."""
        found = subprocess.run(
            [self.python, "-m", "viewer", *map(str, arguments)],
            cwd=cwd or self.scratch, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT,
            check=False,
        )  # fmt: skip
        said = found.stdout + found.stderr
        assert found.returncode == status, f"{arguments}: status {found.returncode}: {said}"
        return said

    def own(self, *arguments: object, cwd: Path) -> None:
        """Run the program on this system."""
        environment = os.environ | {"PYTHONPATH": str(ROOT)}
        subprocess.run(
            [sys.executable, "-m", "viewer", *map(str, arguments)], cwd=cwd, env=environment, check=True,
            stdin=subprocess.DEVNULL, capture_output=True,
        )  # fmt: skip

    def game(self, name: str) -> Path:
        """A copy of the sample."""
        return shutil.copytree(ROOT / "assets/game", self.scratch / name)

    @contextmanager
    def held(self, path: Path, sharing: int) -> Iterator[None]:
        """A file held open by another program, as a context."""
        command = [str(self.python), str(HERE / "hold.py"), windows_path(path), str(sharing), "600"]
        with subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "open\n"
            try:
                yield
            finally:
                self.end("hold.py")
                process.wait()

    def end(self, words: str) -> None:
        """End the programs under Wine with these words in their command."""
        listed = subprocess.run(
            ["ps", "-eo", "pid=,args="], capture_output=True, text=True, check=True
        ).stdout
        for line in listed.splitlines():
            number, command = line.split(maxsplit=1)
            if words in command and command.startswith(("Z:", "C:", str(self.folder / "py"))):
                os.kill(int(number), 9)

    def says_its_version(self) -> None:
        """``--version``."""
        assert self.run("--version").startswith("mshview ")

    def checks_itself(self) -> None:
        """``selfcheck``."""
        self.run("selfcheck")

    def validates_in_a_pool(self) -> None:
        """``validate`` of the sample, with two processes."""
        self.run("validate", "validated", "--jobs", 2, cwd=self.game("validated").parent)

    def renders_the_same_bytes(self) -> None:
        """``render`` of a model, here and there."""
        game = self.game("rendered")
        self.run("render", "-q", WALKER, "-o", "there.png", cwd=game)
        self.own("render", "-q", WALKER, "-o", "here.png", cwd=game)
        assert (game / "there.png").read_bytes() == (game / "here.png").read_bytes()

    def exports_and_imports_without_a_change(self) -> None:
        """``export``, and ``import`` of that onto the same model."""
        game = self.game("exported")
        before = (game / "models.rlb").read_bytes()
        self.run("export", "-q", WALKER, "-o", "walker.glb", cwd=game)
        said = self.run("import", "walker.glb", "--into", WALKER, "--in-place", cwd=game)
        assert (game / "models.rlb").read_bytes() == before, said

    def _edit(self, game: Path, status: int = 0) -> str:
        return self.run(
            "edit", WALKER, "--set", "batches[0].opaque6=9", "--in-place", status=status, cwd=game
        )

    def edits_a_free_file(self) -> None:
        """``edit --in-place``: two bytes differ, and the file before is kept."""
        game = self.game("free")
        before = (game / "models.rlb").read_bytes()
        self._edit(game)
        after = (game / "models.rlb").read_bytes()
        assert 1 <= sum(a != b for a, b in zip(before, after, strict=True)) <= 2
        assert (game / "models.rlb.bak").read_bytes() == before

    def leaves_a_held_file_alone(self) -> None:
        """Refusal of a file that another program has open: that is said, and nothing is left."""
        for sharing, words in ((1, "may have it open"), (0, "cannot be read")):
            game = self.game(f"held{sharing}")
            before = (game / "models.rlb").read_bytes()
            names = sorted(it.name for it in game.iterdir())
            with self.held(game / "models.rlb", sharing):
                said = self._edit(game, status=2)
            assert words in said, said
            assert sorted(it.name for it in game.iterdir()) == names
            assert (game / "models.rlb").read_bytes() == before

    def waits_for_a_file_that_is_held_for_a_moment(self) -> None:
        """``edit --in-place`` of a file that another program closes as soon as it is to be replaced."""
        game = self.game("scanned")
        backup = game / "models.rlb.bak"
        with ThreadPoolExecutor(1) as pool:
            with self.held(game / "models.rlb", 1):
                edit = pool.submit(self._edit, game)
                while not backup.exists() and not edit.done():  # it is made just before the file is replaced
                    time.sleep(0.01)
                time.sleep(MOMENT)
            edit.result()
        assert backup.read_bytes() != (game / "models.rlb").read_bytes()

    def leaves_a_read_only_file_alone(self) -> None:
        """Refusal of a read-only file: what clears the attribute is said, and nothing is left."""
        game = self.game("read_only")
        names = sorted(it.name for it in game.iterdir())
        (game / "models.rlb").chmod(0o444)
        said = self._edit(game, status=2)
        assert 'attrib -r "' in said, said
        assert sorted(it.name for it in game.iterdir()) == names

    def packs_names_of_devices(self) -> None:
        """``extract`` and ``pack`` of an archive whose entries have names of devices, which takes no time.

        Each file that is read into a buffer of 1 GiB takes 4 s, the start of the program as long in all; this
        start is measured too, as other programs may keep the machine busy.
        """
        game = self.game("packed")
        script = (
            "import sys; from tests.builders import archive_of; sys.stdout.buffer.write(archive_of({files}))"
        )
        names = (*RESERVED, *(f"{number}.bin" for number in range(20)))
        files = {name: bytes([number]) * 40 for number, name in enumerate(names)}
        made = subprocess.run(
            [sys.executable, "-c", script.format(files=files)], cwd=ROOT, capture_output=True, check=True
        )
        (game / "devices.rlb").write_bytes(made.stdout)
        self.run("extract", "devices.rlb", "-o", "unpacked", cwd=game)
        listing = self._seconds("ls", "devices.rlb", cwd=game)
        packing = self._seconds("pack", "unpacked", "-o", "again.rlb", cwd=game)
        assert (game / "again.rlb").read_bytes() == made.stdout
        assert packing < 3 * listing, f"{packing:.1f} s, where `ls` takes {listing:.1f} s"

    def _seconds(self, *arguments: object, cwd: Path) -> float:
        """The time of a run."""
        started = time.monotonic()
        self.run(*arguments, cwd=cwd)
        return time.monotonic() - started

    def makes_a_gallery_over_an_open_one(self) -> None:
        """``gallery`` over one of which a file is open: that file is named, and all stays."""
        game = self.game("gallery")
        options = ("gallery", "-q", WALKER, "-o", "site", *SMALL_GALLERY)
        self.run(*options, cwd=game)
        before = {it: it.read_bytes() for it in (game / "site").rglob("*") if it.is_file()}
        with self.held(game / "site/index.html", 1):
            said = self.run(*options, status=2, cwd=game)
        assert "index.html" in said, said
        assert {it: it.read_bytes() for it in (game / "site").rglob("*") if it.is_file()} == before
        assert not [it.name for it in game.iterdir() if it.name.startswith(".mshview")]

    def works_below_a_long_path(self) -> None:
        """``edit --in-place``, ``extract`` and ``gallery`` of paths with more than 259 characters."""
        deep = self.scratch.joinpath("long", *["folder" * 8] * 6)
        game = shutil.copytree(ROOT / "assets/game", deep)
        place = windows_path(game)
        assert len(place) > LONGEST
        before = (game / "models.rlb").read_bytes()
        model = rf"{place}\{WALKER}"
        self.run("edit", model, "--set", "batches[0].opaque6=9", "--in-place")
        assert (game / "models.rlb.bak").read_bytes() == before != (game / "models.rlb").read_bytes()
        self.run("extract", rf"{place}\models.rlb", "-o", rf"{place}\unpacked")
        assert (game / "unpacked/walker.wea").is_file()
        self.run("gallery", "-q", model, "-o", rf"{place}\site", *SMALL_GALLERY)
        assert (game / "site/index.html").is_file()

    def keeps_the_letter_of_a_drive(self) -> None:
        """The letter of a network drive or of ``subst`` stays as it was typed in what is said of a file."""
        letter = self.folder / "prefix/dosdevices/y:"
        letter.unlink(missing_ok=True)
        letter.symlink_to(self.game("drive"))
        try:
            said = self.run("edit", rf"Y:\{WALKER}", "--set", "batches[0].opaque6=9", "--in-place")
            said += self.run("extract", r"Y:\models.rlb", "-o", r"Y:\unpacked")
            said += self.run("ls", r"Y:\missing.rlb", status=2)
        finally:
            letter.unlink()
        for it in (r"Y:\models.rlb", r"Y:\unpacked", r"Y:\missing.rlb"):
            assert it in said, said
        assert "Z:" not in said, said

    def is_in_the_start_menu_and_under_open_with(self) -> None:
        """``install-desktop``, and ``--remove``; what opens the window there has no console."""
        (declared,) = (self.folder / "py/Lib/site-packages").glob("mshview-*.dist-info/entry_points.txt")
        assert "[gui_scripts]\nmshview-window = " in declared.read_text()
        links = self.folder / "prefix/drive_c/users"
        for left_over in links.rglob("mshview.lnk"):  # of a run that failed
            left_over.unlink()
        self.run("install-desktop")
        assert [*links.rglob("mshview.lnk")]
        assert "'mshview.resource'" in self._offered()
        self.run("install-desktop", "--remove")
        assert not [*links.rglob("mshview.lnk")]
        assert self._offered() == "no key\n"

    def _offered(self) -> str:
        """The kinds of files that the registry names for a model, as Python prints them."""
        command = [str(self.python), "-c", OFFERED]
        found = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=True
        )
        return str(found.stdout)

    def opens_its_window(self) -> None:
        """The window shows a model, and a second start hands its file over and ends."""
        game = self.game("window")
        command = [str(self.python), "-m", "viewer", "open", WALKER]
        with subprocess.Popen(command, cwd=game, stdin=subprocess.DEVNULL) as process:
            try:
                self._picture("walker")
                self.run("open", "models.rlb::drone.msh", cwd=game)
                self._picture("drone")
                assert process.poll() is None
            finally:
                self.end("viewer")
                process.wait()

    def _picture(self, name: str) -> None:
        """The screen once a window has a name in its title and a model in its middle."""
        end = time.monotonic() + LIMIT
        while subprocess.run(
            ["xdotool", "search", "--name", name], capture_output=True, check=False
        ).returncode:
            assert time.monotonic() < end, f"no window with {name} in its title"
            time.sleep(1)
        path = self.folder / f"window_{name}.png"
        colors = 0
        while colors < LEAST_COLORS:
            assert time.monotonic() < end, f"{colors} colors in the middle of the window, see {path}"
            time.sleep(3)
            subprocess.run(["import", "-window", "root", path], check=True)
            picture = np.asarray(PIL.Image.open(path).convert("RGB"))
            height, width, _ = picture.shape
            middle = picture[height // 5 : height // 2, width // 4 : width * 3 // 5]
            colors = len(np.unique(middle.reshape(-1, 3), axis=0))


CHECKS: Final[Sequence[Callable[[Smoke], None]]] = (
    Smoke.says_its_version,
    Smoke.checks_itself,
    Smoke.validates_in_a_pool,
    Smoke.renders_the_same_bytes,
    Smoke.exports_and_imports_without_a_change,
    Smoke.edits_a_free_file,
    Smoke.leaves_a_held_file_alone,
    Smoke.waits_for_a_file_that_is_held_for_a_moment,
    Smoke.leaves_a_read_only_file_alone,
    Smoke.packs_names_of_devices,
    Smoke.makes_a_gallery_over_an_open_one,
    Smoke.works_below_a_long_path,
    Smoke.keeps_the_letter_of_a_drive,
    Smoke.is_in_the_start_menu_and_under_open_with,
    Smoke.opens_its_window,
)


def windows_path(path: Path) -> str:
    """A path of this system as Wine shows it."""
    return "Z:" + str(path).replace("/", "\\")


@contextmanager
def screen() -> Iterator[None]:
    """A display in memory, on which Wine draws."""
    reading, writing = os.pipe()
    command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1600x900x24", "+extension", "GLX"]
    with subprocess.Popen(command, pass_fds=[writing], stderr=subprocess.DEVNULL) as server:
        try:
            os.environ["DISPLAY"] = f":{os.read(reading, 20).decode().strip()}"
            yield
        finally:
            server.terminate()


def main() -> int:
    """Make all checks, or those whose names are given; gives 1 if one fails."""
    folder, *chosen = sys.argv[1:]
    failed = 0
    with TemporaryDirectory(prefix="mshview-wine-") as scratch, screen():
        smoke = Smoke(Path(folder).resolve(), Path(scratch))
        for check in CHECKS:
            if chosen and check.__name__ not in chosen:
                continue
            started = time.monotonic()
            try:
                check(smoke)
                words = "passed"
            except (AssertionError, OSError, subprocess.SubprocessError) as error:
                failed, words = 1, f"FAILED: {error}"
            print(f"{check.__name__}: {words} ({time.monotonic() - started:.1f} s)", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
