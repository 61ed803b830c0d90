# check_bgeo.py RUN EXPORT FRAMES EXTENSION: a reader of Houdini's binary JSON geometry of its own,
# written from the published description of the format, and what Houdini demands of the structure.
import gzip
import struct
import sys

import numpy

from blosc_block import read_sc
from talus_frame import colour_of, read_frame, same

run, folder, frames, extension = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]


class Reader:
    uniform = {0x11: "i1", 0x12: "<i2", 0x13: "<i4", 0x14: "<i8", 0x18: "<f2", 0x19: "<f4", 0x1A: "<f8",
               0x21: "u1", 0x22: "<u2"}
    single = {0x11: "<b", 0x12: "<h", 0x13: "<i", 0x14: "<q", 0x19: "<f", 0x1A: "<d", 0x21: "<B", 0x22: "<H"}

    def __init__(self, data):
        assert data[:5] == b"\x7fNSJb", "no binary JSON"
        self.data, self.at = data, 5

    def take(self, n):
        assert self.at + n <= len(self.data), "ends too early"
        self.at += n
        return self.data[self.at - n:self.at]

    def length(self):
        n = self.take(1)[0]
        if n < 0xF1:
            return n
        return int.from_bytes(self.take({0xF2: 2, 0xF4: 4, 0xF8: 8}[n]), "little")

    def value(self):
        tag = self.take(1)[0]
        if tag in self.single:
            return struct.unpack(self.single[tag], self.take(struct.calcsize(self.single[tag])))[0]
        if tag == 0x27:
            return self.take(self.length()).decode()
        if tag in (0x30, 0x31):
            return tag == 0x31
        if tag == 0x40:
            kind = self.uniform[self.take(1)[0]]
            n = self.length()
            return numpy.frombuffer(self.take(n * numpy.dtype(kind).itemsize), kind)
        if tag == 0x5B:
            return self.until(0x5D)
        if tag == 0x7B:
            items = self.until(0x7D)
            return dict(zip(items[0::2], items[1::2]))
        sys.exit(f"unknown tag {tag:#x} at {self.at}")

    def until(self, end):
        items = []
        while self.data[self.at] != end:
            items.append(self.value())
        self.at += 1
        return items


def pairs(items):
    assert len(items) % 2 == 0
    return dict(zip(items[0::2], items[1::2]))


def attribute(entry, count):
    definition, body = pairs(entry[0]), pairs(entry[1])
    assert definition["scope"] == "public" and definition["type"] == "numeric"
    values = pairs(body["values"])
    assert values["size"] == body["size"] and values["storage"] == body["storage"]
    kind = {"fpreal32": "<f4", "fpreal64": "<f8", "int32": "<i4", "int64": "<i8", "uint8": "u1"}[body["storage"]]
    raw = values["rawpagedata"]
    assert raw.dtype == numpy.dtype(kind) and len(raw) == count * body["size"]
    array = raw.reshape(count, body["size"]) if body["size"] > 1 else raw
    return definition["name"], array, definition["options"].get("type", {}).get("value")


def read_document(path):
    data = (gzip.open if path.endswith(".gz") else open)(path, "rb").read()
    return read_sc(data)[0] if path.endswith(".sc") else data


for index in range(frames):
    info, field = read_frame(f"{run}/frames/frame_{index:06}.tal")
    data = read_document(f"{folder}/grains.{index:06}{extension}")
    reader = Reader(data)
    document = reader.value()
    assert reader.at == len(data), "bytes after the document"
    keys = document[0::2]
    assert keys == ["fileversion", "hasindex", "pointcount", "vertexcount", "primitivecount", "info", "topology",
                    "attributes", "primitives"], keys
    top = pairs(document)
    assert int(top["fileversion"].split(".")[0]) >= 18 and top["vertexcount"] == top["primitivecount"] == 0
    count = top["pointcount"]
    assert count == len(field["id"])
    assert len(pairs(pairs(top["topology"])["pointref"])["indices"]) == 0
    entries = [attribute(e, count) for e in pairs(top["attributes"])["pointattributes"]]
    found = {name: array for name, array, _ in entries}
    roles = {name: role for name, _, role in entries}
    assert entries[0][0] == "P"
    assert (roles["P"], roles["v"], roles["Cd"], roles["id"]) == ("point", "vector", "color", None)
    same("P", found["P"], field["position"])
    same("v", found["v"], field["velocity"])
    same("id", found["id"], field["id"])
    same("pscale", found["pscale"], field["radius"])
    same("Cd", found["Cd"], colour_of(info, field), 1e-6)
    same("pressure", found["pressure"], field["pressure"])
    same("stress", found["stress"], field["stress"])
print("ok")
