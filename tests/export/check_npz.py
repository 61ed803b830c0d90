# check_npz.py RUN EXPORT FRAMES: numpy itself reads the files.
import json
import sys
import zipfile

import numpy

from talus_frame import colour_of, read_frame, same

run, folder, frames = sys.argv[1], sys.argv[2], int(sys.argv[3])
for index in range(frames):
    info, field = read_frame(f"{run}/frames/frame_{index:06}.tal")
    path = f"{folder}/grains.{index:06}.npz"
    assert zipfile.ZipFile(path).testzip() is None
    with numpy.load(path) as arrays:
        for key, values in field.items():
            same(key, arrays[key], values)
            assert arrays[key].dtype == values.dtype, key
        same("colour", arrays["colour"], colour_of(info, field), 1e-6)
        metadata = json.loads(arrays["metadata"].item())
    assert metadata["time"] == info["time"] and metadata["frame"] == index
    assert metadata["fields"]["velocity"]["unit"] == "m/s"
    assert metadata["bodies"][0]["name"] == "ball"
print("ok")
