"""Measurements, and the experiments of ``talus lab``."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from . import _talus
from ._talus import Flank, experiments, fit_line, measure_flank

__all__ = ["Flank", "experiments", "fit_line", "measure_flank", "run"]

_SCENES = os.path.join(os.path.dirname(__file__), "lab_scenes")


def run(name: str, *, full: bool = False, folder: str | os.PathLike[str] = _SCENES,
        threads: int = 0, say: Callable[[str], Any] | None = None) -> dict[str, Any]:
    """Runs an experiment. Returns quantities (value, error, band, source), curves, and passed."""
    return _talus.run_experiment(name, folder, full, threads, say)
