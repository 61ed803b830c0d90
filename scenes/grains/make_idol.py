#!/usr/bin/env python3
"""Carves the idol of scenes/grains/idol.toml: a head of stone, 1 m high.

    python3 make_idol.py [--cell 0.012] [-o idol.ply]

A distance-like function (ellipsoids and boxes, joined smoothly) is sampled on a grid; its zero set becomes a mesh of
quadrilaterals by surface nets: one vertex in each cell that the surface crosses, at the mean of the crossings of its edges,
and one face for each edge of the grid that it crosses.
"""

import argparse

import numpy as np


def smooth_union(a, b, k):
    h = np.clip(0.5 + 0.5 * (b - a) / k, 0, 1)
    return b + (a - b) * h - k * h * (1 - h)


def smooth_cut(a, b, k):
    """a without b."""
    return -smooth_union(-a, b, k)


def ellipsoid(p, centre, radii):
    q = [(p[i] - centre[i]) / radii[i] for i in range(3)]
    length = np.sqrt(q[0] ** 2 + q[1] ** 2 + q[2] ** 2)
    gradient = np.sqrt(sum((q[i] / radii[i]) ** 2 for i in range(3)))
    return length * (length - 1) / np.maximum(gradient, 1e-9)


def box(p, centre, half, rounding):
    q = [np.abs(p[i] - centre[i]) - (half[i] - rounding) for i in range(3)]
    outside = np.sqrt(sum(np.maximum(c, 0) ** 2 for c in q))
    return outside + np.minimum(np.maximum(q[0], np.maximum(q[1], q[2])), 0) - rounding


def idol(x, y, z):
    """Below zero inside. It looks along -y."""
    p = (x, y, z)
    mirrored = (np.abs(x), y, z)
    d = box(p, (0, 0.02, 0.50), (0.165, 0.17, 0.40), 0.10)  # skull
    d = smooth_union(d, box(p, (0, 0.02, 0.20), (0.20, 0.18, 0.16), 0.08), 0.06)  # jaw and neck
    d = smooth_union(d, box(p, (0, -0.125, 0.70), (0.155, 0.065, 0.030), 0.02), 0.02)  # brow
    d = smooth_union(d, box(p, (0, -0.16 - 0.25 * (0.66 - z), 0.56), (0.030, 0.05, 0.13), 0.02), 0.025)  # nose
    d = smooth_union(d, ellipsoid(mirrored, (0.035, -0.195, 0.445), (0.034, 0.035, 0.030)), 0.015)  # nostrils
    d = smooth_cut(d, ellipsoid(mirrored, (0.088, -0.185, 0.615), (0.058, 0.050, 0.038)), 0.012)  # sockets
    d = smooth_union(d, ellipsoid(mirrored, (0.086, -0.135, 0.612), (0.040, 0.034, 0.022)), 0.006)  # lids
    d = smooth_union(d, box(p, (0, -0.165, 0.365), (0.085, 0.040, 0.016), 0.012), 0.012)  # upper lip
    d = smooth_union(d, box(p, (0, -0.165, 0.318), (0.080, 0.038, 0.018), 0.014), 0.012)  # lower lip
    d = smooth_union(d, ellipsoid(p, (0, -0.155, 0.235), (0.095, 0.050, 0.045)), 0.03)  # chin
    d = smooth_union(d, box(mirrored, (0.185, 0.035, 0.53), (0.022, 0.055, 0.17), 0.018), 0.015)  # ears
    d = smooth_cut(d, box(mirrored, (0.212, 0.030, 0.56), (0.014, 0.026, 0.10), 0.010), 0.008)
    for height in (0.775, 0.830):  # head band
        d = smooth_union(d, box(p, (0, 0.02, height), (0.178, 0.183, 0.014), 0.012), 0.008)
    d = np.minimum(d, box(p, (0, 0.02, 0.935), (0.13, 0.13, 0.065), 0.02))  # hat
    # Hewn stone.
    return d + 0.0022 * np.sin(61 * x + 23 * z) * np.sin(47 * y - 31 * z) * np.sin(53 * z + 17 * x)


def one_sheet():
    """For each of the 256 patterns of inner corners of a cell: whether one surface passes through it, at most."""
    def connected(corners):
        reached, left = set(), set(corners)
        todo = [corners[0]] if corners else []
        while todo:
            c = todo.pop()
            reached.add(c)
            todo += [c ^ bit for bit in (1, 2, 4) if c ^ bit in left and c ^ bit not in reached]
        return reached == left

    return np.array([connected([c for c in range(8) if p >> c & 1]) and
                     connected([c for c in range(8) if not p >> c & 1]) for p in range(256)])


def without_double_sheets(values, filled):
    """Fills corners until no cell has two sheets of the surface in it: they would share a vertex, and the mesh be no solid."""
    values = values.copy()
    table = one_sheet()
    while True:
        inside = values < 0
        pattern = np.zeros(np.array(values.shape) - 1, dtype=int)
        for c in range(8):
            at = tuple(slice(c >> i & 1, (c >> i & 1) + pattern.shape[i]) for i in range(3))
            pattern += inside[at].astype(int) << c
        bad = np.argwhere(~table[pattern])
        if len(bad) == 0:
            return values
        for x, y, z in bad:
            corners = values[x:x + 2, y:y + 2, z:z + 2]
            if (corners >= 0).any():
                nearest = np.unravel_index(np.argmin(np.where(corners < 0, np.inf, corners)), corners.shape)
                corners[nearest] = -filled


def surface_nets(values, origin, cell):
    """Vertices and quadrilaterals of the zero set of values[x, y, z]; outward where values are positive."""
    shape = np.array(values.shape) - 1
    inside = values < 0
    total = np.zeros(tuple(shape) + (3,))
    crossings = np.zeros(tuple(shape))
    corners = [(i, j, k) for i in (0, 1) for j in (0, 1) for k in (0, 1)]

    def block(array, c):
        return array[c[0]:c[0] + shape[0], c[1]:c[1] + shape[1], c[2]:c[2] + shape[2]]

    for a in corners:
        for axis in range(3):
            if a[axis] == 1:
                continue
            b = tuple(1 if i == axis else a[i] for i in range(3))
            crossed = block(inside, a) != block(inside, b)
            with np.errstate(divide="ignore", invalid="ignore"):
                t = np.where(crossed, block(values, a) / (block(values, a) - block(values, b)), 0)
            for i in range(3):
                total[..., i] += np.where(crossed, a[i] + (t if i == axis else 0), 0)
            crossings += crossed
    used = crossings > 0
    number = np.full(tuple(shape), -1)
    number[used] = np.arange(np.count_nonzero(used))
    cells = np.argwhere(used)
    vertices = origin + cell * (cells + total[used] / crossings[used][:, None])
    faces = []
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        first = [slice(1, -1)] * 3
        second = [slice(1, -1)] * 3
        first[axis], second[axis] = slice(0, -1), slice(1, None)
        a, b = inside[tuple(first)], inside[tuple(second)]
        for outward in (True, False):
            edges = np.argwhere(a & ~b if outward else ~a & b)
            if len(edges) == 0:
                continue
            edges[:, u] += 1
            edges[:, v] += 1
            around = []
            for du, dv in ((-1, -1), (0, -1), (0, 0), (-1, 0)):
                at = edges.copy()
                at[:, u] += du
                at[:, v] += dv
                around.append(number[tuple(at.T)])
            quad = np.stack(around, axis=1)
            faces.append(quad if outward else quad[:, ::-1])
    return vertices, np.concatenate(faces)


def write_ply(path, vertices, faces):
    table = np.empty(len(faces), dtype=[("n", "u1"), ("v", "<u4", 4)])
    table["n"], table["v"] = 4, faces
    with open(path, "wb") as out:
        out.write((f"ply\nformat binary_little_endian 1.0\ncomment made by make_idol.py\n"
                   f"element vertex {len(vertices)}\nproperty float x\nproperty float y\nproperty float z\n"
                   f"element face {len(faces)}\nproperty list uchar uint vertex_indices\nend_header\n").encode())
        out.write(vertices.astype("<f4").tobytes())
        out.write(table.tobytes())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cell", type=float, default=0.012, help="m, edge of a cell of the grid")
    parser.add_argument("-o", "--output", default="idol.ply")
    options = parser.parse_args()
    lower, upper = np.array([-0.25, -0.31, -0.02]), np.array([0.25, 0.25, 1.05])
    count = np.ceil((upper - lower) / options.cell).astype(int) + 1
    x, y, z = np.meshgrid(*(lower[i] + options.cell * np.arange(count[i]) for i in range(3)), indexing="ij")
    values = without_double_sheets(idol(x, y, z), 0.1 * options.cell)
    vertices, faces = surface_nets(values, lower, options.cell)
    write_ply(options.output, vertices, faces)
    print(f"{options.output}: {len(vertices)} vertices, {len(faces)} faces")


if __name__ == "__main__":
    main()
