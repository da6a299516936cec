"""Textures of the scene and of the panels, decoded in worker threads, a few uploaded per frame; units."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from itertools import count
from typing import Final, Generic, Protocol, Self, TypeVar

import moderngl
import numpy as np

from viewer.control.jobs import Jobs
from viewer.errors import error_text
from viewer.formats.texture import pixels
from viewer.formats.texture.pixels import Image
from viewer.model.material.materials import MissingResource
from viewer.progress import Cancelled
from viewer.render.offscreen import GraphicsError
from viewer.render.targets import new_texture
from viewer.render.textures import texels
from viewer.render.textures.texels import MaterialTexture, TexelKey, Texels
from viewer.render.unit_renderer import UnitRenderer
from viewer.session.play.unit_posing import UnitLook
from viewer.session.view.options import textures
from viewer.session.view.options.textures import PixelKey, TextureSwitches, TextureView
from viewer.session.view.view_state import ViewState
from viewer.translation import _

CAPACITY: Final = 64 * 1024 * 1024
"""GPU memory for textures that are not on screen, bytes."""
UPLOADS_PER_FRAME: Final = 4
LARGEST: Final = 2048
"""Pixels of the longer side up to which textures are magnified, since ImGui blends neighbours."""
MOST_MAGNIFIED: Final = 8
Key = TypeVar("Key", bound=Hashable)
SCENE_UPLOADS: Final = 2
_FEEDS: Final = count()
MOST_AT_ONCE: Final = 4
"""Textures decoded at a time, so that opening a file does not wait for all of them."""


class Gallery:
    """Textures by view; owner: the application, lifetime: its window. Main thread only.

    Parameters
    ----------
    note
        Logs why a texture cannot be shown.
    """

    def __init__(self, ctx: moderngl.Context, jobs: Jobs, note: Callable[[str], None]) -> None:
        self._jobs = jobs
        self._note = note
        limit = int(ctx.info["GL_MAX_TEXTURE_SIZE"])
        self._longest, self._most_magnified = min(limit, textures.LONGEST), min(limit, LARGEST)
        self._shelf: TextureCache[PixelKey] = TextureCache(ctx, CAPACITY)
        self._decoded: dict[PixelKey, Image] = {}
        self._asked: set[PixelKey] = set()
        self._refused: set[PixelKey] = set()
        self._visible: set[PixelKey] = set()

    @property
    def has_work(self) -> bool:
        """Whether decoded textures wait for their upload."""
        return bool(self._decoded)

    def texture(self, part: TextureView) -> int | None:
        """The GL name of a view, top row first; None until it is uploaded, and if it cannot be."""
        key = part.key
        self._visible.add(key)
        if key not in self._shelf and key not in self._asked | self._refused:
            self._asked.add(key)
            self._jobs.start(
                f"decode {key}",
                _("Decoding {name}…", name=part.texture.name),
                lambda _ignored: self._decode(part),
                lambda image: self._decoded.__setitem__(key, image),
                lambda error: self._refuse(part, error),
            )
        texture = self._shelf.find(key)
        return None if texture is None else int(texture.glo)

    def _decode(self, part: TextureView) -> Image:
        image = textures.decode(part, self._longest)
        return pixels.magnify(image, min(self._most_magnified, MOST_MAGNIFIED * max(image.shape[:2])))

    def _refuse(self, part: TextureView, error: BaseException) -> None:
        """Log why a texture cannot be shown; it is not tried again while it is on screen."""
        self._asked.discard(part.key)
        self._refused.add(part.key)
        if not isinstance(error, Cancelled):
            words = _("{name} cannot be shown: {error}")
            self._note(words.format(name=part.texture.name, error=error_text(error)))

    def upload(self) -> None:
        """Upload a few decoded textures; once a frame, before the panels draw."""
        self._shelf.free_unused()
        self._refused &= self._visible  # once it has left the screen it may be tried again
        self._visible.clear()
        for part in list(self._decoded)[:UPLOADS_PER_FRAME]:
            self._shelf.put(part, self._decoded.pop(part))
            self._asked.discard(part)

    def release(self) -> None:
        """Release every texture."""
        self._shelf.release()


class TextureCache(Generic[Key]):
    """Textures by key; owner: the caller that fills it, lifetime: the window's context.

    Main thread only. What was looked up since the last `free_unused` is never freed, so the names
    given to the panels are good until their frame is drawn.

    Parameters
    ----------
    capacity
        Bytes that textures which are not on screen may take.

    Attributes
    ----------
    size
        Bytes of all textures.
    """

    def __init__(self, ctx: moderngl.Context, capacity: int) -> None:
        self._ctx = ctx
        self._capacity = capacity
        self._textures: OrderedDict[Key, moderngl.Texture] = OrderedDict()
        self._used: set[Key] = set()
        self.size = 0

    def __contains__(self, key: Key) -> bool:
        return key in self._textures

    def find(self, key: Key) -> moderngl.Texture | None:
        """The texture of a key, top row first, or None."""
        if key not in self._textures:
            return None
        self._used.add(key)
        self._textures.move_to_end(key)
        return self._textures[key]

    def put(self, key: Key, image: Image) -> None:
        """Upload an image, (h, w, 4), and replace the texture of the key."""
        if key in self._textures:
            self._free(key)
        height, width = image.shape[:2]
        texture = new_texture(self._ctx, (width, height), 4, np.ascontiguousarray(image))
        texture.filter = (moderngl.NEAREST, moderngl.NEAREST)
        self._textures[key] = texture
        self.size += 4 * width * height

    def free_unused(self) -> None:
        """Evict the least recently used until the rest fits; once a frame, before the panels draw."""
        # What the last frame used stays, even over the capacity: ImGui may still draw it in this frame.
        if self.size > self._capacity:
            for key in [key for key in self._textures if key not in self._used]:
                self._free(key)
                if self.size <= self._capacity:
                    break
        self._used.clear()

    def _free(self, key: Key) -> None:
        texture = self._textures.pop(key)
        self.size -= texture.width * texture.height * 4
        texture.release()

    def release(self) -> None:
        """Release every texture."""
        for texture in self._textures.values():
            texture.release()
        self._textures.clear()
        self.size = 0


class TextureUser(Protocol):
    """A renderer with textures: of models, or of single materials."""

    def requested_textures(self, switches: TextureSwitches) -> list[MaterialTexture]:
        """Textures that are not uploaded yet, the most urgent first."""

    @property
    def texture_limit(self) -> int:
        """The longest side of a texture."""

    def provide(self, texels: Texels) -> None:
        """Upload a decoded texture."""


class TextureFeed:
    """Provides the textures that the renderer requests; owner: the scene renderer, main thread only.

    Parameters
    ----------
    note
        Logs why a texture cannot be shown.
    """

    def __init__(self, renderer: TextureUser, jobs: Jobs, note: Callable[[str], None]) -> None:
        self._renderer = renderer
        self._jobs = jobs
        self._note = note
        self._number = next(_FEEDS)
        self._decoded: list[Texels] = []
        self._asked: set[TexelKey] = set()
        self._refused: set[TexelKey] = set()
        self._cancelled: set[TexelKey] = set()

    @property
    def has_work(self) -> bool:
        """Whether decoded textures wait for their upload."""
        return bool(self._decoded)

    @property
    def is_waiting(self) -> bool:
        """Whether textures are being decoded or wait for their upload."""
        return bool(self._asked)

    def update(self, view: ViewState) -> bool:
        """Upload a few textures and start decoding more; tell whether the image changes."""
        has_new = self.upload()
        self._ask(view)
        return has_new

    def upload(self) -> bool:
        """Upload a few textures; tell whether there were any."""
        ready = self._decoded[:SCENE_UPLOADS]
        del self._decoded[:SCENE_UPLOADS]
        for decoded in ready:
            self._renderer.provide(decoded)
            self._asked.discard(decoded.key)
        return bool(ready)

    def retry(self) -> None:
        """Decode textures that were cancelled after all: another document was opened."""
        self._cancelled.clear()

    def _ask(self, view: ViewState) -> None:
        """Start decoding the most urgent textures that are not pending."""
        for picture in self._renderer.requested_textures(view.textures):
            key = texels.key_of(picture, view.textures)
            if len(self._asked) >= MOST_AT_ONCE:
                return
            if key in self._asked or key in self._cancelled:
                continue
            # A damaged texture gets a label as its pixels, under its own key, so it is not requested again.
            if key not in self._refused:
                self._decode(picture, key, view)
            elif not isinstance(picture, MissingResource):
                self._asked.add(key)
                self._decoded.append(texels.stand_in(key, MissingResource("damaged texture", picture.name)))

    def _decode(self, picture: MaterialTexture, key: TexelKey, view: ViewState) -> None:
        limit, switches = self._renderer.texture_limit, view.textures
        self._asked.add(key)
        self._jobs.start(
            # Others may decode the same texture for their own image: jobs of one lane replace each other.
            f"texture {self._number} {key}",
            "" if isinstance(picture, MissingResource) else _("Decoding {name}…", name=picture.name),
            lambda _ignored: texels.decode(picture, switches, limit),
            self._decoded.append,
            lambda error: self._refuse(key, picture, error),
        )

    def _refuse(self, key: TexelKey, picture: MaterialTexture, error: BaseException) -> None:
        """Remember a texture that cannot be decoded; a label in its place says that it is damaged."""
        self._asked.discard(key)
        if isinstance(error, Cancelled):
            self._cancelled.add(key)
            return
        self._refused.add(key)
        words = _("texture {name} cannot be shown: {error}")
        self._note(words.format(name=picture.name, error=error_text(error)))


class DrawnLook(Protocol):
    """The input of a drawn image."""

    @property
    def size(self) -> tuple[int, int]:
        """Width and height, pixels."""

    @property
    def view(self) -> ViewState:
        """The look of the program: textures, background, samples."""

    def is_like(self, other: Self | None) -> bool:
        """Whether another look gives the same image from the same textures."""


AnyLook = TypeVar("AnyLook", bound=DrawnLook)
GivenLook_contra = TypeVar("GivenLook_contra", bound=DrawnLook, contravariant=True)


class LookDrawer(TextureUser, Protocol[GivenLook_contra]):
    """A renderer of one kind of looks."""

    def load(self, look: GivenLook_contra) -> None:
        """Use the materials of a look."""

    def draw(self, look: GivenLook_contra) -> int:
        """Draw a look and return the GL name of its image, lowest row first."""


class LookImage(Generic[AnyLook]):
    """The image of what was last looked at; owner: the application, lifetime: its window's context.

    Parameters
    ----------
    note
        Logs why a texture cannot be shown.
    """

    def __init__(self, renderer: LookDrawer[AnyLook], jobs: Jobs, note: Callable[[str], None]) -> None:
        self._renderer = renderer
        self._feed = TextureFeed(renderer, jobs, note)
        self._requested: AnyLook | None = None
        self._drawn: AnyLook | None = None
        self._is_behind = False
        self._texture = 0

    @property
    def has_work(self) -> bool:
        """Whether textures wait for the next frame."""
        return self._feed.has_work

    def lacks_textures(self, look: AnyLook) -> bool:
        """Read more textures of a look that need not be on screen; tell whether some are missing."""
        self._renderer.load(look)
        self._is_behind |= self._feed.update(look.view)
        return self._feed.is_waiting

    def texture(self, look: AnyLook) -> int:
        """The GL name of the image of a look, lowest row first; `draw` fills it in this frame."""
        # The panel draws the name in this frame: another size needs its texture now, other content can wait.
        is_other_size = self._drawn is None or self._drawn.size != look.size
        self._requested = look
        if is_other_size:
            self._draw(look)
        return self._texture

    def draw(self) -> None:
        """Draw the image again if anything in it has changed; once a frame, after the panels."""
        look, self._requested = self._requested, None
        if look is None:  # what was decoded for an image that is not on screen any more waits for no frame
            self._is_behind |= self._feed.upload()
            return
        self._renderer.load(look)
        self._is_behind |= self._feed.update(look.view)
        if self._is_behind or not look.is_like(self._drawn):
            self._draw(look)

    def _draw(self, look: AnyLook) -> None:
        self._texture, self._drawn, self._is_behind = self._renderer.draw(look), look, False


class UnitImages:
    """Draws the units that were last looked at; owner: the application, lifetime: its window's context.

    Parameters
    ----------
    note
        Logs why something cannot be shown.

    Attributes
    ----------
    pixel_scale
        Content scale of the screen, which multiplies line widths.
    """

    def __init__(self, ctx: moderngl.Context, jobs: Jobs, note: Callable[[str], None]) -> None:
        self._ctx, self._jobs, self._note = ctx, jobs, note
        self._slots: dict[int, tuple[UnitRenderer, LookImage[UnitLook]]] = {}
        self.pixel_scale = 1.0

    @property
    def has_work(self) -> bool:
        """Whether textures wait for the next frame."""
        return any(image.has_work for _renderer, image in self._slots.values())

    def lacks_textures(self, look: UnitLook) -> bool:
        """Read more textures of a unit in a tab, in front or not; tell whether some are missing."""
        return self._slot(0)[1].lacks_textures(look)

    @property
    def renderer(self) -> UnitRenderer:
        """The renderer of the unit in the active tab."""
        return self._slot(0)[0]

    def texture(self, look: UnitLook, slot: int) -> int:
        """The GL name of the image of a look, lowest row first; `draw` fills it in this frame."""
        return self._slot(slot)[1].texture(look)

    def _slot(self, slot: int) -> tuple[UnitRenderer, LookImage[UnitLook]]:
        if slot not in self._slots:  # buffers and textures of its own: only where units are shown
            renderer = _NotedRenderer(self._ctx, self._note)
            self._slots[slot] = renderer, LookImage(renderer, self._jobs, self._note)
        self._slots[slot][0].pixel_scale = self.pixel_scale
        return self._slots[slot]

    def draw(self) -> None:
        """Draw the images again in which anything has changed; once a frame, after the panels."""
        for _renderer, image in self._slots.values():
            image.draw()


class _NotedRenderer(UnitRenderer):
    """A renderer that logs what it cannot draw, and shows the rest."""

    def __init__(self, ctx: moderngl.Context, note: Callable[[str], None]) -> None:
        super().__init__(ctx)
        self._note = note

    def draw(self, look: UnitLook) -> int:
        """Draw a look and return the GL name of its image, lowest row first."""
        try:
            return super().draw(look)
        except GraphicsError as error:
            self._note(error_text(error))
            return self.texture
