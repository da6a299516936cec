"""Animated images and videos of a series of images of one size.

Pillow writes WebP, PNG (APNG) and GIF. PyAV, which need not be installed, writes MP4 (H.264) and WebM (VP9).
"""

from __future__ import annotations

from collections.abc import Iterable
from io import BytesIO
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np

from viewer.errors import UsageError
from viewer.formats.texture.pixels import Image
from viewer.translation import _

if TYPE_CHECKING:
    import PIL.Image

IMAGE_SUFFIXES: Final = (".webp", ".png", ".gif")
VIDEO_SUFFIXES: Final = (".mp4", ".webm")
FILM_SUFFIXES: Final = IMAGE_SUFFIXES + VIDEO_SUFFIXES
# 40 ms: whole hundredths of a second for GIF, whole milliseconds for WebP and APNG.
USUAL_RATE: Final = 25
"""Images per second; every format can hold their duration exactly."""
SLOWEST, FASTEST = 1, 60
FASTEST_GIF: Final = 50
"""Durations in GIF are hundredths of a second, and most programs show one of less than two as ten."""
MOST_KEPT: Final = 1 << 28
"""Pixels of all images of an animated one: Pillow keeps them in memory until the last one is there."""
QUALITY: Final = 90
"""Quality of WebP images, 0 to 100."""
OPAQUE: Final = 0x80
"""The least alpha of a pixel of a GIF that is not left out."""
_CODECS: Final = {".mp4": "libx264", ".webm": "libvpx-vp9"}


def fitting(size: tuple[int, int], suffix: str) -> tuple[int, int]:
    """The width and the height, pixels, that a format can hold: those of a video are even."""
    across, down = size
    return (across - across % 2, down - down % 2) if suffix in VIDEO_SUFFIXES else size


def check(suffix: str, size: tuple[int, int], images: int, rate: float, *, is_transparent: bool) -> None:
    """A check before anything is drawn: raises `UsageError` for what a format cannot hold."""
    fastest = FASTEST_GIF if suffix == ".gif" else FASTEST
    if suffix not in FILM_SUFFIXES:
        raise UsageError(_("a film ends in one of {known}", known=", ".join(FILM_SUFFIXES)))
    if not SLOWEST <= rate <= fastest:
        words = "{rate:g} images per second are not within {low} to {high} for {suffix}"
        raise UsageError(_(words, rate=rate, low=SLOWEST, high=fastest, suffix=suffix))
    if suffix not in VIDEO_SUFFIXES:
        if size[0] * size[1] * images > MOST_KEPT:
            words = "{count} images of {width} x {height} pixels are too much for {suffix}, not for .mp4"
            raise UsageError(_(words, count=images, width=size[0], height=size[1], suffix=suffix))
        return
    if is_transparent:
        raise UsageError(_("{suffix} holds no transparency; .webp does", suffix=suffix))
    if any(side % 2 for side in size):
        words = "{suffix} needs an even width and height, not {width} x {height}"
        raise UsageError(_(words, suffix=suffix, width=size[0], height=size[1]))
    try:
        import av  # noqa: F401, PLC0415 need not be installed
    except ImportError:
        words = "{suffix} is written by PyAV: pip install av; .webp needs nothing more"
        raise UsageError(_(words, suffix=suffix)) from None


def write(images: Iterable[Image], suffix: str, rate: float) -> bytes:
    """The file of a film.

    Parameters
    ----------
    images
        Each (h, w, 4), top row first, straight alpha, at least one; encoded as they come.
    suffix
        One of `FILM_SUFFIXES` that `check` accepts.
    rate
        Images per second. The animated formats are shown again and again.
    """
    return _video(images, suffix, rate) if suffix in VIDEO_SUFFIXES else _animated(images, suffix, rate)


def _animated(images: Iterable[Image], suffix: str, rate: float) -> bytes:
    """An animated WebP, PNG or GIF; of one image a still one."""
    import PIL.Image  # noqa: PLC0415 not needed for a single picture

    pictures = (_for_gif(image) if suffix == ".gif" else PIL.Image.fromarray(image) for image in images)
    first, *others = pictures
    # The ends of images are rounded, not their durations, so that the errors do not add up.
    unit = 10 if suffix == ".gif" else 1
    ends = [round(number * 1000 / rate / unit) * unit for number in range(len(others) + 2)]
    durations = [end - start for start, end in pairwise(ends)]
    # Disposal 2 clears each image before the next one: else the one before would show through clear pixels.
    others_of: dict[str, Any] = {".gif": {"disposal": 2}, ".webp": {"quality": QUALITY, "method": 4}}
    buffer = BytesIO()
    first.save(
        buffer,
        suffix[1:].upper(),
        save_all=True,
        append_images=others,
        duration=durations if others else durations[0],
        loop=0,
        **others_of.get(suffix, {}),
    )
    return buffer.getvalue()


def _for_gif(image: Image) -> PIL.Image.Image:
    """An image whose pixels are opaque or left out, as GIF knows nothing between."""
    import PIL.Image  # noqa: PLC0415 not needed for a single picture

    is_opaque = image[..., 3] >= OPAQUE
    if is_opaque.all():
        return PIL.Image.fromarray(image[..., :3])
    cut = image.copy()
    cut[..., 3] = np.where(is_opaque, 0xFF, 0)
    cut[~is_opaque] = 0
    return PIL.Image.fromarray(cut)


def _video(images: Iterable[Image], suffix: str, rate: float) -> bytes:
    """An MP4 or WebM without alpha."""
    import av  # noqa: PLC0415 need not be installed

    others, buffer = iter(images), BytesIO()
    first = next(others)
    with av.open(buffer, "w", format=suffix[1:]) as container:
        from fractions import Fraction  # noqa: PLC0415 only needed for films

        fraction = Fraction(rate).limit_denominator(1000)
        stream = cast("av.VideoStream", container.add_stream(_CODECS[suffix], rate=fraction))
        # It has one color for 2 x 2 pixels, hence even sides.
        stream.pix_fmt = "yuv420p"  # what players read
        stream.options = {"crf": "18"} if suffix == ".mp4" else {"crf": "24", "b:v": "0", "cpu-used": "4"}
        stream.height, stream.width = first.shape[:2]
        for image in chain([first], others):
            frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(image[..., :3]), format="rgb24")
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return buffer.getvalue()
