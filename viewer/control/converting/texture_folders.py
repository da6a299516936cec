"""All textures of a library as pictures in a folder, and back as one undo step."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from viewer.control.editing.edit_controller import EditController
from viewer.control.job_controller import JobController
from viewer.control.jobs import Jobs, problem_of
from viewer.control.opening.open_controller import OpenController
from viewer.control.state import State
from viewer.model.store.address import Address
from viewer.model.store.disk import with_target
from viewer.operations.textures.texture_folders import ReturnPlan, plan_return, write_pictures
from viewer.progress import Progress
from viewer.session.edits.edited_file import Step
from viewer.session.importing import PICTURES_LANE, RetexturedModel, TextureReturn, WrittenPictures
from viewer.session.opened.tabs import Tab
from viewer.translation import _, counted

MODEL_LANE: Final = "retextured_model"
"""The job that reads a model with other textures."""


class TextureFolders(JobController):
    """Keeps `pictures` and `textures` of `State.converting`; owner: the application, main thread only.

    Parameters
    ----------
    edits
        Makes the undo steps.
    """

    def __init__(self, state: State, jobs: Jobs, opener: OpenController, edits: EditController) -> None:
        super().__init__(state, jobs, opener)
        self._edits = edits

    def write(self, library: Address, folder: Path) -> None:
        """Write the textures of a library as pictures in a new folder, and show how many there are."""
        files = self._opener.library.snapshot()

        def work(progress: Progress) -> WrittenPictures:
            found = write_pictures(files.open(library.real), folder, progress)
            return WrittenPictures(library, folder, found.count, tuple(found.refused))

        def done(written: WrittenPictures) -> None:
            count = counted(written.count, "{count} picture", "{count} pictures")
            self._state.note(_("wrote {count} to {out}", count=count, out=with_target(folder)))
            self._keep(pictures=written)

        title = _("Writing the textures of {name}…", name=library.name)
        self._jobs.start(f"save {folder}", title, work, done, is_background=True, is_writing=True)

    def close_written(self) -> None:
        """Close the report of what was written."""
        self._keep(pictures=None)

    def read(self, library: Address, folder: Path) -> None:
        """Read the pictures of a folder, and show what they change in a library."""
        self._keep(textures=TextureReturn(library, folder), pictures=None)
        files = self._opener.library.snapshot()

        def work(progress: Progress) -> ReturnPlan:
            return plan_return(files, files.open(library.real), folder, progress)

        self._work_out(folder, work)

    def leave_out(self, left_out: frozenset[int]) -> None:
        """Work out what happens without some of the changes."""
        before = self._state.converting.textures
        if before is None or before.plan is None:
            return
        plan, files = before.plan, self._opener.library.snapshot()
        self._keep_known(left_out=left_out, is_running=True, problem="")
        self._work_out(before.folder, lambda _progress: plan.without(files, left_out))

    def _work_out(self, folder: Path, work: Callable[[Progress], ReturnPlan]) -> None:
        """Work out a plan in a worker thread, and keep it."""

        def done(plan: ReturnPlan) -> None:
            self._keep_known(plan=plan, is_running=False)

        def failed(error: BaseException) -> None:
            self._keep_known(problem=problem_of(error), is_running=False)

        title = _("Reading {name}…", name=folder.name)
        self._jobs.start(PICTURES_LANE, title, work, done, failed, is_background=True)

    def compare(self, tab: Tab) -> None:
        """Read what a tab shows with the changed textures, to be drawn next to what it shows now."""
        asked = self._state.converting.textures
        if asked is None or asked.plan is None:
            return
        plan, files = asked.plan, self._opener.library.snapshot()

        def done(model: RetexturedModel) -> None:
            self._keep_known(model=model)

        self._jobs.start(MODEL_LANE, "", lambda _ignored: RetexturedModel.read(files, tab, plan), done)

    def answer(self, *, is_wanted: bool) -> None:
        """Make the chosen changes as one undo step, or none.

        Raises `UsageError` if the library has other bytes than those that were read; the question stays.
        """
        asked = self._state.converting.textures
        if is_wanted and asked is not None and asked.plan is not None and asked.is_ready:
            self._apply(asked.plan, asked.folder)
        self._jobs.drop(PICTURES_LANE)
        self._jobs.drop(MODEL_LANE)
        self._keep(textures=None)

    def _apply(self, plan: ReturnPlan, folder: Path) -> None:
        plan.refuse_other(self._opener.library)
        self._edits.make(step_of(plan, folder).as_made(None, self._state.tabs.active.address))
        self._state.announce(plan.summary[0])

    def _keep_known(self, **fields: Any) -> None:
        """Keep what is known of the pictures that were asked about last, if they still are."""
        now = self._state.converting.textures
        if now is not None:
            self._keep(textures=replace(now, **fields))

    def _keep(self, **fields: Any) -> None:
        self._state.converting = replace(self._state.converting, **fields)


def step_of(plan: ReturnPlan, folder: Path) -> Step:
    """The undo step of the changes of a library by the pictures of a folder."""
    changed = plan.chosen
    words = counted(len(changed), "{count} texture", "{count} textures")
    return Step(
        plan.library,
        _("{textures} from {folder}", textures=words, folder=folder.name),
        plan.file.splices,
        others=tuple(it.address for it in changed),
    )
