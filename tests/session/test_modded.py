"""What the Mods window says of a mod."""

from __future__ import annotations

from pathlib import Path

from tests.mod_games import diffuse, entries, file, mod, write_game
from viewer.session.games.modded import MOST_CHANGES, first_changes


def test_changes_of_all_sorts_are_named(tmp_path: Path) -> None:
    """Patched, another one as a whole, new, copied from another name, and gone."""
    game = write_game(tmp_path / "game")
    (game / "large.bin").write_bytes(bytes(range(256)) * 40)
    (game / "old.bin").write_bytes(bytes(range(200)))
    made = mod(
        game,
        "one",
        entries("Material.lib", SKIN=diffuse(7), GLASS=None),
        file("large.bin", b"\xff" * 9000),
        file("new.bin", b"new"),
        file("copy.bin", bytes(range(200))),
    )
    assert sorted(first_changes(made.manifest)) == [
        "added: copy.bin, a copy of old.bin",
        "added: new.bin",
        "changed: Material.lib::SKIN",
        "changed: large.bin",
        "removed: Material.lib::GLASS",
    ]


def test_many_changes_are_cut(tmp_path: Path) -> None:
    game = write_game(tmp_path / "game")
    made = mod(game, "one", *(file(f"new{number}", b"%d" % number) for number in range(MOST_CHANGES + 3)))
    lines = [*first_changes(made.manifest)]
    assert len(lines) == MOST_CHANGES + 1
    assert lines[-1] == "and 3 more"
