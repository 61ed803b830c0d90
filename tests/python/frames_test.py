"""Frames and run folders: read, written, refined, measured."""

import math
import unittest

import numpy as np

import talus
from small_scenes import FolderCase, grains, sand


class Frames(FolderCase):
    def test_hold_what_the_simulation_had(self):
        sim = talus.Simulation(sand())
        sim.run(2)
        sim.write_frame(self.folder / "f.tal")
        frame = talus.Frame(self.folder / "f.tal")
        self.assertEqual((frame.index, frame.time, frame.step), (2, sim.time, sim.steps))
        self.assertEqual(len(frame), len(sim))
        order = np.argsort(sim["id"])
        for name in "id", "position", "velocity", "pressure", "radius", "material":
            np.testing.assert_array_equal(frame[name], sim[name][order], name)
        self.assertEqual(frame.fields["velocity"].unit, "m/s")
        self.assertEqual(frame.bodies[0].name, "ground")
        self.assertEqual(frame.bodies[0].force.shape, (3,))
        self.assertLess(frame.bodies[0].force[2], 0)
        self.assertEqual(frame.materials[0]["name"], "sand")
        with self.assertRaisesRegex(KeyError, "no field 'speed'"):
            frame["speed"]
        self.assertIn("shade", frame)
        self.assertNotIn("speed", frame)

    def test_contacts(self):
        sim = talus.Simulation(grains(output={"fields": ["contacts", "coordination"]}))
        sim.run(5)
        sim.write_frame(self.folder / "f.tal")
        frame = talus.Frame(self.folder / "f.tal")
        self.assertEqual(frame["contacts/point"].shape, (len(frame["contacts/grain_a"]), 3))
        self.assertEqual(frame["coordination"].dtype, np.uint32)

    def test_are_written(self):
        rng = np.random.default_rng(3)
        position = rng.normal(size=(1000, 3)).astype(np.float32)
        ids = rng.permutation(1000).astype(np.uint64) * 7
        talus.write_frame(self.folder / "w.tal", {
            "position": position, "id": ids, "heat": position[:, 0].astype(np.float64),
            "turn": np.zeros((1000, 4), np.float32)}, time=1.5, index=3, units={"heat": "K"})
        frame = talus.Frame(self.folder / "w.tal")
        order = np.argsort(ids)
        np.testing.assert_array_equal(frame["id"], ids[order])
        np.testing.assert_array_equal(frame["position"], position[order])
        np.testing.assert_array_equal(frame["heat"], position[order, 0].astype(np.float64))
        self.assertEqual((frame.time, frame.index, frame.fields["heat"].unit), (1.5, 3, "K"))
        self.assertEqual(frame.fields["position"].unit, "m")

    def test_are_written_like_another(self):
        sim = talus.Simulation(sand())
        sim.write_frame(self.folder / "a.tal")
        a = talus.Frame(self.folder / "a.tal")
        talus.write_frame(self.folder / "b.tal", {name: a[name] for name in a.fields}, like=a)
        b = talus.Frame(self.folder / "b.tal")
        self.assertEqual(b.materials, a.materials)
        self.assertEqual([body.name for body in b.bodies], ["ground"])
        self.assertEqual((self.folder / "a.tal").read_bytes(), (self.folder / "b.tal").read_bytes())

    def test_arrays_that_do_not_fit(self):
        x = np.zeros((4, 3), np.float32)
        bad = [({"position": x, "id": np.zeros(4, np.uint64)}, ValueError, "unique"),
               ({"velocity": x}, ValueError, "position"),
               ({"position": x, "radius": np.zeros(3, np.float32)}, ValueError, "radius"),
               ({"position": x, "name": np.array(list("abcd"))}, TypeError, "name"),
               ({"position": x, "wide": np.zeros((4, 5), np.float32)}, TypeError, "wide"),
               ({"position": x, "small": np.zeros(4, np.int16)}, TypeError, "astype")]
        for fields, error, text in bad:
            with self.assertRaisesRegex(error, text):
                talus.write_frame(self.folder / "x.tal", fields)
        self.assertFalse((self.folder / "x.tal").exists())
        with self.assertRaisesRegex(talus.WorkError, "nowhere"):
            talus.write_frame(self.folder / "nowhere" / "x.tal", {"position": x})

    def test_damaged(self):
        file = self.folder / "f.tal"
        talus.Simulation(sand()).write_frame(file)
        data = bytearray(file.read_bytes())
        data[len(data) // 2] ^= 255
        file.write_bytes(data)
        with self.assertRaisesRegex(talus.WorkError, "f.tal"):
            frame = talus.Frame(file)
            [frame[name] for name in frame.fields]


class Runs(FolderCase):
    def test_folder(self):
        run = talus.Simulation(sand()).run(3, folder=self.folder / "run")
        page = self.folder / "run" / "report.html"
        self.assertIn("<canvas", page.read_text(encoding="utf-8"))
        before = page.read_bytes()
        page.unlink()
        self.assertEqual(run.report(), str(page))
        self.assertEqual(page.read_bytes(), before)
        talus.Simulation(sand()).run(1, folder=self.folder / "bare", report=False)
        self.assertFalse((self.folder / "bare" / "report.html").exists())
        self.assertEqual((run.state, run.frames, len(run)), ("finished", [0, 1, 2, 3], 4))
        self.assertEqual(run.scene.name, "block")
        self.assertEqual([frame.index for frame in run], run.frames)
        table = run.table("statistics")
        self.assertEqual(len(table["time_s"]), 4)
        self.assertEqual(table["particles"][0], len(run.frame(0)))
        self.assertEqual(run.table("forces")["body"][0], "ground")
        with self.assertRaisesRegex(talus.RequestError, "already holds a run"):
            talus.Simulation(sand()).run(1, folder=self.folder / "run")
        self.assertEqual(len(talus.Simulation(sand()).run(1, folder=run.folder, overwrite=True)), 2)
        with self.assertRaisesRegex(talus.RequestError, "no run folder"):
            talus.Run(self.folder)

    def test_interrupted_runs_can_be_resumed(self):
        import subprocess
        from small_scenes import PROGRAM
        sim = talus.Simulation(sand())

        @sim.on_frame
        def stop(sim):
            if sim.frame == 2:
                raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            sim.run(5, folder=self.folder / "run")
        self.assertEqual(talus.Run(self.folder / "run").state, "interrupted")
        subprocess.run([PROGRAM, "resume", self.folder / "run", "--quiet"], check=True,
                       stdout=subprocess.DEVNULL)
        talus.Simulation(sand()).run(5, folder=self.folder / "whole")
        for n in range(6):
            name = f"frames/frame_{n:06d}.tal"
            self.assertEqual((self.folder / "run" / name).read_bytes(),
                             (self.folder / "whole" / name).read_bytes())

    def test_detail(self):
        run = talus.Simulation(sand()).run(2, folder=self.folder / "run")
        seen = []
        report = talus.detail(run, factor=8, velocity=True, progress=seen.append)
        self.assertEqual(report["grains"], 8 * len(run.frame(2)))
        self.assertEqual(seen[-1]["frame"], 2)
        self.assertEqual(run.detail_frames, [0, 1, 2])
        grains_of_frame = run.detail(2)
        self.assertEqual(sum(map(len, grains_of_frame)), 8 * len(run.frame(2)))
        part = grains_of_frame[0]
        self.assertEqual(part["position"].shape, (len(part), 3))
        self.assertEqual(part["velocity"].shape, (len(part), 3))
        self.assertEqual(len(np.unique(part["id"])), len(part))
        self.assertEqual(part.factor, 8)
        np.testing.assert_allclose(part["position"].mean(axis=0),
                                   run.frame(2)["position"].mean(axis=0), atol=0.01)
        with self.assertRaises(KeyError):
            part["pressure"]
        with self.assertRaisesRegex(talus.RequestError, "factor"):
            talus.detail(run, factor=-3)

        def stop(progress):
            raise InterruptedError

        with self.assertRaises(InterruptedError):
            talus.detail(run, factor=4, overwrite=True, progress=stop)


class Lab(unittest.TestCase):
    def test_flank_of_a_cone(self):
        spacing, slope = 0.02, math.tan(math.radians(25))
        axis = np.arange(-60, 61) * spacing
        x, y, z = np.meshgrid(axis, axis, np.arange(30) * spacing, indexing="ij")
        keep = z + spacing / 2 < 0.5 - slope * np.hypot(x, y)
        flank = talus.lab.measure_flank(np.stack([x[keep], y[keep], z[keep]], axis=1), spacing,
                                        spacing**3)
        self.assertAlmostEqual(flank.angle_deg, 25, delta=2)
        self.assertEqual(flank.radius.shape, flank.profile.shape)

    def test_line(self):
        x = np.linspace(0, 1, 50)
        y = 2 + 3 * x
        y[7] = 100
        intercept, slope = talus.lab.fit_line(x, y)
        self.assertAlmostEqual(intercept, 2, places=6)
        self.assertAlmostEqual(slope, 3, places=6)
        with self.assertRaises(ValueError):
            talus.lab.fit_line([1, 2], [1])

    def test_experiments(self):
        self.assertIn("repose", [name for name, _ in talus.lab.experiments()])
        with self.assertRaisesRegex(ValueError, "no experiment 'x'; there are .* repose"):
            talus.lab.run("x")
        with self.assertRaisesRegex(talus.RequestError, "no such file"):
            talus.lab.run("repose", folder="nowhere")


if __name__ == "__main__":
    unittest.main()
