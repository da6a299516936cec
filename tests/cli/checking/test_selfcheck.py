"""``selfcheck``: this installation computes what the specification states, and notices if it does not."""

from __future__ import annotations

import numpy as np
import pytest

from tests.cli.console import Capture, json_of, success
from viewer.operations.checking import selfcheck


def test_every_vector_holds(capsys: Capture) -> None:
    document = json_of(capsys, "selfcheck")
    assert document["failed"] == 0
    assert all(it["ok"] for it in document["checks"])
    sources = {it["source"].split()[0] for it in document["checks"]}
    pages = "rsli", "nres", "animation", "texm", "msh", "materials", "fxid", "effects", "land", "objects"
    assert sources == {f"spec/{page}.md" for page in pages}


def test_a_wrong_value_and_an_error_are_found(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> object:
        raise ValueError("no such thing")

    monkeypatch.setattr(selfcheck, "decode_uvs", lambda raw: np.zeros((1, 2)))
    monkeypatch.setattr(selfcheck, "interpolate", broken)
    out, _ = success(capsys, "selfcheck", status=1)
    failed = [line for line in out.splitlines() if line.startswith("failed")]
    assert len(failed) == 3
    assert "no such thing" in out
    assert out.splitlines()[-1].endswith("3 failed")
