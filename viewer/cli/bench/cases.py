"""The cases of ``bench``, by name."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Final

import numpy as np
from msgspec.structs import replace

from viewer.cli.bench import edits, effects, frames, overviews, windows
from viewer.cli.bench.subjects import Subjects
from viewer.cli.bench.timing import (
    MILLISECONDS,
    SLOW_RUNS,
    Result,
    Work,
    by_name,
    finish,
    milliseconds,
    process,
    start,
    whole,
)
from viewer.cli.checking.validate import reports
from viewer.errors import FormatError
from viewer.formats.archive import nres
from viewer.model.checks.models import check_model
from viewer.model.kinds.plain import listing
from viewer.model.kinds.registry import MODEL, kind_of
from viewer.model.mesh.draws import visible_parts
from viewer.model.mesh.model import Model
from viewer.model.mesh.reading_choices import ReadingChoice
from viewer.model.query.search_query import Query, Scope
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.listed import listed
from viewer.model.validation.batch_validation import plan
from viewer.operations.corpus.hits import SearchResults
from viewer.operations.corpus.searching import SearchOptions, search
from viewer.operations.corpus.statistics import StatisticsOptions, collect
from viewer.operations.folders.comparison import compare_folders, count_fields
from viewer.operations.opening import Source
from viewer.operations.overview.columns import COLUMNS
from viewer.progress import Progress
from viewer.render.buffers.draw_list import DrawList
from viewer.render.buffers.merge import merge
from viewer.render.buffers.model_buffers import ModelBuffers
from viewer.render.offscreen import OffscreenRenderer, zoomed
from viewer.render.passes.textured import SurfacePass
from viewer.render.portions import Frame
from viewer.render.programs import Programs, Projection
from viewer.resources import bundled_path
from viewer.session.opened.document import Document
from viewer.session.opened.listing import count_below
from viewer.session.play.keys.curves import CurveKind, NodeMotion
from viewer.session.play.posing import framed
from viewer.session.tables.table_view import RowQuery, SortedBy, arrange

SAMPLE: Final = "assets/game/models.rlb"
SAMPLE_MODEL: Final = "walker.msh"


def baseline_10k(_: Subjects) -> Work:
    """10,000 products of 4x4 matrices: the unit for comparing different machines."""
    matrices = np.ones((10_000, 4, 4), np.float32)
    return Work(lambda: matrices @ matrices)


def start_numpy(_: Subjects) -> Work:
    """A process that imports numpy and nothing else: the unit for the start-up times of this program."""
    return Work(lambda: finish(process("-c", "import numpy")), warm_up=1, most=SLOW_RUNS)


def start_help(_: Subjects) -> Work:
    """From the start of the process until the help is printed."""
    return whole("--help")


def start_ls(_: Subjects) -> Work:
    """A whole process that lists an archive of a few models."""
    return whole("ls", str(bundled_path(SAMPLE)))


def start_inspect(_: Subjects) -> Work:
    """A whole process that prints a model with its materials."""
    return whole("inspect", str(Address(bundled_path(SAMPLE), (SAMPLE_MODEL,))))


def start_render(subjects: Subjects) -> Work:
    """A whole process that renders a model with its materials."""
    address, out = str(Address(bundled_path(SAMPLE), (SAMPLE_MODEL,))), str(subjects.folder / "start.png")
    return whole("render", address, "-o", out)


def parse_400(subjects: Subjects) -> Work:
    """Parse an archive and all models in it, tables as views."""
    library = FileStore()

    def parse() -> list[Model]:
        archive = nres.Archive.read(library.open(subjects.archive).data)
        return [Model.read(archive.payload(entry.index)) for entry in archive.entries]

    return Work(parse)


def list_400(subjects: Subjects) -> Work:
    """The entries of an archive with their kinds, as ``ls`` lists them."""

    def list_entries() -> object:
        library = FileStore()
        container = listed(library, subjects.archive) or library.open(subjects.archive).container
        return container and listing(container)

    return Work(list_entries)


def open_60k(subjects: Subjects) -> Work:
    """Open a model up to its first frame, without the start of the process."""
    renderer = OffscreenRenderer(Document.open(FileStore(), Source(subjects.medium)))

    def open_model() -> None:
        document = Document.open(FileStore(), Source(subjects.medium))
        view = replace(subjects.view, camera=framed(document, subjects.view.camera, subjects.view, 1.0))
        renderer.show(document)
        renderer.renderer.draw(Frame(view, document.animation.pose(0.0), subjects.sizes.frame))
        renderer.ctx.finish()

    return Work(open_model, before=renderer.renderer.unload, most=SLOW_RUNS)


def upload_60k(subjects: Subjects) -> Work:
    """Upload a model to the graphics card, including the merging of its draws."""
    document = Document.open(FileStore(), Source(subjects.medium))
    renderer = OffscreenRenderer(document)

    def upload() -> None:
        renderer.show(document)
        renderer.ctx.finish()

    return Work(upload, before=renderer.renderer.unload)


def pose_10k(subjects: Subjects) -> Work:
    """Interpolate all nodes between two keys and compute their world matrices."""
    animation = subjects.large_document.animation
    times = frames.times(animation.frame_count)
    return Work(lambda: animation.pose(next(times)))


def curves_200x2000(subjects: Subjects) -> Work:
    """All curves of 200 nodes at 2,000 times: of places, rotations, angles, speeds, and against double."""
    document = Document.open(FileStore(), Source(subjects.keyed))
    nodes = range(document.model.node_count)

    def calculate() -> None:
        for node in nodes:
            motion = NodeMotion(document, node)
            for kind in CurveKind:
                motion.curves(kind)

    return Work(calculate)


def pose_200x200(subjects: Subjects) -> Work:
    """Pose 200 nodes at each of 200 frames."""
    animation = Document.open(FileStore(), Source(subjects.animated)).animation
    frames = [frame + 0.25 for frame in range(animation.frame_count)]
    return Work(lambda: [animation.pose(frame) for frame in frames])


def cull_draw_list_10k(subjects: Subjects) -> Work:
    """Make the draw list for a pose and a camera that sees a part of the model."""
    document = subjects.large_document
    merged = merge(document.model, document.draws)
    world = document.animation.pose(1.5).world
    camera = zoomed(subjects.view.camera, 2.0)
    planes = Projection.of(camera, subjects.sizes.frame).frustum

    def cull() -> DrawList:
        parts = visible_parts(document.draws, world, planes, document.shown(subjects.view).parts)
        return DrawList.of(merged.mask_of(document.draws.draws_of(parts)), merged.triangle_start)

    return Work(cull)


def submit_10k(subjects: Subjects) -> Work:
    """The calls that draw the large model, all of it visible, without the later work of the driver."""
    ctx, document = subjects.renderer.ctx, subjects.large_document
    subject = ModelBuffers(ctx, document.model, document.draws, merge(document.model, document.draws))
    return frames.submission(subjects, subject, SurfacePass(ctx, Programs.of(ctx)))


def validate_400(subjects: Subjects) -> Work:
    """Validate a folder of models in this process."""
    return _validation(subjects.models, 1)


def validate_400_jobs2(subjects: Subjects) -> Work:
    """Validate the same folder in two processes, including their start."""
    return _validation(subjects.models, 2)


def _validation(folder: Address, jobs: int) -> Work:
    def validate() -> None:
        tasks = plan([folder], is_divided=jobs > 1)
        for report in reports(tasks, jobs):
            if report.errors:
                raise FormatError(report.errors[0].message, source=report.source)

    return Work(validate, most=SLOW_RUNS)


def validate_60k(subjects: Subjects) -> Work:
    """Validate one large model."""
    library = FileStore()
    data = library.open(subjects.medium).data
    return Work(lambda: check_model(Model.read(data)))


def render_400(subjects: Subjects) -> Work:
    """A whole run that renders all models of an archive at 512 x 512, in as many processes as are useful."""
    out = str(subjects.folder / "pictures" / "{entry}.png")
    return whole("render", str(subjects.archive), "-o", out, "--size", "512x512", warm_up=0, most=1)


def gallery_50(subjects: Subjects) -> Work:
    """A whole run that makes a gallery of an eighth of these models."""
    return whole("gallery", str(subjects.few), "-o", str(subjects.folder / "site"), warm_up=0, most=1)


def search_install(subjects: Subjects) -> Result:
    """Speed of the search for bytes in an install of 6,700 entries, which has them nowhere, MB/s."""
    folder = subjects.install.path
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    options = SearchOptions(Query("4D 45 53 48 99 98", frozenset({Scope.BYTES})), (folder,))
    times = milliseconds(Work(lambda: search(FileStore(), options, SearchResults(), Progress())), SLOW_RUNS)
    return Result("search_install", "MB/s", tuple(size / 1e3 / time for time in times))


def stats_400(subjects: Subjects) -> Work:
    """The statistics of all fields of all tables of the models in an archive."""
    options = StatisticsOptions((subjects.archive,))
    return Work(lambda: [*collect(FileStore(), options, Progress()).summary(Progress())], most=SLOW_RUNS)


def list_install(subjects: Subjects) -> Work:
    """The entries of an install by kind, as the browser counts them."""
    return Work(lambda: count_below(FileStore(), subjects.install))


def overview(subjects: Subjects) -> Work:
    """A whole run that lists all entries of an install with every column."""
    return whole("ls", str(subjects.install), "--columns", ",".join(COLUMNS), warm_up=0, most=1)


def diff_install(subjects: Subjects) -> Work:
    """Compare an install with a copy in which ten things are changed, and count the fields that differ."""
    before, after = subjects.install.path, subjects.changed_install.path

    def compare() -> None:
        found = compare_folders(before, after, Progress())
        store = FileStore()
        found.with_fields([count_fields(store, ReadingChoice.AUTO, it) for it in found.tasks()])

    return Work(compare, warm_up=0, most=SLOW_RUNS)


def survey(subjects: Subjects) -> Work:
    """A whole run that surveys an install."""
    out = str(subjects.folder / "report.json")
    return whole("survey", str(subjects.install), "-o", out, warm_up=0, most=1)


def table_sort_300k(subjects: Subjects) -> Work:
    """A click on a header: a table filtered by a condition and sorted by a column, stably."""
    view = windows.table_300k(subjects)
    query = RowQuery(view, "index_count > 300", SortedBy("index_start", is_descending=True))
    return Work(lambda: arrange(query))


def open_file(path: str) -> Callable[[Subjects], Work]:
    """Open a user's file: a model until it can be drawn, an archive until all its models are parsed."""
    address = Address.parse(path)

    def read() -> None:
        library = FileStore()
        item = library.open(address)
        container = item.container
        if kind_of(item) is MODEL:
            Document.open(library, Source(address))
        elif container is not None:
            for row in listing(container):
                if row["type_name"] == MODEL.id:
                    library.open(address.child(f"#{row['index']}")).read_model()

    return lambda _: Work(read)


def peak_memory_mb(subjects: Subjects) -> Result:
    """Peak memory, in MB, of a process that renders the large model."""
    out = subjects.folder / "image.png"
    with start("render", str(subjects.large), "-o", str(out)) as rendering:
        peak = _peak_memory(rendering)
    finish(rendering)
    return Result("peak_memory_mb", "MB", (peak / 1e6,))


def _peak_memory(process: subprocess.Popen[bytes]) -> int:
    """Peak memory, bytes, of a process, once it has ended."""
    if sys.platform == "win32":
        import ctypes  # noqa: PLC0415 Windows only

        counters = (ctypes.c_size_t * 9)()  # PROCESS_MEMORY_COUNTERS: two u32, then sizes, the peak first
        handle = ctypes.c_void_p(int(process._handle))  # noqa: SLF001 kept until the process is closed
        peak = 0
        while process.poll() is None:  # Wine knows it of running processes only
            ctypes.windll.kernel32.K32GetProcessMemoryInfo(handle, counters, ctypes.sizeof(counters))
            peak = max(peak, counters[1])
            time.sleep(0.01)
        return peak
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)


CASES: Final = {
    **by_name(baseline_10k, start_numpy, start_help, start_ls, start_inspect, start_render),
    **by_name(parse_400, list_400, open_60k, upload_60k, pose_10k, pose_200x200, curves_200x2000),
    **by_name(cull_draw_list_10k, submit_10k),
    **frames.CASES,
    **by_name(validate_400, validate_400_jobs2, validate_60k, table_sort_300k, list_install, stats_400),
    **by_name(overview, diff_install, survey),
    **by_name(render_400, gallery_50),
    **effects.CASES,
    **edits.CASES,
    **windows.CASES,
    **overviews.CASES,
}
"""The timed cases."""
RESULTS: Final = by_name(
    frames.materials_20_over_1, search_install, *edits.RESULTS, *overviews.RESULTS, peak_memory_mb
)
"""Cases that are not the time of runs."""
NAMES: Final = (*CASES, *RESULTS)


def measure(name: str, subjects: Subjects) -> Result:
    """Measure one case by name."""
    return RESULTS[name](subjects) if name in RESULTS else timed(name, CASES[name], subjects)


def timed(name: str, make: Callable[[Subjects], Work], subjects: Subjects) -> Result:
    """Time the work that `make` prepares."""
    return Result(name, MILLISECONDS, milliseconds(make(subjects), subjects.sizes.runs))
