# Frames read without Talus (docs/run-folder.md), and what an exported file must equal.
import json
import struct
import sys

import numpy
import zstandard


def read_frame(path):
    data = open(path, "rb").read()
    magic, version, crc, start, size = struct.unpack_from("<8sIIQQ", data)
    header = json.loads(data[start:start + size])
    fields = {}
    for c in header["columns"]:
        parts = [numpy.empty((0, c["components"]), c["dtype"])]
        for offset, size in c["blocks"]:
            raw = zstandard.decompress(data[offset:offset + size])
            planes = numpy.frombuffer(raw, "u1").reshape(c["item_bytes"], -1)
            block = planes.T.copy().view(c["dtype"])
            parts.append(block.cumsum(axis=0, dtype=c["dtype"]) if c["delta"] else block)
        fields[c["name"]] = numpy.concatenate(parts).squeeze(axis=1 if c["components"] == 1 else ())
    return header["metadata"], fields


def colour_of(info, field):
    m = info["materials"][0]
    factor = 1 + m["colour_variation"] * (field["shade"] / 127.5 - 1)
    return numpy.array(m["colour"])[None, :] * factor[:, None]


def same(name, got, wanted, tolerance=0):
    got, wanted = numpy.asarray(got), numpy.asarray(wanted)
    if got.shape != wanted.shape:
        sys.exit(f"{name}: shape {got.shape} instead of {wanted.shape}")
    worst = numpy.abs(got.astype(float) - wanted.astype(float)).max() if got.size else 0
    if not worst <= tolerance:
        sys.exit(f"{name}: differs by {worst}, allowed are {tolerance}")
