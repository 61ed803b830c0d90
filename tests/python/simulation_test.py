"""Stepping from Python: the same bits as the program, arrays that never dangle, Python's lock."""

import gc
import subprocess
import threading
import time
import unittest

import numpy as np

import talus
from small_scenes import PROGRAM, FolderCase, grains, sand

POUR = {"material": "sand", "position": [0, 0, 0.6], "direction": [0, 0, -1], "radius": 0.08,
        "rate": 30.0, "speed": 2.0}


class SameBits(FolderCase):
    def program_run(self, scene):
        file = self.folder / "scene.toml"
        file.write_text(talus.Scene(scene).to_toml())
        subprocess.run([PROGRAM, "run", file, "-o", self.folder / "program", "--quiet", "-j", "2"],
                       check=True, stdout=subprocess.DEVNULL)
        return self.folder / "program"

    def check(self, scene):
        other = self.program_run(scene)
        run = talus.Simulation(scene, threads=1).run(folder=self.folder / "python")
        self.assertEqual(run.state, "finished")
        files = ["statistics.csv", "forces.csv", "bodies.csv", "scene.toml", "checkpoint.tal"]
        files += [f"frames/frame_{n:06d}.tal" for n in run.frames]
        self.assertEqual(len(run), talus.Scene(scene).frame_count + 1)
        for name in files:
            self.assertEqual((other / name).read_bytes(), (self.folder / "python" / name).read_bytes(),
                             name)

    def test_sand(self):
        self.check(sand(pour=POUR))

    def test_grains(self):
        self.check(grains())

    def test_looking_changes_nothing(self):
        for scene in sand(), grains():
            quiet, watched = talus.Simulation(scene), talus.Simulation(scene)
            held = []
            while quiet.frame < 3:
                quiet.step()
                watched.step()
                held.append({name: watched[name] for name in watched.fields})
                watched.energy()
            for name in quiet.fields:
                np.testing.assert_array_equal(quiet[name], watched[name], name)

    def test_save_and_load_continue_with_the_same_bits(self):
        for number, scene in enumerate((sand(pour=POUR), grains())):
            file = self.folder / f"checkpoint{number}.tal"
            first = talus.Simulation(scene)
            for _ in range(5):
                first.step()
            held = first["position"]
            copy = held.copy()
            first.save(file)
            np.testing.assert_array_equal(held, copy)
            second = talus.Simulation(scene, threads=1)
            second.load(file)
            for _ in range(5):
                first.step()
                second.step()
            self.assertEqual(first.time, second.time)
            for name in first.fields:
                np.testing.assert_array_equal(first[name], second[name], name)


class Views(unittest.TestCase):
    def test_are_not_copies(self):
        for scene in sand(), grains():
            sim = talus.Simulation(scene)
            a, b = sim["position"], sim.field("position")
            self.assertEqual(a.ctypes.data, b.ctypes.data)
            self.assertTrue(np.shares_memory(a, b))
            self.assertEqual(a.shape, (len(sim), 3))
            self.assertEqual(a.dtype, np.float32)
            self.assertEqual(sim["id"].dtype, np.uint64)
            self.assertFalse(a.flags.owndata)

    def test_cannot_be_written(self):
        sim = talus.Simulation(sand())
        with self.assertRaises(ValueError):
            sim["velocity"][0] = 1
        with self.assertRaises(ValueError):
            sim["velocity"].setflags(write=True)

    def test_keep_their_instant_when_the_simulation_goes_on(self):
        for scene in sand(), grains():
            sim = talus.Simulation(scene)
            held, part = sim["velocity"], sim["position"][3:7, 2]
            values, part_values = held.copy(), part.copy()
            for _ in range(4):
                sim.step()
            np.testing.assert_array_equal(held, values)
            np.testing.assert_array_equal(part, part_values)
            self.assertFalse(np.shares_memory(held, sim["velocity"]))
            self.assertTrue((sim["velocity"] != values).any())

    def test_survive_growth(self):
        """The memory of the arrays is given up when particles no longer fit into it."""
        sim = talus.Simulation(sand())
        held = [sim[name] for name in sim.fields]
        values = [array.copy() for array in held]
        for k in range(6):
            at = np.random.default_rng(k).uniform(-0.1, 0.1, (500, 3)) + [0, 0, 2 + k]
            first = sim.add_particles(at)
            held.append(sim["id"])
            values.append(held[-1].copy())
            self.assertEqual(int(sim["id"].max()), first + 499)
        for array, value in zip(held, values):
            np.testing.assert_array_equal(array, value)

    def test_outlive_the_simulation(self):
        sim = talus.Simulation(sand())
        held = sim["position"]
        values = held.copy()
        del sim
        gc.collect()
        junk = [np.ones(values.shape, np.float32) for _ in range(50)]
        np.testing.assert_array_equal(held, values)
        self.assertEqual(len(junk), 50)

    def test_cost_nothing_when_nobody_holds_them(self):
        sim = talus.Simulation(sand())
        place = sim["velocity"].ctypes.data
        sim.step()
        self.assertEqual(sim["velocity"].ctypes.data, place)

    def test_unknown_field(self):
        with self.assertRaisesRegex(talus.RequestError, "no field 'speed'.*velocity"):
            talus.Simulation(sand())["speed"]


class Lock(unittest.TestCase):
    def test_other_threads_run_while_it_steps(self):
        sim = talus.Simulation(sand(sph={"spacing": 0.0125}, scene={"duration": 10}), threads=1)
        beats, done = 0, threading.Event()

        def work():
            for _ in range(3):
                sim.step()
            done.set()

        thread = threading.Thread(target=work)
        thread.start()
        refused = 0
        while not done.is_set():
            beats += 1
            try:
                len(sim)
            except RuntimeError as error:
                self.assertIn("another thread", str(error))
                refused += 1
            time.sleep(0.0005)
        thread.join()
        self.assertGreater(beats, 10)
        self.assertGreater(refused, 5)
        self.assertGreater(len(sim), 0)

    def test_two_simulations_at_once(self):
        alone = talus.Simulation(sand(), threads=1)
        alone.run(3)
        pair = [talus.Simulation(sand(), threads=1) for _ in range(2)]
        threads = [threading.Thread(target=sim.run, args=(3,)) for sim in pair]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for sim in pair:
            np.testing.assert_array_equal(sim["position"], alone["position"])


class Live(unittest.TestCase):
    def test_calls_of_frames(self):
        sim = talus.Simulation(sand())
        seen = []
        sim.on_frame(lambda s: seen.append((s.frame, round(s.time, 6))))
        sim.run(4)
        self.assertEqual(seen, [(1, 0.02), (2, 0.04), (3, 0.06), (4, 0.08)])

    def test_what_a_call_raises_comes_out(self):
        sim = talus.Simulation(sand())

        @sim.on_frame
        def stop(sim):
            raise KeyError("enough")

        with self.assertRaises(KeyError):
            sim.run()
        self.assertEqual(sim.frame, 1)

    def test_a_force_that_cancels_gravity(self):
        for scene in sand(), grains():
            scene["body"] = []
            still, falling = talus.Simulation(scene), talus.Simulation(scene)
            still.add_force(lambda sim: [0, 0, 9.81])
            still.run(2)
            falling.run(2)
            speed = 9.81 * falling.time
            self.assertAlmostEqual(float(falling["velocity"][:, 2].mean()), -speed, delta=0.1 * speed)
            self.assertLess(abs(float(still["velocity"][:, 2].mean())), 0.12 * speed)

    def test_a_kick(self):
        for scene in sand(), grains():
            scene["body"] = []
            sim = talus.Simulation(scene)
            sim.gravity = [0, 0, 0]
            sim.step()
            ids = sim["id"].copy()
            sim.kick(np.where(ids[:, None] % 2 == 0, [[0.5, 0, 0]], [[0.5, 0, 0]]))
            before = sim["position"].copy()[np.argsort(ids)]
            start = sim.time
            for _ in range(3):
                sim.step()
            moved = sim["position"][np.argsort(sim["id"])] - before
            np.testing.assert_allclose(moved.mean(axis=0)[0], 0.5 * (sim.time - start), rtol=0.02)
            with self.assertRaisesRegex(ValueError, "3 changes"):
                sim.kick(np.zeros((3, 3)))
            with self.assertRaisesRegex(ValueError, "shape"):
                sim.kick(np.zeros(3))

    def test_gravity(self):
        sim = talus.Simulation(sand(body=[]))
        sim.gravity = (3, 0, 0)
        sim.run(1)
        self.assertGreater(float(sim["velocity"][:, 0].mean()), 0.04)
        np.testing.assert_array_equal(sim.scene.gravity, [3, 0, 0])

    def test_sources(self):
        sim = talus.Simulation(sand())
        sim.run(1)
        before = len(sim)
        sim.add_pour(POUR)
        sim.run(3)
        self.assertGreater(len(sim), before + 10)
        self.assertEqual(len(np.unique(sim["id"])), len(sim))
        self.assertEqual(talus.scene_dict(sim.scene)["pour"][0]["rate"], 30.0)

        at = np.array([[0, 0, 3.0], [0.1, 0, 3.0]])
        first = sim.add_particles(at, [[0, 0, -1.0], [0, 0, -1.0]], "sand")
        row = int(np.flatnonzero(sim["id"] == first + 1)[0])
        np.testing.assert_allclose(sim["position"][row], at[1], rtol=1e-6)

        count = len(sim)
        shape = {"type": "box", "size": [0.2, 0.2, 0.4], "position": [0, 0, 0.1]}
        added = sim.add_fill({"material": "sand", "shape": shape})
        self.assertEqual(len(sim), count + added)
        self.assertLess(added, 0.9 * (0.2 / 0.03) ** 2 * (0.4 / 0.03))

        sim.add_sink({"shape": {"type": "box", "size": [9, 9, 9], "position": [0, 0, 6.0]}})
        sim.step()
        self.assertLess(float(sim["position"][:, 2].max()), 1.5)

    def test_bodies(self):
        for scene in sand(), grains():
            sim = talus.Simulation(scene)
            sim.run(1)
            held = sim["position"]
            values, count = held.copy(), len(sim)
            ball = {"name": "ball", "motion": "dynamic", "density": 3000, "velocity": [0, 0, -2],
                    "shape": {"type": "sphere", "radius": 0.04, "position": [0, 0, 0.45]}}
            sim.add_body(ball)
            sim.add_body({"name": "peg", "shape": {"type": "box", "size": [0.05, 0.05, 0.08],
                                                   "position": [0, 0, 0.04]}})
            self.assertEqual([body.name for body in sim.bodies], ["ground", "ball", "peg"])
            self.assertLess(len(sim), count)  # the peg stands where material was
            np.testing.assert_array_equal(held, values)
            sim.run(3)
            self.assertLess(sim.bodies[1].position[2], 0.45)
            with self.assertRaisesRegex(talus.RequestError, "ball"):
                sim.add_body(ball)
            with self.assertRaisesRegex(talus.RequestError, r"body.shape.radius: error"):
                sim.add_body({"shape": {"type": "sphere", "radius": -1}})
            self.assertEqual(len(sim.bodies), 3)

    def test_hands(self):
        sim = talus.Simulation(sand())
        sim.push([0, 0, 0.15], 0.1, [1.5, 0, 0])
        self.assertGreater(float(sim["velocity"][:, 0].max()), 1.0)
        sim.change_material("sand", {"friction_coefficient": 0.9, "cohesion": 50.0})
        text = talus.scene_dict(sim.scene)["material"][0]
        self.assertEqual(text["cohesion"], 50.0)
        with self.assertRaisesRegex(talus.RequestError, "material.cohesoin: error"):
            sim.change_material(0, {"cohesoin": 1})
        with self.assertRaises(talus.RequestError):
            sim.push([0, 0, 0], -1, [0, 0, 0])
        number = sim.add_pour(POUR)
        sim.run(2)
        sim.stop_pour(number)
        sim.step()
        count = len(sim)
        sim.run(4)
        self.assertEqual(len(sim), count)
        with self.assertRaises(IndexError):
            sim.stop_pour(9)

    def test_sources_that_are_wrong(self):
        sim = talus.Simulation(sand())
        with self.assertRaisesRegex(talus.RequestError, r"pour.*radiu.*did you mean 'radius'"):
            sim.add_pour({**POUR, "radiu": 1})
        with self.assertRaisesRegex(talus.RequestError, r"pour.rate: error: .*do not fit"):
            sim.add_pour({**POUR, "rate": 1e6})
        self.assertNotIn("pour", talus.scene_dict(sim.scene))
        with self.assertRaisesRegex(ValueError, "no material 'gold'"):
            sim.add_particles([[0, 0, 1]], material="gold")
        with self.assertRaisesRegex(ValueError, "1 materials"):
            sim.add_particles([[0, 0, 1]], material=1)
        with self.assertRaisesRegex(ValueError, "not finite"):
            sim.add_particles([[0, 0, float("nan")]])

    def test_a_checkpoint_with_added_sources_needs_their_scene(self):
        import tempfile
        with tempfile.TemporaryDirectory() as folder:
            sim = talus.Simulation(sand())
            sim.run(1)
            sim.add_pour(POUR)
            sim.run(2)
            sim.save(folder + "/c.tal")
            with self.assertRaisesRegex(talus.WorkError, "1 pours"):
                talus.Simulation(sand()).load(folder + "/c.tal")
            other = talus.Simulation(sim.scene)
            other.load(folder + "/c.tal")
            sim.run(3)
            other.run(3)
            np.testing.assert_array_equal(sim["position"], other["position"])


if __name__ == "__main__":
    unittest.main()
