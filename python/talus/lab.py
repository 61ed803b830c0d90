"""Measurements, and the experiments of ``talus lab``."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from typing import Any

from . import _talus
from ._talus import Flank, experiments, fit_line, measure_flank

__all__ = ["Flank", "experiments", "fit_line", "measure_flank", "run"]

_SCENES = os.path.join(os.path.dirname(__file__), "lab_scenes")


def run(name: str, *, full: bool = False, folder: str | os.PathLike[str] = _SCENES,
        cache: str | os.PathLike[str] | None = None, threads: int = 0,
        say: Callable[[str], Any] | None = None) -> dict[str, Any]:
    """Runs an experiment. Returns quantities (value, error, band, source), remarks, curves, passed.

    Settled beds are kept in ``cache``, by default a folder of the user's for temporary files.
    """
    if cache is None:
        cache = os.path.join(tempfile.gettempdir(), f"talus_lab_{os.getuid()}")
    return _talus.run_experiment(name, folder, cache, full, threads, say)
