"""Links on the way to a file that is written: those of this user are followed, planted ones refused."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from viewer.errors import OutputError
from viewer.model.store.whole_folder import write_folder
from viewer.model.store.writing import NewFile, write_file, write_files

OTHER = 12345
pytestmark = pytest.mark.skipif(
    os.name != "posix" or os.geteuid() != 0, reason="needs to give links to another user"
)


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A file of this user in a folder of its own."""
    folder = tmp_path / "home"
    folder.mkdir(mode=0o700)
    path = folder / "secret"
    path.write_bytes(b"secret")
    return path


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    """A folder in which everybody may write, as ``/tmp``."""
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o1777)
    return folder


def link(path: Path, target: Path, owner: int) -> Path:
    path.symlink_to(target)
    os.chown(path, owner, owner, follow_symlinks=False)
    return path


def refused(path: Path, target: Path) -> None:
    with pytest.raises(OutputError, match="is a link of another user to") as caught:
        write_files([NewFile(path, b"picture"), NewFile(path.with_name("b"), b"")])
    assert str(target) in caught.value.text
    with pytest.raises(OutputError, match="is a link of another user to"):
        write_file(path, b"picture")


def test_a_planted_link_is_refused_and_its_target_named(shared: Path, secret: Path) -> None:
    refused(link(shared / "walker.png", secret, OTHER), secret)
    assert secret.read_bytes() == b"secret"
    assert [it.name for it in shared.iterdir()] == ["walker.png"]


def test_a_planted_folder_is_refused(shared: Path, secret: Path) -> None:
    refused(link(shared / "out", secret.parent, OTHER) / "walker.png", secret.parent)
    with pytest.raises(OutputError, match="is a link of another user"):
        write_folder(shared / "out" / "new", [("a", b"")])
    assert [*secret.parent.iterdir()] == [secret]


def test_a_link_of_this_user_to_a_planted_one_is_refused(shared: Path, secret: Path, tmp_path: Path) -> None:
    planted = link(shared / "planted", secret, OTHER)
    refused(link(tmp_path / "own", planted, os.getuid()), secret)
    refused(link(tmp_path / "relative", Path("shared", "planted"), os.getuid()), secret)
    refused(link(tmp_path / "up", Path("home", "..", "shared", "planted"), os.getuid()), secret)
    assert secret.read_bytes() == b"secret"


def test_a_link_into_nowhere_is_refused_too(shared: Path, secret: Path) -> None:
    refused(link(shared / "walker.png", secret.with_name("new"), OTHER), secret.with_name("new"))


@pytest.mark.parametrize("mode", [0o700, 0o755])
def test_a_link_in_a_folder_that_only_the_user_writes_is_followed(
    tmp_path: Path, secret: Path, mode: int
) -> None:
    """As it came out of an archive with its owner."""
    own = tmp_path / "own"
    own.mkdir()
    own.chmod(mode)
    write_file(link(own / "a", secret, OTHER), b"new")
    assert secret.read_bytes() == b"new"


def test_links_of_this_user_are_followed(shared: Path, secret: Path) -> None:
    write_file(link(shared / "a", secret, os.getuid()), b"new")
    assert secret.read_bytes() == b"new"
    assert (shared / "a").is_symlink()
    write_file(link(shared / "b", secret.parent, os.getuid()) / ".." / "home" / "secret", b"newer")
    assert secret.read_bytes() == b"newer"


def test_a_circle_of_links_is_one_error(shared: Path) -> None:
    link(shared / "a", shared / "b", os.getuid())
    link(shared / "b", shared / "a", os.getuid())
    with pytest.raises(OutputError):
        write_file(shared / "a" / "x", b"")
