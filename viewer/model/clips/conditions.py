"""Conditions of a state: the requests for it, and the parts that have to be there or lost.

Source: spec/ctl.md.
"""

from __future__ import annotations

from collections.abc import Iterator

from viewer.formats.neighbors.control import REQUESTS
from viewer.model.clips.clip import Clip
from viewer.translation import _, translated


def conditions(clip: Clip) -> Iterator[str]:
    """Conditions under which the game plays a clip, in words; none if that is always possible."""
    if clip.request is not None:
        known = translated(REQUESTS.get(clip.request, ""))
        yield known or _("request code {code}", code=clip.request)
    if clip.intact:
        yield _("only with control points {points} intact", points=_listed(clip.intact))
    if clip.destroyed:
        yield _("limping: control points {points} lost", points=_listed(clip.destroyed))


def _listed(points: tuple[int, ...]) -> str:
    return ", ".join(map(str, points))
