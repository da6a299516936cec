"""Options of the light in a picture: the look, the scene color, and the lights, perhaps those of a sky."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Final

from viewer.cli.usage.arguments import HOUR, add_hour, with_given
from viewer.cli.usage.option_arguments import add_switch
from viewer.cli.usage.values import Value, takes
from viewer.errors import UsageError
from viewer.options import SWITCH
from viewer.session.view.options.lighting import ChosenSky, Lighting, LightKind
from viewer.session.view.skies import read_sky, without_sky
from viewer.translation import _

SKY: Final = "--sky"
LIGHT: Final = "--light"


def declare(parser: ArgumentParser, _unless: str | None) -> None:
    """Add the options that are not those of one field."""
    add = parser.add_argument
    takes(
        add(
            SKY, metavar="PATH", help=_("the sky of --light sky, a file such as sky.ske; implies --light sky")
        ),
        Value.FILE,
    )
    add_hour(parser, _("the hour of the sky; by default that at which its clock starts"))
    add_switch(parser, "--head-light", _("on: the same as --light head, off: as --light game"))


def applied(options: Namespace, lighting: Lighting) -> Lighting:
    """The light with what the options say of its kind and its sky; raises `MshviewError` for a wrong one."""
    changed = with_given(lighting, kind=_kind(options), sky=_sky(options))
    if changed.kind is LightKind.SKY and changed.sky is None:
        raise UsageError(_("{light} sky needs {sky}", light=LIGHT, sky=SKY))
    name = without_sky(vars(options))
    if name is not None and changed.used_sky is None:
        raise UsageError(_("{option} needs {sky}", option=f"--{name}", sky=SKY))
    return changed


def _kind(options: Namespace) -> LightKind | None:
    """The lights that the options name; raises `UsageError` if they name different ones."""
    named: dict[str, LightKind] = {}
    if options.light is not None:
        named[f"{LIGHT} {options.light}"] = LightKind(options.light)
    if options.sky is not None:
        named[SKY] = LightKind.SKY
    if options.head_light is not None:
        kind = LightKind.HEAD if options.head_light else LightKind.GAME
        # "off" says that the light is not a head light, not which it is.
        if kind is LightKind.HEAD or not named or LightKind.HEAD in named.values():
            named[f"--head-light {SWITCH[options.head_light]}"] = kind
    if len({*named.values()}) > 1:
        one, other, *_more = named
        raise UsageError(_("{one} and {other} name different lights", one=one, other=other))
    return next(iter(named.values()), None)


def _sky(options: Namespace) -> ChosenSky | None:
    """The sky that the options name, at its hour; raises `MshviewError`."""
    if options.sky is None:
        if options.hour is not None:
            raise UsageError(_("{option} needs {sky}", option=HOUR, sky=SKY))
        return None
    from viewer.model.store.address import Address  # noqa: PLC0415 only needed for a sky
    from viewer.model.store.file_store import FileStore  # noqa: PLC0415

    return read_sky(FileStore(), Address.given(options.sky), options.hour)
