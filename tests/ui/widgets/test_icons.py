"""Icons by kind."""

from __future__ import annotations

from viewer.model.kinds.registry import KINDS, tables
from viewer.ui.widgets.icons import icon_of


def test_kinds_look_different_and_unknown_ones_look_like_files() -> None:
    known = [icon_of(kind) for kind in ("folder", "nres", "msh", "wear", "mat0", "texm", "fxid", "nodes")]
    assert len(set(known)) == len(known)
    assert icon_of("no such kind") == icon_of("?")
    assert icon_of("?") not in known


def test_every_kind_has_its_icon() -> None:
    files = icon_of("no such kind")
    assert [kind.id for kind in (*KINDS, *tables().values()) if icon_of(kind.id) == files] == []
