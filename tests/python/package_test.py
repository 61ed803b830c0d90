"""The package as users get it: stubs that tell the truth, a wheel, an installation by CMake."""

import ast
import os
import pathlib
import subprocess
import sys
import unittest
import zipfile

import talus
from small_scenes import SOURCE, FolderCase
from talus import _talus

BUILD = os.environ["TALUS_BUILD_DIR"]
USE = ("import talus, sys; sim = talus.Simulation({'fill': {'shape': {'type': 'sphere', 'radius': 0.2}}});"
       "sim.step(); print(talus.__file__, len(sim)); talus.lab.experiments()")


def public(names):
    return {n for n in names if not n.startswith("_") or n in ("__version__",)}


class Stubs(unittest.TestCase):
    tree = ast.parse((SOURCE / "python/talus/_talus.pyi").read_text())

    def names(self, body):
        out = set()
        for node in body:
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
                out.add(node.name)
            elif isinstance(node, ast.AnnAssign):
                out.add(node.target.id)
        return public(out)

    def test_have_every_name_of_the_module(self):
        self.assertEqual(self.names(self.tree.body), public(dir(_talus)))

    def test_have_every_member_of_its_classes(self):
        for node in self.tree.body:
            if not isinstance(node, ast.ClassDef) or issubclass(getattr(_talus, node.name), Exception):
                continue
            with self.subTest(node.name):
                real = getattr(_talus, node.name)
                self.assertEqual(self.names(node.body), public(vars(real)))

    def test_have_the_arguments_of_functions(self):
        """pybind11 writes the signature into the first line of the documentation."""
        for node in self.tree.body:
            if isinstance(node, ast.FunctionDef):
                line = getattr(_talus, node.name).__doc__.splitlines()[0]
                for argument in node.args.args:
                    self.assertIn(f"{argument.arg}:", line, node.name)

    def test_everything_exported_exists(self):
        for name in talus.__all__:
            self.assertTrue(hasattr(talus, name), name)
        self.assertTrue((pathlib.Path(talus.__file__).parent / "py.typed").exists())


class Installed(FolderCase):
    def use(self, folder):
        environment = {**os.environ, "PYTHONPATH": str(folder)}
        done = subprocess.run([sys.executable, "-c", USE], env=environment, cwd=self.folder,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout.startswith(str(folder)), done.stdout)

    def test_wheel(self):
        sys.path.insert(0, str(SOURCE / "python"))
        import wheel_backend
        name = wheel_backend.build_wheel(self.folder)
        with zipfile.ZipFile(self.folder / name) as archive:
            self.assertIsNone(archive.testzip())
            names = archive.namelist()
            record = archive.read([n for n in names if n.endswith("RECORD")][0]).decode()
        self.assertEqual({line.split(",")[0] for line in record.split()}, set(names))
        self.assertIn("talus/_talus.pyi", names)
        self.assertIn("talus/lab_scenes/repose/pour.toml", names)
        target = self.folder / "site"
        pip = [sys.executable, "-m", "pip", "--version"]
        if subprocess.run(pip, capture_output=True).returncode == 0:
            subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps",
                            "--target", target, self.folder / name], check=True, capture_output=True)
        else:
            zipfile.ZipFile(self.folder / name).extractall(target)
        self.use(target)

    def test_by_cmake(self):
        subprocess.run(["cmake", "--install", BUILD, "--component", "python", "--prefix", self.folder],
                       check=True, capture_output=True)
        package = next(self.folder.rglob("talus/__init__.py")).parent
        self.use(package.parent)


if __name__ == "__main__":
    unittest.main()
