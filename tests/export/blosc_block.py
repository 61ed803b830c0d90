# Unpacks a Blosc buffer whose codec is LZ4, without Blosc or LZ4: written from the description of the
# header ("Blosc Header Format") and of LZ4's block format. Blosc splits a block into one stream for each
# byte of an item when that is worth it, and groups bytes of equal place (shuffle).
import struct

import numpy


def lz4_block(data, size):
    out, at = bytearray(), 0
    while True:
        token = data[at]
        at += 1
        literals, at = run_length(data, at, token >> 4)
        out += data[at:at + literals]
        at += literals
        if at == len(data):
            assert len(out) == size, "LZ4 block of another size"
            return bytes(out)
        offset = data[at] | data[at + 1] << 8
        match, at = run_length(data, at + 2, token & 15)
        match += 4
        start = len(out) - offset
        assert offset and start >= 0, "LZ4 match before the start"
        while match > 0:  # a match may overlap what it makes
            piece = out[start:start + match]
            out += piece
            start += len(piece)
            match -= len(piece)


def run_length(data, at, length):
    if length == 15:
        while data[at] == 255:
            length += 255
            at += 1
        length += data[at]
        at += 1
    return length, at


def unpack(buffer):
    """The raw bytes of a buffer."""
    version, _, flags, item, raw, block_size, packed = struct.unpack_from("<BBBBIII", buffer)
    assert version == 2 and packed == len(buffer)
    if flags & 2:  # stored
        return buffer[16:16 + raw]
    assert flags >> 5 == 1, "not LZ4"
    assert not flags & 4, "bits are shuffled"
    count = -(-raw // block_size)
    out = []
    for b, at in enumerate(struct.unpack_from(f"<{count}i", buffer, 16)):
        size = min(block_size, raw - b * block_size)
        whole = size == block_size
        streams = item if not flags & 16 and whole and size // item >= 128 and item <= 16 else 1
        pieces = []
        for _ in range(streams):
            length = struct.unpack_from("<i", buffer, at)[0]
            piece = buffer[at + 4:at + 4 + length]
            at += 4 + length
            pieces.append(piece if length == size // streams else lz4_block(piece, size // streams))
        out.append(unshuffled(b"".join(pieces), item) if flags & 1 else b"".join(pieces))
    return b"".join(out)


def unshuffled(data, item):
    whole = len(data) // item * item
    planes = numpy.frombuffer(data[:whole], "u1").reshape(item, -1)
    return planes.T.tobytes() + data[whole:]


def read_sc(data):
    """The stream in Houdini's seekable container, and how many blocks it has."""
    assert data[:4] == b"scf1" and data[4:12] == bytes(8) and data[-4:] == b"1fcs"
    index_bytes = struct.unpack(">q", data[-12:-4])[0]
    numbers = struct.unpack(f">{index_bytes // 8}q", data[-12 - index_bytes:-12])
    block_size, last_size, places = numbers[0], numbers[1], numbers[2:]
    # From the start, as who does not know the index must: each block tells where it ends.
    at, out = 12, []
    for number, place in enumerate(places):
        assert place == at, "the index names another place"
        packed = struct.unpack_from("<I", data, at + 12)[0]
        out.append(unpack(data[at:at + packed]))
        assert len(out[-1]) == (block_size if number + 1 < len(places) else last_size)
        at += packed
    assert at == len(data) - 12 - index_bytes, "bytes between blocks and index"
    return b"".join(out), len(places)
