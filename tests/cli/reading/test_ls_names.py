"""What the game calls the parts in an archive, in ``ls``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.console import Capture
from viewer.cli.main import main

PARTS = {
    "made.rlb": {"rotor.msh": "Rotor stand", "fr_s_sign.msh": "House with a sign (SIGN)"},
    "objects.dlb": {
        "e_gun_bl_01": "Heavy test gun (L88mmX)",
        "i_clip_bl_01": "Clip for the heavy test gun (L88clip)",
        "rotor": "Rotor stand",
        "fr_s_sign": "House with a sign (SIGN)",
    },
}


@pytest.mark.parametrize("archive", [*PARTS])
def test_names_stand_beside_the_keys(samples: Path, capsys: Capture, archive: str) -> None:
    path = str(samples / "field2" / "game" / archive)
    assert main(["ls", path, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["entries"]
    assert {it["name"]: it["called"] for it in rows if it["called"] is not None} == PARTS[archive]
    assert main(["ls", path]) == 0
    header, *lines = capsys.readouterr().out.splitlines()
    assert header.split()[-1] == "called"
    assert any(it.endswith("House with a sign (SIGN)") for it in lines)


def test_archives_without_parts_have_no_such_column(samples: Path, capsys: Capture) -> None:
    assert main(["ls", str(samples / "field2" / "game" / "Textures.lib"), "--json"]) == 0
    assert all("called" not in it for it in json.loads(capsys.readouterr().out)["entries"])
