"""Scenes from dictionaries, files and text; what is wrong is told with its place."""

import pathlib
import unittest

import numpy as np

import talus
from small_scenes import SOURCE, FolderCase, sand


class FromDictionary(FolderCase):
    def test_equals_the_same_scene_as_text(self):
        text = """
            [scene]
            name = "block"
            duration = 0.2
            frame_rate = 50
            [sph]
            spacing = 0.03
            [[material]]
            name = "sand"
            friction_angle_deg = 30
            [[fill]]
            material = "sand"
            shape = { type = "box", size = [0.24, 0.24, 0.24], position = [0, 0, 0.15] }
            [[body]]
            name = "ground"
            shape = { type = "plane" }
        """
        ours, theirs = talus.Scene(sand()), talus.Scene.parse(text)
        self.assertEqual(ours.to_toml(), theirs.to_toml())
        self.assertEqual(ours.materials, ["sand"])
        self.assertEqual((ours.solver, ours.duration, ours.frame_rate, ours.frame_count),
                         ("sph", 0.2, 50.0, 10))

    def test_numpy_values_tuples_and_paths(self):
        scene = sand(sph={"spacing": np.float64(0.03)})
        scene["fill"]["shape"]["size"] = np.array([0.24, 0.24, 0.24])
        scene["fill"]["shape"]["position"] = (0, 0, 0.15)
        self.assertEqual(talus.Scene(scene).to_toml(), talus.Scene(sand()).to_toml())

    def test_round_trip(self):
        for file in sorted((SOURCE / "scenes").rglob("*.toml")):
            scene = talus.Scene(file)
            again = talus.Scene(talus.scene_dict(scene))
            # Text once more: a -0 that was computed is a 0 when it has been read.
            self.assertEqual(again.to_toml(), talus.Scene.parse(scene.to_toml()).to_toml(), file)

    def test_set(self):
        self.assertEqual(talus.Scene(sand(), set=["sph.spacing=0.04"]).spacing, 0.04)
        with self.assertRaisesRegex(talus.RequestError, "--set 'sph.spacin=1'"):
            talus.Scene(sand(), set=["sph.spacin=1"])

    def test_files_are_relative_to_the_folder(self):
        scene = sand(body={"name": "b", "shape": {"type": "mesh", "file": "no.obj"}})
        with self.assertRaisesRegex(talus.Error, str(self.folder)):
            talus.Simulation(talus.Scene.from_dict(scene, self.folder))


class Mistakes(unittest.TestCase):
    def refused(self, scene):
        with self.assertRaises(talus.RequestError) as caught:
            talus.Scene(scene)
        return str(caught.exception)

    def test_are_all_told_with_their_place(self):
        scene = sand(body=[{"name": "ground", "shape": {"type": "plane"}},
                           {"name": "b", "shape": {"type": "ball"}}])
        scene["material"]["frictoin_angle_deg"] = 3
        scene["sph"]["spacing"] = -1
        text = self.refused(scene)
        self.assertIn("3 errors", text)
        self.assertIn("material.frictoin_angle_deg: error: unknown key", text)
        self.assertIn("did you mean 'friction_angle_deg'?", text)
        self.assertRegex(text, r"\nsph\.spacing: error: ")
        self.assertRegex(text, r"\nbody\[1\]\.shape\.type: error: ")

    def test_missing_keys(self):
        self.assertRegex(self.refused(sand(fill={"material": "sand"})), r"\nfill: error: .*shape")

    def test_values_of_other_kinds(self):
        for value, kind in ((None, "None"), ({1, 2}, "set"), (object(), "object"), (1j, "1j")):
            with self.assertRaisesRegex(TypeError, "sph.spacing"):
                talus.Scene(sand(sph={"spacing": value}))
        with self.assertRaisesRegex(TypeError, "keys must be strings"):
            talus.Scene({1: 2})
        with self.assertRaisesRegex(ValueError, "scene.seed.*too large"):
            talus.Scene(sand(scene={"seed": 2**80}))
        with self.assertRaises(TypeError):
            talus.Scene(17)

    def test_in_files(self):
        with self.assertRaisesRegex(talus.RequestError, "no such file"):
            talus.Scene("nowhere.toml")
        with self.assertRaisesRegex(ValueError, r"s.toml:2:1: error: unknown key 'spacin'"):
            talus.Scene.parse("[sph]\nspacin = 1\n", "s.toml")
        with self.assertRaises(talus.Error):
            talus.Scene(pathlib.Path("nowhere.toml"))

    def test_simulations_take_the_same(self):
        with self.assertRaisesRegex(talus.RequestError, "sph.spacing"):
            talus.Simulation(sand(sph={"spacing": "wide"}))
        self.assertTrue(issubclass(talus.RequestError, ValueError))
        self.assertTrue(issubclass(talus.WorkError, RuntimeError))
        self.assertTrue(issubclass(talus.WorkError, talus.Error))


if __name__ == "__main__":
    unittest.main()
