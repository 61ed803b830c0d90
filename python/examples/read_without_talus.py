"""Reads a run folder with numpy and zstandard alone: nothing of Talus is needed.

    python3 read_without_talus.py out/demo

The format is in docs/run-folder.md. Debian: apt install python3-numpy python3-zstandard.
"""

import json
import pathlib
import struct
import sys
import zlib

import numpy as np
import zstandard


def read_frame(path):
    """The metadata of a frame, and its fields as arrays by name."""
    data = pathlib.Path(path).read_bytes()
    magic, version, crc, start, size = struct.unpack_from("<8sIIQQ", data)
    if magic != b"TALUSDAT" or version != 1 or start + size != len(data):
        raise ValueError(f"{path} is not a whole frame of a version that this script knows")
    text = data[start:start + size]
    if zlib.crc32(text) != crc:
        raise ValueError(f"{path} is damaged")
    header = json.loads(text)
    return header["metadata"], {c["name"]: read_column(data, c) for c in header["columns"]}


def read_column(data, column):
    out = np.empty((column["count"], column["components"]), column["dtype"])
    done = 0
    for offset, size in column["blocks"]:
        raw = zstandard.decompress(data[offset:offset + size])
        planes = np.frombuffer(raw, np.uint8).reshape(column["item_bytes"], -1)
        items = planes.T.copy().view(column["dtype"])
        if column["delta"]:
            items = items.cumsum(axis=0, dtype=column["dtype"])
        out[done:done + len(items)] = items
        done += len(items)
    return out[:, 0] if column["components"] == 1 else out


def main():
    run = pathlib.Path(sys.argv[1])
    manifest = json.loads((run / "manifest.json").read_text())
    print(f"{manifest['scene']}: {manifest['state']}, {len(manifest['frames'])} frames")
    for entry in manifest["frames"]:
        info, field = read_frame(run / "frames" / f"frame_{entry['frame']:06d}.tal")
        speed = np.linalg.norm(field["velocity"], axis=1)
        centre = field["position"].mean(axis=0)
        print(f"{info['time']:8.3f} s  {len(field['id']):7d} particles  centre "
              f"{centre[0]:7.3f} {centre[1]:7.3f} {centre[2]:7.3f} m  fastest {speed.max():7.3f} m/s")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main()
