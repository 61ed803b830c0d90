"""Scenes that run in a second, and a folder that goes away, for the tests beside this file."""

import os
import pathlib
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["TALUS_SOURCE_DIR"])
PROGRAM = os.environ["TALUS_PROGRAM"]


def sand(**changes):
    """A block of continuum sand above the ground."""
    scene = {
        "scene": {"name": "block", "duration": 0.2, "frame_rate": 50},
        "sph": {"spacing": 0.03},
        "material": {"name": "sand", "friction_angle_deg": 30},
        "fill": {"material": "sand",
                 "shape": {"type": "box", "size": [0.24, 0.24, 0.24], "position": [0, 0, 0.15]}},
        "body": {"name": "ground", "shape": {"type": "plane"}},
    }
    scene.update(changes)
    return scene


def grains(**changes):
    """The same of rigid grains."""
    scene = {
        "scene": {"name": "grains", "duration": 0.05, "frame_rate": 100, "solver": "dem"},
        "material": {"name": "beads", "preset": "glass beads", "grain_diameter": 0.02},
        "fill": {"material": "beads",
                 "shape": {"type": "box", "size": [0.12, 0.12, 0.12], "position": [0, 0, 0.08]}},
        "body": {"name": "ground", "shape": {"type": "plane"}},
    }
    scene.update(changes)
    return scene


class FolderCase(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="talus_python_")
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
