"""The scripts of python/examples, as a user calls them, at sizes that take seconds."""

import os
import re
import subprocess
import sys
import unittest

import talus
from small_scenes import SOURCE, FolderCase, sand


class Examples(FolderCase):
    def call(self, name, *arguments, path=os.environ["PYTHONPATH"]):
        done = subprocess.run(
            [sys.executable, SOURCE / "python/examples" / name, *map(str, arguments)],
            cwd=self.folder, env={**os.environ, "PYTHONPATH": path, "DISPLAY": ""},
            capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_pile(self):
        out = self.call("pile_angle.py", "--spacing", 0.04, "--seconds", 10)
        angle = float(re.search(r"flank: ([-0-9.]+)", out).group(1))
        self.assertTrue(20 < angle < 40, out)

    def test_silo(self):
        try:
            import matplotlib  # noqa: F401
        except ImportError:
            self.skipTest("python3-matplotlib is not installed")
        out = self.call("silo_live.py", "--spacing", 0.025, "--seconds", 1, "--picture", "s.png")
        self.assertGreater(float(re.search(r"empties: ([-0-9.e]+)", out).group(1)), 0.5, out)
        picture = (self.folder / "s.png").read_bytes()
        self.assertTrue(picture.startswith(b"\x89PNG") and len(picture) > 5000)

    def test_force(self):
        for solver in "sph", "dem":
            out = self.call("custom_force.py", "--spacing", 0.04, "--seconds", 0.4, "--solver", solver,
                            "--folder", solver)
            self.assertGreater(float(re.findall(r"momentum ([-0-9.]+)", out)[-1]), 0.005, out)
            self.assertEqual(talus.Run(self.folder / solver).state, "finished")

    def test_sweep(self):
        one = self.call("sweep.py", "--angles", 15, 40, "--spacing", 0.04, "--seconds", 0.6,
                        "--processes", 2)
        far, near = (float(line.split()[1]) for line in one.splitlines()[1:])
        self.assertGreater(far, near)

    def test_reading_without_talus(self):
        talus.Simulation(sand()).run(3, folder=self.folder / "run")
        out = self.call("read_without_talus.py", self.folder / "run", path="")
        frame = talus.Run(self.folder / "run").frame(3)
        centre = frame["position"].mean(axis=0)
        self.assertEqual(out.splitlines()[0], "block: finished, 4 frames")
        self.assertIn(f"{centre[0]:7.3f} {centre[1]:7.3f} {centre[2]:7.3f}", out.splitlines()[-1])

    def test_the_reader_refuses_damage(self):
        sys.path.insert(0, str(SOURCE / "python/examples"))
        import read_without_talus
        file = self.folder / "f.tal"
        talus.Simulation(sand()).write_frame(file)
        whole = file.read_bytes()
        for damaged in whole[:-1], b"x" + whole[1:], whole[:-9] + b"?" + whole[-8:]:
            file.write_bytes(damaged)
            with self.assertRaises(ValueError):
                read_without_talus.read_frame(file)


if __name__ == "__main__":
    unittest.main()
