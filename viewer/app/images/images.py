"""All images of the window: of the viewport and of panels, and what draws them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import moderngl

from viewer.app.images.cells import CellPictures
from viewer.app.images.films import Films
from viewer.app.images.ordered_pictures import OrderedPictures
from viewer.app.images.stages import StagePictures
from viewer.app.images.textures import Gallery, LookImage
from viewer.app.images.thumbnails import Thumbnails
from viewer.app.scene_renderer import MEGABYTE, SceneRenderer
from viewer.control.jobs import Jobs
from viewer.control.opening.open_controller import OpenController
from viewer.control.state import State
from viewer.render.material_preview import MaterialPreview


class Images:
    """Draws and keeps images; owner: the application, main thread only.

    Attributes
    ----------
    scene
        The model in the viewport.
    gallery
        Textures.
    materials
        The image of a material.
    pictures
        The image of the viewport, whatever it shows, and pictures of it.
    thumbnails
        Small pictures in the browser.
    films, cells
        Animations that are saved, and sheets with a picture for each LOD and group.
    ordered
        Pictures of models that are not open, which are written as files.
    """

    def __init__(
        self, ctx: moderngl.Context, state: State, jobs: Jobs, scene: SceneRenderer, opener: OpenController
    ) -> None:
        self._state, self._jobs = state, jobs
        self.scene = scene
        self.gallery = Gallery(ctx, jobs, state.note)
        preview = MaterialPreview(ctx)
        self.materials = LookImage(preview, jobs, state.note)
        self.pictures = StagePictures(ctx, state, jobs, scene)
        self.thumbnails = Thumbnails(
            ctx,
            jobs,
            opener.library,
            lambda file: (opener.choices(file), state.view.lighting.look),
        )
        self.films = Films(ctx, state, jobs, self.pictures)
        self.cells = CellPictures(ctx, state, scene)
        self.ordered = OrderedPictures(ctx, jobs.wake)

    @property
    def has_work(self) -> bool:
        """Whether an image in a panel is still to be read or drawn."""
        pictures = self.pictures, self.thumbnails, self.films, self.cells, self.ordered
        drawing = self.gallery, self.materials, *pictures
        return any(it.has_work for it in drawing)

    def update(self, *, may_draw: bool) -> None:
        """Bring on the images in panels; those of the last build may be freed once it is not drawn again."""
        self.gallery.upload()
        self.films.update()
        self.cells.update()
        self.ordered.update()
        # Thumbnails wait for everything else: reading them for jobs, drawing them for the mouse as well.
        is_quiet, state = not self._jobs.title, self._state
        settings = state.settings
        chosen = settings.opening, settings.game, settings.readings, settings.wears
        made_of = state.browser.children, state.changes, state.view.lighting.look, *chosen
        self.thumbnails.update(made_of, may_read=is_quiet, may_draw=is_quiet and may_draw)

    def draws(self) -> Iterator[Callable[[], None]]:
        """The functions that draw all images but that of the model, each by itself."""
        yield self.materials.draw
        yield self.pictures.draw

    def note(self) -> None:
        """Note in the state what the last frame drew, and what textures take."""
        self._state.statistics = self.scene.statistics
        self._state.texture_use = self.scene.renderer.texture_size / MEGABYTE

    def scale(self, scale: float) -> None:
        """Draw at another scale of the interface, pixels for each of its units."""
        self.scene.scale(scale)

    def release(self) -> None:
        """Release everything; the context stays."""
        self.gallery.release()
        self.thumbnails.release()
        self.films.release()
        self.ordered.release()
        self.scene.release()
