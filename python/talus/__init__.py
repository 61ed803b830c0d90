"""Sand in motion: simulate, look at, measure and store granular material.

    import talus

    sim = talus.Simulation("scenes/demo.toml")
    while sim.frame < sim.frame_count:
        sim.advance()                      # to the next frame
        print(sim.time, sim["velocity"].max())

Arrays of a simulation are views of its memory, without a copy. See python/README.md.
"""

from __future__ import annotations

import csv
import json
import os
import time as _clock
import tomllib
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Union

import numpy as np
import numpy.typing as npt

from . import _talus
from ._talus import (
    Body,
    DetailFrame,
    Error,
    Field,
    Frame,
    RequestError,
    Scene,
    StepReport,
    WorkError,
    __version__,
)
from . import lab

__all__ = [
    "Body", "DetailFrame", "Error", "Field", "Frame", "RequestError", "Run", "Scene", "Simulation",
    "StepReport", "WorkError", "__version__", "detail", "lab", "scene_dict", "write_frame",
]

Path = Union[str, "os.PathLike[str]"]
SceneSource = Union[Scene, Mapping[str, Any], Path]
Force = Callable[["Simulation"], npt.ArrayLike]


class Simulation(_talus.Simulation):
    """A scene in motion, without files.

    ``scene`` is a dictionary, the path of a scene file, or a Scene. ``threads`` = 0 takes all cores;
    the result has the same bits for any number of them.

    An array of ``sim["position"]`` is a view of the simulation's memory. It never dangles: when the
    simulation goes on, an array that you still hold keeps the values of its instant, and the
    simulation moves to memory of its own. Ask again for the new values. Arrays cannot be written to;
    ``kick`` changes velocities.
    """

    def __init__(self, scene: SceneSource, *, threads: int = 0) -> None:
        super().__init__(scene, threads=threads)
        self._frame_calls: list[Callable[[Simulation], Any]] = []
        self._forces: list[Force] = []
        self._owed = 0.0

    def on_frame(self, call: Callable[[Simulation], Any]) -> Callable[[Simulation], Any]:
        """Registers ``call(sim)`` for every frame that advance() or run() reaches; a decorator."""
        self._frame_calls.append(call)
        return call

    def add_force(self, force: Force) -> Force:
        """Registers ``force(sim)``, which returns accelerations in m/s^2 of the shape (n, 3) or (3,),
        in the order of the fields; a decorator. Before each step they act for the time of the step
        before: an impulse that the solver sees as it sees gravity. Forces are not saved."""
        self._forces.append(force)
        return force

    def step(self) -> StepReport:
        """One step of the solver, which never passes the next frame."""
        if self._forces and self._owed > 0:
            self._push(self._owed)
        report = super().step()
        self._owed = report.dt
        return report

    def _push(self, seconds: float) -> None:
        total = np.zeros((len(self), 3), np.float32)
        for force in self._forces:
            total += np.asarray(force(self), np.float32)
        total *= np.float32(seconds)
        self.kick(total)

    def advance(self) -> None:
        """Steps to the next frame, then makes the calls of on_frame()."""
        if self._forces:
            self.step()
            while not self.at_frame:
                self.step()
        else:
            super().advance()
        for call in self._frame_calls:
            call(self)

    def run(self, frames: int | None = None, *, folder: Path | None = None,
            overwrite: bool = False, report: bool = True) -> Run | None:
        """Advances to frame number ``frames`` (default: the end of the scene). With ``folder`` every
        frame is written, as by ``talus run``: the same files with the same bytes, and report.html
        unless ``report`` is false. When it is interrupted or fails, the folder holds a checkpoint for
        ``talus resume``."""
        last = self.frame_count if frames is None else frames
        if folder is None:
            while self.frame < last:
                self.advance()
            return None
        if self.steps > 0:
            raise RequestError("a run folder begins at frame 0; run(folder=...) needs a simulation "
                               "that has not been stepped yet, write_frame() does not")
        writer = _talus.RunWriter(self, folder, last, overwrite)
        writer.frame(self, 0.0)
        writer.checkpoint(self)
        try:
            while self.frame < last:
                self._write_next(writer)
        except BaseException as error:
            self._end_early(writer, error)
            if report:
                _leave_report(folder)
            raise
        writer.checkpoint(self)
        writer.end("finished")
        if report:
            _leave_report(folder)
        return Run(folder)

    def _write_next(self, writer: _talus.RunWriter) -> None:
        calls, self._frame_calls = self._frame_calls, []
        try:
            start = _clock.perf_counter()
            self.advance()
            writer.frame(self, _clock.perf_counter() - start)
        finally:
            self._frame_calls = calls
        for call in calls:
            call(self)

    def _end_early(self, writer: _talus.RunWriter, error: BaseException) -> None:
        # After a failed step the state is not worth keeping; the last checkpoint is.
        if isinstance(error, Error):
            writer.end("failed", str(error))
            return
        writer.checkpoint(self)
        writer.end("interrupted", type(error).__name__)


def _leave_report(folder: Path) -> None:
    """A page that cannot be made does not fail the run, which is whole."""
    try:
        _talus.write_report(folder, 0)
    except Error as error:
        warnings.warn(f"no report.html: {error}; Run(folder).report() tries again", stacklevel=3)


class Run:
    """A run folder: ``run.frame(12)["position"]``."""

    def __init__(self, folder: Path) -> None:
        self.folder = os.fspath(folder)
        try:
            with open(os.path.join(self.folder, "manifest.json"), encoding="utf-8") as file:
                self.manifest: dict[str, Any] = json.load(file)
        except FileNotFoundError as error:
            raise RequestError(f"{self.folder} is no run folder: it has no manifest.json; "
                               "'talus run' or Simulation.run(folder=...) write one") from error
        except (OSError, ValueError) as error:
            raise WorkError(f"{self.folder}/manifest.json cannot be read: {error}") from error

    @property
    def scene(self) -> Scene:
        """The scene that was run, every key with the value that was used."""
        return Scene(os.path.join(self.folder, "scene.toml"))

    @property
    def state(self) -> str:
        """"running", "finished", "interrupted" or "failed"."""
        return str(self.manifest["state"])

    @property
    def frames(self) -> list[int]:
        """Numbers of the frames that are there."""
        return [entry["frame"] for entry in self.manifest["frames"]]

    def frame(self, number: int) -> Frame:
        return Frame(os.path.join(self.folder, "frames", f"frame_{number:06d}.tal"))

    def __len__(self) -> int:
        return len(self.frames)

    def __iter__(self) -> Iterator[Frame]:
        return (self.frame(number) for number in self.frames)

    @property
    def detail_frames(self) -> list[int]:
        """Numbers of the frames that detail() made grains for."""
        return _talus.detail_frame_numbers(self.folder)

    def detail(self, number: int) -> list[DetailFrame]:
        """The fine grains of a frame, one part for each share."""
        return [DetailFrame(path) for path in _talus.detail_files(self.folder, number)]

    def report(self) -> str:
        """Writes report.html anew from what lies in the folder; returns its path."""
        return os.fspath(_talus.write_report(self.folder, 0))

    def table(self, name: str) -> dict[str, npt.NDArray[Any]]:
        """A table of the run by its columns: statistics, forces, bodies or timings."""
        with open(os.path.join(self.folder, name + ".csv"), encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))
        columns = zip(*rows[1:]) if len(rows) > 1 else [[] for _ in rows[0]]
        return {head: _numbers(cells) for head, cells in zip(rows[0], columns)}


def _numbers(cells: Sequence[str]) -> npt.NDArray[Any]:
    try:
        return np.array(cells, float)
    except ValueError:
        return np.array(cells)


def scene_dict(scene: Scene) -> dict[str, Any]:
    """The scene as a dictionary that Scene() takes; every key in use."""
    return tomllib.loads(scene.to_toml())


def write_frame(path: Path, fields: Mapping[str, npt.ArrayLike], *, time: float = 0.0,
                index: int = 0, interval: float = 0.0, step: int = 0, scene: str = "",
                units: Mapping[str, str] | None = None, like: Frame | None = None) -> None:
    """Writes arrays as a frame that all of Talus reads. ``position`` is needed; ``id`` is counted
    from 0 when it is missing, and sorts the rest. ``like`` gives units, materials, bodies and names
    that are not told here."""
    arrays = {name: np.ascontiguousarray(value) for name, value in fields.items()}
    if "position" not in arrays:
        raise RequestError("a frame needs the field 'position'")
    count = len(arrays["position"])
    if "id" not in arrays:
        arrays = {"id": np.arange(count, dtype=np.uint64), **arrays}
    for name, array in arrays.items():
        if array.ndim == 0 or len(array) != count:
            raise RequestError(f"field '{name}' has {array.shape[:1]} items, position has {count}")
    ids = arrays["id"]
    if count > 1 and not (ids[1:] > ids[:-1]).all():
        order = np.argsort(ids, kind="stable")
        if not (ids[order][1:] > ids[order][:-1]).all():
            raise RequestError("ids occur more than once; they must be unique")
        arrays = {name: np.ascontiguousarray(array[order]) for name, array in arrays.items()}
    known = like.fields if like is not None else {}
    columns = {}
    for name, array in arrays.items():
        field = known.get(name)
        unit = (units or {}).get(name) or (field.unit if field else _UNITS.get(name, "1"))
        columns[name] = (array, unit, field.meaning if field else "")
    _talus.write_columns(path, columns, like, scene, index, time, interval, step)


_UNITS = {"position": "m", "velocity": "m/s", "radius": "m", "density": "kg/m^3", "pressure": "Pa",
          "angular_velocity": "rad/s", "stress": "Pa"}


def detail(run: Run | Path, *, factor: int | None = None, method: str | None = None,
           velocity: bool = False, set: Sequence[str] = (), slice: tuple[int, int] = (1, 1),
           memory: int = 0, last_frame: int | None = None, overwrite: bool = False,
           force: bool = False, threads: int = 0,
           progress: Callable[[dict[str, Any]], Any] | None = None) -> dict[str, int]:
    """Fine grains on top of a run, as ``talus detail``. ``progress`` is called for every frame; what
    it raises stops the work, which a second call continues. Returns frames, grains, disk_bytes."""
    words = list(set)
    if factor is not None:
        words.append(f"detail.factor={factor}")
    if method is not None:
        words.append(f'detail.method="{method}"')
    if velocity:
        words.append("detail.write_velocity=true")
    folder = run.folder if isinstance(run, Run) else run
    last = 2**64 - 1 if last_frame is None else last_frame
    return _talus.make_detail(folder, words, slice, memory, last, overwrite, force, threads, progress)
