"""Builds the wheel of talus (PEP 517) with the standard library and CMake alone, because the machines
it is built on may reach no package index. The wheel links the shared libraries of the system it was
built on (packages.txt), so its tag is that of this machine, not manylinux.

Environment: TALUS_BUILD_DIR takes the module from a build that is there instead of making one;
CMAKE_ARGS is passed on to CMake.
"""

import base64
import hashlib
import os
import pathlib
import re
import shlex
import subprocess
import sys
import sysconfig
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent


def _version():
    text = (ROOT / "CMakeLists.txt").read_text()
    return re.search(r"project\(talus VERSION ([0-9.]+)", text).group(1)


def _tag():
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"{python}-{python}-{platform}"


def _metadata():
    return (f"Metadata-Version: 2.1\nName: talus\nVersion: {_version()}\n"
            "Summary: Sand in motion: simulate, look at, measure and store granular material\n"
            "License: Apache-2.0\nRequires-Python: >=3.11\nRequires-Dist: numpy>=1.24\n"
            "Description-Content-Type: text/markdown\n\n" + (HERE / "README.md").read_text())


def _wheel_file():
    return ("Wheel-Version: 1.0\nGenerator: talus wheel_backend\nRoot-Is-Purelib: false\n"
            f"Tag: {_tag()}\n")


def _build(folder):
    """The folder of a build that has the module."""
    if "TALUS_BUILD_DIR" in os.environ:
        return pathlib.Path(os.environ["TALUS_BUILD_DIR"])
    build = pathlib.Path(folder) / "build"
    subprocess.run(
        ["cmake", "-S", ROOT, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
         "-DTALUS_TESTS=OFF", "-DTALUS_PYTHON=ON", "-DTALUS_PRECOMPILE=ON", "-DTALUS_UNITY=ON",
         f"-DPython_EXECUTABLE={sys.executable}", *shlex.split(os.environ.get("CMAKE_ARGS", ""))],
        check=True)
    subprocess.run(["cmake", "--build", build, "--target", "talus_python"], check=True)
    return build


def _package_files(build):
    package = build / "python" / "talus"
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    if not (package / f"_talus{suffix}").exists():
        raise FileNotFoundError(f"{package} has no _talus{suffix}; build the target talus_python")
    for path in sorted(package.rglob("*")):
        wanted = path.suffix in (".py", ".pyi", ".typed", ".toml") or path.name == f"_talus{suffix}"
        if path.is_file() and wanted:
            yield "talus/" + path.relative_to(package).as_posix(), path.read_bytes()


class _Archive:
    """A zip whose bytes depend on its content alone, with the list of hashes that wheels have."""

    def __init__(self, path):
        self._zip = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)
        self._record = []

    def add(self, name, data):
        info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
        info.compress_type = zipfile.ZIP_DEFLATED
        info.external_attr = (0o755 if name.endswith(".so") else 0o644) << 16
        self._zip.writestr(info, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self._record.append(f"{name},sha256={digest},{len(data)}")

    def close(self, record):
        self._record.append(f"{record},,")
        self.add(record, ("\n".join(self._record) + "\n").encode())
        self._zip.close()


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    name = f"talus-{_version()}-{_tag()}.whl"
    info = f"talus-{_version()}.dist-info"
    with tempfile.TemporaryDirectory(prefix="talus_wheel_") as scratch:
        files = list(_package_files(_build(scratch)))
    archive = _Archive(pathlib.Path(wheel_directory) / name)
    for path, data in files:
        archive.add(path, data)
    archive.add(f"{info}/METADATA", _metadata().encode())
    archive.add(f"{info}/WHEEL", _wheel_file().encode())
    archive.add(f"{info}/LICENSE", (ROOT / "LICENSE").read_bytes())
    archive.close(f"{info}/RECORD")
    return name


def build_sdist(sdist_directory, config_settings=None):
    raise NotImplementedError("the source of talus is its repository; build the wheel from there")
